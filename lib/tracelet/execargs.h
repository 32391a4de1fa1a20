/* SPDX-License-Identifier: GPL-2.0-or-later */
/* execargs.h - arguments of exec() */
#ifndef TRACELET_EXECARGS_H
#define TRACELET_EXECARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tracelet/event.h"
#include "tracelet/text.h"

#pragma GCC visibility push(default)

struct tl_session;

/* Bytes of arguments that can be had without the process. */
#define TL_EXEC_ARGS_MAX 32768

/** What an exec() put on the stack of the new program; begins as all zeroes. */
struct tl_exec_args {
	int argc;       /* how many arguments; 0: not known */
	uint64_t start; /* where they are in the process */
	size_t size;    /* of all, each with its NUL */
	uint32_t parts; /* which of them have come */
	bool whole;     /* all have been read from the process */
	char *text;
};

struct tl_exec_probe;

/**
 * tl_exec_args_add - record the arguments of every exec() that succeeds
 * @handler: called for each record: one for up to 256 bytes of arguments, more
 *	     for what is up to 512 and to 2,048, then one for each 2,560, all
 *	     before sched_process_exec
 *
 * TL_EXEC_ARGS_MAX bytes at most.  Of more than 256 bytes all but the first record
 * may be missing when another processor executes a program at the same time.
 *
 * Programs of any word size, gone or not.  Returns NULL and sets errno after
 * a message.
 */
struct tl_exec_probe *tl_exec_args_add(struct tl_session *s,
				       tl_handler *handler);
/**
 * tl_exec_args_check - for a tool's check function: whether this kernel can: 0,
 * or -ENOTSUP after a message
 */
int tl_exec_args_check(struct tl_session *s);
/**
 * tl_exec_args_take - add what @r has to @a; the first record of an exec()
 * begins anew
 */
void tl_exec_args_take(const struct tl_exec_probe *p, struct tl_exec_args *a,
		       const struct tl_record *r);
/**
 * tl_exec_args_match - whether @re means the new program: by the name of @file,
 * or as it was called
 */
bool tl_exec_args_match(const struct tl_exec_args *a, const struct tl_regex *re,
			struct tl_str file);
/**
 * tl_put_exec_args - fill column @col, of TL_ARGV, with @a of process @pid, which
 * is read for what is missing; valid until the next call
 * @max:  so many arguments at most; 0: all
 * @file: shown first, and one unknown argument behind it, if there are no arguments
 */
void tl_put_exec_args(struct tl_session *s, unsigned int col,
		      struct tl_exec_args *a, pid_t pid, unsigned int max,
		      struct tl_str file);
void tl_exec_args_free(struct tl_exec_args *a);

#pragma GCC visibility pop

#endif
