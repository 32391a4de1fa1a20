// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stacks.c - with which threads leave their processors, and wake others
 *
 * A stack is a record of its own: it comes right behind that of the switch or wakeup, on
 * the same processor.
 */
#include "sched/stacks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/part.h"
#include "base/recording.h"
#include "record/event.h"
#include "run/run.h"
#include "sched/asleep.h"
#include "trace/chain.h"
#include "tracelet/message.h"

/* What is kept of a thread. */
struct kept {
	struct tl_stack left;
	uint64_t left_ns, woken_ns; /* when, the last time; 0: not seen */
	/* tl_states_epoch() of @woken_ns, and of a @left that is no record's */
	unsigned int woken_epoch, left_epoch;
	uint64_t put_off; /* ns: what is not told begins then; 0: nothing */
	size_t count;     /* of @wakers */
	struct tl_stack_of wakers[];
};

/* The stacks that the last record of a processor has behind it. */
struct expected {
	pid_t by;           /* in this thread */
	pid_t tid;          /* kept with this one; 0: none */
	bool woken;         /* as that of its waker */
	unsigned int kinds; /* enum tl_stack_kind: that have not come yet */
};

struct tl_sched_stacks {
	struct tl_part part;
	struct tl_session *s;
	const struct tl_sched_config *config;
	struct tl_states *states;
	struct tl_field flags; /* of wakeups */
	struct expected *expected;
	unsigned int count; /* processors */
	unsigned int losses;
	struct tl_asleep_list *asleep;
	uint64_t now;        /* while these are taken in */
	const char *letters; /* as in the config, of who recorded */
	/* instead of a stack */
	const struct tl_chain *before, *fresh, *preempted, *unrecorded, *lost;
};

static const struct tl_part_ops stacks_ops;

/* ---- what is expected ------------------------------------------------- */

size_t tl_sched_stacks_size(const struct tl_sched_config *c)
{
	return sizeof(struct kept) + c->wakers * sizeof(struct tl_stack_of);
}

static struct expected *expected_on(struct tl_sched_stacks *t, unsigned int cpu)
{
	struct expected *more;

	if (cpu < t->count)
		return &t->expected[cpu];
	more = reallocarray(t->expected, cpu + 1, sizeof(*more));
	if (!more)
		return NULL;
	memset(more + t->count, 0, (cpu + 1 - t->count) * sizeof(*more));
	t->expected = more;
	t->count = cpu + 1;
	return &more[cpu];
}

static void expect(struct tl_sched_stacks *t, const struct tl_record *r,
		   const struct expected *what)
{
	struct expected *e = expected_on(t, r->cpu);

	if (e) {
		*e = *what;
		e->by = r->pid;
	}
}

/*
 * Who woke the waker, unless that was before the sleep that it ends now, or what it did
 * since then was lost.
 */
static size_t take_over(const struct tl_sched_stacks *t, struct kept *k,
			pid_t waker)
{
	const struct kept *by = t->config->wakers > 1 && waker > 0
					? tl_states_own(t->states, waker)
					: NULL;
	size_t count = t->config->wakers - 1;

	if (!by || by == k || by->woken_ns <= k->left_ns ||
	    by->woken_epoch != tl_states_epoch(t->states))
		return 0;
	if (count > by->count)
		count = by->count;
	memcpy(k->wakers + 1, by->wakers, count * sizeof(*by->wakers));
	return count;
}

static void on_stack(struct tl_session *s, const struct tl_record *r,
		     const struct tl_chain *chain, enum tl_stack_kind kind)
{
	const struct tl_sched_stacks *t = tl_part_find(s, &stacks_ops);
	struct expected *e = r->cpu < t->count ? &t->expected[r->cpu] : NULL;
	struct tl_stack *stack;
	struct kept *k;

	if (!e || !e->tid || e->by != r->pid || !(e->kinds & kind))
		return; /* its record was lost, or is not looked at */
	e->kinds &= ~(unsigned int)kind;
	k = tl_states_own(t->states, e->tid);
	if (!k || (e->woken && !k->count))
		return;
	stack = e->woken ? &k->wakers[0].stack : &k->left;
	if (kind == TL_STACK_KERNEL)
		stack->kernel = chain;
	else
		stack->user = chain;
}

