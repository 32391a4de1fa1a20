// SPDX-License-Identifier: GPL-2.0-or-later
/* latencies.c - times, shown as a histogram, percentiles, or a heat map */
#include <errno.h>
#include <stdlib.h>

#include "base/part.h"
#include "base/session.h"
#include "tracelet/heatmap.h"
#include "tracelet/hist.h"
#include "tracelet/latencies.h"
#include "tracelet/message.h"
#include "tracelet/output.h"
#include "tracelet/spreads.h"
#include "tracelet/text.h"

#define POINTS 32

struct tl_latencies {
	struct tl_part part;
	const struct tl_latencies_config *config;
	int64_t points[POINTS];
	struct tl_hists *hists; /* or */
	struct tl_spreads *spreads;
	struct tl_hist *only; /* one histogram is all that is shown; or NULL */
	struct tl_heatmap *map;
};

static const struct tl_part_ops latencies_ops = { .free = free };

/* Columns of percentiles. */
enum { CLOCK, TIME, PID, TID, COMM, CPU, CGROUP, COUNT };
#define PERCENTILES(unit, type)                                           \
	{                                                                 \
		[CLOCK] = { "TIME", "clock", -8, TL_WALL_CLOCK,           \
			    TL_SHOW_NEVER },                              \
		[TIME] = { "TIMEs", "time", -16, TL_TIME, TL_SHOW_DATA }, \
		TL_BY_COLUMNS, [COUNT] = { "COUNT", "count", 8, TL_INT }, \
		TL_SPREADS_COLUMNS(unit, type),                           \
		{                                                         \
			0                                                 \
		}                                                         \
	}

static const struct tl_column msecs[] = PERCENTILES("ms", TL_MSECS);
static const struct tl_column usecs[] = PERCENTILES("us", TL_USECS);

/* ---- set-up ----------------------------------------------------------- */

int tl_latencies_args(struct tl_session *s, struct tl_latencies_config *config)
{
	if (config->processes)
		config->by = TL_BY_PID;
	if (config->heatmap && config->by != TL_BY_NOTHING)
		return tl_usage("--heatmap is one picture of all: not with "
				"--by");
	return tl_heatmap_check(s, config->heatmap, config->percentiles)
		       ?: tl_by_check(s, config->by);
}

/* As bcc has them: 0, then powers of two, from 2 on. */
static bool open_hists(struct tl_session *s, struct tl_latencies *l)
{
	const struct tl_latencies_config *c = l->config;
	const struct tl_hists_config shown = {
		.points = l->points,
		.count = POINTS,
		.unit = c->msecs   ? 1000000
			: c->nsecs ? 1
				   : 1000,
		.unit_name = c->msecs   ? "msecs"
			     : c->nsecs ? "nsecs"
					: "usecs",
		.what = c->key,
		.key = c->key,
		.counted = "count",
		.times = true,
		.clock = c->clock,
		.inclusive = true,
		.positive = true,
		.used_only = true,
		.always = true,
	};
	unsigned int i;

	for (i = 1; i < POINTS; i++)
		l->points[i] = shown.unit << i;
	l->hists = c->key ? tl_hists_open(s, &shown)
			  : tl_hists_by(s, &shown, c->by);
	if (l->hists && !c->key && c->by == TL_BY_NOTHING && !c->heatmap)
		l->only = tl_hists_of(l->hists, (struct tl_str){ 0 });
	return l->hists;
}

static bool open_spreads(struct tl_session *s, struct tl_latencies *l)
{
	const struct tl_latencies_config *c = l->config;

	if (tl_columns(s, c->columns ?: c->msecs ? msecs : usecs))
		return false;
	if (c->clock)
		tl_column_show(s, (unsigned int)tl_column_find(s, "clock"),
			       TL_SHOW_TEXT);
	l->spreads =
		c->key ? tl_spreads_open(s, c->key) : tl_spreads_by(s, c->by);
	return l->spreads;
}

struct tl_latencies *tl_latencies_open(struct tl_session *s,
				       const struct tl_latencies_config *config)
{
	struct tl_latencies *l = tl_part_new(s, &latencies_ops, sizeof(*l));

	errno = ENOMEM;
	if (!l)
		return NULL;
	l->config = config;
	/* metrics are histograms, of which whoever collects them makes percentiles */
	if (!(config->percentiles && !s->set.metrics ? open_spreads(s, l)
						     : open_hists(s, l)))
		return NULL;
	if (!config->heatmap)
		return l;
	errno = EIO;
	l->map = tl_heatmap_open(
		s, &(const struct tl_heatmap_config){ .path = config->heatmap,
						      .title = config->title,
						      .unit = config->unit });
	return l->map ? l : NULL;
}

/* ---- counting and output ---------------------------------------------- */

/* Apart, so that one histogram of all costs little. */
__attribute__((noinline)) static void add(struct tl_session *s,
					  struct tl_latencies *l, pid_t id,
					  uint64_t ns, uint64_t latency)
{
	if (l->map)
		tl_heatmap_add(l->map, (struct tl_str){ "", 0 }, ns, latency);
	if (l->hists)
		tl_hists_add_who(s, l->hists, id, (int64_t)latency);
	else
		tl_spreads_add_who(s, l->spreads, id, latency);
}

void tl_latencies_add(struct tl_session *s, struct tl_latencies *l, pid_t tid,
		      unsigned int cpu, uint64_t ns, uint64_t latency)
{
	if (l->only)
		tl_hist_add(l->only, (int64_t)latency, 1);
	else
		add(s, l, tl_by_id(l->config->by, tid, cpu), ns, latency);
}

void tl_latencies_add_key(struct tl_latencies *l, struct tl_str key,
			  uint64_t ns, uint64_t latency)
{
	if (l->map)
		tl_heatmap_add(l->map, (struct tl_str){ "", 0 }, ns, latency);
	if (l->hists)
		tl_hists_add(l->hists, key, (int64_t)latency);
	else
		tl_spreads_add(l->spreads, key, latency);
}

int tl_latencies_show(struct tl_session *s, struct tl_latencies *l, uint64_t ns)
{
	if (l->map && tl_heatmap_line(s, l->map, ns))
		return 0;
	return l->spreads ? tl_spreads_show(s, l->spreads, ns)
			  : tl_hists_show(s, l->hists, ns);
}
