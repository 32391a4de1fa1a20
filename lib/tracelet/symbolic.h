/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symbolic.h - names that an event has for the values of a field */
#ifndef TRACELET_SYMBOLIC_H
#define TRACELET_SYMBOLIC_H

#include <stdint.h>

#pragma GCC visibility push(default)

struct tl_session;

/** struct tl_symbolic - the names, as the running kernel prints them */
struct tl_symbolic;

/**
 * tl_symbolic_read - in setup, or check: read what event @system:@name has for @field
 *
 * Returns NULL and errno: ENOENT where there is no such event, or no names of such a
 * field.  The run frees it.
 */
const struct tl_symbolic *tl_symbolic_read(struct tl_session *s,
					   const char *system, const char *name,
					   const char *field);
/**
 * tl_symbolic_texts - in setup: read what texts of the kernel are at which addresses, of
 * those that it names in records (printk_formats); NULL and errno
 *
 * The run frees it.
 */
const struct tl_symbolic *tl_symbolic_texts(struct tl_session *s);
/** tl_symbolic_name - what @value is called; NULL: it has no name, or @names is NULL */
const char *tl_symbolic_name(const struct tl_symbolic *names, int64_t value);
/** tl_symbolic_value - the value that is called @name; -ENOENT: none is */
int tl_symbolic_value(const struct tl_symbolic *names, const char *name,
		      int64_t *value);

#pragma GCC visibility pop

#endif
