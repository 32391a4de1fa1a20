/* SPDX-License-Identifier: GPL-2.0-or-later */
/* syscallcount.h - how often system calls are made, and how long they take */
#ifndef TRACELET_SYSCALLCOUNT_H
#define TRACELET_SYSCALLCOUNT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "tracelet/event.h"
#include "tracelet/who.h"

#pragma GCC visibility push(default)

struct tl_event;
struct tl_session;
struct tl_syscall_set;

/**
 * tl_syscall_ends - have @exit and @exit_group called for these two calls,
 * which never return
 *
 * In setup.  Where the kernel has no functions for them, that is said.
 */
int tl_syscall_ends(struct tl_session *s, tl_handler *exit,
		    tl_handler *exit_group);
/**
 * tl_syscall_compat - an event at each call of a 32-bit program, with its
 * number as "nr"; NULL, errno; ENOENT after a message: none here
 */
struct tl_event *tl_syscall_compat(struct tl_session *s);

/** Which system calls to count, and what of them. */
struct tl_syscall_counts_config {
	enum tl_by by;                     /* apart for each */
	const struct tl_syscall_set *only; /* not NULL */
	bool errors, times;
	bool in_kernel; /* by nothing, all calls, and only how many: no buffer
			 * can overflow */
	/* the process that is ours until it executes a command, whose calls are
	 * not counted until then: tl_command_pid, or NULL */
	pid_t (*command)(const struct tl_session *s);
};

/** How calls went. */
struct tl_syscall_sum {
	uint64_t count, errors;
	uint64_t time, timed; /* ns in so many of them */
};

/**
 * tl_syscall_counts_open - count calls as @config says, which is to live as long
 *
 * In setup; the tool has the next two as its task() and lost().  Returns 0, or
 * -errno after a message.
 */
int tl_syscall_counts_open(struct tl_session *s,
			   const struct tl_syscall_counts_config *config);
void tl_syscall_counts_task(struct tl_session *s, pid_t pid);
void tl_syscall_counts_lost(struct tl_session *s, unsigned int cpu);
/**
 * tl_syscall_counts_take - call @fn for all that were made since the last time,
 * until it returns other than 0
 *
 * A name may come twice: once for the programs of each word size.  Returns what
 * @fn does, or -errno when it could not be read.
 */
int tl_syscall_counts_take(struct tl_session *s,
			   int (*fn)(struct tl_session *s,
				     const struct tl_who *who, bool compat,
				     int64_t nr,
				     const struct tl_syscall_sum *sum));
/**
 * tl_syscall_counts_check - for a tool's check function: 0, or -errno after a
 * message
 */
int tl_syscall_counts_check(struct tl_session *s);

#pragma GCC visibility pop

#endif
