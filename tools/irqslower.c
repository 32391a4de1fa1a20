// SPDX-License-Identifier: GPL-2.0-or-later
/* irqslower - trace interrupts and softirqs that take or wait long */
#include "tracelet.h"
#include "tracelet/heatmap.h"
#include "tracelet/irq.h"
#include "tracelet/task.h"

#define MAX_RAN 8 /* that are listed of those that ran meanwhile */

static struct {
	uint64_t min;      /* ns */
	unsigned int kind; /* place in the words of --kind */
	struct tl_irq_config irq;
} env = { .min = 1000000, .kind = 4, .irq = { .history = true } };

static const struct tl_opt options[] = {
	{ 'k', "kind", "hard|soft|soft-wait|thread-wait",
	  "only handlers that run, softirqs that run, or what waits for that",
	  TL_OPT_WORD, &env.kind },
	{ 'i', "irq", "LIST",
	  "only these: names, which may have \"*\", or numbers", TL_OPT_STRING,
	  &env.irq.only },
	{ 0 }
};

enum {
	TIME,
	CLOCK,
	CPU,
	KIND,
	NUMBER,
	NAME,
	LATENCY,
	OWN,
	COMM,
	PID,
	TID,
	RAN
};

static const struct tl_column columns[] = {
	[TIME] = { "TIMEs", "time", -16, TL_TIME, TL_SHOW_DATA },
	[CLOCK] = { "TIME", "clock", -8, TL_WALL_CLOCK, TL_SHOW_TEXT },
	[CPU] = { "CPU", "cpu", -3, TL_INT },
	[KIND] = { "KIND", "kind", -11, TL_STR, .metric = TL_LABEL },
	[NUMBER] = { "IRQ", "irq", -4, TL_INT, TL_SHOW_DATA },
	[NAME] = { "NAME", "name", -18, TL_STR, .role = TL_ROLE_TITLE,
		   .metric = TL_LABEL },
	[LATENCY] = { "LAT(us)", "latency", 10, TL_USECS,
		      .role = TL_ROLE_LENGTH,
		      .metric = TL_HISTOGRAM("latency_seconds",
					     "How long what was slow took") },
	[OWN] = { "OWN(us)", "own", 10, TL_USECS, TL_SHOW_DATA },
	[COMM] = { "COMM", "comm", -16, TL_STR },
	[PID] = { "PID", "pid", -7, TL_INT, TL_SHOW_DATA },
	[TID] = { "TID", "tid", -7, TL_INT },
	[RAN] = { "RAN", "ran", 0, TL_FIELDS },
	{ 0 }
};

static const char *name_of(enum tl_irq_kind kind)
{
	switch (kind) {
	case TL_IRQ_HARD:
		return "hard";
	case TL_IRQ_SOFT:
		return "soft";
	case TL_IRQ_SOFT_WAIT:
		return "soft-wait";
	case TL_IRQ_THREAD_WAIT:
		return "thread-wait";
	default:
		return NULL;
	}
}

/* What ran longer ago than is kept is "?". */
static void put_ran(struct tl_session *s)
{
	static struct tl_irq_runner ran[256];
	static char names[MAX_RAN][TL_TASK_LABEL];
	static struct tl_named list[MAX_RAN];
	size_t n = tl_irq_ran(s, ran, sizeof(ran) / sizeof(ran[0])), i;

	for (i = 0; i < n && i < MAX_RAN; i++) {
		tl_task_label(s, ran[i].tid, names[i]);
		list[i].name = ran[i].irq ? ran[i].irq->name : names[i];
		list[i].value = (struct tl_value){ .type = TL_USECS,
						   .known = true,
						   .num = (int64_t)ran[i].ns };
	}
	tl_put_list(s, RAN, list, i, n > MAX_RAN);
}

static void on_slice(struct tl_session *s, const struct tl_irq_slice *slice)
{
	const uint64_t latency = slice->to - slice->since;

	if (latency < env.min)
		return;
	tl_put_time(s, TIME, slice->to);
	tl_put_int(s, CPU, slice->cpu);
	tl_put_text(s, KIND, name_of(slice->kind));
	if (slice->irq->number >= 0)
		tl_put_int(s, NUMBER, slice->irq->number);
	tl_put_text(s, NAME, slice->irq->name);
	tl_put_int(s, LATENCY, (int64_t)latency);
	tl_put_int(s, OWN, (int64_t)slice->own);
	tl_put_task(s, slice->tid, COMM, PID, TID);
	put_ran(s);
	tl_pictured(s, slice->to, latency);
	tl_row(s);
}

/* ---- set-up ----------------------------------------------------------- */

static int args(struct tl_session *s, int argc, char **argv)
{
	static const unsigned int kinds[] = {
		TL_IRQ_HARD, TL_IRQ_SOFT, TL_IRQ_SOFT_WAIT, TL_IRQ_THREAD_WAIT,
		TL_IRQ_HARD | TL_IRQ_SOFT | TL_IRQ_SOFT_WAIT |
			TL_IRQ_THREAD_WAIT
	};

	env.irq.kinds = kinds[env.kind];
	return tl_irq_only_check(env.irq.only);
}

static int setup(struct tl_session *s)
{
	env.irq.slice = on_slice;
	tl_banner(s, "Tracing interrupts of %llu us and more%s",
		  (unsigned long long)env.min / 1000, tl_banner_for(s));
	return tl_irq_open(s, &env.irq);
}

static int check(struct tl_session *s)
{
	return tl_irq_check(s, &env.irq);
}

static bool selects(const char *text)
{
	return true;
}

static const struct tl_tool irqslower = {
	.name = "irqslower",
	.summary = "trace interrupts and softirqs that take or wait long",
	.examples = {
		{ "irqslower", "what took, or waited, 1 ms and more" },
		{ "irqslower 100 -k hard", "handlers of 0.1 ms and more" },
		{ "irqslower 5000 -k soft-wait -i 'NET*'",
		  "packets that waited 5 ms to be handled, and for what" },
	},
	.options = options,
	.operands = TL_OPERANDS({ "min_us", TL_OPT_USECS, &env.min }),
	.columns = columns,
	.pictured = { .unit = "times",
		      .latency = "Interrupts that were slow",
		      .told = true },
	.flags = TL_FILTERS_TASKS | TL_FILTERS_CPUS,
	.buffer_kb = 8192,
	.args = args,
	.selects = selects,
	.check = check,
	.setup = setup,
};

TL_MAIN(irqslower)
