// SPDX-License-Identifier: GPL-2.0-or-later
/* tpoint - trace tracepoints */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracelet.h"
#include "tracelet/instead.h"
#include "tracelet/listing.h"
#include "tracelet/named.h"
#include "tracelet/show.h"
#include "tracelet/stack.h"

static struct {
	struct tl_show_asked show;
	bool list;
	char **patterns;
	int count;
	const char *filter;
} env;

static const struct tl_opt options[] = {
	TL_SHOW_OPTIONS(env.show, "kernel"),
	{ 'l', NULL, NULL, "list tracepoints, those that match a pattern",
	  TL_OPT_FLAG, &env.list, "format" },
	TL_SHOW_FORMAT(env.show),
	{ 0 }
};

/* ---- which tracepoints ------------------------------------------------ */

static int for_each_match(struct tl_session *s,
			  int (*fn)(void *ctx, const char *system,
				    const char *name))
{
	const struct tl_event_patterns asked = {
		.list = env.patterns, .count = (unsigned int)env.count
	};

	return tl_event_each(s, &asked, fn, s);
}

static int add(void *ctx, const char *system, const char *name)
{
	struct tl_event *ev = tl_event_add(ctx, system, name, tl_show);

	if (!ev)
		return tl_fail(errno, "format of %s:%s: %s", system, name,
			       strerror(errno));
	if (env.show.format)
		return tl_show_format(ctx, ev);
	return tl_event_filter_asked(ctx, ev, env.filter);
}

/* ---- -l and -v -------------------------------------------------------- */

static int print_format(void *ctx, const char *system, const char *name)
{
	char *text = tl_event_format(ctx, system, name);

	if (!text)
		return tl_fail(errno, "format of %s:%s: %s", system, name,
			       strerror(errno));
	fputs(text, stdout);
	free(text);
	return 0;
}

static int query(struct tl_session *s)
{
	int ret;

	if (env.list)
		ret = tl_list_events(s, env.patterns[0]);
	else if (env.show.format)
		ret = for_each_match(s, print_format);
	else
		return -1;
	return ret ? TL_EXIT_FAILED : TL_EXIT_OK;
}

/* ---- set-up ----------------------------------------------------------- */

static int setup(struct tl_session *s)
{
	int i, ret;

	tl_banner(s, "Tracing %s%s%s", env.patterns[0],
		  env.count > 1 ? " and others" : "", tl_banner_who(s));
	ret = for_each_match(s, add);
	/* of a capture: query() is for this kernel's */
	if (ret || env.show.format)
		return ret ?: -ECANCELED;
	for (i = 0; i < env.count && !env.filter; i++)
		tl_instead_expect(s, env.patterns[i]);
	return tl_show_open(s, &env.show);
}

/* A name that programs do not use any more. */
static int end(struct tl_session *s)
{
	tl_instead_report(s);
	return 0;
}

static int check(struct tl_session *s)
{
	return tl_limit(s, "-s", env.show.stacks, tl_stacks_check);
}

/* A filter has an operator, which no tracepoint has; it comes last. */
static bool is_tracepoint(const char *text)
{
	return !tl_arg_is_filter(text);
}

static int args(struct tl_session *s, int argc, char **argv)
{
	env.patterns = argv;
	env.count = argc;
	if (env.list && argc > 1)
		return tl_usage("-l takes one pattern");
	if (!env.list && !argc)
		return tl_usage("which tracepoint?");
	env.filter = tl_args_filter(&env.count, argv, is_tracepoint);
	return 0;
}

static const struct tl_tool tpoint = {
	.name = "tpoint",
	.summary = "trace tracepoints",
	.synopsis = "tracepoint... [filter]",
	.examples = {
		{ "tpoint -l 'sched:*'", "which events there are" },
		{ "tpoint -v block:block_rq_issue", "which fields one has" },
		{ "tpoint -s block:block_rq_issue 'rwbs ~ \"W*\"'",
		  "writes, and the way to them" },
	},
	.options = options,
	.columns = tl_show_columns,
	.pictured = { .unit = "events" },
	.quiet = true,
	.args = args,
	.selects = tl_arg_is_filter,
	.query = query,
	.check = check,
	.setup = setup,
	.end = end,
};

TL_MAIN(tpoint)
