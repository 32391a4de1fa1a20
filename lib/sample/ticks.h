/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ticks.h - samples at the kernel's own ticks, where perf_event_open() is refused */
#ifndef TL_SAMPLE_TICKS_H
#define TL_SAMPLE_TICKS_H

#include "base/session.h"
#include "tracelet/sample.h"

/** tl_ticks_frequency - how many there are in a second (CONFIG_HZ) */
uint64_t tl_ticks_frequency(void);
/**
 * tl_ticks_open - in setup: have @fn called for each tick
 * @sampling: kinds and idle count; it lives as long as the run
 *
 * Returns 0, or after a message -ENOTSUP or another -errno.
 */
int tl_ticks_open(struct tl_session *s, const struct tl_sampling *sampling,
		  void (*fn)(struct tl_session *s,
			     const struct tl_sample *sample));
/** tl_ticks_check - the same for --check */
int tl_ticks_check(struct tl_session *s, const struct tl_sampling *sampling);

#endif
