/* SPDX-License-Identifier: GPL-2.0-or-later */
/* line.h - a record as the kernel's own trace file would show it */
#ifndef TL_TRACE_LINE_H
#define TL_TRACE_LINE_H

#include "base/session.h"
#include "tracelet/event.h"
#include "tracelet/output.h"
#include "tracelet/text.h"

struct tep_format_field;

/**
 * tl_line_open - in setup, behind the events; @head: show the header lines of
 * the trace file too; 0 or -errno
 */
int tl_line_open(struct tl_session *s, bool head);
/** tl_line - the record; valid until the next call */
struct tl_str tl_line(struct tl_session *s, const struct tl_record *r);
/** tl_line_stack - the same for the line above a stack */
struct tl_str tl_line_stack(struct tl_session *s, const struct tl_record *r);
/**
 * tl_event_kinds - find which numbers of @ev are addresses, or have a sign,
 * beyond what their format says, for the values below; 0 or -ENOMEM
 */
int tl_event_kinds(struct tl_event *ev);
/**
 * tl_event_value - the value of field @f of the record's event, in its place @index there,
 * or -1 for one that is common to all; valid until the next call
 */
struct tl_value tl_event_value(struct tl_session *s, const struct tl_record *r,
			       struct tep_format_field *f, int index);
/** tl_event_values - the record's fields; valid until the next call */
const struct tl_named *
tl_event_values(struct tl_session *s, const struct tl_record *r, size_t *count);

#endif
