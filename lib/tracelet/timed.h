/* SPDX-License-Identifier: GPL-2.0-or-later */
/* timed.h - calls of kernel functions, with their time */
#ifndef TRACELET_TIMED_H
#define TRACELET_TIMED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "tracelet/text.h"

#pragma GCC visibility push(default)

struct tl_record;
struct tl_session;

/** A call that has returned. */
struct tl_timed_call {
	const char *function;
	uint64_t start, end; /* ns */
	uint64_t duration;   /* ns, see struct tl_timed_calls_config */
	pid_t tid;
	unsigned int cpu;   /* where it returned */
	unsigned int depth; /* calls around it in its thread, of those traced */
	const struct tl_record *entry, *exit;
};

/** What to tell about calls. */
struct tl_timed_calls_config {
	char *const *patterns; /* "[MODULE:]FUNCTION", which may be a glob */
	unsigned int count;
	bool force;     /* also many functions */
	bool args;      /* with arguments */
	bool retval;    /* with what is returned */
	bool running;   /* durations without the time off a processor */
	uint64_t least; /* ns: calls that were quicker may be left out */
	bool probes;    /* leave the kernel's graph tracer to others */
	void (*done)(struct tl_session *s, const struct tl_timed_call *call);
};

/**
 * tl_timed_calls_check - for a tool's check function: 0, or -ENOTSUP or another
 * -errno after a message
 */
int tl_timed_calls_check(struct tl_session *s);
/**
 * tl_timed_calls_check_tracer - the same of the kernel's graph tracer, by which quick
 * calls make no records
 */
int tl_timed_calls_check_tracer(struct tl_session *s);
/**
 * tl_timed_calls_pattern - whether @text can be one: 0, or -EINVAL after
 * tl_usage()
 */
int tl_timed_calls_pattern(const char *text);
/**
 * tl_timed_calls_open - measure the calls that @config asks for, which is to live as
 * long
 *
 * In setup.  Calls that began before the run, or that records were lost in, are
 * not told of.  Where only some are wanted, by @config->least, the kernel's graph
 * tracer leaves out the others, if nobody uses it and it knows what is asked for;
 * then a message at the end says which threads are in a call.  Returns 0, or after a
 * message -ENOENT when a pattern matches no function, -E2BIG for too many without
 * @config->force, or another -errno.
 */
int tl_timed_calls_open(struct tl_session *s,
			const struct tl_timed_calls_config *config);
/**
 * tl_timed_calls_unfinished - in end(): calls that have taken @least ns and go on;
 * 0 where that is not certain
 */
uint64_t tl_timed_calls_unfinished(struct tl_session *s, uint64_t least);
/**
 * tl_timed_call_text - "vfs_read(count=1) = 1", as far as that was asked for; valid
 * until the next call
 */
struct tl_str tl_timed_call_text(struct tl_session *s,
				 const struct tl_timed_call *call);
/**
 * tl_put_timed_call - its arguments in column @args, and what it returned, if that
 * is a number, in column @retval, where known
 */
void tl_put_timed_call(struct tl_session *s, unsigned int args,
		       unsigned int retval, const struct tl_timed_call *call);

#pragma GCC visibility pop

#endif
