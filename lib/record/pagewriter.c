// SPDX-License-Identifier: GPL-2.0-or-later
/* pagewriter.c - sub-buffers of records that do not come from tracefs */
#include <string.h>

#include "record/page.h"

#define DELTA_MAX ((1U << TL_PAGE_TIME_BITS) - 1)

/* of a record: how much later it is, and its length */
#define HEADERS (4 * sizeof(uint32_t))
/* behind the data, for how many were lost */
#define RESERVED sizeof(uint64_t)

void tl_page_write(struct tl_page_writer *w,
		   const struct tl_page_layout *layout, char *buf)
{
	*w = (struct tl_page_writer){ .layout = layout,
				      .buf = buf,
				      .is_empty = true };
	memset(buf, 0, layout->data);
}

static void put_word(struct tl_page_writer *w, uint32_t word)
{
	memcpy(w->buf + w->layout->data + w->used, &word, sizeof(word));
	w->used += sizeof(word);
}

/* How long ago the last record was; the first one has the time of the sub-buffer. */
static uint64_t delta_of(const struct tl_page_writer *w, uint64_t ns)
{
	return w->is_empty || ns < w->ns ? 0 : ns - w->ns;
}

char *tl_page_add(struct tl_page_writer *w, uint64_t ns, size_t size)
{
	const size_t room = w->layout->size - w->layout->data - w->used;
	const uint64_t delta = delta_of(w, ns);
	const size_t words = (size + 3) / 4 * 4;
	char *data;

	if (size > room || words + HEADERS + RESERVED > room)
		return NULL;
	if (w->is_empty)
		memcpy(w->buf, &ns, sizeof(ns));
	if (delta > DELTA_MAX) {
		put_word(w, tl_page_header(TL_PAGE_TIME_EXTEND,
					   (uint32_t)(delta & DELTA_MAX)));
		put_word(w, (uint32_t)(delta >> TL_PAGE_TIME_BITS));
	}
	put_word(w, tl_page_header(TL_PAGE_LARGE,
				   delta > DELTA_MAX ? 0 : (uint32_t)delta));
	put_word(w, (uint32_t)(words + sizeof(uint32_t)));
	data = w->buf + w->layout->data + w->used;
	w->used += words;
	w->ns = w->is_empty || ns > w->ns ? ns : w->ns;
	w->is_empty = false;
	return data;
}

/* A number of 32 or 64 bits, as the kernel's long is. */
static void put_long(char *at, unsigned int size, uint64_t value)
{
	const uint32_t less = (uint32_t)value;

	if (size == sizeof(less))
		memcpy(at, &less, sizeof(less));
	else
		memcpy(at, &value, sizeof(value));
}

size_t tl_page_written(struct tl_page_writer *w, int64_t lost)
{
	const struct tl_page_layout *l = w->layout;
	uint64_t commit = w->used;
	size_t len = l->data + w->used;

	if (w->is_empty)
		return 0;
	if (lost)
		commit |= TL_PAGE_MISSED;
	if (lost > 0) {
		commit |= TL_PAGE_MISSED_STORED;
		put_long(w->buf + len, l->commit_size, (uint64_t)lost);
		len += l->commit_size;
	}
	put_long(w->buf + l->commit, l->commit_size, commit);
	return len;
}
