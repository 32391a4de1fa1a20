/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tracefs.h - files of this run's instance */
#ifndef TRACELET_TRACEFS_H
#define TRACELET_TRACEFS_H

#pragma GCC visibility push(default)

struct tl_session;

/**
 * tl_write_file - write @text to @path, which is below the session's instance
 */
int tl_write_file(struct tl_session *s, const char *path, const char *text);

#pragma GCC visibility pop

#endif
