// SPDX-License-Identifier: GPL-2.0-or-later
/* funcgraph - trace kernel functions with all that they call */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tracelet.h"
#include "tracelet/capture.h"
#include "tracelet/flame.h"
#include "tracelet/function.h"
#include "tracelet/graph.h"
#include "tracelet/heatmap.h"
#include "tracelet/instead.h"

static struct {
	bool all, head, folded;
	const char *exclude_text, *only_text, *flame_path;
	struct tl_functions functions, exclude, only;
	struct tl_graph_config config;
	struct tl_graph_text text;
	struct tl_flame *flame;
	uint64_t count; /* of graphs */
	bool no_memory;
} env = {
	.config = { .functions = &env.functions,
		    .exclude = &env.exclude,
		    .only = &env.only },
};

static const struct tl_opt options[] = {
	{ 'a', NULL, NULL, "all info: the same as -HPt", TL_OPT_FLAG,
	  &env.all },
	{ 'C', NULL, NULL, "durations without time off the processor",
	  TL_OPT_FLAG, &env.config.on_cpu },
	{ 'D', NULL, NULL, "do not show durations", TL_OPT_FLAG,
	  &env.text.no_duration },
	{ 'F', NULL, NULL, "force: more than 1,000 functions", TL_OPT_FLAG,
	  &env.config.force },
	{ 'H', NULL, NULL, "show the kernel's column headers", TL_OPT_FLAG,
	  &env.head },
	{ 'm', "max-depth", "LEVELS", "only so many levels; 0: all",
	  TL_OPT_UINT | TL_OPT_RECORDED, &env.config.max_depth, NULL, 0,
	  32767 },
	{ 'P', NULL, NULL, "show process names and thread IDs", TL_OPT_FLAG,
	  &env.text.task },
	{ 't', NULL, NULL, "show times", TL_OPT_FLAG, &env.text.time },
	{ 'T', NULL, NULL, "show the function's name at its end", TL_OPT_FLAG,
	  &env.text.tail },
	{ 0, "min", "US", "only calls that took at least US microseconds",
	  TL_OPT_USECS, &env.config.min },
	{ 0, "no-irq", NULL, "without what interrupts do in between",
	  TL_OPT_FLAG | TL_OPT_RECORDED, &env.config.no_irqs },
	{ 0, "exclude", "GLOB,...", "without these functions and all they call",
	  TL_OPT_STRING | TL_OPT_RECORDED, &env.exclude_text },
	{ 0, "only", "GLOB,...", "below the function these and no other",
	  TL_OPT_STRING | TL_OPT_RECORDED, &env.only_text },
	{ 0, "args", NULL, "show arguments", TL_OPT_FLAG, &env.config.args },
	{ 0, "ret", NULL, "show return values", TL_OPT_FLAG, &env.config.ret },
	{ 0, "folded", NULL, "at the end, a line per stack with its own time",
	  TL_OPT_FLAG, &env.folded },
	{ 0, "flamegraph", "FILE.svg", "at the end, draw a flame graph",
	  TL_OPT_STRING | TL_OPT_HERE, &env.flame_path },
	{ 0 }
};

enum {
	TIME,
	END,
	COMM,
	PID,
	TID,
	CPU,
	DEPTH,
	FUNCTION,
	DURATION,
	SELF,
	ARGS,
	RET,
	CHILDREN,
};

