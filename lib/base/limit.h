/* SPDX-License-Identifier: GPL-2.0-or-later */
/* limit.h - what a tool cannot do on this kernel, for --check */
#ifndef TL_BASE_LIMIT_H
#define TL_BASE_LIMIT_H

#include "base/buf.h"
#include "base/part.h"

/** What --check has found; a part of its run. */
struct tl_limits {
	struct tl_part part;
	struct tl_limit {
		const char *option;
		struct tl_buf reason;
	} * list;
	size_t count;
};

/** tl_limits_new - only look from now on; NULL without memory */
struct tl_limits *tl_limits_new(struct tl_session *s);
/** tl_limits - what was found so far; NULL: this is no --check */
struct tl_limits *tl_limits(const struct tl_session *s);

/** tl_limit_of - as tl_limit(), with @data for @check */
int tl_limit_of(struct tl_session *s, const char *option, bool given,
		int (*check)(struct tl_session *s, void *data), void *data);

/**
 * tl_limit_join - append what was said, "TOOL: WORDS" in each line, as one line
 * without the tool
 */
void tl_limit_join(struct tl_buf *to, const char *tool,
		   const struct tl_buf *said);

#endif
