// SPDX-License-Identifier: GPL-2.0-or-later
/* hardirqs - add up how long handlers of interrupts run */
#include "tracelet.h"
#include "tracelet/irqtimes.h"

static struct tl_irq_times env = {
	.shown = { .title = "Time of hard interrupts", .unit = "interrupts" },
	.irq = { .kinds = TL_IRQ_HARD },
	.what = "hard interrupts",
};

static const struct tl_opt options[] = { TL_IRQ_TIMES_OPTIONS(env), { 0 } };

static int args(struct tl_session *s, int argc, char **argv)
{
	return tl_irq_times_args(s, &env);
}

static int check(struct tl_session *s)
{
	return tl_irq_times_check(s, &env);
}

static int setup(struct tl_session *s)
{
	return tl_irq_times_setup(s, &env);
}

static const struct tl_tool hardirqs = {
	.name = "hardirqs",
	.summary = "add up how long handlers of interrupts run",
	.examples = {
		{ "hardirqs", "by interrupt, at Ctrl-C" },
		{ "hardirqs -P 1", "each second, by processor too" },
		{ "hardirqs -d -i 'nvme*' 10 1",
		  "10 seconds of one device, as histograms" },
	},
	.options = options,
	.operands = TL_OPERANDS_INTERVAL(env.interval, env.count),
	.columns = TL_IRQ_TIMES_COLUMNS("IRQ", "irq", TL_SHOW_ALL, "interrupt"),
	.quiet = true,
	.args = args,
	.check = check,
	.setup = setup,
};

TL_MAIN(hardirqs)
