// SPDX-License-Identifier: GPL-2.0-or-later
/* irq.c - records of interrupts, softirqs, and what they wait for */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/part.h"
#include "irq/levels.h"
#include "irq/names.h"
#include "irq/raises.h"
#include "irq/threads.h"
#include "irq/vectors.h"
#include "picture/online.h"
#include "record/event.h"
#include "record/task.h"
#include "run/run.h"
#include "sched/history.h"
#include "tracelet/irq.h"
#include "tracelet/message.h"
#include "tracelet/source.h"
#include "tracelet/symbolic.h"
#include "tracelet/task.h"

#define WAKES_THREAD 2 /* enum irqreturn, a bit of what a handler returns */
/* of one time: all of a history, what runs now, and what is not known */
#define MAX_CHANGES 1026

#define SOFTIRQS (TL_IRQ_SOFT | TL_IRQ_SOFT_WAIT)

/* In the history, an interrupt is a thread of this id. */
#define AS_TID(irq) (-2 - (pid_t)(irq)->id)
#define ID_OF(tid)  ((unsigned int)(-2 - (tid)))

/* What no end of a record has: that of NMIs, which have one record only. */
#define NMI_CODE INT_MIN

/* Threads that were preempted, at a time. */
#define MAX_PREEMPTED 65536

/* A processor. */
struct cpu {
	struct tl_irq_levels levels;
	struct tl_irq_raises raises;
	/* the handler that has just ended, and wakes a thread; irq NULL: there is none */
	struct tl_irq_level woke;
	pid_t tid;     /* thread that runs, or that was interrupted */
	bool is_known; /* what runs now */
	struct tl_irq_run now;
	struct tl_history *history;
};

/* Of a thread that was preempted. */
struct preempted {
	uint64_t since;
};

struct tl_irqs {
	struct tl_part part;
	const struct tl_irq_config *config;
	bool chosen; /* some threads, or processors, are asked for */
	struct tl_irq_names *names;
	struct cpu **cpus; /* NULL: not seen yet */
	unsigned int count;
	struct tl_pairs
		*threads; /* of interrupts, that wait; NULL: not asked for */
	struct tl_pairs *preempted; /* the same */
	const struct tl_irq *nmi;
	struct tl_irq_vectors vectors;
	const struct tl_symbolic *softirqs; /* their names */
	const struct tl_symbolic
		*reasons; /* of interrupts between processors */
	/* the slice that is told of is in the history from its begin to its end */
	const struct tl_irq_slice *told;
};

/* Where the values are in records; the same for the whole run. */
static struct {
	struct tl_field line, name, ended, result, reason;
	struct tl_field raised, begun, done;
	struct tl_field woken, woken_comm, prev, state, next;
	struct tl_field nmi_ns, nmi_handled;
	struct tl_event *begin, *end, *ipi, *nmi, *raise, *run, *ran, *waking,
		*switched;
} at;

/* What the tool's config needs. */
static bool hards, softs, runs, raises, threads, switches, nmis;

static const struct tl_part_ops irqs_ops;

static struct cpu *new_cpu(struct tl_irqs *t, unsigned int number)
{
	struct cpu **cpus, *cpu;

	if (number >= t->count) {
		cpus = reallocarray(t->cpus, number + 1, sizeof(*cpus));
		if (!cpus)
			return NULL;
		memset(cpus + t->count, 0,
		       (number + 1 - t->count) * sizeof(*cpus));
		t->cpus = cpus;
		t->count = number + 1;
	}
	cpu = calloc(1, sizeof(*cpu));
	if (!cpu)
		return NULL;
	cpu->now.cpu = number;
	cpu->history = t->config->history ? tl_history_new() : NULL;
	if (t->config->history && !cpu->history) {
		free(cpu);
		return NULL;
	}
	t->cpus[number] = cpu;
	return cpu;
}

/* NULL without memory. */
static inline struct cpu *cpu_of(struct tl_irqs *t, unsigned int number)
{
	if (number < t->count && t->cpus[number])
		return t->cpus[number];
	return new_cpu(t, number);
}

