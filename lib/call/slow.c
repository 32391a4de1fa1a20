// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * slow.c - calls that reach a threshold, by the kernel's graph tracer
 *
 * The kernel measures each call, and writes a record when it returns, and only
 * then, if it was as slow as tracing_thresh says.
 */
#include "call/slow.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/message.h"
#include "base/part.h"
#include "base/recording.h"
#include "call/graphtracer.h"
#include "kernel/functions.h"
#include "tracefs/file.h"
#include "tracefs/instance.h"
#include "tracelet/message.h"

#define NS_PER_US 1000
#define THRESHOLD "tracing_thresh"

/* The kernel follows so many calls in one another in a thread, or some more. */
#define NESTED 50

struct slow {
	struct tl_part part;
	const struct tl_slow_config *config;
	char least[24]; /* us, as the kernel has it */
	bool changed;   /* by somebody else */
	uint64_t unordered;
	bool nested; /* too deep, once */
	struct tl_field function, depth, overrun, calltime, rettime;
};

/* Who has changed it has changed it for us, too. */
static void on_stop(struct tl_session *s, void *part)
{
	struct slow *w = part;
	char *text = tl_fs_read(s->instance->root, THRESHOLD, NULL);

	w->changed = text &&
		     strtoull(text, NULL, 10) != strtoull(w->least, NULL, 10);
	free(text);
}

static uint64_t report(struct tl_session *s, void *part)
{
	const struct slow *w = part;

	if (w->changed)
		tl_warn("somebody else has changed " THRESHOLD
			": slow calls may be missing since then");
	if (w->unordered)
		tl_warn("%" PRIu64 " calls are not shown: the kernel's clock "
			"was behind when they returned",
			w->unordered);
	if (w->nested)
		tl_warn("calls inside of %d others may be missing", NESTED);
	return w->changed + w->unordered;
}

static const struct tl_part_ops slow_ops = { .stop = on_stop,
					     .report = report,
					     .free = free };

/* ---- records ---------------------------------------------------------- */

static void on_return(struct tl_session *s, const struct tl_record *r)
{
	struct slow *w = tl_part_find(s, &slow_ops);
	/*
	 * Of another clock than ns is, which is that of each processor: where these
	 * differ (an unstable TSC), a thread can return before it has called.
	 */
	int64_t duration =
		tl_field_num(r, &w->rettime) - tl_field_num(r, &w->calltime);
	struct tl_timed_call call = {
		.start = r->ns - (uint64_t)duration,
		.end = r->ns,
		.duration = (uint64_t)duration,
		.tid = r->pid,
		.cpu = r->cpu,
		.depth = (unsigned int)tl_field_num(r, &w->depth),
		.exit = r,
	};

	if (!tl_cpu_matches(s, r->cpu))
		return;
	w->nested |= tl_field_num(r, &w->overrun) > 0;
	if (duration < 0)
		w->unordered++;
	else
		w->config->done(s, (uint64_t)tl_field_long(r, &w->function),
				&call);
}

static int add_event(struct tl_session *s, struct slow *w)
{
	struct tl_event *ev =
		tl_event_add(s, "ftrace", "funcgraph_exit", on_return);

	if (!ev)
		return tl_fail(errno, "format of ftrace:funcgraph_exit: %s",
			       strerror(errno));
	return tl_event_long_field(s, ev, "func", &w->function) ?:
	       tl_event_field(s, ev, "depth", &w->depth) ?:
	       tl_event_field(s, ev, "overrun", &w->overrun) ?:
	       tl_event_field(s, ev, "calltime", &w->calltime) ?:
	       tl_event_field(s, ev, "rettime", &w->rettime);
}

/* ---- set-up ----------------------------------------------------------- */

/*
 * To look for a name takes the kernel 60 to 110 million instructions, so in our own
 * instance only where the tracer runs there, or where a module may not be there.
 */
static int hook(struct tl_session *s, const struct tl_functions *f)
{
	bool private = tl_graph_tracer_private(s);
	int ret = private || tl_functions_of_modules(f)
			  ? tl_functions_filter(s, f, NULL)
			  : 0;

	if (ret || private)
		return ret;
	return tl_graph_tracer_list(s, "set_ftrace_filter", f);
}

/* Without a message, but of what is so also when it works. */
static int try(struct tl_session *s, const struct tl_functions *f)
{
	struct tl_buf said = { 0 }, *before = tl_message_keep(&said);
	int ret = tl_graph_tracer_lock(s, true) ?: hook(s, f);

	if (ret)
		tl_graph_tracer_leave(s);
	tl_message_keep(before);
	if (!ret)
		tl_message_print(&said);
	tl_buf_free(&said);
	return ret;
}

static int start(struct tl_session *s, const struct tl_slow_config *config)
{
	struct slow *w = tl_part_new(s, &slow_ops, sizeof(*w));

	if (!w)
		return -ENOMEM;
	w->config = config;
	snprintf(w->least, sizeof(w->least), "%" PRIu64,
		 config->least / NS_PER_US);
	return add_event(s, w) ?:
	       tl_graph_tracer_take(s) ?:
	       tl_graph_tracer_set(s, THRESHOLD, w->least, "0") ?:
	       tl_graph_tracer_start(s);
}

/* us below which a capture has no calls; 0: by probes, it has all. */
#define LEFT_OUT "calls of the graph tracer, from us"

bool tl_slow_captured(const struct tl_session *s)
{
	return tl_recording_replays(s->recording) &&
	       tl_recording_answer(s->recording, 0, LEFT_OUT);
}

static int check_capture(const struct tl_session *s, uint64_t least)
{
	long has = tl_recording_answer(s->recording, 0, LEFT_OUT);

	if (least / NS_PER_US < (uint64_t)has)
		return tl_fail(EINVAL,
			       "this capture has calls of %ld us and longer "
			       "only (--probes records all)",
			       has);
	return has > 0;
}

int tl_slow_open(struct tl_session *s, const struct tl_slow_config *config)
{
	uint64_t least = config->least / NS_PER_US;
	int ret = tl_recording_replays(s->recording)
			  ? check_capture(s, config->least)
			  : least > 0;

	if (ret <= 0)
		return ret;
	if (try(s, config->functions))
		return 0;
	tl_recording_answer(s->recording, (long)least, LEFT_OUT);
	return start(s, config) ?: 1;
}
