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
/** A kind of number that a format does not tell, or tells wrong. */
enum tl_kind {
	TL_KIND_PLAIN, /* as it says */
	TL_KIND_ADDRESS,
	TL_KIND_SIGNED,
	TL_KIND_SIGNED_32, /* in a place that may be larger */
};
/**
 * tl_event_number - where @f of @ev, a number, is, and whether it has a sign: of an
 * argument of a system call its type says that, and not the format
 */
struct tl_field tl_event_number(const struct tl_event *ev,
				const struct tep_format_field *f);
/**
 * tl_event_kinds - find which numbers of @ev are addresses, or have a sign,
 * beyond what their format says, for the values below; 0 or -ENOMEM
 */
int tl_event_kinds(struct tl_event *ev);
/** tl_event_kind - of its field @f, or of one that is common to all; behind these */
enum tl_kind tl_event_kind(const struct tl_event *ev,
			   const struct tep_format_field *f);
/**
 * tl_event_is_written - whether values of @f, neither text nor a number, are written out:
 * that needs tl_line_open()
 */
bool tl_event_is_written(const struct tep_format_field *f);
/** tl_event_value - the value of field @f of the record's event; valid until the next call */
struct tl_value tl_event_value(struct tl_session *s, const struct tl_record *r,
			       struct tep_format_field *f, enum tl_kind kind);
/** tl_event_values - the record's fields; valid until the next call */
const struct tl_named *
tl_event_values(struct tl_session *s, const struct tl_record *r, size_t *count);

#endif
