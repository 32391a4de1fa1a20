// SPDX-License-Identifier: GPL-2.0-or-later
/* gethostlatency - trace names of hosts that programs look up, and how long it takes */
#include <errno.h>
#include <netdb.h>
#include <stdio.h>

#include "tracelet.h"
#include "tracelet/capture.h"
#include "tracelet/heatmap.h"
#include "tracelet/table.h"
#include "tracelet/uprobe.h"
#include "tracelet/usercalls.h"

/* Different names: programs may ask for any number of them. */
#define NAMES_MAX 65536

static struct {
	bool failed, count;
	uint64_t min, interval; /* ns */
	struct tl_user_calls_config calls;
	struct tl_table *counts; /* struct sum, by name */
} env;

/* The lookups of a name; times in ns. */
struct sum {
	uint64_t count, failed;
	uint64_t returned, total, max; /* of those that were not left */
};

static const struct tl_opt options[] = {
	{ 'x', "failed", NULL, "only lookups that failed", TL_OPT_FLAG,
	  &env.failed },
	{ 0, "min", "MS", "only lookups that took MS milliseconds and more",
	  TL_OPT_MSECS, &env.min },
	{ 'c', "count", NULL, "count by name, show that at the end",
	  TL_OPT_FLAG, &env.count },
	{ 'i', "interval", "SECS", "with -c: every SECS seconds",
	  TL_OPT_INTERVAL, &env.interval },
	{ 0 }
};

enum {
	CLOCK,
	TIME,
	PID,
	TID,
	COMM,
	LATENCY,
	CALL,
	RESULT,
	ERROR,
	COUNT,
	FAILED,
	TOTAL,
	MEAN,
	MAX,
	HOST
};

#define ROWS &env.count, TL_SHOW_NEVER /* not of names */
#define SUMS TL_SHOW_NEVER, &env.count

static const struct tl_column columns[] = {
	[CLOCK] = { "TIME", "clock", -8, TL_WALL_CLOCK, TL_SHOW_TEXT, ROWS },
	[TIME] = { "TIMEs", "time", -16, TL_TIME, TL_SHOW_DATA },
	[PID] = { "PID", "pid", -7, TL_INT, TL_SHOW_ALL, ROWS,
		  .metric = TL_ROWS("lookups", "Lookups of hosts") },
	[TID] = { "TID", "tid", -7, TL_INT, TL_SHOW_DATA, ROWS },
	[COMM] = { "COMM", "comm", -16, TL_STR, TL_SHOW_ALL, ROWS },
	[LATENCY] = { "LATms", "latency", 9, TL_MSECS, TL_SHOW_ALL, ROWS,
		      .role = TL_ROLE_LENGTH,
		      .metric =
			      TL_HISTOGRAM("latency_seconds",
					   "How long lookups of hosts took") },
	[CALL] = { "CALL", "call", -16, TL_STR, TL_SHOW_DATA, ROWS,
		   .metric = TL_LABEL },
	[RESULT] = { "RESULT", "result", -12, TL_STR, TL_SHOW_ALL, ROWS,
		     .metric = TL_LABEL },
	[ERROR] = { "ERROR", "error", 6, TL_INT, TL_SHOW_DATA, ROWS },
	[COUNT] = { "LOOKUPS", "count", 8, TL_INT, SUMS },
	[FAILED] = { "FAILED", "failed", 8, TL_INT, SUMS },
	[TOTAL] = { "TOTALms", "total", 10, TL_MSECS, SUMS },
	[MEAN] = { "MEANms", "mean", 9, TL_MSECS, SUMS },
	[MAX] = { "MAXms", "max", 9, TL_MSECS, SUMS },
	[HOST] = { "HOST", "host", 0, TL_STR, .role = TL_ROLE_TITLE },
	{ 0 }
};

/* ---- what came of it -------------------------------------------------- */

