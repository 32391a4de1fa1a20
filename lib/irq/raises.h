/* SPDX-License-Identifier: GPL-2.0-or-later */
/* raises.h - when softirqs were raised */
#ifndef TL_IRQ_RAISES_H
#define TL_IRQ_RAISES_H

#include <stdint.h>

#define TL_IRQ_SOFTIRQS 32 /* the kernel has a bit for each in an int */

/** Those of a processor; zeroed at first. */
struct tl_irq_raises {
	unsigned int last_run; /* number of the softirq that ran last */
	uint64_t last[TL_IRQ_SOFTIRQS];
	/* when each was raised first, since its run was decided on ... */
	uint64_t pending[TL_IRQ_SOFTIRQS];
	/* ... and of the run that has been */
	uint64_t taken[TL_IRQ_SOFTIRQS];
};

/** tl_irq_raise - softirq @vec was raised at @ns */
void tl_irq_raise(struct tl_irq_raises *r, unsigned int vec, uint64_t ns);
/** tl_irq_run - it runs; returns when it was raised for this run, 0: not known */
uint64_t tl_irq_run(struct tl_irq_raises *r, unsigned int vec);

#endif
