// SPDX-License-Identifier: GPL-2.0-or-later
/* exposition.c - what counts now and then, as it comes through a pipe */
#include "export/exposition.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define ONCE 65536 /* bytes */
#define LAST "\n" TL_EXPOSITION_END

/* What stands in front of the last end is whole. */
static int take_whole(struct tl_exposition *e, size_t from)
{
	struct tl_buf *b = &e->read;
	const char *p = b->data + from, *begin = b->data, *end = b->data;
	size_t left;

	while ((p = memmem(p, b->len - (size_t)(p - b->data), LAST,
			   strlen(LAST)))) {
		begin = end;
		p = end = p + strlen(LAST);
	}
	if (end == b->data)
		return 0;
	e->whole.len = 0;
	tl_buf_add(&e->whole, begin,
		   (size_t)(end - begin) - strlen(TL_EXPOSITION_END));
	left = b->len - (size_t)(end - b->data);
	memmove(b->data, end, left);
	b->len = left;
	return e->whole.failed ? -ENOMEM : 1;
}

int tl_exposition_read(struct tl_exposition *e, int fd, size_t max)
{
	/* of an end a part may have been there */
	const size_t back = strlen(LAST) - 1, len = e->read.len;
	char *to = tl_buf_room(&e->read, ONCE);
	ssize_t n = to ? read(fd, to, ONCE) : -1;
	int ret;

	if (!to)
		return -ENOMEM;
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	if (!n)
		return -EPIPE;
	e->read.len += (size_t)n;
	ret = take_whole(e, len > back ? len - back : 0);
	return !ret && e->read.len > max ? -EFBIG : ret;
}

void tl_exposition_free(struct tl_exposition *e)
{
	tl_buf_free(&e->read);
	tl_buf_free(&e->whole);
	*e = (struct tl_exposition){ 0 };
}
