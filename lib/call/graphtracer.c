// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * graphtracer.c - the kernel's graph tracer: taken, set and given back
 *
 * It runs in the session's own instance where the kernel can do that (6.11 on),
 * and else at the top level, which this session then has for itself.  Events,
 * and so the names of threads, are in our own instance in any case.
 */
#include "call/graphtracer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/part.h"
#include "base/recording.h"
#include "call/ftrace.h"
#include "call/graphlock.h"
#include "kernel/functions.h"
#include "record/task.h"
#include "tracefs/file.h"
#include "tracefs/instance.h"
#include "tracefs/undo.h"
#include "tracelet/message.h"
#include "tracelet/tracefs.h"
#include "tracelet/tracer.h"

/* As many files are changed, at most. */
#define SAVED 16

struct graph_tracer {
	struct tl_part part;
	bool private, threshold;
	int lock; /* tl_graph_lock(); -1: none */
	/* what was changed, for where the guard cannot put it back */
	struct {
		const char *file;
		bool own; /* in our own instance */
		char text[32];
	} saved[SAVED];
	unsigned int saved_count;
};

static const struct tl_part_ops tracer_ops;

static struct graph_tracer *tracer(const struct tl_session *s)
{
	return tl_part_find(s, &tracer_ops);
}

/* ---- settings --------------------------------------------------------- */

static void save(struct tl_session *s, bool own, const char *file,
		 const char *old)
{
	struct graph_tracer *t = tracer(s);

	if (t->saved_count == SAVED)
		return; /* the guard has it all the same */
	t->saved[t->saved_count].own = own;
	t->saved[t->saved_count].file = file;
	snprintf(t->saved[t->saved_count++].text, sizeof(t->saved[0].text),
		 "%s", old);
}

/* A list at the top level, which is empty now and will be. */
static int empty_later(struct tl_session *s, const char *file)
{
	save(s, false, file, "");
	return tl_undo_empty(s->instance->undo, s->instance->root.fd, file);
}

/* @old comes back later. */
static int set_in(struct tl_session *s, bool own, const char *file,
		  const char *text, const char *old)
{
	int ret = tl_undo_change(s->instance->undo,
				 own ? s->instance->dir : s->instance->root,
				 file, 0, text, old);

	if (ret)
		return tl_fail(-ret, "%s: %s: %s", file, text,
			       tl_fs_explain(-ret));
	save(s, own, file, old);
	return 0;
}

int tl_graph_tracer_set(struct tl_session *s, const char *file,
			const char *text, const char *old)
{
	return set_in(s, false, file, text, old);
}

static int set_clock(struct tl_session *s)
{
	char *text = tl_fs_read(s->instance->root, "trace_clock", NULL);
	char *old = text ? strchr(text, '[') : NULL;
	int ret = -EIO;

	if (old) {
		old[strcspn(old, "]")] = '\0';
		ret = tl_graph_tracer_set(s, "trace_clock", "mono", old + 1);
	}
	free(text);
	return ret;
}

/* Before its first use it is "7 (expanded: 1408)". */
static int set_buffer(struct tl_session *s)
{
	char *text = tl_fs_read(s->instance->root, "buffer_size_kb", NULL),
	     *expanded;
	char old[32], size[32];

	if (!text)
		return tl_fail(errno, "buffer_size_kb: %s",
			       tl_fs_explain(errno));
	expanded = strstr(text, "expanded: ");
	snprintf(old, sizeof(old), "%lu",
		 strtoul(expanded ? expanded + 10 : text, NULL, 10));
	snprintf(size, sizeof(size), "%llu", tl_instance_buffer(s));
	free(text);
	/* processors with buffers of different sizes: as they are */
	if (!tl_instance_buffer(s) || !strcmp(old, "0"))
		return 0;
	return tl_graph_tracer_set(s, "buffer_size_kb", size, old);
}

/* All that the tracer needs of the top level, where it runs nowhere else. */
static int take_top(struct tl_session *s)
{
	int ret = tl_graph_tracer_set(s, "tracing_on", "0", "1") ?:
		  (tracer(s)->threshold ? 0 : set_buffer(s)) ?:
		  /* this empties the buffer: after the size, as it is undone */
		  set_clock(s) ?:
		  empty_later(s, "set_ftrace_filter") ?:
		  empty_later(s, "set_ftrace_pid") ?:
		  empty_later(s, "set_ftrace_notrace_pid") ?:
		  /* perhaps tl_tasks_functions() sets it */
		  tl_graph_tracer_set(s, "options/function-fork", "0", "0");

	s->instance->top = !ret;
	return ret;
}

