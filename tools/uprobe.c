// SPDX-License-Identifier: GPL-2.0-or-later
/* uprobe - trace functions and static probes of programs and libraries */
#include <errno.h>
#include <stddef.h>

#include "tracelet.h"
#include "tracelet/capture.h"
#include "tracelet/kprobe.h"
#include "tracelet/listing.h"
#include "tracelet/show.h"
#include "tracelet/stack.h"
#include "tracelet/uprobe.h"

static struct {
	struct tl_show_asked show;
	bool force, demangle;
	const char *list;
	const char *pattern; /* what of @list, or NULL */
	char **definitions;
	int count;
	const char *filter;
} env;

static const struct tl_opt options[] = {
	{ 'F', NULL, NULL,
	  "also where the file has no code, or no function begins", TL_OPT_FLAG,
	  &env.force },
	TL_SHOW_OPTIONS(env.show, "user"),
	{ 'l', NULL, "FILE",
	  "list functions and static probes of a program or library",
	  TL_OPT_STRING, &env.list, "format" },
	{ 0, "demangle", NULL, "list functions as C++ and Rust write them",
	  TL_OPT_FLAG, &env.demangle },
	TL_SHOW_FORMAT(env.show),
	{ 0 }
};

static int query(struct tl_session *s)
{
	if (!env.list)
		return -1;
	return tl_list_program(s, env.list, env.pattern, env.demangle)
		       ? TL_EXIT_FAILED
		       : TL_EXIT_OK;
}

/* ---- set-up ----------------------------------------------------------- */

static int added(struct tl_session *s, struct tl_event *ev, const char *name)
{
	return tl_event_filter_asked(s, ev, env.filter)
		       ?: (env.show.format ? tl_show_format(s, ev) : 0);
}

static int setup(struct tl_session *s)
{
	const struct tl_kprobe_config config = { .force = env.force,
						 .handler = tl_show,
						 .added = added };
	int ret = env.show.stacks ? tl_stacks_user(s) : 0;

	ret = ret ?: tl_udefs_add(s, env.count, env.definitions, &config);
	if (ret || env.show.format)
		return ret ?: -ECANCELED;
	/* a capture has its own */
	if (tl_udefs_title(s))
		tl_banner(s, "Tracing uprobe %s%s%s", tl_udefs_title(s),
			  env.count > 1 ? " and others" : "", tl_banner_who(s));
	return tl_show_open(s, &env.show);
}

static int check(struct tl_session *s)
{
	return tl_stacks_user(s) ?:
	       tl_uprobe_check(s) ?:
	       tl_limit(s, "-s", env.show.stacks, tl_stacks_check);
}

static bool is_filter(const char *text)
{
	return !tl_udef_is_one(text) && tl_arg_is_filter(text);
}

/* A filter does not begin as a definition does; it comes last. */
static int args(struct tl_session *s, int argc, char **argv)
{
	if (env.list && argc > 1)
		return tl_usage("-l takes one pattern");
	if (env.list) {
		env.pattern = argv[0];
		return 0;
	}
	if (!argc)
		return tl_usage("which probe?");
	env.definitions = argv;
	env.count = argc;
	env.filter = tl_args_filter(&env.count, argv, tl_udef_is_one);
	if (tl_args_recorded(s, env.count, argv, tl_udef_is_one))
		return -EINVAL;
	return tl_udefs_check(s, env.count, argv);
}

static const struct tl_tool uprobe = {
	.name = "uprobe",
	.summary = "trace functions and static probes of programs",
	.synopsis = "{definition... [filter] | -l file [pattern]}",
	.examples = {
		{ "uprobe -l bash readline", "which functions a program has" },
		{ "uprobe 'r:bash:readline +0($retval):string'",
		  "what is typed into shells" },
		{ "uprobe -s 'p:libc:fopen f=$arg1:string' 'f ~ \"/etc/*\"'",
		  "who opens such files with it, by what way" },
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
};

TL_MAIN(uprobe)
