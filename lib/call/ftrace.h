/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftrace.h - the function tracer; what tools call is in tracelet/tracer.h */
#ifndef TL_CALL_FTRACE_H
#define TL_CALL_FTRACE_H

#include "base/session.h"

/** tl_tracer_private - whether @tracer can run in the session's own instance */
bool tl_tracer_private(struct tl_session *s, const char *tracer);
/**
 * tl_tracer_reads_clock - whether the time of a record is read by a function that
 * can be traced
 */
bool tl_tracer_reads_clock(void);

#endif
