/* SPDX-License-Identifier: GPL-2.0-or-later */
/* listing.h - what can be traced, for options like -l */
#ifndef TRACELET_LISTING_H
#define TRACELET_LISTING_H

#include <stdbool.h>

#pragma GCC visibility push(default)

struct tl_session;

/*
 * In query().  A line on standard output for each that @pattern means: a glob
 * for the whole name, or a part of it; NULL: all.  Return 0, or after a message
 * -ENOENT when there is none, or another -errno.
 */

/** tl_list_functions - functions of the kernel: "vfs_read", "MODULE:NAME" */
int tl_list_functions(struct tl_session *s, const char *pattern);
/**
 * tl_list_events - tracepoints: "system:name"; a glob can also be for a system,
 * or for a name in any of them
 */
int tl_list_events(struct tl_session *s, const char *pattern);
/**
 * tl_list_program - functions of a program or library, then its static probes:
 * "readline", "u:PROVIDER:NAME"
 * @file:     as FILE of tl_udefs_add(); NULL: none
 * @demangle: functions as C++ writes them
 */
int tl_list_program(struct tl_session *s, const char *file, const char *pattern,
		    bool demangle);

#pragma GCC visibility pop

#endif
