// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calltree.c - graphs of calls, from the records of their beginnings and ends
 *
 * A graph belongs to a thread, wherever that runs, and is given whole when its
 * first call returns.  Beginnings and ends are paired by function, not by the
 * depth in the record: other users of the kernel's return stack leave holes in
 * that.
 */
#include "call/calltree.h"

#include <stdlib.h>
#include <string.h>

#include "tracelet/pairs.h"

#define MAX_TASKS 32768
/*
 * In place of an index: what is below has none either, and in MISSING counts.
 */
#define HIDDEN  UINT32_MAX
#define MISSING (UINT32_MAX - 1)

/* A call that has not returned. */
struct open {
	uint64_t function;
	uint64_t off;   /* what its task had been off the processor by then */
	uint64_t below; /* ns of the calls that it made */
	uint32_t index; /* among the graph's; HIDDEN, MISSING */
};

/* A thread that is in a call. */
struct task {
	struct tl_calltree *of;
	int64_t id;
	struct tl_call *calls;
	size_t count, size;
	struct open *open;
	unsigned int depth, open_size;
	uint64_t *args;
	size_t arg_count, arg_size;
	uint64_t missing;
	uint64_t off, off_since; /* ns; 0: it is on a processor */
	bool in_irq;             /* its first call is */
};

struct tl_calltree {
	const struct tl_calltree_config *config;
	struct tl_pairs *tasks;
	size_t count; /* of all tasks' calls */
	uint64_t no_memory;
};

static void drop(void *data)
{
	struct task *t = data;

	if (t->of)
		t->of->count -= t->count;
	free(t->calls);
	free(t->open);
	free(t->args);
}

struct tl_calltree *tl_calltree_new(const struct tl_calltree_config *config)
{
	struct tl_calltree *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->config = config;
	c->tasks = tl_pairs_new(sizeof(struct task), MAX_TASKS, drop);
	if (c->tasks)
		return c;
	free(c);
	return NULL;
}

void tl_calltree_free(struct tl_calltree *c)
{
	if (!c)
		return;
	tl_pairs_free(c->tasks);
	free(c);
}

/* ---- growing ---------------------------------------------------------- */

static bool grow(void *list, size_t *size, size_t need, size_t each)
{
	size_t more = *size ? *size * 2 : 16;
	void *p;

	if (need <= *size)
		return true;
	while (more < need)
		more *= 2;
	p = reallocarray(*(void **)list, more, each);
	if (!p)
		return false;
	*(void **)list = p;
	*size = more;
	return true;
}

static bool grow_open(struct task *t)
{
	size_t size = t->open_size;
	bool ok = grow(&t->open, &size, t->depth + 1, sizeof(*t->open));

	t->open_size = (unsigned int)size;
	return ok;
}

/* ---- beginnings ------------------------------------------------------- */

static void add_args(struct task *t, struct tl_call *call,
		     const struct tl_calltree_record *r)
{
	if (!r->arg_count ||
	    !grow(&t->args, &t->arg_size, t->arg_count + r->arg_count,
		  sizeof(*t->args)))
		return;
	memcpy(t->args + t->arg_count, r->args,
	       r->arg_count * sizeof(*t->args));
	call->arg = (uint32_t)t->arg_count;
	call->args = (uint8_t)r->arg_count;
	t->arg_count += r->arg_count;
}

static bool has_room(const struct tl_calltree *c, struct task *t)
{
	return t->count < c->config->max && c->count < c->config->total &&
	       grow(&t->calls, &t->size, t->count + 1, sizeof(*t->calls));
}

/*
 * Its place in the graph; HIDDEN when it is to have none, MISSING: there is
 * none.
 */
static uint32_t place(struct tl_calltree *c, struct task *t,
		      const struct tl_calltree_record *r)
{
	uint32_t above = t->depth ? t->open[t->depth - 1].index : 0;
	struct tl_call *call;

	if (above == HIDDEN || (c->config->no_irqs && r->irq && !t->in_irq))
		return HIDDEN;
	if (above == MISSING || !has_room(c, t)) {
		t->missing++;
		return MISSING;
	}
	call = &t->calls[t->count];
	*call = (struct tl_call){ .function = r->function,
				  .start = r->ns,
				  .depth = (uint16_t)t->depth,
				  .cpu = r->cpu };
	add_args(t, call, r);
	c->count++;
	return (uint32_t)t->count++;
}

