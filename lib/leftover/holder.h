/* SPDX-License-Identifier: GPL-2.0-or-later */
/* holder.h - which processes have files of tracefs open */
#ifndef TL_LEFTOVER_HOLDER_H
#define TL_LEFTOVER_HOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/** A file, or one of our instances' directories, that a process has open. */
struct tl_holder {
	pid_t pid;
	char comm[16];
	char *path; /* below the top of tracefs */
};

struct tl_holders {
	struct tl_holder *list;
	size_t count;
};

/**
 * tl_holders_find - look at the descriptors of all processes but this one
 * @root_path: where tracefs is @root
 *
 * Finds them through any mount.  Processes that may not be looked at, and those
 * outside of this PID namespace, are not among them.  Returns 0 or -errno.
 */
int tl_holders_find(struct tl_holders *h, int root, const char *root_path);
/** tl_holders_add - look at those of process @pid too, unless that was done */
int tl_holders_add(struct tl_holders *h, pid_t pid, int root,
		   const char *root_path);
void tl_holders_free(struct tl_holders *h);

/**
 * tl_holders_of - the next one behind @last (NULL: the first) that has a file
 * of instance @name open; NULL
 */
const struct tl_holder *tl_holders_of(const struct tl_holders *h,
				      const char *name,
				      const struct tl_holder *last);

/**
 * tl_holders_session - the process whose session instance @name is of
 * @preferred: the PID in the name, which another namespace may count otherwise
 *
 * Its guard does not count.  Returns 0 when it is not known.
 */
pid_t tl_holders_session(const struct tl_holders *h, const char *name,
			 pid_t preferred);

/**
 * tl_holder_is_dir - whether it is the directory of an instance, which may be
 * removed all the same
 */
bool tl_holder_is_dir(const struct tl_holder *holder);

/** tl_holder_is_ours - whether this is of one of our own sessions */
bool tl_holder_is_ours(const struct tl_holders *h,
		       const struct tl_holder *holder);

#endif
