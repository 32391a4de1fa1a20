/* SPDX-License-Identifier: GPL-2.0-or-later */
/* syscall.h - system calls: names, numbers, sets of them */
#ifndef TRACELET_SYSCALL_H
#define TRACELET_SYSCALL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#pragma GCC visibility push(default)

struct tl_session;

#define TL_SYSCALLS 512 /* numbers are below; x32 programs set bit 30 too */

/**
 * tl_syscalls_open - know names of system calls, and which programs are 32-bit;
 * in setup
 */
int tl_syscalls_open(struct tl_session *s);
/**
 * tl_syscall_is_compat - whether thread @pid, which returns from call @nr now,
 * is one of a 32-bit program on a 64-bit kernel
 *
 * To be asked at the first return after the tool's task() was called for it.
 * When that is the return of an exec, @nr becomes the number that execve has
 * for the new program.
 */
bool tl_syscall_is_compat(struct tl_session *s, pid_t pid, int64_t *nr);
/**
 * tl_syscall_names - the names alone: enough for the two below; -ELIBACC after
 * a message
 */
int tl_syscall_names(void);
/**
 * tl_syscall_name - "read"; "syscall_1000" when it has no name; @compat: as
 * 32-bit programs count; free() it
 */
char *tl_syscall_name(bool compat, int64_t nr);
/** tl_syscall_number - -1 when there is none of this name */
int tl_syscall_number(bool compat, const char *name);
/** tl_syscall_suggest - print names that are near one that does not exist */
void tl_syscall_suggest(const char *name);

/** Which system calls: all, unless some are given. */
struct tl_syscall_set {
	bool given;
	bool has[2][TL_SYSCALLS]; /* those of 32-bit programs second */
};
/**
 * tl_syscall_set_parse - add those of a list of names to @set
 * @what: what has the list, for the message
 *
 * They are as tl_syscall_name() has them, or as tracepoints do.  Returns 0, or
 * -errno after tl_usage() or another message.
 */
int tl_syscall_set_parse(struct tl_syscall_set *set, const char *what,
			 const char *text);
/** tl_syscall_set_has - @compat: call @nr is that of a 32-bit program */
bool tl_syscall_set_has(const struct tl_syscall_set *set, bool compat,
			int64_t nr);

#pragma GCC visibility pop

#endif
