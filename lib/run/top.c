// SPDX-License-Identifier: GPL-2.0-or-later
/* top.c - a table that is shown again each interval */
#include "base/proc.h"
#include "base/recording.h"
#include "out/out.h"
#include "out/put.h"
#include "run/run.h"
#include "tracelet/output.h"
#include "tracelet/run.h"

void tl_top_begin(struct tl_session *s, uint64_t ns, bool clear)
{
	char clock[9], load[64];

	if (clear)
		tl_out_clear(s->out);
	else
		tl_print(s, "%s", "");
	tl_clock(s, ns, clock);
	/* the load of a capture's machine is not known */
	if (!tl_recording_replays(s->recording) &&
	    tl_proc_read("/proc/loadavg", load, sizeof(load)) > 0)
		tl_print(s, "%s loadavg: %s", clock, load);
	else
		tl_print(s, "%s", clock);
	tl_header(s);
}