static const char *name_eai(int64_t error)
{
	static const struct {
		int number;
		const char *name;
	} names[] = {
		{ EAI_BADFLAGS, "EAI_BADFLAGS" },
		{ EAI_NONAME, "EAI_NONAME" },
		{ EAI_AGAIN, "EAI_AGAIN" },
		{ EAI_FAIL, "EAI_FAIL" },
		{ EAI_NODATA, "EAI_NODATA" },
		{ EAI_FAMILY, "EAI_FAMILY" },
		{ EAI_SOCKTYPE, "EAI_SOCKTYPE" },
		{ EAI_SERVICE, "EAI_SERVICE" },
		{ EAI_ADDRFAMILY, "EAI_ADDRFAMILY" },
		{ EAI_MEMORY, "EAI_MEMORY" },
		{ EAI_SYSTEM, "EAI_SYSTEM" },
		{ EAI_OVERFLOW, "EAI_OVERFLOW" },
		{ EAI_INTR, "EAI_INTR" },
		{ EAI_IDN_ENCODE, "EAI_IDN_ENCODE" },
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].number == error)
			return names[i].name;
	return NULL;
}

#define ADDRESSES "host=$arg1:string"
#define NUMBER    "ret=$retval:s32"
#define POINTER   "ret=$retval:u64"

/* The outcome of the last two is behind pointers that are gone at the return. */
enum { BY_EAI, BY_POINTER, BY_POINTER_2, BY_ERRNO, BY_ERRNO_2 };

static const struct tl_user_function functions[] = {
	[BY_EAI] = { "getaddrinfo", ADDRESSES, NUMBER },
	[BY_POINTER] = { "gethostbyname", ADDRESSES, POINTER },
	[BY_POINTER_2] = { "gethostbyname2", ADDRESSES, POINTER },
	[BY_ERRNO] = { "gethostbyname_r", ADDRESSES, NUMBER },
	[BY_ERRNO_2] = { "gethostbyname2_r", ADDRESSES, NUMBER },
	{ 0 }
};

/* What came of a lookup; neither good nor bad, where that is not known. */
struct result {
	bool is_good, is_bad;
	bool has_error;
	int64_t error;
	const char *name;
};

static const struct result left = { .is_bad = true, .name = "left" };

static struct result result_of(const struct tl_user_call *call, int64_t ret)
{
	static const struct result good = { .is_good = true, .name = "ok" };

	switch (call->function - functions) {
	case BY_EAI:
		return ret ? (struct result){ false, true, true, ret,
					      name_eai(ret) }
			   : good;
	case BY_POINTER:
	case BY_POINTER_2:
		return ret ? good
			   : (struct result){ .is_bad = true,
					      .name = "failed" };
	default:
		return (struct result){ .is_bad = ret,
					.has_error = ret,
					.error = ret,
					.name = tl_errno_name((int)ret) };
	}
}

/* ---- rows ------------------------------------------------------------- */

static void put_result(struct tl_session *s, const struct result *result,
		       char number[24])
{
	snprintf(number, 24, "%lld", (long long)result->error);
	if (result->is_good || result->has_error)
		tl_put_int(s, ERROR, result->error);
	if (result->is_good || result->is_bad)
		tl_put_text(s, RESULT, result->name ?: number);
}

/* Where there is none only a service is looked up. */
static void put_host(struct tl_session *s, struct tl_str host)
{
	if (host.len)
		tl_put_str(s, HOST, host);
}

static void print(struct tl_session *s, const struct tl_user_call *call,
		  const struct result *result, struct tl_str host)
{
	char number[24];

	tl_put_time(s, CLOCK, call->end);
	tl_put_task(s, call->entry->pid, COMM, PID, TID);
	if (call->exit)
		tl_put_int(s, LATENCY, (int64_t)(call->end - call->start));
	tl_put_text(s, CALL, call->function->name);
	put_result(s, result, number);
	put_host(s, host);
	tl_row(s);
}

static void count(const struct tl_user_call *call, const struct result *result,
		  struct tl_str host)
{
	uint64_t latency = call->end - call->start;
	struct sum *sum = tl_table_at(env.counts, host);

	if (!sum)
		return;
	sum->count++;
	sum->failed += result->is_bad;
	if (!call->exit)
		return;
	sum->returned++;
	sum->total += latency;
	if (latency > sum->max)
		sum->max = latency;
}

