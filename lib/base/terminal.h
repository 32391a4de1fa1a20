/* SPDX-License-Identifier: GPL-2.0-or-later */
/* terminal.h - what output goes to */
#ifndef TL_BASE_TERMINAL_H
#define TL_BASE_TERMINAL_H

#include <stdbool.h>

/**
 * tl_is_terminal - whether @fd is a terminal that takes escape sequences
 *
 * One that TERM does not name may be any.
 */
bool tl_is_terminal(int fd);

#endif
