/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timeline.h - a run as a trace that Perfetto shows (--perfetto)
 *
 * Packets go out as records come: what is kept does not grow with them.
 */
#ifndef TL_TIMELINE_TIMELINE_H
#define TL_TIMELINE_TIMELINE_H

#include "base/session.h"
#include "out/out.h"

/**
 * tl_timeline_add - have rows, and losses, of @s become packets
 *
 * Returns what the output is to be given, NULL without memory.  It is freed with the
 * run.
 */
const struct tl_out_sink *tl_timeline_add(struct tl_session *s);
/**
 * tl_timeline_begin - set-up is done, and what is known of threads is: write how the
 * trace begins, where it is to be one
 *
 * What the run records, or the capture has, of the events that Perfetto understands goes
 * into it as well.
 */
void tl_timeline_begin(struct tl_session *s);

#endif
