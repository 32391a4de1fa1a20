// SPDX-License-Identifier: GPL-2.0-or-later
/* wakeuptime - sum up the time that threads sleep, by who wakes them */

#include "tracelet.h"
#include "tracelet/heatmap.h"
#include "tracelet/offcpu.h"

static struct tl_offcpu env = {
	.shown = { .by = TL_STACK_SUMS_BY_DEFAULT,
		   .layout = TL_STACK_WAKER,
		   .palette = TL_FLAME_WAKERS,
		   .what = "time of sleeps",
		   .how = "by waker",
		   .title = "Time until wakeup",
		   .unit = "sleeps",
		   .others = 1 },
	.sched = { .wakers = 1 },
};

static const struct tl_opt options[] = { TL_OFFCPU_OPTIONS(env), { 0 } };

/* One that was woken before it had left its processor did not sleep: it has no waker. */
static void on_off(struct tl_session *s, const struct tl_sched_slice *slice)
{
	struct tl_stack_of threads[2] = { { .tid = slice->tid } };
	uint64_t ns;

	if (!slice->ended || !slice->waker_count)
		return;
	ns = slice->woken - slice->since;
	if (!tl_offcpu_wants(&env, ns, slice->letter))
		return;
	threads[1] = slice->wakers[0];
	tl_stack_sums_add(s, env.sums, threads, 2, ns, 1);
	if (slice->began)
		tl_pictured(s, slice->woken, ns);
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

static const struct tl_tool wakeuptime = {
	.name = "wakeuptime",
	.summary = "sum up the time that threads sleep, by who wakes them",
	.examples = {
		{ "wakeuptime", "who ends the sleeps of all threads, at "
				"Ctrl-C" },
		{ "wakeuptime -p 1234 -m 1000 10",
		  "what one process waits for 1 ms or longer, each 10 seconds" },
		{ "wakeuptime --flamegraph=wakers.svg -d 30",
		  "30 seconds as a picture" },
	},
	.options = options,
	.operands = TL_OPERANDS_INTERVAL(env.interval, env.count),
	.columns = TL_STACK_SUMS_COLUMNS,
	.pictured = { .unit = "sleeps",
		      .latency = "Time until wakeup",
		      .told = true },
	.flags = TL_FILTERS_CPUS,
	.buffer_kb = 16384,
	.quiet = true,
	.args = args,
	.check = check,
	.setup = setup,
	.end = on_end,
};

TL_MAIN(wakeuptime)
