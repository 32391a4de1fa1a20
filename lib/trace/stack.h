/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stack.h - the stack at an event; what tools call is in tracelet/stack.h */
#ifndef TL_TRACE_STACK_H
#define TL_TRACE_STACK_H

#include "base/session.h"
#include "tracelet/text.h"

/** tl_stacks_are_user - whether tl_stacks_user() was called */
bool tl_stacks_are_user(const struct tl_session *s);

/**
 * tl_stacks_check_programs - whether the kernel finds stacks of programs: 0, or -ENOTSUP
 * after a message
 * @instead: its end, what to do: ": use -K"
 */
int tl_stacks_check_programs(struct tl_session *s, const char *instead);

/**
 * tl_stack_tracers - of the functions in a stack at a tracepoint, the innermost first, how
 * many of the first are the tracer's: what recorded the event, what that called, if the
 * kernel's unwinder shows it, and what calls all that want to record it, if there are
 * several
 */
size_t tl_stack_tracers(const struct tl_str names[], size_t count);

#endif
