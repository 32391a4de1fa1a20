/* SPDX-License-Identifier: GPL-2.0-or-later */
/* counter.h - places whose hits the kernel counts without a record */
#ifndef TL_PROBE_COUNTER_H
#define TL_PROBE_COUNTER_H

#include <stdbool.h>
#include <stddef.h>

#include "tracelet/counter.h"

struct tl_session;

/**
 * tl_counters_may - whether counters will do for @count places: of all threads,
 * live, and with no capture to be written
 */
bool tl_counters_may(struct tl_session *s, size_t count);
/* To attach a counter costs as much as it saves with some 20,000 calls. */
#define TL_COUNTERS_MAX 8
/**
 * tl_counters_add - in setup: count the hits of a place
 * @name:   of the function there
 * @module: of the kernel, "" for itself; NULL: @place is in a program
 * @place:  as the kernel's definitions of probes have it
 *
 * All are in the kernel, or all in programs; no more than TL_COUNTERS_MAX.  Returns
 * 0, or -errno without a message, -ENOENT when it cannot be probed, -ENOTUNIQ when
 * another function of the kernel has the name: then let all of them be, and record.
 */
int tl_counters_add(struct tl_session *s, const char *name, const char *module,
		    const char *place);
/**
 * tl_counters_attach - in setup, behind them all: begin
 *
 * Returns 0, or -errno without a message, -ENOTSUP where a record costs less: then
 * nothing is counted.
 */
int tl_counters_attach(struct tl_session *s);

#endif
