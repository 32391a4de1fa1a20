/* SPDX-License-Identifier: GPL-2.0-or-later */
/* probe.h - probes, and how their values are shown */
#ifndef TRACELET_PROBE_H
#define TRACELET_PROBE_H

#include <stdint.h>

#include "tracelet/event.h"

#pragma GCC visibility push(default)

struct tl_event;
struct tl_session;

/**
 * tl_probe_add - define a probe for this session and add its event
 * @type:  "p", "r", "r512", "f", "t", "e" ...
 * @name:  of the event, within the session's own group
 * @place: function, function+offset, or tracepoint; of "e" "system/name"
 * @args:  fetch arguments as the kernel takes them, may be empty
 *
 * Returns NULL and sets errno.  ENOENT, without a message, when there is no
 * such function, or none that can be probed.
 */
struct tl_event *tl_probe_add(struct tl_session *s, const char *type,
			      const char *name, const char *place,
			      const char *args, tl_handler *handler);

/**
 * tl_probe_reads_safely - of @ev, just added: all its addresses can be read
 *
 * Up to 5.13 the kernel counts those that cannot among what a probe misses.
 */
void tl_probe_reads_safely(struct tl_event *ev);

/**
 * What a value is called, NULL when it has no name; lives as long as the
 * session.
 */
typedef const char *tl_value_namer(const void *ctx, int64_t value);

/**
 * tl_event_name_values - in setup: show a number of a probe's by name; -ENOENT
 * when there is no @field
 */
int tl_event_name_values(struct tl_session *s, struct tl_event *ev,
			 const char *field, tl_value_namer *namer,
			 const void *ctx);

#pragma GCC visibility pop

#endif
