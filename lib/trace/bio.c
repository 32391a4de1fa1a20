// SPDX-License-Identifier: GPL-2.0-or-later
/* bio.c - block I/O as bios, from submission on */
#include "trace/block.h"
#include "tracelet/event.h"
#include "tracelet/pairs.h"

/*
 * What is left of a bio at its end differs between drivers, but the sector
 * behind it does not: that is what it is known by.
 */
static struct tl_io_place end_of(const struct tl_record *r,
				 const struct tl_io_fields *f)
{
	struct tl_io_place at = tl_io_place_of(r, f);

	at.sector += tl_io_sectors(r, f);
	return at;
}

static bool is_asked(const struct tl_blocks *b, const struct tl_io_place *begin)
{
	const struct tl_device *d = &b->device;

	return !b->one_device ||
	       (begin->dev == d->disk &&
		(!d->count || begin->sector - d->first < d->count));
}

static void on_bio_queue(struct tl_session *s, const struct tl_record *r)
{
	struct tl_blocks *b = r->event->ctx;
	const struct tl_io_fields *f = &b->of[START];
	struct tl_io_place at = end_of(r, f), begin = tl_io_place_of(r, f);
	struct tl_io_pending *p = tl_io_first(b, &at);

	/* what was passed on to here was a copy: this one */
	while (p && !(p->of && p->passer == r->pid))
		p = tl_io_next(p);
	if (p)
		tl_pairs_remove(b->pending, p);
	p = tl_io_begin(b, r, f, at);
	if (!p)
		return;
	p->id = ++b->last_id;
	p->io.sector = begin.sector;
	p->io.issued = r->ns;
	/* not by the kernel, as copies show what became of others */
	if (!is_asked(b, &begin)) {
		p->silent = true;
		p->other = false;
	}
}

/* The newest bio that @nr sectors from @from on are of. */
static struct tl_io_pending *
bio_around(struct tl_blocks *b, const struct tl_io_place *from, uint32_t nr)
{
	struct tl_io_pending *p = tl_pairs_oldest(b->pending), *found = NULL;

	for (; p; p = tl_pairs_newer(p))
		if (!p->of && p->io.dev == from->dev && p->at.op == from->op &&
		    p->io.sector <= from->sector &&
		    from->sector + nr <=
			    p->io.sector + p->io.bytes / TL_IO_SECTOR)
			found = p;
	return found;
}

/* A piece of a bio goes on to another device, as it is or as a copy. */
static void pass_on(struct tl_blocks *b, const struct tl_io_pending *bio,
		    const struct tl_record *r, struct tl_io_place to,
		    uint32_t nr)
{
	struct tl_io_pending *p = tl_pairs_add(b->pending, tl_io_key(&to));

	if (!p)
		return;
	*p = (struct tl_io_pending){
		.at = to,
		.left = nr,
		.silent = true,
		.of = bio->id,
		.passer = r->pid,
		.io.dev = to.dev,
		.io.sector = to.sector - nr,
		.io.bytes = nr * TL_IO_SECTOR,
		.io.issued = r->ns,
	};
}

/*
 * A driver without requests passes a bio on; or a partition does, to its disk.
 */
static void on_bio_remap(struct tl_session *s, const struct tl_record *r)
{
	struct tl_blocks *b = r->event->ctx;
	const struct tl_io_fields *f = &b->of[REMAP];
	uint32_t nr = tl_io_sectors(r, f), from = tl_field_u32(r, &f->old_dev);
	struct tl_io_place to = end_of(r, f), at = to;
	struct tl_io_pending *p;

	at.dev = tl_disk_of(s, from);
	at.sector = tl_io_sector(r, &f->old_sector);
	if (at.dev == from) {
		p = nr ? bio_around(b, &at, nr) : NULL;
		if (p)
			pass_on(b, p, r, to, nr);
		return;
	}
	/* before that is queued; but a piece can have come to the partition */
	at.sector += nr;
	for (p = tl_io_first(b, &at); p; p = tl_io_next(p)) {
		if (!p->of || p->passer != r->pid)
			continue;
		p->io.sector = to.sector - nr;
		tl_io_move(b, p, to);
		return;
	}
}

