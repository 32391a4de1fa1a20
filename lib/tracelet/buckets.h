/* SPDX-License-Identifier: GPL-2.0-or-later */
/* buckets.h - which buckets a histogram of numbers has, as a user asks for them */
#ifndef TRACELET_BUCKETS_H
#define TRACELET_BUCKETS_H

#include <stdint.h>

#include "tracelet/hists.h"
#include "tracelet/option.h"

#pragma GCC visibility push(default)

/** What TL_BUCKETS_OPTIONS() ask for, and what comes of it. */
struct tl_buckets {
	const char *list;
	unsigned int power;
	uint64_t max;
	/* of tl_buckets_args(): */
	int64_t *points;
	unsigned int count; /* of points */
};

/**
 * TL_BUCKETS_OPTIONS - -b, -P and -m, in a tool's table of options
 * @buckets: a struct tl_buckets
 * @default_power, @default_max: text, for the help
 */
#define TL_BUCKETS_OPTIONS(buckets, default_power, default_max)            \
	TL_OPTION('b', NULL, "BUCKETS",                                    \
		  "a list of bucket points, as \"10 100 1000\"",           \
		  TL_OPT_STRING, &(buckets).list, "buckets"),              \
		TL_OPTION('P', NULL, "POWER",                              \
			  "bucket points are powers of POWER "             \
			  "(default " default_power ")",                   \
			  TL_OPT_UINT, &(buckets).power, "buckets", 2, 0), \
		TL_OPTION('m', NULL, "MAX",                                \
			  "the largest of them (default " default_max ")", \
			  TL_OPT_SIZE, &(buckets).max)

/**
 * tl_buckets_args - in args: find the points
 * @power, @max: where the user asks for no others
 *
 * Returns 0, -ENOMEM, or -EINVAL after tl_usage(); the points stay until the end.
 */
int tl_buckets_args(struct tl_buckets *b, unsigned int power, uint64_t max);
/** tl_buckets_text - "specified buckets", or "power-of-4, max 1048576" */
void tl_buckets_text(const struct tl_buckets *b, char text[80]);
/** tl_buckets_config - how to show one histogram of them, for tl_hists_open() */
struct tl_hists_config tl_buckets_config(const struct tl_buckets *b);
/** TL_BUCKETS_COLUMNS - what it has in data: columns of a tool */
#define TL_BUCKETS_COLUMNS                                                  \
	{                                                                   \
		{ "TIMEs", "time", 0, TL_TIME, TL_SHOW_DATA },              \
			{ "FROM", "from", 0, TL_INT, TL_SHOW_DATA },        \
			{ "TO",                                             \
			  "to",                                             \
			  0,                                                \
			  TL_INT,                                           \
			  TL_SHOW_DATA,                                     \
			  .metric = TL_HISTOGRAM(                           \
				  "value", "Values that were asked for") }, \
			{ "COUNT", "count", 0, TL_INT, TL_SHOW_DATA },      \
		{                                                           \
			0                                                   \
		}                                                           \
	}

#pragma GCC visibility pop

#endif
