/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trigger.h - counts that the kernel keeps */
#ifndef TRACELET_TRIGGER_H
#define TRACELET_TRIGGER_H

#include <stdint.h>

#pragma GCC visibility push(default)

struct tl_event;
struct tl_session;
struct tl_tally;

struct tl_trigger;

/**
 * tl_trigger_hist - have the kernel count @ev instead of recording it
 * @spec:   "keys=ret", "keys=__probe_ip"
 * @size:   how many different sets of keys there may be, at most 131072; what
 *          has others is not counted, which is reported at the end of the run
 * @filter: what is counted, all if it is empty
 * @advice: what the user can do about a full table, for the report; lives long
 *
 * In setup, once for an event.  Does not count the tool itself, but in a PID
 * namespace, where the tool has another id than the kernel knows it by.  Heeds
 * neither -n nor, exactly, -p.  Returns NULL and sets errno; ENOTSUP, after a
 * message, when this kernel has no hist triggers.
 */
struct tl_trigger *tl_trigger_hist(struct tl_session *s, struct tl_event *ev,
				   const char *spec, unsigned int size,
				   const char *filter, const char *advice);

/**
 * tl_trigger_check - for a tool's check function: 0, or -ENOTSUP after a
 * message
 */
int tl_trigger_check(struct tl_session *s);

/**
 * tl_trigger_since - call @fn for each number that was counted since the last
 * time, with how often
 * @seen: what had been counted by then, which becomes what is counted now; empty
 *	  at first.  Triggers that may count the same have one together.
 *
 * For a single key that is a number.  Returns 0, or -errno after a message.
 */
int tl_trigger_since(struct tl_trigger *t, struct tl_tally *seen,
		     void (*fn)(void *ctx, uint64_t key, uint64_t hits),
		     void *ctx);

#pragma GCC visibility pop

#endif
