/* SPDX-License-Identifier: GPL-2.0-or-later */
/* latencies.h - times, shown as a histogram, percentiles, or a heat map */
#ifndef TRACELET_LATENCIES_H
#define TRACELET_LATENCIES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "tracelet/hists.h"
#include "tracelet/option.h"
#include "tracelet/text.h"
#include "tracelet/who.h"

#pragma GCC visibility push(default)

struct tl_column;
struct tl_session;

/** struct tl_latencies - how often something took how long, by who */
struct tl_latencies;

/** What is shown, and how; TL_LATENCIES_OPTIONS() fill in most. */
struct tl_latencies_config {
	bool msecs;       /* milliseconds instead of microseconds */
	bool nsecs;       /* histograms in nanoseconds */
	bool clock;       /* with the time of each interval */
	bool processes;   /* by process */
	bool percentiles; /* a line with these, no histogram */
	unsigned int by;  /* enum tl_by; TL_BY_NOTHING at first */
	const char *
		key; /* of a column with keys of the tool's own; NULL: by that */
	/* with it, the table for percentiles: columns "clock", "time", that of keys,
	 * "count" and TL_SPREADS_COLUMNS() */
	const struct tl_column *columns;
	const char *heatmap; /* as for tl_heatmap_open(); NULL: none */
	const char *title;   /* of that: "Run queue latency" */
	const char *unit;    /* of what it counts: "waits" */
};

/** TL_LATENCIES_OPTIONS - options of config @l, in a tool's table of options */
#define TL_LATENCIES_OPTIONS(l)                                               \
	TL_OPTION('m', "milliseconds", NULL,                                  \
		  "milliseconds instead of microseconds", TL_OPT_FLAG,        \
		  &(l).msecs),                                                \
		TL_OPTION('T', NULL, NULL, "show the time", TL_OPT_FLAG,      \
			  &(l).clock),                                        \
		TL_OPTION('P', NULL, NULL, "the same as --by=process",        \
			  TL_OPT_FLAG, &(l).processes, "by"),                 \
		TL_OPTION(0, "by", TL_BY_WORDS, "count separately for each",  \
			  TL_OPT_WORD, &(l).by, "by"),                        \
		TL_OPTION(0, "percentiles", NULL,                             \
			  "a line with percentiles, no histogram",            \
			  TL_OPT_FLAG, &(l).percentiles),                     \
		TL_OPTION(0, "heatmap", "FILE",                               \
			  "draw time against latency: an SVG; \"-\": on the " \
			  "terminal",                                         \
			  TL_OPT_STRING | TL_OPT_HERE, &(l).heatmap)
/**
 * TL_LATENCIES_COLUMNS - the tool's columns; at file scope
 * @name, @help: of the histogram in metrics
 */
#define TL_LATENCIES_COLUMNS(name, help) \
	TL_HISTS_BY_COLUMNS(TL_USECS, name, help)

/**
 * tl_latencies_args - in args: look at options that depend on each other; 0, or
 * -EINVAL after tl_usage()
 */
int tl_latencies_args(struct tl_session *s, struct tl_latencies_config *config);
/**
 * tl_latencies_open - in setup; @config lives as long as the run
 *
 * Returns NULL after a message, or without memory, and sets errno.
 */
struct tl_latencies *
tl_latencies_open(struct tl_session *s,
		  const struct tl_latencies_config *config);
/**
 * tl_latencies_add - something of thread @tid, on processor @cpu, took @latency and
 * ended at @ns, the time of the record being handled
 */
void tl_latencies_add(struct tl_session *s, struct tl_latencies *l, pid_t tid,
		      unsigned int cpu, uint64_t ns, uint64_t latency);
/**
 * tl_latencies_add_key - something of @key took @latency and ended at @ns, where the
 * config has a key
 */
void tl_latencies_add_key(struct tl_latencies *l, struct tl_str key,
			  uint64_t ns, uint64_t latency);
/** tl_latencies_show - as tl_hists_show() */
int tl_latencies_show(struct tl_session *s, struct tl_latencies *l,
		      uint64_t ns);

#pragma GCC visibility pop

#endif
