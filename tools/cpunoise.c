// SPDX-License-Identifier: GPL-2.0-or-later
/* cpunoise - show who takes the processor, and how much of it, from what wants to run */
#include <errno.h>
#include <limits.h>
#include <stdio.h>

#include "tracelet.h"
#include "tracelet/irq.h"
#include "tracelet/spin.h"
#include "tracelet/table.h"
#include "tracelet/task.h"

#define MAX_ROWS  10240   /* of an interval */
#define MAX_TAKES 65536   /* of all rows */
#define MAX_NAMED 16      /* in a row */
#define BELOW     INT_MIN /* no thread: what the kernel does not see */
#define PERIOD \
	1000000000 /* ns of which the worst is shown, as by rtla osnoise */

/* What takes a processor. */
enum taker { HARDWARE, NMI, IRQ, SOFTIRQ, THREAD, TAKERS };

static struct {
	bool spin, clock;
	unsigned int count, top, named;
	uint64_t interval;
	uint64_t start; /* ns: of the first period */
	uint64_t shown; /* ns: up to then all was */
	bool threads;   /* a row is of a thread, not of a processor */
	struct tl_irq_config irq;
	struct tl_table
		*noises; /* struct noise by id: of a thread, a processor */
	struct tl_table *takes;    /* struct take by struct take_key */
	struct tl_table *spinners; /* pid_t by processor */
} env = { .top = 20, .named = 5 };

static const struct tl_opt options[] = {
	{ 's', "spin", NULL,
	  "also what the kernel cannot see, by processes that spin",
	  TL_OPT_FLAG | TL_OPT_RECORDED, &env.spin },
	{ 'T', NULL, NULL, "show the time", TL_OPT_FLAG, &env.clock },
	{ 't', "top", "N", "of threads only the N that lose most (20)",
	  TL_OPT_COUNT, &env.top },
	{ 0, "who", "N", "name the N that took most (5)", TL_OPT_UINT,
	  &env.named, NULL, 0, MAX_NAMED },
	{ 0 }
};

enum {
	TIME,
	CPU,
	COMM,
	PID,
	TID,
	RUNTIME,
	NOISE,
	SHARE_TEXT,
	SHARE,
	MAX_NOISE,
	MAX_SINGLE,
	COUNTS,
	NS = COUNTS + TAKERS,
	WHO = NS + TAKERS
};

#define TAKEN(what, help) .metric = TL_COUNTER(what "_seconds", help)

static const struct tl_column columns[] = {
	[TIME] = { "TIMEs", "time", -16, TL_TIME, TL_SHOW_DATA },
	[CPU] = { "CPU", "cpu", -3, TL_INT, .metric = TL_LABEL },
	[COMM] = { "COMM", "comm", -16, TL_STR, TL_SHOW_NEVER },
	[PID] = { "PID", "pid", -7, TL_INT, TL_SHOW_NEVER },
	[TID] = { "TID", "tid", -7, TL_INT, TL_SHOW_NEVER },
	[RUNTIME] = { "RUNTIME", "runtime", 10, TL_USECS,
		      TAKEN("runtime", "Time that is known of") },
	[NOISE] = { "NOISE", "noise", 10, TL_USECS },
	[SHARE_TEXT] = { "%AVAIL", "", 9, TL_STR, TL_SHOW_TEXT },
	[SHARE] = { "AVAIL", "available", 7, TL_PERCENT, TL_SHOW_DATA },
	[MAX_NOISE] = { "MAXNOISE", "max_noise", 9, TL_USECS },
	[MAX_SINGLE] = { "MAXSINGLE", "max_single", 9, TL_USECS },
	[COUNTS + HARDWARE] = { "HW", "hw", 6, TL_INT, TL_SHOW_NEVER, &env.spin,
				TL_SHOW_ALL },
	[COUNTS + NMI] = { "NMI", "nmi", 4, TL_INT },
	[COUNTS + IRQ] = { "IRQ", "irq", 7, TL_INT },
	[COUNTS + SOFTIRQ] = { "SOFTIRQ", "softirq", 7, TL_INT },
	[COUNTS + THREAD] = { "THREAD", "thread", 7, TL_INT },
	[NS + HARDWARE] = { "HWus", "hw_time", 10, TL_NSECS, TL_SHOW_NEVER,
			    &env.spin, TL_SHOW_DATA,
			    TAKEN("hardware",
				  "Time that the kernel does not see") },
	[NS + NMI] = { "NMIus", "nmi_time", 10, TL_NSECS, TL_SHOW_DATA,
		       TAKEN("nmi", "Time of interrupts that cannot be "
				    "masked") },
	[NS + IRQ] = { "IRQus", "irq_time", 10, TL_NSECS, TL_SHOW_DATA,
		       TAKEN("irq", "Time of hard interrupts") },
	[NS + SOFTIRQ] = { "SOFTIRQus", "softirq_time", 10, TL_NSECS,
			   TL_SHOW_DATA, TAKEN("softirq", "Time of softirqs") },
	[NS + THREAD] = { "THREADus", "thread_time", 10, TL_NSECS, TL_SHOW_DATA,
			  TAKEN("thread", "Time of threads") },
	[WHO] = { "WHO(us)", "who", 0, TL_FIELDS },
	{ 0 }
};

