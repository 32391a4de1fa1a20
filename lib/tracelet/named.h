/* SPDX-License-Identifier: GPL-2.0-or-later */
/* named.h - events that a user names */
#ifndef TRACELET_NAMED_H
#define TRACELET_NAMED_H

#include "tracelet/event.h"

#pragma GCC visibility push(default)

struct tl_event;
struct tl_session;

/**
 * tl_event_add_by_name - as tl_event_add(), of "system:name" as a user gave it; when
 * there is no such event that is said, with names that are near
 */
struct tl_event *tl_event_add_by_name(struct tl_session *s, const char *full,
				      tl_handler *handler);

/**
 * tl_event_numeric_field - find field @name, as a user gave it, which has to be a
 * number; if it is none that is said, or else which fields there are
 *
 * Arguments of system calls have the sign and size of their type.
 */
int tl_event_numeric_field(struct tl_session *s, struct tl_event *ev,
			   const char *name, struct tl_field *field);
/** Which events a user asks for. */
struct tl_event_patterns {
	char *const *list; /* as for tl_event_matches() */
	unsigned int count;
	/* but not these, whose system a glob for the whole name may match too;
	 * NULL: none */
	const char *exclude;
};
/**
 * tl_event_each - call @fn once for each event that is asked for, sorted by
 * pattern; stops when it returns other than 0, and returns that
 *
 * -ENOENT, after a message, when no event matches a pattern; those that are
 * excluded match as well.
 */
int tl_event_each(struct tl_session *s, const struct tl_event_patterns *p,
		  int (*fn)(void *ctx, const char *system, const char *name),
		  void *ctx);

#pragma GCC visibility pop

#endif
