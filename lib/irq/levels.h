/* SPDX-License-Identifier: GPL-2.0-or-later */
/* levels.h - what interrupts what on a processor */
#ifndef TL_IRQ_LEVELS_H
#define TL_IRQ_LEVELS_H

#include "tracelet/irq.h"

/** An interrupt, or a softirq, that runs or is interrupted. */
struct tl_irq_level {
	const struct tl_irq *irq;
	/* what its end has: number of the line or softirq, or another one below 0 */
	int code;
	pid_t tid; /* interrupted, or that runs it */
	uint64_t since;
	uint64_t inner; /* ns of those that interrupted it */
};

/** More than so many at a time, of all threads, are not kept: the oldest goes. */
#define TL_IRQ_LEVELS 64

/** Those of a processor, the last one on top of the others; zeroed at first. */
struct tl_irq_levels {
	unsigned int count;
	struct tl_irq_level list[TL_IRQ_LEVELS];
};

/**
 * tl_irq_levels_begin - @irq begins at @ns, and interrupts what is on top
 *
 * Where it should have ended before that, its end was missed, and the one of before is
 * void.
 */
void tl_irq_levels_begin(struct tl_irq_levels *l, const struct tl_irq *irq,
			 int code, pid_t tid, uint64_t ns);
/**
 * tl_irq_levels_end - the hard interrupt, or softirq, with this code ends at @ns in
 * thread @tid; @ended becomes what it was; false: its begin was not seen
 */
bool tl_irq_levels_end(struct tl_irq_levels *l, bool soft, int code, pid_t tid,
		       uint64_t ns, struct tl_irq_level *ended);
/** tl_irq_levels_top - what runs in thread @tid; NULL: the thread itself does */
struct tl_irq_level *tl_irq_levels_top(struct tl_irq_levels *l, pid_t tid);

#endif
