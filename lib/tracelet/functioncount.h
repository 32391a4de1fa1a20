/* SPDX-License-Identifier: GPL-2.0-or-later */
/* functioncount.h - how often functions are called */
#ifndef TRACELET_FUNCTIONCOUNT_H
#define TRACELET_FUNCTIONCOUNT_H

#include <stdbool.h>

#include "tracelet/event.h"

#pragma GCC visibility push(default)

struct tl_functions;
struct tl_session;
struct tl_tally;

/** Which calls of functions of the kernel to count, and how. */
struct tl_function_counts_config {
	const struct tl_functions *functions, *except; /* all zeroes: none */
	bool in_kernel; /* by hist triggers: no buffer can overflow */
	bool often;     /* the counts are shown while the run goes on */
	/* gets them, by the functions' addresses, or counters: tl_counter_of() */
	struct tl_tally *tally;
	/* or, not in the kernel: called for each call, whose function's address
	 * is in field @ip */
	tl_handler *handler;
	struct tl_field *ip;
};

/**
 * tl_function_counts_open - count calls as @config says, which is to live as long
 *
 * In setup.  Returns how many functions that are, 0 where @except leaves none
 * and nothing is counted, or -errno after a message.
 */
int tl_function_counts_open(struct tl_session *s,
			    const struct tl_function_counts_config *config);
/**
 * tl_function_counts_read - add what the kernel itself has counted since the
 * last time; 0, or -errno after a message
 */
int tl_function_counts_read(struct tl_session *s);
/**
 * tl_function_counts_check - for a tool's check function: whether the kernel can
 * count; 0, or -ENOTSUP after a message
 */
int tl_function_counts_check(struct tl_session *s);

#pragma GCC visibility pop

#endif