/* How long what was left took is not known. */
static bool is_asked(const struct tl_session *s,
		     const struct tl_user_call *call)
{
	if (!call->exit)
		return !env.min && tl_cpu_matches(s, call->entry->cpu);
	return call->end - call->start >= env.min &&
	       tl_cpu_matches(s, call->exit->cpu);
}

static void on_call(struct tl_session *s, const struct tl_user_call *call)
{
	struct result result = left;
	struct tl_field name, ret;
	struct tl_str host;

	if (!is_asked(s, call) ||
	    tl_event_field(s, call->entry->event, "host", &name))
		return;
	if (call->exit) {
		if (tl_event_field(s, call->exit->event, "ret", &ret))
			return;
		result = result_of(call, tl_field_num(call->exit, &ret));
	}
	if (env.failed && !result.is_bad)
		return;
	if (call->exit)
		tl_pictured(s, call->end, call->end - call->start);
	host = tl_field_str(call->entry, &name);
	if (env.count)
		count(call, &result, host);
	else
		print(s, call, &result, host);
}

/* ---- counts ----------------------------------------------------------- */

static void put_sum(struct tl_session *s, const struct tl_table_entry *e,
		    uint64_t ns)
{
	const struct sum *sum = e->value;

	tl_put_int(s, TIME, (int64_t)ns);
	tl_put_int(s, COUNT, (int64_t)sum->count);
	tl_put_int(s, FAILED, (int64_t)sum->failed);
	if (sum->returned) {
		tl_put_int(s, TOTAL, (int64_t)sum->total);
		tl_put_int(s, MEAN, (int64_t)(sum->total / sum->returned));
		tl_put_int(s, MAX, (int64_t)sum->max);
	}
	put_host(s, e->key);
	tl_row(s);
}

static int on_interval(struct tl_session *s, uint64_t ns)
{
	static const struct tl_table_view view = { .order = tl_table_by_count,
						   .put = put_sum,
						   .counts = "lookups",
						   .keys = "names" };

	return tl_table_show(s, env.counts, &view, ns);
}

static int set_up_counts(struct tl_session *s)
{
	if (tl_settings(s)->trigger)
		return tl_fail(EINVAL, "--trigger: with -c there are no rows "
				       "of lookups");
	env.counts = tl_table_new(sizeof(struct sum), NULL);
	if (!env.counts)
		return -ENOMEM;
	tl_table_limit(env.counts, NAMES_MAX);
	tl_interval(s, env.interval, 0, on_interval);
	return 0;
}

/* ---- set-up ----------------------------------------------------------- */

static int setup(struct tl_session *s)
{
	int ret = env.count ? set_up_counts(s) : 0;

	tl_banner(s, "%s lookups of host names%s",
		  env.count ? "Counting" : "Tracing", tl_banner_who(s));
	if (!env.count)
		tl_show_time(s, CLOCK, TIME);
	env.calls.functions = functions;
	env.calls.done = on_call;
	return ret ?: tl_user_calls_open(s, &env.calls);
}

static int args(struct tl_session *s, int argc, char **argv)
{
	if (tl_args_recorded(s, argc, argv, NULL))
		return -EINVAL;
	if (env.interval && !env.count)
		return tl_usage("-i is for -c");
	env.calls.files = argv;
	env.calls.count = (unsigned int)argc;
	return 0;
}

static const struct tl_tool gethostlatency = {
	.name = "gethostlatency",
	.summary = "trace lookups of host names, with their time and result",
	.synopsis = "[file...]",
	.examples = {
		{ "gethostlatency", "which names programs look up" },
		{ "gethostlatency -x", "what is looked up in vain" },
		{ "gethostlatency --min=100 libc /proc/*/root/usr/lib/*/libc.so.6",
		  "what takes 100 ms and more, in containers too" },
	},
	.options = options,
	.columns = columns,
	.pictured = { .unit = "lookups", .latency = "Time of lookups", .told = true },
	.flags = TL_FILTERS_CPUS,
	.args = args,
	.check = tl_uprobe_check,
	.setup = setup,
};

TL_MAIN(gethostlatency)
