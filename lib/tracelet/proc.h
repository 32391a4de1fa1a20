/* SPDX-License-Identifier: GPL-2.0-or-later */
/* proc.h - what /proc knows */
#ifndef TRACELET_PROC_H
#define TRACELET_PROC_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tracelet/text.h"

#pragma GCC visibility push(default)

struct tl_session;

/**
 * tl_proc_bytes - bytes that lines "NAME:  N kB" of a file of /proc, as meminfo,
 * have now
 * @names: of @count lines
 * @bytes: becomes what they have; -1 without such a line, and always with -r
 */
void tl_proc_bytes(const struct tl_session *s, const char *path,
		   const char *const names[], int64_t bytes[], size_t count);

/**
 * tl_path_resolve - the absolute path of @name, which process @pid has given
 * @dfd: the directory that a relative name counts from, or AT_FDCWD
 *
 * Returns @name where that cannot be known: with -r, of a process that has
 * ended, or is not ours to see without CAP_SYS_PTRACE.  Valid until the next
 * call.
 */
struct tl_str tl_path_resolve(const struct tl_session *s, pid_t pid, int dfd,
			      struct tl_str name);

#pragma GCC visibility pop

#endif
