// SPDX-License-Identifier: GPL-2.0-or-later
/* syscount - count system calls, by process or by call */
#include <errno.h>

#include "tracelet.h"
#include "tracelet/heatmap.h"
#include "tracelet/syscall.h"
#include "tracelet/syscallcount.h"
#include "tracelet/table.h"
#include "tracelet/trigger.h"
#include "tracelet/who.h"

static struct {
	bool by_process;
	unsigned int top;
	uint64_t interval;
	const char *list, *user;
	struct tl_syscall_set wanted;
	struct tl_syscall_counts_config counts;
} env = {
	.counts = { .only = &env.wanted, .command = tl_command_pid },
};

static const struct tl_opt options[] = {
	{ 'c', "calls", NULL, "count by system call", TL_OPT_FLAG,
	  &env.counts.by_call },
	{ 'v', "processes", NULL, "count by process: PID and name", TL_OPT_FLAG,
	  &env.by_process },
	{ 't', "top", "N", "only the N most frequent", TL_OPT_UINT, &env.top,
	  NULL, 1, 0 },
	{ 'e', "syscalls", "LIST", "only these calls, as in \"read,write\"",
	  TL_OPT_STRING, &env.list },
	{ 'i', "interval", "SECS", "print counts every SECS seconds",
	  TL_OPT_INTERVAL, &env.interval },
	{ 0, "errors", NULL, "show how many failed", TL_OPT_FLAG,
	  &env.counts.errors },
	{ 0, "time-spent", NULL, "show the time in them, total and average",
	  TL_OPT_FLAG, &env.counts.times },
	{ 0, "in-kernel", NULL, "with -c: count in the kernel, for floods",
	  TL_OPT_FLAG, &env.counts.in_kernel },
	{ 0, "user", "USER", "run the command as USER", TL_OPT_STRING,
	  &env.user },
	{ 0 }
};

enum { TIME, PID, COMM, SYSCALL, COUNT, ERRORS, SPENT, AVERAGE };

static const struct tl_column columns[] = {
	[TIME] = { "TIMEs", "time", 0, TL_TIME, TL_SHOW_DATA },
	[PID] = { "PID", "pid", -6, TL_INT, TL_SHOW_NEVER },
	[COMM] = { "COMM", "comm", -16, TL_STR, TL_SHOW_NEVER,
		   .metric = TL_LABEL },
	[SYSCALL] = { "SYSCALL", "syscall", -17, TL_STR, TL_SHOW_NEVER,
		      &env.counts.by_call, .metric = TL_LABEL },
	[COUNT] = { "COUNT", "count", 8, TL_INT, TL_SHOW_ALL,
		    .metric =
			    TL_COUNTER("calls", "System calls that returned") },
	[ERRORS] = { "ERRORS", "errors", 8, TL_INT, TL_SHOW_NEVER,
		     &env.counts.errors,
		     .metric =
			     TL_COUNTER("errors", "System calls that failed") },
	[SPENT] = { "TIMEms", "time_spent", 12, TL_MSECS, TL_SHOW_NEVER,
		    &env.counts.times,
		    .metric = TL_COUNTER("call_seconds",
					 "Time in system calls") },
	[AVERAGE] = { "AVGus", "time_average", 10, TL_USECS, TL_SHOW_NEVER,
		      &env.counts.times },
	{ 0 }
};

/* ---- rows ------------------------------------------------------------- */

static void print_row(struct tl_session *s, const struct tl_table_entry *e,
		      uint64_t ns)
{
	const struct tl_syscall_key *key =
		(const struct tl_syscall_key *)e->key.text;
	const struct tl_syscall_sum *sum = e->value;

	tl_put_int(s, TIME, (int64_t)ns);
	tl_put_who(s, &key->who, PID, COMM);
	if (*key->name)
		tl_put_text(s, SYSCALL, key->name);
	tl_put_int(s, COUNT, (int64_t)sum->count);
	tl_put_int(s, ERRORS, (int64_t)sum->errors);
	if (sum->timed) {
		tl_put_int(s, SPENT, (int64_t)sum->time);
		tl_put_int(s, AVERAGE, (int64_t)(sum->time / sum->timed));
	}
	tl_row(s);
}

