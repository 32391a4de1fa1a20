// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ticks.c - samples at the kernel's own ticks, where perf_event_open() is refused
 *
 * A processor that is not idle has CONFIG_HZ ticks in a second.  Each is an event of
 * tracefs, with the stacks of what the interrupt came into.
 */
#include "sample/ticks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/part.h"
#include "record/event.h"
#include "trace/chain.h"
#include "tracelet/message.h"
#include "tracelet/symbol.h"
#include "tracelet/task.h"

#define SYSTEM "timer"
#define EVENT  "hrtimer_expire_entry"

/* Stacks are recorded right behind their event. */
#define STACKS_NS 1000000

/* The last tick of a processor, until its stacks are there. */
struct tick {
	bool is_open;
	struct tl_sample sample;
};

struct ticks {
	struct tl_part part;
	const struct tl_sampling *sampling;
	void (*fn)(struct tl_session *s, const struct tl_sample *sample);
	struct tl_field function;
	uint64_t handler;  /* address of the tick's; 0: not seen yet */
	bool seen;         /* there are some */
	struct tick *list; /* by processor */
	unsigned int count;
};

static const struct tl_part_ops ticks_ops;

static struct ticks *ticks(const struct tl_session *s)
{
	return tl_part_find(s, &ticks_ops);
}

/* LOW_RES_NSEC of include/linux/hrtimer_defs.h: one tick. */
uint64_t tl_ticks_frequency(void)
{
	struct timespec ts;

	if (clock_getres(CLOCK_MONOTONIC_COARSE, &ts) || !ts.tv_nsec)
		return 100;
	return (uint64_t)(1000000000 + ts.tv_nsec / 2) / (uint64_t)ts.tv_nsec;
}

static struct tick *tick_of(struct ticks *t, unsigned int cpu)
{
	struct tick *more;

	if (cpu >= t->count) {
		more = reallocarray(t->list, cpu + 1, sizeof(*more));
		if (!more)
			return NULL;
		memset(more + t->count, 0,
		       (cpu + 1 - t->count) * sizeof(*more));
		t->list = more;
		t->count = cpu + 1;
	}
	return &t->list[cpu];
}

static void end(struct tl_session *s, struct ticks *t, struct tick *tick)
{
	if (tick->is_open)
		t->fn(s, &tick->sample);
	tick->is_open = false;
}

/* Other timers expire as well: tick_sched_timer(), or as of 6.8 tick_nohz_handler(). */
static bool is_tick(struct tl_session *s, struct ticks *t, uint64_t function)
{
	const char *name;
	uint64_t offset;

	if (t->handler)
		return function == t->handler;
	name = tl_symbol(s, function, &offset);
	if (!name || strncmp(name, "tick_", 5) != 0)
		return false;
	t->handler = function;
	return true;
}

static void on_timer(struct tl_session *s, const struct tl_record *r)
{
	struct ticks *t = ticks(s);
	struct tick *tick = tick_of(t, r->cpu);

	if (!tick)
		return;
	end(s, t, tick);
	if (!is_tick(s, t, (uint64_t)tl_field_long(r, &t->function)) ||
	    (!r->pid && !t->sampling->idle))
		return;
	t->seen = true;
	tick->is_open = true;
	tick->sample = (struct tl_sample){
		.ns = r->ns,
		.tid = r->pid,
		.process = tl_task_process(s, r->pid),
		.cpu = r->cpu,
	};
}

static void on_stack(struct tl_session *s, const struct tl_record *r,
		     const struct tl_chain *chain, enum tl_stack_kind kind)
{
	struct tick *tick = tick_of(ticks(s), r->cpu);

	if (!tick || !tick->is_open || tick->sample.tid != r->pid)
		return;
	if (kind == TL_STACK_KERNEL)
		tick->sample.stack.kernel = chain;
	else
		tick->sample.stack.user = chain;
}

static void on_pass(struct tl_session *s, void *part, uint64_t ns)
{
	struct ticks *t = part;
	unsigned int i;

	for (i = 0; i < t->count; i++)
		if (ns - t->list[i].sample.ns > STACKS_NS)
			end(s, t, &t->list[i]);
}

/* Its stacks may be among what was lost. */
static void on_lost(struct tl_session *s, void *part, unsigned int cpu)
{
	struct ticks *t = part;

	if (cpu < t->count)
		end(s, t, &t->list[cpu]);
}

static void free_ticks(void *part)
{
	struct ticks *t = part;

	free(t->list);
	free(t);
}

/* Without timers of high resolution the tick is none of them.  With -w nobody looks. */
static uint64_t report(struct tl_session *s, void *part)
{
	const struct ticks *t = part;

	if (!t->seen && !s->set.write)
		tl_warn("no tick of a busy processor was seen: see "
			"hrtimer_interrupt in /proc/timer_list (highres=off, "
			"nohz_full)");
	return 0;
}

static const struct tl_part_ops ticks_ops = {
	.report = report, .pass = on_pass, .lost = on_lost, .free = free_ticks
};

static int no_ticks(void)
{
	return tl_fail(ENOTSUP, "this kernel has no tracepoint " SYSTEM
				":" EVENT " to sample at its ticks");
}

int tl_ticks_check(struct tl_session *s, const struct tl_sampling *sampling)
{
	if (!tl_event_exists(s, SYSTEM, EVENT))
		return no_ticks();
	return tl_symbols_open(s) ?: tl_chains_check(s, sampling->kinds);
}

int tl_ticks_open(struct tl_session *s, const struct tl_sampling *sampling,
		  void (*fn)(struct tl_session *s,
			     const struct tl_sample *sample))
{
	struct ticks *t = tl_part_new(s, &ticks_ops, sizeof(*t));
	struct tl_event *ev;
	int ret = t ? tl_symbols_open(s) : -ENOMEM;

	if (ret)
		return ret;
	t->sampling = sampling;
	t->fn = fn;
	ev = tl_event_add(s, SYSTEM, EVENT, on_timer);
	if (!ev)
		return errno == ENOENT ? no_ticks()
				       : tl_fail(errno, SYSTEM ":" EVENT ": %s",
						 strerror(errno));
	ret = tl_event_long_field(s, ev, "function", &t->function)
		      ?: tl_chains_open(s,
					sampling->kinds | TL_STACK_INTERRUPTED,
					on_stack);
	if (!ret && sampling->kinds & TL_STACK_KERNEL)
		ret = tl_chains_at(s, ev, NULL);
	return ret;
}
