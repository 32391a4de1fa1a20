/* SPDX-License-Identifier: GPL-2.0-or-later */
/* irq.h - what interrupts do: hard ones, softirqs, and threads of interrupts */
#ifndef TRACELET_IRQ_H
#define TRACELET_IRQ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tracelet/sched.h"

#pragma GCC visibility push(default)

struct tl_session;

/** What takes time: a bit for each. */
enum tl_irq_kind {
	TL_IRQ_HARD = 1 << 0,      /* a handler of an interrupt runs */
	TL_IRQ_SOFT = 1 << 1,      /* a softirq runs */
	TL_IRQ_SOFT_WAIT = 1 << 2, /* it was raised, and does not run yet */
	/* the thread of an interrupt does not run yet; from the begin of the handler
	 * that woke it */
	TL_IRQ_THREAD_WAIT = 1 << 3,
	/* a thread was preempted, and does not run again yet */
	TL_IRQ_PREEMPTED = 1 << 4,
	/* the handler of one that cannot be masked (NMI); of struct tl_irq_run only */
	TL_IRQ_NMI = 1 << 5,
};

#define TL_IRQ_NAME 64

/** An interrupt, or a softirq; lines of one name are several, and so are names of one line. */
struct tl_irq {
	unsigned int id; /* from 0 on */
	bool soft;
	bool asked; /* config->only has it */
	int number; /* of the line; of the softirq; -1: the interrupt has none */
	char name
		[TL_IRQ_NAME]; /* as in /proc/interrupts, or the tracepoint's */
};

/** A time that was spent in one way. */
struct tl_irq_slice {
	enum tl_irq_kind kind;
	const struct tl_irq *irq; /* NULL of a preempted thread */
	unsigned int cpu; /* processor on which it ran, or the thread does */
	pid_t tid; /* thread that was interrupted, or ran it; of a thread its own */
	uint64_t since, to; /* ns */
	/* ns without the interrupts that came in it; of a wait all of it.  A softirq of
	 * a kernel that preempts softirqs (PREEMPT_RT) has the time of others in it */
	uint64_t own;
};

/** What ran on a processor, from a change of that to the next one. */
struct tl_irq_run {
	/* TL_IRQ_HARD, TL_IRQ_SOFT or TL_IRQ_NMI; 0: a thread, or none */
	unsigned int kind;
	const struct tl_irq *irq; /* NULL without a kind */
	/* thread that ran, or was interrupted; 0: the processor was idle; -1: no record
	 * of it has said yet, so nothing changes there since the start */
	pid_t tid;
	unsigned int cpu;
	uint64_t from, to; /* ns */
	bool begun; /* it began then; false: it goes on after what interrupted it */
};

struct tl_irq_config {
	unsigned int kinds; /* enum tl_irq_kind: what is told */
	bool history; /* for tl_irq_ran(); records all switches of threads */
	/* globs for names, or numbers, with commas between; NULL: all.  The others
	 * still interrupt what is asked for */
	const char *only;
	/** Called at the end of a slice, of what is asked for. */
	void (*slice)(struct tl_session *s, const struct tl_irq_slice *slice);
	/**
	 * Called for all that runs on processors that are asked for, in the order of
	 * time for each; NULL: not asked for.  Records all switches of threads.
	 */
	void (*ran)(struct tl_session *s, const struct tl_irq_run *run);
};

/**
 * tl_irq_open - in setup: follow interrupts, which are those of threads that the options
 * ask for
 * @config: lives as long as the run
 *
 * What had begun before the start, or before records of its processor were lost, is not
 * told, nor is what has not ended at the end.  Returns 0, or -errno after a message.
 */
int tl_irq_open(struct tl_session *s, const struct tl_irq_config *config);

/**
 * tl_irq_check - for a tool's check function: whether there is all that @config needs;
 * 0, or -ENOTSUP after a message
 */
int tl_irq_check(struct tl_session *s, const struct tl_irq_config *config);

/**
 * tl_irq_only_check - in args: whether @only can be that of a config; 0, or -EINVAL after
 * tl_usage()
 */
int tl_irq_only_check(const char *only);

/** tl_irq_sees_nmis - with config->ran: whether the kernel tells of NMIs */
bool tl_irq_sees_nmis(struct tl_session *s);
/** tl_irq_cut - tell config->ran() of what runs at @ns; the rest of it is told later */
void tl_irq_cut(struct tl_session *s, uint64_t ns);

/** What ran: an interrupt, or a thread. */
struct tl_irq_runner {
	const struct tl_irq *irq; /* NULL: a thread */
	pid_t tid; /* 0: none, the processor was idle; -1: it is not known */
	uint64_t ns;
};

/**
 * tl_irq_ran - in config->slice(): what ran meanwhile on the processor, each once, in
 * the order of their times, the longest first
 *
 * At most @max.  Of about the last 1,024 changes of a processor; needs config->history.
 * Returns how many.
 */
size_t tl_irq_ran(struct tl_session *s, struct tl_irq_runner list[],
		  size_t max);
/**
 * tl_irq_ran_on - the same in any handler, of processor @cpu from @from to @to, ns, which is
 * not later than the record being handled
 */
size_t tl_irq_ran_on(struct tl_session *s, unsigned int cpu, uint64_t from,
		     uint64_t to, struct tl_irq_runner list[], size_t max);

#pragma GCC visibility pop

#endif
