// SPDX-License-Identifier: GPL-2.0-or-later
/* names.c - interrupts and softirqs, one for each name */
#include "irq/names.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracelet/message.h"
#include "tracelet/table.h"

#define MAX 4096

struct key {
	int soft, number;
	char name[TL_IRQ_NAME];
};

struct tl_irq_names {
	const char *only;
	struct tl_table *table; /* of struct tl_irq, by struct key */
	unsigned int count;
	const struct tl_irq *by_id[MAX + 1];
};

struct tl_irq_names *tl_irq_names_new(const char *only)
{
	static const struct key others = { .number = -1, .name = "[others]" };
	struct tl_irq_names *n = calloc(1, sizeof(*n));

	if (!n)
		return NULL;
	n->only = only;
	n->table = tl_table_bounded(sizeof(struct tl_irq), NULL, MAX,
				    TL_KEY(others));
	if (n->table)
		return n;
	free(n);
	return NULL;
}

void tl_irq_names_free(struct tl_irq_names *n)
{
	if (n)
		tl_table_free(n->table);
	free(n);
}

const char *tl_irq_pattern(const char *list, char pattern[TL_IRQ_NAME])
{
	size_t len = strcspn(list, ",");

	snprintf(pattern, TL_IRQ_NAME, "%.*s", (int)len, list);
	return list + len + (list[len] == ',');
}

bool tl_irq_matches(const char *pattern, int number, const char *name)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", number);
	return !fnmatch(pattern, name, 0) ||
	       (number >= 0 && !strcmp(pattern, text));
}

int tl_irq_only_check(const char *only)
{
	const char *rest = only;
	size_t len;

	while (rest) {
		len = strcspn(rest, ",");
		if (!len || len >= TL_IRQ_NAME)
			return tl_usage("-i: %s is no list of names and "
					"numbers, with commas between",
					only);
		rest = rest[len] ? rest + len + 1 : NULL;
	}
	return 0;
}

static bool is_one_of(const char *list, const struct tl_irq *irq)
{
	char pattern[TL_IRQ_NAME];
	bool found = false;

	while (*list && !found) {
		list = tl_irq_pattern(list, pattern);
		found = tl_irq_matches(pattern, irq->number, irq->name);
	}
	return found;
}

static void fill_in(struct tl_irq_names *n, struct tl_irq *irq,
		    const struct key *key)
{
	irq->id = n->count;
	irq->soft = key->soft;
	irq->number = key->number;
	memcpy(irq->name, key->name, sizeof(irq->name));
	irq->asked = !n->only || is_one_of(n->only, irq);
	n->by_id[n->count++] = irq;
}

const struct tl_irq *tl_irq_names_of(struct tl_irq_names *n, bool soft,
				     int number, struct tl_str name)
{
	struct key key = { .soft = soft, .number = number };
	struct tl_irq *irq;

	if (!name.len)
		name = (struct tl_str){ "?", 1 };
	memcpy(key.name, name.text,
	       name.len < TL_IRQ_NAME ? name.len : TL_IRQ_NAME - 1);
	irq = tl_table_at(n->table, TL_KEY(key));
	if (!*irq->name) {
		if (n->count == MAX)
			key = (struct key){ .number = -1, .name = "[others]" };
		fill_in(n, irq, &key);
	}
	return irq;
}

const struct tl_irq *tl_irq_names_at(const struct tl_irq_names *n,
				     unsigned int id)
{
	return id < n->count ? n->by_id[id] : NULL;
}
