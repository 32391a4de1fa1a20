// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hits.c - records of any events, each with the stacks that it came with
 *
 * A stack is a record of its own, behind that of its event.  Behind that of a function of a
 * program the thread may have to leave its processor first, for as long as others want, and
 * may go on at another one: a stack is looked for by thread, and what the thread did
 * between has its own.  An interrupt may come between them as well, with an event and
 * stacks: flags in all records tell in what they were made, so that neither gets the
 * other's.
 *
 * The option that has the kernel's stacks recorded is that of the instance, and not the
 * trigger of an event: where a filter drops a record, there is no stack of it then, and that
 * of a probe begins with its function.
 */
#include "tracelet/hits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/part.h"
#include "probe/probe.h"
#include "probe/uprobe.h"
#include "record/event.h"
#include "run/run.h"
#include "trace/chain.h"
#include "tracelet/instead.h"
#include "tracelet/named.h"
#include "tracelet/pairs.h"
#include "tracelet/tracefs.h"

/* Threads whose last record waits for a stack: in a few places there is none. */
#define MAX_WAITING 65536
/* Stacks of the kernel's events are recorded right behind these. */
#define SOON_NS 1000000

/* A hit that waits for its stacks. */
struct waiting {
	struct tl_session *s;
	struct tl_hit hit;
	uint64_t caller;
	unsigned int title;
	unsigned int kinds; /* enum tl_stack_kind: that have not come yet */
	bool is_function;   /* the event is a probe */
	bool in_program;    /* on a function of a program */
};

struct hits {
	struct tl_part part;
	const struct tl_hits_config *config;
	struct tl_field flags, preempt;  /* common to all events */
	struct tl_pairs *waiting;        /* of the kernel, by key_of() */
	struct tl_pairs *in_programs;    /* the same of functions of programs */
	bool lost;                       /* what goes now has lost its stacks */
	const struct tl_chain *no_stack; /* that is said so */
};

/* What is known of an event. */
struct known {
	struct tl_event_part part;
	struct tl_field field; /* size 0: none */
	unsigned int title; /* of a tracepoint; 0: none, or not asked for yet */
	const struct tl_chain *word; /* the same in place of a stack */
	bool is_again;               /* an earlier event is of the same place */
	bool is_seen;
};

static const struct tl_part_ops hits_ops;
static const struct tl_event_part_ops known_ops = { .free = free };

static struct hits *hits(const struct tl_session *s)
{
	return tl_part_find(s, &hits_ops);
}

/* ---- which record a stack belongs to ---------------------------------- */

#define LEVEL_SHIFT 40 /* above thread ids, and processors */
#define IDLE        (1LL << 39)

/*
 * In what kind of interrupt, of TL_IN_INTERRUPT; 0: in none.
 *
 * The kernel takes 1 from the count of what forbids to change threads, for the tracer's own,
 * which a probe in a program has not: where that was 0 all bits of it are set, and 1 is
 * taken from the flags, which stand above it.
 */
static unsigned int level_of(const struct hits *h, const struct tl_record *r)
{
	const uint8_t flags = (uint8_t)r->data[h->flags.offset];
	const uint8_t count = (uint8_t)r->data[h->preempt.offset];

	return (count == UINT8_MAX ? flags + 1U : flags) & TL_IN_INTERRUPT;
}

/*
 * A thread, but of an idle processor that, as all of them are thread 0, and what has
 * interrupted it there.
 */
static int64_t key_of(const struct hits *h, const struct tl_record *r)
{
	const int64_t level = level_of(h, r);

	return level << LEVEL_SHIFT | (r->pid ? r->pid : IDLE | r->cpu);
}

/* There is none of a thread of the kernel, or it was lost, and then that is said. */
static void say_lost(const struct hits *h, struct waiting *w)
{
	if (!h->lost && !w->in_program)
		return;
	if (w->kinds & TL_STACK_KERNEL)
		w->hit.thread.stack.kernel = h->no_stack;
	if (w->kinds & TL_STACK_USER)
		w->hit.thread.stack.user = h->no_stack;
}

static void give(void *data)
{
	struct waiting *w = data;
	const struct hits *h = hits(w->s);

	say_lost(h, w);
	h->config->hit(w->s, &w->hit);
}

/* The last one that waits for it: what the kernel records has no pause before its stacks. */
static struct waiting *waiting_of(const struct hits *h,
				  const struct tl_record *r,
				  enum tl_stack_kind kind)
{
	const int64_t key = key_of(h, r);
	struct waiting *w = tl_pairs_get(h->waiting, key);

