// SPDX-License-Identifier: GPL-2.0-or-later
/* iolatency - summarize block I/O latency as a histogram */
#include <errno.h>
#include <stdio.h>

#include "tracelet.h"
#include "tracelet/block.h"
#include "tracelet/heatmap.h"
#include "tracelet/hists.h"
#include "tracelet/spreads.h"
#include "tracelet/task.h"

static struct {
	struct tl_io_config io;
	bool clock, usecs, percentiles;
	unsigned int by; /* enum tl_io_by */
	uint64_t interval;
	unsigned int count;
	struct tl_hists *hists;     /* or */
	struct tl_spreads *spreads; /* NULL: no percentiles */
	const char *heatmap;
	char detail[256]; /* of the heat map: what it is restricted to */
	struct tl_heatmap *map;
} env = { .by = TL_IO_BY_NOTHING, .interval = 1000000000 };

static const struct tl_opt options[] = {
	TL_IO_OPTIONS(env.io, 'd', 'i'),
	TL_IO_QUEUED(env.io),
	{ 'T', NULL, NULL, "show the time", TL_OPT_FLAG, &env.clock },
	{ 'u', NULL, NULL, "microseconds instead of milliseconds", TL_OPT_FLAG,
	  &env.usecs },
	{ 0, "by", "disk|type", "count separately for each disk or type",
	  TL_OPT_WORD, &env.by },
	{ 0, "percentiles", NULL, "a line with percentiles, no histogram",
	  TL_OPT_FLAG, &env.percentiles },
	{ 0, "heatmap", "FILE",
	  "draw time against latency: an SVG; \"-\": on the terminal",
	  TL_OPT_STRING | TL_OPT_HERE, &env.heatmap },
	{ 0 }
};

/*
 * What both tables begin with, keys in the order of enum tl_io_by; a histogram's text
 * is no table.
 */
enum { CLOCK, TIME, DISK, TYPE, COUNT, FROM, TO };

#define COMMON(show)                                                               \
	[CLOCK] = { "TIME", "clock", -8, TL_WALL_CLOCK, TL_SHOW_NEVER },           \
	[TIME] = { "TIMEs", "time", -16, TL_TIME, TL_SHOW_DATA },                  \
	[DISK] = { "DISK", "disk", -8, TL_STR, TL_SHOW_DATA, .metric = TL_LABEL }, \
	[TYPE] = { "TYPE", "type", -4, TL_STR, TL_SHOW_DATA, .metric = TL_LABEL }, \
	[COUNT] = { "I/O", "count", 8, TL_INT, show }

static const struct tl_column histogram[] = {
	COMMON(TL_SHOW_DATA),
	[FROM] = { "FROM", "from", 8, TL_USECS, TL_SHOW_DATA },
	[TO] = { "TO", "to", 8, TL_USECS, TL_SHOW_DATA,
		 .metric = TL_HISTOGRAM("latency_seconds",
					"How long block I/O took") },
	{ 0 }
};

#define PERCENTILES(unit, type)                                      \
	{                                                            \
		COMMON(TL_SHOW_ALL), TL_SPREADS_COLUMNS(unit, type), \
		{                                                    \
			0                                            \
		}                                                    \
	}

static const struct tl_column msecs[] = PERCENTILES("ms", TL_MSECS);
static const struct tl_column usecs[] = PERCENTILES("us", TL_USECS);

/* ---- counting --------------------------------------------------------- */

static void on_done(struct tl_session *s, const struct tl_io *io)
{
	struct tl_str key = tl_io_by_key(s, io, env.by);
	uint64_t latency = io->end - io->start;

	if (env.map)
		tl_heatmap_add(env.map, key, io->end, latency);
	if (env.spreads)
		tl_spreads_add(env.spreads, key, latency);
	else
		tl_hists_add(env.hists, key, (int64_t)latency);
}

/* ---- output ----------------------------------------------------------- */

