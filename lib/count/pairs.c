// SPDX-License-Identifier: GPL-2.0-or-later
/* pairs.c - what the start of an action leaves for its end */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/part.h"
#include "tracelet/pairs.h"

/* entries are allocated so many at once: starts and ends can be frequent */
#define BATCH 64

struct entry {
	struct entry *next; /* in its bucket, or of those that are free */
	struct entry *older, *newer;
	int64_t key;
	max_align_t data[];
};

struct batch {
	struct batch *next;
	max_align_t entries[];
};

/* So many buckets, as powers of two; one takes 8 bytes, once it is used. */
#define BITS_MIN 6
#define BITS_MAX 16

/* Of 2^64: keys are often addresses, whose low bits are all the same. */
#define GOLDEN 0x9e3779b97f4a7c15u

struct tl_pairs {
	size_t size; /* of the user's part */
	unsigned int count, max;
	uint64_t evicted;
	unsigned int shift; /* of a hash, so that what is left is a bucket */
	void (*drop)(void *data);
	struct entry *oldest, *newest;
	struct entry *unused;
	struct batch *batches;
	struct entry *bucket[];
};

struct tl_pairs *tl_pairs_new(size_t size, unsigned int max,
			      void (*drop)(void *data))
{
	unsigned int bits = BITS_MIN;
	struct tl_pairs *p;

	while (1u << bits < max && bits < BITS_MAX)
		bits++;
	p = calloc(1, sizeof(*p) + (sizeof(p->bucket[0]) << bits));
	if (!p)
		return NULL;
	/* whole units of alignment, so that entries can stand in a row */
	p->size = (size + sizeof(max_align_t) - 1) / sizeof(max_align_t) *
		  sizeof(max_align_t);
	p->max = max;
	p->shift = 64 - bits;
	p->drop = drop;
	return p;
}

static struct entry *of_data(void *data)
{
	return (struct entry *)((char *)data - offsetof(struct entry, data));
}

/* ---- free entries ----------------------------------------------------- */

/* Without inlining: it is rarely needed. */
__attribute__((noinline)) static bool add_batch(struct tl_pairs *p)
{
	size_t each = sizeof(struct entry) + p->size, i;
	struct batch *b = malloc(sizeof(*b) + BATCH * each);
	struct entry *e;

	if (!b)
		return false;
	b->next = p->batches;
	p->batches = b;
	for (i = 0; i < BATCH; i++) {
		e = (struct entry *)((char *)b->entries + i * each);
		e->next = p->unused;
		p->unused = e;
	}
	return true;
}

/* ---- buckets, whose entries are in the order in which they came ------- */

static inline struct entry **bucket_of(struct tl_pairs *p, int64_t key)
{
	return &p->bucket[(uint64_t)key * GOLDEN >> p->shift];
}

static inline struct entry *find(struct tl_pairs *p, int64_t key)
{
	struct entry *e = *bucket_of(p, key);

	while (e && e->key != key)
		e = e->next;
	return e;
}

static inline void link_entry(struct tl_pairs *p, struct entry *e)
{
	struct entry **at = bucket_of(p, e->key);

	while (*at)
		at = &(*at)->next;
	e->next = NULL;
	*at = e;
}

static inline void unlink_entry(struct tl_pairs *p, struct entry *e)
{
	struct entry **at = bucket_of(p, e->key);

	while (*at != e)
		at = &(*at)->next;
	*at = e->next;
}

static void drop_entry(struct tl_pairs *p, struct entry *e)
{
	unlink_entry(p, e);
	*(e->older ? &e->older->newer : &p->oldest) = e->newer;
	*(e->newer ? &e->newer->older : &p->newest) = e->older;
	if (p->drop)
		p->drop(e->data);
	e->next = p->unused;
	p->unused = e;
	p->count--;
}

/* ---- what tools call -------------------------------------------------- */

void *tl_pairs_get(struct tl_pairs *p, int64_t key)
{
	struct entry *e = find(p, key);

	return e ? e->data : NULL;
}

void *tl_pairs_next(void *data)
{
	struct entry *e = of_data(data);
	int64_t key = e->key;

	do {
		e = e->next;
	} while (e && e->key != key);
	return e ? e->data : NULL;
}

