// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hits.c - records of any events, each with the stacks that it came with
 *
 * A stack is a record of its own, behind that of its event.  Where the kernel lets other
 * threads run between them, it may even come from another processor: it is looked for by
 * thread.  An interrupt may come between them as well, with an event and stacks: flags in
 * all records tell in what they were made, so that neither gets the other's.
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
#include "tracelet/named.h"
#include "tracelet/pairs.h"
#include "tracelet/tracefs.h"

/* Threads whose last record waits for a stack: those of the kernel have none of a program. */
#define MAX_WAITING 65536
/* A thread that had to leave its processor before its stack was recorded is back by then. */
#define WAIT_NS 100000000
/* All others are recorded right behind their event. */
#define SOON_NS 1000000

/* A hit that waits for its stacks. */
struct waiting {
	struct tl_session *s;
	struct tl_hit hit;
	uint64_t caller;
	unsigned int title;
	unsigned int kinds; /* enum tl_stack_kind: that have not come yet */
};

struct hits {
	struct tl_part part;
	const struct tl_hits_config *config;
	struct tl_field flags, preempt;  /* common to all events */
	struct tl_pairs *waiting;        /* by key_of() */
	bool lost;                       /* what goes now has lost its stacks */
	const struct tl_chain *no_stack; /* that is said so */
};

/* What is known of an event. */
struct known {
	struct tl_event_part part;
	struct tl_field field; /* size 0: none */
	unsigned int title; /* of a tracepoint; 0: none, or not asked for yet */
	const struct tl_chain *word; /* the same in place of a stack */
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

static void give(void *data)
{
	struct waiting *w = data;
	const struct hits *h = hits(w->s);
	struct tl_stack *stack = &w->hit.thread.stack;

	if (w->kinds && h->lost && !stack->kernel && !stack->user)
		stack->kernel = h->no_stack;
	h->config->hit(w->s, &w->hit);
}

static struct waiting *waiting_of(struct tl_session *s,
				  const struct tl_record *r)
{
	const struct hits *h = hits(s);

	return tl_pairs_get(h->waiting, key_of(h, r));
}

static struct tl_chain_more ask(struct tl_session *s, const struct tl_record *r,
				enum tl_stack_kind kind)
{
	const struct waiting *w = waiting_of(s, r);

	if (!w || !(w->kinds & kind))
		/* its record was lost, or is of an event that is only watched */
		return (struct tl_chain_more){ .unwanted = true };
	return (struct tl_chain_more){ .caller = w->caller, .title = w->title };
}

static void on_stack(struct tl_session *s, const struct tl_record *r,
		     const struct tl_chain *chain, enum tl_stack_kind kind)
{
	struct waiting *w = waiting_of(s, r);

	w->kinds &= ~(unsigned int)kind;
	if (kind == TL_STACK_KERNEL)
		w->hit.thread.stack.kernel = chain;
	else
		w->hit.thread.stack.user = chain;
	if (!w->kinds)
		tl_pairs_remove(hits(s)->waiting, w);
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
	tl_event_part_add(same, &known_ops, k);
	return k;
}

/* A function of a program has none of the kernel but the way to the tracer. */
static void wait_for(struct tl_session *s, const struct tl_record *r,
		     struct waiting *w)
{
	const struct tl_probe *probe = tl_probe_of(r->event);
	struct known *k = known_of(s, r->event);

	w->kinds = hits(s)->config->kinds;
	w->caller = tl_probe_caller(r);
	if (probe && probe->is_user) {
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

static int64_t value_of(const struct tl_record *r)
{
	const struct known *k = tl_event_part_find(r->event, &known_ops);

	return k && k->field.size ? tl_field_num(r, &k->field) : 1;
}

/* What still waits in its place has no more stacks. */
void tl_hits_record(struct tl_session *s, const struct tl_record *r)
{
	const struct hits *h = hits(s);
	struct waiting *w = tl_pairs_put(h->waiting, key_of(h, r)), now;

	if (!w)
		w = memset(&now, 0, sizeof(now));
	w->s = s;
	w->hit.ns = r->ns;
	w->hit.event = r->event;
	w->hit.value = value_of(r);
	wait_for(s, r, w);
	find_thread(h, r, w);
	if (w == &now)
		give(w);
	else if (!w->kinds)
		tl_pairs_remove(h->waiting, w);
}

static void give_until(struct hits *h, uint64_t ns)
{
	struct waiting *w;

	while ((w = tl_pairs_oldest(h->waiting)) && w->hit.ns < ns)
		tl_pairs_remove(h->waiting, w);
}

void tl_hits_cut(struct tl_session *s, uint64_t ns)
{
	give_until(hits(s), tl_run_ends_at(s, ns) ? UINT64_MAX : ns - SOON_NS);
}

/* ---- the part --------------------------------------------------------- */

static void on_pass(struct tl_session *s, void *part, uint64_t ns)
{
	give_until(part, ns > WAIT_NS ? ns - WAIT_NS : 0);
}

/* A stack may be among what was lost, and the next one that of another record. */
static void on_lost(struct tl_session *s, void *part, unsigned int cpu)
{
	struct hits *h = part;

	h->lost = true;
	tl_pairs_clear(h->waiting);
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
	free(h);
}

static const struct tl_part_ops hits_ops = { .pass = on_pass,
					     .lost = on_lost,
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
	h->no_stack = tl_chain_of(s, &(struct tl_str){ "[lost]", 6 }, 1);
	if (!h->waiting || !h->no_stack)
		return -ENOMEM;
	tl_chains_ask(s, ask);
	ret = find_flags(s, h, config->kinds) ?: tl_uprobe_callers(s);
	if (!ret && config->kinds & TL_STACK_KERNEL)
		ret = tl_write_file(s, "options/stacktrace", "1");
	return ret;
}
