// SPDX-License-Identifier: GPL-2.0-or-later
/* cap.c - give up privileges once all is open */
#include "base/cap.h"

#include <errno.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/session.h"
#include "tracelet/message.h"

static int keep_one(cap_t caps, cap_t old, cap_value_t cap)
{
	cap_flag_value_t has;

	if (cap_get_flag(old, cap, CAP_PERMITTED, &has) || !has)
		return 0;
	return cap_set_flag(caps, CAP_PERMITTED, 1, &cap, CAP_SET) ||
	       cap_set_flag(caps, CAP_EFFECTIVE, 1, &cap, CAP_SET);
}

int tl_cap_drop(uint64_t keep)
{
	cap_t old = cap_get_proc(), caps = cap_init();
	int cap, ret = old && caps ? 0 : -1;

	for (cap = 0; !ret && keep >> cap; cap++)
		if (keep >> cap & 1)
			ret = keep_one(caps, old, cap);
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
