// SPDX-License-Identifier: GPL-2.0-or-later
/* funcslower - trace kernel functions slower than a threshold */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracelet.h"
#include "tracelet/btf.h"
#include "tracelet/capture.h"
#include "tracelet/graph.h"
#include "tracelet/heatmap.h"
#include "tracelet/hists.h"
#include "tracelet/machine.h"
#include "tracelet/timed.h"

static struct {
	bool all, head, process, times;
	bool histogram;
	uint64_t interval;
	const char *threshold; /* as it was given */
	struct tl_timed_calls_config calls;
	int cpu_width;
	struct tl_hists *hists;
	char header[256];
} env;

static const struct tl_opt options[] = {
	{ 'a', NULL, NULL, "all of -H, -P and -t", TL_OPT_FLAG, &env.all },
	{ 'C', NULL, NULL, "count time on a processor only, not asleep",
	  TL_OPT_FLAG, &env.calls.running },
	{ 'F', NULL, NULL, "force: any number of functions", TL_OPT_FLAG,
	  &env.calls.force },
	{ 'H', NULL, NULL, "show column headers", TL_OPT_FLAG, &env.head },
	{ 'P', NULL, NULL, "show the task's name and thread id", TL_OPT_FLAG,
	  &env.process },
	{ 't', NULL, NULL, "show the time of the return", TL_OPT_FLAG,
	  &env.times },
	{ 0, "args", NULL, "show the arguments of the call", TL_OPT_FLAG,
	  &env.calls.args },
	{ 0, "ret", NULL, "show what the call returned", TL_OPT_FLAG,
	  &env.calls.retval },
	{ 0, "probes", NULL, "leave the kernel's graph tracer to others",
	  TL_OPT_FLAG, &env.calls.probes },
	{ 0, "histogram", NULL, "show how many calls took how long, instead",
	  TL_OPT_FLAG, &env.histogram },
	{ 0, "interval", "SECS", "with --histogram: every SECS seconds",
	  TL_OPT_INTERVAL, &env.interval },
	{ 0 }
};

#define TIME_WIDTH 12

enum {
	START,
	TIME,
	COMM,
	PID,
	TID,
	CPU,
	FUNCTION,
	DURATION,
	ARGS,
	RET,
	LINE,
};

/* As the kernel's function_graph tracer has it in text. */
static const struct tl_column calls[] = {
	/* where -C leaves out time asleep, DURATION does not tell it */
	[START] = { "STARTs", "start", 0, TL_TIME, TL_SHOW_NEVER,
		    .role = TL_ROLE_BEGIN },
	[TIME] = { "TIMEs", "time", TIME_WIDTH, TL_TIME, TL_SHOW_DATA,
		   .role = TL_ROLE_END },
	[COMM] = { "COMM", "comm", 0, TL_STR, TL_SHOW_DATA },
	[PID] = { "PID", "pid", 0, TL_INT, TL_SHOW_DATA },
	[TID] = { "TID", "tid", 0, TL_INT, TL_SHOW_DATA },
	[CPU] = { "CPU", "cpu", 0, TL_INT, TL_SHOW_DATA },
	[FUNCTION] = { "FUNCTION", "function", 0, TL_STR, TL_SHOW_DATA,
		       .role = TL_ROLE_TITLE },
	[DURATION] = { "DURATION", "duration", 0, TL_USECS, TL_SHOW_DATA },
	[ARGS] = { "ARGS", "args", 0, TL_FIELDS, TL_SHOW_DATA },
	[RET] = { "RET", "ret", 0, TL_INT, TL_SHOW_DATA },
	[LINE] = { "LINE", "line", 0, TL_STR, TL_SHOW_TEXT },
	{ 0 }
};

enum { HIST_TIME, HIST_FUNCTION, COUNT, FROM, TO };

/* A histogram's text is not a table. */
static const struct tl_column histogram[] = {
	[HIST_TIME] = { "TIMEs", "time", 0, TL_TIME, TL_SHOW_DATA },
	[HIST_FUNCTION] = { "FUNCTION", "function", 0, TL_STR, TL_SHOW_DATA },
	[COUNT] = { "CALLS", "count", 0, TL_INT, TL_SHOW_DATA },
	[FROM] = { "FROM", "from", 0, TL_USECS, TL_SHOW_DATA },
	[TO] = { "TO", "to", 0, TL_USECS, TL_SHOW_DATA },
	{ 0 }
};