static struct task *new_task(struct tl_calltree *c,
			     const struct tl_calltree_record *r)
{
	struct task *t;

	if (!c->config->is_wanted(c->config->ctx, r))
		return NULL;
	t = tl_pairs_put(c->tasks, r->task);
	if (!t) {
		c->no_memory++;
		return NULL;
	}
	t->of = c;
	t->id = r->task;
	t->in_irq = r->irq;
	return t;
}

void tl_calltree_begin(struct tl_calltree *c,
		       const struct tl_calltree_record *r)
{
	struct task *t = tl_pairs_get(c->tasks, r->task);
	struct open *o;

	if (!t)
		t = new_task(c, r);
	if (!t)
		return;
	if (!grow_open(t)) {
		c->no_memory++;
		tl_pairs_remove(c->tasks, t);
		return;
	}
	o = &t->open[t->depth];
	*o = (struct open){ .function = r->function, .off = t->off };
	o->index = place(c, t, r);
	t->depth++;
}

/* ---- ends ------------------------------------------------------------- */

static void give(struct tl_calltree *c, struct task *t)
{
	const struct tl_graph g = { .pid = t->id > 0 ? (pid_t)t->id : 0,
				    .calls = t->calls,
				    .count = t->count,
				    .missing = t->missing,
				    .args = t->args };

	if (t->count)
		c->config->done(c->config->ctx, t->id, &g);
	else if (t->open[0].index == MISSING)
		c->no_memory += t->missing;
	tl_pairs_remove(c->tasks, t);
}

/* The time of a call that is not shown counts for its caller. */
static void forget(struct task *t, uint32_t index)
{
	if (t->calls[index].args)
		t->arg_count = t->calls[index].arg;
	t->of->count -= t->count - index;
	t->count = index;
}

static void end_call(struct tl_calltree *c, struct task *t,
		     const struct tl_calltree_record *r, const struct open *o)
{
	struct tl_call *call = &t->calls[o->index];
	uint64_t off = t->off - o->off;

	call->end = r->ns;
	call->end_cpu = r->cpu;
	call->has_ret = r->has_ret;
	call->ret = r->ret;
	call->duration = r->duration > off ? r->duration - off : 0;
	/* clocks and their reading differ by some ns */
	call->self = call->duration > o->below ? call->duration - o->below : 0;
	if (call->duration < c->config->min)
		forget(t, o->index);
	else if (t->depth)
		t->open[t->depth - 1].below += call->duration;
}

void tl_calltree_end(struct tl_calltree *c, const struct tl_calltree_record *r)
{
	struct task *t = tl_pairs_get(c->tasks, r->task);
	unsigned int depth;

	if (!t)
		return;
	for (depth = t->depth; depth; depth--)
		if (t->open[depth - 1].function == r->function)
			break;
	if (!depth)
		return;
	/* those above have no end: the kernel has dropped it */
	for (; t->depth > depth; t->depth--)
		t->open[t->depth - 2].below += t->open[t->depth - 1].below;
	t->depth--;
	if (t->open[t->depth].index < MISSING)
		end_call(c, t, r, &t->open[t->depth]);
	if (!t->depth)
		give(c, t);
}

/* ---- on a processor or off -------------------------------------------- */

void tl_calltree_off(struct tl_calltree *c, int64_t task, uint64_t ns)
{
	struct task *t = tl_pairs_get(c->tasks, task);

	if (t)
		t->off_since = ns;
}

void tl_calltree_on(struct tl_calltree *c, int64_t task, uint64_t ns)
{
	struct task *t = tl_pairs_get(c->tasks, task);

	if (!t || !t->off_since)
		return;
	t->off += ns - t->off_since;
	t->off_since = 0;
}

/* ---- without an end --------------------------------------------------- */

void tl_calltree_finish(struct tl_calltree *c, int64_t task)
{
	struct task *t = tl_pairs_get(c->tasks, task);

	if (t)
		give(c, t);
}

void tl_calltree_finish_all(struct tl_calltree *c)
{
	struct task *t;

	while ((t = tl_pairs_oldest(c->tasks)))
		give(c, t);
}

void tl_calltree_void(struct tl_calltree *c)
{
	tl_pairs_clear(c->tasks);
}

uint64_t tl_calltree_forgotten(const struct tl_calltree *c)
{
	return c->no_memory + tl_pairs_evicted(c->tasks);
}
