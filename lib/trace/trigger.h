/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trigger.h - what the kernel counts by itself */
#ifndef TL_TRACE_TRIGGER_H
#define TL_TRACE_TRIGGER_H

#include "base/session.h"
#include "tracelet/text.h"
#include "tracelet/trigger.h"

#define TL_TRIGGER_KEYS   3 /* as many as a hist trigger can have */
#define TL_TRIGGER_VALUES 3

/** The kernel's counts for one set of keys. */
struct tl_trigger_entry {
	/* as the kernel writes them; a negative number, of whatever size, as
	 * the unsigned one of 64 bits that has the same bits */
	struct tl_str keys[TL_TRIGGER_KEYS];
	unsigned int count; /* of keys */
	uint64_t hits;      /* records, since the trigger is there */
	uint64_t value[TL_TRIGGER_VALUES]; /* sums, of those in "vals=" */
	unsigned int values;
};

typedef int tl_trigger_fn(void *ctx, const struct tl_trigger_entry *entry);

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
