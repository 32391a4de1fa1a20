// SPDX-License-Identifier: GPL-2.0-or-later
/* instance.c - the private instance */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limit.h"
#include "base/part.h"
#include "base/recording.h"
#include "base/session.h"
#include "tracefs/file.h"
#include "tracefs/sweep.h"

static int open_instances(const struct tl_session *s)
{
	int fd = tl_sweep_open(s->root);

	if (fd < 0)
		return tl_fail(-fd, "%s/instances: %s", s->root_path,
			       tl_fs_explain(-fd));
	return fd;
}

static void choose_name(struct tl_session *s, int instances)
{
	unsigned int i = 1;

	/* the same PID can run in another PID namespace */
	snprintf(s->name, sizeof(s->name), TL_PREFIX "%s_%d", s->tool->name,
		 getpid());
	while (!faccessat(instances, s->name, F_OK, AT_EACCESS))
		snprintf(s->name, sizeof(s->name), TL_PREFIX "%s_%d_%u",
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
	s->dir = tl_sweep_lock(instances, s->name);
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

unsigned long long tl_session_buffer(const struct tl_session *s)
{
	long count = sysconf(_SC_NPROCESSORS_CONF);

	if (s->set.buffer)
		return (s->set.buffer + 1023) / 1024;
	if (count * (s->tool->buffer_kb ?: DEFAULT_KB) > TOTAL_KB)
		return TOTAL_KB / count;
	return s->tool->buffer_kb;
}

/*
 * Large sub-buffers (6.8 on) are fewer to read: on 6.12 each costs 2,500
 * instructions beside the copying.  But a buffer needs some of them.
 */
#define SUBBUF_KB "16"
#define FEW_KB    256

static void enlarge_subbufs(struct tl_session *s, unsigned long long kb)
{
	/* where memory is in pieces it cannot be had, which is no fault */
	if (!kb || kb >= FEW_KB)
		tl_fs_write(s->dir, "buffer_subbuf_size_kb", SUBBUF_KB,
			    O_TRUNC);
}

/*
 * The top level's buffer has a page or two until the first use of events.  Up to
 * 6.1 one flag for all instances says that this has been: the size of ours, or a
 * tracer in it, sets the flag, and then nobody makes the top level's larger any
 * more.  So it comes first; no event is named, and none is enabled.
 */
static int use_events(struct tl_session *s)
{
	int ret = tl_fs_write(s->dir, "set_event", "", O_APPEND);

	return ret ? tl_fs_error(s->dir, -ret, "set_event", "") : 0;
}

static int prepare(struct tl_session *s)
{
	unsigned long long kb = tl_session_buffer(s);
	char size[32];
	int ret = use_events(s);

	/* the default clock is not comparable between processors */
	if (!ret)
		ret = tl_write_file(s, "trace_clock", "mono");
	/* wake a reader for the first record, not for half a buffer */
	if (!ret)
		ret = tl_write_file(s, "buffer_percent", "0");
	snprintf(size, sizeof(size), "%llu", kb);
	if (!ret && kb)
		ret = tl_write_file(s, "buffer_size_kb", size);
	if (!ret)
		enlarge_subbufs(s, kb);
	return ret;
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
	tl_sweep(s->root, instances);
	ret = make_instance(s, instances);
	tl_sweep_close(instances);
	tl_view_dir(s->root, "@root");
	tl_view_dir(s->dir, "@instance");
	if (tl_view_is_kept())
		tl_view_notef("session", "%s", s->name);
	/* --check only looks at what an instance has */
	return ret || tl_limits(s) ? ret : prepare(s);
}

int tl_session_replay(struct tl_session *s)
{
	const char *name = tl_view_text("session", NULL);

	s->root = open("/dev/null", O_RDWR | O_CLOEXEC);
	s->dir = open("/dev/null", O_RDWR | O_CLOEXEC);
	s->root_path = strdup("/sys/kernel/tracing");
	if (s->root < 0 || s->dir < 0 || !s->root_path || !name)
		return tl_fail(errno, "%s: %s", s->set.read, strerror(errno));
	tl_view_dir(s->root, "@root");
	tl_view_dir(s->dir, "@instance");
	snprintf(s->name, sizeof(s->name), "%s", name);
	return 0;
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
	int ret, top, instances;

	tl_parts_close(s);
	if (s->dir >= 0)
		close(s->dir);
	s->dir = -1;
	if (!s->undo)
		return 0;
	ret = tl_undo_finish(s->undo);
	s->undo = NULL;
	if (!ret)
		return 0;
	if (ret == -EINPROGRESS)
		return tl_fail(-ret,
			       "what was changed in %s is in use by "
			       "somebody else: it will be as before as "
			       "soon as that ends",
			       s->root_path);
	/* the guard was killed, or somebody reads our instance */
	top = ret == -EOWNERDEAD ? tl_parts_undo(s) : 0;
	if (top)
		tl_fail(-top,
			"what was changed in %s stays as it is: %s "
			"(reset-ftrace)",
			s->root_path, tl_fs_explain(-top));
	instances = open_instances(s);
	if (instances >= 0) {
		tl_sweep(s->root, instances);
		if (faccessat(instances, s->name, F_OK, AT_EACCESS) &&
		    !has_probes(s))
			ret = 0;
		tl_sweep_close(instances);
	}
	if (ret)
		tl_fail(-ret, "instance or probes %s are left behind: %s",
			s->name, tl_fs_explain(-ret));
	return ret ?: top;
}

int tl_write_file(struct tl_session *s, const char *path, const char *text)
{
	int ret = tl_fs_write(s->dir, path, text, O_TRUNC);

	if (ret)
		tl_fs_error(s->dir, -ret, path, text);
	return ret;
}
