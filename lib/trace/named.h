/* SPDX-License-Identifier: GPL-2.0-or-later */
/* named.h - fields as users name them */
#ifndef TL_TRACE_NAMED_H
#define TL_TRACE_NAMED_H

struct tep_format_field;
struct tl_event;

/**
 * tl_event_named_field - field @name, as a user gave it; NULL after a message which fields
 * there are
 */
struct tep_format_field *tl_event_named_field(const struct tl_event *ev,
					      const char *name);

#endif
