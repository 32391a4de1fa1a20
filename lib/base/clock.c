// SPDX-License-Identifier: GPL-2.0-or-later
/* clock.c - the clock of records */
#include "base/clock.h"

#include <time.h>

uint64_t tl_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}