static struct tl_io_pending *bio_of(struct tl_blocks *b,
				    const struct tl_io_pending *piece)
{
	struct tl_io_pending *p = tl_pairs_oldest(b->pending);

	while (p && p->id != piece->of)
		p = tl_pairs_newer(p);
	return p;
}

static void end_pieces(struct tl_blocks *b, const struct tl_io_pending *bio)
{
	struct tl_io_pending *p = tl_pairs_oldest(b->pending), *newer;

	for (; p; p = newer) {
		newer = tl_pairs_newer(p);
		if (p->of == bio->id)
			tl_pairs_remove(b->pending, p);
	}
}

/* A bio, or a piece that was no copy: with its last one a bio ends. */
static void end_bio(struct tl_blocks *b, struct tl_io_pending *p,
		    const struct tl_record *r)
{
	struct tl_io_pending *bio = p->of ? bio_of(b, p) : p;
	uint32_t nr;

	if (bio && bio != p) {
		bio->io.error = bio->io.error ?: p->io.error;
		nr = p->io.bytes / TL_IO_SECTOR;
		bio->left -= nr < bio->left ? nr : bio->left;
	}
	if (bio == p || (bio && !bio->left)) {
		end_pieces(b, bio);
		tl_io_end(b, bio, r);
	} else {
		tl_pairs_remove(b->pending, p);
	}
}

static void on_bio_complete(struct tl_session *s, const struct tl_record *r)
{
	struct tl_blocks *b = r->event->ctx;
	const struct tl_io_fields *f = &b->of[BIO_END];
	struct tl_io_place at = end_of(r, f);
	struct tl_io_pending *p = tl_io_first(b, &at);

	if (!p)
		return;
	p->io.error = tl_io_error(r, f);
	end_bio(b, p, r);
}

/* How much of @count sectors from @at on are of bio @p and had not ended. */
static uint32_t part_of(const struct tl_io_pending *p,
			const struct tl_io_place *at, uint32_t count)
{
	uint64_t begin = p->io.sector, end = begin + p->io.bytes / TL_IO_SECTOR;

	if (p->io.dev != at->dev || p->at.op != at->op)
		return 0;
	if (begin < at->sector)
		begin = at->sector;
	if (end > at->sector + count)
		end = at->sector + count;
	return begin < end ? (uint32_t)(end - begin) : 0;
}

/*
 * Where there are requests, their end is that of the bios in them, which have
 * no event of their own.  A bio may be in several requests.
 */
static void on_request_end(struct tl_session *s, const struct tl_record *r)
{
	struct tl_blocks *b = r->event->ctx;
	const struct tl_io_fields *f = &b->of[COMPLETE];
	struct tl_io_place at = tl_io_place_of(r, f);
	uint32_t count = tl_io_sectors(r, f), left = count, part;
	int error = tl_io_error(r, f);
	struct tl_io_pending *p = tl_io_first(
		b, &(struct tl_io_place){ at.dev, at.op, at.sector + count });
	struct tl_io_pending *newer;

	/* mostly it is one bio; else it is looked for */
	if (!p || p->io.sector != at.sector)
		p = tl_pairs_oldest(b->pending);
	for (; p; p = newer) {
		newer = tl_pairs_newer(p);
		part = part_of(p, &at, count);
		if (part > left || (!part && (p->left || !tl_io_is_at(p, &at))))
			continue;
		p->io.error = p->io.error ?: error;
		p->left -= part < p->left ? part : p->left;
		left -= part;
		if (!p->left) {
			end_bio(b, p, r);
			newer = tl_pairs_oldest(b->pending);
		}
		if (!left)
			break;
	}
}

const struct tl_io_event tl_io_bios[] = {
	{ START, "block_bio_queue", on_bio_queue },
	{ REMAP, "block_bio_remap", on_bio_remap },
	{ BIO_END, "block_bio_complete", on_bio_complete },
	{ COMPLETE, "block_rq_complete", on_request_end },
	{ 0 }
};
