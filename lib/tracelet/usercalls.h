/* SPDX-License-Identifier: GPL-2.0-or-later */
/* usercalls.h - calls of functions of the C library, with their time */
#ifndef TRACELET_USERCALLS_H
#define TRACELET_USERCALLS_H

#include <stdint.h>
#include <sys/types.h>

#include "tracelet/event.h"

#pragma GCC visibility push(default)

struct tl_session;

/** A function; a table of them ends with no name. */
struct tl_user_function {
	const char *name;
	/* what its calls and returns are to have, as for tl_udefs_add() */
	const char *args, *retval;
};

/** A call that has returned, or was left: then @exit is NULL, @end when that was seen. */
struct tl_user_call {
	const struct tl_user_function *function;
	uint64_t start, end; /* ns */
	const struct tl_record *entry, *exit;
};

struct tl_user_calls_config {
	const struct tl_user_function *functions;
	/* files that have them, each as FILE of tl_udefs_add(); none: the C libraries of
	 * the processes that -p, -L or --cgroup asks for, and those of this system, but
	 * with -p or -L without --follow */
	char *const *files;
	unsigned int count;
	void (*done)(struct tl_session *s, const struct tl_user_call *call);
};

/**
 * tl_user_calls_open - in setup: have @config->done called for each call of those
 * functions, as far as a file has them; @config is to live as long
 *
 * What the library itself calls inside of a call is part of that.  A call is left by
 * longjmp(3), or with the end of its thread.  Not told of are calls that began before the
 * run, or that records were lost in.  Returns 0, or -errno after a message: -ENOENT for a
 * file that has none.
 */
int tl_user_calls_open(struct tl_session *s,
		       const struct tl_user_calls_config *config);

#pragma GCC visibility pop

#endif
