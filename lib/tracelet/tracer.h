/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tracer.h - function tracers */
#ifndef TRACELET_TRACER_H
#define TRACELET_TRACER_H

#include <stdbool.h>

#pragma GCC visibility push(default)

struct tl_functions;
struct tl_session;

/**
 * tl_tracer_check - for a tool's check function: whether this kernel has
 * @tracer, traces functions, and says where they are: 0, or -ENOTSUP or another
 * -errno after a message
 */
int tl_tracer_check(struct tl_session *s, const char *tracer);
/**
 * tl_tracer_set - have @tracer run in the session's own instance
 *
 * In setup, behind tl_tracer_check(), and behind the filter, since without one
 * all functions are traced.  It heeds -p, -L, --follow and --cgroup.  Its
 * records are events of the system "ftrace", for tl_event_add(): "function" has
 * ip and parent_ip, which tl_symbol() knows.
 */
int tl_tracer_set(struct tl_session *s, const char *tracer);
/**
 * tl_tracer_leave_out_self - in setup: what this process calls is not even
 * recorded, which costs all others 17 instructions a call; for very many
 * functions
 */
int tl_tracer_leave_out_self(struct tl_session *s);
/**
 * tl_tracer_leave_out_clock - in setup, behind the filter: what reads the clock
 * is not traced, where each record would make a record of that
 * @asked: the functions that users ask for
 * @except: without these; may be NULL
 * @all: whether others are traced too, without a filter
 *
 * It is traced, after a message that says so, where one of @asked is its name,
 * or the filter has no other.  Returns 0, or -errno after a message.
 */
int tl_tracer_leave_out_clock(struct tl_session *s,
			      const struct tl_functions *asked,
			      const struct tl_functions *except, bool all);

#pragma GCC visibility pop

#endif
