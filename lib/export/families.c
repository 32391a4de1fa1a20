// SPDX-License-Identifier: GPL-2.0-or-later
/* families.c - what several programs count, as one answer */
#include "export/families.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"

#define HELP "# HELP "

/* Of one metric in one text: its lines, help and type first. */
struct block {
	struct block *next; /* of the same name */
	struct tl_str text;
	size_t head; /* bytes of help and type */
};

struct family {
	struct tl_str name;
	struct block first, *last;
};

struct tl_families {
	struct family **list;
	size_t count, room; /* as of tl_list_room() */
	void *tree;         /* of the same, by name */
};

static int compare(const void *a, const void *b)
{
	const struct tl_str *x = &((const struct family *)a)->name;
	const struct tl_str *y = &((const struct family *)b)->name;
	const size_t len = x->len < y->len ? x->len : y->len;

	return memcmp(x->text, y->text, len)
		       ?: (x->len > y->len) - (x->len < y->len);
}

static void forget(void *node)
{
}

struct tl_families *tl_families_new(void)
{
	return calloc(1, sizeof(struct tl_families));
}

static void free_blocks(struct block *b)
{
	struct block *next;

	for (; b; b = next) {
		next = b->next;
		free(b);
	}
}

void tl_families_free(struct tl_families *f)
{
	size_t i;

	if (!f)
		return;
	for (i = 0; i < f->count; i++) {
		free_blocks(f->list[i]->first.next);
		free(f->list[i]);
	}
	tdestroy(f->tree, forget);
	free(f->list);
	free(f);
}

static const char *line_end(const char *p, const char *end)
{
	const char *newline = memchr(p, '\n', (size_t)(end - p));

	return newline ? newline + 1 : end;
}

static bool is_head(const char *p, const char *end)
{
	return end - p >= (ptrdiff_t)strlen(HELP) &&
	       !memcmp(p, HELP, strlen(HELP));
}

static int add_family(struct tl_families *f, struct tl_str name,
		      const struct block *b)
{
	struct family *new = calloc(1, sizeof(*new)), **list;

	list = tl_list_room(f->list, f->count, &f->room, sizeof(*list));
	if (list)
		f->list = list;
	if (!new || !list) {
		free(new);
		return -ENOMEM;
	}
	new->name = name;
	new->first = *b;
	new->last = &new->first;
	if (!tsearch(new, &f->tree, compare)) {
		free(new);
		return -ENOMEM;
	}
	list[f->count++] = new;
	return 0;
}

static int add_block(struct tl_families *f, struct tl_str name,
		     const struct block *b)
{
	const struct family key = { .name = name };
	struct family **found = tfind(&key, &f->tree, compare);
	struct block *more;

	if (!found)
		return add_family(f, name, b);
	more = malloc(sizeof(*more));
	if (!more)
		return -ENOMEM;
	*more = *b;
	(*found)->last->next = more;
	(*found)->last = more;
	return 0;
}

/* From the line of help at @p to the next one's; its end. */
static const char *take_block(const char *p, const char *end, struct block *b,
			      struct tl_str *name)
{
	const char *begin = p, *word = p + strlen(HELP);

	name->text = word;
	name->len = strcspn(word, " \n");
	for (p = line_end(p, end); p < end && *p == '#' && !is_head(p, end);)
		p = line_end(p, end);
	b->head = (size_t)(p - begin);
	while (p < end && !is_head(p, end))
		p = line_end(p, end);
	b->text = (struct tl_str){ begin, (size_t)(p - begin) };
	return p;
}

int tl_families_add(struct tl_families *f, struct tl_str text)
{
	const char *p = text.text, *end = p + text.len;
	struct tl_str name;
	int ret = 0;

	while (p < end && !is_head(p, end))
		p = line_end(p, end);
	while (p < end && !ret) {
		struct block b = { 0 };

		p = take_block(p, end, &b, &name);
		ret = add_block(f, name, &b);
	}
	return ret;
}

void tl_families_print(const struct tl_families *f, struct tl_buf *b)
{
	const struct block *block;
	size_t i;

	for (i = 0; i < f->count; i++) {
		block = &f->list[i]->first;
		tl_buf_add(b, block->text.text, block->text.len);
		for (block = block->next; block; block = block->next)
			tl_buf_add(b, block->text.text + block->head,
				   block->text.len - block->head);
	}
}
