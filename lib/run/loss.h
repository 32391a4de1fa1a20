/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loss.h - what was lost, and why */
#ifndef TL_RUN_LOSS_H
#define TL_RUN_LOSS_H

#include "base/session.h"

/** Losses, by reason. */
struct tl_losses {
	uint64_t overrun; /* the buffer was full */
	/* a probe was busy; some of these may be such as nobody asked for */
	uint64_t missed;
	uint64_t
		too_large; /* did not fit into a record; if nothing else was lost */
	bool or_own;       /* some of these may be this process's own */
	uint64_t events; /* in all, as it is reported */
	uint64_t
		not_followed; /* I/O or calls, or events that were not counted */
};

/** tl_losses_events - so many events were lost by now; less may have been read */
uint64_t tl_losses_events(struct tl_session *s);
/** tl_losses_any - whether events were lost; once all records are read */
bool tl_losses_any(struct tl_session *s);
/**
 * tl_losses_report - say what was lost, and why; once all records are read;
 * true when anything was; @l begins as zeroes
 */
bool tl_losses_report(struct tl_session *s, struct tl_losses *l);

#endif
