/* SPDX-License-Identifier: GPL-2.0-or-later */
/* values.h - values of fields and arguments, to count by */
#ifndef TRACELET_VALUES_H
#define TRACELET_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracelet/event.h"
#include "tracelet/output.h"

#pragma GCC visibility push(default)

struct tl_session;

/**
 * tl_values_check - in args: whether each of @names is one value, and has a name of its own:
 * 0, or -EINVAL after tl_usage()
 */
int tl_values_check(char *const *names, unsigned int count);
/**
 * tl_values_open - in setup, before the events: which values
 * @names:  fields of tracepoints, or expressions of probes, "NAME=" in front of them or not;
 *	    they live as long as the run
 * @number: one, and it has to be a number, for tl_values_number()
 */
int tl_values_open(struct tl_session *s, char *const *names, unsigned int count,
		   bool number);
/**
 * tl_values_of - in setup: look for them in @ev, a tracepoint, or a probe that fetches just
 * these, in their order; 0, or -errno after a message
 */
int tl_values_of(struct tl_session *s, struct tl_event *ev);
/**
 * tl_values_filter - as tl_event_filter_asked(), behind tl_values_of(); of a probe it is said
 * which names the kernel has for the values, when the filter is wrong
 */
int tl_values_filter(struct tl_session *s, struct tl_event *ev,
		     const char *filter);
/**
 * tl_values_number - the 64 bits of the number of a record; false: it could not be read
 * @is_signed: whether it has a sign
 */
bool tl_values_number(const struct tl_session *s, const struct tl_record *r,
		      uint64_t *number, bool *is_signed);
/**
 * tl_values_key - all values of a record in one text, the same for the same values; valid
 * until the next call; NULL without memory
 * @known: whether all could be read
 */
struct tl_str tl_values_key(struct tl_session *s, const struct tl_record *r,
			    bool *known);
/**
 * tl_values_list - and back: as many as tl_values_open() was given, with their names; valid
 * while @key is, and until the next call
 */
const struct tl_named *tl_values_list(struct tl_session *s, struct tl_str key);

#pragma GCC visibility pop

#endif
