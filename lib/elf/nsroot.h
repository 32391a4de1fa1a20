/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nsroot.h - files as another process sees them */
#ifndef TL_ELF_NSROOT_H
#define TL_ELF_NSROOT_H

#include <stdbool.h>
#include <sys/types.h>

/** Each "/proc/PID/root", or "" where it is the same as ours. */
struct tl_root {
	char path[32]; /* its root directory */
	char mounts
		[32]; /* that of its mounts: /proc/PID/maps has paths below */
};

/** tl_root_find - fill in @root for process @pid */
void tl_root_find(struct tl_root *root, pid_t pid);
/**
 * tl_root_open - a descriptor that only says where @path in @root is (O_PATH), with links
 * followed as a process there would; -1 and errno
 * @flags: more of open(2): O_NOFOLLOW not of the last part
 */
int tl_root_open(const char *root, const char *path, int flags);
/**
 * tl_root_resolve - @path in @root, with links followed as a process there
 * would; free() it; NULL and errno: there is no such file
 */
char *tl_root_resolve(const char *root, const char *path);
/** tl_root_same - whether two paths lead to the same file */
bool tl_root_same(const char *a, const char *b);

#endif
