// SPDX-License-Identifier: GPL-2.0-or-later
/* stackcount - count events and calls of functions by stack, or sum up what they move */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracelet.h"
#include "tracelet/capture.h"
#include "tracelet/hits.h"
#include "tracelet/instead.h"
#include "tracelet/kprobe.h"
#include "tracelet/spec.h"
#include "tracelet/stacksums.h"
#include "tracelet/uprobe.h"

static struct {
	unsigned int top;
	uint64_t interval;
	bool date;
	const char *field; /* --bytes */
	const char *value; /* its name in the event that is being added */
	char **asked;
	struct tl_spec *specs; /* what each means */
	unsigned int count;
	bool force;
	struct tl_stack_sums_config shown;
	struct tl_hits_config hits;
	struct tl_stack_sums *sums;
	uint64_t negative; /* values that were not added */
} env = {
	.top = 20,
	.shown = { .by = TL_STACK_SUMS_BY_DEFAULT,
		   .layout = TL_STACK_TABLE,
		   .title = "Stacks",
		   .amount = TL_STACK_TIMES },
};

static const struct tl_opt options[] = {
	{ 'i', "interval", "SECS", "print counts every SECS seconds",
	  TL_OPT_INTERVAL, &env.interval },
	{ 'T', NULL, NULL, "print the date before counts", TL_OPT_FLAG,
	  &env.date },
	{ 'F', "force", NULL, "also very many functions", TL_OPT_FLAG,
	  &env.force },
	TL_STACK_SUMS_OPTIONS_BY(env.shown, TL_STACK_SUMS_BY, "process"),
	{ 0, "top", "N",
	  "in text, only the N most frequent stacks (20); 0: all", TL_OPT_UINT,
	  &env.top },
	{ 0, "bytes", "FIELD",
	  "add up this field of events, or argument of functions",
	  TL_OPT_STRING | TL_OPT_RECORDED, &env.field },
	{ 0 }
};

/* ---- counting --------------------------------------------------------- */

/* What is below 0 is an error, and no size. */
static void on_hit(struct tl_session *s, const struct tl_hit *hit)
{
	uint64_t value = (uint64_t)hit->value;

	if (hit->is_negative) {
		env.negative++;
		value = 0;
	}
	tl_stack_sums_add(s, env.sums, &hit->thread, 1, value, 1);
}

static int on_interval(struct tl_session *s, uint64_t ns)
{
	tl_hits_cut(s, ns);
	if (env.date)
		tl_print_date(s, ns);
	return tl_stack_sums_show(s, env.sums, ns);
}

static int on_end(struct tl_session *s)
{
	if (env.negative)
		tl_warn("%llu value%s of %s below 0 %s not added",
			(unsigned long long)env.negative,
			env.negative == 1 ? "" : "s", env.field,
			env.negative == 1 ? "was" : "were");
	tl_instead_report(s);
	return tl_stack_sums_end(s, env.sums);
}

/* ---- set-up ----------------------------------------------------------- */

#define VALUE "bytes"

static int added(struct tl_session *s, struct tl_event *ev, const char *name)
{
	return env.value ? tl_hits_sum(s, ev, env.value) : 0;
}

/* Of functions it is an argument, which gets a name of ours. */
static int add(struct tl_session *s, const struct tl_spec *spec)
{
	const struct tl_kprobe_config config = { .force = env.force,
						 .expect = true,
						 .callers = true,
						 .each = true,
						 .numbers = true,
						 .handler = tl_hits_record,
						 .added = added };
	char *args = NULL;
	int ret;

	env.value = env.field;
	if (!env.field || spec->kind == TL_SPEC_TRACEPOINT)
		return tl_spec_add(s, spec, "", &config);
	env.value = VALUE;
	if (asprintf(&args, VALUE "=%s", env.field) < 0)
		return -ENOMEM;
	ret = tl_spec_add(s, spec, args, &config);
	free(args);
	return ret;
}

