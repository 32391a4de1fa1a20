// SPDX-License-Identifier: GPL-2.0-or-later
/* schedtop - top threads by the time that they run, wait and sleep */
#include <errno.h>

#include "tracelet.h"
#include "tracelet/heatmap.h"
#include "tracelet/sched.h"
#include "tracelet/table.h"
#include "tracelet/task.h"
#include "tracelet/who.h"

#define MAX_ROWS 10240 /* of an interval; what is more is "[others]" */

enum order { BY_RUN, BY_WAIT, BY_SLEEP, BY_SWITCHES, BY_LONGEST };

static struct {
	bool no_clear;
	unsigned int top, count, by, order;
	uint64_t interval;
	struct tl_sched_config sched;
	struct tl_table *table; /* struct sum by who */
	const char *utilization;
	struct tl_heatmap *map; /* NULL: not asked for */
} env = {
	.top = 20,
	.by = TL_BY_TID,
	.interval = 1000000000,
};

static const struct tl_opt options[] = {
	{ 'C', "no-clear", NULL, "do not clear the screen", TL_OPT_FLAG,
	  &env.no_clear },
	{ 't', "top", "N", "only the first N (20)", TL_OPT_COUNT, &env.top },
	{ 0, "by", TL_BY_WORDS, "a row for each (thread)", TL_OPT_WORD,
	  &env.by },
	{ 0, "sort", "run|wait|sleep|switches|longest",
	  "what has most comes first (run)", TL_OPT_WORD, &env.order },
	{ 0, "utilization", "FILE.svg",
	  "with --by=cpu: draw time against how busy processors are",
	  TL_OPT_STRING | TL_OPT_HERE, &env.utilization },
	{ 0 }
};

enum {
	TIME,
	PID,
	TID,
	COMM,
	CPU,
	CGROUP,
	RUN,
	WAIT,
	SLEEP,
	IDLE,
	VOLUNTARY,
	INVOLUNTARY,
	WAITS,
	AVERAGE,
	LONGEST,
	AT_CLOCK,
	AT
};

static const struct tl_column columns[] = {
	[TIME] = { "TIMEs", "time", -16, TL_TIME, TL_SHOW_DATA },
	TL_BY_COLUMNS,
	[RUN] = { "RUNms", "run", 10, TL_MSECS,
		  .metric = TL_COUNTER("run_seconds", "Time on a processor") },
	[WAIT] = { "WAITms", "wait", 10, TL_MSECS,
		   .metric = TL_COUNTER(
			   "wait_seconds",
			   "Time that threads were ready to run and did not") },
	[SLEEP] = { "SLEEPms", "sleep", 10, TL_MSECS,
		    .metric = TL_COUNTER("sleep_seconds",
					 "Time that threads slept") },
	[IDLE] = { "IDLEms", "idle", 10, TL_MSECS, TL_SHOW_NEVER },
	[VOLUNTARY] = { "VOL", "voluntary", 7, TL_INT,
			.metric = TL_COUNTER("voluntary_switches",
					     "Times that threads left a "
					     "processor by themselves") },
	[INVOLUNTARY] = { "INVOL", "involuntary", 7, TL_INT,
			  .metric = TL_COUNTER("involuntary_switches",
					       "Times that threads were taken "
					       "off a processor") },
	[WAITS] = { "WAITS", "waits", 7, TL_INT, TL_SHOW_DATA },
	[AVERAGE] = { "AVGms", "wait_average", 8, TL_MSECS },
	[LONGEST] = { "MAXms", "wait_max", 8, TL_MSECS },
	[AT_CLOCK] = { "MAXAT", "wait_max_clock", -8, TL_WALL_CLOCK,
		       TL_SHOW_TEXT },
	[AT] = { "MAXATs", "wait_max_time", -16, TL_TIME, TL_SHOW_DATA },
	{ 0 }
};

/* ---- sums ------------------------------------------------------------- */

struct sum {
	struct tl_who who;               /* of those in the table */
	uint64_t run, wait, sleep, idle; /* ns */
	uint64_t voluntary, involuntary; /* switches */
	uint64_t waits, waited;          /* that have ended; ns */
	uint64_t longest, at;            /* of these, and its end: ns */
};