/* ---- a line for each call --------------------------------------------- */

/*
 * "! 8147.120 us |": as many decimals, up to three, as make eight characters.
 */
static void add_duration(char *text, size_t size, uint64_t ns)
{
	char usecs[24];
	int len = snprintf(usecs, sizeof(usecs), "%" PRIu64, ns / 1000);

	if (len < 7)
		snprintf(usecs + len, len < 5 ? 5 : (size_t)(9 - len), ".%03u",
			 (unsigned int)(ns % 1000));
	len = (int)strlen(usecs);
	snprintf(text, size, "%c %s us %*s|  ", tl_graph_mark(ns), usecs,
		 len < 8 ? 8 - len : 0, "");
}

/* In the middle of 14 characters, a name of seven. */
static void add_process(char *text, size_t size, struct tl_str comm, pid_t tid)
{
	char process[32];
	int len = snprintf(process, sizeof(process), "%.*s-%d",
			   comm.len < 7 ? (int)comm.len : 7, comm.text, tid);
	int left = len < 14 ? 14 - len : 0;

	snprintf(text, size, "%*s%s%*s | ", left / 2, "", process,
		 left - left / 2, "");
}

static void put_line(struct tl_session *s, const struct tl_timed_call *call,
		     char **line)
{
	struct tl_str text = tl_timed_call_text(s, call);
	char process[48] = "", duration[48];
	int len;

	if (env.process)
		add_process(process, sizeof(process),
			    tl_task_comm(s, call->tid), call->tid);
	add_duration(duration, sizeof(duration), call->duration);
	len = asprintf(line, "%s %*u) %s%s%*s} /* %.*s */",
		       env.times ? "|  " : "", env.cpu_width, call->cpu,
		       process, duration, (int)call->depth * 2, "",
		       (int)text.len, text.text);
	if (len < 0)
		*line = NULL;
	else
		tl_put_str(s, LINE, (struct tl_str){ *line, (size_t)len });
}

static void print_call(struct tl_session *s, const struct tl_timed_call *call)
{
	char *line = NULL;

	if (call->duration < env.calls.least)
		return;
	tl_pictured(s, call->end, call->duration);
	tl_put_int(s, START, (int64_t)call->start);
	tl_put_int(s, TIME, (int64_t)call->end);
	if (tl_data_format(s)) {
		tl_put_task(s, call->tid, COMM, PID, TID);
		tl_put_int(s, CPU, call->cpu);
		tl_put_text(s, FUNCTION, call->function);
		tl_put_int(s, DURATION, (int64_t)call->duration);
		tl_put_timed_call(s, ARGS, RET, call);
	} else {
		put_line(s, call, &line);
	}
	tl_row(s);
	free(line);
}

/* ---- histograms ------------------------------------------------------- */

static void count_call(struct tl_session *s, const struct tl_timed_call *call)
{
	struct tl_str key = { call->function, strlen(call->function) };

	if (call->duration < env.calls.least)
		return;
	tl_pictured(s, call->end, call->duration);
	tl_hists_add(env.hists, key, (int64_t)call->duration);
}

static int open_histogram(struct tl_session *s)
{
	static const struct tl_hists_config shown = {
		.unit = 1000,
		.unit_name = "us",
		.counted = "calls",
		.what = "function",
		.key = "function",
		.used_only = true,
	};

	env.hists = tl_hists_open(s, &shown);
	if (!env.hists)
		return -ENOMEM;
	tl_hists_interval(s, env.interval, 0);
	return tl_columns(s, histogram);
}

/* ---- set-up ----------------------------------------------------------- */

/* The kernel's own header lines. */
static void print_header(struct tl_session *s)
{
	int width = (int)tl_time_width(tl_settings(s)->time);
	int more = env.times && width > TIME_WIDTH ? width - TIME_WIDTH : 0;

	snprintf(env.header, sizeof(env.header),
		 "# tracer: funcslower\n#\n"
		 "#%*s%s CPU %s DURATION                  FUNCTION CALLS\n"
		 "#%*s%s |   %s  |   |                     |   |   |   |\n",
		 more, "", env.times ? "     TIME       " : "",
		 env.process ? " TASK/PID        " : "", more, "",
		 env.times ? "      |         " : "",
		 env.process ? "  |    |         " : "");
	tl_head(s, env.header);
}

