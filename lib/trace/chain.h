/* SPDX-License-Identifier: GPL-2.0-or-later */
/* chain.h - stacks as values: to be compared, kept, and counted by */
#ifndef TL_TRACE_CHAIN_H
#define TL_TRACE_CHAIN_H

#include "base/session.h"
#include "tracelet/event.h"
#include "tracelet/stack.h"
#include "tracelet/text.h"

/*
 * Bits of common_flags: in a hard or soft interrupt, or one that cannot be masked
 * (include/linux/trace_events.h).
 */
#define TL_IN_SOFTIRQ   0x10
#define TL_IN_INTERRUPT (0x08 | TL_IN_SOFTIRQ | 0x40)

/**
 * Called with each stack that is recorded, at @r.
 *
 * The record that it belongs to came before it, on the same processor and in the same
 * thread, if that was not lost.  @chain is as tl_chain_named() takes it; NULL without memory,
 * and for a thread that is in no program.
 */
typedef void tl_chain_handler(struct tl_session *s, const struct tl_record *r,
			      const struct tl_chain *chain,
			      enum tl_stack_kind kind);

/* With TL_STACK_KERNEL: of an interrupt, what it has interrupted; none, if that is a program. */
#define TL_STACK_INTERRUPTED (1 << 8)

/**
 * tl_chains_open - in setup: have stacks recorded
 * @kinds: enum tl_stack_kind, and TL_STACK_INTERRUPTED; those of programs at each event,
 *	   those of the kernel where tl_chains_at() says
 *
 * Returns 0, or after a message -ENOTSUP or another -errno.
 */
int tl_chains_open(struct tl_session *s, unsigned int kinds,
		   tl_chain_handler *handler);
/**
 * tl_chains_at - in setup: have the kernel's stack recorded at each record of @ev that
 * meets @condition, a filter: that of the event does not count for stacks; 0 or -errno
 */
int tl_chains_at(struct tl_session *s, const struct tl_event *ev,
		 const char *condition);
/**
 * tl_chains_use - in setup: the same for stacks that do not come as records of tracefs: to be
 * given to tl_chain_kernel() and tl_chain_user()
 */
int tl_chains_use(struct tl_session *s, unsigned int kinds);

/** What a stack gets that its record does not have; zeroes: nothing. */
struct tl_chain_more {
	bool unwanted; /* the handler does not get it, and nothing is looked up for it */
	uint64_t
		caller; /* of its innermost function, whose frame is not there yet */
	/* of the kernel's, tl_chains_title(): stands above the innermost function */
	unsigned int title;
	/* the kernel's begins with a function that has a probe, and with none of the tracer */
	bool is_function;
};
/**
 * tl_chains_ask - in setup: have @ask called for each stack that is recorded, at @r, before
 * the handler gets it
 */
void tl_chains_ask(struct tl_session *s,
		   struct tl_chain_more (*ask)(struct tl_session *s,
					       const struct tl_record *r,
					       enum tl_stack_kind kind));
/** tl_chains_title - the number of a title, 1 ..., of which it keeps a copy; 0 without memory */
unsigned int tl_chains_title(struct tl_session *s, const char *text);

/** Addresses of a stack, 64 bits each, the innermost first, at any place in memory. */
struct tl_frames {
	const char *at;
	size_t count;
	bool cut; /* there are more, or may be */
};
/**
 * tl_chain_kernel - the stack of these functions of the kernel
 *
 * As tl_chain_named() takes it; NULL for none, and without memory.
 */
const struct tl_chain *tl_chain_kernel(struct tl_session *s,
				       const struct tl_frames *frames);
/**
 * tl_chain_user - the same of the program that @process was in at @ns; a 32-bit one has its
 * own frames
 */
const struct tl_chain *tl_chain_user(struct tl_session *s, pid_t process,
				     const struct tl_frames *frames,
				     uint64_t ns);
/** tl_chains_check - for a tool's check function: 0, or -errno after a message */
int tl_chains_check(struct tl_session *s, unsigned int kinds);

/**
 * tl_chain_of - the stack of these functions, the innermost first, for one that no record
 * tells of
 *
 * It has names, of which it keeps a copy.  Returns NULL without memory, and without any name;
 * the stack of "[...]" if there are too many others.
 */
const struct tl_chain *tl_chain_of(struct tl_session *s,
				   const struct tl_str names[], size_t count);

#endif
