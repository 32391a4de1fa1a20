// SPDX-License-Identifier: GPL-2.0-or-later
/* hists.c - histograms by key, and how they are shown */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/part.h"
#include "base/session.h"
#include "count/hist.h"
#include "count/table.h"
#include "out/out.h"
#include "out/put.h"
#include "tracelet/hists.h"
#include "tracelet/output.h"
#include "tracelet/run.h"
#include "tracelet/text.h"
#include "tracelet/who.h"

#define DOUBLES 31

struct one {
	struct tl_who who; /* of those by who */
	struct tl_hist *hist;
};

struct tl_hists {
	struct tl_part part;
	struct tl_hists_config config;
	int64_t *powers;         /* points, where they are not the tool's */
	struct one all;          /* without a key */
	struct tl_table *groups; /* of struct one; NULL: by no key */
	bool by_who;
	enum tl_by by;   /* then */
	uint64_t missed; /* values, for want of memory */
	struct tl_session *s;
	/* while they are shown */
	uint64_t ns;
	unsigned int shown;
	int time, key, from, to, number; /* columns; -1: not there */
};

static void free_one(void *group)
{
	tl_hist_free(((struct one *)group)->hist);
}

static void free_hists(void *part)
{
	struct tl_hists *h = part;

	tl_table_free(h->groups);
	tl_hist_free(h->all.hist);
	free(h->powers);
	free(h);
}

static const struct tl_part_ops hists_ops = { .free = free_hists };

/* One unit, two, four ... the last one of 31 microseconds is 18 minutes. */
static int set_points(struct tl_hists *h)
{
	struct tl_hists_config *c = &h->config;
	unsigned int i;

	if (c->points)
		return 0;
	c->count = c->count ?: DOUBLES;
	h->powers = calloc(c->count, sizeof(*h->powers));
	for (i = 0; h->powers && i < c->count; i++)
		h->powers[i] = c->unit << i;
	c->points = h->powers;
	return c->points ? 0 : -ENOMEM;
}

/* Each of many points is twice the one before it, but for a first one of 0. */
static bool is_doubles(const struct tl_hists_config *c)
{
	unsigned int i;

	for (i = 2; i < c->count; i++)
		if (c->points[i] / 2 != c->points[i - 1])
			return false;
	return c->count > 16;
}

/*
 * In metrics a bucket has its end, which is whole here, in it.  Each is a series for
 * whoever collects them, so of doubles every second one will do.
 */
static int use_metric_points(struct tl_hists *h)
{
	struct tl_hists_config *c = &h->config;
	const unsigned int step = is_doubles(c) ? 2 : 1;
	int64_t *points = calloc(c->count + 1, sizeof(*points));
	unsigned int i = c->positive && c->points[0] == 0, n = 0;

	if (!points)
		return -ENOMEM;
	for (; i < c->count; i += step)
		points[n++] = c->points[i] + (c->points[i] < INT64_MAX);
	free(h->powers);
	c->points = h->powers = points;
	c->count = n;
	return 0;
}

static int choose_points(struct tl_hists *h)
{
	struct tl_hists_config *c = &h->config;
	const bool metrics = h->s->set.metrics;

	if (metrics && c->times) {
		c->points = tl_hist_times(&c->count);
		return 0;
	}
	return set_points(h) ?: metrics ? use_metric_points(h) : 0;
}

static struct tl_hists *begin(struct tl_session *s,
			      const struct tl_hists_config *config)
{
	struct tl_hists *h = tl_part_new(s, &hists_ops, sizeof(*h));

	if (!h)
		return NULL;
	h->config = *config;
	h->s = s;
	if (choose_points(h))
		return NULL;
	h->all.hist = tl_hist_new(h->config.points, h->config.count);
	return h->all.hist ? h : NULL;
}

struct tl_hists *tl_hists_open(struct tl_session *s,
			       const struct tl_hists_config *config)
{
	struct tl_hists *h = begin(s, config);

	if (!h || !config->key)
		return h;
	h->groups = tl_table_named(sizeof(struct one), free_one);
	return h->groups ? h : NULL;
}

struct tl_hists *tl_hists_by(struct tl_session *s,
			     const struct tl_hists_config *config,
			     enum tl_by by)
{
	struct tl_hists *h = begin(s, config);

