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

/** What wrote a capture. */
struct tl_capture_run {
	char tool[32]; /* "": none of the tools */
	bool has;      /* it recorded what is asked for */
	bool partial;  /* not of all threads, or not all of it */
};

/**
 * tl_capture_look - which run wrote the file @path with -w
 * @event: "SYSTEM/NAME" of what may be in it
 *
 * Privileges stay as they are.  Returns 0, also of what is no such file or cannot be
 * read, or -errno after a message.
 */
int tl_capture_look(const char *path, const char *event,
		    struct tl_capture_run *run);

#pragma GCC visibility pop

#endif
