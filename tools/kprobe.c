// SPDX-License-Identifier: GPL-2.0-or-later
/* kprobe - trace functions of the kernel, with arguments by name */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "tracelet.h"
#include "tracelet/btf.h"
#include "tracelet/capture.h"
#include "tracelet/feature.h"
#include "tracelet/instead.h"
#include "tracelet/kprobe.h"
#include "tracelet/listing.h"
#include "tracelet/show.h"
#include "tracelet/stack.h"

static struct {
	struct tl_show_asked show;
	bool list, force;
	const char *function, *type;
	char **definitions;
	int count;
	const char *filter;
	unsigned int added; /* events */
	char first[64];     /* name of the first one */
} env;

static const struct tl_opt options[] = {
	{ 'F', NULL, NULL,
	  "force: globs for any number of functions, modules not loaded yet",
	  TL_OPT_FLAG, &env.force },
	TL_SHOW_OPTIONS(env.show, "kernel"),
	{ 'l', NULL, NULL,
	  "list functions that can be traced, those that match a pattern",
	  TL_OPT_FLAG, &env.list, "format" },
	TL_SHOW_FORMAT(env.show),
	{ 'V', NULL, "FUNCTION", "show a function's arguments and end",
	  TL_OPT_STRING, &env.function, "format" },
	{ 0, "fields", "TYPE", "show the members of a structure and end",
	  TL_OPT_STRING, &env.type, "format" },
	{ 0 }
};

/* ---- what there is ---------------------------------------------------- */

static int print_text(char *text)
{
	int err = errno;

	if (text)
		printf("%s\n", text);
	free(text);
	if (text)
		return TL_EXIT_OK;
	return err == ENOTSUP ? TL_EXIT_UNSUPPORTED : TL_EXIT_FAILED;
}

static int query(struct tl_session *s)
{
	if (env.list)
		return tl_list_functions(s, env.definitions[0]) ? TL_EXIT_FAILED
								: TL_EXIT_OK;
	if (env.function)
		return print_text(tl_function_declare(s, env.function));
	if (env.type)
		return print_text(tl_type_declare(env.type));
	return -1;
}

/* ---- set-up ----------------------------------------------------------- */

static int added(struct tl_session *s, struct tl_event *ev, const char *name)
{
	if (name && !env.added++)
		snprintf(env.first, sizeof(env.first), "%s", name);
	if (env.show.format)
		return name ? tl_show_format(s, ev) : 0;
	return tl_event_filter_asked(s, ev, env.filter);
}

static int setup(struct tl_session *s)
{
	const struct tl_kprobe_config config = { .force = env.force,
						 .expect = !env.filter,
						 .callers = env.show.stacks &&
							    !env.show.format,
						 .handler = tl_show,
						 .added = added };
	int ret = tl_kprobes_add(s, env.count, env.definitions, &config);

	if (ret || env.show.format)
		return ret ?: -ECANCELED;
	tl_banner(s, "Tracing kprobe %s%s%s", env.first,
		  env.added > 1 ? " and others" : "", tl_banner_who(s));
	return tl_show_open(s, &env.show);
}

static int check_return(struct tl_session *s)
{
	return tl_feature(s, TL_FEATURE_RETURN_ARGS)
		       ? 0
		       : tl_fail(ENOTSUP, "this kernel has no arguments at the "
					  "return of a function (6.9 on): p: "
					  "shows them when it is called");
}

static int check_types(struct tl_session *s)
{
	return tl_feature(s, TL_FEATURE_FPROBE) &&
			       tl_feature(s, TL_FEATURE_TPROBE)
		       ? 0
		       : tl_fail(ENOTSUP,
				 "this kernel has no function and tracepoint "
				 "probes (6.5 on, CONFIG_FPROBE_EVENTS): p: "
				 "and r: do for functions");
}

static int check(struct tl_session *s)
{
	return tl_kprobe_check(s) ?:
	       tl_limit(s, "arguments by name", false, tl_btf_check) ?:
	       tl_limit(s, "arguments in r:", false, check_return) ?:
	       tl_limit(s, "f: and t:", false, check_types) ?:
	       tl_limit(s, "-s", env.show.stacks, tl_stacks_check);
}

/* Nothing is shown for lack of calls, not for want of the right ones. */
static int end(struct tl_session *s)
{
	bool said = tl_instead_report(s);

	if ((said && env.added == 1) || tl_show_any(s) || env.filter ||
	    *env.definitions[0] == 't' || tl_tasks_filtered(s) ||
	    tl_settings(s)->cpu.count)
		return 0;
	tl_warn("%s: not called, or the compiler has put %s into %s callers",
		env.added > 1 ? "all probes" : env.first,
		env.added > 1 ? "the functions" : "it",
		env.added > 1 ? "their" : "its");
	return 0;
}

static bool is_filter(const char *text)
{
	return !tl_definition_is(text) && tl_arg_is_filter(text);
}

/* A definition begins with its type; the filter comes last and does not. */
static int args(struct tl_session *s, int argc, char **argv)
{
	env.definitions = argv;
	env.count = argc;
	if (env.list && argc > 1)
		return tl_usage("-l takes one pattern");
	if ((env.function || env.type) && argc)
		return tl_usage("unexpected argument \"%s\"", argv[0]);
	if (env.list || env.function || env.type)
		return 0;
	if (!argc)
		return tl_usage("which function?");
	env.filter = tl_args_filter(&env.count, argv, tl_definition_is);
	if (tl_args_recorded(s, env.count, argv, tl_definition_is))
		return -EINVAL;
	return tl_definitions_check(env.count, argv);
}

static const struct tl_tool kprobe = {
	.name = "kprobe",
	.summary = "trace functions of the kernel, with arguments by name",
	.synopsis = "definition... [filter]",
	.examples = {
		{ "kprobe -V do_sys_openat2",
		  "which arguments a function has" },
		{ "kprobe 'p:open do_sys_openat2 filename how->flags'",
		  "some of them, at each call" },
		{ "kprobe 'r:vfs_read ret=$retval count file:%pD' 'ret < 0'",
		  "what is returned, if it is an error, and of which file" },
	},
	.options = options,
	.columns = tl_show_columns,
	.pictured = { .unit = "events" },
	.quiet = true,
	.args = args,
	.selects = is_filter,
	.query = query,
	.check = check,
	.setup = setup,
	.end = end,
};

TL_MAIN(kprobe)
