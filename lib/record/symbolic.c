// SPDX-License-Identifier: GPL-2.0-or-later
/* symbolic.c - names that an event has for the values of a field */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/part.h"
#include "record/event.h"
#include "tracelet/symbolic.h"

struct tl_symbolic {
	struct tl_part part;
	size_t count;
	struct symbol {
		int64_t value;
		char *name; /* in @text */
	} * list;           /* by value */
	char *text;         /* of the format file */
};

static void free_symbolic(void *part)
{
	struct tl_symbolic *n = part;

	free(n->list);
	free(n->text);
	free(n);
}

static const struct tl_part_ops symbolic_ops = { .free = free_symbolic };

/* ---- "__print_symbolic(REC->reason, { 2, "NOT_SPECIFIED" }, ...)" ------ */

/* The first of the list for @field; NULL: there is none. */
static char *find_list(char *text, const char *field)
{
	static const char before[] = "__print_symbolic(REC->";
	const size_t len = strlen(field);
	char *at = text;

	while ((at = strstr(at, before))) {
		at += strlen(before);
		if (!strncmp(at, field, len) && at[len] == ',')
			return at + len;
	}
	return NULL;
}

/* Takes ", { NUMBER, "NAME" }" from *@at on; false: the list ends. */
static bool take_symbol(char **at, struct symbol *to)
{
	char *p = *at + strspn(*at, ", "), *end;

	if (*p++ != '{')
		return false;
	to->value = strtoll(p, &end, 0);
	to->name = strchr(end, '"');
	if (end == p || !to->name)
		return false;
	end = strchr(++to->name, '"');
	p = end ? strchr(end, '}') : NULL;
	if (!p)
		return false;
	*end = '\0';
	*at = p + 1;
	return true;
}

static int by_value(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

static int read_list(struct tl_symbolic *n, const char *field)
{
	char *at = find_list(n->text, field), *brace;
	size_t max = 0;

	if (!at)
		return -ENOENT;
	for (brace = at; (brace = strchr(brace, '{')); brace++)
		max++;
	n->list = calloc(max + 1, sizeof(*n->list));
	if (!n->list)
		return -ENOMEM;
	while (n->count < max && take_symbol(&at, &n->list[n->count]))
		n->count++;
	qsort(n->list, n->count, sizeof(*n->list), by_value);
	return n->count ? 0 : -ENOENT;
}

const struct tl_symbolic *tl_symbolic_read(struct tl_session *s,
					   const char *system, const char *name,
					   const char *field)
{
	char *text = tl_event_format(s, system, name);
	struct tl_symbolic *n;
	int ret;

	if (!text)
		return NULL;
	n = tl_part_new(s, &symbolic_ops, sizeof(*n));
	if (!n) {
		free(text);
		errno = ENOMEM;
		return NULL;
	}
	n->text = text;
	ret = read_list(n, field);
	errno = -ret;
	return ret ? NULL : n;
}

/* ---- both ways -------------------------------------------------------- */

const char *tl_symbolic_name(const struct tl_symbolic *names, int64_t value)
{
	const struct symbol key = { value, NULL }, *found;

	if (!names)
		return NULL;
	found = bsearch(&key, names->list, names->count, sizeof(key), by_value);
	return found ? found->name : NULL;
}

int tl_symbolic_value(const struct tl_symbolic *names, const char *name,
		      int64_t *value)
{
	size_t i;

	for (i = 0; i < names->count; i++)
		if (!strcmp(names->list[i].name, name)) {
			*value = names->list[i].value;
			return 0;
		}
	return -ENOENT;
}
