// SPDX-License-Identifier: GPL-2.0-or-later
/* clock.c - the clock of records */
#include "base/clock.h"

#include <errno.h>
#include <time.h>

uint64_t tl_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

void tl_pause(uint64_t ns)
{
	const uint64_t until = tl_now() + ns;
	const struct timespec end = { (time_t)(until / 1000000000),
				      (long)(until % 1000000000) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) ==
	       EINTR)
		continue;
}
