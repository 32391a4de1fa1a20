/* SPDX-License-Identifier: GPL-2.0-or-later */
/* callstack.h - calls that are going on, innermost last, of each thread */
#ifndef TL_CALL_CALLSTACK_H
#define TL_CALL_CALLSTACK_H

#include "tracelet/event.h"

/** A call. */
struct tl_frame {
	const char *function;
	uint64_t start;  /* ns */
	uint64_t asleep; /* ns that the thread had been off its processor by
			  * then; once popped, those of this call */
	/* a copy of the record of its entry, where that was asked for */
	struct tl_record entry;
	char *data;
	size_t room;
};

struct tl_callstacks;

struct tl_callstacks *tl_callstacks_new(void);
void tl_callstacks_free(struct tl_callstacks *f);
/** tl_callstacks_clear - records were lost: nothing is known any more */
void tl_callstacks_clear(struct tl_callstacks *f);
/** tl_callstacks_forget - thread @key has gone, or is a new one */
void tl_callstacks_forget(struct tl_callstacks *f, int64_t key);

/** tl_callstacks_push - thread @key enters @function; NULL without memory */
struct tl_frame *tl_callstacks_push(struct tl_callstacks *f, int64_t key,
				    const char *function, uint64_t ns);
/** tl_frame_keep - copy the record of its entry; false without memory */
bool tl_frame_keep(struct tl_frame *frame, const struct tl_record *r);
/**
 * tl_callstacks_pop - thread @key returns from @function, compared by its address
 * @depth: becomes the number of calls around it
 *
 * What is inside of it, and has not returned, never will: it goes too.  Returns
 * the call, valid until the next one of this thread, or NULL when its entry is
 * not known.
 */
struct tl_frame *tl_callstacks_pop(struct tl_callstacks *f, int64_t key,
				   const char *function, unsigned int *depth);

/**
 * tl_callstacks_end - thread @key is ending: of what it calls, most returns,
 * but not all
 */
void tl_callstacks_end(struct tl_callstacks *f, int64_t key);

/** tl_callstacks_off - thread @key leaves its processor at @ns */
void tl_callstacks_off(struct tl_callstacks *f, int64_t key, uint64_t ns);
/** tl_callstacks_on - it has one again */
void tl_callstacks_on(struct tl_callstacks *f, int64_t key, uint64_t ns);

/**
 * tl_callstacks_count - calls that have taken at least @least ns by @ns, without
 * those of threads that are ending
 */
uint64_t tl_callstacks_count(struct tl_callstacks *f, uint64_t ns,
			     uint64_t least);

#endif
