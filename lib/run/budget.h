/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * budget.h - how much of a processor this process may take (--max-cpu)
 *
 * An account in ns of processor time: it gets its share of each second that passes, and
 * pays for what the process takes.  What is not taken is saved for ten seconds, and what is
 * owed forgotten above a minute's share: so that there is an end of it where all is taken
 * by what cannot be left out.
 */
#ifndef TL_RUN_BUDGET_H
#define TL_RUN_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

struct tl_budget {
	uint64_t share; /* millionths of a processor; 0: no limit */
	uint64_t ns,
		cpu; /* when it was looked at last, and what was taken by then */
	int64_t saved; /* ns of processor time; below 0: owed */
};

/** tl_budget_open - of @millionths of a processor from @ns on, of CLOCK_MONOTONIC; 0: no limit */
void tl_budget_open(struct tl_budget *b, unsigned int millionths, uint64_t ns);
/** tl_budget_is_spent - whether more was taken by @ns than there was */
bool tl_budget_is_spent(struct tl_budget *b, uint64_t ns);
/**
 * tl_budget_again - when, if nothing is taken, there will be a second's share, of what is
 * spent: as @ns
 */
uint64_t tl_budget_again(const struct tl_budget *b);

#endif
