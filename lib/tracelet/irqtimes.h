/* SPDX-License-Identifier: GPL-2.0-or-later */
/* irqtimes.h - what the tools that add up times of interrupts have in common */
#ifndef TRACELET_IRQTIMES_H
#define TRACELET_IRQTIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "tracelet/irq.h"
#include "tracelet/latencies.h"
#include "tracelet/option.h"
#include "tracelet/output.h"

#pragma GCC visibility push(default)

struct tl_session;
struct tl_table;

/** One of these tools. */
struct tl_irq_times {
	uint64_t interval;
	unsigned int count; /* of intervals */
	bool dist;          /* histograms, no table */
	bool per_cpu;
	/* of -d, --percentiles and --heatmap; its title and unit are the tool's */
	struct tl_latencies_config shown;
	/* what the tool itself fills in: kinds, in args */
	struct tl_irq_config irq;
	const char *what; /* "hard interrupts" */
	/* the library's: */
	struct tl_latencies *latencies; /* NULL: a table */
	struct tl_table *table;
	bool has_header;
};

/** TL_IRQ_TIMES_OPTIONS - options of tool @t, in its table of options */
#define TL_IRQ_TIMES_OPTIONS(t)                                              \
	TL_OPTION('d', "dist", NULL, "show histograms", TL_OPT_FLAG,         \
		  &(t).dist),                                                \
		TL_OPTION('N', "nanoseconds", NULL,                          \
			  "histograms in nanoseconds, not microseconds",     \
			  TL_OPT_FLAG, &(t).shown.nsecs),                    \
		TL_OPTION('T', NULL, NULL, "show the time", TL_OPT_FLAG,     \
			  &(t).shown.clock),                                 \
		TL_OPTION('P', "per-cpu", NULL,                              \
			  "a line for each processor, in the table",         \
			  TL_OPT_FLAG, &(t).per_cpu),                        \
		TL_OPTION('i', "irq", "LIST",                                \
			  "only these: names, which may have \"*\", or "     \
			  "numbers",                                         \
			  TL_OPT_STRING, &(t).irq.only),                     \
		TL_OPTION(0, "percentiles", NULL,                            \
			  "a line with percentiles for each, no table",      \
			  TL_OPT_FLAG, &(t).shown.percentiles),              \
		TL_OPTION(0, "heatmap", "FILE",                              \
			  "draw time against length: an SVG; \"-\": on the " \
			  "terminal",                                        \
			  TL_OPT_STRING | TL_OPT_HERE, &(t).shown.heatmap)

/**
 * TL_IRQ_TIMES_COLUMNS - columns of the table; at file scope
 * @head, @key, @show: of the number of an interrupt
 * @what: the metrics' names begin with it: "interrupt"
 */
#define TL_IRQ_TIMES_COLUMNS(head, key, show, what)                            \
	((const struct tl_column[]){                                           \
		{ "TIMEs", "time", -16, TL_TIME, TL_SHOW_DATA },               \
		{ head, key, -5, TL_INT, show },                               \
		{ "NAME", "name", -28, TL_STR, .metric = TL_LABEL },           \
		{ "CPU", "cpu", -4, TL_INT, TL_SHOW_NEVER,                     \
		  .metric = TL_LABEL },                                        \
		{ "COUNT", "count", 9, TL_INT,                                 \
		  .metric = TL_COUNTER(what "s", "How many there were") },     \
		{ "TOTAL(us)", "total", 14, TL_NSECS,                          \
		  .metric =                                                    \
			  TL_COUNTER(what "_seconds", "How long they took") }, \
		{ "AVG(us)", "average", 12, TL_NSECS },                        \
		{ "MAX(us)", "max", 12, TL_NSECS },                            \
		{ 0 } })

/**
 * tl_irq_times_args - in args: look at the options; 0, or -EINVAL after tl_usage()
 */
int tl_irq_times_args(struct tl_session *s, struct tl_irq_times *t);
/** tl_irq_times_check - the tool's check */
int tl_irq_times_check(struct tl_session *s, struct tl_irq_times *t);
/** tl_irq_times_setup - the tool's setup; @t lives as long as the run */
int tl_irq_times_setup(struct tl_session *s, struct tl_irq_times *t);

#pragma GCC visibility pop

#endif
