// SPDX-License-Identifier: GPL-2.0-or-later
/* request.c - block I/O as requests to drivers */
#include "trace/block.h"
#include "tracelet/event.h"
#include "tracelet/pairs.h"

/* No I/O takes so long, when a newer one at its place has ended: ns. */
#define TOO_OLD (600 * 1000000000ULL)

/* -Q: a bio has got a request. */
static void on_start(struct tl_session *s, const struct tl_record *r)
{
	struct tl_blocks *b = r->event->ctx;
	const struct tl_io_fields *f = &b->of[START];

	tl_io_begin(b, r, f, tl_io_place_of(r, f));
}

/* Issued by its driver: again, or for the first time. */
static void issue(struct tl_blocks *b, struct tl_io_pending *p,
		  const struct tl_record *r)
{
	const struct tl_io_fields *f = &b->of[ISSUE];
	uint32_t left = tl_io_sectors_left(r, f);

	if (!p->io.issued)
		p->io.bytes = tl_field_u32(r, &f->bytes);
	else /* it may have grown by merges while it was requeued */
		p->io.bytes += (left - p->left) * TL_IO_SECTOR;
	p->left = left;
	p->io.issued = r->ns;
	p->io.requeues += p->requeued;
	p->requeued = false;
	if (!b->config->queued)
		p->io.start = r->ns;
}

/*
 * The one that is issued: of several at one place the newest, as an older one
 * may have been given up without a word.
 */
static struct tl_io_pending *waiting(struct tl_blocks *b,
				     const struct tl_io_place *at)
{
	struct tl_io_pending *p, *next, *newest = NULL;

	for (p = tl_io_first(b, at); p; p = next) {
		next = tl_io_next(p);
		if (p->doubtful)
			tl_pairs_remove(b->pending, p);
		else if (p->requeued || !p->io.issued)
			newest = p;
	}
	return newest;
}

static void on_issue(struct tl_session *s, const struct tl_record *r)
{
	struct tl_blocks *b = r->event->ctx;
	struct tl_io_place at = tl_io_place_of(r, &b->of[ISSUE]);
	struct tl_io_pending *p = waiting(b, &at);

	if (p) {
		issue(b, p, r);
		return;
	}
	/* what was not queued in our sight: before we began, or by the
	 * block layer itself, to flush */
	if (b->config->queued)
		return;
	p = tl_io_begin(b, r, &b->of[ISSUE], at);
	if (!p)
		return;
	p->io.issued = r->ns;
	if (b->config->issued && !p->silent && tl_cpu_matches(s, r->cpu))
		b->config->issued(s, &p->io);
}

/* The driver could not take it, or wants to try again. */
static void on_requeue(struct tl_session *s, const struct tl_record *r)
{
	struct tl_blocks *b = r->event->ctx;
	struct tl_io_place at = tl_io_place_of(r, &b->of[REQUEUE]);
	struct tl_io_pending *p, *newest = NULL;

	/* a driver can refuse what it was not even issued */
	for (p = tl_io_first(b, &at); p; p = tl_io_next(p))
		if (!p->requeued && p->io.issued)
			newest = p;
	if (newest)
		newest->requeued = true;
}

/*
 * The one that ends: the oldest of that size, or else of those that are larger,
 * as an I/O may end in parts.  What ends before it was issued may have grown by
 * merges.
 */
static struct tl_io_pending *ending(struct tl_blocks *b,
				    const struct tl_io_place *at, uint32_t nr,
				    uint64_t now)
{
	struct tl_io_pending *p, *next, *partly = NULL;

	for (p = tl_io_first(b, at); p; p = next) {
		next = tl_io_next(p);
		if (next && now - p->io.start > TOO_OLD)
			tl_pairs_remove(b->pending, p);
		else if (p->left == nr || (!p->io.issued && nr > p->left))
			return p;
		else if (p->io.issued && p->left > nr && !partly)
			partly = p;
	}
	return partly;
}

/*
 * A zone append is issued at the beginning of a zone and ends where the device
 * has put it.  Up to 6.16 its letter is that of all that is not known better.
 */
static struct tl_io_pending *appended(struct tl_blocks *b,
				      const struct tl_io_place *at, uint32_t nr)
{
	struct tl_io_pending *p = NULL;

	if (nr && (at->op == 'N' || at->op == 'Z'))
		p = tl_pairs_oldest(b->pending);
	while (p && (p->left != nr || p->at.dev != at->dev ||
		     p->at.op != at->op || p->at.sector > at->sector))
		p = tl_pairs_newer(p);
	if (p)
		p->io.sector = at->sector;
	return p;
}

static void on_complete(struct tl_session *s, const struct tl_record *r)
{
	struct tl_blocks *b = r->event->ctx;
	const struct tl_io_fields *f = &b->of[COMPLETE];
	struct tl_io_place at = tl_io_place_of(r, f);
	uint32_t nr = tl_io_sectors(r, f);
	struct tl_io_pending *p =
		ending(b, &at, nr, r->ns) ?: appended(b, &at, nr);

	if (!p)
		return;
	/* of a part without length it was an attempt that failed */
	if (nr || !p->left)
		p->io.error = p->io.error ?: tl_io_error(r, f);
	if (nr >= p->left) {
		tl_io_end(b, p, r);
	} else if (nr) {
		p->left -= nr;
		at.sector += nr;
		tl_io_move(b, p, at);
	} else if (!tl_io_error(r, f)) {
		/* NVMe moves it to another path, or another's flush is over */
		p->doubtful = true;
	}
}

/* A bio was put in front of a request that waits. */
static void on_front_merge(struct tl_session *s, const struct tl_record *r)
{
	struct tl_blocks *b = r->event->ctx;
	struct tl_io_place to = tl_io_place_of(r, &b->of[FRONT]), at = to;
	uint32_t nr = tl_io_sectors(r, &b->of[FRONT]);
	struct tl_io_pending *p;

	at.sector += nr;
	p = tl_io_first(b, &at);
	while (p && p->io.issued && !p->requeued)
		p = tl_io_next(p);
	if (!p)
		return;
	p->left += nr;
	p->io.bytes += nr * TL_IO_SECTOR;
	p->io.sector = to.sector;
	tl_io_move(b, p, to);
}

/* A request became part of another, and has no events any more. */
static void on_merge(struct tl_session *s, const struct tl_record *r)
{
	struct tl_blocks *b = r->event->ctx;
	struct tl_io_place at = tl_io_place_of(r, &b->of[MERGE]);
	struct tl_io_pending *p = tl_io_first(b, &at);

	while (p && p->io.issued && !p->requeued)
		p = tl_io_next(p);
	if (p)
		tl_pairs_remove(b->pending, p);
}

/* 6.5 on; what older kernels have tells of a bio, just before. */
const struct tl_io_event tl_io_starts[] = {
	{ START, "block_io_start", on_start },
	{ START, "block_getrq", on_start },
	{ 0 },
};

const struct tl_io_event tl_io_requests[] = {
	{ ISSUE, "block_rq_issue", on_issue },
	{ REQUEUE, "block_rq_requeue", on_requeue },
	{ COMPLETE, "block_rq_complete", on_complete },
	{ FRONT, "block_bio_frontmerge", on_front_merge },
	{ MERGE, "block_rq_merge", on_merge },
	{ 0 }
};
