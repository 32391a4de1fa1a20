// SPDX-License-Identifier: GPL-2.0-or-later
/* sched.c - records of the scheduler, for the states of threads */
#include <errno.h>
#include <stdlib.h>

#include "base/part.h"
#include "base/recording.h"
#include "record/event.h"
#include "record/task.h"
#include "run/state.h"
#include "sched/stacks.h"
#include "sched/states.h"
#include "tracelet/message.h"
#include "tracelet/sched.h"
#include "tracelet/source.h"
#include "tracelet/task.h"

struct tl_sched {
	struct tl_part part;
	bool some; /* the kernel records some threads, and who is beside them */
	bool chosen; /* some threads, or processors, are asked for */
	const struct tl_sched_config *config;
	struct tl_states *states;
	struct tl_sched_stacks *stacks; /* NULL: none are asked for */
};

/* Where the values are in records; the same for the whole run. */
static struct {
	struct tl_field prev, prev_comm, state, next, next_comm;
	struct tl_field woken, woken_comm, begun, begun_comm, begun_cpu;
	struct tl_field moved, moved_cpu;
	struct tl_event *switched, *waking, *new, *migrated;
} at;

/*
 * Of threads beside those that are asked for the kernel does not record all, nor their
 * end: they are as good as idle.
 */
static inline pid_t asked(struct tl_session *s, const struct tl_sched *t,
			  pid_t tid)
{
	return !t->some || tl_task_matches(s, tid) ? tid : 0;
}

static void on_switch(struct tl_session *s, const struct tl_record *r)
{
	struct tl_sched *t = r->event->ctx;
	pid_t prev = asked(s, t, (pid_t)tl_field_u32(r, &at.prev));
	pid_t next = asked(s, t, (pid_t)tl_field_u32(r, &at.next));

	if (tl_states_switch(t->states, r->cpu, r->ns, prev,
			     (uint64_t)tl_field_long(r, &at.state), next)) {
		tl_task_learn(s, prev, tl_field_str(r, &at.prev_comm), r->ns);
		tl_task_learn(s, next, tl_field_str(r, &at.next_comm), r->ns);
	}
	if (t->stacks)
		tl_sched_stacks_left(t->stacks, r, prev);
}

static void on_waking(struct tl_session *s, const struct tl_record *r)
{
	struct tl_sched *t = r->event->ctx;
	pid_t tid = asked(s, t, (pid_t)tl_field_u32(r, &at.woken));
	pid_t waker = t->stacks ? tl_sched_stacks_waker(t->stacks, r) : r->pid;

	if (tid && tl_states_wake(t->states, r->ns, waker, tid))
		tl_task_learn(s, tid, tl_field_str(r, &at.woken_comm), r->ns);
	if (t->stacks)
		tl_sched_stacks_woken(t->stacks, r, waker, tid);
}

static void on_new(struct tl_session *s, const struct tl_record *r)
{
	struct tl_sched *t = r->event->ctx;
	pid_t tid = asked(s, t, (pid_t)tl_field_u32(r, &at.begun));

	if (tid && tl_states_begin(t->states, r->ns, r->pid, tid,
				   tl_field_u32(r, &at.begun_cpu)))
		tl_task_learn(s, tid, tl_field_str(r, &at.begun_comm), r->ns);
	if (t->stacks)
		tl_sched_stacks_begun(t->stacks, tid);
}

static void on_migrate(struct tl_session *s, const struct tl_record *r)
{
	const struct tl_sched *t = r->event->ctx;

	tl_states_move(t->states, r->ns, (pid_t)tl_field_u32(r, &at.moved),
		       tl_field_u32(r, &at.moved_cpu));
}

/* What the tool's config needs. */
static bool wakeups, begins, migrations;

