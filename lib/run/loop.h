/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loop.h - the poll loop, and what it reads */
#ifndef TL_RUN_LOOP_H
#define TL_RUN_LOOP_H

#include "base/session.h"
#include "record/reader.h"

/** tl_loop_open - open every processor's raw pipe */
int tl_loop_open(struct tl_session *s);

/**
 * tl_loop_run - read and dispatch until a signal, the end of the duration, or
 * of stdout; then stop recording and give the rest
 * @signals: from tl_signals_open()
 *
 * Returns 0, -EPIPE when the reader of stdout has gone, or -errno after a
 * message.
 */
int tl_loop_run(struct tl_session *s, int signals);

/** tl_loop_interval - have the tool end an interval, at @ns */
void tl_loop_interval(struct tl_session *s, uint64_t ns);
/**
 * tl_loop_next_boundary - the end of the interval that begins at @last; the last one
 * ends with the duration; 0: there is none
 */
uint64_t tl_loop_next_boundary(const struct tl_session *s, uint64_t last);

/**
 * tl_loop_streams - what sub-buffers there are: their layout, and the processor
 * of each stream; the loop's
 */
void tl_loop_streams(const struct tl_session *s,
		     const struct tl_page_layout **layout,
		     const unsigned int **cpus, unsigned int *count);

/* The calls of a reader for a live session. */
extern const struct tl_reader_ops tl_loop_ops;

/** tl_loop_close - close the pipes, which keep the instance busy */
void tl_loop_close(struct tl_session *s);

/**
 * tl_loop_overrun - all that was lost in the buffer, by the kernel's own
 * counters
 */
uint64_t tl_loop_overrun(struct tl_session *s);

#endif
