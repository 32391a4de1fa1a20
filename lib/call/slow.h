/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slow.h - calls that reach a threshold, by the kernel's graph tracer */
#ifndef TL_CALL_SLOW_H
#define TL_CALL_SLOW_H

#include "base/session.h"
#include "tracelet/event.h"
#include "tracelet/function.h"
#include "tracelet/timed.h"

/** What to tell about calls, and how slow they are at least. */
struct tl_slow_config {
	const struct tl_functions *functions;
	uint64_t least; /* ns, of which the kernel takes whole microseconds */
	/* @function: an address in it, for tl_symbol(); @call: without a name */
	void (*done)(struct tl_session *s, uint64_t function,
		     struct tl_timed_call *call);
};

/** tl_slow_captured - whether what is read is a capture of tl_slow_open() */
bool tl_slow_captured(const struct tl_session *s);
/**
 * tl_slow_open - have the graph tracer measure calls, and record the slow ones
 *
 * In setup; @config is to live as long.  Returns 1; 0, without a message, when the
 * tracer cannot have all of these functions, or is not free: then nothing has been
 * changed but our own filter; or -errno after a message, also for a capture that
 * has no calls as quick as @config->least.
 */
int tl_slow_open(struct tl_session *s, const struct tl_slow_config *config);

#endif
