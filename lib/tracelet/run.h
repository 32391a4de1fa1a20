/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run.h - how a run goes: banner, intervals, end */
#ifndef TRACELET_RUN_H
#define TRACELET_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)

struct tl_session;

/**
 * tl_head - in setup: lines in front of the rows, in text; lives as long as the
 * session
 */
void tl_head(struct tl_session *s, const char *lines);

/**
 * tl_banner - the line that says what is traced, in text output
 *
 * "Tracing WHAT" is followed by " for N seconds (buffered)..." or by
 * ". Ctrl-C to end.".  tl_banner_who() gives the part that the common filters
 * ask for.
 */
void tl_banner(struct tl_session *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/**
 * tl_banner_none - in setup: there is none, also where the run that wrote a capture had one:
 * its lines are for programs
 */
void tl_banner_none(struct tl_session *s);
/**
 * tl_banner_as - the same with words of the tool's own: @fmt is written at once
 * @what: what is said with -w instead, where "into FILE" follows: "Tracing WHAT"
 */
void tl_banner_as(struct tl_session *s, const char *what, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/**
 * tl_banner_top - write such a line at once: "Tracing", then @fmt, which begins with
 * a blank, and how long
 * @top: the tool shows only so many of what it counts, which is said; 0: all
 *
 * Without "Ctrl-C to end." where the end of a command ends the run.
 */
void tl_banner_top(struct tl_session *s, unsigned int top, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/**
 * tl_banner_who - " issued by PID 1", " issued by process name \"x\"", ... or
 * ""; valid until it, or the next one, is called again
 */
const char *tl_banner_who(struct tl_session *s);
/** tl_banner_for - the same, but " for PID 1" and " for TID 1" */
const char *tl_banner_for(struct tl_session *s);
/** tl_banner_words - @words with blanks between; valid until the next call */
const char *tl_banner_words(struct tl_session *s, char *const words[],
			    unsigned int count);

/**
 * tl_interval - call @fn every @interval ns, or with 0 at the end only
 * @count: end after so many times; 0: with the run
 * @fn:    called when all records up to @ns (CLOCK_MONOTONIC) have been
 *         handled, and none later; also for the part of an interval that the
 *         end of the run cuts short; returns 0, or -errno after a message: the run
 *         goes on, and its exit status is 1 then
 *
 * In setup.
 */
void tl_interval(struct tl_session *s, uint64_t interval, unsigned int count,
		 int (*fn)(struct tl_session *s, uint64_t ns));

/**
 * tl_is_paused - in lost(): what is missing there is not lost, as --max-cpu has had
 * recording paused
 */
bool tl_is_paused(const struct tl_session *s);

/**
 * tl_top_begin - begin a table that is shown again each interval, in text: with
 * the time, the system's load, and the header
 * @ns:    the end of the interval
 * @clear: clear the screen, where text goes to a terminal; else, and with -r, an
 *         empty line is in front
 *
 * For a tool that is quiet.
 */
void tl_top_begin(struct tl_session *s, uint64_t ns, bool clear);
/** tl_print_date - a line with the date and time of @ns, as date(1) has it */
void tl_print_date(struct tl_session *s, uint64_t ns);

/** tl_keep_capability - keep CAP_@cap while tracing; call it in setup */
void tl_keep_capability(struct tl_session *s, int cap);

#pragma GCC visibility pop

#endif
