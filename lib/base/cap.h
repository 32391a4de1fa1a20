/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cap.h - privileges */
#ifndef TL_BASE_CAP_H
#define TL_BASE_CAP_H

#include <stdint.h>

/**
 * tl_cap_drop - give up all privileges that are not needed any more
 * @keep: a bit for each capability to keep
 */
int tl_cap_drop(uint64_t keep);

#endif
