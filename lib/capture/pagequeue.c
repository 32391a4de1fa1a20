// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pagequeue.c - sub-buffers that were read, in memory, until they are written
 */
#include "capture/pagequeue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "record/page.h"

int tl_pagequeue_open(struct tl_pagequeue *p, unsigned int streams)
{
	unsigned int i;

	*p = (struct tl_pagequeue){
		.queues = calloc(streams + 1, sizeof(*p->queues)),
		.streams = streams,
	};
	if (!p->queues)
		return -ENOMEM;
	for (i = 0; i < streams; i++)
		STAILQ_INIT(&p->queues[i]);
	return 0;
}

void tl_pagequeue_close(struct tl_pagequeue *p)
{
	unsigned int i;

	for (i = 0; p->queues && i < p->streams; i++)
		while (!STAILQ_EMPTY(&p->queues[i]))
			free(tl_pagequeue_take(p, i));
	free(p->queues);
	p->queues = NULL;
}

int tl_pagequeue_add(struct tl_pagequeue *p, unsigned int stream,
		     const char *data, size_t len)
{
	struct tl_kept_page *page = malloc(sizeof(*page) + len + TL_PAGE_SLACK);

	if (!page)
		return -ENOMEM;
	memcpy(&page->ns, data, sizeof(page->ns));
	memcpy(page->data, data, len);
	page->len = len;
	STAILQ_INSERT_TAIL(&p->queues[stream], page, next);
	p->size += len;
	p->count++;
	return 0;
}

unsigned int tl_pagequeue_oldest(const struct tl_pagequeue *p)
{
	unsigned int i, oldest = p->streams;
	const struct tl_kept_page *page;
	uint64_t ns = UINT64_MAX;

	for (i = 0; i < p->streams; i++) {
		page = STAILQ_FIRST(&p->queues[i]);
		if (page && page->ns < ns) {
			ns = page->ns;
			oldest = i;
		}
	}
	return oldest;
}

struct tl_kept_page *tl_pagequeue_take(struct tl_pagequeue *p,
				       unsigned int stream)
{
	struct tl_kept_page *page = STAILQ_FIRST(&p->queues[stream]);

	if (!page)
		return NULL;
	STAILQ_REMOVE_HEAD(&p->queues[stream], next);
	p->size -= page->len;
	p->count--;
	return page;
}
