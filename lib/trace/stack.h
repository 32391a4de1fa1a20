/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stack.h - the stack at an event; what tools call is in tracelet/stack.h */
#ifndef TL_TRACE_STACK_H
#define TL_TRACE_STACK_H

#include "base/session.h"
#include "tracelet/event.h"
#include "tracelet/stack.h"
#include "tracelet/text.h"

/** tl_stacks_are_user - whether tl_stacks_user() was called */
bool tl_stacks_are_user(const struct tl_session *s);

/** Fields of records that are stacks. */
struct tl_stack_fields {
	struct tl_field
		frames; /* the first one; of the kernel's without a size */
	struct tl_field depth;   /* of the kernel's: how many there are */
	struct tl_field process; /* of programs' */
};

/**
 * tl_stack_check - whether the kernel records stacks of @kind, and their functions can be
 * named: 0, or -ENOTSUP or another -errno after a message
 * @instead: what else to do, the end of the message about programs: ": use -K"
 */
int tl_stack_check(struct tl_session *s, enum tl_stack_kind kind,
		   const char *instead);
/**
 * tl_stack_event - in setup: add the event whose records are stacks of @kind, and fill
 * @fields, which each record has
 *
 * Those of programs are recorded from now on.  Returns NULL and sets errno after a message.
 */
struct tl_event *tl_stack_event(struct tl_session *s, enum tl_stack_kind kind,
				tl_handler *handler,
				struct tl_stack_fields *fields);

/**
 * tl_stack_tracers - of the functions in a stack at a tracepoint, the innermost first, how
 * many of the first are the tracer's: what recorded the event, what that called, if the
 * kernel's unwinder shows it, and what calls all that want to record it, if there are
 * several
 */
size_t tl_stack_tracers(const struct tl_str names[], size_t count);

#endif
