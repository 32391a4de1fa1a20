// SPDX-License-Identifier: GPL-2.0-or-later
/* groups.c - things of a tool's own, by a text, in its order */
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "tracelet.h"

struct group {
	struct tl_str key; /* its text stands behind the data */
	max_align_t data[];
};

struct tl_groups {
	size_t size;
	void (*drop)(void *data);
	void *tree;
	size_t count, max; /* max 0: none */
	uint64_t refused;
	struct group *last; /* that was asked for */
};

struct tl_groups *tl_groups_new(size_t size, void (*drop)(void *data))
{
	struct tl_groups *g = calloc(1, sizeof(*g));

	if (!g)
		return NULL;
	g->size = size;
	g->drop = drop;
	return g;
}

void tl_groups_limit(struct tl_groups *g, size_t max)
{
	g->max = max;
}

uint64_t tl_groups_refused(const struct tl_groups *g)
{
	return g->refused;
}

static void free_group(struct tl_groups *g, struct group *group)
{
	if (g->drop)
		g->drop(group->data);
	free(group);
}

static int compare(const void *a, const void *b)
{
	const struct tl_str *x = &((const struct group *)a)->key;
	const struct tl_str *y = &((const struct group *)b)->key;
	size_t len = x->len < y->len ? x->len : y->len;

	return memcmp(x->text, y->text, len)
		       ?: (x->len > y->len) - (x->len < y->len);
}

void tl_groups_free(struct tl_groups *g)
{
	struct group *group;

	while (g && g->tree) {
		group = *(struct group **)g->tree;
		tdelete(group, &g->tree, compare);
		free_group(g, group);
	}
	free(g);
}

static struct group *add(struct tl_groups *g, struct tl_str key)
{
	struct group *group = NULL;
	char *text;

	if (!g->max || g->count < g->max)
		group = calloc(1, sizeof(*group) + g->size + key.len + 1);
	if (!group)
		return NULL;
	text = (char *)group->data + g->size;
	memcpy(text, key.text, key.len);
	group->key = (struct tl_str){ text, key.len };
	if (tsearch(group, &g->tree, compare)) {
		g->count++;
		return group;
	}
	free(group);
	return NULL;
}

void *tl_groups_get(struct tl_groups *g, struct tl_str key)
{
	struct group wanted = { .key = key }, **found;

	/* the same is often asked for again */
	if (g->last && !compare(&wanted, g->last))
		return g->last->data;
	found = tfind(&wanted, &g->tree, compare);
	g->last = found ? *found : add(g, key);
	if (g->last)
		return g->last->data;
	g->refused++;
	return NULL;
}

struct walk {
	void (*fn)(void *ctx, struct tl_str key, void *data);
	void *ctx;
};

static void visit(const void *node, VISIT order, void *closure)
{
	struct group *group = *(struct group *const *)node;
	const struct walk *walk = closure;

	if (order == postorder || order == leaf)
		walk->fn(walk->ctx, group->key, group->data);
}

void tl_groups_each(struct tl_groups *g,
		    void (*fn)(void *ctx, struct tl_str key, void *data),
		    void *ctx)
{
	struct walk walk = { fn, ctx };

	twalk_r(g->tree, visit, &walk);
}

/*
 * ---- in another order -----------------------------------------------------
 */

struct sorted {
	int (*order)(const void *a, const void *b);
	struct group **list;
	size_t count;
};

static void collect(const void *node, VISIT order, void *closure)
{
	struct sorted *sorted = closure;

	if (order == postorder || order == leaf)
		sorted->list[sorted->count++] = *(struct group *const *)node;
}

static int by_content(const void *a, const void *b, void *closure)
{
	const struct group *x = *(struct group *const *)a;
	const struct group *y = *(struct group *const *)b;
	const struct sorted *sorted = closure;

	return sorted->order(x->data, y->data) ?: compare(x, y);
}

int tl_groups_sorted(struct tl_groups *g,
		     int (*order)(const void *a, const void *b),
		     void (*fn)(void *ctx, struct tl_str key, void *data),
		     void *ctx)
{
	struct sorted sorted = { order, NULL, 0 };
	size_t i;

	sorted.list = calloc(g->count + 1, sizeof(struct group *));
	if (!sorted.list)
		return -ENOMEM;
	twalk_r(g->tree, collect, &sorted);
	qsort_r(sorted.list, sorted.count, sizeof(struct group *), by_content,
		&sorted);
	for (i = 0; i < sorted.count; i++)
		fn(ctx, sorted.list[i]->key, sorted.list[i]->data);
	free(sorted.list);
	return 0;
}
