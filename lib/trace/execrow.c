// SPDX-License-Identifier: GPL-2.0-or-later
/* execrow.c - the arguments of exec() in a row */
#include <stdlib.h>
#include <string.h>

#include "base/part.h"
#include "trace/execargs.h"
#include "tracelet/output.h"

/* The arguments of the last row. */
struct shown {
	struct tl_part part;
	struct tl_named *list;
};

static void free_shown(void *part)
{
	struct shown *shown = part;

	free(shown->list);
	free(shown);
}

static const struct tl_part_ops shown_ops = { .free = free_shown };

/* Zeroes are arguments that are not known. */
static struct tl_named *list_of(struct tl_session *s, unsigned int count)
{
	struct shown *shown = tl_part_get(s, &shown_ops, sizeof(*shown));

	if (!shown)
		return NULL;
	free(shown->list);
	shown->list = count ? calloc(count, sizeof(*shown->list)) : NULL;
	return shown->list;
}

static unsigned int list_args(struct tl_named *list, unsigned int max,
			      struct tl_str text)
{
	const char *p = text.text, *end = p + text.len;
	unsigned int n;
	size_t len;

	for (n = 0; n < max && p < end; n++, p += len + 1) {
		len = strnlen(p, (size_t)(end - p));
		list[n].value = (struct tl_value){ .type = TL_STR,
						   .known = true,
						   .more = p + len == end,
						   .str = { p, len } };
	}
	return n;
}

static unsigned int list_file(struct tl_named *list, unsigned int max,
			      struct tl_str file)
{
	list[0].value = (struct tl_value){ .type = TL_STR,
					   .known = file.len,
					   .str = file };
	if (max > 1)
		list[1].value = (struct tl_value){ .type = TL_STR };
	return max > 1 ? 2 : 1;
}

void tl_put_exec_args(struct tl_session *s, unsigned int col,
		      struct tl_exec_args *a, pid_t pid, unsigned int max,
		      struct tl_str file)
{
	struct tl_str text = tl_exec_args_text(a);
	unsigned int all, n;
	struct tl_named *list;

	if (text.len < a->size && tl_exec_args_read(s, a, pid))
		text = tl_exec_args_text(a);
	all = text.len ? (unsigned int)a->argc : 2;
	if (!max || max > all)
		max = all;
	list = list_of(s, max);
	if (!list)
		return;
	n = text.len ? list_args(list, max, text) : list_file(list, max, file);
	tl_put_list(s, col, list, n, n < all || list[n - 1].value.more);
}

bool tl_exec_args_match(const struct tl_exec_args *a, const struct tl_regex *re,
			struct tl_str file)
{
	/* its first argument has a NUL, or is cut short by the block's */
	const char *first = tl_exec_args_text(a).text;
	const char *base = memrchr(file.text, '/', file.len);

	base = base ? base + 1 : file.text;
	return tl_regex_match(re, base,
			      (size_t)(file.text + file.len - base)) ||
	       (first && tl_regex_match(re, first, strlen(first)));
}