/* ---- what is told ----------------------------------------------------- */

static void tell(struct tl_session *s, struct tl_irqs *t,
		 const struct tl_irq_slice *slice)
{
	if (!(t->config->kinds & slice->kind) ||
	    (slice->irq && !slice->irq->asked))
		return;
	if (t->chosen &&
	    !(tl_cpu_matches(s, slice->cpu) &&
	      (!tl_tasks_filtered(s) || tl_task_matches(s, slice->tid))))
		return;
	t->told = slice;
	t->config->slice(s, slice);
	t->told = NULL;
}

static pid_t as_tid(const struct tl_irq_run *run)
{
	return run->irq ? AS_TID(run->irq) : run->tid;
}

/* What runs has done so up to @ns, and may go on. */
static void settle(struct tl_session *s, const struct tl_irqs *t,
		   struct cpu *cpu, uint64_t ns)
{
	struct tl_irq_run *now = &cpu->now;

	/* records begin before the run does */
	if (t->config->ran && now->from < tl_run_start_ns(s))
		now->from = tl_run_start_ns(s);
	if (!cpu->is_known || now->from >= ns)
		return;
	if (cpu->history)
		tl_history_note(cpu->history, as_tid(now), now->from);
	now->to = ns;
	if (t->config->ran && tl_cpu_matches(s, now->cpu))
		t->config->ran(s, now);
	now->from = ns;
	now->begun = false;
}

static unsigned int kind_of(const struct tl_irqs *t, const struct tl_irq *irq)
{
	if (irq == t->nmi)
		return TL_IRQ_NMI;
	return irq->soft ? TL_IRQ_SOFT : TL_IRQ_HARD;
}

/*
 * What runs on the processor changes at @ns, to what is on top of it now.
 * @began: what runs now begins
 */
static void change(struct tl_session *s, const struct tl_irqs *t,
		   struct cpu *cpu, uint64_t ns, bool began)
{
	const struct tl_irq_level *top;

	if (!cpu->history && !t->config->ran)
		return;
	settle(s, t, cpu, ns);
	top = tl_irq_levels_top(&cpu->levels, cpu->tid);
	cpu->is_known = true;
	cpu->now = (struct tl_irq_run){
		.kind = top ? kind_of(t, top->irq) : 0,
		.irq = top ? top->irq : NULL,
		.tid = cpu->tid,
		.cpu = cpu->now.cpu,
		.from = ns,
		.begun = began,
	};
}

/* What ran before the first record of a processor is the thread in which that came. */
static void enter(struct cpu *cpu, pid_t tid)
{
	cpu->tid = tid;
	cpu->woke.irq = NULL;
	if (cpu->now.tid == -1)
		cpu->now.tid = tid;
}

static void begin(struct tl_session *s, const struct tl_irqs *t,
		  const struct tl_record *r, struct cpu *cpu,
		  const struct tl_irq *irq, int code, uint64_t ns)
{
	enter(cpu, r->pid);
	tl_irq_levels_begin(&cpu->levels, irq, code, r->pid, ns);
	change(s, t, cpu, ns, true);
}

/* Returns whether the begin was seen. */
static bool end(struct tl_session *s, struct tl_irqs *t,
		const struct tl_record *r, bool soft, int code,
		struct tl_irq_level *was)
{
	struct cpu *cpu = cpu_of(t, r->cpu);
	uint64_t all;

	if (!cpu)
		return false;
	/* a begin that was not seen: it was not the thread that ran up to now */
	if (cpu->now.tid == -1)
		cpu->is_known = false;
	enter(cpu, r->pid);
	if (!tl_irq_levels_end(&cpu->levels, soft, code, r->pid, r->ns, was))
		return false;
	change(s, t, cpu, r->ns, false);
	all = r->ns - was->since;
	tell(s, t,
	     &(const struct tl_irq_slice){ soft ? TL_IRQ_SOFT : TL_IRQ_HARD,
					   was->irq, r->cpu, r->pid, was->since,
					   r->ns, all - was->inner });
	return true;
}

