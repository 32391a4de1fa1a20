/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * format.h - formats of events from a capture
 *
 * libtraceevent takes what a kernel writes: a field without a name, a division
 * by zero or a length from the record that is not true make it crash.  So what
 * anybody may have written is looked at first.
 */
#ifndef TL_RECORD_FORMAT_H
#define TL_RECORD_FORMAT_H

#include <stdbool.h>

/**
 * tl_format_fields - whether @text has a name, an id, and fields, each in a line
 * as the kernel writes it
 * @print: becomes what is behind "print fmt: "
 */
bool tl_format_fields(const char *text, const char **print);

/**
 * tl_format_prints - whether a record can be printed by @print, whatever is in it
 * @text: has the fields that it may name
 *
 * That is no judgement on the rest: arrays by a length that another field has
 * are not among what is known to be harmless.
 */
bool tl_format_prints(const char *text, const char *print);

#endif
