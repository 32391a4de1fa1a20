// SPDX-License-Identifier: GPL-2.0-or-later
/* session.c - the private instance, and what dead ones left behind */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "fs.h"
#include "session.h"

/* An instance of ours is tl_TOOL_PID, and so is the group of its probes. */
#define PREFIX "tl_"

/* PREFIX, letters, "_PID", and perhaps "_N": nobody else's, whatever its name. */
static bool is_ours(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz-";
	size_t len;

	if (strncmp(name, PREFIX, strlen(PREFIX)))
		return false;
	name += strlen(PREFIX);
	len = strspn(name, letters);
	if (!len || name[len] != '_')
		return false;
	name += len + 1;
	len = strspn(name, "0123456789_");
	return len && !name[len];
}

/*
 * A session holds a lock on its instance's directory for as long as it, or its
 * guard, lives.  Unlike a process id in the name, a lock also tells the living
 * from the dead in another PID namespace.
 */
static int lock_instance(int instances, const char *name)
{
	int fd = openat(instances, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB)) {
		close(fd);
		return -errno;
	}
	return fd < 0 ? -errno : fd;
}

/* Whether the instance that a probe's group is named after lives. */
static bool is_alive(int instances, const char *name)
{
	int fd = lock_instance(instances, name);

	if (fd >= 0)
		close(fd);
	return fd == -EWOULDBLOCK;
}

static void sweep_instances(int instances)
{
	DIR *dir = fdopendir(openat(instances, ".", O_RDONLY | O_CLOEXEC));
	struct dirent *d;
	int fd;

	while (dir && (d = readdir(dir))) {
		if (!is_ours(d->d_name))
			continue;
		fd = lock_instance(instances, d->d_name);
		if (fd < 0)
			continue;
		tl_fs_write(fd, "events/enable", "0", 0);
		close(fd);
		unlinkat(instances, d->d_name, AT_REMOVEDIR);
	}
	if (dir)
		closedir(dir);
}

/* Lines of dynamic_events are TYPE:GROUP/EVENT PLACE ARGS. */
static void sweep_probes(int root, int instances)
{
	char *text = tl_fs_read(root, "dynamic_events", NULL);
	char *line, *next, *group, *end, *slash;
	char command[256];

	for (line = text; line && *line; line = next) {
		next = line + strcspn(line, "\n");
		next += *next == '\n';
		group = line + strcspn(line, ": \n");
		if (*group++ != ':')
			continue;
		end = group + strcspn(group, " \n");
		*end = '\0';
		slash = strchr(group, '/');
		if (!slash)
			continue;
		*slash = '\0';
		if (!is_ours(group) || is_alive(instances, group))
			continue;
		snprintf(command, sizeof(command), "-:%s/%s", group, slash + 1);
		tl_fs_write(root, "dynamic_events", command, O_APPEND);
	}
	free(text);
}

static void sweep(int root, int instances)
{
	sweep_instances(instances);
	sweep_probes(root, instances);
}

/*
 * Tools that start at the same time take turns here, so that none takes a new
 * instance that is not locked yet for a dead one.
 */
