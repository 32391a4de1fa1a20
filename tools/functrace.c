// SPDX-License-Identifier: GPL-2.0-or-later
/* functrace - trace calls of functions of the kernel */
#include <errno.h>

#include "tracelet.h"
#include "tracelet/btf.h"
#include "tracelet/capture.h"
#include "tracelet/entry.h"
#include "tracelet/function.h"
#include "tracelet/instead.h"
#include "tracelet/kprobe.h"
#include "tracelet/show.h"
#include "tracelet/stack.h"
#include "tracelet/symbol.h"
#include "tracelet/tracer.h"

/*
 * What a function's record costs adds up; a probe each costs milliseconds to
 * begin and to end, too.
 */
#define LIMIT        1000
#define PROBES_LIMIT 100

static struct {
	struct tl_show_asked show;
	bool args, force;
	const char *except_text;
	struct tl_functions trace, except;
	char **patterns;
	int count;
	int functions; /* that are traced */
} env;

static const struct tl_opt options[] = {
	{ 0, "args", NULL, "show arguments, by name", TL_OPT_FLAG, &env.args },
	{ 'F', "force", NULL, "trace any number of functions", TL_OPT_FLAG,
	  &env.force },
	TL_SHOW_OPTIONS(env.show, "kernel"),
	{ 'x', "exclude", "FUNCTIONS", "all but these",
	  TL_OPT_STRING | TL_OPT_RECORDED, &env.except_text },
	{ 0 }
};

enum { TIME, COMM, TID, CPU, FUNCTION, MODULE, CALLER, ARGS, LINE, STACK };

static const struct tl_column columns[] = {
	[TIME] = { "TIMEs", "time", 0, TL_TIME, TL_SHOW_DATA },
	[COMM] = { "COMM", "comm", 0, TL_STR, TL_SHOW_DATA },
	[TID] = { "TID", "tid", 0, TL_INT, TL_SHOW_DATA },
	[CPU] = { "CPU", "cpu", 0, TL_INT, TL_SHOW_DATA },
	[FUNCTION] = { "FUNCTION", "function", 0, TL_STR, TL_SHOW_DATA,
		       .role = TL_ROLE_TITLE },
	[MODULE] = { "MODULE", "module", 0, TL_STR, TL_SHOW_DATA },
	[CALLER] = { "CALLER", "caller", 0, TL_STR, TL_SHOW_DATA },
	[ARGS] = { "ARGS", "args", 0, TL_FIELDS, TL_SHOW_DATA },
	[LINE] = { "LINE", "line", 0, TL_STR, TL_SHOW_TEXT },
	[STACK] = { "STACK", "stack", 0, TL_STACK, TL_SHOW_ALL },
	{ 0 }
};

/* ---- rows ------------------------------------------------------------- */

static void put_call(struct tl_session *s, const struct tl_record *r)
{
	const struct tl_entry e = tl_entry_of(r);
	const char *module = tl_symbol_module(s, e.function);
	uint64_t offset;

	tl_put_int(s, TIME, r->ns);
	tl_put_str(s, COMM, tl_task_comm(s, r->pid));
	tl_put_int(s, TID, r->pid);
	tl_put_int(s, CPU, r->cpu);
	tl_put_text(s, FUNCTION, tl_symbol(s, e.function, &offset));
	if (module && *module)
		tl_put_text(s, MODULE, module);
	tl_put_text(s, CALLER, tl_symbol(s, e.caller, &offset));
	tl_put_entry_args(s, ARGS, r);
}

static void on_call(struct tl_session *s, const struct tl_record *r)
{
	tl_instead_seen_at(s, tl_entry_of(r).function);
	tl_show(s, r);
}

/* ---- set-up ----------------------------------------------------------- */

static bool by_probes(void)
{
	return env.args || env.show.stacks;
}

static int check_count(struct tl_session *s)
{
	int limit = by_probes() ? PROBES_LIMIT : LIMIT;

	env.functions = tl_functions_number(s, &env.except);
	if (env.functions < 0)
		return env.functions;
	if (!env.functions)
		return tl_fail(ENOENT, "-x %s leaves no function",
			       env.except_text);
	if (env.functions > limit && !env.force)
		return tl_fail(
			E2BIG,
			"%d functions match, which is more than %d%s (-F "
			"traces them all the same)",
			env.functions, limit,
			by_probes() ? " with -s or --args" : "");
	return 0;
}

static void set_banner(struct tl_session *s)
{
	/* three dots, with the one that the library puts there */
	tl_banner(s, "Tracing \"%s\"%s%s",
		  tl_banner_words(s, env.patterns, env.count), tl_banner_for(s),
		  tl_settings(s)->duration ? "" : "..");
}

static int check_stacks(struct tl_session *s)
{
	return tl_kprobe_check(s) ?: tl_stacks_check(s);
}

static int check_args(struct tl_session *s)
{
	return tl_kprobe_check(s) ?: tl_btf_check(s);
}

static int check(struct tl_session *s)
{
	return tl_tracer_check(s, "function") ?:
	       tl_limit(s, "-s", env.show.stacks, check_stacks) ?:
	       tl_limit(s, "--args", env.args, check_args);
}

static int add_probes(struct tl_session *s)
{
	int count = tl_entries_probe(s, &env.except, env.args, on_call);

	if (count < 0)
		return count;
	env.functions = count;
	return 0;
}

static int trace_calls(struct tl_session *s)
{
	return tl_tracer_leave_out_clock(s, &env.trace, &env.except, false)
		       ?: tl_entries_trace(s, on_call);
}

static int setup(struct tl_session *s)
{
	const struct tl_show_config config = {
		.time = TIME,
		.line = LINE,
		.stack = STACK,
		.put = put_call,
	};
	int ret;

	set_banner(s);
	tl_instead_expect_all(s, &env.trace);
	ret = tl_tracer_check(s, "function") ?:
	      (by_probes() ? tl_kprobe_check(s) : 0) ?:
	      tl_functions_filter(s, &env.trace, &env.except) ?:
	      check_count(s);
	if (ret)
		return ret;
	ret = by_probes() ? add_probes(s) : trace_calls(s);
	return ret ?: tl_show_open_as(s, &env.show, &config);
}

static int end(struct tl_session *s)
{
	tl_instead_report(s);
	tl_functions_free(&env.trace);
	tl_functions_free(&env.except);
	if (tl_show_any(s))
		return 0;
	tl_warn("%d function%s traced: no call%s", env.functions,
		env.functions == 1 ? " was" : "s were", tl_banner_who(s));
	return 0;
}

static int args(struct tl_session *s, int argc, char **argv)
{
	int ret;

	if (!argc)
		return tl_usage("which function?");
	ret = tl_args_recorded(s, argc, argv, NULL);
	env.patterns = argv;
	env.count = argc;
	return ret ?:
	       tl_functions_args(&env.trace, argc, argv) ?:
	       tl_functions_add(&env.except, "-x", env.except_text);
}

static const struct tl_tool functrace = {
	.name = "functrace",
	.summary = "trace calls of functions of the kernel",
	.synopsis = "function...",
	.examples = {
		{ "functrace do_nanosleep", "who sleeps" },
		{ "functrace -s do_nanosleep", "and by what way" },
		{ "functrace --args -n '^cat$' do_sys_openat2 vfs_read",
		  "what a program opens and reads" },
	},
	.options = options,
	.columns = columns,
	.pictured = { .unit = "calls" },
	.quiet = true,
	/* while the names of functions are read, 100,000 calls have room */
	.buffer_kb = 4096,
	.args = args,
	.check = check,
	.setup = setup,
	.end = end,
};

TL_MAIN(functrace)
