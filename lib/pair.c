// SPDX-License-Identifier: GPL-2.0-or-later
/* pair.c - what the start of an action leaves for its end */
#include <errno.h>
#include <stdlib.h>

#include "tracelet.h"

struct entry {
	struct entry *next; /* in its bucket */
	struct entry *older, *newer;
	int64_t key;
	max_align_t data[];
};

struct tl_pairs {
	size_t size;
	unsigned int count, max;
	unsigned int buckets; /* a power of two */
	void (*drop)(void *data);
	struct entry *oldest, *newest;
	struct entry *bucket[];
};

struct tl_pairs *tl_pairs_new(size_t size, unsigned int max,
			      void (*drop)(void *data))
{
	unsigned int buckets = 64;
	struct tl_pairs *p;

	while (buckets < max && buckets < 4096)
		buckets *= 2;
	p = calloc(1, sizeof(*p) + buckets * sizeof(p->bucket[0]));
	if (!p)
		return NULL;
	p->size = size;
	p->max = max;
	p->buckets = buckets;
	p->drop = drop;
	return p;
}

static struct entry **slot(struct tl_pairs *p, int64_t key)
{
	struct entry **e = &p->bucket[(uint64_t)key % p->buckets];

	while (*e && (*e)->key != key)
		e = &(*e)->next;
	return e;
}

void *tl_pairs_get(struct tl_pairs *p, int64_t key)
{
	struct entry *e = *slot(p, key);

	return e ? e->data : NULL;
}

void tl_pairs_drop(struct tl_pairs *p, int64_t key)
{
	struct entry **at = slot(p, key), *e = *at;

	if (!e)
		return;
	*at = e->next;
	*(e->older ? &e->older->newer : &p->oldest) = e->newer;
	*(e->newer ? &e->newer->older : &p->newest) = e->older;
	if (p->drop)
		p->drop(e->data);
	free(e);
	p->count--;
}

void *tl_pairs_put(struct tl_pairs *p, int64_t key)
{
	struct entry *e, **at;

	tl_pairs_drop(p, key);
	if (p->count >= p->max)
		tl_pairs_drop(p, p->oldest->key);
	e = calloc(1, sizeof(*e) + p->size);
	if (!e)
		return NULL;
	e->key = key;
	at = slot(p, key);
	*at = e;
	e->older = p->newest;
	*(e->older ? &e->older->newer : &p->oldest) = e;
	p->newest = e;
	p->count++;
	return e->data;
}

void tl_pairs_clear(struct tl_pairs *p)
{
	while (p->oldest)
		tl_pairs_drop(p, p->oldest->key);
}

void tl_pairs_free(struct tl_pairs *p)
{
	if (!p)
		return;
	tl_pairs_clear(p);
	free(p);
}
