/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stack.h - stacks */
#ifndef TRACELET_STACK_H
#define TRACELET_STACK_H

#pragma GCC visibility push(default)

struct tl_record;
struct tl_session;

/** Called with a record that was held, and its stack; NULL: it has none. */
typedef void tl_stack_handler(struct tl_session *s, const struct tl_record *r,
			      const struct tl_record *stack, int tag);

/**
 * tl_stacks_user - before tl_stacks_open() and the events: stacks are those of
 * processes, not the kernel's; 0 or -ENOMEM
 */
int tl_stacks_user(struct tl_session *s);
/** tl_stacks_open - in setup: record the stack at each event */
int tl_stacks_open(struct tl_session *s, tl_stack_handler *handler);
/**
 * tl_stacks_check - for a tool's check function: 0, or -errno after a message
 */
int tl_stacks_check(struct tl_session *s);
/**
 * tl_stacks_hold - in an event's handler: give @r and @tag to the handler above
 * as soon as its stack is there
 */
void tl_stacks_hold(struct tl_session *s, const struct tl_record *r, int tag);
/**
 * tl_put_stack - the functions of @stack in column @col of this row; of a
 * process's stack in the handler above only
 */
void tl_put_stack(struct tl_session *s, unsigned int col,
		  const struct tl_record *stack);

#pragma GCC visibility pop

#endif
