/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spreads.h - percentiles by a key */
#ifndef TRACELET_SPREADS_H
#define TRACELET_SPREADS_H

#include <stdint.h>

#include "tracelet/text.h"
#include "tracelet/who.h"

#pragma GCC visibility push(default)

struct tl_session;

/** struct tl_spreads - spreads of values, by a key */
struct tl_spreads;

#define TL_SPREADS_COLUMN(head, key, unit, type) \
	{                                        \
		head "(" unit ")", key, 10, type \
	}
/**
 * TL_SPREADS_COLUMNS - the columns of percentiles in a tool's table of columns
 * @unit: for their heads: "ms"
 * @type: TL_MSECS
 */
#define TL_SPREADS_COLUMNS(unit, type)                          \
	TL_SPREADS_COLUMN("p50", "p50", unit, type),            \
		TL_SPREADS_COLUMN("p90", "p90", unit, type),    \
		TL_SPREADS_COLUMN("p99", "p99", unit, type),    \
		TL_SPREADS_COLUMN("p99.9", "p999", unit, type), \
		TL_SPREADS_COLUMN("max", "max", unit, type)

/**
 * tl_spreads_open - @key: of the column of keys, and lives as long as the run; NULL:
 * one of all, whatever the key
 *
 * NULL without memory.  They go at the end of the run.
 */
struct tl_spreads *tl_spreads_open(struct tl_session *s, const char *key);
/**
 * tl_spreads_add - @value was seen once more with @key; the first 4,096 keys of a
 * run have a spread each, and all that come later one as "[others]"
 */
void tl_spreads_add(struct tl_spreads *t, struct tl_str key, uint64_t value);
/**
 * tl_spreads_by - spreads by who, for tl_spreads_add_who(); the tool has TL_BY_COLUMNS,
 * of which those are shown that tell apart
 */
struct tl_spreads *tl_spreads_by(struct tl_session *s, enum tl_by by);
/**
 * tl_spreads_add_who - @value was seen once more with who the record being handled
 * belongs to
 * @id: as for tl_who_of()
 */
void tl_spreads_add_who(struct tl_session *s, struct tl_spreads *t, pid_t id,
			uint64_t value);
/**
 * tl_spreads_show - a row for each that is not empty, by key; without any, one of a
 * count of 0; they are empty then
 * @ns: the end of the interval
 *
 * Columns are "count" and those of TL_SPREADS_COLUMNS(), "time" and "clock", of
 * TL_TIME and TL_WALL_CLOCK, if there are any, and that of keys.  Returns as
 * tl_hists_show().
 */
int tl_spreads_show(struct tl_session *s, struct tl_spreads *t, uint64_t ns);

#pragma GCC visibility pop

#endif
