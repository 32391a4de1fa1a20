/* SPDX-License-Identifier: GPL-2.0-or-later */
/* folded.h - a line of folded stacks, taken apart */
#ifndef TL_PICTURE_FOLDED_H
#define TL_PICTURE_FOLDED_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tracelet/folded.h"
#include "tracelet/text.h"

/** Parts of a unit that counts with a fraction are counted in. */
#define TL_FOLDED_PARTS 1000

/** A line; begins as zeroes, is used for many, and ends with free(frames). */
struct tl_folded_line {
	char *stack; /* all that is in front of the count */
	size_t len;
	uint64_t whole;        /* of the count */
	unsigned int parts;    /* of it, below TL_FOLDED_PARTS */
	struct tl_str *frames; /* the outermost first */
	unsigned int depth, size;
};

/**
 * tl_folded_count - find stack and count in @text, which the line points into
 * @why: set where it is no stack, to what it lacks
 *
 * Changes nothing in @text.  Returns 1; 0 when there is nothing in it; -EINVAL when it
 * is no stack.
 */
int tl_folded_count(struct tl_folded_line *l, char *text, size_t len,
		    const char **why);

/**
 * tl_folded_split - behind a 1 of that, take the stack apart, in place
 *
 * Frames point into it; escapes are undone.  Returns 0 or -ENOMEM.
 */
int tl_folded_split(struct tl_folded_line *l);

/**
 * tl_folded_from - as tl_folded_read(), from an open file that @name is the name of
 */
int tl_folded_from(struct tl_flame *f, FILE *file, const char *name,
		   bool is_reversed, struct tl_folded *found);

#endif
