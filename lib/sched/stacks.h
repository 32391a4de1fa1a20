/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stacks.h - with which threads leave their processors, and wake others */
#ifndef TL_SCHED_STACKS_H
#define TL_SCHED_STACKS_H

#include <stddef.h>

#include "sched/states.h"
#include "tracelet/event.h"

/** struct tl_sched_stacks - what is kept of a run */
struct tl_sched_stacks;

/** What is recorded: where. */
struct tl_sched_events {
	struct tl_event *switched, *waking; /* NULL: not recorded */
};

/** tl_sched_stacks_size - bytes for each thread, in place of config->own */
size_t tl_sched_stacks_size(const struct tl_sched_config *c);
/**
 * tl_sched_stacks_open - in setup; @states has so many bytes for each thread; NULL after a
 * message, with errno
 */
struct tl_sched_stacks *
tl_sched_stacks_open(struct tl_session *s, const struct tl_sched_config *c,
		     struct tl_states *states,
		     const struct tl_sched_events *events);
/** tl_sched_stacks_check - whether there are those: 0, or -errno after a message */
int tl_sched_stacks_check(struct tl_session *s,
			  const struct tl_sched_config *c);

/** tl_sched_stacks_left - @r, a switch, was given to the states: @tid leaves */
void tl_sched_stacks_left(struct tl_sched_stacks *t, const struct tl_record *r,
			  pid_t tid);
/** tl_sched_stacks_waker - whose wakeup @r is: the thread, or TL_INTERRUPT */
pid_t tl_sched_stacks_waker(const struct tl_sched_stacks *t,
			    const struct tl_record *r);
/** tl_sched_stacks_woken - @r, a wakeup of @tid by @waker, was given to the states */
void tl_sched_stacks_woken(struct tl_sched_stacks *t, const struct tl_record *r,
			   pid_t waker, pid_t tid);
/** tl_sched_stacks_begun - @tid is a new thread */
void tl_sched_stacks_begun(const struct tl_sched_stacks *t, pid_t tid);
/**
 * tl_sched_stacks_fill - add what is known to @slice, in place of own
 *
 * Returns false if it goes on, and the stack of its begin comes behind its end: it is part of
 * the next one then.
 */
bool tl_sched_stacks_fill(const struct tl_sched_stacks *t,
			  struct tl_sched_slice *slice);
/** tl_sched_stacks_asleep - as config->asleep() of the states */
bool tl_sched_stacks_asleep(struct tl_sched_stacks *t, pid_t tid, uint64_t ns,
			    char *letter, unsigned int *cpu);
/** tl_sched_stacks_cut - take in, at @ns, who slept all the time, if they are asked for */
void tl_sched_stacks_cut(struct tl_sched_stacks *t, uint64_t ns);

#endif
