// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * spin.c - processes that spin, and see when their processor stands still
 *
 * A process that does nothing but look at the clock sees each time in which it did not run.
 * What no record explains of such a time was taken by something below the kernel: the
 * firmware (SMI), or the host of a virtual machine.
 */
#include "tracelet/spin.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/cap.h"
#include "base/child.h"
#include "base/clock.h"
#include "base/list.h"
#include "base/part.h"
#include "base/session.h"
#include "picture/online.h"
#include "record/event.h"
#include "tracefs/file.h"
#include "tracefs/instance.h"
#include "tracelet/message.h"
#include "tracelet/tracefs.h"

/* How their records begin, which are marks as anybody can write them. */
#define MARK "tracelets spin "

struct spin {
	struct tl_part part;
	void (*stopped)(struct tl_session *s, const struct tl_spin_stop *stop);
	struct tl_field text;
	int fd; /* of marks; -1: closed */
	pid_t *children;
	size_t count, room;
};

static const struct tl_part_ops spin_ops;

/* ---- the processes ---------------------------------------------------- */

/* Each second there is a mark, so that their reader knows which process it is. */
#define MARKED 1000000000

static void mark(int fd, uint64_t from, uint64_t to)
{
	char text[80];
	int len = snprintf(text, sizeof(text), MARK "%" PRIu64 " %" PRIu64,
			   from, to);

	if (write(fd, text, (size_t)len) < 0)
		_exit(1);
}

/* A processor that goes off line has its threads go on elsewhere. */
static void spin(int fd, unsigned int cpu)
{
	uint64_t last, now, marked = 0;

	for (last = tl_now();; last = now) {
		now = tl_now();
		if (now - last < TL_SPIN_LEAST && now - marked < MARKED)
			continue;
		if (sched_getcpu() != (int)cpu)
			_exit(0);
		mark(fd, now - last < TL_SPIN_LEAST ? now : last, now);
		now = marked = tl_now();
	}
}

static int bind_to(unsigned int cpu)
{
	const size_t size = CPU_ALLOC_SIZE(cpu + 1);
	cpu_set_t *set = CPU_ALLOC(cpu + 1);

	if (!set)
		return -1;
	CPU_ZERO_S(size, set);
	CPU_SET_S(cpu, size, set);
	return sched_setaffinity(0, size, set);
}

/* Where threads of a session are a group, all of that has to be the last one, too. */
static void be_nice_as_a_group(void)
{
	const int fd = open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, "19", 2) < 0) {
		/* then it is as nice as others */
	}
	close(fd);
}

/*
 * It keeps nothing of its parent but the marks: what is open there has to be closed with it.
 * The parent may have it end with the priority of others.
 */
static void run_child(unsigned int cpu, int fd)
{
	const struct rlimit any = { 20, 20 };
	const struct sched_param param = { 0 };

	setsid();
	if (dup2(fd, 0) < 0 || close_range(1, ~0U, 0) || bind_to(cpu))
		_exit(1);
	be_nice_as_a_group();
	if (sched_setscheduler(0, SCHED_IDLE, &param))
		_exit(1);
	setrlimit(RLIMIT_NICE, &any);
	tl_cap_drop(0);
	spin(0, cpu);
}

static int add_child(void *ctx, unsigned int cpu)
{
	struct spin *spin = ctx;
	pid_t *list = tl_list_room(spin->children, spin->count, &spin->room,
				   sizeof(*list));
	pid_t pid;

	if (!list)
		return -ENOMEM;
	spin->children = list;
	pid = tl_child_fork();
	if (!pid)
		run_child(cpu, spin->fd);
	if (pid < 0)
		return tl_fail(errno, "fork: %s", strerror(errno));
	list[spin->count++] = pid;
	return 0;
}

static int start(struct tl_session *s, void *part)
{
	struct spin *spin = part;
	int ret = tl_fs_open(s->instance->dir, "trace_marker", O_WRONLY,
			     &spin->fd);

	if (ret)
		return tl_fail(-ret, "trace_marker: %s", tl_fs_explain(-ret));
	return tl_online_each(s, add_child, spin);
}

/*
 * A process that only runs where nothing else does would not get to its end on a processor
 * that is busy, nor below one with a real-time priority: it is moved away from there.
 */
static void end_child(pid_t pid)
{
	const struct sched_param param = { 0 };
	cpu_set_t all;

	memset(&all, 0xff, sizeof(all));
	sched_setscheduler(pid, SCHED_OTHER, &param);
	sched_setaffinity(pid, sizeof(all), &all);
	kill(pid, SIGKILL);
}

static void stop(struct tl_session *s, void *part)
{
	struct spin *spin = part;
	size_t i;

	for (i = 0; i < spin->count; i++)
		end_child(spin->children[i]);
	for (i = 0; i < spin->count; i++)
		tl_child_wait(spin->children[i]);
	spin->count = 0;
	if (spin->fd >= 0)
		close(spin->fd);
	spin->fd = -1;
}

static void free_spin(void *part)
{
	struct spin *spin = part;

	stop(NULL, spin);
	free(spin->children);
	free(spin);
}

static const struct tl_part_ops spin_ops = {
	.start = start,
	.stop = stop,
	.close = stop, /* of a run that ends by an error */
	.free = free_spin
};

/* ---- their records ---------------------------------------------------- */

/* The text is an array without a size: all of the rest of the record. */
static void on_mark(struct tl_session *s, const struct tl_record *r)
{
	const struct spin *spin = r->event->ctx;
	struct tl_spin_stop stop = { .cpu = r->cpu, .tid = r->pid };
	char text[80];
	size_t len = r->size - spin->text.offset;

	if (!tl_cpu_matches(s, r->cpu) || r->size <= spin->text.offset ||
	    len >= sizeof(text))
		return;
	memcpy(text, r->data + spin->text.offset, len);
	text[len] = '\0';
	if (sscanf(text, MARK "%" SCNu64 " %" SCNu64, &stop.from, &stop.to) ==
		    2 &&
	    stop.from <= stop.to && stop.to <= r->ns)
		spin->stopped(s, &stop);
}

int tl_spin_open(struct tl_session *s,
		 void (*stopped)(struct tl_session *s,
				 const struct tl_spin_stop *stop))
{
	struct spin *spin = tl_part_new(s, &spin_ops, sizeof(*spin));
	struct tl_event *ev;

	if (!spin)
		return -ENOMEM;
	spin->fd = -1;
	spin->stopped = stopped;
	ev = tl_event_add(s, "ftrace", "print", on_mark);
	if (!ev)
		return tl_fail(errno, "ftrace:print: %s", strerror(errno));
	ev->ctx = spin;
	/* which the top level may have switched off, and so for new instances */
	return tl_write_file(s, "options/markers", "1")
		       ?: tl_event_field(s, ev, "buf", &spin->text);
}