	if (!h || by == TL_BY_NOTHING)
		return h;
	tl_show_by(s, by, TL_SHOW_DATA);
	h->by_who = true;
	h->by = by;
	h->config.what = by == TL_BY_NAME ? "name" : tl_by_key(by);
	h->groups = tl_table_by(by, sizeof(struct one), TL_NAMES_MAX, free_one);
	return h->groups ? h : NULL;
}

static struct tl_hist *hist_of(struct tl_hists *h, struct one *one)
{
	if (!one->hist)
		one->hist = tl_hist_new(h->config.points, h->config.count);
	return one->hist;
}

struct tl_hist *tl_hists_of(struct tl_hists *h, struct tl_str key)
{
	return hist_of(h, h->groups ? tl_table_at(h->groups, key) : &h->all);
}

static void add(struct tl_hists *h, struct one *one, int64_t value)
{
	struct tl_hist *hist = hist_of(h, one);

	if (hist)
		tl_hist_add(hist, value, 1);
	else
		h->missed++;
}

void tl_hists_add(struct tl_hists *h, struct tl_str key, int64_t value)
{
	add(h, h->groups ? tl_table_at(h->groups, key) : &h->all, value);
}

void tl_hists_add_who(struct tl_session *s, struct tl_hists *h, pid_t id,
		      int64_t value)
{
	add(h, h->groups ? tl_table_who(s, h->groups, id) : &h->all, value);
}

/* ---- output ----------------------------------------------------------- */

/* A double has not all digits of a large whole number. */
static void print_end(const struct tl_hists_config *c, char text[32],
		      int64_t point, int64_t less)
{
	if (c->decimals)
		snprintf(text, 32, "%.*f", c->decimals,
			 (double)point / (double)c->unit - 0.1 * (double)less);
	else
		snprintf(text, 32, "%" PRId64, point / c->unit - less);
}

/* As perf-tools have it: the last value that is in, and no end where it is open. */
static void print_inclusive(const struct tl_hists *h,
			    const struct tl_hist *hist, unsigned int i)
{
	const struct tl_hists_config *c = &h->config;
	char from[32] = "", to[32] = "";

	if (i)
		print_end(c, from, c->points[i - 1], 0);
	if (i < c->count)
		print_end(c, to, c->points[i], 1);
	tl_print(h->s, "   %10s -> %-10s: %-8llu |%-*s|", from, to,
		 (unsigned long long)tl_hist_count(hist, i), TL_HIST_BAR,
		 tl_hist_bar(hist, i));
}

static void print_half_open(const struct tl_hists *h,
			    const struct tl_hist *hist, unsigned int i)
{
	const struct tl_hists_config *c = &h->config;
	char to[24] = "";

	if (i < c->count)
		snprintf(to, sizeof(to), "%" PRId64, c->points[i] / c->unit);
	tl_print(h->s, "%8" PRId64 " -> %-8s: %-8llu |%-*s|",
		 i ? c->points[i - 1] / c->unit : 0, to,
		 (unsigned long long)tl_hist_count(hist, i), TL_HIST_BAR,
		 tl_hist_bar(hist, i));
}

static void put(const struct tl_hists *h, int column, int64_t value)
{
	if (column >= 0)
		tl_put_int(h->s, (unsigned int)column, value);
}

static void put_key(const struct tl_hists *h, struct tl_str key,
		    const struct one *one)
{
	put(h, h->time, (int64_t)h->ns);
	if (h->by_who && key.text)
		tl_put_by(h->s, h->by, &one->who);
	if (h->key >= 0 && key.text)
		tl_put_str(h->s, (unsigned int)h->key, key);
}

/* An end that is open is not there. */
static void put_bucket(const struct tl_hists *h, struct tl_str key,
		       const struct one *one, unsigned int i)
{
	const struct tl_hists_config *c = &h->config;

	/* rows are of something else, beside the histogram's text */
	if (h->number < 0)
		return;
	put_key(h, key, one);
	if (i || !c->inclusive)
		put(h, h->from, i ? c->points[i - 1] : 0);
	if (i < c->count)
		put(h, h->to, c->points[i]);
	put(h, h->number, (int64_t)tl_hist_count(one->hist, i));
	tl_row(h->s);
}