/* ---- records ---------------------------------------------------------- */

void tl_sched_stacks_left(struct tl_sched_stacks *t, const struct tl_record *r,
			  pid_t tid)
{
	struct kept *k = tl_states_left(t->states);

	expect(t, r,
	       &(struct expected){ .tid = k && t->config->left ? tid : 0,
				   .kinds = t->config->stacks });
	if (!k)
		return;
	k->left = (struct tl_stack){ NULL, NULL };
	k->left_ns = r->ns;
}

static char flags_of(const struct tl_sched_stacks *t, const struct tl_record *r)
{
	return t->config->wakers ? r->data[t->flags.offset] : 0;
}

/*
 * A soft interrupt can be what the thread itself did, as when it sends to a socket of this
 * machine: its stack tells.
 */
static bool is_soft(const struct tl_sched_stacks *t, const struct tl_record *r)
{
	return (flags_of(t, r) & TL_IN_INTERRUPT) == TL_IN_SOFTIRQ &&
	       t->config->stacks & TL_STACK_KERNEL;
}

pid_t tl_sched_stacks_waker(const struct tl_sched_stacks *t,
			    const struct tl_record *r)
{
	if (!r->pid || (flags_of(t, r) & TL_IN_INTERRUPT && !is_soft(t, r)))
		return TL_INTERRUPT;
	return r->pid;
}

void tl_sched_stacks_woken(struct tl_sched_stacks *t, const struct tl_record *r,
			   pid_t waker, pid_t tid)
{
	struct kept *k =
		tid && t->config->wakers ? tl_states_woken(t->states) : NULL;
	unsigned int kinds = t->config->stacks;

	/* the program that was interrupted has no part in it */
	if (waker == TL_INTERRUPT)
		kinds &= ~(unsigned int)TL_STACK_USER;
	expect(t, r,
	       &(struct expected){
		       .tid = k ? tid : 0, .woken = true, .kinds = kinds });
	if (!k)
		return;
	k->wakers[0] =
		(struct tl_stack_of){ .tid = waker, .soft = is_soft(t, r) };
	k->count = 1 + take_over(t, k, waker);
	k->woken_ns = r->ns;
	k->woken_epoch = tl_states_epoch(t->states);
}

void tl_sched_stacks_begun(const struct tl_sched_stacks *t, pid_t tid)
{
	struct kept *k = tl_states_own(t->states, tid);

	if (!k)
		return;
	memset(k, 0, tl_sched_stacks_size(t->config)); /* another one's */
	k->left.kernel = t->fresh;
	k->left_epoch = tl_states_epoch(t->states);
}

/* ---- what is told ----------------------------------------------------- */

/* With R they are recorded of all: see condition(). */
static bool is_recorded(const struct tl_sched_stacks *t, char letter)
{
	return t->letters
		       ? strchr(t->letters, letter) || strchr(t->letters, 'R')
		       : letter != 'R';
}

static const struct tl_chain *no_stack(const struct tl_sched_stacks *t,
				       char letter)
{
	if (is_recorded(t, letter))
		return t->lost;
	return letter == 'R' ? t->preempted : t->unrecorded;
}

/* Of a time whose begin was not seen: what is kept can be of an earlier time. */
static struct tl_stack earlier_stack(const struct tl_sched_stacks *t,
				     const struct tl_sched_slice *slice,
				     const struct kept *k)
{
	const bool before = !t->losses || slice->since <= tl_run_start_ns(t->s);

	if (k->left.kernel && k->left_epoch == tl_states_epoch(t->states))
		return k->left;
	return (struct tl_stack){ .kernel = before ? t->before : t->lost };
}

