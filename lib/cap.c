// SPDX-License-Identifier: GPL-2.0-or-later
/* cap.c - give up privileges once all is open */
#include <errno.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "session.h"

/*
 * What is left to do needs open descriptors and /proc/PID/comm, which anybody
 * may read.  Who is not root got into tracefs by CAP_DAC_OVERRIDE, and reads
 * the counters there at the end; @keep is what a tool asked for on top.
 */
int tl_cap_drop(int keep)
{
	cap_value_t list[2] = { keep, CAP_DAC_OVERRIDE };
	cap_t old = cap_get_proc(), caps = cap_init();
	cap_flag_value_t has;
	int i, ret = old && caps ? 0 : -1;

	for (i = 0; !ret && i < 2; i++) {
		if (list[i] < 0 || (i && !geteuid()) ||
		    cap_get_flag(old, list[i], CAP_PERMITTED, &has) || !has)
			continue;
		ret = cap_set_flag(caps, CAP_PERMITTED, 1, &list[i], CAP_SET) ||
		      cap_set_flag(caps, CAP_EFFECTIVE, 1, &list[i], CAP_SET);
	}
	if (!ret)
		ret = cap_set_proc(caps);
	if (caps)
		cap_free(caps);
	if (old)
		cap_free(old);
	cap_reset_ambient();
	if (ret || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return tl_fail(errno, "dropping capabilities: %s",
			       strerror(errno));
	return 0;
}
