// SPDX-License-Identifier: GPL-2.0-or-later
/* group.c - things of a tool's own, by a text, in its order */
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
	struct group *group = calloc(1, sizeof(*group) + g->size + key.len + 1);
	char *text;

	if (!group)
		return NULL;
	text = (char *)group->data + g->size;
	memcpy(text, key.text, key.len);
	group->key = (struct tl_str){ text, key.len };
	if (tsearch(group, &g->tree, compare))
		return group;
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
	return g->last ? g->last->data : NULL;
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
