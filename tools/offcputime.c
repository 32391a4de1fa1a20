// SPDX-License-Identifier: GPL-2.0-or-later
/* offcputime - sum up the time that threads are off a processor, by stack */

#include "tracelet.h"
#include "tracelet/offcpu.h"

static struct tl_offcpu env = {
	.shown = { .by = TL_STACK_SUMS_BY_DEFAULT,
		   .layout = TL_STACK_ONE,
		   .palette = TL_FLAME_SLEEPS,
		   .what = "off-CPU time",
		   .how = "by stack",
		   .title = "Off-CPU time",
		   .unit = "times off a processor" },
	.sched = { .left = true },
};

static const struct tl_opt options[] = { TL_OFFCPU_OPTIONS(env),
					 TL_OFFCPU_LEFT_OPTIONS(env),
					 { 0 } };

static void on_off(struct tl_session *s, const struct tl_sched_slice *slice)
{
	const struct tl_stack_of thread = { .tid = slice->tid,
					    .stack = slice->stack };
	uint64_t ns;

	if (!tl_offcpu_counts(&env, slice, &ns))
		return;
	tl_stack_sums_add(s, env.sums, &thread, 1, ns, slice->ended);
	tl_offcpu_pictured(s, slice);
}

static int on_end(struct tl_session *s)
{
	return tl_stack_sums_end(s, env.sums);
}

static int setup(struct tl_session *s)
{
	return tl_offcpu_setup(s, &env);
}

static int check(struct tl_session *s)
{
	return tl_offcpu_check(s, &env);
}

static int args(struct tl_session *s, int argc, char **argv)
{
	env.sched.slice = on_off;
	return tl_offcpu_args(s, &env);
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
	.pictured = { .unit = "off-CPU times",
		      .latency = "Off-CPU time",
		      .told = true },
	.flags = TL_FILTERS_CPUS,
	.buffer_kb = 16384,
	.quiet = true,
	.args = args,
	.check = check,
	.setup = setup,
	.end = on_end,
};

TL_MAIN(offcputime)
