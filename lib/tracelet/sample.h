/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sample.h - what processors do, looked at so many times a second */
#ifndef TRACELET_SAMPLE_H
#define TRACELET_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "tracelet/stack.h"

#pragma GCC visibility push(default)

struct tl_session;

/** What a processor did. */
struct tl_sample {
	uint64_t ns;
	pid_t tid, process; /* 0: it was idle */
	unsigned int cpu;
	/* kernel: NULL in a program; of both NULL where they were not asked for */
	struct tl_stack stack;
};

/** What is to be looked at, and how often. */
struct tl_sampling {
	/* times a second, 1 to TL_SAMPLE_MOST; in place of it that of the ticks, where there
	 * is nothing better: it is known after tl_samples_open() */
	uint64_t frequency;
	unsigned int kinds; /* of stacks: enum tl_stack_kind */
	bool idle;          /* processors, too, that do nothing */
	/** Called for each that threads which are asked for are in. */
	void (*sample)(struct tl_session *s, const struct tl_sample *sample);
};
#define TL_SAMPLE_MOST 10000

/**
 * tl_samples_open - in setup: have it called; @sampling lives as long as the run
 *
 * For a tool with TL_FILTERS_TASKS.  Returns 0, or after a message -ENOTSUP or another -errno.
 */
int tl_samples_open(struct tl_session *s, struct tl_sampling *sampling);
/** tl_samples_check - for a tool's check function: 0, or -errno after a message */
int tl_samples_check(struct tl_session *s, struct tl_sampling *sampling);

/** tl_samples_period - ns from one to the next */
uint64_t tl_samples_period(const struct tl_sampling *sampling);
/**
 * tl_samples_print - write a line, in text, of how many there were until @ns, on how many
 * processors, and how much of the time these were not idle
 */
void tl_samples_print(struct tl_session *s, uint64_t ns);

#pragma GCC visibility pop

#endif