void *tl_pairs_oldest(struct tl_pairs *p)
{
	return p->oldest ? p->oldest->data : NULL;
}

void *tl_pairs_newer(void *data)
{
	struct entry *e = of_data(data)->newer;

	return e ? e->data : NULL;
}

void tl_pairs_move(struct tl_pairs *p, void *data, int64_t key)
{
	struct entry *e = of_data(data);

	unlink_entry(p, e);
	e->key = key;
	link_entry(p, e);
}

void tl_pairs_remove(struct tl_pairs *p, void *data)
{
	drop_entry(p, of_data(data));
}

void tl_pairs_drop(struct tl_pairs *p, int64_t key)
{
	struct entry *e = find(p, key);

	if (e)
		drop_entry(p, e);
}

void *tl_pairs_add(struct tl_pairs *p, int64_t key)
{
	struct entry *e;

	if (p->count >= p->max) {
		drop_entry(p, p->oldest);
		p->evicted++;
	}
	if (!p->unused && !add_batch(p))
		return NULL;
	e = p->unused;
	p->unused = e->next;
	e->key = key;
	link_entry(p, e);
	e->newer = NULL;
	e->older = p->newest;
	*(e->older ? &e->older->newer : &p->oldest) = e;
	p->newest = e;
	p->count++;
	return e->data;
}

void *tl_pairs_put(struct tl_pairs *p, int64_t key)
{
	void *data;

	tl_pairs_drop(p, key);
	data = tl_pairs_add(p, key);
	if (data)
		memset(data, 0, p->size);
	return data;
}

uint64_t tl_pairs_evicted(const struct tl_pairs *p)
{
	return p->evicted;
}

void tl_pairs_clear(struct tl_pairs *p)
{
	while (p->oldest)
		drop_entry(p, p->oldest);
}

void tl_pairs_free(struct tl_pairs *p)
{
	struct batch *b;

	if (!p)
		return;
	tl_pairs_clear(p);
	while ((b = p->batches)) {
		p->batches = b->next;
		free(b);
	}
	free(p);
}

/* ---- those of a run --------------------------------------------------- */

struct of_run {
	struct tl_part part;
	struct tl_pairs *pairs;
};

static void on_lost(struct tl_session *s, void *part, unsigned int cpu)
{
	tl_pairs_clear(((struct of_run *)part)->pairs);
}

static void free_of_run(void *part)
{
	tl_pairs_free(((struct of_run *)part)->pairs);
	free(part);
}

static const struct tl_part_ops of_run_ops = { .lost = on_lost,
					       .free = free_of_run };

/* What replaces a thread goes on with what its process was in. */
static void on_task(struct tl_session *s, void *part, pid_t tid,
		    enum tl_task_change change, uint64_t ns)
{
	struct tl_pairs *pairs = ((struct of_run *)part)->pairs;

	if (change == TL_TASK_NEW || change == TL_TASK_FORGOTTEN)
		while (tl_pairs_get(pairs, tid))
			tl_pairs_drop(pairs, tid);
}

static const struct tl_part_ops of_threads_ops = { .lost = on_lost,
						   .task = on_task,
						   .free = free_of_run };

static struct tl_pairs *open_with(struct tl_session *s,
				  const struct tl_part_ops *ops, size_t size,
				  unsigned int max, void (*drop)(void *data))
{
	struct tl_pairs *pairs = tl_pairs_new(size, max, drop);
	struct of_run *of;

	if (!pairs)
		return NULL;
	of = tl_part_new(s, ops, sizeof(*of));
	if (of)
		of->pairs = pairs;
	else
		tl_pairs_free(pairs);
	return of ? pairs : NULL;
}

struct tl_pairs *tl_pairs_open(struct tl_session *s, size_t size,
			       unsigned int max, void (*drop)(void *data))
{
	return open_with(s, &of_run_ops, size, max, drop);
}

struct tl_pairs *tl_pairs_open_threads(struct tl_session *s, size_t size,
				       unsigned int max,
				       void (*drop)(void *data))
{
	return open_with(s, &of_threads_ops, size, max, drop);
}
