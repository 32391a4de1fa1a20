/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader.h - records of all processors, in the order of time
 *
 * A pass gives what happened before it began: everything up to a watermark is
 * merged, what is newer waits for the next pass, so that a quiet processor's
 * record can't come late.  One sub-buffer per processor is held.
 */
#ifndef TL_RECORD_READER_H
#define TL_RECORD_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/page.h"
#include "tracelet/event.h"

/** Where sub-buffers come from: an instance, or a capture. */
struct tl_page_source {
	void *ctx;
	unsigned int streams; /* one per processor */
	struct tl_page_layout layout;
	/**
	 * Takes the next sub-buffer of @stream: its length, 0 when there is
	 * none now, -errno.
	 */
	ssize_t (*take)(void *ctx, unsigned int stream, void *buf, size_t size);
	/** The processor that @stream belongs to. */
	unsigned int (*cpu)(void *ctx, unsigned int stream);
};

struct tl_reader_ops {
	/**
	 * Takes @r, and what is behind it on @page up to @until.  Event and
	 * thread of a record are not known yet.  Returns what the last
	 * tl_page_next() did: 1 when @r is one that is newer.
	 *
	 * Not a call for each: their cost is in such calls.
	 */
	int (*run)(void *ctx, struct tl_page *page, struct tl_record *r,
		   uint64_t until);
	/**
	 * The next record of @cpu is behind a loss; those of others come
	 * before.  @ns: when the last one before it was; 0: there is none.
	 */
	void (*gap)(void *ctx, unsigned int cpu, uint64_t ns);
	/** That record comes now, of @ns: so many are missing; -1: not counted. */
	void (*lost)(void *ctx, unsigned int cpu, uint64_t ns, int64_t count);
};

struct tl_reader;

/** tl_reader_new - NULL and errno; @source and @ops are kept, not copied */
struct tl_reader *tl_reader_new(const struct tl_page_source *source,
				const struct tl_reader_ops *ops, void *ctx);
void tl_reader_free(struct tl_reader *reader);

/**
 * tl_reader_unordered - from now on give those of a pass processor by
 * processor: quicker
 */
void tl_reader_unordered(struct tl_reader *reader);

/**
 * tl_reader_pass - give all records up to @until
 *
 * Returns 1 when there was any, else 0, or -errno: -EBADMSG for a sub-buffer
 * that makes no sense.
 */
int tl_reader_pass(struct tl_reader *reader, uint64_t until);

/**
 * tl_reader_busiest - sub-buffers that the last pass took from the stream that
 * had most
 */
unsigned int tl_reader_busiest(const struct tl_reader *reader);

/** tl_reader_pending - whether records newer than the last pass are held */
bool tl_reader_pending(const struct tl_reader *reader);

#endif
