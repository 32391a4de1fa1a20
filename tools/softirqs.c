// SPDX-License-Identifier: GPL-2.0-or-later
/* softirqs - add up how long softirqs run, or wait to run */
#include "tracelet.h"
#include "tracelet/irqtimes.h"
#include "tracelet/metrics.h"

static bool delay;

static struct tl_irq_times env = { .shown = { .unit = "softirqs" } };

static const struct tl_opt options[] = {
	{ 'D', "delay", NULL,
	  "how long they wait to run, from when they are raised", TL_OPT_FLAG,
	  &delay },
	TL_IRQ_TIMES_OPTIONS(env),
	{ 0 }
};

static int args(struct tl_session *s, int argc, char **argv)
{
	if (delay && tl_settings_who(tl_settings(s)))
		return tl_usage("-D is of processors, whatever runs there: not "
				"with -p, -L, -n or --cgroup");
	env.irq.kinds = delay ? TL_IRQ_SOFT_WAIT : TL_IRQ_SOFT;
	env.what = delay ? "delay of softirqs" : "softirqs";
	env.shown.title = delay ? "Delay of softirqs" : "Time of softirqs";
	return tl_irq_times_args(s, &env);
}

static int check(struct tl_session *s)
{
	return tl_irq_times_check(s, &env);
}

static int setup(struct tl_session *s)
{
	tl_metric_label(s, "time", delay ? "delay" : "run");
	return tl_irq_times_setup(s, &env);
}

static const struct tl_tool softirqs = {
	.name = "softirqs",
	.summary = "add up how long softirqs run, or wait to run",
	.examples = {
		{ "softirqs", "by kind, at Ctrl-C" },
		{ "softirqs -D --percentiles 1",
		  "each second, how long they wait to run" },
		{ "softirqs -P -i NET_RX,NET_TX 1",
		  "those of the network, by processor" },
	},
	.options = options,
	.operands = TL_OPERANDS_INTERVAL(env.interval, env.count),
	.columns = TL_IRQ_TIMES_COLUMNS("VEC", "vec", TL_SHOW_DATA, "softirq"),
	.quiet = true,
	.args = args,
	.check = check,
	.setup = setup,
};

TL_MAIN(softirqs)
