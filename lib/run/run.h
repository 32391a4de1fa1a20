/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run.h - what subjects may ask of a run; what tools call is in tracelet/run.h */
#ifndef TL_RUN_RUN_H
#define TL_RUN_RUN_H

#include "base/session.h"

/**
 * tl_run_start_ns - when recording began, or what is shown of a capture
 * (CLOCK_MONOTONIC)
 */
uint64_t tl_run_start_ns(const struct tl_session *s);
/** tl_run_end_ns - when recording ended; now, while it goes on */
uint64_t tl_run_end_ns(const struct tl_session *s);
/** tl_run_ends_at - whether the interval that ends at @ns is the last one */
bool tl_run_ends_at(const struct tl_session *s, uint64_t ns);
/** tl_run_is_cut_short - whether not all is read of what a capture has */
bool tl_run_is_cut_short(const struct tl_session *s);
/**
 * tl_run_in_gap - whether records before the next ones of some processors were
 * lost
 */
bool tl_run_in_gap(const struct tl_session *s);
/**
 * tl_run_no_wakeups - in setup: look for records now and then, as to be woken
 * is in what is traced
 */
void tl_run_no_wakeups(struct tl_session *s);
/** tl_run_typed - the command line, as for a shell */
const char *tl_run_typed(const struct tl_session *s);

#endif