/* What only functions of programs need: these have no stack of the kernel. */
static int find_specs(struct tl_session *s)
{
	const char *program = NULL;
	unsigned int i, programs = 0;

	env.specs = calloc(env.count, sizeof(*env.specs));
	if (!env.specs)
		return -ENOMEM;
	env.shown.unit = "calls";
	for (i = 0; i < env.count; i++) {
		tl_spec_find(s, &env.specs[i], env.asked[i], false);
		if (env.specs[i].kind == TL_SPEC_TRACEPOINT)
			env.shown.unit = "events";
		if (env.specs[i].kind != TL_SPEC_PROGRAM)
			continue;
		program = env.asked[i];
		programs++;
	}
	env.hits.kinds = tl_stack_sums_kinds(&env.shown);
	if (program && env.shown.kernel_only)
		return tl_fail(EINVAL,
			       "-K: a function of a program has no stack of "
			       "the kernel: %s",
			       program);
	env.shown.titled = programs < env.count;
	if (programs == env.count)
		env.hits.kinds &= ~(unsigned int)TL_STACK_KERNEL;
	return 0;
}

static void print_banner(struct tl_session *s)
{
	tl_banner(s, "%s by stack: %s%s", env.field ? "Bytes" : "Counts",
		  tl_banner_words(s, env.asked, env.count), tl_banner_who(s));
}

static int setup(struct tl_session *s)
{
	unsigned int i;
	int ret = find_specs(s);

	env.hits.hit = on_hit;
	ret = ret ?: tl_hits_open(s, &env.hits);
	for (i = 0; i < env.count && !ret; i++)
		ret = add(s, &env.specs[i]);
	free(env.specs);
	if (ret)
		return ret;
	env.sums = tl_stack_sums_open(s, &env.shown);
	if (!env.sums)
		return -errno;
	if (!env.shown.folded)
		print_banner(s);
	tl_interval(s, env.interval, 0, on_interval);
	return 0;
}

static int check(struct tl_session *s)
{
	return tl_hits_check(s, tl_stack_sums_kinds(&env.shown)) ?:
	       tl_limit(s, "functions", false, tl_kprobe_check) ?:
	       tl_limit(s, "FILE:FUNCTION", false, tl_uprobe_check);
}

static int check_names(void)
{
	unsigned int i;
	int ret = 0;

	if (env.field && strpbrk(env.field, " \t"))
		return tl_usage("--bytes=\"%s\": one field", env.field);
	for (i = 0; i < env.count && !ret; i++)
		ret = tl_spec_check(env.asked[i], false);
	return ret;
}

static int args(struct tl_session *s, int argc, char **argv)
{
	env.asked = argv;
	env.count = (unsigned int)argc;
	if (!argc)
		return tl_usage("which event or function?");
	if (check_names())
		return -EINVAL;
	if (tl_args_recorded(s, argc, argv, NULL))
		return -EINVAL;
	if (env.shown.by == TL_STACK_SUMS_BY_DEFAULT && !env.shown.folded &&
	    !env.shown.flame)
		env.shown.by = TL_BY_PID;
	env.shown.top = env.top;
	if (env.field)
		env.shown.amount = TL_STACK_BYTES;
	return tl_stack_sums_args(s, &env.shown);
}

static const struct tl_tool stackcount = {
	.name = "stackcount",
	.summary = "count events and calls of functions by stack",
	.synopsis = "event|function|file:function...",
	.examples = {
		{ "stackcount -d 10 block:block_rq_issue",
		  "which code causes disk I/O" },
		{ "stackcount --bytes=bytes block:block_rq_issue",
		  "how many bytes of it, until Ctrl-C" },
		{ "stackcount -U -p 1234 libc:malloc",
		  "where a program allocates memory" },
	},
	.options = options,
	.columns = TL_STACK_SUMS_COLUMNS,
	.buffer_kb = 16384,
	.quiet = true,
	.args = args,
	.check = check,
	.setup = setup,
	.end = on_end,
};

TL_MAIN(stackcount)
