// SPDX-License-Identifier: GPL-2.0-or-later
/* perf-stat-hist - histogram of a tracepoint's variable */
#include <errno.h>
#include <stdio.h>

#include "tracelet.h"
#include "tracelet/buckets.h"
#include "tracelet/hist.h"
#include "tracelet/hists.h"
#include "tracelet/metrics.h"
#include "tracelet/named.h"
#include "tracelet/tally.h"
#include "tracelet/trigger.h"

#define DEFAULT_POWER 4
#define DEFAULT_MAX   1048576

/*
 * Events are read and counted here, unless --in-kernel asks for a hist trigger.
 * Per read of one byte on 6.12, in instructions (tests/guest/work/values.c):
 * 702 for the traced program and 188 for us, or 918 and 2.  So a trigger slows
 * down the program by a third more, and saves nothing in all.  It also counts
 * by value: an address or a time fills any table, which cannot be foreseen.
 * What it has for it is that no buffer can overflow.
 *
 * The table: 1.7 MB, and 11 million instructions to set up; when it is full 36
 * to read, 217 at first.  One of 65,536: 12 MB, 88, 321, and 2,671 at first.
 */
#define TABLE_SIZE 8192

static struct {
	struct tl_buckets buckets;
	const char *filter;
	uint64_t interval;
	bool in_kernel;
	const char *tracepoint, *variable;
	struct tl_field field;
	struct tl_hists *hists;
	struct tl_hist *hist; /* the only one */
	struct tl_trigger *trigger;
	struct tl_tally *seen; /* what it had counted by the last interval */
} env;

static const struct tl_opt options[] = {
	TL_BUCKETS_OPTIONS(env.buckets, "4", "1048576"),
	{ 'f', NULL, "FILTER", "only events that this kernel filter lets pass",
	  TL_OPT_STRING, &env.filter },
	{ 'i', "interval", "SECS", "print a histogram every SECS seconds",
	  TL_OPT_INTERVAL, &env.interval },
	{ 0, "in-kernel", NULL, "count in the kernel: for floods of events",
	  TL_OPT_FLAG, &env.in_kernel },
	{ 0 }
};

static const struct tl_column columns[] = TL_BUCKETS_COLUMNS;

/* ---- counting --------------------------------------------------------- */

static void on_event(struct tl_session *s, const struct tl_record *r)
{
	tl_hist_add_number(env.hist, (uint64_t)tl_field_num(r, &env.field),
			   env.field.is_signed, 1);
}

/* A key of the kernel's is as large as its place: an int may be less of it. */
static void on_count(void *ctx, uint64_t value, uint64_t times)
{
	if (env.field.is_signed && env.field.size == sizeof(int32_t))
		value = (uint64_t)(int32_t)value;
	tl_hist_add_number(env.hist, value, env.field.is_signed, times);
}

static int on_interval(struct tl_session *s, uint64_t ns)
{
	int ret = 0;

	/* what cannot be taken now is taken at the next interval, if there is one */
	if (env.trigger)
		ret = tl_trigger_since(env.trigger, env.seen, on_count, NULL);
	return tl_hists_show(s, env.hists, ns) ?: ret;
}

/* ---- set-up ----------------------------------------------------------- */

static int count_in_kernel(struct tl_session *s, struct tl_event *ev)
{
	char keys[256];

	snprintf(keys, sizeof(keys), "keys=%s", env.variable);
	env.seen = tl_tally_new();
	if (!env.seen)
		return -ENOMEM;
	env.trigger = tl_trigger_hist(s, ev, keys, TABLE_SIZE, env.filter ?: "",
				      "leave out --in-kernel");
	return env.trigger ? 0 : -errno;
}

static void print_banner(struct tl_session *s)
{
	char what[256], points[80], every[40] = "", until[40];

	tl_buckets_text(&env.buckets, points);
	if (env.interval)
		snprintf(every, sizeof(every), "every %.10g seconds, ",
			 (double)env.interval / 1e9);
	tl_duration_text(s, until);
	snprintf(what, sizeof(what), "Tracing %s%s", env.tracepoint,
		 tl_banner_who(s));
	tl_banner_as(s, what, "%s%s%s%s, %s, %s%s...", what,
		     env.filter ? " (Filter: " : "", env.filter ?: "",
		     env.filter ? ")" : "", points, every, until);
}

static int setup(struct tl_session *s)
{
	const struct tl_hists_config shown = tl_buckets_config(&env.buckets);
	struct tl_event *ev = tl_event_add_by_name(s, env.tracepoint, on_event);
	int ret = ev ? tl_event_numeric_field(s, ev, env.variable, &env.field)
		     : -errno;

	if (ret)
		return ret;
	env.hists = tl_hists_open(s, &shown);
	env.hist = env.hists ? tl_hists_of(env.hists, (struct tl_str){ "", 0 })
			     : NULL;
	if (!env.hist)
		return -ENOMEM;
	print_banner(s);
	tl_metric_label(s, "event", env.tracepoint);
	tl_metric_label(s, "variable", env.variable);
	tl_interval(s, env.interval, 0, on_interval);
	if (env.in_kernel)
		return count_in_kernel(s, ev);
	return tl_event_filter(s, ev, env.filter ?: "");
}

static int check(struct tl_session *s)
{
	return tl_limit(s, "--in-kernel", env.in_kernel, tl_trigger_check);
}

static int args(struct tl_session *s, int argc, char **argv)
{
	if (argc < 2)
		return tl_usage(
			"which tracepoint, and which of its variables?");
	if (argc > 3)
		return tl_usage("unexpected argument \"%s\"", argv[3]);
	if (env.in_kernel && tl_settings_who(tl_settings(s)))
		return tl_usage("--in-kernel counts for all: not with -p, -L, "
				"--cgroup or -n");
	env.tracepoint = argv[0];
	env.variable = argv[1];
	if (argc > 2 && tl_set_duration(s, "seconds", argv[2]))
		return -EINVAL;
	return tl_buckets_args(&env.buckets, DEFAULT_POWER, DEFAULT_MAX);
}

static const struct tl_tool perf_stat_hist = {
	.name = "perf-stat-hist",
	.summary = "histogram of a tracepoint's variable",
	.synopsis = "tracepoint variable [seconds]",
	.examples = {
		{ "perf-stat-hist net:net_dev_xmit len 10",
		  "sizes of packets that are sent" },
		{ "perf-stat-hist syscalls:sys_exit_read ret 5",
		  "of what is read" },
		{ "perf-stat-hist -i 1 -f 'ret > 0' syscalls:sys_exit_read ret",
		  "every second, without errors" },
	},
	.options = options,
	.columns = columns,
	.quiet = true,
	.args = args,
	.check = check,
	.setup = setup,
};

TL_MAIN(perf_stat_hist)