/* ---- sums ------------------------------------------------------------- */

/* Who took time from whom. */
struct take_key {
	int from; /* thread, or processor, whose row it is */
	int irq;  /* id; -1: a thread */
	pid_t tid;
};

struct take {
	uint64_t ns;
	const struct tl_irq *irq; /* NULL: another one */
	pid_t tid;                /* or BELOW, or -1: it is not known */
};

struct noise {
	uint64_t available; /* ns: it ran, or nobody did */
	uint64_t ns[TAKERS], count[TAKERS];
	/* what takes it without a pause: since when, and until now; its longest */
	uint64_t since, until, max_single;
	uint64_t period, in_period, max_period; /* place, ns, ns */
	struct take most[MAX_NAMED]; /* when it is shown; the first one most */
};

static void add_to_period(struct noise *n, uint64_t place, uint64_t ns)
{
	if (place < n->period)
		return; /* what the kernel does not see is told late */
	if (place > n->period)
		n->in_period = 0;
	n->period = place;
	n->in_period += ns;
	if (n->in_period > n->max_period)
		n->max_period = n->in_period;
}

static void add_to_periods(struct noise *n, uint64_t from, uint64_t to)
{
	uint64_t place, end;

	for (; from < to; from = end) {
		place = from > env.start ? (from - env.start) / PERIOD : 0;
		end = env.start + (place + 1) * PERIOD;
		add_to_period(n, place, (end < to ? end : to) - from);
	}
}

static void add_single(struct noise *n, uint64_t from, uint64_t to)
{
	if (n->until != from)
		n->since = from;
	n->until = to;
	if (to - n->since > n->max_single)
		n->max_single = to - n->since;
}

static void add_take(int from, const struct tl_irq *irq, pid_t tid, uint64_t ns)
{
	const struct take_key key = { from, irq ? (int)irq->id : -1,
				      irq ? 0 : tid };
	struct take *take =
		env.named ? tl_table_at(env.takes, TL_KEY(key)) : NULL;

	if (!take)
		return;
	take->ns += ns;
	take->irq = irq;
	take->tid = tid;
}

static void add(struct noise *n, enum taker by, uint64_t from, uint64_t to)
{
	n->ns[by] += to - from;
	add_to_periods(n, from, to);
}

static enum taker taker_of(unsigned int kind)
{
	switch (kind) {
	case TL_IRQ_HARD:
		return IRQ;
	case TL_IRQ_SOFT:
		return SOFTIRQ;
	case TL_IRQ_NMI:
		return NMI;
	default:
		return THREAD;
	}
}

/* From a thread only interrupts take time here; what preempts it, on_preempted() has. */
static bool takes(const struct tl_irq_run *run)
{
	const int cpu = (int)run->cpu;
	const pid_t *spinner;

	if (run->kind || env.threads || run->tid <= 0)
		return run->kind != 0;
	spinner = env.spin ? tl_table_at(env.spinners, TL_KEY(cpu)) : NULL;
	return !spinner || *spinner != run->tid;
}

static void on_ran(struct tl_session *s, const struct tl_irq_run *run)
{
	const int id = env.threads ? run->tid : (int)run->cpu;
	struct noise *n;
	enum taker by;

	if (env.threads && (id <= 0 || !tl_task_matches(s, id)))
		return;
	n = tl_table_at(env.noises, TL_KEY(id));
	if (!n)
		return;
	if (!env.start)
		env.start = run->from;
	if (!takes(run)) {
		n->available += run->to - run->from;
		return;
	}
	by = taker_of(run->kind);
	n->count[by] += run->begun;
	add(n, by, run->from, run->to);
	add_single(n, run->from, run->to);
	add_take(id, run->irq, run->tid, run->to - run->from);
}

