/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lock.h - waits for locks of the kernel */
#ifndef TRACELET_LOCK_H
#define TRACELET_LOCK_H

#include <stdint.h>
#include <sys/types.h>

#include "tracelet/stack.h"

#pragma GCC visibility push(default)

struct tl_session;

/** Kinds of locks: a bit for each. */
enum tl_lock_kind {
	TL_LOCK_MUTEX = 1 << 0,
	TL_LOCK_RWSEM = 1 << 1,
	TL_LOCK_SEMAPHORE = 1 << 2,
	TL_LOCK_SPINLOCK = 1 << 3,
	TL_LOCK_RWLOCK = 1 << 4,
	TL_LOCK_PERCPU_RWSEM = 1 << 5,
	TL_LOCK_RTMUTEX = 1 << 6,
};

/** A wait for a lock that has ended. */
struct tl_lock_wait {
	uint64_t lock; /* its address */
	enum tl_lock_kind kind;
	const char *name;          /* of the kind: "mutex", "rwsem-read" */
	uint64_t since, to;        /* ns */
	unsigned int cpu;          /* processor on which it ended */
	struct tl_stack_of thread; /* that waited, and in what */
};

struct tl_locks_config {
	unsigned int
		stacks;     /* enum tl_stack_kind: which of a wait's are told */
	unsigned int kinds; /* enum tl_lock_kind; what is told */
	/** Called when a wait has ended, and its stacks have come. */
	void (*waited)(struct tl_session *s, const struct tl_lock_wait *wait);
};

/**
 * tl_locks_open - in setup: follow waits for locks, of threads that the options ask for
 * @config: lives as long as the run
 *
 * For a tool with TL_FILTERS_CPUS: a wait is that of the processor on which it ends.
 *
 * The kernel tells of waits only, and not of locks that are got at once.  A wait within another
 * one, as in an interrupt, is one of its own.  What had begun before the start, or before records
 * were lost, is not told, nor is what has not ended at the end.  Returns 0, or after a message
 * -ENOTSUP where the kernel does not tell (before Linux 5.19), or another -errno.
 */
int tl_locks_open(struct tl_session *s, const struct tl_locks_config *config);
/** tl_locks_check - for a tool's check function: 0, or -errno after a message */
int tl_locks_check(struct tl_session *s, const struct tl_locks_config *config);
/** tl_locks_cut - at the end of an interval, @ns, and of the run: as tl_hits_cut() */
void tl_locks_cut(struct tl_session *s, uint64_t ns);

#pragma GCC visibility pop

#endif
