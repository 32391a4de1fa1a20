/* SPDX-License-Identifier: GPL-2.0-or-later */
/* folded.h - flame graphs of folded stacks that somebody has written */
#ifndef TRACELET_FOLDED_H
#define TRACELET_FOLDED_H

#include <stdbool.h>
#include <stdint.h>

#include "tracelet/flame.h"

#pragma GCC visibility push(default)

struct tl_session;

/** What reading has found; begins as zeroes, and adds up over files. */
struct tl_folded {
	uint64_t stacks; /* lines that were some */
	uint64_t bad;    /* others, of which the first one was told */
	bool any;        /* a count was above 0 */
	bool annotated;  /* a name has "_[k]" or the like behind it */
};

/**
 * tl_folded_read - add the stacks of a file to a flame graph
 * @f:           from tl_flame_open()
 * @path:        "-" is standard input
 * @is_reversed: the innermost frame is the root's child
 *
 * A line is "outer;inner;innermost COUNT"; empty ones, and those that begin with
 * '#', are skipped.  The count stands behind the last blank and may have a fraction:
 * then all is counted in thousandths, to which it is rounded.  Where all
 * backslashes of a line are as tl_flame_folded() writes them, its "\x3b", "\\" and
 * other "\xNN" are what they stand for; "\n", "\t" and "\r" are left, as the
 * picture could not show these.
 *
 * A line that is no stack, or longer than 1 MiB, is counted, and the first one told;
 * so is a file in which all lines have two counts.  The mark that UTF-8 may begin with
 * is skipped.  Returns 0, or -errno after a message.
 */
int tl_folded_read(struct tl_flame *f, const char *path, bool is_reversed,
		   struct tl_folded *found);

#pragma GCC visibility pop

#endif
