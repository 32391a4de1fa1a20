// SPDX-License-Identifier: GPL-2.0-or-later
/* symbolic.c - names that an event has for the values of a field */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/part.h"
#include "record/event.h"
#include "tracefs/file.h"
#include "tracefs/instance.h"
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

/* Takes @text; NULL and errno, which is as it was where @text is NULL. */
static struct tl_symbolic *new_symbolic(struct tl_session *s, char *text)
{
	struct tl_symbolic *n;

	if (!text)
		return NULL;
	n = tl_part_new(s, &symbolic_ops, sizeof(*n));
	if (n) {
		n->text = text;
		return n;
	}
	free(text);
	errno = ENOMEM;
	return NULL;
}

const struct tl_symbolic *tl_symbolic_read(struct tl_session *s,
					   const char *system, const char *name,
					   const char *field)
{
	struct tl_symbolic *n =
		new_symbolic(s, tl_event_format(s, system, name));
	int ret = n ? read_list(n, field) : -errno;

	errno = -ret;
	return ret ? NULL : n;
}

/* ---- a line of printk_formats: '0xffffffff8230d0db : "CPU_ON"' ---------- */

static bool take_text(char *line, struct symbol *to)
{
	char *end;

	to->value = (int64_t)strtoull(line, &end, 16);
	to->name = strchr(end, '"');
	end = strrchr(line, '"');
	if (!to->name || end == to->name)
		return false;
	*end = '\0';
	to->name++;
	return true;
}

static int read_texts(struct tl_symbolic *n)
{
	char *line, *rest = n->text;
	size_t room = 0;
	void *list;

	while ((line = strsep(&rest, "\n"))) {
		list = tl_list_room(n->list, n->count, &room, sizeof(*n->list));
		if (!list)
			return -ENOMEM;
		n->list = list;
		n->count += take_text(line, &n->list[n->count]);
	}
	qsort(n->list, n->count, sizeof(*n->list), by_value);
	return 0;
}

const struct tl_symbolic *tl_symbolic_texts(struct tl_session *s)
{
	struct tl_symbolic *n = new_symbolic(
		s, tl_fs_read(s->instance->root, "printk_formats", NULL));
	int ret = n ? read_texts(n) : -errno;

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
