// SPDX-License-Identifier: GPL-2.0-or-later
/* suggest.c - names that are near one that does not exist */
#include "option/suggest.h"

#include <string.h>

#include "base/buf.h"
#include "tracelet/message.h"

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static size_t common_prefix(const char *a, const char *b)
{
	size_t len = 0;

	while (a[len] && a[len] == b[len])
		len++;
	return len;
}

/*
 * What is typed as far as it is remembered: the rest counts less than typos do.
 */
static size_t missing_end(const char *name, const char *full)
{
	size_t len = strlen(name), rest = strlen(full) - len;

	return len < 4 ? rest : (rest + 2) / 3;
}

size_t tl_suggest_distance(const char *a, const char *b)
{
	size_t row[128], len = least(strlen(b), 127), i, j, corner, above;

	if (!a[common_prefix(a, b)])
		return missing_end(a, b);
	for (j = 0; j <= len; j++)
		row[j] = j;
	for (i = 0; a[i]; i++) {
		corner = row[0]++;
		for (j = 0; j < len; j++) {
			above = row[j + 1];
			row[j + 1] = least(least(above, row[j]) + 1,
					   corner + (a[i] != b[j]));
			corner = above;
		}
	}
	return row[len];
}

/* A third of the letters may be wrong, and one in a short name. */
static unsigned int farthest(const char *name)
{
	size_t len = strlen(name);

	return len < 3 ? 1 : (len + 2) / 3;
}

int tl_suggest_try(void *ctx, const char *name)
{
	struct tl_suggestions *n = ctx;
	size_t len = strlen(name), own = strlen(n->name), distance, same;
	unsigned int i, limit = n->count ? n->distance : farthest(n->name);

	if (len > own + 3 * (size_t)limit || own > len + limit ||
	    len >= sizeof(n->found[0]))
		return 0;
	distance = tl_suggest_distance(n->name, name);
	same = common_prefix(n->name, name);
	if (distance > limit || !len ||
	    (n->count && distance == n->distance && same < n->same))
		return 0;
	if (distance < n->distance || same > n->same)
		n->count = 0;
	for (i = 0; i < n->count; i++)
		if (!strcmp(n->found[i], name))
			return 0;
	if (n->count < TL_SUGGEST_MAX)
		memcpy(n->found[n->count++], name, len + 1);
	n->distance = distance;
	n->same = same;
	return 0;
}

bool tl_suggest_report(const struct tl_suggestions *n)
{
	struct tl_buf list = { 0 };
	unsigned int i;

	for (i = 0; i < n->count; i++)
		tl_buf_printf(&list, "%s%s",
			      !i                 ? ""
			      : i + 1 < n->count ? ", "
						 : " or ",
			      n->found[i]);
	if (n->count)
		tl_warn("did you mean %.*s?", (int)list.len, list.data ?: "");
	tl_buf_free(&list);
	return n->count;
}
