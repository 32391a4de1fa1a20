/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run.h - what subjects may ask of a run; what tools call is in tracelet/run.h */
#ifndef TL_RUN_RUN_H
#define TL_RUN_RUN_H

#include <stddef.h>
#include <sys/types.h>

#include "base/session.h"

struct tl_page_layout;

/** Sub-buffers of one processor that are not those of the instance. */
struct tl_stream {
	void *ctx;
	unsigned int cpu;
	int fd; /* poll() says that it is time to take some */
	/**
	 * Makes the next one in @buf, of @layout->size bytes: its length, 0 when there
	 * is none now, -errno.  Its records have an event of tl_event_make().
	 */
	ssize_t (*take)(void *ctx, const struct tl_page_layout *layout,
			void *buf);
};

/**
 * tl_run_add_stream - in setup: have the loop take @stream too, which is copied, in one order
 * of time (CLOCK_MONOTONIC) with the records of the instance; 0 or -ENOMEM
 *
 * There is none in a capture.
 */
int tl_run_add_stream(struct tl_session *s, const struct tl_stream *stream);

/**
 * tl_run_start_ns - when recording began, or what is shown of a capture
 * (CLOCK_MONOTONIC)
 */
uint64_t tl_run_start_ns(const struct tl_session *s);
/** tl_run_end_ns - when recording ended; now, while it goes on */
uint64_t tl_run_end_ns(const struct tl_session *s);
/** tl_run_recorded - ns of the run in which records were made, until @ns */
uint64_t tl_run_recorded(const struct tl_session *s, uint64_t ns);
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
/**
 * tl_run_look - in setup: where a capture is written, its records are looked at as they come, by
 * the library, not the tool: what is in /proc then is not there later
 */
void tl_run_look(struct tl_session *s);
/** tl_run_typed - the command line, as for a shell */
const char *tl_run_typed(const struct tl_session *s);

#endif
