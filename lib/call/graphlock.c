// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * graphlock.c - whether the kernel's graph tracer is free, and who has it
 *
 * Which functions it follows, and how deep, there is only once, at the top
 * level, and for the graph tracers of all instances.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "call/graphlock.h"
#include "call/graphtracer.h"
#include "leftover/find.h"
#include "tracefs/file.h"
#include "tracefs/instance.h"
#include "tracefs/undo.h"
#include "tracelet/leftover.h"
#include "tracelet/message.h"

/* The lock is on it; whoever may use the tracer can open it. */
#define LOCK_FILE "set_graph_function"

static const char *const graph_settings[] = {
	"set_graph_function",
	"set_graph_notrace",
	"max_graph_depth",
	"tracing_thresh",
	"options/sleep-time",
	"options/funcgraph-irqs",
	/* with it the kernel writes another kind of record */
	"options/funcgraph-retaddr",
};

/* Settings of the top level that its tracer depends on, or changes. */
static const char *const top_settings[] = {
	"current_tracer",
	"events/enable",
	"set_ftrace_filter",
	"set_ftrace_notrace",
	"set_ftrace_pid",
	"set_ftrace_notrace_pid",
	"tracing_on",
	"tracing_cpumask",
	"options/function-fork",
	/* up to 6.10 another user of what the tracer runs on */
	"function_profile_enabled",
	"trace",
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int busy(const char *what, const char *state, const struct tl_holder *h)
{
	if (h)
		return tl_fail(EBUSY,
			       "the kernel's graph tracer is in use: %s is %s "
			       "(%s, PID %d)",
			       what, state, h->comm, h->pid);
	return tl_fail(EBUSY,
		       "the kernel's graph tracer is in use: %s is %s "
		       "(reset-ftrace --dry-run shows all)",
		       what, state);
}

/* Who has files of tracefs open; to look at all processes takes long. */
struct holders {
	struct tl_session *s;
	bool found;
	struct tl_holders all;
};

static int find_holders(struct holders *h)
{
	int ret = 0;

	if (!h->found)
		ret = tl_holders_find(&h->all, h->s->instance->root.fd,
				      h->s->instance->root_path);
	h->found = true;
	return ret ? tl_fail(-ret, "/proc: %s", strerror(-ret)) : 0;
}

/*
 * Somebody else who has this file open, or, with a "/" at its end, one in it.
 */
static const struct tl_holder *holder_of(struct holders *h, const char *path)
{
	size_t len = strlen(path), i;
	bool dir = path[len - 1] == '/';

	find_holders(h);
	for (i = 0; i < h->all.count; i++)
		if (!strncmp(h->all.list[i].path, path, len + !dir) &&
		    strcmp(h->all.list[i].comm, TL_GUARD))
			return &h->all.list[i];
	return NULL;
}

static bool is_one(const char *name, const char *const *list, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (!strcmp(name, list[i]))
			return true;
	return false;
}

/* Whether one of these settings is not as at boot. */
static int check_settings(struct tl_session *s, struct holders *h,
			  const char *const *list, size_t count)
{
	struct tl_search f = { .s = s };
	const struct tl_leftover *l;
	int ret = 0;
	size_t i;

	tl_settings_first(&f);
	tl_settings_pids(&f);
	tl_settings_last(&f);
	for (i = 0; i < f.count && !ret; i++) {
		l = &f.list[i];
		if (l->changed && is_one(l->name, list, count))
			ret = busy(l->name, l->state ?: "changed",
				   holder_of(h, l->name));
	}
	tl_leftover_free(f.list, f.count);
	return ret;
}

/* All others but these two may heed the threshold. */
static bool is_in_the_way(const char *tracer, bool threshold)
{
	return threshold ? strcmp(tracer, "nop") && strcmp(tracer, "function")
			 : !strncmp(tracer, TL_GRAPH_TRACER,
				    strlen(TL_GRAPH_TRACER));
}

static int check_tracer(struct tl_session *s, struct holders *h,
			const char *instance, bool threshold)
{
	char path[512], *text;
	int ret = 0;

	snprintf(path, sizeof(path), "%s%s%scurrent_tracer",
		 instance ? "instances/" : "", instance ?: "",
		 instance ? "/" : "");
	text = tl_fs_read(s->instance->root, path, NULL);
	if (text)
		text[strcspn(text, "\n")] = '\0';
	if (text && is_in_the_way(text, threshold))
		ret = busy(path, text, holder_of(h, path));
	free(text);
	return ret;
}

static int check_tracers(struct tl_session *s, struct holders *h,
			 bool threshold)
{
	struct dirent **names = NULL;
	int count = tl_dirs_list(s->instance->root.fd, "instances", &names), i;
	int ret = check_tracer(s, h, NULL, threshold);

	for (i = 0; i < count && !ret; i++)
		if (strcmp(names[i]->d_name, s->instance->name))
			ret = check_tracer(s, h, names[i]->d_name, threshold);
	tl_dirs_free(names, count);
	return ret;
}

/* A tracelet that has the lock. */
static int locked(struct holders *h)
{
	const struct tl_holder *who = holder_of(h, LOCK_FILE);

	if (who)
		return tl_fail(EBUSY,
			       "the kernel's graph tracer is in use by %s, "
			       "PID %d",
			       who->comm, who->pid);
	return tl_fail(EBUSY, "the kernel's graph tracer is in use by a "
			      "tracelet that is ending, or in another PID "
			      "namespace");
}

static int lock(struct tl_session *s, struct holders *h)
{
	int fd = openat(s->instance->root.fd, LOCK_FILE, O_RDONLY | O_CLOEXEC),
	    ret;

	if (fd < 0 && errno == ENOENT)
		return tl_fail(ENOTSUP, "this kernel has no graph tracer");
	if (fd < 0)
		return tl_fail(errno, "%s/" LOCK_FILE ": %s",
			       s->instance->root_path, tl_fs_explain(errno));
	ret = flock(fd, LOCK_EX | LOCK_NB) ? -errno : 0;
	if (ret == -EWOULDBLOCK)
		ret = locked(h);
	else if (ret)
		tl_fail(-ret, LOCK_FILE ": %s", strerror(-ret));
	else
		ret = tl_undo_hold(s->instance->undo, fd);
	if (ret)
		close(fd);
	return ret ?: fd;
}

int tl_graph_lock(struct tl_session *s, bool threshold)
{
	struct holders h = { .s = s };
	int fd = lock(s, &h), ret = fd < 0 ? fd : 0;

	if (!ret)
		ret = check_settings(s, &h, graph_settings,
				     COUNT(graph_settings))
			      ?: check_tracers(s, &h, threshold);
	if (ret && fd >= 0)
		tl_graph_unlock(s, fd);
	tl_holders_free(&h.all);
	return ret ?: fd;
}

void tl_graph_unlock(struct tl_session *s, int fd)
{
	tl_undo_forget(s->instance->undo);
	close(fd);
}

int tl_graph_lock_top(struct tl_session *s)
{
	const struct tl_holder *reader = NULL;
	struct holders h = { .s = s };
	int ret = check_settings(s, &h, top_settings, COUNT(top_settings))
			  ?: find_holders(&h);

	if (!ret)
		reader = holder_of(&h, "trace_pipe")
				 ?: holder_of(&h, "per_cpu/");
	if (reader)
		ret = busy(reader->path, "open", reader);
	tl_holders_free(&h.all);
	return ret;
}
