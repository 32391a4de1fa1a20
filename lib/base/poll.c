// SPDX-License-Identifier: GPL-2.0-or-later
/* poll.c - poll(2) where there are handlers of signals */
#include "base/poll.h"

#include <errno.h>

int tl_poll(struct pollfd *fds, nfds_t count, int ms)
{
	int ret;

	do {
		ret = poll(fds, count, ms);
	} while (ret < 0 && errno == EINTR);
	return ret;
}
