// SPDX-License-Identifier: GPL-2.0-or-later
/* cpudist - summarize how long threads run, or stay away from a processor */
#include <errno.h>

#include "tracelet.h"
#include "tracelet/latencies.h"
#include "tracelet/metrics.h"
#include "tracelet/sched.h"

static struct {
	bool off, idle;
	uint64_t interval;
	unsigned int count;
	struct tl_latencies_config shown;
	struct tl_sched_config sched;
	struct tl_latencies *times;
} env = { .shown = { .by = TL_BY_NOTHING } };

static const struct tl_opt options[] = {
	{ 'O', "offcpu", NULL, "time between two runs instead of that of runs",
	  TL_OPT_FLAG, &env.off },
	{ 'I', "include-idle", NULL, "the time of idle processors too",
	  TL_OPT_FLAG, &env.idle },
	TL_LATENCIES_OPTIONS(env.shown),
	{ 0 }
};

/* Of what was cut by the begin or the end nobody knows how long it was. */
static void on_slice(struct tl_session *s, const struct tl_sched_slice *slice)
{
	if (slice->began && slice->ended)
		tl_latencies_add(s, env.times, slice->tid, slice->cpu,
				 slice->to, slice->to - slice->since);
}

static int on_interval(struct tl_session *s, uint64_t ns)
{
	return tl_latencies_show(s, env.times, ns);
}

static int setup(struct tl_session *s)
{
	const char *what = env.off ? "off-CPU" : "on-CPU";

	env.times = tl_latencies_open(s, &env.shown);
	if (!env.times)
		return -errno;
	tl_banner(s, "Tracing %s time%s", what, tl_banner_for(s));
	tl_metric_label(s, "time", what);
	tl_interval(s, env.interval, env.count, on_interval);
	return tl_sched_open(s, &env.sched);
}

static int check(struct tl_session *s)
{
	return tl_sched_check(s, &env.sched);
}

static int args(struct tl_session *s, int argc, char **argv)
{
	if (env.off && env.idle)
		return tl_usage("-I is for time that a processor spends: not "
				"with -O");
	if (env.idle && tl_settings_who(tl_settings(s)))
		return tl_usage("-I is for all that a processor does: not with "
				"-p, -L, -n or --cgroup");
	env.shown.title = env.off ? "Off-CPU time" : "On-CPU time";
	env.shown.unit = env.off ? "off-CPU times" : "runs";
	env.sched.kinds = env.off ? TL_SCHED_OFF : TL_SCHED_RUN;
	env.sched.idle = env.idle;
	env.sched.slice = on_slice;
	return tl_latencies_args(s, &env.shown);
}

static const struct tl_tool cpudist = {
	.name = "cpudist",
	.summary = "summarize how long threads run, or stay off a processor",
	.examples = {
		{ "cpudist", "how long threads run, at Ctrl-C" },
		{ "cpudist -O -p 1234 5", "how long those of one process are "
					  "away, again each 5 seconds" },
		{ "cpudist --percentiles --by=cpu 1",
		  "a line for each processor, each second" },
	},
	.options = options,
	.operands = TL_OPERANDS_INTERVAL(env.interval, env.count),
	.columns = TL_LATENCIES_COLUMNS(
		"time_seconds",
		"How long threads ran at a time, or with -O were away"),
	.flags = TL_FILTERS_CPUS,
	.buffer_kb = 8192,
	.args = args,
	.check = check,
	.setup = setup,
};

TL_MAIN(cpudist)
