/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tallies.h - sums by a number, for each key */
#ifndef TRACELET_TALLIES_H
#define TRACELET_TALLIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tracelet/who.h"

#pragma GCC visibility push(default)

struct tl_session;
struct tl_tally;

/** struct tl_tallies - a tally for each who */
struct tl_tallies;

/**
 * tl_tallies_open - in setup: by who, for at most @max and "[others]"
 *
 * They follow names of threads, and go at the end of the run.  NULL without memory.
 */
struct tl_tallies *tl_tallies_open(struct tl_session *s, enum tl_by by,
				   size_t max);
/**
 * tl_tallies_of - the tally of who thread @tid belongs to, never NULL; for
 * TL_BY_NOTHING always the same one
 */
struct tl_tally *tl_tallies_of(struct tl_session *s, struct tl_tallies *t,
			       pid_t tid);
/**
 * tl_tallies_each - call @fn for each number of each who, in no order; returns
 * whether that is all, and memory was not short
 */
bool tl_tallies_each(struct tl_tallies *t,
		     void (*fn)(void *ctx, const struct tl_who *who,
				uint64_t key, uint64_t count),
		     void *ctx);
/** tl_tallies_clear - back to nothing: what @fn was given goes */
void tl_tallies_clear(struct tl_tallies *t);

#pragma GCC visibility pop

#endif
