// SPDX-License-Identifier: GPL-2.0-or-later
/* profile - sample in which functions processors are, by stack */
#include <errno.h>

#include "tracelet.h"
#include "tracelet/heatmap.h"
#include "tracelet/sample.h"
#include "tracelet/stacksums.h"

static struct {
	unsigned int frequency, top;
	struct tl_stack_sums_config shown;
	struct tl_sampling sampling;
	struct tl_stack_sums *sums;
} env = {
	.frequency = 99,
	.top = 20,
	.shown = { .by = TL_STACK_SUMS_BY_DEFAULT,
		   .layout = TL_STACK_TABLE,
		   .title = "On-CPU time",
		   .unit = "samples" },
};

static const struct tl_opt options[] = {
	{ 'F', "frequency", "HZ", "samples a second on each processor (99)",
	  TL_OPT_UINT, &env.frequency, NULL, 1, TL_SAMPLE_MOST },
	{ 'I', "include-idle", NULL, "processors, too, that do nothing",
	  TL_OPT_FLAG, &env.sampling.idle },
	TL_STACK_SUMS_OPTIONS_BY(env.shown, TL_STACK_SUMS_BY "|cpu", "process"),
	{ 0, "top", "N", "in text, only the N hottest stacks (20); 0: all",
	  TL_OPT_UINT, &env.top },
	{ 0 }
};

static void on_sample(struct tl_session *s, const struct tl_sample *sample)
{
	const struct tl_stack_of thread = {
		.tid = tl_by_id(env.shown.by, sample->tid, sample->cpu),
		.stack = sample->stack,
	};

	tl_stack_sums_add(s, env.sums, &thread, 1,
			  tl_samples_period(&env.sampling), 1);
	/* a processor that is idle is what is not in the picture */
	if (sample->tid)
		tl_pictured(s, sample->ns, 0);
}

static int on_end_of_time(struct tl_session *s, uint64_t ns)
{
	int ret = tl_stack_sums_show(s, env.sums, ns);

	if (!env.shown.folded && !env.shown.flame)
		tl_samples_print(s, ns);
	return ret;
}

static int on_end(struct tl_session *s)
{
	return tl_stack_sums_end(s, env.sums);
}

static void fill_in(void)
{
	env.sampling.frequency = env.frequency;
	env.sampling.kinds = tl_stack_sums_kinds(&env.shown);
	env.sampling.sample = on_sample;
}

static int args(struct tl_session *s, int argc, char **argv)
{
	if (env.shown.by == TL_STACK_SUMS_BY_DEFAULT && !env.shown.folded &&
	    !env.shown.flame)
		env.shown.by = TL_BY_PID;
	env.shown.top = env.top;
	fill_in();
	return tl_stack_sums_args(s, &env.shown);
}

static int check(struct tl_session *s)
{
	fill_in();
	return tl_samples_check(s, &env.sampling);
}

static int setup(struct tl_session *s)
{
	int ret;

	env.sums = tl_stack_sums_open(s, &env.shown);
	if (!env.sums)
		return -errno;
	ret = tl_samples_open(s, &env.sampling);
	if (ret)
		return ret;
	env.shown.folded_ns = tl_samples_period(&env.sampling);
	if (!env.shown.folded)
		tl_banner(s, "Sampling at %llu Hz%s",
			  (unsigned long long)env.sampling.frequency,
			  tl_banner_for(s));
	tl_interval(s, 0, 0, on_end_of_time);
	return 0;
}

static const struct tl_tool profile = {
	.name = "profile",
	.summary = "sample in which functions processors are, by stack",
	.examples = {
		{ "profile 10", "what keeps the processors busy, for 10 seconds" },
		{ "profile -p 1234", "the same of one process, until Ctrl-C" },
		{ "profile --flamegraph=cpu.svg 30", "a picture of it" },
	},
	.options = options,
	.operands = TL_OPERANDS({ "duration", TL_OPT_DURATION }),
	.columns = TL_STACK_SUMS_COLUMNS,
	.pictured = { .unit = "samples", .told = true },
	.flags = TL_FILTERS_TASKS,
	.quiet = true,
	.args = args,
	.check = check,
	.setup = setup,
	.end = on_end,
};

TL_MAIN(profile)
