// SPDX-License-Identifier: GPL-2.0-or-later
/* snapshot.c - what was read and is younger than some time, for a capture */
#include "capture/snapshot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "record/event.h"
#include "record/reader.h"
#include "tracelet/event.h"
#include "tracelet/message.h"

struct tl_snapshot {
	struct tl_session *s;
	const struct tl_capture_kind *kind;
	struct tl_pagequeue *pages;
	uint64_t span, max;
	uint64_t since;
	bool is_short;         /* there was more than fits since then */
	struct tl_tasks *past; /* as they were then */
	/* reads what is forgotten; it is in one sub-buffer of each stream */
	struct tl_page_source source;
	struct tl_reader *reader;
	struct tl_kept_page **held;
	tl_page_handler *done;
	void *ctx;
};

/* ---- what is forgotten ------------------------------------------------ */

static int let_go(struct tl_snapshot *r, unsigned int stream)
{
	struct tl_kept_page *page = r->held[stream];
	int ret = 0;

	if (page && r->done)
		ret = r->done(r->ctx, stream, page);
	free(page);
	r->held[stream] = NULL;
	return ret;
}

/* A stream that is held has been read to its end. */
static ssize_t take(void *ctx, unsigned int stream, void *buf, size_t size)
{
	struct tl_snapshot *r = ctx;
	int ret = let_go(r, stream);
	struct tl_kept_page *page;

	if (ret)
		return ret;
	page = tl_pagequeue_take(r->pages, stream);
	if (!page)
		return 0;
	r->held[stream] = page;
	if (page->len > size)
		return -EBADMSG;
	memcpy(buf, page->data, page->len);
	return (ssize_t)page->len;
}

static unsigned int cpu_of(void *ctx, unsigned int stream)
{
	return ((struct tl_snapshot *)ctx)->kind->cpus[stream];
}

static int on_run(void *ctx, struct tl_page *page, struct tl_record *record,
		  uint64_t until)
{
	return tl_events_watch_run(((struct tl_snapshot *)ctx)->s, page, record,
				   until);
}

static void on_gap(void *ctx, unsigned int cpu, uint64_t ns)
{
}

/* Names of threads may be out of date behind a loss. */
static void on_lost(void *ctx, unsigned int cpu, uint64_t ns, int64_t count)
{
	tl_tasks_lost(((struct tl_snapshot *)ctx)->s);
}

void tl_snapshot_swap_tasks(struct tl_snapshot *r)
{
	struct tl_tasks *other = r->s->tasks;

	r->s->tasks = r->past;
	r->past = other;
}

static int forget_before(struct tl_snapshot *r, uint64_t ns)
{
	int ret;

	if (ns > r->since)
		r->since = ns;
	tl_snapshot_swap_tasks(r);
	ret = tl_reader_pass(r->reader, r->since);
	tl_snapshot_swap_tasks(r);
	if (ret == -EBADMSG)
		return tl_fail(EBADMSG, "the ring buffer's format is not as "
					"events/header_page says");
	return ret < 0 ? ret : 0;
}

/* Of the stream whose turn it is, at least what is held. */
static int forget_one(struct tl_snapshot *r)
{
	unsigned int i = tl_pagequeue_oldest(r->pages);

	return i == r->pages->streams
		       ? 0
		       : forget_before(
				 r, STAILQ_FIRST(&r->pages->queues[i])->ns + 1);
}

int tl_snapshot_forget(struct tl_snapshot *r, uint64_t now)
{
	const uint64_t begin = now > r->span ? now - r->span : 0;
	int ret = forget_before(r, begin);

	r->is_short &= r->since > begin;
	while (!ret && r->pages->size > r->max) {
		ret = forget_one(r);
		r->is_short = true;
	}
	return ret;
}

/* ---- what is remembered ----------------------------------------------- */

uint64_t tl_snapshot_since(const struct tl_snapshot *r)
{
	return r->since;
}

uint64_t tl_snapshot_oldest(const struct tl_snapshot *r)
{
	const struct tl_kept_page *page;
	uint64_t ns = UINT64_MAX;
	unsigned int i;

	for (i = 0; i < r->pages->streams; i++) {
		page = r->held[i] ?: STAILQ_FIRST(&r->pages->queues[i]);
		if (page && page->ns < ns)
			ns = page->ns;
	}
	return ns;
}

bool tl_snapshot_is_short(const struct tl_snapshot *r)
{
	return r->is_short;
}

/* The oldest of @next, and the one behind it there; NULL: there is none. */
static const struct tl_kept_page *next_page(const struct tl_snapshot *r,
					    const struct tl_kept_page **next,
					    unsigned int *stream)
{
	const struct tl_kept_page *page = NULL;
	unsigned int i;

	for (i = 0; i < r->pages->streams; i++) {
		if (next[i] && (!page || next[i]->ns < page->ns)) {
			page = next[i];
			*stream = i;
		}
	}
	if (page)
		next[*stream] =
			page == r->held[*stream]
				? STAILQ_FIRST(&r->pages->queues[*stream])
				: STAILQ_NEXT(page, next);
	return page;
}

int tl_snapshot_each(const struct tl_snapshot *r, tl_page_handler *fn,
		     void *ctx)
{
	const struct tl_kept_page *page, **next;
	unsigned int i, stream = 0;
	int ret = 0;

	next = calloc(r->pages->streams + 1, sizeof(struct tl_kept_page *));
	if (!next)
		return -ENOMEM;
	for (i = 0; i < r->pages->streams; i++)
		next[i] = r->held[i] ?: STAILQ_FIRST(&r->pages->queues[i]);
	while (!ret && (page = next_page(r, next, &stream)))
		ret = fn(ctx, stream, page);
	free(next);
	return ret;
}

/* ---- begin and end ---------------------------------------------------- */

struct tl_snapshot *tl_snapshot_new(struct tl_session *s,
				    const struct tl_capture_kind *kind,
				    struct tl_pagequeue *pages, uint64_t span,
				    uint64_t max, tl_page_handler *done,
				    void *ctx)
{
	static const struct tl_reader_ops ops = { .run = on_run,
						  .gap = on_gap,
						  .lost = on_lost };
	struct tl_snapshot *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	*r = (struct tl_snapshot){
		.s = s,
		.kind = kind,
		.pages = pages,
		.span = span,
		.max = max,
		.done = done,
		.ctx = ctx,
	};
	r->source = (struct tl_page_source){
		.ctx = r,
		.streams = kind->streams,
		.layout = kind->layout,
		.take = take,
		.cpu = cpu_of,
	};
	r->past = tl_tasks_snapshot(s, false);
	r->held = calloc(kind->streams + 1, sizeof(struct tl_kept_page *));
	r->reader = tl_reader_new(&r->source, &ops, r);
	if (r->past && r->held && r->reader)
		return r;
	tl_snapshot_free(r);
	return NULL;
}

void tl_snapshot_free(struct tl_snapshot *r)
{
	unsigned int i;

	if (!r)
		return;
	tl_snapshot_swap_tasks(r);
	tl_tasks_free(r->s);
	tl_snapshot_swap_tasks(r);
	for (i = 0; r->held && i < r->kind->streams; i++)
		free(r->held[i]);
	free(r->held);
	tl_reader_free(r->reader);
	free(r);
}