static void tell_wait(struct tl_session *s, const struct tl_record *r,
		      enum tl_irq_kind kind, const struct tl_irq *irq,
		      pid_t tid, uint64_t since)
{
	tell(s, r->event->ctx,
	     &(const struct tl_irq_slice){ kind, irq, r->cpu, tid, since, r->ns,
					   r->ns - since });
}

/* ---- hard interrupts -------------------------------------------------- */

static void on_begin(struct tl_session *s, const struct tl_record *r)
{
	const struct tl_irqs *t = r->event->ctx;
	struct cpu *cpu = cpu_of(r->event->ctx, r->cpu);
	int line = (int)tl_field_u32(r, &at.line);

	if (cpu)
		begin(s, t, r, cpu,
		      tl_irq_names_of(t->names, false, line,
				      tl_field_str(r, &at.name)),
		      line, r->ns);
}

static void on_end(struct tl_session *s, const struct tl_record *r)
{
	struct cpu *cpu = cpu_of(r->event->ctx, r->cpu);
	struct tl_irq_level was;

	if (end(s, r->event->ctx, r, false, (int)tl_field_u32(r, &at.ended),
		&was) &&
	    tl_field_u32(r, &at.result) & WAKES_THREAD)
		cpu->woke = was;
}

/*
 * On some architectures interrupts between processors are lines, all of one name, which
 * /proc/interrupts does not number.  This event comes in their handler, and says what
 * they are for.
 */
static void on_reason(struct tl_session *s, const struct tl_record *r)
{
	struct tl_irqs *t = r->event->ctx;
	struct cpu *cpu = cpu_of(t, r->cpu);
	struct tl_irq_level *top =
		cpu ? tl_irq_levels_top(&cpu->levels, r->pid) : NULL;
	const char *reason =
		tl_symbolic_name(t->reasons, tl_field_num(r, &at.reason));

	if (!top || top->irq->soft || !reason)
		return;
	top->irq = tl_irq_names_of(t->names, false, -1,
				   (struct tl_str){ reason, strlen(reason) });
	cpu->now.irq = top->irq;
}

static void on_vector_begin(struct tl_session *s, const struct tl_record *r)
{
	const struct tl_irq_vector *v = r->event->ctx;
	struct cpu *cpu = cpu_of(v->ctx, r->cpu);

	if (cpu)
		begin(s, v->ctx, r, cpu, v->irq, AS_TID(v->irq), r->ns);
}

static void on_vector_end(struct tl_session *s, const struct tl_record *r)
{
	const struct tl_irq_vector *v = r->event->ctx;
	struct tl_irq_level was;

	end(s, v->ctx, r, false, AS_TID(v->irq), &was);
}

/*
 * The record is made when the handler has ended.  Each handler that is asked whether the
 * interrupt is its own has one, so one interrupt can have several.
 */
static void on_nmi(struct tl_session *s, const struct tl_record *r)
{
	struct tl_irqs *t = r->event->ctx;
	struct cpu *cpu = cpu_of(t, r->cpu);
	const int64_t ns = tl_field_num(r, &at.nmi_ns);
	struct tl_irq_level was;
	uint64_t since;

	if (!cpu || ns < 0 || (uint64_t)ns > r->ns)
		return;
	since = r->ns - (uint64_t)ns;
	if (cpu->is_known && cpu->now.from > since)
		since = cpu->now.from;
	begin(s, t, r, cpu, t->nmi, NMI_CODE, since);
	cpu->now.begun = tl_field_u32(r, &at.nmi_handled);
	end(s, t, r, false, NMI_CODE, &was);
}

/* ---- softirqs --------------------------------------------------------- */