	if (w && w->kinds & kind)
		return w;
	w = tl_pairs_get(h->in_programs, key);
	return w && w->kinds & kind ? w : NULL;
}

static struct tl_chain_more ask(struct tl_session *s, const struct tl_record *r,
				enum tl_stack_kind kind)
{
	const struct waiting *w = waiting_of(hits(s), r, kind);

	if (!w)
		/* its record was lost, or is of an event that is only watched */
		return (struct tl_chain_more){ .unwanted = true };
	return (struct tl_chain_more){
		.caller = w->in_program == (kind == TL_STACK_USER) ? w->caller
								   : 0,
		.title = w->title,
		.is_function = w->is_function,
	};
}

static void done(struct hits *h, struct waiting *w)
{
	tl_pairs_remove(w->in_program ? h->in_programs : h->waiting, w);
}

static void on_stack(struct tl_session *s, const struct tl_record *r,
		     const struct tl_chain *chain, enum tl_stack_kind kind)
{
	struct hits *h = hits(s);
	struct waiting *w = waiting_of(h, r, kind);

	w->kinds &= ~(unsigned int)kind;
	if (kind == TL_STACK_KERNEL)
		w->hit.thread.stack.kernel = chain;
	else
		w->hit.thread.stack.user = chain;
	if (!w->kinds)
		done(h, w);
}

/* ---- records ---------------------------------------------------------- */

static void find_title(struct tl_session *s, struct known *k,
		       const struct tl_event *ev)
{
	const unsigned int kinds = hits(s)->config->kinds;
	char *title = tl_event_title(ev);

	if (title && kinds & TL_STACK_KERNEL && !tl_probe_of(ev))
		k->title = tl_chains_title(s, title);
	if (title && !(kinds & TL_STACK_KERNEL))
		k->word = tl_chain_of(
			s, &(struct tl_str){ title, strlen(title) }, 1);
	free(title);
}

/* Whether a function that was asked for twice, or by a glob as well, has a probe before. */
static bool is_again(const struct tl_session *s, const struct tl_event *ev)
{
	const struct tl_probe *probe = tl_probe_of(ev), *other;
	const struct tl_event *e;

	for (e = s->events->first; probe && e && e != ev; e = e->next) {
		other = tl_probe_of(e);
		if (other && !strcmp(other->place, probe->place))
			return true;
	}
	return false;
}

static struct known *known_of(struct tl_session *s, const struct tl_event *ev)
{
	struct known *k = tl_event_part_find(ev, &known_ops);
	struct tl_event *same;

	if (k)
		return k;
	same = tl_event_find(s, ev->system, ev->name);
	k = same ? calloc(1, sizeof(*k)) : NULL;
	if (!k)
		return NULL;
	k->is_again = is_again(s, ev);
	tl_event_part_add(same, &known_ops, k);
	return k;
}

/* A function of a program has none of the kernel but the way to the tracer. */
static void expect(struct tl_session *s, const struct tl_record *r,
		   struct known *k, struct waiting *w)
{
	w->kinds = hits(s)->config->kinds;
	w->caller = tl_probe_caller(r);
	if (w->in_program) {
		w->kinds &= ~(unsigned int)TL_STACK_KERNEL;
		return;
	}
	if (k && !k->title && !k->word)
		find_title(s, k, r->event);
	w->title = k ? k->title : 0;
	w->hit.thread.stack.kernel = k ? k->word : NULL;
}

/* The program that was interrupted has no part in it: as for wakers in sched/stacks.c. */
static void find_thread(const struct hits *h, const struct tl_record *r,
			struct waiting *w)
{
	const unsigned int level = level_of(h, r);
	struct tl_stack_of *thread = &w->hit.thread;

	thread->tid = r->pid;
	thread->soft = level == TL_IN_SOFTIRQ && w->kinds & TL_STACK_KERNEL;
	if (!level || thread->soft)
		return;
	thread->tid = TL_INTERRUPT;
	w->kinds &= ~(unsigned int)TL_STACK_USER;
}

/* The first one. */
static void see(struct tl_session *s, const struct tl_event *ev,
		struct known *k)
{
	char *title = tl_event_title(ev);

	k->is_seen = true;
	if (title)
		tl_instead_seen(s, title);
	free(title);
}

static void find_value(const struct tl_record *r, const struct known *k,
		       struct tl_hit *hit)
{
	hit->value = k && k->field.size ? tl_field_num(r, &k->field) : 1;
	hit->is_negative = k && k->field.is_signed && hit->value < 0;
}