/* There is a stack, or a word that says why not. */
static struct tl_stack stack_of(const struct tl_sched_stacks *t,
				const struct tl_sched_slice *slice,
				const struct kept *k)
{
	struct tl_stack stack = k->left;

	if (!slice->began)
		return earlier_stack(t, slice, k);
	if (!stack.kernel && t->config->stacks & TL_STACK_KERNEL)
		stack.kernel = no_stack(t, slice->letter);
	return stack;
}

/* ns: a stack that has not come by then was not recorded */
#define SOON 1000000

/* Whether the record of @slice's begin was given, and that of its stack was not yet. */
static bool is_expected(const struct tl_sched_stacks *t,
			const struct tl_sched_slice *slice)
{
	const struct expected *e =
		slice->cpu < t->count ? &t->expected[slice->cpu] : NULL;

	return e && e->tid == slice->tid && !e->woken && e->kinds &&
	       is_recorded(t, slice->letter) && slice->to - slice->since < SOON;
}

bool tl_sched_stacks_fill(const struct tl_sched_stacks *t,
			  struct tl_sched_slice *slice)
{
	struct kept *k = slice->own;

	if (!k)
		return true; /* an idle processor */
	/* of this time, and not of one before a loss */
	if (k->put_off && k->put_off >= slice->since)
		slice->from = k->put_off;
	k->put_off = 0;
	if (!slice->ended && is_expected(t, slice)) {
		k->put_off = slice->from;
		return false;
	}
	if (t->config->left)
		slice->stack = stack_of(t, slice, k);
	if (slice->ended)
		k->left = (struct tl_stack){ NULL, NULL };
	slice->wakers = k->wakers;
	/* who is woken before it leaves need not be woken again */
	slice->waker_count = slice->waker && k->woken_ns >= slice->since
				     ? (unsigned int)k->count
				     : 0;
	slice->woken = k->woken_ns;
	slice->own = NULL;
	return true;
}

/* ---- since before ----------------------------------------------------- */

static const struct tl_chain *chain_of(struct tl_session *s,
				       const struct tl_asleep *one)
{
	static struct tl_str names[TL_CHAIN_MAX];
	const char *name = one->stack, *end = name + one->len;
	size_t count = 0;

	names[count++] = (struct tl_str){ "[since before]", 14 };
	while (name < end && count < TL_CHAIN_MAX) {
		const char *next = memchr(name, ';', (size_t)(end - name));

		names[count++] =
			(struct tl_str){ name, (size_t)((next ?: end) - name) };
		name = next ? next + 1 : end;
	}
	return tl_chain_of(s, names, count);
}

bool tl_sched_stacks_asleep(struct tl_sched_stacks *t, pid_t tid, uint64_t ns,
			    char *letter, unsigned int *cpu)
{
	const struct tl_asleep *one = tl_asleep_take(t->asleep, tid);
	struct kept *k = one ? tl_states_own(t->states, tid) : NULL;

	if (!k || one->ns > ns)
		return false; /* it may have been another sleep */
	*letter = one->letter;
	*cpu = one->cpu;
	k->left.kernel = t->config->stacks & TL_STACK_KERNEL
				 ? chain_of(t->s, one)
				 : t->before;
	k->left_epoch = tl_states_epoch(t->states);
	return true;
}

static void look_at(void *ctx, const struct tl_asleep *one)
{
	struct tl_sched_stacks *t = ctx;

	tl_states_look(t->states, one->tid, t->now);
}

void tl_sched_stacks_cut(struct tl_sched_stacks *t, uint64_t ns)
{
	t->now = ns;
	if (t->config->asleep)
		tl_asleep_each(t->asleep, look_at, t);
}

/* ---- the part --------------------------------------------------------- */

static void reserve(void *ctx, const struct tl_asleep *one)
{
	const struct tl_sched_stacks *t = ctx;

	tl_states_reserve(t->states, one->cpu + 1);
}

static int read_asleep(struct tl_sched_stacks *t)
{
	if (!t->config->left)
		return 0;
	t->asleep = tl_asleep_read(t->s, t->config->stacks & TL_STACK_KERNEL);
	tl_asleep_each(t->asleep, reserve, t);
	return t->asleep ? 0 : -ENOMEM;
}