static const struct tl_irq *softirq(const struct tl_irqs *t, unsigned int vec)
{
	const char *name = tl_symbolic_name(t->softirqs, vec) ?: "?";

	return tl_irq_names_of(t->names, true, (int)vec,
			       (struct tl_str){ name, strlen(name) });
}

static void on_raise(struct tl_session *s, const struct tl_record *r)
{
	struct cpu *cpu = cpu_of(r->event->ctx, r->cpu);

	if (cpu)
		tl_irq_raise(&cpu->raises, tl_field_u32(r, &at.raised), r->ns);
}

static void on_run(struct tl_session *s, const struct tl_record *r)
{
	const struct tl_irqs *t = r->event->ctx;
	struct cpu *cpu = cpu_of(r->event->ctx, r->cpu);
	unsigned int vec = tl_field_u32(r, &at.begun);
	const struct tl_irq *irq = softirq(t, vec);
	uint64_t raised;

	if (!cpu)
		return;
	if (softs)
		begin(s, t, r, cpu, irq, (int)vec, r->ns);
	raised = t->config->kinds & TL_IRQ_SOFT_WAIT
			 ? tl_irq_run(&cpu->raises, vec)
			 : 0;
	if (raised)
		tell_wait(s, r, TL_IRQ_SOFT_WAIT, irq, r->pid, raised);
}

static void on_ran(struct tl_session *s, const struct tl_record *r)
{
	struct tl_irq_level was;

	end(s, r->event->ctx, r, true, (int)tl_field_u32(r, &at.done), &was);
}

/* ---- threads of interrupts -------------------------------------------- */

/* Behind the handler's end the kernel wakes its thread, before anything else is recorded. */
static void on_waking(struct tl_session *s, const struct tl_record *r)
{
	const struct tl_irqs *t = r->event->ctx;
	struct cpu *cpu = cpu_of(r->event->ctx, r->cpu);
	const pid_t tid = (pid_t)tl_field_u32(r, &at.woken);
	bool is_running = false;
	unsigned int i;

	if (!cpu)
		return;
	for (i = 0; i < t->count; i++)
		is_running |= t->cpus[i] && t->cpus[i]->tid == tid;
	tl_irq_threads_wake(t->threads, tid, tl_field_str(r, &at.woken_comm),
			    &cpu->woke, is_running);
	cpu->woke.irq = NULL;
}

/* No state, but the mark of a preempted one at most: it could go on. */
static bool could_go_on(const struct tl_record *r)
{
	return !(tl_field_long(r, &at.state) & 0xff);
}

static void switch_threads(struct tl_session *s, const struct tl_irqs *t,
			   const struct tl_record *r, pid_t next)
{
	const struct tl_irq *irq;
	uint64_t since;

	if (could_go_on(r))
		tl_irq_threads_leave(t->threads,
				     (pid_t)tl_field_u32(r, &at.prev));
	irq = tl_irq_threads_run(t->threads, next, &since);
	if (irq)
		tell_wait(s, r, TL_IRQ_THREAD_WAIT, irq, next, since);
}

static void switch_preempted(struct tl_session *s, const struct tl_irqs *t,
			     const struct tl_record *r, pid_t next)
{
	const pid_t prev = (pid_t)tl_field_u32(r, &at.prev);
	struct preempted *p;

	if (prev && could_go_on(r)) {
		p = tl_pairs_put(t->preempted, prev);
		if (p)
			p->since = r->ns;
	}
	p = next ? tl_pairs_get(t->preempted, next) : NULL;
	if (!p)
		return;
	tell_wait(s, r, TL_IRQ_PREEMPTED, NULL, next, p->since);
	tl_pairs_remove(t->preempted, p);
}

static void on_switch(struct tl_session *s, const struct tl_record *r)
{
	const struct tl_irqs *t = r->event->ctx;
	struct cpu *cpu = cpu_of(r->event->ctx, r->cpu);
	const pid_t next = (pid_t)tl_field_u32(r, &at.next);

	if (!cpu)
		return;
	enter(cpu, (pid_t)tl_field_u32(r, &at.prev));
	cpu->tid = next;
	change(s, t, cpu, r->ns, true);
	if (t->threads)
		switch_threads(s, t, r, next);
	if (t->preempted)
		switch_preempted(s, t, r, next);
}

