/* SPDX-License-Identifier: GPL-2.0-or-later */
/* file.h - files of tracefs, and what their errors mean */
#ifndef TL_TRACEFS_FILE_H
#define TL_TRACEFS_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct tl_recording;
struct tl_session;

/**
 * tl_fs_root - open the tracefs directory
 * @path: set to where it is; free() it
 *
 * Takes a mounted tracefs, else debugfs/tracing, else mounts one in a mount
 * namespace of this process' own, which nobody else sees and which ends with
 * it.  Returns a descriptor or -errno after saying why.
 */
int tl_fs_root(char **path);

/**
 * A directory of files, here or in a capture: a run that reads a capture has from
 * there what is read, and writes nothing (base/recording.h).
 */
struct tl_fs_dir {
	int fd;           /* -1: not open, as in a run that reads a capture */
	const char *name; /* in the recording */
	struct tl_recording *recording; /* NULL: nothing of it is recorded */
};

/** tl_fs_machine - of paths that begin with "/" */
struct tl_fs_dir tl_fs_machine(const struct tl_session *s);

/** tl_fs_read - the whole of @dir/@path, terminated; free() it; NULL, errno */
char *tl_fs_read(struct tl_fs_dir dir, const char *path, size_t *len);

/**
 * tl_fs_read_long - the same of what is too long to be kept: of a capture it is
 * empty
 */
char *tl_fs_read_long(struct tl_fs_dir dir, const char *path);

/** tl_fs_get - the same, from where an open descriptor stands */
char *tl_fs_get(int fd, size_t *len);

/** tl_fs_exists - whether there is @dir/@path */
bool tl_fs_exists(struct tl_fs_dir dir, const char *path);
/**
 * tl_fs_open - open @dir/@path to be written to
 * @fd: becomes a descriptor, or -1 of a capture, where there is nothing to write
 *      to
 *
 * 0 or -errno, without a message.
 */
int tl_fs_open(struct tl_fs_dir dir, const char *path, int flags, int *fd);
/* of the kernel's lists: it gives no more than a page at once */
#define TL_FS_STREAM 4096
/**
 * tl_fs_stream - to read what is long by lines, which is not kept by itself
 * @buffer: TL_FS_STREAM bytes that live as long; NULL: as the file system says,
 *          which is 1 KiB in /proc, and each read costs the kernel some lines
 *
 * NULL, errno.
 */
FILE *tl_fs_stream(struct tl_fs_dir dir, const char *path, char *buffer);

/**
 * tl_fs_write - write @text to @dir/@path
 * @mode: O_APPEND keeps what is there (probes, triggers), O_TRUNC empties it
 *
 * Writes until all is taken: files like set_event take a word per write(2).
 * A newline is added, because the last word is parsed only at a separator.
 * Returns 0 or -errno, without a message.
 */
int tl_fs_write(struct tl_fs_dir dir, const char *path, const char *text,
		int mode);

/** tl_fs_put - the same, to an open descriptor */
int tl_fs_put(int fd, const char *text);

/**
 * tl_fs_error - say why a write failed
 * @dir:  whose error_log has the kernel's own words: the instance's for
 *        filters, the top one's for probes
 * @what: what was attempted, for the message
 * @text: what was written
 *
 * Returns -@err.
 */
int tl_fs_error(struct tl_fs_dir dir, int err, const char *what,
		const char *text);

/**
 * tl_fs_say - print "@what: why", with the kernel's words in @log if there are
 * any
 */
void tl_fs_say(int err, const char *what, const char *log);

/**
 * tl_fs_log - the kernel's words on @text, if its last error is about it;
 * free() it; or NULL
 */
char *tl_fs_log(struct tl_fs_dir dir, const char *text);

/**
 * tl_fs_explain - why the kernel says @err here, in words that say what to do
 */
const char *tl_fs_explain(int err);

#endif
