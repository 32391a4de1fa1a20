/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perfmap.h - functions of code that is made while its program runs */
#ifndef TL_ELF_PERFMAP_H
#define TL_ELF_PERFMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Compilers that make code at run time write its functions to /tmp/perf-PID.map, as perf(1)
 * has it: lines "START SIZE NAME", in hexadecimal, the name to the end of the line.  A later
 * line counts where it overlaps an earlier one.  Any user may have made such a file.
 */
struct tl_perfmap;

#define TL_PERFMAP_BYTES \
	(64UL << 20) /* of memory, for all: what is more is left out */
#define TL_PERFMAP_FILE \
	(16UL << 20) /* that are read at once: of more, the end */

/**
 * tl_perfmap_new - that of process @pid, of which nothing is read yet; NULL without memory
 * @bytes: what all of them use, which outlives them
 */
struct tl_perfmap *tl_perfmap_new(pid_t pid, size_t *bytes);
void tl_perfmap_free(struct tl_perfmap *m);

/**
 * tl_perfmap_update - read what has been written since, if that was not looked at just now
 *
 * The file is that of the process's own /tmp, by its process id there.  It counts if it is
 * a regular file, and root's or that of the user as whom the process runs.  What was read
 * stays when the process has ended: false says that it has.
 */
bool tl_perfmap_update(struct tl_perfmap *m);

/** tl_perfmap_function - the one that has @addr in it, and how far in; NULL: none */
const char *tl_perfmap_function(const struct tl_perfmap *m, uint64_t addr,
				uint64_t *into);
/** tl_perfmap_name - the file's, without directories: "perf-1234.map" */
const char *tl_perfmap_name(const struct tl_perfmap *m);

/* ---- inside ----------------------------------------------------------- */

/** tl_perfmap_add - take in all whole lines of @text; returns how many bytes they have */
size_t tl_perfmap_add(struct tl_perfmap *m, const char *text, size_t len);
/**
 * tl_perfmap_read - what @fd, a regular file, has more than the last time: all of it if it
 * is another file, or was written anew
 */
void tl_perfmap_read(struct tl_perfmap *m, int fd);
/**
 * tl_perfmap_open - a descriptor of the file of process @pid, or -errno: -EINVAL it is no
 * regular file, -EPERM another user's, -ESRCH the process has ended
 * @name: becomes its name without directories
 */
int tl_perfmap_open(pid_t pid, char *name, size_t size);

#endif
