/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spool.h - a directory of captures, which others take away (-w DIRECTORY)
 *
 * A capture is in it when it is whole, as TOOL-HOST-TIME-PID.dat; until then it has no name,
 * and so is gone when its run is killed.  What is there is bounded: in number, in bytes, and
 * by what is free in the file system.  Only files with such names are counted and removed,
 * those of this user.
 *
 * Functions that return -errno do so without a message, for tl_spool_fail().
 */
#ifndef TL_CAPTURE_SPOOL_H
#define TL_CAPTURE_SPOOL_H

#include <stdbool.h>
#include <stdint.h>

struct tl_spool;

/** tl_spool_is - whether @path is for captures as a directory: it is one, or ends with "/" */
bool tl_spool_is(const char *path);
/**
 * tl_spool_open - find the directory, and try whether files can be made in it
 * @path, @tool: kept, not copied
 * @keep: so many captures of @tool
 * @max:  bytes, of those of all tools
 *
 * Returns NULL and errno, after a message but for ENOMEM.
 */
struct tl_spool *tl_spool_open(const char *path, const char *tool,
			       unsigned int keep, uint64_t max);
void tl_spool_free(struct tl_spool *p);
/**
 * tl_spool_begin - the descriptor of a new file without a name, to be read and written, for
 * the caller to close, or -errno
 *
 * Looks the directory up again: who empties it may have put another one in its place.
 */
int tl_spool_begin(struct tl_spool *p);
/**
 * tl_spool_room - set @size bytes aside for @fd, if there are @more besides
 *
 * @more is 0 when @size is not estimated any more.  The oldest captures go, unless all of them
 * were not enough.  Returns 0 or -errno: -ENOSPC, or -EFBIG where @size, if not estimated, is
 * more than all may have.
 */
int tl_spool_room(struct tl_spool *p, int fd, uint64_t size, uint64_t more);
/**
 * tl_spool_end - give @fd its name, when it is on the disk; the oldest ones go that are too
 * many then, or too large
 *
 * Returns 0 or -errno; what cannot be removed is a warning.
 */
int tl_spool_end(struct tl_spool *p, int fd);
/** tl_spool_name - path of the last capture; NULL: there was none */
const char *tl_spool_name(const struct tl_spool *p);
/** tl_spool_leave - close the directory until the next one begins, so that it can be unmounted */
void tl_spool_leave(struct tl_spool *p);
/** tl_spool_fail - say why a capture is not there; returns -@err */
int tl_spool_fail(const struct tl_spool *p, int err);

#endif
