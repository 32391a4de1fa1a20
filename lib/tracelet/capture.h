/* SPDX-License-Identifier: GPL-2.0-or-later */
/* capture.h - captures that a run writes or reads */
#ifndef TRACELET_CAPTURE_H
#define TRACELET_CAPTURE_H

#include <stdbool.h>

#pragma GCC visibility push(default)

struct tl_session;

/**
 * tl_args_recorded - refuse arguments that a capture was not written with
 * @is_one: whether one is meant, for a last one that may be something else; NULL
 *
 * For arguments that decide what is recorded.  Returns 0, also without a
 * capture, or -EINVAL after a message.
 */
int tl_args_recorded(const struct tl_session *s, int argc, char **argv,
		     bool (*is_one)(const char *text));

/**
 * tl_capture_tool - which tool wrote the file @path with -w; free() it
 * @event: "SYSTEM/NAME"
 * @has:   becomes whether its run recorded that
 *
 * NULL: none did (errno 0), or another errno after a message.
 */
char *tl_capture_tool(const char *path, const char *event, bool *has);

#pragma GCC visibility pop

#endif
