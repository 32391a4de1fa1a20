/* SPDX-License-Identifier: GPL-2.0-or-later */
/* graphlock.h - whether the kernel's graph tracer is free, and who has it */
#ifndef TL_CALL_GRAPHLOCK_H
#define TL_CALL_GRAPHLOCK_H

#include <stdbool.h>

#include "base/session.h"

/**
 * tl_graph_lock - use what there is only once of the kernel's graph tracer
 * @threshold: tracing_thresh, too, which tracers of latencies heed
 *
 * Until all is undone.  Returns a descriptor, which is to stay open so that others
 * see whose it is, or -EBUSY, after saying what is in use, and by whom if that is
 * known.
 */
int tl_graph_lock(struct tl_session *s, bool threshold);
/**
 * tl_graph_unlock - give back what tl_graph_lock() has returned, @fd, before
 * anything else is to be undone
 */
void tl_graph_unlock(struct tl_session *s, int fd);
/**
 * tl_graph_lock_top - the same of the top level, for a tracer that runs nowhere
 * else; behind tl_graph_lock()
 */
int tl_graph_lock_top(struct tl_session *s);

#endif
