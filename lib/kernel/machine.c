// SPDX-License-Identifier: GPL-2.0-or-later
/* machine.c - the machine that records are of */
#include <stdio.h>
#include <unistd.h>

#include "base/recording.h"
#include "base/session.h"
#include "record/cpus.h"
#include "tracelet/machine.h"

uint64_t tl_page_size(struct tl_session *s)
{
	long here = sysconf(_SC_PAGESIZE);
	long n = tl_recording_answer(s->recording, here, "page size");

	/* old captures do not have it: most machines have the same */
	return (uint64_t)(n > 0 ? n : here);
}

int tl_cpu_width(const struct tl_session *s)
{
	unsigned int n = tl_cpu_count(s);

	return snprintf(NULL, 0, "%u", n ? n - 1 : 0);
}