static void on_preempted(struct tl_session *s, const struct tl_irq_slice *slice)
{
	static struct tl_irq_runner ran[256];
	struct noise *n = tl_table_at(env.noises, TL_KEY(slice->tid));
	size_t i, count;

	if (!n)
		return;
	if (!env.start)
		env.start = slice->since;
	n->count[THREAD]++;
	add(n, THREAD, slice->since, slice->to);
	add_single(n, slice->since, slice->to);
	count = env.named ? tl_irq_ran(s, ran, sizeof(ran) / sizeof(ran[0]))
			  : 0;
	for (i = 0; i < count; i++)
		add_take(slice->tid, ran[i].irq, ran[i].tid, ran[i].ns);
}

/* What of the time nothing else had that is recorded. */
static uint64_t unexplained(struct tl_session *s,
			    const struct tl_spin_stop *stop)
{
	static struct tl_irq_runner ran[256];
	size_t i, count = tl_irq_ran_on(s, stop->cpu, stop->from, stop->to, ran,
					sizeof(ran) / sizeof(ran[0]));

	for (i = 0; i < count; i++)
		if (!ran[i].irq && ran[i].tid == stop->tid)
			return ran[i].ns;
	return 0;
}

/* It is told when it is over, and may have begun in an earlier interval. */
static void on_stopped(struct tl_session *s, const struct tl_spin_stop *stop)
{
	const int id = (int)stop->cpu;
	const uint64_t ns = unexplained(s, stop),
		       from = stop->from > env.shown ? stop->from : env.shown;
	struct noise *n = tl_table_at(env.noises, TL_KEY(id));
	pid_t *spinner = tl_table_at(env.spinners, TL_KEY(id));

	if (!n || !spinner)
		return;
	*spinner = stop->tid;
	if (ns < TL_SPIN_LEAST)
		return;
	n->count[HARDWARE]++;
	add(n, HARDWARE, stop->to - ns, stop->to);
	add_take(id, NULL, BELOW, ns);
	if (stop->to > from && stop->to - from > n->max_single)
		n->max_single = stop->to - from;
}

/* ---- output ----------------------------------------------------------- */

static uint64_t sum_of(const struct noise *n)
{
	uint64_t sum = 0;
	int by;

	for (by = 0; by < TAKERS; by++)
		sum += n->ns[by];
	return sum;
}

static int most_first(const struct tl_table_entry *a,
		      const struct tl_table_entry *b)
{
	uint64_t x = sum_of(a->value), y = sum_of(b->value);

	return (x < y) - (x > y);
}

static int by_number(const struct tl_table_entry *a,
		     const struct tl_table_entry *b)
{
	return *(const int *)a->key.text - *(const int *)b->key.text;
}

/* Puts it where it belongs among those that took most. */
static void rank(void *ctx, struct tl_str text, void *value)
{
	const struct take_key *key = (const struct take_key *)text.text;
	struct noise *n = tl_table_at(env.noises, TL_KEY(key->from));
	struct take take = *(const struct take *)value, less;
	unsigned int i;

	for (i = 0; n && i < env.named; i++) {
		if (n->most[i].ns >= take.ns)
			continue;
		less = n->most[i];
		n->most[i] = take;
		take = less;
	}
}

static void put_who(struct tl_session *s, const struct noise *n)
{
	static char names[MAX_NAMED][TL_TASK_LABEL];
	static struct tl_named list[MAX_NAMED];
	const struct take *t = n->most;
	unsigned int i;

	for (i = 0; i < env.named && t[i].ns; i++) {
		tl_task_label(s, t[i].tid, names[i]);
		list[i].name = names[i];
		if (t[i].irq)
			list[i].name = t[i].irq->name;
		else if (t[i].tid == BELOW)
			list[i].name = "HW";
		list[i].value = (struct tl_value){ .type = TL_USECS,
						   .known = true,
						   .num = (int64_t)t[i].ns };
	}
	tl_put_list(s, WHO, list, i, false);
}

static void put_id(struct tl_session *s, int id)
{
	if (env.threads)
		tl_put_task(s, id, COMM, PID, TID);
	else
		tl_put_int(s, CPU, id);
}

/* As rtla has it, with digits that a processor with little noise needs. */
static void put_share(struct tl_session *s, uint64_t noise, uint64_t runtime)
{
	static char text[16];
	const double share = 1 - (double)noise / (double)runtime;

	snprintf(text, sizeof(text), "%.5f", share * 100);
	tl_put_text(s, SHARE_TEXT, text);
	tl_put_int(s, SHARE, (int64_t)(share * 1e9));
}

/* What nobody looks at is not known. */
static bool is_seen(struct tl_session *s, int by, int id)
{
	const pid_t *spinner;

	if (by == NMI)
		return tl_irq_sees_nmis(s);
	if (by != HARDWARE)
		return true;
	spinner = env.spin ? tl_table_at(env.spinners, TL_KEY(id)) : NULL;
	return spinner && *spinner;
}

