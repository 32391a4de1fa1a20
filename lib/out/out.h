/* SPDX-License-Identifier: GPL-2.0-or-later */
/* out.h - rows of columns as text, JSON or CSV */
#ifndef TL_OUT_OUT_H
#define TL_OUT_OUT_H

#include <stdarg.h>

#include "tracelet/output.h"
#include "tracelet/session.h"
#include "tracelet/text.h"

enum tl_format {
	TL_FORMAT_TEXT,
	TL_FORMAT_JSON,
	TL_FORMAT_CSV,
	TL_FORMAT_SINK, /* struct tl_out_sink makes something else of rows */
};

/** How many values lie between points, as of struct tl_hist. */
struct tl_histogram {
	const int64_t *points;
	unsigned int count; /* of points; one less than of @counts */
	const uint64_t *counts;
	double sum; /* of all values */
};

/** What rows, and losses, go to; it adds with tl_out_add() what is to be written. */
struct tl_out_sink {
	void *ctx;
	void (*row)(void *ctx, const struct tl_column *columns,
		    const struct tl_value *row);
	/** Takes whole what else were rows of buckets; NULL: it does not. */
	void (*histogram)(void *ctx, const struct tl_column *columns,
			  const struct tl_value *row,
			  const struct tl_histogram *h);
	/**
	 * What is behind the record of @ns is missing on @cpu; 0: it had none.  NULL, as
	 * for lost(): that is not kept.
	 */
	void (*gap)(void *ctx, unsigned int cpu, uint64_t ns);
	/** The first record behind it is of @ns; @count as in tl_out_lost(). */
	void (*lost)(void *ctx, unsigned int cpu, uint64_t ns, int64_t count);
};

struct tl_out_config {
	int fd;
	/* Readable, and staying so, when the tool shall end: a reader that
	 * has stopped reading is then waited for no longer than a second.
	 * 0: none, it is waited for as long as it takes. */
	int stop_fd;
	enum tl_format format;
	const struct tl_out_sink
		*sink; /* of TL_FORMAT_SINK; kept, not copied */
	enum tl_time time;
	bool raw;       /* do not escape in text */
	bool quiet;     /* no header line in text */
	bool is_screen; /* a terminal that can be cleared, and may */
	const struct tl_column *columns;
};

struct tl_out;
/* Whether what is waited for is true of a row. */
typedef bool tl_out_watcher(const void *ctx, const struct tl_value *row);

/** tl_out_new - NULL and errno when there is no memory */
struct tl_out *tl_out_new(const struct tl_out_config *config);
/** tl_out_free - frees without flushing */
void tl_out_free(struct tl_out *out);

/** tl_out_columns - other columns than before; 0 or -ENOMEM */
int tl_out_columns(struct tl_out *out, const struct tl_column *columns);
/** tl_out_find - the number of the column with that key; -1: there is none */
int tl_out_find(const struct tl_out *out, const char *key);
/** tl_out_show - where column @col is shown */
void tl_out_show(struct tl_out *out, unsigned int col, enum tl_show show);
/**
 * tl_out_type - write column @col as @type: TL_INT where the table has TL_HEX
 */
void tl_out_type(struct tl_out *out, unsigned int col, enum tl_type type);

/**
 * tl_out_epoch - what --time is relative to
 * @start_ns: CLOCK_MONOTONIC that relative times count from
 * @wall_ns:  CLOCK_REALTIME minus CLOCK_MONOTONIC
 *
 * Times are rounded to microseconds, halves up, as the kernel's text has them.
 */
void tl_out_epoch(struct tl_out *out, uint64_t start_ns, int64_t wall_ns);

/** tl_out_wall - the @wall_ns of tl_out_epoch() */
int64_t tl_out_wall(const struct tl_out *out);

/**
 * The row's values, one per column; tl_out_row() writes and clears them.
 *
 * A value is written as its column's type says, a member of a list as its own.
 * An unknown member of TL_ARGV or TL_STACK is "[?]" in text, null in JSON.
 */
struct tl_value *tl_out_cell(struct tl_out *out, unsigned int col);
void tl_out_row(struct tl_out *out);

/** tl_out_takes_histograms - whether they are not to be rows of buckets */
bool tl_out_takes_histograms(const struct tl_out *out);
/** tl_out_histogram - that of the row's values, which are cleared */
void tl_out_histogram(struct tl_out *out, const struct tl_histogram *h);

/**
 * tl_out_watch - from now on ask @holds, with @ctx, of each row; NULL: no more
 */
void tl_out_watch(struct tl_out *out, tl_out_watcher *holds, const void *ctx);
/** tl_out_came_true - whether that has been true since this was asked last */
bool tl_out_came_true(struct tl_out *out);
/** tl_out_mute - show, or no longer show, nothing of what comes */
void tl_out_mute(struct tl_out *out, bool muted);

/** tl_out_header - the text or CSV header, nothing in JSON */
void tl_out_header(struct tl_out *out);
/** tl_out_table_header - the header in text, also where it is to be quiet */
void tl_out_table_header(struct tl_out *out);
/** tl_out_clear - clear the screen, or write an empty line; in text only */
void tl_out_clear(struct tl_out *out);
/**
 * tl_out_line - a line outside the table (banner), in text only; escaped unless
 * raw
 */
void tl_out_line(struct tl_out *out, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void tl_out_vline(struct tl_out *out, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));
/** tl_out_line_as_is - the same of text that is to be escaped no more */
void tl_out_line_as_is(struct tl_out *out, struct tl_str text);
/** tl_out_clock - the wall clock's "HH:MM:SS" at @ns of CLOCK_MONOTONIC */
void tl_out_clock(struct tl_out *out, uint64_t ns, char text[9]);
/** tl_out_table - the columns of rows, as they are shown now */
const struct tl_column *tl_out_table(const struct tl_out *out);
/**
 * tl_out_tap - have @row called with each row, beside what is made of it
 *
 * In text, too, where a tool may fill in what is shown, and what has a role, only.
 */
void tl_out_tap(struct tl_out *out,
		void (*row)(void *ctx, const struct tl_column *columns,
			    const struct tl_value *row),
		void *ctx);
/** tl_out_gap - records of @cpu are missing behind the one of @ns; 0: it had none */
void tl_out_gap(struct tl_out *out, unsigned int cpu, uint64_t ns);
/**
 * tl_out_lost - mark in the stream that records are missing here
 * @ns:    when the first one behind them is
 * @count: how many, negative: unknown
 *
 * CSV has no place for it.
 */
void tl_out_lost(struct tl_out *out, unsigned int cpu, uint64_t ns,
		 int64_t count);
/**
 * tl_out_add - write these bytes as they are, all or none of them
 * @failed: there was no memory for them
 */
void tl_out_add(struct tl_out *out, const char *data, size_t len, bool failed);

/**
 * tl_out_flush - write what is waiting
 *
 * SIGPIPE is to be ignored.  Returns -EPIPE when the reader has gone,
 * -ETIMEDOUT when it did not read at the end (stop_fd), another negative errno
 * when stdout cannot be written (said once by the caller) or there was no
 * memory for a row; from then on rows are dropped.
 */
int tl_out_flush(struct tl_out *out);
/** tl_out_error - what that would return, if that is known by now */
int tl_out_error(const struct tl_out *out);

#endif
