/* SPDX-License-Identifier: GPL-2.0-or-later */
/* timeline.h - what trace-cmd recorded as a trace that Perfetto shows */
#ifndef TRACELET_TIMELINE_H
#define TRACELET_TIMELINE_H

#pragma GCC visibility push(default)

struct tl_session;

/**
 * tl_timeline_export - write the records of a trace.dat to the output as a trace
 *
 * In query().  Needs libtracecmd, which is loaded then.  Returns 0 or -errno after a
 * message.
 */
int tl_timeline_export(struct tl_session *s, const char *path);

#pragma GCC visibility pop

#endif
