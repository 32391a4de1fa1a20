/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pagequeue.h - sub-buffers that were read, in memory, until they are written
 */
#ifndef TL_CAPTURE_PAGEQUEUE_H
#define TL_CAPTURE_PAGEQUEUE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

/** A sub-buffer that is kept. */
struct tl_kept_page {
	STAILQ_ENTRY(tl_kept_page) next;
	uint64_t ns; /* of its first record */
	size_t len;
	char data[];
};
STAILQ_HEAD(tl_page_queue, tl_kept_page);

/** The sub-buffers of all streams; the oldest of each is first. */
struct tl_pagequeue {
	struct tl_page_queue *queues;
	unsigned int streams;
	uint64_t size; /* bytes of all */
	uint64_t count;
};

/** tl_pagequeue_open - 0 or -ENOMEM */
int tl_pagequeue_open(struct tl_pagequeue *p, unsigned int streams);
/** tl_pagequeue_close - frees all; also what was never opened */
void tl_pagequeue_close(struct tl_pagequeue *p);
/**
 * tl_pagequeue_add - behind those of @stream; at least a time stamp; 0 or
 * -ENOMEM
 */
int tl_pagequeue_add(struct tl_pagequeue *p, unsigned int stream,
		     const char *data, size_t len);
/**
 * tl_pagequeue_oldest - the stream whose first one is oldest, @p->streams: none
 */
unsigned int tl_pagequeue_oldest(const struct tl_pagequeue *p);
/** tl_pagequeue_take - the first of @stream, to be freed; NULL: none */
struct tl_kept_page *tl_pagequeue_take(struct tl_pagequeue *p,
				       unsigned int stream);

#endif
