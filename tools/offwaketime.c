// SPDX-License-Identifier: GPL-2.0-or-later
/* offwaketime - sum up off-CPU time by stack, and by who ends it */
#include <string.h>

#include "tracelet.h"
#include "tracelet/offcpu.h"

#define MAX_CHAIN (TL_STACK_SUMS_THREADS - 1)

static struct tl_offcpu env = {
	.shown = { .by = TL_STACK_SUMS_BY_DEFAULT,
		   .layout = TL_STACK_CHAIN,
		   .palette = TL_FLAME_SLEEPS,
		   .what = "off-CPU time",
		   .how = "by stack and waker",
		   .title = "Off-CPU time, and who ended it",
		   .unit = "times off a processor",
		   .others = 1 },
	.sched = { .left = true, .wakers = 1 },
};

static const struct tl_opt options[] = {
	{ 0, "chain", "N",
	  "who woke the waker, too, and so on: N threads, 4 at most (1)",
	  TL_OPT_UINT | TL_OPT_RECORDED, &env.shown.others, .min = 1,
	  .max = MAX_CHAIN },
	TL_OFFCPU_OPTIONS(env),
	TL_OFFCPU_LEFT_OPTIONS(env),
	{ 0 }
};

static void on_off(struct tl_session *s, const struct tl_sched_slice *slice)
{
	struct tl_stack_of threads[TL_STACK_SUMS_THREADS] = {
		{ .tid = slice->tid, .stack = slice->stack }
	};
	const unsigned int count = slice->ended ? slice->waker_count : 0;
	uint64_t ns;

	if (!tl_offcpu_counts(&env, slice, &ns))
		return;
	memcpy(threads + 1, slice->wakers, count * sizeof(*threads));
	tl_stack_sums_add(s, env.sums, threads, 1 + count, ns, slice->ended);
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
	env.sched.wakers = env.shown.others;
	/* who woke a waker counts, too, that is not asked for */
	env.sched.everyone = env.shown.others > 1;
	env.sched.slice = on_off;
	return tl_offcpu_args(s, &env);
}

static const struct tl_tool offwaketime = {
	.name = "offwaketime",
	.summary = "sum up off-CPU time by stack, and by who ends it",
	.examples = {
		{ "offwaketime", "where threads sleep, and who wakes them, at "
				 "Ctrl-C" },
		{ "offwaketime -p 1234 --chain=3 10 1",
		  "10 seconds of one process, with who woke the waker" },
		{ "offwaketime --flamegraph=chain.svg -d 30",
		  "30 seconds as a picture" },
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

TL_MAIN(offwaketime)