static const struct tl_source sources[] = {
	{ .place = "sched:sched_switch",
	  .handler = on_switch,
	  .fields = TL_SOURCE_FIELDS(
		  { "prev_pid", &at.prev }, { "prev_comm", &at.prev_comm },
		  { "prev_state", &at.state }, { "next_pid", &at.next },
		  { "next_comm", &at.next_comm }),
	  .added = &at.switched },
	{ .place = "sched:sched_waking",
	  .handler = on_waking,
	  .fields = TL_SOURCE_FIELDS({ "pid", &at.woken },
				     { "comm", &at.woken_comm }),
	  .added = &at.waking,
	  .given = &wakeups },
	{ .place = "sched:sched_wakeup_new",
	  .handler = on_new,
	  .fields = TL_SOURCE_FIELDS({ "pid", &at.begun },
				     { "comm", &at.begun_comm },
				     { "target_cpu", &at.begun_cpu }),
	  .added = &at.new,
	  .given = &begins },
	{ .place = "sched:sched_migrate_task",
	  .handler = on_migrate,
	  .fields = TL_SOURCE_FIELDS({ "pid", &at.moved },
				     { "dest_cpu", &at.moved_cpu }),
	  .added = &at.migrated,
	  .given = &migrations },
	{ 0 }
};

static const struct tl_part_ops sched_ops;

static struct tl_sched *sched(const struct tl_session *s)
{
	return tl_part_find(s, &sched_ops);
}

/* ---- what is told ----------------------------------------------------- */

/* Where not all threads, or processors, are asked for: the tool itself is one of all. */
static bool is_asked(struct tl_session *s, const struct tl_sched_slice *slice)
{
	const bool all = sched(s)->config->self && !tl_tasks_filtered(s);

	return (all || tl_task_matches(s, slice->tid)) &&
	       tl_cpu_matches(s, slice->cpu);
}

static void on_slice(struct tl_session *s, const struct tl_sched_slice *slice)
{
	if (is_asked(s, slice))
		sched(s)->config->slice(s, slice);
}

static void on_slice_with_stacks(struct tl_session *s,
				 const struct tl_sched_slice *slice)
{
	const struct tl_sched *t = sched(s);
	struct tl_sched_slice whole = *slice;

	if (t->chosen && !is_asked(s, slice))
		return;
	if (tl_sched_stacks_fill(t->stacks, &whole))
		t->config->slice(s, &whole);
}

static bool on_first(struct tl_session *s, pid_t tid, uint64_t ns, char *letter,
		     unsigned int *cpu)
{
	return tl_sched_stacks_asleep(sched(s)->stacks, tid, ns, letter, cpu);
}

static void on_settle(struct tl_session *s, pid_t tid, void *own)
{
	if (tl_task_matches(s, tid))
		sched(s)->config->settle(s, tid, own);
}

/* ---- the part --------------------------------------------------------- */

static void on_task(struct tl_session *s, void *part, pid_t tid,
		    enum tl_task_change change, uint64_t ns)
{
	const struct tl_sched *t = part;

	if (change == TL_TASK_RENAMED) /* the first time with its old name */
		tl_states_settle(t->states, tid);
	else if (change != TL_TASK_ENDED)
		tl_states_forget(t->states, tid);
}

static void on_lost(struct tl_session *s, void *part, unsigned int cpu)
{
	const struct tl_sched *t = part;

	tl_states_lost(t->states, cpu, s->run->gaps);
}

static void free_sched(void *part)
{
	struct tl_sched *t = part;

	tl_states_free(t->states);
	free(t);
}

static const struct tl_part_ops sched_ops = { .task = on_task,
					      .lost = on_lost,
					      .free = free_sched };

/* A record without all of these is none; handlers need not look. */
static int take(struct tl_sched *t, struct tl_event *ev,
		const struct tl_field *const fields[])
{
	if (!ev)
		return 0;
	ev->ctx = t;
	for (; *fields; fields++) {
		if ((*fields)->size != 4 && (*fields)->size != sizeof(long))
			return tl_fail(EPROTO, "a field of %s has %u bytes",
				       tl_event_name(ev), (*fields)->size);
		tl_event_require(ev, *fields);
	}
	return 0;
}

static bool has_stacks(const struct tl_sched_config *c)
{
	return c->left || c->wakers;
}