static int on_interval(struct tl_session *s, uint64_t ns)
{
	if (env.interval)
		tl_print(s, "%s", "");
	tl_header(s);
	return tl_syscall_counts_show(s, env.top, print_row, ns);
}

/* ---- set-up ----------------------------------------------------------- */

static void print_banner(struct tl_session *s)
{
	const struct tl_settings *set = tl_settings(s);
	const char *user = tl_command_user(s);
	const char *command = tl_command_text(s);
	const char *on = set->cpu.count ? " on CPU " : "";

	if (command)
		tl_banner_top(s, env.top, "%s%s while running: \"%s\"%s%s", on,
			      set->cpu.text, command, user ? " as " : "",
			      user ?: "");
	else if (set->pid.count)
		tl_banner_top(s, env.top, " PID %s%s%s", set->pid.text, on,
			      set->cpu.text);
	else
		tl_banner_top(s, env.top, "%s", tl_banner_who(s));
}

static int setup(struct tl_session *s)
{
	int ret;

	env.counts.by = env.by_process       ? TL_BY_BOTH
			: env.counts.by_call ? TL_BY_NOTHING
					     : TL_BY_NAME;
	env.counts.took = tl_pictures_asked(s) ? tl_pictured : NULL;
	ret = tl_syscall_counts_open(s, &env.counts);
	if (ret)
		return ret;
	tl_show_who(s, env.counts.by, PID, COMM);
	print_banner(s);
	tl_interval(s, env.interval, 0, on_interval);
	return 0;
}

static int args(struct tl_session *s, int argc, char **argv)
{
	const bool some = tl_settings_who(tl_settings(s)) || argc;
	const struct tl_syscall_counts_config *counts = &env.counts;
	int ret = 0;

	if (counts->in_kernel && tl_pictures_asked(s))
		return tl_usage("--in-kernel keeps no times of single calls: "
				"not with --heatmap or --subsecond");
	if (counts->in_kernel &&
	    (!env.counts.by_call || env.by_process || some || counts->errors ||
	     counts->times || env.list))
		return tl_usage(
			"--in-kernel counts all calls, by call: with -c "
			"and without other choices");
	if (tl_pictures_asked(s) && !counts->times)
		return tl_usage(
			"--heatmap and --subsecond are of single calls, "
			"which only --time-spent has");
	if (env.user && !argc)
		return tl_usage("--user is for a command, and there is none");
	if (env.list)
		ret = tl_syscall_set_parse(&env.wanted, "-e", env.list);
	if (!ret && argc)
		ret = tl_command(s, argv, env.user);
	return ret;
}

static int check(struct tl_session *s)
{
	return tl_syscall_counts_check(s)
		       ?: tl_limit(s, "--in-kernel", env.counts.in_kernel,
				   tl_trigger_check);
}

static const struct tl_tool syscount = {
	.name = "syscount",
	.summary = "count system calls",
	.synopsis = "[command [argument...]]",
	.examples = {
		{ "syscount -cd 5 -t 10", "the ten calls that are made most" },
		{ "syscount -c --time-spent ls -l /",
		  "what a command does, and how long" },
		{ "syscount -cv --errors --time-spent -d 5",
		  "who calls what, how much fails, how long it takes" },
	},
	.options = options,
	.columns = columns,
	.pictured = { .unit = "calls",
		      .latency = "Time of system calls",
		      .told = true },
	.flags = TL_COMMAND | TL_FILTERS_CPUS,
	.buffer_kb = 8192,
	.quiet = true,
	.args = args,
	.check = check,
	.setup = setup,
};

TL_MAIN(syscount)
