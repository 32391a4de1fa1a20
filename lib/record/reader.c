// SPDX-License-Identifier: GPL-2.0-or-later
/* reader.c - records of all processors, in the order of time */
#include "record/reader.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

struct stream {
	unsigned int index;
	char *buf; /* allocated when the processor has its first record */
	struct tl_page page;
	struct tl_record next;
	bool ready;         /* next is set, and not given yet */
	unsigned int taken; /* sub-buffers in this pass */
};

struct tl_reader {
	const struct tl_page_source *source;
	const struct tl_reader_ops *ops;
	void *ctx;
	struct stream *streams;
	/* a heap of those that have a record, the oldest record on top */
	struct stream **heap;
	unsigned int count;
	unsigned int busiest; /* sub-buffers of one stream in this pass */
	bool unordered;
	char *spare;
};

/* Zeroed, since a word behind a full sub-buffer is read, though not looked at. */
static char *new_buffer(const struct tl_page_source *source)
{
	return calloc(1, source->layout.size + TL_PAGE_SLACK);
}

struct tl_reader *tl_reader_new(const struct tl_page_source *source,
				const struct tl_reader_ops *ops, void *ctx)
{
	struct tl_reader *r = calloc(1, sizeof(*r));
	unsigned int i;

	if (!r)
		return NULL;
	r->source = source;
	r->ops = ops;
	r->ctx = ctx;
	r->streams = calloc(source->streams ?: 1, sizeof(*r->streams));
	r->heap = calloc(source->streams ?: 1, sizeof(struct stream *));
	r->spare = new_buffer(source);
	if (!r->streams || !r->heap || !r->spare) {
		tl_reader_free(r);
		errno = ENOMEM;
		return NULL;
	}
	for (i = 0; i < source->streams; i++) {
		r->streams[i].index = i;
		tl_page_init(&r->streams[i].page);
		r->streams[i].next.cpu = source->cpu(source->ctx, i);
	}
	return r;
}

void tl_reader_free(struct tl_reader *r)
{
	unsigned int i;

	if (!r)
		return;
	for (i = 0; r->streams && i < r->source->streams; i++)
		free(r->streams[i].buf);
	free(r->streams);
	free(r->heap);
	free(r->spare);
	free(r);
}

void tl_reader_unordered(struct tl_reader *r)
{
	r->unordered = true;
}

/*
 * Most processors have nothing most of the time, and a machine may have
 * hundreds: they read into one spare buffer, and keep it once it is filled.
 */
static ssize_t take(struct tl_reader *r, struct stream *s)
{
	char *buf = s->buf ?: r->spare;
	bool in_gap = s->page.lost;
	ssize_t len = r->source->take(r->source->ctx, s->index, buf,
				      r->source->layout.size);

	if (len <= 0)
		return len;
	if (++s->taken > r->busiest)
		r->busiest = s->taken;
	if (!s->buf) {
		s->buf = r->spare;
		r->spare = new_buffer(r->source);
		if (!r->spare)
			return -ENOMEM;
	}
	if (tl_page_load(&s->page, &r->source->layout, buf, len))
		return -EBADMSG;
	if (s->page.lost && !in_gap)
		r->ops->gap(r->ctx, s->next.cpu, s->next.ns);
	return len;
}

/*
 * Makes the stream's next record ready: 1, 0 when it has none now, or -errno.
 */
static int advance(struct tl_reader *r, struct stream *s)
{
	ssize_t ret;

	s->ready = false;
	for (;;) {
		ret = tl_page_next(&s->page, &s->next);
		if (ret) {
			s->ready = ret > 0;
			return ret;
		}
		ret = take(r, s);
		if (ret <= 0)
			return ret;
	}
}

static void sift_down(struct tl_reader *r, unsigned int i)
{
	struct stream *s = r->heap[i];
	unsigned int child;

	while ((child = 2 * i + 1) < r->count) {
		if (child + 1 < r->count &&
		    r->heap[child + 1]->next.ns < r->heap[child]->next.ns)
			child++;
		if (s->next.ns <= r->heap[child]->next.ns)
			break;
		r->heap[i] = r->heap[child];
		i = child;
	}
	r->heap[i] = s;
}

static int fill_heap(struct tl_reader *r)
{
	unsigned int i;
	int ret;

	r->count = 0;
	r->busiest = 0;
	for (i = 0; i < r->source->streams; i++) {
		struct stream *s = &r->streams[i];

		s->taken = 0;
		ret = s->ready ? 1 : advance(r, s);
		if (ret < 0)
			return ret;
		if (ret)
			r->heap[r->count++] = s;
	}
	for (i = r->count / 2; i-- > 0;)
		sift_down(r, i);
	return 0;
}

/* How far the top of the heap can be followed before another one's turn. */
static uint64_t turn_of_others(const struct tl_reader *r, uint64_t until)
{
	unsigned int i;

	for (i = 1; i < 3 && i < r->count && !r->unordered; i++)
		if (r->heap[i]->next.ns < until)
			until = r->heap[i]->next.ns;
	return until;
}

/* Gives a stream's records up to @until; then as advance(). */
static int give(struct tl_reader *r, struct stream *s, uint64_t until)
{
	int ret;

	do {
		if (s->page.lost) {
			r->ops->lost(r->ctx, s->next.cpu, s->next.ns,
				     s->page.lost);
			s->page.lost = 0;
		}
		ret = r->ops->run(r->ctx, &s->page, &s->next, until);
		if (!ret)
			ret = advance(r, s);
	} while (ret > 0 && s->next.ns <= until);
	return ret;
}

int tl_reader_pass(struct tl_reader *r, uint64_t until)
{
	int ret = fill_heap(r), given = 0;

	while (!ret && r->count && r->heap[0]->next.ns <= until) {
		given = 1;
		ret = give(r, r->heap[0], turn_of_others(r, until));
		if (!ret)
			r->heap[0] = r->heap[--r->count];
		if (ret >= 0 && r->count > 1)
			sift_down(r, 0);
		ret = ret < 0 ? ret : 0;
	}
	return ret ?: given;
}

bool tl_reader_pending(const struct tl_reader *r)
{
	return r->count > 0;
}

unsigned int tl_reader_busiest(const struct tl_reader *r)
{
	return r->busiest;
}
