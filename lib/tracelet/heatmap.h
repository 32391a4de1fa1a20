/* SPDX-License-Identifier: GPL-2.0-or-later */
/* heatmap.h - heat maps */
#ifndef TRACELET_HEATMAP_H
#define TRACELET_HEATMAP_H

#include <stdbool.h>
#include <stdint.h>

#include "tracelet/text.h"

#pragma GCC visibility push(default)

struct tl_session;

/**
 * struct tl_heatmap - latency, or another amount, against time, how many as a colour
 *
 * It lives until the end of the run, when its file is written, if no set-up failed.
 */
struct tl_heatmap;

enum tl_heatmap_kind {
	TL_HEATMAP_LATENCY,
	TL_HEATMAP_OFFSET, /* where in its second something was */
	TL_HEATMAP_USAGE,  /* how busy processors were */
};

/** What it is of; text lives as long as the run. */
struct tl_heatmap_config {
	enum tl_heatmap_kind kind;
	/* of an SVG file, which is created now and written at the end; of latencies "-" too:
	 * a line of text per interval, coloured on a terminal */
	const char *path;
	/* heading of a column with keys, for a line of each; NULL: there is none */
	const char *by;
	const char *title; /* "Run queue latency" */
	const char *unit;  /* "waits" */
	/* what it was restricted to; NULL or empty: nothing */
	const char *detail;
};

/**
 * tl_heatmap_check - in args: whether @path, of --heatmap, can be had with the options
 * that are given; 0, or -EINVAL after tl_usage()
 * @path:        as for tl_heatmap_open(), or NULL
 * @percentiles: the tool's option of this name is given
 */
int tl_heatmap_check(struct tl_session *s, const char *path, bool percentiles);
/**
 * tl_heatmap_check_file - the same of @option, for which there are no lines of text; @path
 * may be NULL
 */
int tl_heatmap_check_file(struct tl_session *s, const char *option,
			  const char *path);
/**
 * tl_heatmap_open - in setup; NULL after a message
 *
 * Above the picture stand the title and, smaller, how many it is of, the detail, host,
 * kernel, date, losses and command, which are also its attributes data-*.
 */
struct tl_heatmap *tl_heatmap_open(struct tl_session *s,
				   const struct tl_heatmap_config *config);
/**
 * tl_heatmap_add - something of @key ended at @ns (CLOCK_MONOTONIC) and took
 * @latency ns; without a heading keys are empty
 */
void tl_heatmap_add(struct tl_heatmap *m, struct tl_str key, uint64_t ns,
		    uint64_t latency);
/**
 * tl_heatmap_line - where lines are asked for, write those of the interval that
 * ended at @ns; returns whether they are
 */
bool tl_heatmap_line(struct tl_session *s, struct tl_heatmap *m, uint64_t ns);
/** tl_heatmap_moment - something happened at @ns: of TL_HEATMAP_OFFSET */
void tl_heatmap_moment(struct tl_heatmap *m, uint64_t ns);
/**
 * tl_heatmap_usage - @cpu was busy, or was not, from @from to @to: of TL_HEATMAP_USAGE
 *
 * What is told of a processor does not overlap, and where nothing is told it is not known
 * whether it was busy.
 */
void tl_heatmap_usage(struct tl_heatmap *m, unsigned int cpu, uint64_t from,
		      uint64_t to, bool busy);

/**
 * tl_pictured - of a tool that tells what its pictures are of: something ended at @ns
 * (CLOCK_MONOTONIC) and took @latency ns
 */
void tl_pictured(struct tl_session *s, uint64_t ns, uint64_t latency);
/** tl_pictures_asked - whether --heatmap or --subsecond are given */
bool tl_pictures_asked(const struct tl_session *s);

#pragma GCC visibility pop

#endif
