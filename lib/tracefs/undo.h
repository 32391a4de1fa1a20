/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * undo.h - the journal of what must be taken back
 *
 * The journal lives in a child, the guard, whose only work it is: it takes
 * entries from a socket until the other end closes, which is when the tool
 * says so, ends, or is killed, and then does them, last one first.  So there
 * is one way out, whatever the reason.
 *
 * Entries carry the open descriptors they need: once the kernel is locked down
 * at run time these still work, while a new open(2) does not.
 */
#ifndef TL_TRACEFS_UNDO_H
#define TL_TRACEFS_UNDO_H

#include <stdint.h>

#include "tracefs/file.h"

struct tl_undo;

/* The guard's name in /proc/PID/comm. */
#define TL_GUARD "tl-guard"

/**
 * tl_undo_start - start the guard; NULL and errno
 * @keep_caps: a bit for each capability that it needs later
 */
struct tl_undo *tl_undo_start(uint64_t keep_caps);

/** tl_undo_write - later, write @text to @fd, a copy of which is kept */
int tl_undo_write(struct tl_undo *u, int fd, const char *text);
/**
 * tl_undo_write_last - the same, behind all that is not done by this: to remove a
 * probe when the instance has gone
 *
 * With a probe the kernel clears the buffer of each instance that had it enabled,
 * while nobody else can change a probe: on 6.12 that is four grace periods of five.
 */
int tl_undo_write_last(struct tl_undo *u, int fd, const char *text);
/**
 * tl_undo_change - write @text to @dir/@path now, as tl_fs_write() does, and @back
 * later
 *
 * Nothing is noted of it in a capture, and nothing done with one.  Returns 0, or
 * -errno: with a message only where the guard does not answer, and then nothing
 * was written.
 */
int tl_undo_change(struct tl_undo *u, struct tl_fs_dir dir, const char *path,
		   int mode, const char *text, const char *back);
/**
 * tl_undo_change_first - the same, and nothing that was added before it is undone
 * until that has worked
 *
 * While somebody else keeps it in use the guard waits, also for ever.
 */
int tl_undo_change_first(struct tl_undo *u, struct tl_fs_dir dir,
			 const char *path, int mode, const char *text,
			 const char *back);
/**
 * tl_undo_empty - later, empty the list @name in directory @dir, which only an
 * open(2) does
 */
int tl_undo_empty(struct tl_undo *u, int dir, const char *name);
/** tl_undo_unlink - later, remove file @name in directory @dir, if it is there */
int tl_undo_unlink(struct tl_undo *u, int dir, const char *name);
/** tl_undo_rmdir - later, remove @name in directory @dir */
int tl_undo_rmdir(struct tl_undo *u, int dir, const char *name);
/**
 * tl_undo_hold - keep @fd open (a lock) until all that was added later is
 * undone
 */
int tl_undo_hold(struct tl_undo *u, int fd);
/**
 * tl_undo_forget - leave the entry that was added last: it was of no use, and what
 * it would undo may be somebody else's by then
 */
int tl_undo_forget(struct tl_undo *u);

/**
 * tl_undo_finish - undo all now, and free @u
 *
 * Returns 0, or -errno of the first entry that could not be undone, or
 * -EINPROGRESS when the guard still waits for one of
 * tl_undo_change_first().
 */
int tl_undo_finish(struct tl_undo *u);

#endif