static void add_wait(struct sum *sum, const struct tl_sched_slice *slice)
{
	uint64_t latency = slice->to - slice->since;

	sum->wait += slice->to - slice->from;
	if (!slice->began || !slice->ended)
		return;
	sum->waits++;
	sum->waited += latency;
	if (latency <= sum->longest)
		return;
	sum->longest = latency;
	sum->at = slice->to;
}

static void add_run(struct sum *sum, const struct tl_sched_slice *slice)
{
	if (!slice->tid) {
		sum->idle += slice->to - slice->from;
		return;
	}
	sum->run += slice->to - slice->from;
	if (!slice->ended)
		return;
	sum->involuntary += slice->letter == 'R';
	sum->voluntary += slice->letter != 'R';
}

/* A processor's sums are in the table, those of a thread with the thread. */
static void on_slice(struct tl_session *s, const struct tl_sched_slice *slice)
{
	struct sum *sum = slice->own;

	if (env.by == TL_BY_CPU)
		sum = tl_table_who(s, env.table, (pid_t)slice->cpu);
	if (env.map && slice->kind == TL_SCHED_RUN)
		tl_heatmap_usage(env.map, slice->cpu, slice->from, slice->to,
				 slice->tid);
	if (slice->kind == TL_SCHED_RUN)
		add_run(sum, slice);
	else if (slice->kind == TL_SCHED_WAIT)
		add_wait(sum, slice);
	else
		sum->sleep += slice->to - slice->from;
}

static void add_sum(struct sum *to, const struct sum *sum)
{
	to->run += sum->run;
	to->wait += sum->wait;
	to->sleep += sum->sleep;
	to->voluntary += sum->voluntary;
	to->involuntary += sum->involuntary;
	to->waits += sum->waits;
	to->waited += sum->waited;
	if (sum->longest <= to->longest)
		return;
	to->longest = sum->longest;
	to->at = sum->at;
}

/* What a thread did so far in this interval, to who it belongs to now. */
static void collect(struct tl_session *s, pid_t tid, void *own)
{
	static const struct sum nothing;
	struct sum *sum = own;

	if (!sum->run && !sum->wait && !sum->sleep)
		return;
	add_sum(tl_table_who(s, env.table, tid), sum);
	*sum = nothing;
}

/* ---- output ----------------------------------------------------------- */

static uint64_t rank(const struct sum *sum)
{
	switch (env.order) {
	case BY_WAIT:
		return sum->wait;
	case BY_SLEEP:
		return sum->sleep;
	case BY_SWITCHES:
		return sum->voluntary + sum->involuntary;
	case BY_LONGEST:
		return sum->longest;
	default:
		return sum->run;
	}
}

static int most_first(const struct tl_table_entry *a,
		      const struct tl_table_entry *b)
{
	uint64_t x = rank(a->value), y = rank(b->value);

	return (x < y) - (x > y);
}

static void put_waits(struct tl_session *s, const struct sum *sum)
{
	tl_put_int(s, WAITS, (int64_t)sum->waits);
	if (!sum->waits)
		return;
	tl_put_int(s, AVERAGE, (int64_t)(sum->waited / sum->waits));
	tl_put_int(s, LONGEST, (int64_t)sum->longest);
	tl_put_int(s, AT_CLOCK, (int64_t)sum->at);
	tl_put_int(s, AT, (int64_t)sum->at);
}

static void put(struct tl_session *s, const struct tl_table_entry *e,
		uint64_t ns)
{
	const struct sum *sum = e->value;

	/* who has slept all the time did nothing */
	if (env.by != TL_BY_CPU && env.order != BY_SLEEP && !sum->run &&
	    !sum->wait && !tl_settings(s)->metrics)
		return;
	tl_put_int(s, TIME, (int64_t)ns);
	tl_put_by(s, env.by, &sum->who);
	tl_put_int(s, RUN, (int64_t)sum->run);
	tl_put_int(s, WAIT, (int64_t)sum->wait);
	tl_put_int(s, SLEEP, (int64_t)sum->sleep);
	if (!tl_tasks_filtered(s))
		tl_put_int(s, IDLE, (int64_t)sum->idle);
	tl_put_int(s, VOLUNTARY, (int64_t)sum->voluntary);
	tl_put_int(s, INVOLUNTARY, (int64_t)sum->involuntary);
	put_waits(s, sum);
	tl_row(s);
}

