/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * page.h - a sub-buffer of the ring buffer, as trace_pipe_raw gives it
 *
 * The layout is ABI: include/linux/ring_buffer.h, and events/header_page and
 * events/header_event in tracefs.  Every length in it is checked, because a
 * sub-buffer can come from a file.
 */
#ifndef TL_RECORD_PAGE_H
#define TL_RECORD_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "tracelet/event.h"

/** Where in a sub-buffer things are. */
struct tl_page_layout {
	unsigned int size;   /* of a sub-buffer, header included */
	unsigned int commit; /* offset and size of the commit word */
	unsigned int commit_size;
	unsigned int data; /* offset of the first event */
};

/** tl_page_layout - from the text of events/header_page; 0 or -EINVAL */
int tl_page_layout(const char *header_page, struct tl_page_layout *layout);

/* bytes behind a sub-buffer that may be read, and are not looked at */
#define TL_PAGE_SLACK 4

/** A place in a sub-buffer. */
struct tl_page {
	const char *at, *end;
	uint64_t ns;
	/* records lost before here, -1: not counted; the reader clears it */
	int64_t lost;
};

/** tl_page_init - at the end of an empty one */
void tl_page_init(struct tl_page *page);

/**
 * tl_page_load - begin at the first of @len bytes of @buf; 0 or -EBADMSG
 *
 * @buf has TL_PAGE_SLACK bytes more, for as long as the page is used.
 */
int tl_page_load(struct tl_page *page, const struct tl_page_layout *layout,
		 const char *buf, size_t len);

/** tl_page_used - how much of @len bytes of a sub-buffer is not empty */
size_t tl_page_used(const struct tl_page_layout *layout, const char *buf,
		    size_t len);

/**
 * tl_page_next - 1 and a record, 0 at the end, -EBADMSG
 *
 * Sets time, data, which points into the sub-buffer, and size of @record.
 */
static inline int tl_page_next(struct tl_page *page, struct tl_record *record);

/* tl_page_next() for all but plain records of up to 112 bytes. */
int tl_page_next_any(struct tl_page *page, struct tl_record *record);

/** A sub-buffer that is made here, of records that do not come from tracefs. */
struct tl_page_writer {
	const struct tl_page_layout *layout;
	char *buf;     /* of layout->size bytes */
	size_t used;   /* of the room for data */
	uint64_t ns;   /* of the record that was added last */
	bool is_empty; /* there is none yet */
};

/** tl_page_write - begin with an empty one in @buf, of @layout->size bytes */
void tl_page_write(struct tl_page_writer *w,
		   const struct tl_page_layout *layout, char *buf);
/**
 * tl_page_add - room for a record of @size bytes, of time @ns, to be filled now; NULL
 * if the sub-buffer has none left
 *
 * One of before the last record gets the time of that.
 */
char *tl_page_add(struct tl_page_writer *w, uint64_t ns, size_t size);
/**
 * tl_page_written - end it, behind a loss of @lost records, -1: not counted; its
 * length, or 0 if it has no record
 */
size_t tl_page_written(struct tl_page_writer *w, int64_t lost);

/* first bits of an event: its length in words, or what else it is */
#define TL_PAGE_TYPE_BITS 5
#define TL_PAGE_TIME_BITS 27
#define TL_PAGE_DATA_MAX  28

/* values of the type */
enum {
	TL_PAGE_LARGE = 0, /* the length is in the next word, which it counts */
	/* 1 to TL_PAGE_DATA_MAX: the length in words */
	TL_PAGE_PADDING = 29,
	TL_PAGE_TIME_EXTEND =
		30, /* upper bits of the delta are in the next word */
	TL_PAGE_TIME_STAMP = 31,
};

/* In the commit word: records before this sub-buffer were lost, and how many is behind
 * its data. */
#define TL_PAGE_MISSED        (1UL << 31)
#define TL_PAGE_MISSED_STORED (1UL << 30)

static inline unsigned int tl_page_type(uint32_t header)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return header & ((1U << TL_PAGE_TYPE_BITS) - 1);
#else
	return header >> TL_PAGE_TIME_BITS;
#endif
}

static inline uint32_t tl_page_delta(uint32_t header)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return header >> TL_PAGE_TYPE_BITS;
#else
	return header & ((1U << TL_PAGE_TIME_BITS) - 1);
#endif
}

static inline uint32_t tl_page_header(unsigned int type, uint32_t delta)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return type | delta << TL_PAGE_TYPE_BITS;
#else
	return type << TL_PAGE_TIME_BITS | delta;
#endif
}

/* At the end the header is not one, and what it promises is too much. */
static inline int tl_page_next(struct tl_page *page, struct tl_record *record)
{
	const char *at = page->at;
	uint32_t header;
	size_t len;

	memcpy(&header, at, sizeof(header));
	len = (size_t)tl_page_type(header) * 4;
	if (len - 4 >= (size_t)TL_PAGE_DATA_MAX * 4 ||
	    len + 4 > (size_t)(page->end - at))
		return tl_page_next_any(page, record);
	page->ns += tl_page_delta(header);
	page->at = at + 4 + len;
	record->ns = page->ns;
	record->data = at + 4;
	record->size = len;
	return 1;
}

#endif
