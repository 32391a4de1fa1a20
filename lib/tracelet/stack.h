/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stack.h - stacks */
#ifndef TRACELET_STACK_H
#define TRACELET_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "tracelet/text.h"

#pragma GCC visibility push(default)

struct tl_record;
struct tl_session;

/* ---- stacks as values -------------------------------------------------- */

/**
 * struct tl_chain - a stack: of the same addresses, or of the same names, it is the same
 *
 * It is the run's, which keeps each once, and lives as long as that: nobody frees it.
 */
struct tl_chain;

/** Whose stacks: a bit for each. */
enum tl_stack_kind {
	TL_STACK_KERNEL = 1 << 0,
	TL_STACK_USER = 1 << 1, /* of the program that the thread runs */
};

/** What a thread was in; NULL: not asked for, not known, or there is none. */
struct tl_stack {
	const struct tl_chain *kernel, *user;
};

/** A thread, and in what it was. */
struct tl_stack_of {
	pid_t tid; /* TL_INTERRUPT: no thread, what interrupted one */
	/* in a soft interrupt: see tl_chain_is_interrupt() whether it is its own */
	bool soft;
	struct tl_stack stack;
};
#define TL_INTERRUPT (-1)

/** Names that a stack can have. */
#define TL_CHAIN_MAX 513

/**
 * tl_chain_named - the stack of the names that the addresses in @chain have
 *
 * They are looked up when this is called first, and noted.  Returns @chain itself if it has
 * names already, or is NULL; NULL without memory.
 */
const struct tl_chain *tl_chain_named(struct tl_session *s,
				      const struct tl_chain *chain);
/**
 * tl_chain_is_interrupt - whether the kernel was entered by an interrupt in @named, of
 * tl_chain_named(): what it interrupted has no part in it
 */
bool tl_chain_is_interrupt(const struct tl_chain *named);
/**
 * tl_chain_names - the functions of @chain, of tl_chain_named(), the innermost first,
 * without those of the tracer
 * @names: room for TL_CHAIN_MAX; they live as long as the run
 *
 * "[unknown]" stands for what had no name when the stack was seen first; "[cut]" is behind
 * the last one of a stack that may go on, as the kernel records no more.  That of an interrupt
 * ends where it entered the kernel.  Returns how many.
 */
size_t tl_chain_names(const struct tl_chain *chain, struct tl_str names[]);

/* ---- stacks as columns of rows ----------------------------------------- */

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