static void put_row(struct tl_session *s, const struct tl_table_entry *e,
		    uint64_t ns)
{
	const struct noise *n = e->value;
	/* what was below the kernel has the time of the process that spins */
	const uint64_t noise = sum_of(n), hardware = n->ns[HARDWARE],
		       runtime = noise - hardware +
				 (n->available > hardware ? n->available
							  : hardware);
	int by;

	if (!runtime)
		return;
	tl_put_int(s, TIME, (int64_t)ns);
	put_id(s, *(const int *)e->key.text);
	tl_put_int(s, RUNTIME, (int64_t)runtime);
	tl_put_int(s, NOISE, (int64_t)noise);
	put_share(s, noise, runtime);
	tl_put_int(s, MAX_NOISE, (int64_t)n->max_period);
	tl_put_int(s, MAX_SINGLE, (int64_t)n->max_single);
	for (by = 0; by < TAKERS; by++) {
		if (!is_seen(s, by, *(const int *)e->key.text))
			continue;
		tl_put_int(s, COUNTS + (unsigned int)by, (int64_t)n->count[by]);
		tl_put_int(s, NS + (unsigned int)by, (int64_t)n->ns[by]);
	}
	put_who(s, n);
	tl_row(s);
}

static int on_interval(struct tl_session *s, uint64_t ns)
{
	const struct tl_table_view view = {
		.order = env.threads ? most_first : by_number,
		.top = env.threads ? env.top : 0,
		.put = put_row,
		.counts = "times",
		.keys = env.threads ? "threads" : "processors",
	};
	int ret;

	tl_irq_cut(s, ns);
	env.shown = ns;
	tl_table_each(env.takes, rank, NULL);
	tl_print(s, "%s", "");
	if (env.clock)
		tl_print_date(s, ns);
	tl_header(s);
	ret = tl_table_show(s, env.noises, &view, ns);
	tl_table_clear(env.takes);
	return ret;
}

/* ---- set-up ----------------------------------------------------------- */

static void show_columns(struct tl_session *s)
{
	if (!env.threads)
		return;
	tl_column_show(s, CPU, TL_SHOW_NEVER);
	tl_column_show(s, COMM, TL_SHOW_ALL);
	tl_column_show(s, PID, TL_SHOW_DATA);
	tl_column_show(s, TID, TL_SHOW_ALL);
}

static int setup(struct tl_session *s)
{
	env.noises = tl_table_new(sizeof(struct noise), NULL);
	env.takes = tl_table_new(sizeof(struct take), NULL);
	env.spinners = tl_table_new(sizeof(pid_t), NULL);
	if (!env.noises || !env.takes || !env.spinners)
		return -ENOMEM;
	tl_table_limit(env.noises, MAX_ROWS);
	tl_table_limit(env.takes, MAX_TAKES);
	show_columns(s);
	tl_banner(s, "Tracing who takes the time of %s%s",
		  env.threads ? "threads" : "processors", tl_banner_for(s));
	tl_interval(s, env.interval, env.count, on_interval);
	return tl_irq_open(s, &env.irq)
		       ?: env.spin ? tl_spin_open(s, on_stopped)
				   : 0;
}

static void fill_in(struct tl_session *s)
{
	env.threads = tl_settings_who(tl_settings(s));
	env.irq = (struct tl_irq_config){
		.kinds = env.threads ? TL_IRQ_PREEMPTED : 0,
		.history = (env.threads && env.named) || env.spin,
		.slice = on_preempted,
		.ran = on_ran,
	};
}

static int check(struct tl_session *s)
{
	fill_in(s);
	return tl_irq_check(s, &env.irq);
}

static int args(struct tl_session *s, int argc, char **argv)
{
	fill_in(s);
	if (env.spin && env.threads)
		return tl_usage("--spin is of processors: not with -p, -L, -n "
				"or --cgroup");
	return 0;
}

static const struct tl_tool cpunoise = {
	.name = "cpunoise",
	.summary = "show who takes the time of processors, or of threads",
	.examples = {
		{ "cpunoise 1", "each processor, each second" },
		{ "cpunoise -p 1234 10",
		  "who takes the processor from each thread of a process" },
		{ "cpunoise --cpu=1 --spin 10 1",
		  "10 seconds of one that should be left alone, with what the "
		  "firmware or the host takes" },
	},
	.options = options,
	.operands = TL_OPERANDS_INTERVAL(env.interval, env.count),
	.columns = columns,
	.flags = TL_FILTERS_TASKS | TL_FILTERS_CPUS,
	.buffer_kb = 8192,
	.quiet = true,
	.args = args,
	.check = check,
	.setup = setup,
};

TL_MAIN(cpunoise)
