// SPDX-License-Identifier: GPL-2.0-or-later
/* cgroup.c - the cgroup that a thread is in, and the processes of one */
#include "record/cgroup.h"

#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/part.h"
#include "base/proc.h"
#include "base/recording.h"
#include "record/tasktable.h"
#include "tracelet/message.h"

struct cgroup {
	unsigned int number;
	char path[];
};

struct cgroups {
	struct tl_part part;
	void *tree;                /* of struct cgroup, by their paths */
	struct cgroup **by_number; /* the first one, of number 1, at place 0 */
	unsigned int count;
};

static void free_cgroups(void *part)
{
	struct cgroups *c = part;

	tdestroy(c->tree, free);
	free(c->by_number);
	free(c);
}

static const struct tl_part_ops cgroups_ops = { .free = free_cgroups };

static int compare(const void *a, const void *b)
{
	const struct cgroup *x = a, *y = b;

	return strcmp(x->path, y->path);
}

static struct cgroup *add(struct cgroups *c, struct cgroup *g)
{
	struct cgroup **more =
		reallocarray(c->by_number, c->count + 1, sizeof(*more));

	if (!more)
		return NULL;
	c->by_number = more;
	if (!tsearch(g, &c->tree, compare))
		return NULL;
	more[c->count] = g;
	g->number = ++c->count;
	return g;
}

/* 0 without memory. */
static unsigned int number_of(struct cgroups *c, const char *path)
{
	struct cgroup *g = malloc(sizeof(*g) + strlen(path) + 1), *const *
									  found;
	unsigned int number = 0;

	if (!g)
		return 0;
	strcpy(g->path, path);
	found = tfind(g, &c->tree, compare);
	if (!found && add(c, g))
		return g->number;
	if (found)
		number = (*found)->number;
	free(g);
	return number;
}

/*
 * The path in a line "ID:CONTROLLERS:PATH", where @controllers are these; NULL: there is
 * no such line
 */
static char *find_line(char *text, const char *controllers)
{
	size_t len = strlen(controllers);
	char *line = text, *names;

	while (line) {
		names = strchr(line, ':');
		if (names && !strncmp(names + 1, controllers, len) &&
		    names[len + 1] == ':')
			return names + len + 2;
		line = strchr(line, '\n');
		line += line != NULL;
	}
	return NULL;
}

/*
 * That of cgroup v2, which names no controllers; where each has its own tree that of
 * systemd, which has services and users.
 */
static const char *find_path(char *text)
{
	char *path = find_line(text, "") ?: find_line(text, "name=systemd");

	if (path)
		path[strcspn(path, "\n")] = '\0';
	return path;
}

/* "-" of a thread that has ended, too, so that it is asked for once. */
static unsigned int read_cgroup(struct cgroups *c, pid_t tid)
{
	char file[64], text[8192];
	const char *path = NULL;

	snprintf(file, sizeof(file), "/proc/%d/cgroup", tid);
	if (tl_proc_read(file, text, sizeof(text)) > 0)
		path = find_path(text);
	return number_of(c, path ?: "-");
}

unsigned int tl_task_cgroup(struct tl_session *s, pid_t tid)
{
	struct cgroups *c = tl_part_get(s, &cgroups_ops, sizeof(*c));
	struct tl_task *task = c && tid ? tl_task_get(s->tasks, tid) : NULL;

	if (!task || s->tasks->blind || tl_recording_replays(s->recording))
		return 0;
	if (!task->cgroup)
		task->cgroup = read_cgroup(c, tid);
	return task->cgroup;
}

const char *tl_cgroup_path(const struct tl_session *s, unsigned int number)
{
	const struct cgroups *c = tl_part_find(s, &cgroups_ops);

	return c && number && number <= c->count
		       ? c->by_number[number - 1]->path
		       : "-";
}

int tl_cgroup_processes(const char *path, int (*fn)(void *ctx, pid_t pid),
			void *ctx)
{
	char file[4096];
	FILE *f;
	int pid, found = 0, ret = 0;

	snprintf(file, sizeof(file), "%s%s/cgroup.procs",
		 *path == '/' ? "" : "/sys/fs/cgroup/", path);
	f = fopen(file, "re");
	if (!f)
		return tl_fail(errno, "--cgroup: %s: %s", file,
			       strerror(errno));
	while (!ret && fscanf(f, "%d", &pid) == 1) {
		ret = fn(ctx, pid);
		found++;
	}
	fclose(f);
	if (!ret && !found)
		return tl_fail(ESRCH, "--cgroup: %s: no process in it", path);
	return ret;
}
