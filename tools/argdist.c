// SPDX-License-Identifier: GPL-2.0-or-later
/* argdist - count values of events and of functions' arguments */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracelet.h"
#include "tracelet/btf.h"
#include "tracelet/buckets.h"
#include "tracelet/capture.h"
#include "tracelet/hist.h"
#include "tracelet/hists.h"
#include "tracelet/instead.h"
#include "tracelet/kprobe.h"
#include "tracelet/metrics.h"
#include "tracelet/spec.h"
#include "tracelet/table.h"
#include "tracelet/uprobe.h"
#include "tracelet/values.h"

/* Different values of an interval: a user can make any number of them. */
#define MAX_VALUES 65536
#define MAX_BYTES  (64U << 20)

/* Rows of text, where the user asks for no other number. */
#define TOP 20

static struct {
	bool counts, histogram;
	struct tl_buckets buckets;
	const char *filter;
	uint64_t interval;
	bool date, force;
	unsigned int top;
	char *asked;   /* the event or function */
	char **values; /* and which of its values */
	unsigned int count;
	struct tl_hists *hists;
	struct tl_hist *hist;   /* -H: the only one */
	struct tl_table *table; /* -C: how often each key came */
	uint64_t unread, missed;
	uint64_t times, keys; /* of those that --top leaves out */
} env = { .top = UINT_MAX };

static const struct tl_opt options[] = {
	{ 'C', "count", NULL, "count each value (the default)", TL_OPT_FLAG,
	  &env.counts, "what" },
	{ 'H', "histogram", NULL, "a histogram of numbers", TL_OPT_FLAG,
	  &env.histogram, "what" },
	{ 'f', NULL, "FILTER", "only events that this kernel filter lets pass",
	  TL_OPT_STRING, &env.filter },
	{ 'i', "interval", "SECS", "print values every SECS seconds",
	  TL_OPT_INTERVAL, &env.interval },
	{ 'T', NULL, NULL, "print the date before them", TL_OPT_FLAG,
	  &env.date },
	{ 0, "top", "N",
	  "in text, only the N most frequent values (20); 0: all", TL_OPT_UINT,
	  &env.top },
	TL_BUCKETS_OPTIONS(env.buckets, "2", "no end"),
	{ 'F', "force", NULL, "also very many functions", TL_OPT_FLAG,
	  &env.force },
	{ 0 }
};

enum { TIME, TIMES, VALUES };

static const struct tl_column columns[] = {
	[TIME] = { "TIMEs", "time", 0, TL_TIME, TL_SHOW_DATA },
	[TIMES] = { "COUNT", "count", 8, TL_INT,
		    .metric =
			    TL_COUNTER("events", "Events with these values") },
	[VALUES] = { "VALUES", "values", 0, TL_FIELDS, .metric = TL_LABEL },
	{ 0 }
};

static const struct tl_column hist_columns[] = TL_BUCKETS_COLUMNS;

/* ---- counting --------------------------------------------------------- */

static void on_number(struct tl_session *s, const struct tl_record *r)
{
	uint64_t number;
	bool is_signed;

	if (tl_values_number(s, r, &number, &is_signed))
		tl_hist_add_number(env.hist, number, is_signed, 1);
	else
		env.unread++;
}

static void on_values(struct tl_session *s, const struct tl_record *r)
{
	bool known;
	struct tl_str key = tl_values_key(s, r, &known);
	uint64_t *times = key.text ? tl_table_at(env.table, key) : NULL;

	if (times)
		++*times;
	env.missed += !key.text;
	env.unread += !known;
}

/* ---- output ----------------------------------------------------------- */

static void put(struct tl_session *s, const struct tl_table_entry *e,
		uint64_t ns)
{
	const uint64_t times = *(const uint64_t *)e->value;

	env.times -= times;
	env.keys--;
	tl_put_int(s, TIME, (int64_t)ns);
	tl_put_int(s, TIMES, (int64_t)times);
	tl_put_list(s, VALUES, tl_values_list(s, e->key), env.count, false);
	tl_row(s);
}

static void add_up(void *ctx, struct tl_str key, void *value)
{
	env.times += *(const uint64_t *)value;
	env.keys++;
}

static int most_first(const struct tl_table_entry *a,
		      const struct tl_table_entry *b)
{
	return tl_table_by_count(b, a);
}

static int show_counts(struct tl_session *s, uint64_t ns)
{
	const struct tl_settings *set = tl_settings(s);
	const struct tl_table_view view = {
		.order = most_first,
		.top = set->json || set->csv ? 0
		       : env.top == UINT_MAX ? TOP
					     : env.top,
		.put = put,
		.counts = "events",
		.keys = "different values",
	};
	int ret;

	env.times = env.keys = 0;
	tl_table_each(env.table, add_up, NULL);
	tl_header(s);
	ret = tl_table_show(s, env.table, &view, ns);
	if (env.keys)
		tl_print(s, "%8llu in %llu other values",
			 (unsigned long long)env.times,
			 (unsigned long long)env.keys);
	return ret;
}

static int on_interval(struct tl_session *s, uint64_t ns)
{
	if (env.histogram)
		return tl_hists_show(s, env.hists, ns);
	if (env.interval)
		tl_print(s, "%s", "");
	if (env.date)
		tl_print_date(s, ns);
	return show_counts(s, ns);
}

