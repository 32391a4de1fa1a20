/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trigger.h - what the kernel counts by itself */
#ifndef TL_TRACE_TRIGGER_H
#define TL_TRACE_TRIGGER_H

#include "base/session.h"
#include "tracelet/trigger.h"

/** The last lines of an event's hist file. */
struct tl_trigger_totals {
	uint64_t hits, entries, dropped;
};

/**
 * tl_trigger_parse - call @fn for each entry of a hist file's @text
 * @keys: how many keys an entry has
 *
 * Changes @text.  Returns 0, what @fn returned if that was not 0, or -EPROTO
 * when the totals are missing, without which the text is not whole.
 */
int tl_trigger_parse(char *text, unsigned int keys, tl_trigger_fn *fn,
		     void *ctx, struct tl_trigger_totals *totals);

#endif
