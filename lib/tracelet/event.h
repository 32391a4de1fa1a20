/* SPDX-License-Identifier: GPL-2.0-or-later */
/* event.h - events, their records, fields and filters */
#ifndef TRACELET_EVENT_H
#define TRACELET_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracelet/text.h"

#pragma GCC visibility push(default)

struct tl_event;
struct tl_filter;
struct tl_session;
struct tl_tally;

/** A record from the ring buffer. */
struct tl_record {
	uint64_t ns;      /* CLOCK_MONOTONIC */
	const char *data; /* the record as the event's format describes it */
	uint32_t size;
	int32_t pid; /* thread that the event happened in */
	unsigned int cpu;
	const struct tl_event *event;
};

typedef void tl_handler(struct tl_session *s, const struct tl_record *r);

/** A field of an event, resolved. */
struct tl_field {
	uint16_t offset;
	uint16_t size;
	bool is_signed;
	uint8_t where; /* in the record, or by __data_loc or __rel_loc */
};

/**
 * tl_event_add - record event @system:@name in this session
 * @handler: called for each record, in the order of time over all processors;
 *	     without TL_FILTERS_TASKS only for those of threads that are asked for,
 *	     and none of the tool itself; without TL_FILTERS_CPUS only for those
 *	     of processors that are asked for; it takes the place of the one that an
 *	     event has which was added before
 *
 * The event is enabled when all is set up.  Returns NULL and sets errno;
 * ENOENT, without a message, when the kernel has no such event.
 */
struct tl_event *tl_event_add(struct tl_session *s, const char *system,
			      const char *name, tl_handler *handler);

/**
 * tl_event_filter - set the kernel's filter of @ev, none if it is empty; the
 * kernel's own words are printed when it is wrong, -E2BIG when it is too long
 */
int tl_event_filter(struct tl_session *s, struct tl_event *ev,
		    const char *filter);

/**
 * tl_cpu_matches - whether --cpu asks for processor @cpu; for a tool with
 * TL_FILTERS_CPUS: others get no other records
 */
bool tl_cpu_matches(const struct tl_session *s, unsigned int cpu);

/**
 * tl_event_on_demand - record @ev only from the first record of @by on that
 * meets @condition, a filter
 *
 * Until then a probe costs little: it fetches nothing.
 */
int tl_event_on_demand(struct tl_session *s, struct tl_event *ev,
		       const struct tl_event *by, const char *condition);

/**
 * tl_event_until - record @ev no longer from a hit of @by on, whatever the filter
 * of that is
 *
 * For an event on demand, which is then as before: the next record that it
 * waits for starts it again.
 */
int tl_event_until(struct tl_session *s, struct tl_event *ev,
		   const struct tl_event *by);
/**
 * tl_filter_match - add that text field @field has the words of @re in it, if
 * @re is plain words
 */
void tl_filter_match(const struct tl_session *s, struct tl_filter *f,
		     const char *field, const struct tl_regex *re);

/** tl_event_has - whether there is a field @name on this kernel */
bool tl_event_has(const struct tl_event *ev, const char *name);

/**
 * tl_event_field - find field @name; -ENOENT, with a message, when the event
 * has none
 */
int tl_event_field(struct tl_session *s, const struct tl_event *ev,
		   const char *name, struct tl_field *field);

/**
 * tl_event_long_field - find field @name, a long of the kernel, for
 * tl_field_long()
 */
int tl_event_long_field(struct tl_session *s, struct tl_event *ev,
			const char *name, struct tl_field *field);

const char *tl_event_name(const struct tl_event *ev);
/**
 * tl_event_title - as users know it: "system:name", or the name of a probe;
 * free() it
 */
char *tl_event_title(const struct tl_event *ev);

/**
 * tl_field_num - a number, extended by its sign; 0 where the record is too
 * short
 */
int64_t tl_field_num(const struct tl_record *r, const struct tl_field *f);

/**
 * tl_field_long - the same for one that tl_event_long_field() found: quicker
 */
static inline int64_t tl_field_long(const struct tl_record *r,
				    const struct tl_field *f)
{
	int64_t n64;
	int32_t n32;

	if (__builtin_expect(f->size == sizeof(n64), 1)) {
		__builtin_memcpy(&n64, r->data + f->offset, sizeof(n64));
		return n64;
	}
	__builtin_memcpy(&n32, r->data + f->offset, sizeof(n32));
	return n32;
}

/**
 * tl_field_str - text, up to its NUL or the end of its place
 *
 * A text that the kernel could not read, and on kernels up to 6.12 an empty
 * one from a probe, has len 0.  The text is part of the record.
 */
struct tl_str tl_field_str(const struct tl_record *r, const struct tl_field *f);

/**
 * tl_field_bytes - the first @size bytes of a field that is in the record
 * itself; zeroes for those that are not there
 */
void tl_field_bytes(const struct tl_record *r, const struct tl_field *f,
		    void *to, size_t size);

/**
 * tl_event_filter_asked - set the kernel's filter of @ev: @filter, unless it is NULL,
 * and -n
 */
int tl_event_filter_asked(struct tl_session *s, struct tl_event *ev,
			  const char *filter);

/**
 * tl_event_list - call @fn for each event that can be enabled, sorted; stops
 * when it returns other than 0, and returns that
 */
int tl_event_list(struct tl_session *s,
		  int (*fn)(void *ctx, const char *system, const char *name),
		  void *ctx);
/**
 * tl_event_list_system - call @fn, as tl_event_list() does, for the events of @system; a
 * system that is not there has none
 */
int tl_event_list_system(struct tl_session *s, const char *system,
			 int (*fn)(void *ctx, const char *system,
				   const char *name),
			 void *ctx);
/**
 * tl_event_matches - whether @pattern, a glob for "system:name" or for a whole
 * system, means it
 */
bool tl_event_matches(const char *pattern, const char *system,
		      const char *name);
/** tl_event_exists - whether this kernel has event @system:@name */
bool tl_event_exists(struct tl_session *s, const char *system,
		     const char *name);
/**
 * tl_event_format - the text of an event's format file; free() it; NULL, errno
 */
char *tl_event_format(struct tl_session *s, const char *system,
		      const char *name);
/**
 * tl_event_tally - add field @name, a long, of each record of @ev to @t
 *
 * In setup; in place of a handler, and in half of its time.  The session's
 * records of different processors, those of other events too, come in no order
 * then, unless some threads are asked for.
 */
int tl_event_tally(struct tl_session *s, struct tl_event *ev, const char *name,
		   struct tl_tally *t);

#pragma GCC visibility pop

#endif
