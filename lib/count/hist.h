/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hist.h - histograms, for what shows them */
#ifndef TL_COUNT_HIST_H
#define TL_COUNT_HIST_H

#include "out/out.h"
#include "tracelet/hist.h"

/** tl_hist_view - what it has counted; valid until that changes */
struct tl_histogram tl_hist_view(const struct tl_hist *h);

/**
 * tl_hist_times - points of times, in ns, where metrics are collected: powers of four from
 * 1 us to 17 s, of which each is the last value in its bucket
 */
const int64_t *tl_hist_times(unsigned int *count);

#endif
