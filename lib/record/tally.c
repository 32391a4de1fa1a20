// SPDX-License-Identifier: GPL-2.0-or-later
/* tally.c - how often each number came */
#include "record/tally.h"

#include <stdlib.h>
#include <string.h>

/* A table with open addressing, at most half full; count 0: an empty cell. */
struct cell {
	uint64_t key, count;
};

#define FIRST_BITS 8

struct tl_tally {
	struct cell *cells;
	unsigned int shift; /* 64 - bits of the table's size */
	size_t used, size;
	uint64_t refused;
};

struct tl_tally *tl_tally_new(void)
{
	struct tl_tally *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->size = (size_t)1 << FIRST_BITS;
	t->shift = 64 - FIRST_BITS;
	t->cells = calloc(t->size, sizeof(*t->cells));
	if (t->cells)
		return t;
	free(t);
	return NULL;
}

void tl_tally_free(struct tl_tally *t)
{
	if (!t)
		return;
	free(t->cells);
	free(t);
}

void tl_tally_clear(struct tl_tally *t)
{
	memset(t->cells, 0, t->size * sizeof(*t->cells));
	t->used = 0;
	t->refused = 0;
}

uint64_t tl_tally_refused(const struct tl_tally *t)
{
	return t->refused;
}

/* Addresses differ in their middle bits: a multiplication brings them up. */
static inline size_t place(const struct tl_tally *t, uint64_t key)
{
	return (size_t)(key * 0x9e3779b97f4a7c15 >> t->shift);
}

/* The cell of @key, or the empty one where it belongs. */
static inline struct cell *find(const struct tl_tally *t, uint64_t key)
{
	size_t i = place(t, key);

	while (t->cells[i].count && t->cells[i].key != key)
		i = (i + 1) & (t->size - 1);
	return &t->cells[i];
}

static bool grow(struct tl_tally *t)
{
	struct cell *old = t->cells, *end = old + t->size, *c;
	struct cell *cells = calloc(t->size * 2, sizeof(*cells));

	if (!cells)
		return false;
	t->cells = cells;
	t->size *= 2;
	t->shift--;
	for (c = old; c < end; c++)
		if (c->count)
			*find(t, c->key) = *c;
	free(old);
	return true;
}

__attribute__((noinline)) static void add_other(struct tl_tally *t,
						uint64_t key, uint64_t times)
{
	struct cell *c = find(t, key);

	if (!c->count) {
		if (t->used >= t->size / 2 && !grow(t)) {
			t->refused += times;
			return;
		}
		c = find(t, key);
		c->key = key;
		t->used++;
	}
	c->count += times;
}

static inline void add(struct tl_tally *t, uint64_t key, uint64_t times)
{
	struct cell *c = &t->cells[place(t, key)];

	if (__builtin_expect(c->key == key && c->count, 1))
		c->count += times;
	else if (times)
		add_other(t, key, times);
}

void tl_tally_add(struct tl_tally *t, uint64_t key, uint64_t times)
{
	add(t, key, times);
}

uint64_t tl_tally_count(const struct tl_tally *t, uint64_t key)
{
	return find(t, key)->count;
}

void tl_tally_each(const struct tl_tally *t,
		   void (*fn)(void *ctx, uint64_t key, uint64_t count),
		   void *ctx)
{
	const struct cell *c;

	for (c = t->cells; c < t->cells + t->size; c++)
		if (c->count)
			fn(ctx, c->key, c->count);
}

/* ---- from a sub-buffer ------------------------------------------------ */

static inline void count(const struct tl_tallied *what, const char *data)
{
	const struct tl_record r = { .data = data };
	int32_t pid;

	memcpy(&pid, data + what->pid.offset, sizeof(pid));
	if (pid != what->self)
		add(what->tally, (uint64_t)tl_field_long(&r, &what->by), 1);
}

/*
 * Function tracers fill a buffer with millions of records that differ in two
 * fields: what can be known once for all of them is not looked at for each.
 */
uint64_t tl_tally_run(const struct tl_tallied *what, struct tl_page *page,
		      const struct tl_record *r, uint64_t until)
{
	const unsigned int words = r->size / 4;
	const ptrdiff_t step = (ptrdiff_t)r->size + 4;
	const char *at = page->at, *const first = at;
	uint64_t ns = page->ns, next;
	uint32_t header;
	uint16_t id;

	count(what, r->data);
	/* a longer one has its length elsewhere */
	while (words <= TL_PAGE_DATA_MAX && page->end - at >= step) {
		memcpy(&header, at, sizeof(header));
		memcpy(&id, at + 4, sizeof(id));
		next = ns + tl_page_delta(header);
		if (tl_page_type(header) != words || id != what->id ||
		    next > until)
			break;
		count(what, at + 4);
		ns = next;
		at += step;
	}
	page->at = at;
	page->ns = ns;
	return 1 + (uint64_t)((at - first) / step);
}
