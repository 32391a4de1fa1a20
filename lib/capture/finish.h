/* SPDX-License-Identifier: GPL-2.0-or-later */
/* finish.h - a capture that was written becomes a trace.dat */
#ifndef TL_CAPTURE_FINISH_H
#define TL_CAPTURE_FINISH_H

#include "base/session.h"
#include "record/page.h"

/** What is the same in all files of a capture. */
struct tl_capture_kind {
	struct tl_page_layout layout;
	const unsigned int *cpus; /* of each stream */
	unsigned int streams;
};

/**
 * tl_capture_finish - make the sections in @path a trace.dat
 *
 * With the symbols that its records may mean, if the session has symbols.  By a
 * file beside it, PATH.part, which takes its place when it is whole.  Returns
 * 0, or -errno without a message, and then @path is as it was.
 */
int tl_capture_finish(struct tl_session *s, const char *path,
		      const struct tl_capture_kind *kind);
/**
 * tl_capture_convert - write what the sections in @from become, into the empty file @to
 * @room: called with its bytes before the first is written; what it returns, if not 0, is
 *        returned; NULL: there is no limit
 *
 * Returns 0, or -errno without a message.
 */
int tl_capture_convert(struct tl_session *s, int from, int to,
		       const struct tl_capture_kind *kind,
		       int (*room)(void *ctx, int to, uint64_t size),
		       void *ctx);

#endif
