/* SPDX-License-Identifier: GPL-2.0-or-later */
/* event.h - formats, fields and filters of events */
#ifndef TL_EVENT_H
#define TL_EVENT_H

#include <event-parse.h>

#include "session.h"

struct tl_event {
	struct tl_event *next;
	char *system, *name;
	int id;
	tl_handler *handler; /* the tool's */
	tl_handler *watcher; /* the library's */
	struct tep_event *tep;
	uint64_t seen;         /* records, up to the session's counted_until */
	uint64_t hits, missed; /* of a probe, by then */
	bool filtered;
	bool on_demand; /* a trigger enables it */
	bool is_return; /* a return probe */
};

struct tl_events {
	struct tep_handle *tep;
	struct tl_event *first, **last;
	struct tl_event **by_id;
	int ids;
	struct tl_field pid; /* common_pid */
};

/** tl_event_find - an event that the session has already, or NULL */
struct tl_event *tl_event_find(struct tl_session *s, const char *system,
			       const char *name);

/** tl_field_of - the same as tl_event_field(), from libtraceevent's own */
struct tl_field tl_field_of(const struct tep_format_field *f);

#endif
