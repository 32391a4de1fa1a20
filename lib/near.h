/* SPDX-License-Identifier: GPL-2.0-or-later */
/* near.h - names that are near one that does not exist */
#ifndef TL_NEAR_H
#define TL_NEAR_H

#include <stdbool.h>
#include <stddef.h>

#define TL_NEAR_MAX 8 /* more than so many are no help */

/** tl_near_distance - letters to insert, remove or replace to make one of the other */
size_t tl_near_distance(const char *a, const char *b);

/** The names that are nearest to @name, of those that were tried. */
struct tl_nearest {
	const char *name;
	unsigned int count, distance;
	char found[TL_NEAR_MAX][64];
};

/** tl_nearest_try - @ctx is a struct tl_nearest; returns 0 */
int tl_nearest_try(void *ctx, const char *name);
/** tl_nearest_say - print "did you mean ...?"; false when nothing is near */
bool tl_nearest_say(const struct tl_nearest *n);

#endif
