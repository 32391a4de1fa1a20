/* SPDX-License-Identifier: GPL-2.0-or-later */
/* suggest.h - names that are near one that does not exist */
#ifndef TL_OPTION_SUGGEST_H
#define TL_OPTION_SUGGEST_H

#include <stdbool.h>
#include <stddef.h>

#define TL_SUGGEST_MAX 8 /* more than so many are no help */

/**
 * tl_suggest_distance - letters to insert, remove or replace to make @b of @a
 *
 * When only an end of @b is missing in @a, a third of its letters.
 */
size_t tl_suggest_distance(const char *a, const char *b);

/**
 * The names that are nearest to @name, of those that were tried: of those as near
 * the ones that begin as it does for longest.
 */
struct tl_suggestions {
	const char *name;
	unsigned int count, distance;
	size_t same; /* so many first letters */
	char found[TL_SUGGEST_MAX][64];
};

/** tl_suggest_try - @ctx is a struct tl_suggestions; returns 0 */
int tl_suggest_try(void *ctx, const char *name);
/** tl_suggest_report - print "did you mean ...?"; false when nothing is near */
bool tl_suggest_report(const struct tl_suggestions *n);

#endif