static const struct tl_column columns[] = {
	[TIME] = { "TIMEs", "time", 0, TL_TIME, TL_SHOW_DATA,
		   .role = TL_ROLE_BEGIN },
	/* not TIME and DURATION, which are of two clocks: calls would not nest */
	[END] = { "ENDs", "end", 0, TL_TIME, TL_SHOW_NEVER,
		  .role = TL_ROLE_END },
	[COMM] = { "COMM", "comm", 0, TL_STR, TL_SHOW_DATA },
	[PID] = { "PID", "pid", 0, TL_INT, TL_SHOW_DATA },
	[TID] = { "TID", "tid", 0, TL_INT, TL_SHOW_DATA },
	[CPU] = { "CPU", "cpu", 0, TL_INT, TL_SHOW_DATA },
	[DEPTH] = { "DEPTH", "depth", 0, TL_INT, TL_SHOW_NEVER },
	[FUNCTION] = { "FUNCTION", "function", 0, TL_STR, TL_SHOW_DATA,
		       .role = TL_ROLE_TITLE },
	[DURATION] = { "us", "duration", 0, TL_NSECS, TL_SHOW_DATA },
	[SELF] = { "SELFus", "self", 0, TL_NSECS, TL_SHOW_DATA },
	[ARGS] = { "ARGS", "args", 0, TL_FIELDS, TL_SHOW_NEVER,
		   &env.config.args, TL_SHOW_DATA },
	[RET] = { "RET", "ret", 0, TL_STR, TL_SHOW_NEVER, &env.config.ret,
		  TL_SHOW_DATA },
	[CHILDREN] = { "CHILDREN", "children", 0, TL_ARGV, TL_SHOW_NEVER },
	{ 0 }
};

/* ---- graphs ----------------------------------------------------------- */

static void put_call(struct tl_session *s, const struct tl_graph *g,
		     const struct tl_call *c)
{
	static char ret[24];

	tl_put_int(s, TIME, (int64_t)c->start);
	tl_put_task(s, g->pid, COMM, PID, TID);
	tl_put_int(s, CPU, c->cpu);
	tl_put_int(s, DEPTH, c->depth);
	tl_put_text(s, FUNCTION, tl_graph_name(s, c));
	if (c->end) {
		tl_put_int(s, END, (int64_t)c->end);
		tl_put_int(s, DURATION, (int64_t)c->duration);
		tl_put_int(s, SELF, (int64_t)c->self);
	}
	if (env.config.args)
		tl_put_graph_args(s, ARGS, g, c);
	if (c->has_ret) {
		snprintf(ret, sizeof(ret), "0x%llx",
			 (unsigned long long)c->ret);
		tl_put_text(s, RET, ret);
	}
}

static void print_data(struct tl_session *s, const struct tl_graph *g)
{
	size_t i;

	if (tl_settings(s)->json) {
		tl_put_graph_calls(s, CHILDREN, g);
		put_call(s, g, &g->calls[0]);
		tl_row(s);
		return;
	}
	for (i = 0; i < g->count; i++) {
		put_call(s, g, &g->calls[i]);
		tl_row(s);
	}
}

#define DEPTH_MAX 512 /* that a flame graph shows */

/* What has not returned has no time that is known. */
static int add_stacks(struct tl_session *s, const struct tl_graph *g)
{
	static struct tl_str frames[DEPTH_MAX];
	const struct tl_call *c = g->calls, *last = c + g->count;
	const char *name;
	int ret = 0;

	for (; c < last && !ret; c++) {
		if (c->depth >= DEPTH_MAX)
			continue;
		name = tl_graph_name(s, c);
		/* an address is of no use among names */
		if (*name == '0')
			name = "[unknown]";
		frames[c->depth] = (struct tl_str){ name, strlen(name) };
		if (c->end)
			ret = tl_flame_add(env.flame, frames, c->depth + 1,
					   c->self);
	}
	return ret;
}

static void done(struct tl_session *s, const struct tl_graph *g)
{
	env.count++;
	if (g->calls[0].end)
		tl_pictured(s, g->calls[0].end, g->calls[0].duration);
	tl_instead_seen_at(s, g->calls[0].function);
	if (env.flame)
		env.no_memory |= add_stacks(s, g) != 0;
	else if (tl_data_format(s))
		print_data(s, g);
	else
		tl_graph_print(s, g, &env.text);
}

