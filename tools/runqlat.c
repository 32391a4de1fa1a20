// SPDX-License-Identifier: GPL-2.0-or-later
/* runqlat - summarize how long threads wait for a processor */
#include <errno.h>
#include <string.h>

#include "tracelet.h"
#include "tracelet/latencies.h"
#include "tracelet/sched.h"
#include "tracelet/table.h"
#include "tracelet/who.h"

#define MAX_RUNNERS 10240 /* of an interval; what is more is "[others]" */
#define TOP         5

static struct {
	bool instead;
	uint64_t interval;
	unsigned int count;
	struct tl_latencies_config shown;
	struct tl_sched_config sched;
	struct tl_latencies *waits;
	struct tl_table *runners; /* struct runner; NULL: not asked for */
} env = {
	.shown = { .by = TL_BY_NOTHING,
		   .title = "Run queue latency",
		   .unit = "waits" },
	.sched = { .kinds = TL_SCHED_WAIT },
};

static const struct tl_opt options[] = {
	TL_LATENCIES_OPTIONS(env.shown),
	{ 0, "instead", NULL,
	  "with the five threads that others waited for most", TL_OPT_FLAG,
	  &env.instead },
	{ 0 }
};

/* Of --instead; what text has in front of them is a histogram. */
enum { TIME, COMM, TID, DELAY };

static const struct tl_column runners[] = {
	[TIME] = { "TIMEs", "time", -16, TL_TIME, TL_SHOW_DATA },
	[COMM] = { "COMM", "comm", -16, TL_STR, TL_SHOW_DATA },
	[TID] = { "TID", "tid", -7, TL_INT, TL_SHOW_DATA },
	[DELAY] = { "DELAYms", "delay", 10, TL_MSECS, TL_SHOW_DATA },
	{ 0 }
};

struct runner {
	struct tl_who who; /* a thread */
	uint64_t ns;
};

/* What ran is charged to each that waited for it: that is the delay it caused. */
static void count_runners(struct tl_session *s)
{
	static struct tl_sched_runner ran[1024];
	size_t i, n = tl_sched_ran(s, ran, sizeof(ran) / sizeof(ran[0]));
	struct runner *runner;

	for (i = 0; i < n; i++) {
		if (ran[i].tid < 0) /* longer ago than is kept */
			continue;
		runner = tl_table_who(s, env.runners, ran[i].tid);
		runner->ns += ran[i].ns;
	}
}

/* Of a wait whose begin was not seen nobody knows how long it was. */
static void on_wait(struct tl_session *s, const struct tl_sched_slice *slice)
{
	if (!slice->began || !slice->ended)
		return;
	tl_latencies_add(s, env.waits, slice->tid, slice->cpu, slice->to,
			 slice->to - slice->since);
	if (env.runners)
		count_runners(s);
}

/* ---- output ----------------------------------------------------------- */

static int most_first(const struct tl_table_entry *a,
		      const struct tl_table_entry *b)
{
	const struct runner *x = a->value, *y = b->value;

	return (x->ns < y->ns) - (x->ns > y->ns);
}

static void put_runner(struct tl_session *s, const struct tl_table_entry *e,
		       uint64_t ns)
{
	const struct runner *runner = e->value;

	tl_put_int(s, TIME, (int64_t)ns);
	tl_put_text(s, COMM, runner->who.comm);
	if (strcmp(runner->who.comm, "[others]"))
		tl_put_int(s, TID, runner->who.pid);
	tl_put_int(s, DELAY, (int64_t)runner->ns);
	tl_row(s);
}

static int show_runners(struct tl_session *s, uint64_t ns)
{
	static const struct tl_table_view view = {
		.order = most_first,
		.top = TOP,
		.put = put_runner,
	};
	unsigned int col;

	for (col = COMM; col <= DELAY; col++)
		tl_column_show(s, col, TL_SHOW_ALL);
	tl_print(s, "%s", "");
	tl_print(s, "Others waited for:");
	tl_header(s);
	return tl_table_show(s, env.runners, &view, ns);
}

static int on_interval(struct tl_session *s, uint64_t ns)
{
	int ret = tl_latencies_show(s, env.waits, ns);

	return env.runners ? show_runners(s, ns) ?: ret : ret;
}

/* ---- set-up ----------------------------------------------------------- */

static int open_runners(struct tl_session *s)
{
	if (!env.instead)
		return 0;
	env.runners = tl_table_by(TL_BY_TID, sizeof(struct runner), MAX_RUNNERS,
				  NULL);
	return env.runners ? tl_columns(s, runners) : -ENOMEM;
}

static int setup(struct tl_session *s)
{
	int ret = open_runners(s);

	if (ret)
		return ret;
	env.waits = tl_latencies_open(s, &env.shown);
	if (!env.waits)
		return -errno;
	env.sched.slice = on_wait;
	env.sched.everyone = env.sched.history = env.instead;
	tl_banner(s, "Tracing run queue latency%s", tl_banner_for(s));
	tl_interval(s, env.interval, env.count, on_interval);
	return tl_sched_open(s, &env.sched);
}

static int check(struct tl_session *s)
{
	return tl_sched_check(s, &env.sched);
}

static int args(struct tl_session *s, int argc, char **argv)
{
	if (env.instead && (env.shown.percentiles || env.shown.heatmap))
		return tl_usage("--instead is with the histogram: not with "
				"--percentiles or --heatmap");
	return tl_latencies_args(s, &env.shown);
}

static const struct tl_tool runqlat = {
	.name = "runqlat",
	.summary = "summarize how long threads wait for a processor",
	.examples = {
		{ "runqlat", "a histogram of all waits, at Ctrl-C" },
		{ "runqlat --percentiles --by=process 1",
		  "a line for each process, each second" },
		{ "runqlat --instead -p 1234 10 1",
		  "10 seconds of one process, and who ran meanwhile" },
	},
	.options = options,
	.operands = TL_OPERANDS_INTERVAL(env.interval, env.count),
	.columns = TL_LATENCIES_COLUMNS(
		"wait_seconds", "How long threads waited for a processor"),
	.flags = TL_FILTERS_CPUS,
	.buffer_kb = 8192,
	.args = args,
	.check = check,
	.setup = setup,
};

TL_MAIN(runqlat)
