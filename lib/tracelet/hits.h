/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hits.h - records of any events, each with the stacks that it came with */
#ifndef TRACELET_HITS_H
#define TRACELET_HITS_H

#include <stdint.h>

#include "tracelet/event.h"
#include "tracelet/stack.h"

#pragma GCC visibility push(default)

struct tl_session;

/** A record, and in what its thread was then. */
struct tl_hit {
	uint64_t ns;
	const struct tl_event *event;
	/* soft as of struct tl_stack_of; of a function of a program: no stack of the kernel */
	struct tl_stack_of thread;
	int64_t value;    /* of the field that is asked for; 1 without */
	bool is_negative; /* the value: an unsigned one can be as large */
};

/** Which stacks, and who gets them. */
struct tl_hits_config {
	unsigned int kinds; /* enum tl_stack_kind */
	void (*hit)(struct tl_session *s, const struct tl_hit *hit);
};

/**
 * tl_hits_open - in setup, before the events and probes: have stacks recorded
 * @config: lives as long as the run
 *
 * Probes in programs record who called their functions then; those of the kernel do so by
 * their own .callers.  The stack of the kernel begins with the title of its event, where that
 * is a tracepoint; without stacks of the kernel it is that title.  Where a stack was lost,
 * "[lost]" stands in place of it.  Of several probes at the same place only the first one
 * has hits.  Returns 0, or after a message -ENOTSUP or another -errno.
 */
int tl_hits_open(struct tl_session *s, const struct tl_hits_config *config);
/** tl_hits_record - the handler of the events */
void tl_hits_record(struct tl_session *s, const struct tl_record *r);
/**
 * tl_hits_sum - in setup: hits of @ev have the value of its field @name, as a user gave it;
 * 0, or -errno after a message where that is no number
 */
int tl_hits_sum(struct tl_session *s, struct tl_event *ev, const char *name);
/** tl_hits_value - the same of a field that is found, also of an address; 0 or -ENOMEM */
int tl_hits_value(struct tl_session *s, struct tl_event *ev,
		  const struct tl_field *field);
/**
 * tl_hits_cut - at the end of an interval, @ns: give those hits, too, that still wait for a
 * stack, of which there may be none; those of its last millisecond, and of functions of
 * programs, only at the end of the run
 */
void tl_hits_cut(struct tl_session *s, uint64_t ns);
/** tl_hits_check - for a tool's check function: 0, or -errno after a message */
int tl_hits_check(struct tl_session *s, unsigned int kinds);

#pragma GCC visibility pop

#endif
