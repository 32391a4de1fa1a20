/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * condition.h - event filters, for records that no kernel filters any more, and rows
 *
 * The syntax is that of events/.../filter: Documentation/trace/events.rst, 5.
 * Not libtraceevent's: that has no "~", and takes -1 for a large number.
 */
#ifndef TL_CONDITION_CONDITION_H
#define TL_CONDITION_CONDITION_H

#include "tracelet/event.h"
#include "tracelet/output.h"

struct tl_condition;
struct tl_out;

/**
 * tl_condition_parse - NULL and a message that begins with @what
 * @ev: whose fields it names
 */
struct tl_condition *tl_condition_parse(const struct tl_event *ev,
					const char *what, const char *text);
/** tl_condition_holds - whether it does for @r, a record of that event */
bool tl_condition_holds(struct tl_session *s, const struct tl_condition *c,
			const struct tl_record *r);

/**
 * tl_condition_of_row - the same of columns, by their names in text, in the unit
 * that the text has, or by those in JSON
 *
 * "KEY.NAME" is a member of a list of fields.
 */
struct tl_condition *tl_condition_of_row(const struct tl_out *out,
					 const char *what, const char *text);
/**
 * tl_condition_holds_row - whether it does for a row's values; of one that is
 * not known nothing does
 */
bool tl_condition_holds_row(const struct tl_condition *c,
			    const struct tl_value *row);
void tl_condition_free(struct tl_condition *c);

#endif
