/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sched.h - what threads do: run, wait for a processor, sleep */
#ifndef TRACELET_SCHED_H
#define TRACELET_SCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tracelet/stack.h"
#include "tracelet/text.h"

#pragma GCC visibility push(default)

struct tl_session;

/** What a thread does for some time: a bit for each. */
enum tl_sched_kind {
	TL_SCHED_RUN = 1 << 0,   /* on a processor */
	TL_SCHED_WAIT = 1 << 1,  /* it could run, and has no processor */
	TL_SCHED_SLEEP = 1 << 2, /* until it is woken */
	/* both of these in one, from one run to the next: needs no records of
	 * who wakes whom */
	TL_SCHED_OFF = 1 << 3,
};

/**
 * A time that a thread spent in one way.
 *
 * Where the scheduler takes a thread off its processor, and the thread is woken
 * before that is done, it never slept: all is a wait, although it wanted to
 * sleep.
 */
struct tl_sched_slice {
	enum tl_sched_kind kind;
	pid_t tid; /* 0: the processor is idle */
	unsigned int
		cpu;    /* that it runs on, that a wait ends on, or its last */
	uint64_t since; /* ns: when it began, or not later than that */
	uint64_t from;  /* the part of it that has not been told yet */
	uint64_t to;
	/* its begin was seen: not of one that goes on since the start, or
	 * since records were lost */
	bool began;
	bool ended; /* false: it goes on, and is told up to now */
	/*
	 * Of a sleep, and of a run that has ended, what for: the letter that
	 * /proc/PID/stat has; R: it could have run on, another thread took its
	 * place; X, Z: the thread has ended.  Of a wait what came before it: R for
	 * a run, else a sleep.  '?' where that is not known.
	 */
	char letter;
	/* thread in which the sleep before was ended, maybe by an interrupt there; 0:
	 * not known; with config->wakers TL_INTERRUPT for any interrupt */
	pid_t waker;
	/* with config->left: in what it left its processor.  "[since before]" instead, with
	 * what /proc had, if it did so before the start; "[new]": it has not run yet;
	 * "[preempted]": letter R, and the run did not record stacks of that; "[not
	 * recorded]": another one that the run of a capture did not; "[lost]": the record
	 * was */
	struct tl_stack stack;
	/* with config->wakers: who ended the sleep before, who ended a sleep of that one
	 * which began later than that, ... */
	const struct tl_stack_of *wakers;
	unsigned int waker_count;
	uint64_t woken; /* ns: when the first of these did so */
	void *own;      /* config->own bytes for this thread */
};

struct tl_sched_config {
	unsigned int kinds; /* enum tl_sched_kind: what is told */
	bool idle; /* tell of idle processors too, where all are asked for */
	bool self; /* and of the tool itself, where all threads are asked for */
	bool everyone; /* record all threads, also with -p, -L, --cgroup */
	bool history;  /* for tl_sched_ran() */
	/* threads too that sleep all the time, and have no record */
	bool asleep; /* with stacks */
	bool left;   /* tell the stacks that threads leave with, */
	/* those that leave for one of these letters; NULL: all but R, whose stack in the
	 * kernel tells little */
	const char *letters;
	unsigned int wakers; /* tell so many at most */
	unsigned int stacks; /* enum tl_stack_kind: which, of both */
	/* bytes that the tool keeps for a thread, zeroed at first; not with stacks */
	size_t own;
	/** Called at the end of a slice, and by tl_sched_cut(). */
	void (*slice)(struct tl_session *s, const struct tl_sched_slice *slice);
	/**
	 * Called with the bytes of thread @tid, which are zeroed then, when what
	 * it did so far is to be counted: it is gone, or gets another name, and
	 * again when it has it; or NULL.  Not with stacks.
	 */
	void (*settle)(struct tl_session *s, pid_t tid, void *own);
};

/**
 * tl_sched_open - in setup: follow threads, those that the options ask for
 * @config: lives as long as the run
 *
 * Where records of a processor were lost, what began before is not told, but for
 * threads that were running on another one.  Returns 0, or -errno after a message.
 */
int tl_sched_open(struct tl_session *s, const struct tl_sched_config *config);

/**
 * tl_sched_letters_check - in args: whether @letters, of --state, are all known; 0, or
 * -EINVAL after tl_usage(); NULL: none were given
 */
int tl_sched_letters_check(const char *letters);

/**
 * tl_sched_check - for a tool's check function: whether there is all that @config needs;
 * 0, or -ENOTSUP after a message
 */
int tl_sched_check(struct tl_session *s, const struct tl_sched_config *config);

/**
 * tl_sched_cut - tell of all that goes on at @ns; what comes later of it is told
 * separately
 */
void tl_sched_cut(struct tl_session *s, uint64_t ns);

/** tl_sched_end - the same at the end of the run, in the tool's end() */
void tl_sched_end(struct tl_session *s);

/**
 * tl_sched_each - call @fn for each thread that was seen, with its bytes; in no order
 */
void tl_sched_each(struct tl_session *s,
		   void (*fn)(struct tl_session *s, pid_t tid, void *own));

/** A thread that ran instead of one that waited. */
struct tl_sched_runner {
	pid_t tid; /* 0: none, the processor was idle; -1: it is not known */
	uint64_t ns;
};

/**
 * tl_sched_ran - in config->slice(), of a wait: what ran meanwhile on the processor
 * that the thread waited for, the last one first
 *
 * At most @max runs, of which one thread can have several.  Returns how many.  Of the
 * last 1,024 switches of a processor; needs config->history.  Of a wait that was moved
 * to another processor more than three times, the rest is of the last of these.
 */
size_t tl_sched_ran(struct tl_session *s, struct tl_sched_runner list[],
		    size_t max);

#pragma GCC visibility pop

#endif
