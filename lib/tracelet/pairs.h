/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pairs.h - begin and end */
#ifndef TRACELET_PAIRS_H
#define TRACELET_PAIRS_H

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)

struct tl_session;

/**
 * struct tl_pairs - what the start of an action leaves for its end
 *
 * A bounded map: when it is full the oldest entry goes, because its end was
 * lost or never comes.  Clear it when records were lost: a start must never
 * meet the end of another action.
 */
struct tl_pairs;

/**
 * tl_pairs_new - entries of @size bytes, at most @max; @drop, or NULL, is
 * called for each that goes
 */
struct tl_pairs *tl_pairs_new(size_t size, unsigned int max,
			      void (*drop)(void *entry));
void tl_pairs_free(struct tl_pairs *p);
/**
 * tl_pairs_open - the same of a run: cleared wherever records were lost, and freed at
 * its end
 */
struct tl_pairs *tl_pairs_open(struct tl_session *s, size_t size,
			       unsigned int max, void (*drop)(void *entry));
/**
 * tl_pairs_open_threads - the same, where keys are ids of threads: what a thread has
 * left goes some time after its end, and is not that of a new one with its id
 */
struct tl_pairs *tl_pairs_open_threads(struct tl_session *s, size_t size,
				       unsigned int max,
				       void (*drop)(void *entry));
/**
 * tl_pairs_put - an entry of zeroes for @key, in place of an older one; NULL
 * without memory
 */
void *tl_pairs_put(struct tl_pairs *p, int64_t key);
/** tl_pairs_add - the same, beside older ones of this key; not zeroed */
void *tl_pairs_add(struct tl_pairs *p, int64_t key);
/** tl_pairs_get - the oldest entry of @key, or NULL */
void *tl_pairs_get(struct tl_pairs *p, int64_t key);
/** tl_pairs_next - the next newer entry of the same key, or NULL */
void *tl_pairs_next(void *entry);
/** tl_pairs_evicted - entries that went because it was full */
uint64_t tl_pairs_evicted(const struct tl_pairs *p);
/** tl_pairs_oldest - the oldest entry of all, or NULL */
void *tl_pairs_oldest(struct tl_pairs *p);
/** tl_pairs_newer - the next newer entry of any key, or NULL */
void *tl_pairs_newer(void *entry);
/** tl_pairs_move - give @entry another key; its age stays */
void tl_pairs_move(struct tl_pairs *p, void *entry, int64_t key);
/** tl_pairs_remove - @entry goes */
void tl_pairs_remove(struct tl_pairs *p, void *entry);
/** tl_pairs_drop - the oldest entry of @key, if there is one, goes */
void tl_pairs_drop(struct tl_pairs *p, int64_t key);
void tl_pairs_clear(struct tl_pairs *p);

#pragma GCC visibility pop

#endif