/* Record at the top level, if that is where the tracer runs. */
static int on_start(struct tl_session *s, void *part)
{
	int ret = s->instance->top ? tl_fs_write(s->instance->root,
						 "tracing_on", "1", O_TRUNC)
				   : 0;

	return ret ? tl_fail(-ret, "tracing_on: %s", tl_fs_explain(-ret)) : 0;
}

/* The tool's own reads are not to be in its graphs. */
static void leave_out_self(struct tl_session *s)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", tl_tasks_self(s));
	if (tl_tasks_self(s) > 0)
		tl_fs_write(tl_instance_tracer_dir(s), "set_ftrace_notrace_pid",
			    text, O_TRUNC);
}

/* The options of an instance are those of all of them before Linux 6.19. */
int tl_graph_tracer_option(struct tl_session *s, const char *file)
{
	char *old = tl_fs_read(tl_instance_tracer_dir(s), file, NULL);
	bool on = old && *old == '1';

	free(old);
	return on ? 0 : set_in(s, !s->instance->top, file, "1", "0");
}

/* Without its functions it would trace all: those go only when it has gone. */
static int set_tracer(struct tl_session *s)
{
	int ret = tl_undo_change_first(
		s->instance->undo, tl_instance_tracer_dir(s), "current_tracer",
		0, TL_GRAPH_TRACER, "nop");

	return ret ? tl_fail(-ret, "current_tracer: " TL_GRAPH_TRACER ": %s",
			     tl_fs_explain(-ret))
		   : 0;
}

/* Our instance's descriptor is closed by then. */
static int write_in(struct tl_session *s, bool own, const char *file,
		    const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), "%s%s%s%s", own ? "instances/" : "",
		 own ? s->instance->name : "", own ? "/" : "", file);
	return tl_fs_write(s->instance->root, path, text, O_TRUNC);
}

static int undo(struct tl_session *s, void *part)
{
	struct graph_tracer *t = part;
	int ret, failed = 0;

	if (!t->saved_count)
		return 0;
	ret = write_in(s, !s->instance->top, "current_tracer", "nop");
	while (!ret && t->saved_count) {
		t->saved_count--;
		if (write_in(s, t->saved[t->saved_count].own,
			     t->saved[t->saved_count].file,
			     t->saved[t->saved_count].text))
			failed = -EIO;
	}
	return ret ?: failed;
}

static const struct tl_part_ops tracer_ops = { .start = on_start,
					       .undo = undo,
					       .free = free };

/* ---- for its users ---------------------------------------------------- */

bool tl_graph_tracer_private(const struct tl_session *s)
{
	return tracer(s)->private;
}

int tl_graph_tracer_lock(struct tl_session *s, bool threshold)
{
	struct graph_tracer *t = tl_part_new(s, &tracer_ops, sizeof(*t));
	int ret;

	if (!t)
		return -ENOMEM;
	t->lock = -1;
	t->threshold = threshold;
	ret = tl_tracer_check(s, TL_GRAPH_TRACER);
	if (ret)
		return ret;
	t->private = tl_tracer_private(s, TL_GRAPH_TRACER);
	if (tl_recording_replays(s->recording))
		return 0;
	t->lock = tl_graph_lock(s, threshold);
	if (t->lock < 0)
		return t->lock;
	return t->private ? 0 : tl_graph_lock_top(s);
}

int tl_graph_tracer_take(struct tl_session *s)
{
	return tracer(s)->private ? tl_write_file(s, "tracing_on", "0")
				  : take_top(s);
}

int tl_graph_tracer_list(struct tl_session *s, const char *file,
			 const struct tl_functions *f)
{
	return empty_later(s, file)
		       ?: f->count
			  ? tl_functions_put(s, s->instance->root, file, f)
			  : 0;
}

int tl_graph_tracer_leave(struct tl_session *s)
{
	struct graph_tracer *t = tracer(s);
	int ret = 0;

	while (!ret && t->saved_count) {
		ret = tl_fs_write(s->instance->root,
				  t->saved[t->saved_count - 1].file, "",
				  O_TRUNC);
		if (ret)
			return ret;
		t->saved_count--;
		tl_undo_forget(s->instance->undo);
	}
	if (t->lock >= 0)
		tl_graph_unlock(s, t->lock);
	t->lock = -1;
	return 0;
}

int tl_graph_tracer_start(struct tl_session *s)
{
	int ret = tl_tasks_functions(s);

	if (ret)
		return ret;
	leave_out_self(s);
	return set_tracer(s);
}
