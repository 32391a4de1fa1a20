/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spin.h - processes that spin, and see when their processor stands still */
#ifndef TRACELET_SPIN_H
#define TRACELET_SPIN_H

#include <stdint.h>
#include <sys/types.h>

#pragma GCC visibility push(default)

struct tl_session;

/** Shorter times are not told, as by the osnoise tracer of the kernel: ns. */
#define TL_SPIN_LEAST 5000

/** A time in which such a process did not run, for whatever reason; or that it spins. */
struct tl_spin_stop {
	unsigned int cpu;
	pid_t tid;         /* of the process */
	uint64_t from, to; /* ns; equal where it only says that it spins */
};

/**
 * tl_spin_open - in setup: have a process spin on each processor that is asked for, while
 * recording goes on
 *
 * They have the policy SCHED_IDLE: all other threads of their cgroup come first.  What they
 * see is a record of the run, so a capture has it.  @stopped is called with each.  Returns 0,
 * or -errno after a message.
 */
int tl_spin_open(struct tl_session *s,
		 void (*stopped)(struct tl_session *s,
				 const struct tl_spin_stop *stop));

#pragma GCC visibility pop

#endif