/* ---- what ran --------------------------------------------------------- */

static int longest_first(const void *a, const void *b)
{
	const struct tl_irq_runner *x = a, *y = b;

	return (x->ns < y->ns) - (x->ns > y->ns);
}

/* Adds @ran to those that are there already; returns how many they are. */
static size_t add_runner(const struct tl_irqs *t, struct tl_irq_runner list[],
			 size_t count, size_t max,
			 const struct tl_sched_runner *ran)
{
	const struct tl_irq_runner one = {
		ran->tid < -1 ? tl_irq_names_at(t->names, ID_OF(ran->tid))
			      : NULL,
		ran->tid, ran->ns
	};
	size_t i = 0;

	while (i < count && list[i].tid != one.tid)
		i++;
	if (i < count)
		list[i].ns += one.ns;
	else if (count < max)
		list[count++] = one;
	return count;
}

size_t tl_irq_ran_on(struct tl_session *s, unsigned int number, uint64_t from,
		     uint64_t to, struct tl_irq_runner list[], size_t max)
{
	const struct tl_irqs *t = tl_part_find(s, &irqs_ops);
	static struct tl_sched_runner ran[MAX_CHANGES];
	struct tl_history_part part = { from, to, ran, 0, MAX_CHANGES };
	const struct cpu *cpu = number < t->count ? t->cpus[number] : NULL;
	size_t i, count = 0;

	if (!cpu || !cpu->history)
		return 0;
	tl_history_ran(cpu->history, cpu->is_known ? as_tid(&cpu->now) : -1,
		       cpu->now.from, &part);
	for (i = 0; i < part.count; i++)
		count = add_runner(t, list, count, max, &ran[i]);
	qsort(list, count, sizeof(*list), longest_first);
	return count;
}

size_t tl_irq_ran(struct tl_session *s, struct tl_irq_runner list[], size_t max)
{
	const struct tl_irqs *t = tl_part_find(s, &irqs_ops);
	const struct tl_irq_slice *told = t->told;

	return tl_irq_ran_on(s, told->cpu, told->since, told->to, list, max);
}

bool tl_irq_sees_nmis(struct tl_session *s)
{
	return at.nmi;
}

void tl_irq_cut(struct tl_session *s, uint64_t ns)
{
	const struct tl_irqs *t = tl_part_find(s, &irqs_ops);
	unsigned int i;

	for (i = 0; i < t->count; i++)
		if (t->cpus[i])
			settle(s, t, t->cpus[i], ns);
}

/* ---- the part --------------------------------------------------------- */

static void on_lost(struct tl_session *s, void *part, unsigned int number)
{
	struct tl_irqs *t = part;
	struct cpu *cpu = number < t->count ? t->cpus[number] : NULL;
	struct tl_history *history;

	if (!cpu)
		return;
	history = cpu->history;
	*cpu = (struct cpu){ .now.cpu = number, .history = history };
	if (history)
		tl_history_clear(history);
}

static void free_irqs(void *part)
{
	struct tl_irqs *t = part;
	unsigned int i;

	for (i = 0; i < t->count; i++) {
		if (t->cpus[i])
			free(t->cpus[i]->history);
		free(t->cpus[i]);
	}
	free(t->cpus);
	tl_irq_vectors_free(&t->vectors);
	tl_irq_names_free(t->names);
	free(t);
}

static const struct tl_part_ops irqs_ops = { .lost = on_lost,
					     .free = free_irqs };

/* ---- set-up ----------------------------------------------------------- */

