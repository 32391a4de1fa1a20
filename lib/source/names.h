/* SPDX-License-Identifier: GPL-2.0-or-later */
/* names.h - names and texts in a table of sources */
#ifndef TL_SOURCE_NAMES_H
#define TL_SOURCE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/**
 * tl_source_name - copy the first name of "new|old" to @name, cut where it is
 * too long; returns the rest, "" behind the last one
 */
const char *tl_source_name(const char *list, char *name, size_t size);

/** tl_source_names - the same list as words: "new, old or older" */
void tl_source_names(const char *list, char *text, size_t size);

/**
 * tl_source_has_field - whether the text of an event's format file has field
 * @name
 */
bool tl_source_has_field(const char *format, const char *name);

#endif