/* What still waits in its place has no more stacks. */
static struct waiting *begin(const struct hits *h, const struct tl_record *r,
			     bool in_program)
{
	const int64_t key = key_of(h, r);

	if (!in_program)
		return tl_pairs_put(h->waiting, key);
	tl_pairs_drop(h->waiting, key);
	return tl_pairs_put(h->in_programs, key);
}

void tl_hits_record(struct tl_session *s, const struct tl_record *r)
{
	struct hits *h = hits(s);
	const struct tl_probe *probe = tl_probe_of(r->event);
	struct known *k = known_of(s, r->event);
	struct waiting *w, now;

	if (k && k->is_again)
		return;
	if (k && !k->is_seen)
		see(s, r->event, k);
	w = begin(h, r, probe && probe->is_user);
	if (!w)
		w = memset(&now, 0, sizeof(now));
	w->s = s;
	w->is_function = probe;
	w->in_program = probe && probe->is_user;
	w->hit.ns = r->ns;
	w->hit.event = r->event;
	find_value(r, k, &w->hit);
	expect(s, r, k, w);
	find_thread(h, r, w);
	if (w == &now)
		give(w);
	else if (!w->kinds)
		done(h, w);
}

static void give_until(struct tl_pairs *waiting, uint64_t ns)
{
	struct waiting *w;

	while ((w = tl_pairs_oldest(waiting)) && w->hit.ns < ns)
		tl_pairs_remove(waiting, w);
}

void tl_hits_cut(struct tl_session *s, uint64_t ns)
{
	const struct hits *h = hits(s);
	const bool is_last = tl_run_ends_at(s, ns);

	give_until(h->waiting, is_last ? UINT64_MAX : ns - SOON_NS);
	if (is_last)
		give_until(h->in_programs, UINT64_MAX);
}

/* ---- the part --------------------------------------------------------- */

/* A stack may be among what was lost, and the next one that of another record. */
static void on_lost(struct tl_session *s, void *part, unsigned int cpu)
{
	struct hits *h = part;

	h->lost = true;
	tl_pairs_clear(h->waiting);
	tl_pairs_clear(h->in_programs);
	h->lost = false;
}

static void nobody(struct tl_session *s, const struct tl_hit *hit)
{
}

static void free_hits(void *part)
{
	static const struct tl_hits_config none = { .hit = nobody };
	struct hits *h = part;

	/* what still waits goes unseen: all else may have gone */
	h->config = &none;
	tl_pairs_free(h->waiting);
	tl_pairs_free(h->in_programs);
	free(h);
}

static const struct tl_part_ops hits_ops = { .lost = on_lost,
					     .free = free_hits };

/* ---- set-up ----------------------------------------------------------- */

int tl_hits_check(struct tl_session *s, unsigned int kinds)
{
	return tl_chains_check(s, kinds);
}

int tl_hits_sum(struct tl_session *s, struct tl_event *ev, const char *name)
{
	struct known *k = known_of(s, ev);

	return k ? tl_event_numeric_field(s, ev, name, &k->field) : -ENOMEM;
}

int tl_hits_value(struct tl_session *s, struct tl_event *ev,
		  const struct tl_field *field)
{
	struct known *k = known_of(s, ev);

	if (!k)
		return -ENOMEM;
	k->field = *field;
	return 0;
}

/* All events have it at the same place, those of stacks too. */
static int find_flags(struct tl_session *s, struct hits *h, unsigned int kinds)
{
	const char *name =
		kinds & TL_STACK_KERNEL ? "kernel_stack" : "user_stack";

	const struct tl_event *ev = tl_event_find(s, "ftrace", name);

	return tl_event_field(s, ev, "common_flags", &h->flags)
		       ?: tl_event_field(s, ev, "common_preempt_count",
					 &h->preempt);
}

int tl_hits_open(struct tl_session *s, const struct tl_hits_config *config)
{
	struct hits *h = tl_part_new(s, &hits_ops, sizeof(*h));
	int ret = h ? tl_chains_open(s, config->kinds, on_stack) : -ENOMEM;

	if (ret)
		return ret;
	h->config = config;
	h->waiting = tl_pairs_new(sizeof(struct waiting), MAX_WAITING, give);
	h->in_programs =
		tl_pairs_new(sizeof(struct waiting), MAX_WAITING, give);
	h->no_stack = tl_chain_of(s, &(struct tl_str){ "[lost]", 6 }, 1);
	if (!h->waiting || !h->in_programs || !h->no_stack)
		return -ENOMEM;
	tl_chains_ask(s, ask);
	ret = find_flags(s, h, config->kinds) ?: tl_uprobe_callers(s);
	if (!ret && config->kinds & TL_STACK_KERNEL)
		ret = tl_write_file(s, "options/stacktrace", "1");
	return ret;
}