static const struct tl_source sources[] = {
	{ .place = "irq:irq_handler_entry",
	  .handler = on_begin,
	  .fields = TL_SOURCE_FIELDS({ "irq", &at.line }, { "name", &at.name }),
	  .added = &at.begin,
	  .given = &hards },
	{ .place = "irq:irq_handler_exit",
	  .handler = on_end,
	  .fields =
		  TL_SOURCE_FIELDS({ "irq", &at.ended }, { "ret", &at.result }),
	  .added = &at.end,
	  .given = &hards },
	{ .place = "ipi:ipi_entry",
	  .handler = on_reason,
	  .fields = TL_SOURCE_FIELDS({ "reason", &at.reason }),
	  .added = &at.ipi,
	  .flags = TL_SOURCE_OPTIONAL,
	  .given = &hards },
	{ .place = "nmi:nmi_handler",
	  .handler = on_nmi,
	  .fields = TL_SOURCE_FIELDS({ "delta_ns", &at.nmi_ns },
				     { "handled", &at.nmi_handled }),
	  .added = &at.nmi,
	  .flags = TL_SOURCE_OPTIONAL,
	  .given = &nmis },
	{ .place = "irq:softirq_raise",
	  .handler = on_raise,
	  .fields = TL_SOURCE_FIELDS({ "vec", &at.raised }),
	  .added = &at.raise,
	  .given = &raises },
	{ .place = "irq:softirq_entry",
	  .handler = on_run,
	  .fields = TL_SOURCE_FIELDS({ "vec", &at.begun }),
	  .added = &at.run,
	  .given = &runs },
	{ .place = "irq:softirq_exit",
	  .handler = on_ran,
	  .fields = TL_SOURCE_FIELDS({ "vec", &at.done }),
	  .added = &at.ran,
	  .given = &softs },
	{ .place = "sched:sched_waking",
	  .handler = on_waking,
	  .fields = TL_SOURCE_FIELDS({ "pid", &at.woken },
				     { "comm", &at.woken_comm }),
	  .filter = "comm ~ \"irq/*\"",
	  .added = &at.waking,
	  .given = &threads },
	{ .place = "sched:sched_switch",
	  .handler = on_switch,
	  .fields = TL_SOURCE_FIELDS({ "prev_pid", &at.prev },
				     { "prev_state", &at.state },
				     { "next_pid", &at.next }),
	  .added = &at.switched,
	  .given = &switches },
	{ 0 }
};

/*
 * The time of a softirq is without the interrupts in it, so these are recorded with it;
 * and so is, with a history, all that runs.
 */
static int add_sources(struct tl_session *s, const struct tl_irq_config *c)
{
	const unsigned int kinds = c->kinds;
	const bool all = c->history || c->ran;

	raises = kinds & TL_IRQ_SOFT_WAIT;
	softs = kinds & TL_IRQ_SOFT || all;
	runs = softs || raises;
	threads = kinds & TL_IRQ_THREAD_WAIT;
	hards = softs || threads || kinds & TL_IRQ_HARD;
	switches = threads || all;
	nmis = c->ran;
	return tl_sources_add(s, sources);
}

int tl_irq_check(struct tl_session *s, const struct tl_irq_config *config)
{
	return add_sources(s, config);
}

static int add_vectors(struct tl_session *s, struct tl_irqs *t)
{
	t->vectors = (struct tl_irq_vectors){ .names = t->names,
					      .begin = on_vector_begin,
					      .end = on_vector_end,
					      .ctx = t };
	return tl_irq_vectors_add(s, &t->vectors);
}

/* A record without all of these is none; handlers need not look. */
static void take(struct tl_irqs *t, struct tl_event *ev,
		 const struct tl_field *const fields[])
{
	if (!ev)
		return;
	ev->ctx = t;
	for (; *fields; fields++)
		tl_event_require(ev, *fields);
}