static void print_title(const struct tl_hists *h)
{
	const struct tl_hists_config *c = &h->config;
	char low[16], high[16];

	if (c->inclusive) {
		tl_print(h->s, "%12s%-15s: %-8s Distribution", "", c->unit_name,
			 c->counted);
		return;
	}
	snprintf(low, sizeof(low), ">=(%s)", c->unit_name);
	snprintf(high, sizeof(high), "<(%s)", c->unit_name);
	tl_print(h->s, "%8s .. %-8s: %-8s |%-*s|", low, high, c->counted,
		 TL_HIST_BAR, "Distribution");
}

static unsigned int end_of(const struct tl_hists *h, const struct tl_hist *hist)
{
	if (!h->config.used_only)
		return h->config.count + 1;
	return tl_hist_used(hist) ?: !h->config.inclusive;
}

static void print_clock(const struct tl_hists *h)
{
	char clock[9];

	tl_clock(h->s, h->ns, clock);
	tl_print(h->s, "%s:", clock);
}

/* As "pid: 12 (bash)". */
static void print_who(const struct tl_hists *h, const struct tl_who *who)
{
	const char *what = h->config.what;

	if (h->by == TL_BY_CPU)
		tl_print(h->s, "%s: %d", what, who->pid);
	else if (h->by == TL_BY_CGROUP)
		tl_print(h->s, "%s: %s", what, tl_who_cgroup(h->s, who));
	else if (h->by == TL_BY_NAME)
		tl_print(h->s, "%s: %s", what, who->comm);
	else if (who->pid)
		tl_print(h->s, "%s: %d (%s)", what, who->pid, who->comm);
	else
		tl_print(h->s, "%s: - (%s)", what, who->comm);
}

static void print_key(const struct tl_hists *h, struct tl_str key)
{
	if (h->config.what && key.text)
		tl_print(h->s, "%s: %.*s", h->config.what, (int)key.len,
			 key.text);
}

static void show_whole(struct tl_hists *h, struct tl_str key,
		       const struct one *one)
{
	const struct tl_histogram view = tl_hist_view(one->hist);

	put_key(h, key, one);
	tl_out_histogram(h->s->out, &view);
	h->shown++;
}

static void show_buckets(struct tl_hists *h, struct tl_str key,
			 const struct one *one)
{
	const struct tl_hists_config *c = &h->config;
	unsigned int i = c->positive && c->points[0] == 0,
		     end = end_of(h, one->hist);

	tl_print(h->s, "%s", "");
	if (!h->shown && c->clock)
		print_clock(h);
	if (!h->shown++ && c->date)
		tl_print_date(h->s, h->ns);
	if (h->by_who && key.text)
		print_who(h, &one->who);
	else
		print_key(h, key);
	print_title(h);
	for (; i < end; i++) {
		(c->inclusive ? print_inclusive : print_half_open)(h, one->hist,
								   i);
		put_bucket(h, key, one, i);
	}
}

static void show(struct tl_hists *h, struct tl_str key, const struct one *one)
{
	if (tl_out_takes_histograms(h->s->out))
		show_whole(h, key, one);
	else
		show_buckets(h, key, one);
	tl_hist_clear(one->hist);
}

static void show_used(void *ctx, struct tl_str key, void *group)
{
	const struct one *one = group;
	struct tl_hists *h = ctx;

	/* those of other intervals stay, empty */
	if (!one->hist || !tl_hist_used(one->hist))
		return;
	show(h, key, one);
}

int tl_hists_show(struct tl_session *s, struct tl_hists *h, uint64_t ns)
{
	const struct tl_hists_config *c = &h->config;

	h->ns = ns;
	h->shown = 0;
	h->time = tl_column_find(s, "time");
	h->key = c->key ? tl_column_find(s, c->key) : -1;
	h->from = tl_column_find(s, "from");
	h->to = tl_column_find(s, "to");
	h->number = tl_column_find(s, "count");
	if (h->groups)
		tl_table_each(h->groups, show_used, h);
	/* of no key: a process can have an empty name */
	if (!h->shown && !(h->groups && tl_out_takes_histograms(s->out)) &&
	    (c->always || tl_hist_used(h->all.hist)))
		show(h, (struct tl_str){ 0 }, &h->all);
	return tl_counts_missed(&h->missed);
}

static int on_interval(struct tl_session *s, uint64_t ns)
{
	return tl_hists_show(s, tl_part_find(s, &hists_ops), ns);
}

void tl_hists_interval(struct tl_session *s, uint64_t interval,
		       unsigned int count)
{
	tl_interval(s, interval, count, on_interval);
}
