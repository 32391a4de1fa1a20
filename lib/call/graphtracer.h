/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * graphtracer.h - the kernel's graph tracer: taken for this session, and given back
 *
 * Which functions it follows, how deep, and from what duration on there is only
 * once, at the top level, and for the graph tracers of all instances.  So one
 * session has it at a time, and only while all that is as at boot.
 *
 * In the order of their use; all return 0, or -errno after a message.
 */
#ifndef TL_CALL_GRAPHTRACER_H
#define TL_CALL_GRAPHTRACER_H

#include <stdbool.h>

#include "base/session.h"
#include "tracelet/function.h"

#define TL_GRAPH_TRACER "function_graph"

/**
 * tl_graph_tracer_lock - have it for this session alone, until all is undone
 * @threshold: with tracing_thresh, which other tracers heed; so there will be few
 *	       records
 *
 * -EBUSY, after saying what is in use, and by whom if that is known.  Nothing is
 * done for a capture.
 */
int tl_graph_tracer_lock(struct tl_session *s, bool threshold);
/**
 * tl_graph_tracer_private - whether it runs in the session's own instance (6.11
 * on), and not at the top level; behind tl_graph_tracer_lock()
 */
bool tl_graph_tracer_private(const struct tl_session *s);
/** tl_graph_tracer_take - stop recording where it runs, and have clock and buffer */
int tl_graph_tracer_take(struct tl_session *s);
/**
 * tl_graph_tracer_set - write @text to a file of the top level; @old, which it
 * has, comes back later
 */
int tl_graph_tracer_set(struct tl_session *s, const char *file,
			const char *text, const char *old);
/** tl_graph_tracer_list - the same of a list of functions, empty if @f is */
int tl_graph_tracer_list(struct tl_session *s, const char *file,
			 const struct tl_functions *f);
/**
 * tl_graph_tracer_leave - give it back now, where others may have it: behind
 * tl_graph_tracer_lock(), or tl_graph_tracer_list() that has failed
 *
 * -errno, without a message, where it stays locked until the end.
 */
int tl_graph_tracer_leave(struct tl_session *s);
/** tl_graph_tracer_option - switch one on, until the end */
int tl_graph_tracer_option(struct tl_session *s, const char *file);
/**
 * tl_graph_tracer_start - start the tracer, of the processes that were asked for
 * and not of the tool itself; records come once recording begins
 */
int tl_graph_tracer_start(struct tl_session *s);

#endif