static int start(struct tl_session *s, void *part)
{
	return read_asleep(part);
}

static void on_lost(struct tl_session *s, void *part, unsigned int cpu)
{
	struct tl_sched_stacks *t = part;

	t->losses++;
	if (cpu < t->count)
		t->expected[cpu].tid = 0;
}

static void free_stacks(void *part)
{
	struct tl_sched_stacks *t = part;

	tl_asleep_free(t->asleep);
	free(t->expected);
	free(t);
}

static const struct tl_part_ops stacks_ops = { .start = start,
					       .lost = on_lost,
					       .free = free_stacks };

/* ---- set-up ----------------------------------------------------------- */

int tl_sched_stacks_check(struct tl_session *s, const struct tl_sched_config *c)
{
	return tl_chains_check(s, c->stacks);
}

static const struct tl_chain *word(struct tl_session *s, const char *text)
{
	const struct tl_str name = { text, strlen(text) };

	return tl_chain_of(s, &name, 1);
}

static int open_words(struct tl_session *s, struct tl_sched_stacks *t)
{
	t->before = word(s, "[since before]");
	t->fresh = word(s, "[new]");
	t->preempted = word(s, "[preempted]");
	t->unrecorded = word(s, "[not recorded]");
	t->lost = word(s, "[lost]");
	return t->before && t->fresh && t->preempted && t->unrecorded && t->lost
		       ? 0
		       : -ENOMEM;
}

#define LETTERS "sched.letters" /* in a capture; without: NULL */

static void open_letters(struct tl_session *s, struct tl_sched_stacks *t)
{
	t->letters = t->config->letters;
	if (tl_recording_replays(s->recording))
		t->letters = tl_recording_text(s->recording, LETTERS, NULL);
	else if (t->letters && tl_recording_is_on(s->recording))
		tl_recording_note(s->recording, LETTERS, t->letters,
				  strlen(t->letters), 0);
}

/* Of switches, where a stack is asked for: an idle processor has none. */
static void condition(const struct tl_sched_config *c, char *text, size_t size)
{
	unsigned int mask = 0;
	const char *letter;

	for (letter = c->letters ?: ""; *letter; letter++)
		mask |= tl_states_mask(*letter);
	if (c->letters && strchr(c->letters, 'R'))
		snprintf(text, size, "prev_pid != 0");
	else
		snprintf(text, size, "prev_state & %u",
			 c->letters ? mask : tl_states_mask(0));
}

/* The kernel's stack is recorded on demand, that of the program with each record. */
static int open_events(struct tl_session *s, struct tl_sched_stacks *t,
		       const struct tl_sched_events *events)
{
	const struct tl_sched_config *c = t->config;
	char text[64];
	int ret = 0;

	if (c->wakers)
		ret = tl_event_field(s, events->waking, "common_flags",
				     &t->flags);
	if (!ret && c->wakers)
		tl_event_require(events->waking, &t->flags);
	if (ret || !(c->stacks & TL_STACK_KERNEL))
		return ret;
	condition(c, text, sizeof(text));
	if (c->left)
		ret = tl_chains_at(s, events->switched, text);
	if (!ret && c->wakers)
		ret = tl_chains_at(s, events->waking, NULL);
	return ret;
}

struct tl_sched_stacks *
tl_sched_stacks_open(struct tl_session *s, const struct tl_sched_config *c,
		     struct tl_states *states,
		     const struct tl_sched_events *events)
{
	struct tl_sched_stacks *t;
	int ret = tl_chains_open(s, c->stacks, on_stack);

	t = ret ? NULL : tl_part_new(s, &stacks_ops, sizeof(*t));
	if (t) {
		t->s = s;
		t->config = c;
		t->states = states;
		open_letters(s, t);
		ret = open_words(s, t) ?: open_events(s, t, events);
		if (!ret && tl_recording_replays(s->recording))
			ret = read_asleep(t);
	}
	errno = ret ? -ret : ENOMEM;
	return ret ? NULL : t;
}
