// SPDX-License-Identifier: GPL-2.0-or-later
/* offwaketime - sum up off-CPU time by stack, and by who ends it */
#include <errno.h>
#include <string.h>

#include "tracelet.h"
#include "tracelet/sched.h"
#include "tracelet/stacksums.h"

#define MAX_CHAIN (TL_STACK_SUMS_THREADS - 1)

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
		   .layout = TL_STACK_CHAIN,
		   .palette = TL_FLAME_SLEEPS,
		   .what = "off-CPU time",
		   .how = "by stack and waker",
		   .title = "Off-CPU time, and who ended it",
		   .unit = "times off a processor",
		   .others = 1 },
};

static const struct tl_opt options[] = {
	{ 0, "chain", "N",
	  "who woke the waker, too, and so on: N threads, 4 at most (1)",
	  TL_OPT_UINT, &env.shown.others, .min = 1, .max = MAX_CHAIN },
	TL_STACK_SUMS_OPTIONS(env.shown),
	TL_SCHED_LIMITS_OPTIONS(env.limits),
	TL_SCHED_LETTERS_OPTIONS(env.limits, env.asleep),
	{ 0 }
};

static void on_off(struct tl_session *s, const struct tl_sched_slice *slice)
{
	struct tl_stack_of threads[TL_STACK_SUMS_THREADS] = {
		{ .tid = slice->tid, .stack = slice->stack }
	};
	const unsigned int count = slice->ended ? slice->waker_count : 0;

	if (!tl_sched_within(&env.limits, slice->to - slice->since,
			     slice->letter))
		return;
	memcpy(threads + 1, slice->wakers, count * sizeof(*threads));
	tl_stack_sums_add(s, env.sums, threads, 1 + count,
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
		.wakers = env.shown.others,
		/* who woke a waker counts, too, that is not asked for */
		.everyone = env.shown.others > 1,
		.stacks = tl_stack_sums_kinds(&env.shown),
		.slice = on_off,
	};
	return tl_sched_letters_check(env.limits.letters)
		       ?: tl_stack_sums_args(s, &env.shown);
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
	.flags = TL_FILTERS_CPUS,
	.buffer_kb = 16384,
	.quiet = true,
	.args = args,
	.check = check,
	.setup = setup,
	.end = on_end,
};

TL_MAIN(offwaketime)
