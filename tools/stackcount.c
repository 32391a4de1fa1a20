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
#include "tracelet/named.h"
#include "tracelet/stacksums.h"
#include "tracelet/uprobe.h"

/* What an argument means. */
enum kind { TRACEPOINT, FUNCTION, PROGRAM };

static struct {
	unsigned int top;
	uint64_t interval;
	bool date;
	const char *field; /* --bytes */
	char **asked;
	enum kind *kinds; /* of each */
	unsigned int count, events;
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

/* ---- what arguments mean ---------------------------------------------- */

/* A name that a system of tracepoints lacks is misspelt, and no program's. */
static int found(void *ctx, const char *system, const char *name)
{
	const char *text = ctx;
	const size_t len = strlen(system);

	return tl_event_matches(text, system, name) ||
	       (!strncmp(text, system, len) && text[len] == ':');
}

static bool begins_with(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* "t:", "p:" and "u:" say which, else what there is does. */
static enum kind kind_of(struct tl_session *s, char *text)
{
	if (begins_with(text, "t:"))
		return TRACEPOINT;
	if (begins_with(text, "u:") || strchr(text, '/'))
		return PROGRAM;
	if (begins_with(text, "p:") || !strchr(text, ':'))
		return FUNCTION;
	return tl_event_list(s, found, text) > 0 ? TRACEPOINT : PROGRAM;
}

static char *name_in(char *text)
{
	return text + (begins_with(text, "t:") || begins_with(text, "p:") ||
				       begins_with(text, "u:")
			       ? 2
			       : 0);
}

/* ---- tracepoints ------------------------------------------------------ */

static int add_tracepoint(void *ctx, const char *system, const char *name)
{
	struct tl_event *ev = tl_event_add(ctx, system, name, tl_hits_record);

	if (!ev)
		return tl_fail(errno, "format of %s:%s: %s", system, name,
			       strerror(errno));
	env.events++;
	return env.field ? tl_hits_sum(ctx, ev, env.field) : 0;
}

static int add_tracepoints(struct tl_session *s, char *pattern)
{
	const struct tl_event_patterns asked = { .list = &pattern, .count = 1 };

	tl_instead_expect(s, pattern);
	return tl_event_each(s, &asked, add_tracepoint, s);
}

/* ---- functions -------------------------------------------------------- */

#define VALUE "bytes"

static int added(struct tl_session *s, struct tl_event *ev, const char *name)
{
	return env.field ? tl_hits_sum(s, ev, VALUE) : 0;
}

static struct tl_kprobe_config functions = { .expect = true,
					     .callers = true,
					     .each = true,
					     .numbers = true,
					     .handler = tl_hits_record,
					     .added = added };

/* "p:vfs_read bytes=count", as kprobe and uprobe take it */
static char *define(const char *place)
{
	char *text;

	if (asprintf(&text, "p:%s%s%s", place, env.field ? " " VALUE "=" : "",
		     env.field ?: "") < 0)
		return NULL;
	return text;
}

static int add_function(struct tl_session *s, const char *place)
{
	char *definition = define(place);
	int ret = definition ? tl_kprobes_add(s, 1, &definition, &functions)
			     : -ENOMEM;

	free(definition);
	return ret;
}

/* ---- functions of programs -------------------------------------------- */

static int add_with_value(struct tl_session *s, const char *place)
{
	char *definition;
	int ret;

	if (strpbrk(strchr(place, ':'), "*?["))
		return tl_fail(EINVAL,
			       "%s: with --bytes, name each function of a "
			       "program: a glob has no arguments",
			       place);
	definition = define(place);
	ret = definition ? tl_udefs_add(s, 1, &definition, &functions)
			 : -ENOMEM;
	free(definition);
	return ret;
}

/* FILE ends at the first colon, as for uprobe: names of C++ have more. */
static int add_in_program(struct tl_session *s, const char *place)
{
	const char *colon = strchr(place, ':');
	char *program = strndup(place, (size_t)(colon - place)),
	     *name = strdup(colon + 1);
	const struct tl_user_functions asked = { .program = program,
						 .patterns = &name,
						 .count = 1,
						 .force = env.force };
	int ret = -ENOMEM;

	if (program && name)
		ret = env.field
			      ? add_with_value(s, place)
			      : tl_uprobe_functions(s, &asked, tl_hits_record);
	free(program);
	free(name);
	return ret < 0 ? ret : 0;
}

static bool has_function(const char *place)
{
	const char *colon = strchr(place, ':');

	return colon && colon > place && colon[1];
}

/* ---- set-up ----------------------------------------------------------- */

static int add(struct tl_session *s, char *text, enum kind kind)
{
	char *name = name_in(text);

	switch (kind) {
	case TRACEPOINT:
		return add_tracepoints(s, name);
	case FUNCTION:
		return add_function(s, name);
	case PROGRAM:
		break;
	}
	if (!has_function(name))
		return tl_fail(EINVAL, "\"%s\" is not FILE:FUNCTION", name);
	return add_in_program(s, name);
}

/* What only functions of programs need: these have no stack of the kernel. */
static int find_kinds(struct tl_session *s)
{
	const char *program = NULL;
	unsigned int i, programs = 0;

	env.kinds = calloc(env.count, sizeof(*env.kinds));
	if (!env.kinds)
		return -ENOMEM;
	for (i = 0; i < env.count; i++) {
		env.kinds[i] = kind_of(s, env.asked[i]);
		if (env.kinds[i] != PROGRAM)
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
	int ret = find_kinds(s);

	env.hits.hit = on_hit;
	functions.force = env.force;
	ret = ret ?: tl_hits_open(s, &env.hits);
	for (i = 0; i < env.count && !ret; i++)
		ret = add(s, env.asked[i], env.kinds[i]);
	free(env.kinds);
	if (ret)
		return ret;
	env.shown.unit = env.events ? "events" : "calls";
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

/* What kprobe would take as more than a function. */
static int check_name(struct tl_session *s, char *text)
{
	const char *name = name_in(text);

	if (!*name)
		return tl_usage("\"%s\": which event or function?", text);
	if (strchr(text, '/') ||
	    (strchr(text, ':') && !begins_with(text, "p:")))
		return 0;
	if (strpbrk(name, " \t%+"))
		return tl_usage(
			"\"%s\": a function is its name alone: where it "
			"begins is counted",
			text);
	return 0;
}

static int check_names(struct tl_session *s)
{
	unsigned int i;
	int ret = 0;

	if (env.field && strpbrk(env.field, " \t"))
		return tl_usage("--bytes=\"%s\": one field", env.field);
	for (i = 0; i < env.count && !ret; i++)
		ret = check_name(s, env.asked[i]);
	return ret;
}

static int args(struct tl_session *s, int argc, char **argv)
{
	env.asked = argv;
	env.count = (unsigned int)argc;
	if (!argc)
		return tl_usage("which event or function?");
	if (check_names(s))
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
