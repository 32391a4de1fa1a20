/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ready.h - who has started this one may wait until it works */
#ifndef TL_MAIN_READY_H
#define TL_MAIN_READY_H

/**
 * tl_ready - write a line to the descriptor that TRACELETS_READY_FD names, if it does
 *
 * It is closed then, and programs that this one runs do not see that variable.
 */
void tl_ready(void);

#endif
