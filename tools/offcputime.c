// SPDX-License-Identifier: GPL-2.0-or-later
/* offcputime - sum up the time that threads are off a processor, by stack */
#include <errno.h>

#include "tracelet.h"
#include "tracelet/sched.h"
#include "tracelet/stacksums.h"

static struct {
	struct tl_sched_limits limits;
	bool asleep;
	uint64_t interval;
	unsigned int count;
	struct tl_stack_sums_config shown;
	struct tl_sched_config sched;
	struct tl_stack_sums *sums;
} env = {
	.shown = { .by = TL_STACK_SUMS_BY_DEFAULT,
		   .layout = TL_STACK_ONE,
		   .palette = TL_FLAME_SLEEPS,
		   .what = "off-CPU time",
		   .how = "by stack",
		   .title = "Off-CPU time",
		   .unit = "times off a processor" },
};

static const struct tl_opt options[] = { TL_STACK_SUMS_OPTIONS(env.shown),
					 TL_SCHED_LIMITS_OPTIONS(env.limits),
					 TL_SCHED_LETTERS_OPTIONS(env.limits,
								  env.asleep),
					 { 0 } };

static void on_off(struct tl_session *s, const struct tl_sched_slice *slice)
{
	const struct tl_stack_of thread = { .tid = slice->tid,
					    .stack = slice->stack };

	if (tl_sched_within(&env.limits, slice->to - slice->since,
			    slice->letter))
		tl_stack_sums_add(s, env.sums, &thread, 1,
				  slice->to - slice->from, slice->ended);
}

static int on_interval(struct tl_session *s, uint64_t ns)
{
	tl_sched_cut(s, ns);
	return tl_stack_sums_show(s, env.sums, ns);
}

static int on_end(struct tl_session *s)
{
	return tl_stack_sums_end(s, env.sums);
}

static int setup(struct tl_session *s)
{
	env.sums = tl_stack_sums_open(s, &env.shown);
	if (!env.sums)
		return -errno;
	tl_interval(s, env.interval, env.count, on_interval);
	return tl_sched_open(s, &env.sched);
}

static int check(struct tl_session *s)
{
	return tl_sched_check(s, &env.sched);
}

static int args(struct tl_session *s, int argc, char **argv)
{
	env.sched = (struct tl_sched_config){
		.kinds = TL_SCHED_OFF,
		.asleep = env.asleep || tl_settings_who(tl_settings(s)),
		.left = true,
		.letters = env.limits.letters,
		.stacks = tl_stack_sums_kinds(&env.shown),
		.slice = on_off,
	};
	return tl_sched_letters_check(env.limits.letters)
		       ?: tl_stack_sums_args(s, &env.shown);
}

static const struct tl_tool offcputime = {
	.name = "offcputime",
	.summary = "sum up the time that threads are off a processor, by stack",
	.examples = {
		{ "offcputime", "where all threads sleep and wait, at Ctrl-C" },
		{ "offcputime -p 1234 -f 10 1 >out.folded",
		  "10 seconds of one process, for a flame graph" },
		{ "offcputime --state=D --flamegraph=io.svg -d 30",
		  "a picture of what waits for disks" },
	},
	.options = options,
	.operands = TL_OPERANDS_INTERVAL(env.interval, env.count),
	.columns = TL_STACK_SUMS_COLUMNS,
	.flags = TL_FILTERS_CPUS,
	.buffer_kb = 16384,
	.quiet = true,
	.args = args,
	.check = check,
	.setup = setup,
	.end = on_end,
};

TL_MAIN(offcputime)
