/* SPDX-License-Identifier: GPL-2.0-or-later */
/* timeline.h - what trace-cmd recorded as a trace that Perfetto shows */
#ifndef TRACELET_TIMELINE_H
#define TRACELET_TIMELINE_H

#include <stdbool.h>

#pragma GCC visibility push(default)

struct tl_session;

/** A trace.dat of trace-cmd, one of those that an output is made of. */
struct tl_timeline_capture {
	const char *path;
	unsigned int number; /* among them, from 1 on */
	bool alone;          /* there are no others */
	bool switches; /* it is the one whose records of the scheduler count */
};

/**
 * tl_timeline_look - whether it has switches of the scheduler
 *
 * It is read up to the first one.  Returns 0, or -errno after a message.
 */
int tl_timeline_look(const char *path, bool *switches);
/**
 * tl_timeline_export - write its records to the output as a trace
 *
 * In query().  Needs libtracecmd, which is loaded then, as tl_timeline_look() does.
 * Returns 0 or -errno after a message.
 */
int tl_timeline_export(struct tl_session *s,
		       const struct tl_timeline_capture *c);

#pragma GCC visibility pop

#endif
