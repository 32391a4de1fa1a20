// SPDX-License-Identifier: GPL-2.0-or-later
/* runqslower - trace threads that wait long for a processor */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tracelet.h"
#include "tracelet/heatmap.h"
#include "tracelet/sched.h"
#include "tracelet/task.h"

#define MAX_RUNS \
	1026      /* all of a history, what runs now, and what is not known */
#define MAX_RAN 8 /* threads that are listed of those that ran meanwhile */

static struct {
	bool previous;
	uint64_t min;         /* ns */
	unsigned int waiting; /* that had not ended at the end */
	struct tl_sched_config sched;
} env = {
	.min = 10000000,
	.sched = { .kinds = TL_SCHED_WAIT, .everyone = true, .history = true },
};

static const struct tl_opt options[] = { { 'P', "previous", NULL,
					   "show who left the processor to it",
					   TL_OPT_FLAG, &env.previous },
					 { 0 } };

enum {
	TIME,
	CLOCK,
	COMM,
	PID,
	TID,
	CPU,
	CAUSE,
	LATENCY,
	PREV_COMM,
	PREV_TID,
	RAN,
	ENDED
};

static const struct tl_column columns[] = {
	[TIME] = { "TIMEs", "time", -16, TL_TIME, TL_SHOW_DATA },
	[CLOCK] = { "TIME", "clock", -8, TL_WALL_CLOCK, TL_SHOW_TEXT },
	[COMM] = { "COMM", "comm", -16, TL_STR },
	[PID] = { "PID", "pid", -7, TL_INT, TL_SHOW_DATA },
	[TID] = { "TID", "tid", -7, TL_INT },
	[CPU] = { "CPU", "cpu", -3, TL_INT, TL_SHOW_DATA },
	[CAUSE] = { "CAUSE", "cause", -9, TL_STR, TL_SHOW_DATA,
		    .role = TL_ROLE_TITLE },
	[LATENCY] = { "LAT(us)", "latency", 14, TL_USECS,
		      .role = TL_ROLE_LENGTH },
	[PREV_COMM] = { "PREV COMM", "prev_comm", -16, TL_STR, TL_SHOW_DATA,
			&env.previous },
	[PREV_TID] = { "PREV TID", "prev_tid", -8, TL_INT, TL_SHOW_DATA,
		       &env.previous },
	[RAN] = { "RAN", "ran", 0, TL_FIELDS },
	[ENDED] = { "ENDED", "ended", 0, TL_INT, TL_SHOW_DATA },
	{ 0 }
};

/* ---- what ran meanwhile ----------------------------------------------- */

static int most_first(const void *a, const void *b)
{
	const struct tl_sched_runner *x = a, *y = b;

	return (x->ns < y->ns) - (x->ns > y->ns);
}

/* Each thread once; how many there are. */
static size_t add_up(struct tl_sched_runner *ran, size_t count)
{
	size_t i, j, n = 0;

	for (i = 0; i < count; i++) {
		for (j = 0; j < n && ran[j].tid != ran[i].tid;)
			j++;
		if (j == n)
			ran[n++] = ran[i];
		else
			ran[j].ns += ran[i].ns;
	}
	qsort(ran, n, sizeof(*ran), most_first);
	return n;
}

/* What ran longer ago than is kept is "?". */
static void put_ran(struct tl_session *s, struct tl_sched_runner *ran, size_t n)
{
	static char names[MAX_RAN][TL_TASK_LABEL];
	static struct tl_named list[MAX_RAN];
	size_t i;

	for (i = 0; i < n && i < MAX_RAN; i++) {
		tl_task_label(s, ran[i].tid, names[i]);
		list[i].name = names[i];
		list[i].value = (struct tl_value){ .type = TL_USECS,
						   .known = true,
						   .num = (int64_t)ran[i].ns };
	}
	tl_put_list(s, RAN, list, i, n > MAX_RAN);
}

/* The last one that ran left the processor to it. */
static void put_others(struct tl_session *s)
{
	static struct tl_sched_runner ran[MAX_RUNS];
	size_t n = tl_sched_ran(s, ran, MAX_RUNS);

	if (!n || ran[0].tid < 0)
		return;
	tl_put_str(s, PREV_COMM, tl_task_comm(s, ran[0].tid));
	tl_put_int(s, PREV_TID, ran[0].tid);
	put_ran(s, ran, add_up(ran, n));
}

/* ---- rows ------------------------------------------------------------- */

static void on_wait(struct tl_session *s, const struct tl_sched_slice *slice)
{
	const uint64_t latency = slice->to - slice->since;

	if (!slice->began || latency < env.min)
		return;
	tl_put_time(s, TIME, slice->to);
	tl_put_task(s, slice->tid, COMM, PID, TID);
	tl_put_int(s, CPU, slice->cpu);
	tl_put_text(s, CAUSE, slice->letter == 'R' ? "preempted" : "woken");
	tl_put_int(s, LATENCY, (int64_t)latency);
	tl_put_int(s, ENDED, slice->ended);
	if (slice->ended) {
		put_others(s);
		tl_pictured(s, slice->to, latency);
	} else {
		env.waiting++;
	}
	tl_row(s);
}

/* ---- set-up ----------------------------------------------------------- */

/* Who still waits has waited that long at least. */
static int on_end(struct tl_session *s)
{
	tl_sched_end(s);
	if (env.waiting)
		tl_warn("%u thread%s still waited at the end: rows with the "
			"time "
			"so far come last",
			env.waiting, env.waiting == 1 ? "" : "s");
	return 0;
}

static int setup(struct tl_session *s)
{
	env.sched.slice = on_wait;
	tl_banner(s, "Tracing run queue latency of %llu us and more%s",
		  (unsigned long long)env.min / 1000, tl_banner_for(s));
	return tl_sched_open(s, &env.sched);
}

static int check(struct tl_session *s)
{
	return tl_sched_check(s, &env.sched);
}

static bool selects(const char *text)
{
	return true;
}

static const struct tl_tool runqslower = {
	.name = "runqslower",
	.summary = "trace threads that wait long for a processor",
	.examples = {
		{ "runqslower", "waits of 10 ms and more" },
		{ "runqslower 1000 -n '^postgres$'",
		  "of 1 ms and more, of one program" },
		{ "runqslower -P 50000 -d 60",
		  "for a minute, with who left the processor to it" },
	},
	.options = options,
	.operands = TL_OPERANDS({ "min_us", TL_OPT_USECS, &env.min }),
	.columns = columns,
	.pictured = { .unit = "waits",
		      .latency = "Run queue latency",
		      .told = true },
	.flags = TL_FILTERS_TASKS | TL_FILTERS_CPUS,
	.buffer_kb = 8192,
	.selects = selects,
	.check = check,
	.setup = setup,
	.end = on_end,
};

TL_MAIN(runqslower)
