/* SPDX-License-Identifier: GPL-2.0-or-later */
/* poll.h - poll(2) where there are handlers of signals */
#ifndef TL_BASE_POLL_H
#define TL_BASE_POLL_H

#include <poll.h>

/** tl_poll - poll(), begun again after a signal */
int tl_poll(struct pollfd *fds, nfds_t count, int ms);

#endif
