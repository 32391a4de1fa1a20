/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clock.h - the clock of records */
#ifndef TL_BASE_CLOCK_H
#define TL_BASE_CLOCK_H

#include <stdint.h>

/** tl_now - ns of CLOCK_MONOTONIC, which is "mono" to the ring buffer */
uint64_t tl_now(void);
/** tl_pause - wait for @ns, also where signals come meanwhile */
void tl_pause(uint64_t ns);

#endif
