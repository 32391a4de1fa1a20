/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hist.h - histograms */
#ifndef TRACELET_HIST_H
#define TRACELET_HIST_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(default)

/**
 * struct tl_hist - how many values lie between points
 *
 * Of N points, bucket 0 counts values below the first, bucket I those from
 * point I-1 on that are below point I, bucket N those from the last one on.
 */
struct tl_hist;

/**
 * tl_hist_new - @points rise and live as long as the histogram; NULL without
 * memory
 */
struct tl_hist *tl_hist_new(const int64_t *points, unsigned int count);
void tl_hist_free(struct tl_hist *h);
/** tl_hist_clear - back to zero */
void tl_hist_clear(struct tl_hist *h);
/** tl_hist_add - @value was seen @times more */
void tl_hist_add(struct tl_hist *h, int64_t value, uint64_t times);
/**
 * tl_hist_add_number - the same of the 64 bits of a number that has a sign or none:
 * without, one that an int64_t does not hold is above all points
 */
void tl_hist_add_number(struct tl_hist *h, uint64_t number, bool is_signed,
			uint64_t times);
/** tl_hist_count - of bucket @bucket */
uint64_t tl_hist_count(const struct tl_hist *h, unsigned int bucket);
/**
 * tl_hist_used - one more than the number of the last bucket that is not empty;
 * 0 when all are
 */
unsigned int tl_hist_used(const struct tl_hist *h);

#define TL_HIST_BAR 38
/**
 * tl_hist_bar - as many "#" as @bucket has of the largest one's TL_HIST_BAR;
 * one at least unless it is empty
 */
const char *tl_hist_bar(const struct tl_hist *h, unsigned int bucket);

/**
 * tl_hist_points - points from a list like "1 8 64"
 * @what: its name, for the message
 *
 * Numbers are separated by blanks or commas, may be negative and must rise.
 * Returns 0 or -EINVAL after tl_usage(); free() @points.
 */
int tl_hist_points(const char *what, const char *text, int64_t **points,
		   unsigned int *count);

/**
 * tl_hist_powers - points 0, 1, and the powers of @power (2 or more) up to
 * @max; -ENOMEM; free() @points
 */
int tl_hist_powers(unsigned int power, uint64_t max, int64_t **points,
		   unsigned int *count);

/**
 * struct tl_spread - values of which percentiles are asked for
 *
 * Those are right to within 0.8 %, and not too small; the largest is exact.
 */
struct tl_spread;

struct tl_spread *tl_spread_new(void);
void tl_spread_free(struct tl_spread *d);
void tl_spread_clear(struct tl_spread *d);
void tl_spread_add(struct tl_spread *d, uint64_t value);
/** tl_spread_count - values added */
uint64_t tl_spread_count(const struct tl_spread *d);
/**
 * tl_spread_at - what @percent of the values are not above; 100: the largest; 0
 * when there are none
 */
uint64_t tl_spread_at(const struct tl_spread *d, double percent);

#pragma GCC visibility pop

#endif
