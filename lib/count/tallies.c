// SPDX-License-Identifier: GPL-2.0-or-later
/* tallies.c - tallies by who */
#include <stdlib.h>
#include <string.h>

#include "base/part.h"
#include "count/table.h"
#include "record/task.h"
#include "tracelet/tallies.h"
#include "tracelet/tally.h"
#include "tracelet/text.h"
#include "tracelet/who.h"

struct one {
	struct tl_who who;
	struct tl_tally *tally; /* NULL: memory was short */
};

struct tl_tallies {
	struct tl_part part;
	struct one all; /* for TL_BY_NOTHING, and where memory is short */
	struct tl_table *table; /* else: struct one; NULL: TL_BY_NOTHING */
	bool is_short;          /* memory was */
};

static void free_one(void *value)
{
	tl_tally_free(((struct one *)value)->tally);
}

static void free_tallies(void *part)
{
	struct tl_tallies *t = part;

	tl_table_free(t->table);
	tl_tally_free(t->all.tally);
	free(t);
}

/* Who the last thread is may have changed. */
static void forget(struct tl_tallies *t)
{
	if (t->table)
		tl_table_forget(t->table);
}

static void on_task(struct tl_session *s, void *part, pid_t tid,
		    enum tl_task_change change, uint64_t ns)
{
	forget(part);
}

static void on_lost(struct tl_session *s, void *part, unsigned int cpu)
{
	forget(part);
}

static const struct tl_part_ops tallies_ops = { .lost = on_lost,
						.task = on_task,
						.free = free_tallies };

struct tl_tallies *tl_tallies_open(struct tl_session *s, enum tl_by by,
				   size_t max)
{
	struct tl_tallies *t = tl_part_new(s, &tallies_ops, sizeof(*t));

	if (!t)
		return NULL;
	t->all.tally = tl_tally_new();
	if (by != TL_BY_NOTHING)
		t->table = tl_table_by(by, sizeof(struct one), max, free_one);
	if (t->table)
		strcpy(t->all.who.comm, "[others]");
	if (by != TL_BY_NOTHING)
		tl_tasks_watch_threads(s);
	return t->all.tally && (t->table || by == TL_BY_NOTHING) ? t : NULL;
}

__attribute__((noinline)) static struct tl_tally *begin(struct tl_tallies *t,
							struct one *one)
{
	one->tally = tl_tally_new();
	t->is_short |= !one->tally;
	return one->tally ?: t->all.tally;
}

struct tl_tally *tl_tallies_of(struct tl_session *s, struct tl_tallies *t,
			       pid_t tid)
{
	struct one *one;

	if (!t->table)
		return t->all.tally;
	one = tl_table_of(s, t->table, tid);
	return one->tally ?: begin(t, one);
}

struct walk {
	struct tl_tallies *t;
	void (*fn)(void *ctx, const struct tl_who *who, uint64_t key,
		   uint64_t count);
	void *ctx;
	const struct tl_who *who;
};

static void visit(void *ctx, uint64_t key, uint64_t count)
{
	const struct walk *walk = ctx;

	walk->fn(walk->ctx, walk->who, key, count);
}

static void visit_one(void *ctx, struct tl_str key, void *value)
{
	const struct one *one = value;
	struct walk *walk = ctx;

	if (!one->tally)
		return;
	walk->who = &one->who;
	walk->t->is_short |= tl_tally_refused(one->tally) != 0;
	tl_tally_each(one->tally, visit, walk);
}

bool tl_tallies_each(struct tl_tallies *t,
		     void (*fn)(void *ctx, const struct tl_who *who,
				uint64_t key, uint64_t count),
		     void *ctx)
{
	struct walk walk = { t, fn, ctx, NULL };

	if (t->table)
		tl_table_each(t->table, visit_one, &walk);
	/* by who, it has what there was no memory for */
	visit_one(&walk, (struct tl_str){ 0 }, &t->all);
	return !t->is_short;
}

void tl_tallies_clear(struct tl_tallies *t)
{
	tl_tally_clear(t->all.tally);
	if (t->table)
		tl_table_clear(t->table);
	t->is_short = false;
}
