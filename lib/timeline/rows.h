/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rows.h - rows of a tool as events on tracks
 *
 * A row is an instant at its time, or a slice where a column says how long it took
 * (enum tl_role), on the track of its thread.  What may overlap with others of the same
 * thread has lanes of its own, and so has what has no thread.  Rows at the end of an
 * interval are values of counters: one for each number, of each text beside it.  A
 * value goes on from its time on, so that is the interval's begin, and where the next
 * one has no row, it becomes 0 there.
 */
#ifndef TL_TIMELINE_ROWS_H
#define TL_TIMELINE_ROWS_H

#include <stdint.h>

#include "timeline/packet.h"
#include "tracelet/output.h"

struct tl_rows;

struct tl_rows_config {
	struct tl_packets *packets;
	const char *tool;
	void *ctx;
	/** The process of a thread, for rows that have none; 0: not known. */
	pid_t (*process)(void *ctx, pid_t tid);
};

/** tl_rows_new - NULL without memory */
struct tl_rows *tl_rows_new(const struct tl_rows_config *config);
void tl_rows_free(struct tl_rows *rows);
/**
 * tl_rows_intervals - rows are of intervals as long as @interval ns, the first of which
 * begins at @start; before the first row
 */
void tl_rows_intervals(struct tl_rows *rows, uint64_t start, uint64_t interval);
/** tl_rows_put - add a row */
void tl_rows_put(struct tl_rows *rows, const struct tl_column *columns,
		 const struct tl_value *row);
/** tl_rows_end - no more rows come */
void tl_rows_end(struct tl_rows *rows);
/** tl_rows_put_in - how many rows are in the trace */
uint64_t tl_rows_put_in(const struct tl_rows *rows);
/** tl_rows_left_out - how many have no place in one */
uint64_t tl_rows_left_out(const struct tl_rows *rows);

#endif
