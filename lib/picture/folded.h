/* SPDX-License-Identifier: GPL-2.0-or-later */
/* folded.h - a line of folded stacks, taken apart */
#ifndef TL_PICTURE_FOLDED_H
#define TL_PICTURE_FOLDED_H

#include <stddef.h>
#include <stdint.h>

#include "tracelet/folded.h"
#include "tracelet/text.h"

/** Parts of a unit that counts with a fraction are counted in. */
#define TL_FOLDED_PARTS 1000

/** A line; begins as zeroes, is used for many, and ends with free(frames). */
struct tl_folded_line {
	struct tl_str *frames; /* the outermost first */
	unsigned int depth, size;
	uint64_t whole;     /* of the count */
	unsigned int parts; /* of it, below TL_FOLDED_PARTS */
};

/**
 * tl_folded_take - take @text apart, in place: frames point into it
 * @why: set where it is no stack, to what it lacks
 *
 * Returns 1; 0 when there is nothing in it; -EINVAL when it is no stack; -ENOMEM.
 */
int tl_folded_take(struct tl_folded_line *l, char *text, size_t len,
		   const char **why);

#endif
