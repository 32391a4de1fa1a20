/* SPDX-License-Identifier: GPL-2.0-or-later */
/* counter.h - places whose hits the kernel counts without a record */
#ifndef TRACELET_COUNTER_H
#define TRACELET_COUNTER_H

#include <stdint.h>

#pragma GCC visibility push(default)

struct tl_session;
struct tl_tally;

/** A place that is counted. */
struct tl_counter {
	char *name;   /* of the function, as people know it */
	char *module; /* "" for the kernel itself, NULL for a program */
};

/**
 * tl_counter_of - the one that is @key of a tally; NULL where records are
 * counted
 */
const struct tl_counter *tl_counter_of(const struct tl_session *s,
				       uint64_t key);
/**
 * tl_counters_read - add to @tally what each was hit since the last time
 *
 * Hits before recording begins, and behind its end, do not count.  Returns 0,
 * also without counters, or -errno after a message.
 */
int tl_counters_read(struct tl_session *s, struct tl_tally *tally);

#pragma GCC visibility pop

#endif