static void take_all(struct tl_irqs *t)
{
#define FIELDS(...) ((const struct tl_field *[]){ __VA_ARGS__, NULL })
	take(t, at.begin, FIELDS(&at.line));
	take(t, at.end, FIELDS(&at.ended, &at.result));
	take(t, at.ipi, FIELDS(&at.reason));
	take(t, at.nmi, FIELDS(&at.nmi_ns, &at.nmi_handled));
	take(t, at.raise, FIELDS(&at.raised));
	take(t, at.run, FIELDS(&at.begun));
	take(t, at.ran, FIELDS(&at.done));
	take(t, at.waking, FIELDS(&at.woken));
	take(t, at.switched, FIELDS(&at.prev, &at.state, &at.next));
#undef FIELDS
}

static bool is_softirq(const struct tl_irqs *t, const char *pattern)
{
	const char *name;
	int i;

	for (i = 0; i < TL_IRQ_SOFTIRQS; i++) {
		name = tl_symbolic_name(t->softirqs, i);
		if (name && tl_irq_matches(pattern, i, name))
			return true;
	}
	return false;
}

/* Which softirqs there are is known, of interrupts it is not. */
static int check_softirqs(const struct tl_irqs *t)
{
	const char *rest = t->config->only ?: "";
	char pattern[TL_IRQ_NAME];

	while (*rest && !(t->config->kinds & ~SOFTIRQS)) {
		rest = tl_irq_pattern(rest, pattern);
		if (!is_softirq(t, pattern))
			return tl_fail(EINVAL,
				       "no softirq is called %s: the first "
				       "column of /proc/softirqs has all",
				       pattern);
	}
	return 0;
}

static int read_names(struct tl_session *s, struct tl_irqs *t)
{
	t->reasons = at.ipi ? tl_symbolic_texts(s) : NULL;
	if (at.ipi && !t->reasons)
		return tl_fail(errno, "printk_formats: %s", strerror(errno));
	if (!at.run)
		return 0;
	t->softirqs = tl_symbolic_read(s, "irq", "softirq_entry", "vec");
	return t->softirqs ? check_softirqs(t)
			   : tl_fail(errno, "names in irq:softirq_entry: %s",
				     strerror(errno));
}

/* A processor on which nothing happens has no record at all. */
static int expect_cpu(void *ctx, unsigned int number)
{
	struct cpu *cpu = cpu_of(ctx, number);

	if (!cpu)
		return -ENOMEM;
	cpu->is_known = true;
	cpu->now.tid = -1;
	return 0;
}

static int open_cpus(struct tl_session *s, struct tl_irqs *t)
{
	return t->config->ran ? tl_online_each(s, expect_cpu, t) : 0;
}

static int open_pairs(struct tl_session *s, struct tl_irqs *t)
{
	t->threads = threads ? tl_irq_threads_open(s) : NULL;
	if (threads && !t->threads)
		return -ENOMEM;
	if (!(t->config->kinds & TL_IRQ_PREEMPTED))
		return 0;
	t->preempted = tl_pairs_open_threads(s, sizeof(struct preempted),
					     MAX_PREEMPTED, NULL);
	return t->preempted ? 0 : -ENOMEM;
}

int tl_irq_open(struct tl_session *s, const struct tl_irq_config *config)
{
	struct tl_irqs *t = tl_part_new(s, &irqs_ops, sizeof(*t));
	int ret;

	if (!t)
		return -ENOMEM;
	t->config = config;
	t->chosen = tl_tasks_filtered(s) || s->set.cpu.count;
	t->names = tl_irq_names_new(config->only);
	if (!t->names)
		return -ENOMEM;
	t->nmi = tl_irq_names_of(t->names, false, -1,
				 (struct tl_str){ "NMI", 3 });
	/* interrupts of the tool itself are the machine's, too */
	s->events->unasked = true;
	/* what waits was begun in any thread */
	ret = config->history || config->ran ||
			      config->kinds & ~(TL_IRQ_HARD | TL_IRQ_SOFT)
		      ? tl_tasks_record_all(s)
		      : 0;
	ret = ret ?: add_sources(s, config) ?: read_names(s, t) ?:
	      hards ? add_vectors(s, t) : 0;
	if (ret)
		return ret;
	take_all(t);
	return open_pairs(s, t) ?: open_cpus(s, t);
}