static int on_end(struct tl_session *s)
{
	if (env.unread)
		tl_warn("%llu event%s had values that could not be read%s",
			(unsigned long long)env.unread,
			env.unread == 1 ? "" : "s",
			env.histogram ? ": not counted" : "");
	tl_instead_report(s);
	return tl_counts_missed(&env.missed);
}

/* ---- set-up ----------------------------------------------------------- */

static int added(struct tl_session *s, struct tl_event *ev, const char *name)
{
	return tl_values_of(s, ev)
		       ?: env.filter ? tl_values_filter(s, ev, env.filter)
				     : 0;
}

static int open_counts(void)
{
	env.table = tl_table_new(sizeof(uint64_t), NULL);
	if (!env.table)
		return -ENOMEM;
	tl_table_limit(env.table, MAX_VALUES);
	tl_table_limit_bytes(env.table, MAX_BYTES);
	return 0;
}

static int open_histogram(struct tl_session *s)
{
	struct tl_hists_config shown = tl_buckets_config(&env.buckets);
	int ret = tl_columns(s, hist_columns);

	if (ret)
		return ret;
	shown.used_only = true;
	shown.date = env.date;
	env.hists = tl_hists_open(s, &shown);
	env.hist = env.hists ? tl_hists_of(env.hists, (struct tl_str){ "", 0 })
			     : NULL;
	return env.hist ? 0 : -ENOMEM;
}

static int add(struct tl_session *s, struct tl_spec *spec)
{
	const struct tl_kprobe_config config = {
		.force = env.force,
		.expect = !env.filter,
		.each = true,
		.numbers = env.histogram,
		.faults = true,
		.handler = env.histogram ? on_number : on_values,
		.added = added,
	};
	const char *words = tl_banner_words(s, env.values, env.count);
	char *args = strdup(words);
	int ret = args ? tl_spec_add(s, spec, args, &config) : -ENOMEM;

	free(args);
	return ret;
}

static bool is_return(void)
{
	unsigned int i;

	for (i = 0; i < env.count; i++)
		if (strstr(env.values[i], "$retval"))
			return true;
	return false;
}

static int setup(struct tl_session *s)
{
	struct tl_spec spec;
	int ret = env.histogram ? open_histogram(s) : open_counts();

	tl_spec_find(s, &spec, env.asked, true);
	spec.is_return |= is_return();
	ret = ret ?: tl_values_open(s, env.values, env.count, env.histogram)
		  ?: add(s, &spec);
	if (ret)
		return ret;
	tl_banner(s, "%s of %s at %s%s%s",
		  env.histogram ? "Histogram" : "Counts",
		  tl_banner_words(s, env.values, env.count),
		  spec.is_return && strncmp(env.asked, "r:", 2) ? "r:" : "",
		  env.asked, tl_banner_who(s));
	tl_metric_label(s, "event", env.asked);
	tl_interval(s, env.interval, 0, on_interval);
	return 0;
}

static int check(struct tl_session *s)
{
	return tl_limit(s, "functions", false, tl_kprobe_check) ?:
	       tl_limit(s, "arguments by name", false, tl_btf_check) ?:
	       tl_limit(s, "FILE:FUNCTION", false, tl_uprobe_check);
}

/* What is asked for is of each call, unless it is of the return. */
static int take_values(int argc, char **argv)
{
	static char *retval[] = { "$retval" };

	env.values = argv + 1;
	env.count = (unsigned int)argc - 1;
	if (argc == 1 && !strncmp(argv[0], "r:", 2)) {
		env.values = retval;
		env.count = 1;
	}
	if (!env.count)
		return tl_usage("which values of %s?", argv[0]);
	if (env.histogram && env.count > 1)
		return tl_usage("-H is of one value: \"%s\" is another one",
				env.values[1]);
	return 0;
}

/* Those of the other way to show values; a capture may bring them along. */
static int check_options(struct tl_session *s)
{
	const struct tl_buckets *b = &env.buckets;

	if (tl_settings(s)->read)
		return 0;
	if (env.histogram && env.top != UINT_MAX)
		return tl_usage("--top is for counts, not for -H");
	if (!env.histogram && (b->list || b->power || b->max))
		return tl_usage("-%c is for -H", b->list    ? 'b'
						 : b->power ? 'P'
							    : 'm');
	return 0;
}

static int args(struct tl_session *s, int argc, char **argv)
{
	if (!argc)
		return tl_usage("which event or function, and which values?");
	env.asked = argv[0];
	if (check_options(s) || tl_spec_check(env.asked, true) ||
	    take_values(argc, argv) || tl_values_check(env.values, env.count) ||
	    tl_args_recorded(s, argc, argv, NULL))
		return -EINVAL;
	return tl_buckets_args(&env.buckets, 2, INT64_MAX);
}

static const struct tl_tool argdist = {
	.name = "argdist",
	.summary = "count values of events and of functions' arguments",
	.synopsis = "event|function|file:function value...",
	.examples = {
		{ "argdist -d 10 block:block_rq_issue rwbs bytes",
		  "which disk I/O there is, and how much at a time" },
		{ "argdist -H vfs_read count",
		  "how much programs want to read" },
		{ "argdist -H -i 1 r:libc:malloc",
		  "what a function of a library returns, every second" },
	},
	.options = options,
	.columns = columns,
	.buffer_kb = 8192,
	.quiet = true,
	.args = args,
	.check = check,
	.setup = setup,
	.end = on_end,
};

TL_MAIN(argdist)
