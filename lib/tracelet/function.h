/* SPDX-License-Identifier: GPL-2.0-or-later */
/* function.h - functions of the kernel */
#ifndef TRACELET_FUNCTION_H
#define TRACELET_FUNCTION_H

#include <stdbool.h>

#pragma GCC visibility push(default)

struct tl_session;

/**
 * tl_function_exists - whether a kernel function can be probed; slow: for
 * --check only
 */
bool tl_function_exists(struct tl_session *s, const char *name);
/**
 * tl_function_list - call @fn for each function that can be traced, @module ""
 * for those of the kernel itself; stops when it returns other than 0, and
 * returns that
 */
int tl_function_list(struct tl_session *s,
		     int (*fn)(void *ctx, const char *name, const char *module),
		     void *ctx);

/** Functions of the kernel, as a user asks for them; all zeroes: none. */
struct tl_functions {
	unsigned int count;
	char **list; /* "vfs_*", "vfs_*:mod:xfs", ":mod:xfs" */
};

/**
 * tl_functions_add - take in names or globs, between blanks or commas
 * @what: what they are called, for the message
 * @text: NULL: none
 *
 * Those of a module are "MODULE:FUNCTION", "FUNCTION:mod:MODULE", or
 * ":mod:MODULE" for all of it.  Returns 0, or -EINVAL after tl_usage();
 * tl_functions_free() also then.
 */
int tl_functions_add(struct tl_functions *f, const char *what,
		     const char *text);
/** tl_functions_args - the same for each argument, a "function" */
int tl_functions_args(struct tl_functions *f, int argc, char **argv);
void tl_functions_free(struct tl_functions *f);
/**
 * tl_functions_match - whether function @name is one of them; @module "" for
 * the kernel itself
 */
bool tl_functions_match(const struct tl_functions *f, const char *name,
			const char *module);

/**
 * tl_functions_filter - what function tracers of this session trace: @trace
 * without @except, which may be NULL
 *
 * In setup, before tl_tracer_set().  A name becomes a glob where only functions
 * with a compiler's suffix have it.  Returns 0, or -ENOENT when one of them is
 * no function that can be traced, or another -errno, after a message.
 */
int tl_functions_filter(struct tl_session *s, const struct tl_functions *trace,
			const struct tl_functions *except);
/**
 * tl_functions_number - how many functions that are, without @except, which may
 * be NULL; -errno after a message
 */
int tl_functions_number(struct tl_session *s,
			const struct tl_functions *except);

#pragma GCC visibility pop

#endif
