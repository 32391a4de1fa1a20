// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * levels.c - what interrupts what on a processor
 *
 * A softirq belongs to the thread that it interrupted, or that runs it.  Where the
 * kernel is preemptible there too (PREEMPT_RT), that thread can lose the processor to
 * another one with a softirq of its own.
 */
#include "irq/levels.h"

#include <string.h>

/* Softirqs do not interrupt each other, nor does an interrupt itself. */
static bool excludes(const struct tl_irq_level *level, const struct tl_irq *irq,
		     int code, pid_t tid)
{
	return level->tid == tid && level->irq->soft == irq->soft &&
	       (irq->soft || level->code == code);
}

/* What thread @tid has from @from on goes. */
static void drop(struct tl_irq_levels *l, unsigned int from, pid_t tid)
{
	unsigned int i, n = from;

	for (i = from; i < l->count; i++)
		if (l->list[i].tid != tid)
			l->list[n++] = l->list[i];
	l->count = n;
}

void tl_irq_levels_begin(struct tl_irq_levels *l, const struct tl_irq *irq,
			 int code, pid_t tid, uint64_t ns)
{
	unsigned int i = 0;

	while (i < l->count && !excludes(&l->list[i], irq, code, tid))
		i++;
	drop(l, i, tid);
	if (l->count == TL_IRQ_LEVELS) {
		l->count--;
		memmove(l->list, l->list + 1, l->count * sizeof(*l->list));
	}
	l->list[l->count++] = (struct tl_irq_level){ irq, code, tid, ns, 0 };
}

bool tl_irq_levels_end(struct tl_irq_levels *l, bool soft, int code, pid_t tid,
		       uint64_t ns, struct tl_irq_level *ended)
{
	struct tl_irq_level *below;
	unsigned int i = l->count;

	while (i-- > 0) {
		*ended = l->list[i];
		if (ended->tid != tid || ended->irq->soft != soft ||
		    ended->code != code)
			continue;
		drop(l, i, tid);
		below = tl_irq_levels_top(l, tid);
		if (below)
			below->inner += ns - ended->since;
		return true;
	}
	return false;
}

struct tl_irq_level *tl_irq_levels_top(struct tl_irq_levels *l, pid_t tid)
{
	unsigned int i = l->count;

	while (i-- > 0)
		if (l->list[i].tid == tid)
			return &l->list[i];
	return NULL;
}
