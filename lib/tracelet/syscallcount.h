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
struct tl_table_entry;

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
/**
 * tl_syscall_programs - where exec does not tell it, have tl_syscall_is_compat()
 * know of programs that begin, also of those that end at once
 *
 * In setup, behind tl_syscalls_open().  Returns 0, also without BTF or
 * where the kernel has no finalize_exec(): then those are asked that go on; or
 * -errno after a message.
 */
int tl_syscall_programs(struct tl_session *s);

/** Which system calls to count, and what of them. */
struct tl_syscall_counts_config {
	enum tl_by by;                     /* counted separately for each */
	bool by_call;                      /* and for each call */
	const struct tl_syscall_set *only; /* not NULL */
	bool errors, times;
	bool in_kernel; /* for TL_BY_NOTHING, all calls, and only how many: no buffer
			 * can overflow */
	/* told of each call that was timed and is to be counted: it ended at @ns; or NULL */
	void (*took)(struct tl_session *s, uint64_t ns, uint64_t latency);
	/* the process that is ours until it executes a command, whose calls are
	 * not counted until then: tl_command_pid, or NULL */
	pid_t (*command)(const struct tl_session *s);
};

/** Whose calls, and which ones: the key of a row. */
struct tl_syscall_key {
	struct tl_who who;
	char name[44]; /* "" for all calls */
};

/** How they went: the value of a row. */
struct tl_syscall_sum {
	uint64_t count, errors;
	uint64_t time, timed; /* ns in so many of them */
};

/**
 * tl_syscall_counts_open - count calls as @config says, which is to live as long
 *
 * In setup.  Returns 0, or -errno after a message.
 */
int tl_syscall_counts_open(struct tl_session *s,
			   const struct tl_syscall_counts_config *config);
/**
 * tl_syscall_counts_show - have a row written for each key that was counted since
 * the last time, the most frequent last
 * @top: no more than so many; 0: all
 * @put: writes a row, of a struct tl_syscall_key and a struct tl_syscall_sum
 * @ns:  the end of the interval, for the rows
 *
 * Calls of one name are one row, whatever the word size of the programs.  Returns
 * 0, or -errno after a message.
 */
int tl_syscall_counts_show(struct tl_session *s, unsigned int top,
			   void (*put)(struct tl_session *s,
				       const struct tl_table_entry *e,
				       uint64_t ns),
			   uint64_t ns);
/**
 * tl_syscall_counts_check - for a tool's check function: 0, or -errno after a
 * message
 */
int tl_syscall_counts_check(struct tl_session *s);

#pragma GCC visibility pop

#endif
