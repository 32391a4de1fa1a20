/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * snapshot.h - what was read and is younger than some time, for a capture
 *
 * Of what gets older threads are followed: so the names that a file begins with
 * are those of when its first record was made, whatever has become of them.
 */
#ifndef TL_CAPTURE_RECENT_H
#define TL_CAPTURE_RECENT_H

#include "capture/finish.h"
#include "capture/pagequeue.h"

struct tl_snapshot;

typedef int tl_page_handler(void *ctx, unsigned int stream,
			    const struct tl_kept_page *page);

/**
 * tl_snapshot_new - NULL without memory
 * @pages: what was read, in memory; kept, not copied, as is @kind
 * @span:  ns that are remembered
 * @max:   bytes; then less is remembered
 * @done:  called with each sub-buffer when it is too old, before it is freed;
 *         s->tasks are then those of its end; NULL: it is forgotten
 */
struct tl_snapshot *tl_snapshot_new(struct tl_session *s,
				    const struct tl_capture_kind *kind,
				    struct tl_pagequeue *pages, uint64_t span,
				    uint64_t max, tl_page_handler *done,
				    void *ctx);
void tl_snapshot_free(struct tl_snapshot *r);

/**
 * tl_snapshot_forget - what is too old at @now, or too much; 0, -errno, or what
 * @done returned
 */
int tl_snapshot_forget(struct tl_snapshot *r, uint64_t now);
/** tl_snapshot_since - ns of CLOCK_MONOTONIC, when what is remembered begins */
uint64_t tl_snapshot_since(const struct tl_snapshot *r);
/** tl_snapshot_oldest - ns of the first record that is remembered; UINT64_MAX: there is none */
uint64_t tl_snapshot_oldest(const struct tl_snapshot *r);
/**
 * tl_snapshot_swap_tasks - have s->tasks be those of then, or again those of
 * now
 */
void tl_snapshot_swap_tasks(struct tl_snapshot *r);
/**
 * tl_snapshot_is_short - whether that is less than was asked for, as more does
 * not fit
 */
bool tl_snapshot_is_short(const struct tl_snapshot *r);
/**
 * tl_snapshot_each - call @fn with all that is remembered, and a bit more, by
 * time, until it returns other than 0
 */
int tl_snapshot_each(const struct tl_snapshot *r, tl_page_handler *fn,
		     void *ctx);

#endif