static int on_interval(struct tl_session *s, uint64_t ns)
{
	if (env.map && tl_heatmap_line(s, env.map, ns))
		return 0;
	return env.spreads ? tl_spreads_show(s, env.spreads, ns)
			   : tl_hists_show(s, env.hists, ns);
}

/* ---- set-up ----------------------------------------------------------- */

static int use_columns(struct tl_session *s)
{
	int ret;

	if (!env.percentiles)
		return tl_columns(s, histogram);
	ret = tl_columns(s, env.usecs ? usecs : msecs);
	if (ret)
		return ret;
	if (env.clock)
		tl_column_show(s, CLOCK, TL_SHOW_TEXT);
	if (env.by != TL_IO_BY_NOTHING)
		tl_column_show(s, DISK + env.by, TL_SHOW_ALL);
	return 0;
}

static void make_detail(void)
{
	const size_t size = sizeof(env.detail);
	size_t len = 0;

	if (env.io.device)
		len = (size_t)snprintf(env.detail, size, "device %s",
				       env.io.device);
	if (env.io.type && len < size)
		snprintf(env.detail + len, size - len, "%stype %s",
			 len ? ", " : "", env.io.type);
}

static int open_map(struct tl_session *s)
{
	const struct tl_heatmap_config config = {
		.path = env.heatmap,
		.by = env.by == TL_IO_BY_NOTHING
			      ? NULL
			      : histogram[DISK + env.by].head,
		.title = env.io.queued ? "Block I/O latency, from queueing"
				       : "Block I/O latency",
		.unit = "I/O",
		.detail = env.detail,
	};

	if (!env.heatmap)
		return 0;
	make_detail();
	env.map = tl_heatmap_open(s, &config);
	return env.map ? 0 : -EIO;
}

static int open_counts(struct tl_session *s)
{
	const char *by = tl_io_by_word(env.by);
	const struct tl_hists_config shown = {
		.unit = env.usecs ? 1000 : 1000000,
		.unit_name = env.usecs ? "us" : "ms",
		.counted = "I/O",
		.what = by,
		.key = by,
		.times = true,
		.clock = env.clock,
		.used_only = true,
		.always = true,
	};

	if (env.percentiles) {
		env.spreads = tl_spreads_open(s, by);
		return env.spreads ? 0 : -ENOMEM;
	}
	env.hists = tl_hists_open(s, &shown);
	return env.hists ? 0 : -ENOMEM;
}

static int setup(struct tl_session *s)
{
	int ret;

	if (open_counts(s))
		return -ENOMEM;
	tl_banner(s, "Tracing block I/O%s", tl_banner_who(s));
	tl_interval(s, env.interval, env.count, on_interval);
	env.io.done = on_done;
	ret = use_columns(s) ?: tl_io_open(s, &env.io) ?: open_map(s);
	tl_tasks_ignore(s);
	return ret;
}

static int check(struct tl_session *s)
{
	return tl_io_check(s, &env.io);
}

static int args(struct tl_session *s, int argc, char **argv)
{
	/* metrics are histograms, of which whoever collects them makes percentiles */
	env.percentiles = env.percentiles && !tl_settings(s)->metrics;
	return tl_heatmap_check(s, env.heatmap, env.percentiles);
}

static const struct tl_tool iolatency = {
	.name = "iolatency",
	.summary = "summarize block I/O latency as a histogram",
	.examples = {
		{ "iolatency", "a histogram each second" },
		{ "iolatency --percentiles --by=disk",
		  "a line for each disk instead" },
		{ "iolatency -TQ -i '*R*' 5 12",
		  "a minute of reads, with the time in the queue" },
	},
	.options = options,
	.operands = TL_OPERANDS_INTERVAL(env.interval, env.count),
	.columns = histogram,
	.flags = TL_FILTERS_TASKS | TL_FILTERS_CPUS,
	.buffer_kb = 4096,
	.args = args,
	.check = check,
	.setup = setup,
};

TL_MAIN(iolatency)