static int open_instances(struct tl_session *s)
{
	const struct timespec pause = { .tv_nsec = 10000000 };
	int fd = openat(s->root, "instances",
			O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int tries;

	if (fd < 0)
		return tl_fail(errno, "%s/instances: %s", s->root_path,
			       tl_fs_explain(errno));
	/* with signals blocked: not for ever, if one is stopped there */
	for (tries = 0; flock(fd, LOCK_EX | LOCK_NB) && tries < 3000; tries++)
		nanosleep(&pause, NULL);
	return fd;
}

static void choose_name(struct tl_session *s, int instances)
{
	unsigned int i = 1;

	/* the same PID can run in another PID namespace */
	snprintf(s->name, sizeof(s->name), PREFIX "%s_%d", s->tool->name,
		 getpid());
	while (!faccessat(instances, s->name, F_OK, AT_EACCESS))
		snprintf(s->name, sizeof(s->name), PREFIX "%s_%d_%u",
			 s->tool->name, getpid(), ++i);
}

static int make_instance(struct tl_session *s, int instances)
{
	int ret;

	choose_name(s, instances);
	ret = tl_undo_rmdir(s->undo, instances, s->name);
	if (ret)
		return ret;
	if (mkdirat(instances, s->name, 0700))
		return tl_fail(errno, "%s/instances: %s", s->root_path,
			       tl_fs_explain(errno));
	s->dir = lock_instance(instances, s->name);
	if (s->dir < 0)
		return tl_fail(-s->dir, "%s/instances/%s: %s", s->root_path,
			       s->name, tl_fs_explain(-s->dir));
	return tl_undo_hold(s->undo, s->dir);
}

/*
 * The kernel gives every processor 1.4 MB, which would be 360 MB on 256 of
 * them: in all no more than TOTAL_KB, unless --buffer asks for it.  A tool of
 * frequent events can ask for more than 1.4 MB.  0: as it is.
 */
#define TOTAL_KB   65536
#define DEFAULT_KB 1408

static unsigned long long buffer_kb(const struct tl_session *s)
{
	long count = sysconf(_SC_NPROCESSORS_CONF);

	if (s->set.buffer)
		return (s->set.buffer + 1023) / 1024;
	if (count * (s->tool->buffer_kb ?: DEFAULT_KB) > TOTAL_KB)
		return TOTAL_KB / count;
	return s->tool->buffer_kb;
}

static int prepare(struct tl_session *s)
{
	unsigned long long kb = buffer_kb(s);
	char size[32];
	int ret;

	/* the default clock is not comparable between processors */
	ret = tl_write_file(s, "trace_clock", "mono");
	/* wake a reader for the first record, not for half a buffer */
	if (!ret)
		ret = tl_write_file(s, "buffer_percent", "0");
	if (ret || !kb)
		return ret;
	snprintf(size, sizeof(size), "%llu", kb);
	return tl_write_file(s, "buffer_size_kb", size);
}

int tl_session_open(struct tl_session *s)
{
	int instances, ret;

	s->undo = tl_undo_start();
	if (!s->undo)
		return tl_fail(errno, "guard process: %s", strerror(errno));
	instances = open_instances(s);
	if (instances < 0)
		return instances;
	sweep(s->root, instances);
	ret = make_instance(s, instances);
	/* closing is not enough: the journal has a copy of the descriptor */
	flock(instances, LOCK_UN);
	close(instances);
	return ret ?: prepare(s);
}

static bool has_probes(const struct tl_session *s)
{
	char *text = tl_fs_read(s->root, "dynamic_events", NULL);
	bool has = text && strstr(text, s->name);

	free(text);
	return has;
}

int tl_session_close(struct tl_session *s)
{
	int ret, instances;

	tl_live_close(s);
	tl_triggers_close(s);
	if (s->dir >= 0)
		close(s->dir);
	s->dir = -1;
	if (!s->undo)
		return 0;
	ret = tl_undo_finish(s->undo);
	s->undo = NULL;
	if (!ret)
		return 0;
	/* the guard was killed, or somebody reads our instance */
	instances = open_instances(s);
	if (instances >= 0) {
		sweep(s->root, instances);
		if (faccessat(instances, s->name, F_OK, AT_EACCESS) &&
		    !has_probes(s))
			ret = 0;
		close(instances);
	}
	if (ret)
		tl_fail(-ret, "instance or probes %s are left behind: %s",
			s->name, tl_fs_explain(-ret));
	return ret;
}

int tl_write_file(struct tl_session *s, const char *path, const char *text)
{
	int ret = tl_fs_write(s->dir, path, text, O_TRUNC);

	if (ret)
		tl_fs_error(s->dir, -ret, path, text);
	return ret;
}