static int add_sources(struct tl_session *s, const struct tl_sched_config *c)
{
	wakeups = c->kinds & (TL_SCHED_WAIT | TL_SCHED_SLEEP) || c->wakers;
	begins = wakeups || c->left;
	migrations = c->history;
	return tl_sources_add(s, sources);
}

int tl_sched_letters_check(const char *letters)
{
	const char *p = letters ?: "";

	while (*p == 'R' || (*p && tl_states_mask(*p)))
		p++;
	return *p ? tl_usage("--state: '%c' is not the letter of a state: %s",
			     *p, "R, S, D, T, t, X, Z, P, I")
		  : 0;
}

int tl_sched_check(struct tl_session *s, const struct tl_sched_config *config)
{
	return add_sources(s, config)
		       ?: has_stacks(config) ? tl_sched_stacks_check(s, config)
					     : 0;
}

/*
 * The tool's own function is called at once where nothing is left out but the tool: a
 * processor switches very often.
 */
static struct tl_states *make_states(struct tl_session *s,
				     const struct tl_sched *t)
{
	const struct tl_sched_config *c = t->config;
	struct tl_states_config config = {
		.s = s,
		.slice = t->chosen ? on_slice : c->slice,
		.settle = t->chosen && c->settle ? on_settle : c->settle,
		.kinds = c->kinds,
		.idle = c->idle && !tl_tasks_filtered(s),
		.silent = c->self ? 0 : tl_tasks_self(s),
		.own = c->own,
		.history = c->history,
		.start = &s->run->start_ns,
		.whole = tl_recording_number(s->recording, TL_RECORDING_WHOLE),
	};

	if (has_stacks(c)) {
		config.own = tl_sched_stacks_size(c);
		config.slice = on_slice_with_stacks;
		config.asleep = on_first;
	}
	return tl_states_new(&config);
}

static int open_stacks(struct tl_session *s, struct tl_sched *t)
{
	const struct tl_sched_events events = { at.switched, at.waking };

	if (!has_stacks(t->config))
		return 0;
	t->stacks = tl_sched_stacks_open(s, t->config, t->states, &events);
	return t->stacks ? 0 : -errno;
}

int tl_sched_open(struct tl_session *s, const struct tl_sched_config *config)
{
	struct tl_sched *t = tl_part_new(s, &sched_ops, sizeof(*t));
	int ret;

	if (!t)
		return -ENOMEM;
	t->config = config;
	t->chosen = tl_tasks_filtered(s) || s->set.cpu.count;
	t->states = make_states(s, t);
	if (!t->states)
		return -ENOMEM;
	/* a switch is of two threads, and its record is that of one */
	s->events->unasked = true;
	t->some = tl_settings_ids(&s->set) && !config->everyone;
	ret = config->everyone ? tl_tasks_record_all(s) : 0;
	return ret ?: add_sources(s, config) ?:
	       take(t, at.switched,
		    (const struct tl_field *[]){ &at.prev, &at.state, &at.next,
						 NULL }) ?:
	       take(t, at.waking,
		    (const struct tl_field *[]){ &at.woken, NULL }) ?:
	       take(t, at.new,
		    (const struct tl_field *[]){ &at.begun, &at.begun_cpu,
						 NULL }) ?:
	       take(t, at.migrated,
		    (const struct tl_field *[]){ &at.moved, &at.moved_cpu,
						 NULL }) ?:
	       open_stacks(s, t);
}

void tl_sched_cut(struct tl_session *s, uint64_t ns)
{
	const struct tl_sched *t = sched(s);

	if (t->stacks)
		tl_sched_stacks_cut(t->stacks, ns);
	tl_states_cut(t->states, ns);
}

void tl_sched_end(struct tl_session *s)
{
	tl_sched_cut(s, s->run->stop_ns);
}

void tl_sched_each(struct tl_session *s,
		   void (*fn)(struct tl_session *s, pid_t tid, void *own))
{
	tl_states_each(sched(s)->states, fn);
}

size_t tl_sched_ran(struct tl_session *s, struct tl_sched_runner list[],
		    size_t max)
{
	return tl_states_ran(sched(s)->states, list, max);
}
