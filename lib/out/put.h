/* SPDX-License-Identifier: GPL-2.0-or-later */
/* put.h - the output of a run; what tools call is in tracelet/output.h */
#ifndef TL_OUT_PUT_H
#define TL_OUT_PUT_H

#include "base/session.h"

/**
 * tl_flush - write the rows that wait; -EPIPE, or another -errno after a
 * message
 */
int tl_flush(struct tl_session *s);

/** tl_clock - the wall clock's "HH:MM:SS" at @ns */
void tl_clock(struct tl_session *s, uint64_t ns, char text[9]);

#endif
