/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * page.h - a sub-buffer of the ring buffer, as trace_pipe_raw gives it
 *
 * The layout is ABI: include/linux/ring_buffer.h, and events/header_page and
 * events/header_event in tracefs.  Every length in it is checked, because a
 * sub-buffer can come from a file.
 */
#ifndef TL_PAGE_H
#define TL_PAGE_H

#include <stddef.h>
#include <stdint.h>

/** Where in a sub-buffer things are. */
struct tl_page_layout {
	unsigned int size;   /* of a sub-buffer, header included */
	unsigned int commit; /* offset and size of the commit word */
	unsigned int commit_size;
	unsigned int data; /* offset of the first event */
};

/** tl_page_layout - from the text of events/header_page; 0 or -EINVAL */
int tl_page_layout(const char *header_page, struct tl_page_layout *layout);

/** A place in a sub-buffer. */
struct tl_page {
	const char *data;
	unsigned int pos, end;
	uint64_t ns;
	/* records lost before here, -1: not counted; the reader clears it */
	int64_t lost;
};

/** A record: points into the sub-buffer. */
struct tl_entry {
	uint64_t ns;
	const char *data;
	unsigned int size;
};

/** tl_page_load - begin at the first of @len bytes of @buf; 0 or -EBADMSG */
int tl_page_load(struct tl_page *page, const struct tl_page_layout *layout,
		 const char *buf, size_t len);

/** tl_page_next - 1 and a record, 0 at the end, -EBADMSG */
int tl_page_next(struct tl_page *page, struct tl_entry *entry);

#endif
