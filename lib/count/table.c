// SPDX-License-Identifier: GPL-2.0-or-later
/* table.c - values of a tool's own, by a key */
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "tracelet.h"

struct item {
	struct tl_str key; /* its text stands behind the value */
	max_align_t value[];
};

struct tl_table {
	size_t size;
	void (*drop)(void *value);
	void *tree;
	size_t count, max; /* max 0: none */
	uint64_t refused;
	struct item *last; /* that was asked for */
};

struct tl_table *tl_table_new(size_t size, void (*drop)(void *value))
{
	struct tl_table *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->size = size;
	t->drop = drop;
	return t;
}

void tl_table_limit(struct tl_table *t, size_t max)
{
	t->max = max;
}

uint64_t tl_table_refused(const struct tl_table *t)
{
	return t->refused;
}

static void free_item(struct tl_table *t, struct item *item)
{
	if (t->drop)
		t->drop(item->value);
	free(item);
}

static int compare(const void *a, const void *b)
{
	const struct tl_str *x = &((const struct item *)a)->key;
	const struct tl_str *y = &((const struct item *)b)->key;
	size_t len = x->len < y->len ? x->len : y->len;

	return memcmp(x->text, y->text, len)
		       ?: (x->len > y->len) - (x->len < y->len);
}

void tl_table_free(struct tl_table *t)
{
	struct item *item;

	while (t && t->tree) {
		item = *(struct item **)t->tree;
		tdelete(item, &t->tree, compare);
		free_item(t, item);
	}
	free(t);
}

static struct item *add(struct tl_table *t, struct tl_str key)
{
	struct item *item = NULL;
	char *text;

	if (!t->max || t->count < t->max)
		item = calloc(1, sizeof(*item) + t->size + key.len + 1);
	if (!item)
		return NULL;
	text = (char *)item->value + t->size;
	memcpy(text, key.text, key.len);
	item->key = (struct tl_str){ text, key.len };
	if (tsearch(item, &t->tree, compare)) {
		t->count++;
		return item;
	}
	free(item);
	return NULL;
}

void *tl_table_at(struct tl_table *t, struct tl_str key)
{
	struct item wanted = { .key = key }, **found;

	/* the same is often asked for again */
	if (t->last && !compare(&wanted, t->last))
		return t->last->value;
	found = tfind(&wanted, &t->tree, compare);
	t->last = found ? *found : add(t, key);
	if (t->last)
		return t->last->value;
	t->refused++;
	return NULL;
}

struct walk {
	void (*fn)(void *ctx, struct tl_str key, void *value);
	void *ctx;
};

static void visit(const void *node, VISIT order, void *closure)
{
	struct item *item = *(struct item *const *)node;
	const struct walk *walk = closure;

	if (order == postorder || order == leaf)
		walk->fn(walk->ctx, item->key, item->value);
}

void tl_table_each(struct tl_table *t,
		   void (*fn)(void *ctx, struct tl_str key, void *value),
		   void *ctx)
{
	struct walk walk = { fn, ctx };

	twalk_r(t->tree, visit, &walk);
}

/*
 * ---- in another order -----------------------------------------------------
 */

struct sorted {
	int (*order)(const void *a, const void *b);
	struct item **list;
	size_t count;
};

static void collect(const void *node, VISIT order, void *closure)
{
	struct sorted *sorted = closure;

	if (order == postorder || order == leaf)
		sorted->list[sorted->count++] = *(struct item *const *)node;
}

static int by_content(const void *a, const void *b, void *closure)
{
	const struct item *x = *(struct item *const *)a;
	const struct item *y = *(struct item *const *)b;
	const struct sorted *sorted = closure;

	return sorted->order(x->value, y->value) ?: compare(x, y);
}

int tl_table_sorted(struct tl_table *t,
		    int (*order)(const void *a, const void *b),
		    void (*fn)(void *ctx, struct tl_str key, void *value),
		    void *ctx)
{
	struct sorted sorted = { order, NULL, 0 };
	size_t i;

	sorted.list = calloc(t->count + 1, sizeof(struct item *));
	if (!sorted.list)
		return -ENOMEM;
	twalk_r(t->tree, collect, &sorted);
	qsort_r(sorted.list, sorted.count, sizeof(struct item *), by_content,
		&sorted);
	for (i = 0; i < sorted.count; i++)
		fn(ctx, sorted.list[i]->key, sorted.list[i]->value);
	free(sorted.list);
	return 0;
}
