/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tally.h - sums by a number, of frequent records */
#ifndef TRACELET_TALLY_H
#define TRACELET_TALLY_H

#include <stdint.h>

#pragma GCC visibility push(default)

/**
 * struct tl_tally - how often each of some numbers came: functions by address
 */
struct tl_tally;

/** tl_tally_new - an empty one; NULL without memory */
struct tl_tally *tl_tally_new(void);
/** tl_tally_free - @t may be NULL */
void tl_tally_free(struct tl_tally *t);
/** tl_tally_clear - back to nothing */
void tl_tally_clear(struct tl_tally *t);
/** tl_tally_add - @key came @times more */
void tl_tally_add(struct tl_tally *t, uint64_t key, uint64_t times);
/** tl_tally_count - how often @key came */
uint64_t tl_tally_count(const struct tl_tally *t, uint64_t key);
/** tl_tally_refused - how many times could not be added, for want of memory */
uint64_t tl_tally_refused(const struct tl_tally *t);
/** tl_tally_each - call @fn for each that came, in no order */
void tl_tally_each(const struct tl_tally *t,
		   void (*fn)(void *ctx, uint64_t key, uint64_t count),
		   void *ctx);

#pragma GCC visibility pop

#endif
