/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * states.h - the states of threads, from records of the scheduler in the order
 * of time
 */
#ifndef TL_SCHED_STATES_H
#define TL_SCHED_STATES_H

#include "tracelet/sched.h"

/** What is told, and to whom. */
struct tl_states_config {
	struct tl_session *s; /* what these are given */
	void (*slice)(struct tl_session *s, const struct tl_sched_slice *slice);
	/** as in struct tl_sched_config; may be NULL */
	void (*settle)(struct tl_session *s, pid_t tid, void *own);
	unsigned int kinds; /* enum tl_sched_kind */
	bool idle;          /* idle processors too: as runs of thread 0 */
	pid_t silent;       /* nothing is told of this thread; 0: of all */
	size_t own;         /* bytes for each thread */
	bool history;       /* for tl_states_ran() */
	/* ns: records are complete from then on; looked at with the first one */
	const uint64_t *start;
	uint64_t
		whole; /* ns: of before, some records are missing; 0: none are */
	/**
	 * Whether thread @tid, of which the first record has time @ns, sleeps since
	 * before the start, then with the letter of that and its last processor, one of
	 * tl_states_reserve(); may be NULL.
	 */
	bool (*asleep)(struct tl_session *s, pid_t tid, uint64_t ns,
		       char *letter, unsigned int *cpu);
};

/** struct tl_states - of threads and processors */
struct tl_states;

/** tl_states_new - nothing is known of any thread; NULL without memory */
struct tl_states *tl_states_new(const struct tl_states_config *config);
void tl_states_free(struct tl_states *st);

/**
 * tl_states_switch - @prev leaves @cpu to @next
 * @state: the field prev_state of sched_switch
 *
 * Returns whether a thread was seen for the first time.
 */
bool tl_states_switch(struct tl_states *st, unsigned int cpu, uint64_t ns,
		      pid_t prev, uint64_t state, pid_t next);
/** tl_states_wake - @waker wakes @tid; returns the same */
bool tl_states_wake(struct tl_states *st, uint64_t ns, pid_t waker, pid_t tid);
/** tl_states_begin - @tid, a new thread, can run, on @cpu; returns the same */
bool tl_states_begin(struct tl_states *st, uint64_t ns, pid_t waker, pid_t tid,
		     unsigned int cpu);
/** tl_states_reserve - there are, or may be, so many processors */
void tl_states_reserve(struct tl_states *st, unsigned int cpus);
/** tl_states_look - take in @tid, if it is not known: it has no record up to @ns */
void tl_states_look(struct tl_states *st, pid_t tid, uint64_t ns);
/** tl_states_epoch - another number behind each place where records are missing */
unsigned int tl_states_epoch(const struct tl_states *st);
/** tl_states_own - the bytes of @tid; NULL: there is no such thread, as in the next two */
void *tl_states_own(const struct tl_states *st, pid_t tid);
/** tl_states_left - of who has left a processor by the record that was given last */
void *tl_states_left(const struct tl_states *st);
/** tl_states_woken - of who was woken by it, and was not awake already */
void *tl_states_woken(const struct tl_states *st);
/**
 * tl_states_mask - the bits of the field prev_state that stand for a letter; 0: for all but
 * R, which has none
 */
unsigned int tl_states_mask(char letter);
/** tl_states_move - @tid waits for @cpu from now on */
void tl_states_move(struct tl_states *st, uint64_t ns, pid_t tid,
		    unsigned int cpu);
/** tl_states_settle - have config->settle() called for @tid, and zero its bytes */
void tl_states_settle(struct tl_states *st, pid_t tid);
/** tl_states_forget - @tid is no thread any more, or another one */
void tl_states_forget(struct tl_states *st, pid_t tid);
/**
 * tl_states_lost - records of @cpu are missing: at both ends of the gap
 * @gaps: processors of which the next record comes behind a gap
 */
void tl_states_lost(struct tl_states *st, unsigned int cpu, unsigned int gaps);
void tl_states_cut(struct tl_states *st, uint64_t ns);
void tl_states_each(struct tl_states *st,
		    void (*fn)(struct tl_session *s, pid_t tid, void *own));
/** tl_states_ran - as tl_sched_ran(), for the slice that is being told */
size_t tl_states_ran(const struct tl_states *st, struct tl_sched_runner list[],
		     size_t max);

#endif
