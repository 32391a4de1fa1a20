/* SPDX-License-Identifier: GPL-2.0-or-later */
/* message.h - what the user is told */
#ifndef TRACELET_MESSAGE_H
#define TRACELET_MESSAGE_H

#pragma GCC visibility push(default)

/** tl_errno_name - "ENOENT" for 2; NULL if @err is no errno: 0, or below */
const char *tl_errno_name(int err);

/** tl_fail - print "TOOL: MESSAGE" on stderr and return -@err */
int tl_fail(int err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/** tl_warn - print "TOOL: MESSAGE" on stderr */
void tl_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/**
 * tl_usage - the same, with "try TOOL -h"; returns -EINVAL, which ends the tool
 * with TL_EXIT_USAGE
 */
int tl_usage(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#pragma GCC visibility pop

#endif
