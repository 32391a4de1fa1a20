/* SPDX-License-Identifier: GPL-2.0-or-later */
/* heat.h - heat maps: time, latency or another amount, and how many as a colour */
#ifndef TL_PICTURE_HEAT_H
#define TL_PICTURE_HEAT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/**
 * Latencies are counted in bins, 8 per decade, from 1 us to 100 s; what is
 * outside counts in the first or the last of them.
 */
#define TL_HEAT_BINS   64
#define TL_HEAT_DECADE 8

/* Where each bin begins, in ns, and the last one ends. */
extern const uint64_t tl_heat_bound[TL_HEAT_BINS + 1];

/* ---- a run ------------------------------------------------------------ */

#define TL_HEAT_COLUMNS 400

/** What a map has from bottom to top, in equal parts or as tl_heat_bound says. */
struct tl_heat_axis {
	unsigned int bins; /* at most TL_HEAT_BINS */
	unsigned int step; /* bins between labels */
	bool whole; /* all is shown, not only what is in use and some more */
	uint64_t width; /* of a column at first, in ns */
	/** Append what stands at the bound below @bin, which may be one more than there are. */
	void (*label)(struct tl_buf *b, unsigned int bin);
	/** Append what @bin is of: "1 ms - 1.33 ms". */
	void (*range)(struct tl_buf *b, unsigned int bin);
};

/** Latency. */
extern const struct tl_heat_axis tl_heat_latency;
/** Where in its second a moment was: 50 bins of 20 ms. */
extern const struct tl_heat_axis tl_heat_offset;
#define TL_HEAT_OFFSETS 50
/** Share of a processor's time: 20 bins of 5 %, the last one with 100 %. */
extern const struct tl_heat_axis tl_heat_share;
#define TL_HEAT_SHARES 20

/**
 * A heat map of a whole run; 200 KiB, however long the run is.
 *
 * The columns lie on a grid that begins with the clock, or @shift before it.  When a time does not
 * fit, they are added up pairwise, even with odd, until it does: a run fills
 * between half of them and all, and no cell is ever split.
 */
struct tl_heat {
	const struct tl_heat_axis *axis;
	uint64_t shift; /* ns that the grid begins before the clock */
	uint64_t width; /* of a column, in ns */
	uint64_t first; /* place of column 0 in the grid */
	unsigned int used;
	uint64_t total;
	uint64_t cell[TL_HEAT_COLUMNS][TL_HEAT_BINS];
};

/**
 * tl_heat_new - an empty map; NULL without memory
 * @shift: less than a column is wide at first
 */
struct tl_heat *tl_heat_new(const struct tl_heat_axis *axis, uint64_t shift);
void tl_heat_free(struct tl_heat *h);
/** tl_heat_widen - make columns twice as wide */
void tl_heat_widen(struct tl_heat *h);

/**
 * tl_heat_count - count something in @bin
 * @ns: CLOCK_MONOTONIC at its end; mostly rises but need not
 */
void tl_heat_count(struct tl_heat *h, uint64_t ns, unsigned int bin);
/** tl_heat_add - the same of what took @latency ns, in a map of tl_heat_latency */
void tl_heat_add(struct tl_heat *h, uint64_t ns, uint64_t latency);
/** tl_heat_moment - the same in a map of tl_heat_offset, where its shift begins a second */
void tl_heat_moment(struct tl_heat *h, uint64_t ns);
/** tl_heat_start - when column @column begins, in ns; 0: before the clock */
uint64_t tl_heat_start(const struct tl_heat *h, unsigned int column);

struct tl_origin;

/** The text of a picture beside its cells. */
struct tl_heat_text {
	const char *title; /* of any bytes; NULL: none */
	const char *unit;  /* of what is counted: "calls" */
	uint64_t amount;   /* that it is made of */
	const struct tl_origin *origin;
	/** Append more of a cell to what its tooltip says; or NULL. */
	void (*cell)(const void *ctx, struct tl_buf *b, uint64_t ns,
		     uint64_t width, unsigned int bin);
	const void *ctx;
	uint64_t start_ns, end_ns; /* of the run, CLOCK_MONOTONIC */
	int64_t wall_ns;           /* CLOCK_REALTIME minus CLOCK_MONOTONIC */
};

/**
 * tl_heat_svg - replace what is in @fd by the map as an SVG
 * @fd: a regular file, open for writing, without O_APPEND
 *
 * The file stands alone: nothing is loaded, no script is run; a browser shows
 * what a cell stands for as its tooltip.  It has less than 5 MB, titles aside.
 * The times are those of TZ; call tzset() first.
 *
 * Returns 0 or -errno: after -ENOMEM @fd is as it was, else it is empty.
 */
int tl_heat_svg(const struct tl_heat *h, const struct tl_heat_text *text,
		int fd);

/* ---- a terminal ------------------------------------------------------- */

/** Counts of an interval; begins as zeroes. */
struct tl_heat_bins {
	uint64_t count[TL_HEAT_BINS];
};

/** tl_heat_bin - count something of @latency ns */
void tl_heat_bin(struct tl_heat_bins *bins, uint64_t latency);

/** tl_heat_scale - append the header above tl_heat_line(): 1us, 10us, ... */
void tl_heat_scale(struct tl_buf *b);

/**
 * tl_heat_line - append a line of TL_HEAT_BINS columns, without newline
 * @colour: with escapes for 256 colours, all reset at the end; else a character
 *          of " .:-=+*#%@" stands for the count
 *
 * A step is a factor of three, from 1, 3, 10, 30 to 10000 and more: the same in
 * every line, so that lines can be compared.  An empty bin in which a decade
 * begins has a "|".
 */
void tl_heat_line(const struct tl_heat_bins *bins, bool colour,
		  struct tl_buf *b);

#endif
