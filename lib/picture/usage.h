/* SPDX-License-Identifier: GPL-2.0-or-later */
/* usage.h - how much of the time processors were busy, in columns of a heat map */
#ifndef TL_PICTURE_USAGE_H
#define TL_PICTURE_USAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

struct tl_heat;

/**
 * Of each processor, and each column: how long it was busy, and for how long that is
 * known.  6,400 bytes for a processor, however long the run is: columns are added up
 * pairwise when there are too many, as those of struct tl_heat.
 */
struct tl_usage;

/** tl_usage_new - of no processor yet; NULL without memory */
struct tl_usage *tl_usage_new(void);
void tl_usage_free(struct tl_usage *u);

/**
 * tl_usage_expect - @cpu is there: as long as nothing is told of it, it is not known
 *
 * Returns 0 or -ENOMEM.
 */
int tl_usage_expect(struct tl_usage *u, unsigned int cpu);

/**
 * tl_usage_add - @cpu was busy, or was not, from @from to @to
 * @start: of the run: what was before is left out
 *
 * Times in ns of CLOCK_MONOTONIC.  Returns 0 or -ENOMEM.
 */
int tl_usage_add(struct tl_usage *u, uint64_t start, unsigned int cpu,
		 uint64_t from, uint64_t to, bool busy);

/** What a map is made of. */
struct tl_usage_sum {
	unsigned int cpus;  /* that there are */
	unsigned int known; /* of these, those of which anything is known */
	uint64_t unknown;   /* times that it is not known for a column */
};

/**
 * tl_usage_heat - a map of shares, for a run from @start to @end: a processor counts in
 * each column of which all, but for a hundredth, is known; NULL without memory
 *
 * Columns are made as wide as a run until @end needs: shares cannot be added up later.
 */
struct tl_heat *tl_usage_heat(struct tl_usage *u, uint64_t start, uint64_t end,
			      struct tl_usage_sum *sum);

/** The map's tl_heat_text.ctx. */
struct tl_usage_cells {
	const struct tl_usage *usage;
	uint64_t start, end;
};

/** tl_usage_cell - its tl_heat_text.cell: which processors: " (CPU 0,2-3)" */
void tl_usage_cell(const void *ctx, struct tl_buf *b, uint64_t ns,
		   uint64_t width, unsigned int bin);

#endif
