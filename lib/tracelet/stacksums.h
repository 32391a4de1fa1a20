/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stacksums.h - times, counts or bytes by stack: as lists, folded lines, or a flame graph */
#ifndef TRACELET_STACKSUMS_H
#define TRACELET_STACKSUMS_H

#include <stdbool.h>
#include <stdint.h>

#include "tracelet/flame.h"
#include "tracelet/option.h"
#include "tracelet/output.h"
#include "tracelet/stack.h"
#include "tracelet/who.h"

#pragma GCC visibility push(default)

struct tl_session;

/** struct tl_stack_sums - what is added up */
struct tl_stack_sums;

/** Threads that one sum is of, at most: whose it is, and those that had a part in it. */
#define TL_STACK_SUMS_THREADS 5

/** How sums are shown in text. */
enum tl_stack_layout {
	TL_STACK_ONE,   /* the stack, and the thread under it */
	TL_STACK_WAKER, /* the thread, then who woke it: as wakeuptime of bcc */
	TL_STACK_CHAIN, /* who woke it, down to it: as offwaketime of bcc */
	TL_STACK_TABLE, /* how often and whose, with the share of it, and the stack under it */
};

/** What is added up. */
enum tl_stack_amount {
	TL_STACK_NS,
	TL_STACK_TIMES, /* how often, and nothing else */
	TL_STACK_BYTES, /* or what else has no unit of time */
};

/** What is shown, and how; TL_STACK_SUMS_OPTIONS() fill in the first ones. */
struct tl_stack_sums_config {
	bool kernel_only, user_only;
	/* in place of the kernel's stack stands the event, where that is not asked for */
	bool titled;
	bool folded;
	const char *flame; /* file of a flame graph; NULL: none */
	unsigned int
		by; /* enum tl_by; the words of TL_STACK_SUMS_BY, in their order */
	enum tl_stack_layout layout;
	enum tl_flame_palette palette;
	/* in the banner: "off-CPU time", "by stack"; NULL: the tool has its own */
	const char *what, *how;
	const char *title; /* of the flame graph */
	enum tl_stack_amount amount;
	const char *unit; /* of what is counted: "sleeps" */
	/* that there are of others beside who it is: 0 ... TL_STACK_SUMS_THREADS - 1 */
	unsigned int others;
	uint64_t top; /* of TL_STACK_TABLE: only so many, the largest; 0: all */
	/* of TL_STACK_NS: what a line's number counts; 0: microseconds */
	uint64_t folded_ns;
};

#define TL_STACK_SUMS_BY "name|process|thread"

/** TL_STACK_SUMS_OPTIONS - options of config @c, in a tool's table of options */
#define TL_STACK_SUMS_OPTIONS(c) \
	TL_STACK_SUMS_OPTIONS_BY(c, TL_STACK_SUMS_BY, "thread")
/** TL_STACK_SUMS_OPTIONS_BY - the same; @words of --by, of which @usual is the default */
#define TL_STACK_SUMS_OPTIONS_BY(c, words, usual)                             \
	TL_OPTION('K', "kernel-stacks-only", NULL, "no stacks of programs",   \
		  TL_OPT_FLAG | TL_OPT_RECORDED, &(c).kernel_only, "stacks"), \
		TL_OPTION('U', "user-stacks-only", NULL,                      \
			  "no stacks of the kernel",                          \
			  TL_OPT_FLAG | TL_OPT_RECORDED, &(c).user_only,      \
			  "stacks"),                                          \
		TL_OPTION(0, "by", words,                                     \
			  "add up for each (" usual "; name with -f and "     \
			  "--flamegraph)",                                    \
			  TL_OPT_WORD, &(c).by),                              \
		TL_OPTION('f', "folded", NULL,                                \
			  "a line for each stack, as flame graphs take them", \
			  TL_OPT_FLAG, &(c).folded),                          \
		TL_OPTION(0, "flamegraph", "FILE.svg",                        \
			  "at the end, draw a flame graph",                   \
			  TL_OPT_STRING | TL_OPT_HERE, &(c).flame)
/** The value of config->by before options are looked at. */
#define TL_STACK_SUMS_BY_DEFAULT TL_BY_NOTHING

/** TL_STACK_SUMS_COLUMNS - the tool's columns; at file scope */
#define TL_STACK_SUMS_COLUMNS tl_stack_sums_columns
extern const struct tl_column tl_stack_sums_columns[];

/** tl_stack_sums_kinds - which stacks are asked for: enum tl_stack_kind */
unsigned int tl_stack_sums_kinds(const struct tl_stack_sums_config *config);
/**
 * tl_stack_sums_args - in args: look at options that depend on each other; 0, or
 * -EINVAL after tl_usage()
 */
int tl_stack_sums_args(struct tl_session *s,
		       struct tl_stack_sums_config *config);
/**
 * tl_stack_sums_open - in setup; @config lives as long as the run; NULL after a
 * message, with errno
 */
struct tl_stack_sums *
tl_stack_sums_open(struct tl_session *s,
		   const struct tl_stack_sums_config *config);
/**
 * tl_stack_sums_add - add to what these threads did
 * @threads: whose it is, then the others
 * @count:   of these, 1 ... config->others + 1
 * @amount:  time in ns, or what else config->amount says
 * @times:   how often, mostly 1, or 0 where it goes on
 *
 * For the record being handled.
 */
void tl_stack_sums_add(struct tl_session *s, struct tl_stack_sums *sums,
		       const struct tl_stack_of threads[], unsigned int count,
		       uint64_t amount, uint64_t times);
/**
 * tl_stack_sums_show - at the end of an interval, @ns: write what was added in it, the
 * least first, and begin anew; 0, or -errno after a message
 */
int tl_stack_sums_show(struct tl_session *s, struct tl_stack_sums *sums,
		       uint64_t ns);
/** tl_stack_sums_end - at the end of the run: write the flame graph; 0 or -errno */
int tl_stack_sums_end(struct tl_session *s, struct tl_stack_sums *sums);

#pragma GCC visibility pop

#endif
