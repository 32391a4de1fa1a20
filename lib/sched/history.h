/* SPDX-License-Identifier: GPL-2.0-or-later */
/* history.h - what ran on a processor */
#ifndef TL_SCHED_HISTORY_H
#define TL_SCHED_HISTORY_H

#include "tracelet/sched.h"

/** struct tl_history - the last 1,024 runs of a processor that have ended */
struct tl_history;

/** tl_history_new - NULL without memory; free() it */
struct tl_history *tl_history_new(void);
/**
 * tl_history_note - @tid, 0 for idle, has run from @since on until now; what is no thread
 * has an id below -1
 */
void tl_history_note(struct tl_history *h, pid_t tid, uint64_t since);
/** tl_history_clear - what ran up to now is not known */
void tl_history_clear(struct tl_history *h);

/** A part of the time of a processor, and where a list of who ran then goes. */
struct tl_history_part {
	uint64_t from, to; /* ns */
	struct tl_sched_runner *list;
	size_t count, max; /* of the list */
};

/**
 * tl_history_ran - add who ran in @part, the last one first, and for the time of which
 * that is not known any more thread -1
 * @running: that runs now, since @since; -1: it is not known
 */
void tl_history_ran(const struct tl_history *h, pid_t running, uint64_t since,
		    struct tl_history_part *part);

#endif
