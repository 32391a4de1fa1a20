// SPDX-License-Identifier: GPL-2.0-or-later
/* table.c - values of a tool's own, by a key, and how they are shown */
#include "count/table.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/session.h"
#include "tracelet/message.h"
#include "tracelet/session.h"

struct item {
	struct tl_table_entry e; /* its key stands behind the value */
	max_align_t value[];
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

/* A key is as well aligned as a value: it may be a struct. */
static struct item *new_item(const struct tl_table *t, struct tl_str key)
{
	const size_t align = _Alignof(max_align_t);
	size_t size = (t->size + align - 1) / align * align;
	struct item *item = calloc(1, sizeof(*item) + size + key.len + 1);
	char *text;

	if (!item)
		return NULL;
	text = (char *)item->value + size;
	memcpy(text, key.text, key.len);
	item->e = (struct tl_table_entry){ { text, key.len }, item->value };
	return item;
}

static void free_item(struct tl_table *t, struct item *item)
{
	if (t->drop)
		t->drop(item->value);
	free(item);
}

void tl_table_limit(struct tl_table *t, size_t max)
{
	t->max = max;
}

void tl_table_limit_bytes(struct tl_table *t, size_t max)
{
	t->max_bytes = max;
}

struct tl_table *tl_table_bounded(size_t size, void (*drop)(void *value),
				  size_t max, struct tl_str others)
{
	struct tl_table *t = tl_table_new(size, drop);

	if (!t)
		return NULL;
	t->max = max;
	t->others = new_item(t, others);
	if (t->others)
		return t;
	tl_table_free(t);
	return NULL;
}

struct tl_table *tl_table_named(size_t size, void (*drop)(void *value))
{
	static const char others[] = "[others]";

	return tl_table_bounded(size, drop, TL_NAMES_MAX,
				(struct tl_str){ others, strlen(others) });
}

uint64_t tl_table_refused(const struct tl_table *t)
{
	return t->refused;
}

/* Of items too, which begin with an entry. */
static int compare(const void *a, const void *b)
{
	const struct tl_str *x = &((const struct tl_table_entry *)a)->key;
	const struct tl_str *y = &((const struct tl_table_entry *)b)->key;
	size_t len = x->len < y->len ? x->len : y->len;

	return memcmp(x->text, y->text, len)
		       ?: (x->len > y->len) - (x->len < y->len);
}

static void drop_all(struct tl_table *t)
{
	struct item *item;

	while (t->tree) {
		item = *(struct item **)t->tree;
		tdelete(item, &t->tree, compare);
		free_item(t, item);
	}
	t->count = t->bytes = 0;
	t->last = NULL;
	t->who = NULL;
}

void tl_table_clear(struct tl_table *t)
{
	drop_all(t);
	t->refused = 0;
	if (!t->others)
		return;
	if (t->drop)
		t->drop(t->others->value);
	memset(t->others->value, 0, t->size);
}

void tl_table_free(struct tl_table *t)
{
	if (!t)
		return;
	drop_all(t);
	if (t->others)
		free_item(t, t->others);
	free(t);
}

static bool has_place(const struct tl_table *t, struct tl_str key)
{
	return (!t->max || t->count < t->max) &&
	       (!t->max_bytes || key.len <= t->max_bytes - t->bytes);
}

static struct item *add(struct tl_table *t, struct tl_str key)
{
	struct item *item = NULL;

	if (has_place(t, key))
		item = new_item(t, key);
	if (!item)
		return NULL;
	if (tsearch(item, &t->tree, compare)) {
		t->count++;
		t->bytes += key.len;
		return item;
	}
	free(item);
	return NULL;
}

void *tl_table_at(struct tl_table *t, struct tl_str key)
{
	struct item wanted = { .e.key = key }, **found;

	/* the same is often asked for again */
	if (t->last && !compare(&wanted, t->last))
		return t->last->value;
	found = tfind(&wanted, &t->tree, compare);
	t->last = found ? *found : add(t, key);
	if (t->last)
		return t->last->value;
	t->refused++;
	return t->others ? t->others->value : NULL;
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
		walk->fn(walk->ctx, item->e.key, item->value);
}

void tl_table_each(struct tl_table *t,
		   void (*fn)(void *ctx, struct tl_str key, void *value),
		   void *ctx)
{
	struct walk walk = { fn, ctx };

	twalk_r(t->tree, visit, &walk);
	if (t->refused && t->others)
		fn(ctx, t->others->e.key, t->others->value);
}

/* ---- output ----------------------------------------------------------- */

struct list {
	const struct tl_table_view *view;
	const struct tl_table_entry **entries;
	size_t count;
};

static void collect(const void *node, VISIT order, void *closure)
{
	struct list *list = closure;

	if (order == postorder || order == leaf)
		list->entries[list->count++] = &(*(struct item **)node)->e;
}

static int in_order(const void *a, const void *b, void *closure)
{
	const struct tl_table_entry *x = *(struct tl_table_entry *const *)a;
	const struct tl_table_entry *y = *(struct tl_table_entry *const *)b;
	const struct list *list = closure;

	return list->view->order(x, y) ?: compare(x, y);
}

int tl_table_by_count(const struct tl_table_entry *a,
		      const struct tl_table_entry *b)
{
	const uint64_t *x = a->value, *y = b->value;

	return (*x > *y) - (*x < *y);
}

int tl_counts_missed(uint64_t *missed)
{
	unsigned long long count = *missed;

	*missed = 0;
	return count ? tl_fail(ENOMEM, "%llu values were not counted: %s",
			       count, strerror(ENOMEM))
		     : 0;
}

static int say_refused(const struct tl_session *s,
		       const struct tl_table_view *view, uint64_t refused)
{
	tl_warn("%llu %s were not counted: too many %s",
		(unsigned long long)refused, view->counts, view->keys);
	return tl_settings(s)->strict ? -EOVERFLOW : 0;
}

/* For metrics: of what comes first more is told apart. */
static void put_most_first(struct tl_session *s, const struct list *list,
			   uint64_t ns)
{
	const bool last = list->view->most_last;
	size_t i;

	for (i = 0; i < list->count; i++)
		list->view->put(
			s, list->entries[last ? list->count - 1 - i : i], ns);
}

static void put(struct tl_session *s, const struct list *list, uint64_t ns)
{
	const struct tl_table_view *view = list->view;
	const bool some = view->top && view->top < list->count;
	size_t i = some && view->most_last ? list->count - view->top : 0;
	size_t end = some && !view->most_last ? view->top : list->count;

	if (s->set.metrics) {
		put_most_first(s, list, ns);
		return;
	}
	for (; i < end; i++)
		view->put(s, list->entries[i], ns);
}

int tl_table_show(struct tl_session *s, struct tl_table *t,
		  const struct tl_table_view *view, uint64_t ns)
{
	struct list list = { .view = view };
	uint64_t refused = t->refused;

	list.entries = calloc(t->count + 1, sizeof(*list.entries));
	if (!list.entries) {
		tl_table_clear(t);
		return tl_fail(ENOMEM, "counts cannot be shown: %s",
			       strerror(ENOMEM));
	}
	twalk_r(t->tree, collect, &list);
	if (t->refused && t->others)
		list.entries[list.count++] = &t->others->e;
	if (view->order)
		qsort_r(list.entries, list.count, sizeof(*list.entries),
			in_order, &list);
	put(s, &list, ns);
	free(list.entries);
	tl_table_clear(t);
	return refused && view->counts ? say_refused(s, view, refused) : 0;
}
