/* SPDX-License-Identifier: GPL-2.0-or-later */
/* offcpu.h - what the tools for off-CPU time by stack have in common */
#ifndef TRACELET_OFFCPU_H
#define TRACELET_OFFCPU_H

#include <stdbool.h>
#include <stdint.h>

#include "tracelet/option.h"
#include "tracelet/sched.h"
#include "tracelet/stacksums.h"

#pragma GCC visibility push(default)

struct tl_session;

/** One of these tools. */
struct tl_offcpu {
	uint64_t interval;
	unsigned int count;  /* of intervals */
	uint64_t min, max;   /* ns, of a whole time; max 0: none */
	const char *letters; /* why the thread left; NULL: for whatever */
	bool asleep;         /* threads too that sleep all the time */
	struct tl_stack_sums_config shown;
	/* what the tool itself fills in: left and wakers, before its check, and in args
	 * everyone and slice */
	struct tl_sched_config sched;
	struct tl_stack_sums *sums;
	bool last; /* it is the end of the run that is being told of */
};

/** TL_OFFCPU_OPTIONS - options of tool @o, in its table of options */
#define TL_OFFCPU_OPTIONS(o)                                              \
	TL_STACK_SUMS_OPTIONS((o).shown),                                 \
		TL_OPTION('m', "min-block-time", "US",                    \
			  "only times of at least so long", TL_OPT_USECS, \
			  &(o).min),                                      \
		TL_OPTION('M', "max-block-time", "US",                    \
			  "only times of at most so long", TL_OPT_USECS,  \
			  &(o).max)
/** TL_OFFCPU_LEFT_OPTIONS - those for the stacks that threads leave with */
#define TL_OFFCPU_LEFT_OPTIONS(o)                                           \
	TL_OPTION(0, "state", "LETTERS",                                    \
		  "only where threads left for one of these, as in ps: D, " \
		  "SD, R",                                                  \
		  TL_OPT_STRING, &(o).letters),                             \
		TL_OPTION(0, "asleep", NULL,                                \
			  "threads too that sleep all the time; with -p, "  \
			  "-L, -n and --cgroup always",                     \
			  TL_OPT_FLAG, &(o).asleep)

/** tl_offcpu_wants - whether a time of @ns, begun for @letter, is asked for */
bool tl_offcpu_wants(const struct tl_offcpu *o, uint64_t ns, char letter);
/**
 * tl_offcpu_counts - whether @slice is asked for, and how much of it counts now
 * @ns: set to that
 *
 * With a limit a time counts as a whole, where it ends.
 */
bool tl_offcpu_counts(const struct tl_offcpu *o,
		      const struct tl_sched_slice *slice, uint64_t *ns);
/** tl_offcpu_pictured - tell of @slice, which counts, for pictures: if all of it was seen */
void tl_offcpu_pictured(struct tl_session *s,
			const struct tl_sched_slice *slice);
/**
 * tl_offcpu_args - in args: look at the options, and fill in the rest of o->sched; 0, or
 * -EINVAL after tl_usage()
 */
int tl_offcpu_args(struct tl_session *s, struct tl_offcpu *o);
/** tl_offcpu_check - the tool's check; without operands it comes without args */
int tl_offcpu_check(struct tl_session *s, struct tl_offcpu *o);
/** tl_offcpu_setup - the tool's setup; @o lives as long as the run */
int tl_offcpu_setup(struct tl_session *s, struct tl_offcpu *o);

#pragma GCC visibility pop

#endif