static int end_flame(struct tl_session *s)
{
	char title[128];
	int ret = 0;

	if (!env.flame)
		return 0;
	if (env.folded)
		ret = tl_flame_folded(s, env.flame, 1);
	snprintf(title, sizeof(title), "Time in %s%s", env.functions.list[0],
		 env.functions.count > 1 ? " and others" : "");
	if (tl_flame_end(s, env.flame, title, env.count, "calls"))
		ret = -EIO;
	if (!ret && env.no_memory)
		ret = tl_fail(ENOMEM, "out of memory: some stacks are missing");
	return ret;
}

/* Nothing is shown for lack of calls, not for want of the right ones. */
static int end(struct tl_session *s)
{
	size_t count = tl_graph_functions(s);

	tl_graph_end(s);
	tl_instead_report(s);
	if (!env.count && !env.config.min)
		tl_warn("%zu function%s match%s: no call was seen%s", count,
			count == 1 ? "" : "s", count == 1 ? "es" : "",
			tl_tasks_filtered(s) || tl_settings(s)->cpu.count
				? " of what was asked for"
				: "");
	return end_flame(s);
}

/* ---- set-up ----------------------------------------------------------- */

/* "for PID 1... Ctrl-C to end.", as it was. */
static void set_banner(struct tl_session *s)
{
	tl_banner(s, "Tracing \"%s\"%s%s%s", env.functions.list[0],
		  env.functions.count > 1 ? " and others" : "",
		  tl_banner_for(s), tl_settings(s)->duration ? "" : "..");
}

static int check(struct tl_session *s)
{
	return tl_graph_check(s, &env.config);
}

static int setup(struct tl_session *s)
{
	int ret;

	env.config.done = done;
	ret = tl_graph_open(s, &env.config);
	if (ret)
		return ret;
	/* the file of a picture is created only once the tracer has been taken */
	if (env.folded || env.flame_path)
		env.flame = tl_flame_open(s, env.flame_path);
	if ((env.folded || env.flame_path) && !env.flame)
		return -EIO;
	/* with --min calls that were seen may have no graph */
	if (!env.config.min)
		tl_instead_expect_all(s, &env.functions);
	tl_column_show(s, tl_settings(s)->json ? CHILDREN : DEPTH,
		       TL_SHOW_DATA);
	if (env.all)
		env.head = env.text.time = env.text.task = true;
	set_banner(s);
	if (env.head)
		tl_graph_header(s, &env.text);
	return 0;
}

static int args(struct tl_session *s, int argc, char **argv)
{
	if (!argc)
		return tl_usage("which function?");
	if ((env.folded || env.flame_path) && tl_data_format(s))
		return tl_usage("%s is not for %s",
				env.folded ? "--folded" : "--flamegraph",
				tl_data_format(s));
	if (env.flame_path && tl_settings(s)->write)
		return tl_usage("--flamegraph is not for -w, which shows "
				"nothing: make it of the capture, with -r");
	return tl_args_recorded(s, argc, argv, NULL) ?:
	       tl_functions_args(&env.functions, argc, argv) ?:
	       tl_functions_add(&env.exclude, "--exclude", env.exclude_text) ?:
	       tl_functions_add(&env.only, "--only", env.only_text);
}

static const struct tl_tool funcgraph = {
	.name = "funcgraph",
	.summary = "trace kernel functions with all that they call",
	.synopsis = "funcstring...",
	.examples = {
		{ "funcgraph -m 3 do_nanosleep",
		  "three levels of what it calls" },
		{ "funcgraph -tP --no-irq --min=1000 vfs_fsync_range",
		  "only calls of a millisecond and more" },
		{ "funcgraph -d 10 --flamegraph=open.svg do_sys_openat2",
		  "where the time goes, as a picture" },
	},
	.options = options,
	.columns = columns,
	.pictured = { .unit = "calls",
		      .latency = "Time of calls",
		      .told = true },
	.flags = TL_FILTERS_TASKS | TL_FILTERS_CPUS,
	.buffer_kb = 8192,
	.quiet = true,
	.args = args,
	.check = check,
	.setup = setup,
	.end = end,
};

TL_MAIN(funcgraph)
