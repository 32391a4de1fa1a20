/* SPDX-License-Identifier: GPL-2.0-or-later */
/* asleep.h - threads that sleep since before the start, from /proc */
#ifndef TL_SCHED_ASLEEP_H
#define TL_SCHED_ASLEEP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/session.h"

/** A thread that slept when it was looked at. */
struct tl_asleep {
	pid_t tid;
	char letter; /* why: as /proc/PID/stat has it */
	unsigned int cpu;
	uint64_t ns;       /* when it was looked at */
	const char *stack; /* its functions, the innermost first: "a;b;c" */
	size_t len;
	bool taken; /* by tl_asleep_take() */
};

/** struct tl_asleep_list - of these */
struct tl_asleep_list;

/**
 * tl_asleep_read - look at all threads that are asked for, once recording has begun; in a
 * run that writes a capture, it has these
 * @stacks: their stacks in the kernel too
 *
 * Of a capture those that it has.  20 us for each; NULL without memory.
 */
struct tl_asleep_list *tl_asleep_read(struct tl_session *s, bool stacks);
/**
 * tl_asleep_take - @tid, if it slept; it has done so since the start if it has no record
 * before it was looked at; NULL when it was taken before; @list may be NULL
 */
const struct tl_asleep *tl_asleep_take(struct tl_asleep_list *list, pid_t tid);
/** tl_asleep_each - call @fn for each that was not taken */
void tl_asleep_each(const struct tl_asleep_list *list,
		    void (*fn)(void *ctx, const struct tl_asleep *one),
		    void *ctx);
void tl_asleep_free(struct tl_asleep_list *list);

#endif
