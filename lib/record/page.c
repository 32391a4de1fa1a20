// SPDX-License-Identifier: GPL-2.0-or-later
/* page.c - a sub-buffer of the ring buffer, as trace_pipe_raw gives it */
#include "record/page.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* an absolute time stamp holds 59 bits; the rest is that of the page */
#define STAMP_BITS 59

#define COMMIT_MASK (TL_PAGE_MISSED_STORED - 1)

static int header_field(const char *text, const char *name,
			unsigned int *offset, unsigned int *size)
{
	const char *p = strstr(text, name);

	if (!p || sscanf(p + strlen(name), "; offset:%u; size:%u;", offset,
			 size) != 2)
		return -EINVAL;
	return 0;
}

int tl_page_layout(const char *header_page, struct tl_page_layout *layout)
{
	unsigned int data_size;

	if (header_field(header_page, " commit", &layout->commit,
			 &layout->commit_size) ||
	    header_field(header_page, " data", &layout->data, &data_size))
		return -EINVAL;
	if (layout->commit < 8 || layout->data > 4096 ||
	    data_size > (1U << 24) ||
	    (layout->commit_size != 4 && layout->commit_size != 8) ||
	    layout->commit + layout->commit_size > layout->data)
		return -EINVAL;
	layout->size = layout->data + data_size;
	return 0;
}

static uint32_t word(const char *at)
{
	uint32_t w;

	memcpy(&w, at, sizeof(w));
	return w;
}

static uint64_t long_at(const char *data, unsigned int size)
{
	uint64_t w64;
	uint32_t w32;

	if (size == 4) {
		memcpy(&w32, data, sizeof(w32));
		return w32;
	}
	memcpy(&w64, data, sizeof(w64));
	return w64;
}

void tl_page_init(struct tl_page *page)
{
	static const char nothing[TL_PAGE_SLACK];

	*page = (struct tl_page){ .at = nothing, .end = nothing };
}

int tl_page_load(struct tl_page *page, const struct tl_page_layout *layout,
		 const char *buf, size_t len)
{
	unsigned int room;
	uint64_t commit;

	page->end = page->at;
	if (len < layout->data || len > layout->size)
		return -EBADMSG;
	room = len - layout->data;
	page->at = page->end = buf + layout->data;
	memcpy(&page->ns, buf, sizeof(page->ns));
	commit = long_at(buf + layout->commit, layout->commit_size);
	if ((commit & COMMIT_MASK) > room)
		return -EBADMSG;
	page->end = page->at + (commit & COMMIT_MASK);
	if (!(commit & TL_PAGE_MISSED))
		return 0;
	/* the count stands behind the data, if there was room for it */
	page->lost = -1;
	if ((commit & TL_PAGE_MISSED_STORED) &&
	    room - (commit & COMMIT_MASK) >= layout->commit_size)
		page->lost = (int64_t)long_at(page->end, layout->commit_size);
	return 0;
}

size_t tl_page_used(const struct tl_page_layout *layout, const char *buf,
		    size_t len)
{
	uint64_t used = (long_at(buf + layout->commit, layout->commit_size) &
			 COMMIT_MASK) +
			layout->data;

	/* the number of those that are lost may be behind them */
	used += layout->commit_size;
	return used < len ? used : len;
}

static uint64_t absolute(uint64_t stamp, uint64_t last)
{
	uint64_t high = last >> STAMP_BITS << STAMP_BITS;

	stamp |= high;
	return high && stamp < last ? stamp + (1ULL << STAMP_BITS) : stamp;
}

/*
 * Sets where what follows the header begins, and its length, which is checked.
 */
static int extent(const struct tl_page *p, unsigned int type, uint32_t delta,
		  const char **start, unsigned int *len)
{
	unsigned int left = p->end - p->at - 4;

	*start = p->at + 4;
	if (type > TL_PAGE_LARGE && type <= TL_PAGE_DATA_MAX) {
		*len = type * 4;
	} else if (type == TL_PAGE_PADDING && !delta) {
		*len = left; /* the rest of the sub-buffer is empty */
	} else {
		if (left < 4)
			return -EBADMSG;
		*len = type >= TL_PAGE_TIME_EXTEND ? 4 : word(*start);
		if (type == TL_PAGE_LARGE) {
			/* this length counts its own word */
			if (*len < 4)
				return -EBADMSG;
			*start += 4;
			*len -= 4;
			left -= 4;
		}
	}
	return *len > left ? -EBADMSG : 0;
}

/* Records are aligned to words; the last may not be filled. */
static void go_behind(struct tl_page *p, const char *start, unsigned int len)
{
	unsigned int left = p->end - start;

	len += -len & 3;
	p->at = start + (len < left ? len : left);
}

int tl_page_next_any(struct tl_page *p, struct tl_record *record)
{
	unsigned int type, len;
	uint32_t header, delta;
	const char *start;

	while (p->end - p->at >= 4) {
		header = word(p->at);
		type = tl_page_type(header);
		delta = tl_page_delta(header);
		if (extent(p, type, delta, &start, &len))
			return -EBADMSG;
		go_behind(p, start, len);
		if (type == TL_PAGE_TIME_EXTEND) {
			p->ns += delta +
				 ((uint64_t)word(start) << TL_PAGE_TIME_BITS);
		} else if (type == TL_PAGE_TIME_STAMP) {
			p->ns = absolute(delta + ((uint64_t)word(start)
						  << TL_PAGE_TIME_BITS),
					 p->ns);
		} else {
			p->ns += delta;
			/* one that was discarded; no event is without a type */
			if (type == TL_PAGE_PADDING || len < 4)
				continue;
			record->ns = p->ns;
			record->data = start;
			record->size = len;
			return 1;
		}
	}
	return 0;
}