/* Processors come in their order. */
static int on_interval(struct tl_session *s, uint64_t ns)
{
	const struct tl_table_view view = {
		.order = env.by == TL_BY_CPU ? NULL : most_first,
		.top = env.by == TL_BY_CPU ? 0 : env.top,
		.put = put,
	};

	tl_sched_cut(s, ns);
	tl_sched_each(s, collect);
	tl_top_begin(s, ns, !env.no_clear);
	return tl_table_show(s, env.table, &view, ns);
}

/* A map has what was after the last interval, too. */
static int on_end(struct tl_session *s)
{
	if (env.map)
		tl_sched_end(s);
	return 0;
}

/* ---- set-up ----------------------------------------------------------- */

static void show_columns(struct tl_session *s)
{
	tl_show_by(s, env.by, TL_SHOW_ALL);
	if (env.by != TL_BY_CPU)
		return;
	tl_column_show(s, SLEEP, TL_SHOW_NEVER);
	tl_column_show(s, IDLE, TL_SHOW_ALL);
}

static int open_map(struct tl_session *s)
{
	const struct tl_heatmap_config config = {
		.kind = TL_HEATMAP_USAGE,
		.path = env.utilization,
		.title = "Utilization of processors",
		.unit = "processors",
	};

	if (!env.utilization)
		return 0;
	env.map = tl_heatmap_open(s, &config);
	return env.map ? 0 : -EIO;
}

static int setup(struct tl_session *s)
{
	env.table = tl_table_by(env.by, sizeof(struct sum), MAX_ROWS, NULL);
	if (!env.table)
		return -ENOMEM;
	show_columns(s);
	tl_banner(s, "Tracing what threads do%s", tl_banner_for(s));
	tl_interval(s, env.interval, env.count, on_interval);
	return open_map(s) ?: tl_sched_open(s, &env.sched);
}

static int check(struct tl_session *s)
{
	return tl_sched_check(s, &env.sched);
}

static int args(struct tl_session *s, int argc, char **argv)
{
	const bool cpu = env.by == TL_BY_CPU;

	env.sched = (struct tl_sched_config){
		.kinds = TL_SCHED_RUN | TL_SCHED_WAIT | TL_SCHED_SLEEP,
		.idle = cpu,
		.self = cpu,
		.own = sizeof(struct sum),
		.slice = on_slice,
		.settle = collect,
	};
	if (cpu && env.order)
		return tl_usage("--sort is not for --by=cpu: processors come "
				"in their order");
	if (env.utilization && (!cpu || tl_settings_who(tl_settings(s))))
		return tl_usage("--utilization is of all that processors do: "
				"with --by=cpu, and not with -p, -L, -n or "
				"--cgroup");
	return tl_heatmap_check_file(s, "--utilization", env.utilization)
		       ?: tl_by_check(s, env.by);
}

static const struct tl_tool schedtop = {
	.name = "schedtop",
	.summary = "top threads by the time that they run, wait and sleep",
	.examples = {
		{ "schedtop", "who runs most, again each second" },
		{ "schedtop --sort=longest --by=process 5",
		  "who had to wait longest, again each 5 seconds" },
		{ "schedtop --by=cpu -C 1 10",
		  "how busy each processor is, in ten tables" },
	},
	.options = options,
	.operands = TL_OPERANDS_INTERVAL(env.interval, env.count),
	.columns = columns,
	.flags = TL_FILTERS_CPUS,
	.buffer_kb = 8192,
	.quiet = true,
	.args = args,
	.check = check,
	.setup = setup,
	.end = on_end,
};

TL_MAIN(schedtop)
