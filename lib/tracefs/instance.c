// SPDX-License-Identifier: GPL-2.0-or-later
/* instance.c - the private instance */
#include "tracefs/instance.h"

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
#include "tracefs/file.h"
#include "tracefs/sweep.h"
#include "tracelet/message.h"
#include "tracelet/tracefs.h"

static int open_instances(const struct tl_session *s)
{
	int fd = tl_sweep_open(s->instance->root.fd);

	if (fd < 0)
		return tl_fail(-fd, "%s/instances: %s", s->instance->root_path,
			       tl_fs_explain(-fd));
	return fd;
}

static void choose_name(struct tl_session *s, int instances)
{
	unsigned int i = 1;

	/* the same PID can run in another PID namespace */
	snprintf(s->instance->name, sizeof(s->instance->name),
		 TL_PREFIX "%s_%d", s->tool->name, getpid());
	while (!faccessat(instances, s->instance->name, F_OK, AT_EACCESS))
		snprintf(s->instance->name, sizeof(s->instance->name),
			 TL_PREFIX "%s_%d_%u", s->tool->name, getpid(), ++i);
}

static int make_instance(struct tl_session *s, int instances)
{
	int ret;

	choose_name(s, instances);
	ret = tl_undo_rmdir(s->instance->undo, instances, s->instance->name);
	if (ret)
		return ret;
	if (mkdirat(instances, s->instance->name, 0700))
		return tl_fail(errno, "%s/instances: %s",
			       s->instance->root_path, tl_fs_explain(errno));
	ret = tl_sweep_lock(instances, s->instance->name);
	if (ret < 0)
		return tl_fail(-ret, "%s/instances/%s: %s",
			       s->instance->root_path, s->instance->name,
			       tl_fs_explain(-ret));
	s->instance->dir.fd = ret;
	return tl_undo_hold(s->instance->undo, ret);
}

/*
 * The kernel gives every processor 1.4 MB, which would be 360 MB on 256 of
 * them: in all no more than TOTAL_KB, unless --buffer asks for it.  A tool of
 * frequent events can ask for more than 1.4 MB.  0: as it is.
 */
#define TOTAL_KB   65536
#define DEFAULT_KB 1408

unsigned long long tl_instance_buffer(const struct tl_session *s)
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
		tl_fs_write(s->instance->dir, "buffer_subbuf_size_kb",
			    SUBBUF_KB, O_TRUNC);
}

/*
 * The top level's buffer has a page or two until the first use of events.  Up to
 * 6.1 one flag for all instances says that this has been: the size of ours, or a
 * tracer in it, sets the flag, and then nobody makes the top level's larger any
 * more.  So it comes first; no event is named, and none is enabled.
 */
static int use_events(struct tl_session *s)
{
	int ret = tl_fs_write(s->instance->dir, "set_event", "", O_APPEND);

	return ret ? tl_fs_error(s->instance->dir, -ret, "set_event", "") : 0;
}

static int prepare(struct tl_session *s)
{
	unsigned long long kb = tl_instance_buffer(s);
	char size[32];
	int ret = use_events(s);

	/* the default clock is not comparable between processors */
	if (!ret)
		ret = tl_write_file(s, "trace_clock", "mono");
	/* wake a reader for the first record, not for half a buffer */
	if (!ret)
		ret = tl_write_file(s, "buffer_percent", "0");
	/* before the buffer, all of which the kernel would allocate again */
	if (!ret)
		enlarge_subbufs(s, kb);
	snprintf(size, sizeof(size), "%llu", kb);
	if (!ret && kb)
		ret = tl_write_file(s, "buffer_size_kb", size);
	return ret;
}

void tl_instance_init(struct tl_instance *i, struct tl_recording *recording)
{
	*i = (struct tl_instance){
		.root = { -1, "@root", recording },
		.dir = { -1, "@instance", recording },
	};
}

void tl_instance_free(struct tl_instance *i)
{
	free(i->root_path);
	if (i->root.fd >= 0)
		close(i->root.fd);
}

struct tl_fs_dir tl_instance_tracer_dir(const struct tl_session *s)
{
	return s->instance->top ? s->instance->root : s->instance->dir;
}

int tl_instance_open(struct tl_session *s)
{
	int instances, ret;

	s->instance->undo = tl_undo_start(s->instance->guard_caps);
	if (!s->instance->undo)
		return tl_fail(errno, "guard process: %s", strerror(errno));
	instances = open_instances(s);
	if (instances < 0)
		return instances;
	tl_sweep(s->instance->root.fd, instances);
	ret = make_instance(s, instances);
	tl_sweep_close(instances);
	if (tl_recording_is_on(s->recording))
		tl_recording_notef(s->recording, "session", "%s",
				   s->instance->name);
	/* --check only looks at what an instance has */
	return ret || tl_limits(s) ? ret : prepare(s);
}

int tl_instance_replay(struct tl_session *s)
{
	const char *name = tl_recording_text(s->recording, "session", NULL);

	s->instance->root_path = strdup("/sys/kernel/tracing");
	if (!s->instance->root_path || !name)
		return tl_fail(errno, "%s: %s", s->set.read, strerror(errno));
	snprintf(s->instance->name, sizeof(s->instance->name), "%s", name);
	return 0;
}

static bool has_probes(const struct tl_session *s)
{
	char *text = tl_fs_read(s->instance->root, "dynamic_events", NULL);
	bool has = text && strstr(text, s->instance->name);

	free(text);
	return has;
}

int tl_instance_close(struct tl_session *s)
{
	int ret, top, instances;

	tl_parts_close(s);
	if (s->instance->dir.fd >= 0)
		close(s->instance->dir.fd);
	s->instance->dir.fd = -1;
	if (!s->instance->undo)
		return 0;
	ret = tl_undo_finish(s->instance->undo);
	s->instance->undo = NULL;
	if (!ret)
		return 0;
	if (ret == -EINPROGRESS)
		return tl_fail(-ret,
			       "%s is in use by somebody else: what was "
			       "changed there is undone as soon as that "
			       "ends",
			       s->instance->root_path);
	/*
	 * the guard was killed, or somebody has read the top level's buffer for
	 * long, or reads our instance
	 */
	top = ret == -EOWNERDEAD ? tl_parts_undo(s) : ret == -ENOMEM ? ret : 0;
	if (top)
		tl_fail(-top,
			"changes in %s could not be undone: %s "
			"(reset-ftrace does it)",
			s->instance->root_path, tl_fs_explain(-top));
	instances = open_instances(s);
	if (instances >= 0) {
		tl_sweep(s->instance->root.fd, instances);
		if (faccessat(instances, s->instance->name, F_OK, AT_EACCESS) &&
		    !has_probes(s))
			ret = 0;
		tl_sweep_close(instances);
	}
	if (ret)
		tl_fail(-ret, "instance or probes %s are left behind: %s",
			s->instance->name, tl_fs_explain(-ret));
	return ret ?: top;
}

int tl_write_file(struct tl_session *s, const char *path, const char *text)
{
	int ret = tl_fs_write(s->instance->dir, path, text, O_TRUNC);

	if (ret)
		tl_fs_error(s->instance->dir, -ret, path, text);
	return ret;
}