static void print_banner(struct tl_session *s)
{
	const struct tl_settings *set = tl_settings(s);

	tl_banner(s, "Tracing \"%s\"%s%s%s%s%s",
		  tl_banner_words(s, env.calls.patterns, env.calls.count),
		  tl_banner_for(s), env.threshold ? " slower than " : "",
		  env.threshold ?: "", env.threshold ? " us" : "",
		  set->duration || env.interval ? "" : "..");
}

static int setup(struct tl_session *s)
{
	int ret = 0;

	env.head |= env.all;
	env.process |= env.all;
	env.times |= env.all;
	print_banner(s);
	env.cpu_width = tl_cpu_width(s);
	env.calls.done = env.histogram ? count_call : print_call;
	if (env.histogram)
		ret = open_histogram(s);
	else if (env.times)
		tl_column_show(s, TIME, TL_SHOW_ALL);
	if (env.head && !env.histogram)
		print_header(s);
	return ret ?: tl_timed_calls_open(s, &env.calls);
}

static int check(struct tl_session *s)
{
	return tl_timed_calls_check(s)
		       ?: tl_limit(s, "--args", env.calls.args, tl_btf_check)
		       ?: tl_limit(s, "the graph tracer", false,
				   tl_timed_calls_check_tracer);
}

static int end(struct tl_session *s)
{
	uint64_t unfinished =
		env.calls.least ? tl_timed_calls_unfinished(s, env.calls.least)
				: 0;

	if (unfinished)
		tl_warn("%" PRIu64 " of the calls that have not returned yet "
			"%s slower than %s us",
			unfinished, unfinished == 1 ? "is" : "are",
			env.threshold);
	return 0;
}

static int check_options(void)
{
	if (env.interval && !env.histogram)
		return tl_usage("--interval is for --histogram");
	if (env.histogram && (env.calls.args || env.calls.retval))
		return tl_usage("--args and --ret are for calls, not for "
				"--histogram");
	return 0;
}

/*
 * Unlike a time it begins with no digit, but its module can:
 * "9p:v9fs_file_open".
 */
static bool is_function(const char *text)
{
	return (!isdigit((unsigned char)*text) && *text != '.') ||
	       strchr(text, ':');
}

static bool is_threshold(const char *text)
{
	return !is_function(text);
}

static int args(struct tl_session *s, int argc, char **argv)
{
	const char *last = argc ? argv[argc - 1] : NULL;
	unsigned int i;

	if (last && is_threshold(last)) {
		if (tl_arg_usecs("latency_us", last, &env.calls.least))
			return -EINVAL;
		env.threshold = last;
		argc--;
	}
	if (!argc)
		return tl_usage("which function?");
	if (!env.threshold && !env.histogram)
		return tl_usage("slower than how many microseconds?");
	if (tl_args_recorded(s, argc, argv, is_function))
		return -EINVAL;
	env.calls.patterns = argv;
	env.calls.count = (unsigned int)argc;
	for (i = 0; i < env.calls.count; i++)
		if (tl_timed_calls_pattern(argv[i]))
			return -EINVAL;
	return check_options();
}

static const struct tl_tool funcslower = {
	.name = "funcslower",
	.summary = "trace kernel functions slower than a threshold",
	.synopsis = "funcstring... latency_us",
	.examples = {
		{ "funcslower vfs_read 10000",
		  "reads that take 10 ms and more" },
		{ "funcslower --histogram -d 10 vfs_read vfs_write",
		  "how long all take" },
		{ "funcslower -tP --args --ret vfs_read 10000",
		  "when, by whom, with what, and what came of it" },
	},
	.options = options,
	.columns = calls,
	.pictured = { .unit = "calls",
		      .latency = "Time of calls",
		      .told = true },
	.buffer_kb = 4096,
	.flags = TL_FILTERS_CPUS,
	.quiet = true,
	.args = args,
	.selects = is_threshold,
	.check = check,
	.setup = setup,
	.end = end,
};

TL_MAIN(funcslower)
