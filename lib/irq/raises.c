// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * raises.c - when softirqs were raised
 *
 * The kernel takes all that are pending at once, and runs them by their numbers; one that
 * is raised meanwhile, also one of these, runs another time (handle_softirqs()).  There
 * is no record of when it takes them, but the first that runs then is not behind the last
 * one of before.
 */
#include "irq/raises.h"

void tl_irq_raise(struct tl_irq_raises *r, unsigned int vec, uint64_t ns)
{
	if (vec >= TL_IRQ_SOFTIRQS)
		return;
	r->last[vec] = ns;
	if (!r->pending[vec])
		r->pending[vec] = ns;
}

/* What was taken before, and did not run yet, runs for that raise and those since. */
static void take(struct tl_irq_raises *r)
{
	unsigned int i;

	for (i = 0; i < TL_IRQ_SOFTIRQS; i++) {
		if (!r->taken[i])
			r->taken[i] = r->pending[i];
		r->pending[i] = 0;
	}
}

uint64_t tl_irq_run(struct tl_irq_raises *r, unsigned int vec)
{
	uint64_t raised;

	if (vec >= TL_IRQ_SOFTIRQS)
		return 0;
	if (vec <= r->last_run || !r->taken[vec])
		take(r);
	r->last_run = vec;
	raised = r->taken[vec] ?: r->last[vec];
	/* a second raise, just before the first of those runs, is for another run */
	if (r->last[vec] == raised)
		r->last[vec] = 0;
	r->taken[vec] = 0;
	return raised;
}
