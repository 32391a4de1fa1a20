/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * block.h - block I/O from its begin to its end
 *
 * The kernel's events have no request in them, only device, sector and type,
 * so that is what an end is known by.  On its way a request can be merged with
 * others, be requeued by its driver and issued again, and end piece by piece.
 */
#ifndef TL_TRACE_BLOCK_H
#define TL_TRACE_BLOCK_H

#include <string.h>

#include "base/part.h"
#include "kernel/disk.h"
#include "record/event.h"
#include "tracelet/block.h"
#include "tracelet/event.h"
#include "tracelet/pairs.h"

#define TL_IO_SECTOR 512

/* Where the values are in an event; not all events have all. */
struct tl_io_fields {
	struct tl_field dev, sector, nr, bytes, error, type;
	struct tl_field old_dev, old_sector;
};

enum tl_io_kind {
	START,
	ISSUE,
	REQUEUE,
	COMPLETE,
	MERGE,
	FRONT,
	REMAP,
	BIO_END,
	KINDS
};

/* The part of a record that tells one I/O from others. */
struct tl_io_place {
	uint32_t dev;
	char op;
	uint64_t sector;
};

struct tl_io_pending {
	struct tl_io_place at; /* what its next event will say */
	struct tl_io io;
	uint32_t left; /* sectors that have not ended */
	bool silent;   /* not asked for, but not to be taken for another */
	bool other;    /* and that is so for whose it is */
	bool requeued; /* by its driver */
	bool doubtful; /* its end may have been seen */
	/* bios: */
	uint64_t id;
	uint64_t of;  /* not one itself, but a piece of the one with that id */
	pid_t passer; /* the thread that passed the piece on */
};

struct tl_blocks {
	struct tl_part part;
	struct tl_session *s;
	const struct tl_io_config *config;
	struct tl_device device;
	bool one_device;
	struct tl_io_fields of[KINDS];
	struct tl_pairs *pending;
	uint64_t last_id;
	uint64_t asked, others; /* that have ended */
	struct tl_field state;  /* of a request that is requeued: sizes only */
};

extern const struct tl_part_ops tl_blocks_ops;

/** tl_blocks - what tl_io_open() has made of @s, or NULL */
static inline struct tl_blocks *tl_blocks(const struct tl_session *s)
{
	return tl_part_find(s, &tl_blocks_ops);
}

/* ---- values of records ------------------------------------------------ */

/* What block_rq_issue and the like call rwbs; terminated. */
static inline const char *tl_io_type(const struct tl_record *r,
				     const struct tl_io_fields *f)
{
	return r->data + f->type.offset;
}

/*
 * The letter of the operation.  An F in front of it asks for a flush before
 * it; the block layer removes that when it has done so.
 */
static inline char tl_io_op(const char *type)
{
	if (type[0] == 'F' && type[1] && strchr("WRDEZN", type[1]))
		return type[1];
	return type[0];
}

/* Requests without a place have sector -1 at their end, 0 elsewhere. */
static inline uint64_t tl_io_sector(const struct tl_record *r,
				    const struct tl_field *f)
{
	uint64_t sector = tl_field_u64(r, f);

	return sector == UINT64_MAX ? 0 : sector;
}

static inline struct tl_io_place tl_io_place_of(const struct tl_record *r,
						const struct tl_io_fields *f)
{
	return (struct tl_io_place){
		.dev = tl_field_u32(r, &f->dev),
		.op = tl_io_op(tl_io_type(r, f)),
		.sector = tl_io_sector(r, &f->sector),
	};
}

static inline uint32_t tl_io_sectors(const struct tl_record *r,
				     const struct tl_io_fields *f)
{
	return tl_field_u32(r, &f->nr);
}

/* At the issue of a command that was passed through there are bytes only. */
static inline uint32_t tl_io_sectors_left(const struct tl_record *r,
					  const struct tl_io_fields *f)
{
	uint32_t nr = tl_io_sectors(r, f);

	return nr || !f->bytes.size ? nr
				    : tl_field_u32(r, &f->bytes) / TL_IO_SECTOR;
}

static inline int tl_io_error(const struct tl_record *r,
			      const struct tl_io_fields *f)
{
	return (int)-tl_field_u32(r, &f->error);
}

/* ---- what is in flight ------------------------------------------------ */

static inline int64_t tl_io_key(const struct tl_io_place *p)
{
	uint64_t key =
		p->sector ^ (uint64_t)p->dev << 32 ^ (uint64_t)p->op << 56;

	/* the map takes the low bits, which sectors have in common */
	key *= 0x9e3779b97f4a7c15ULL;
	return (int64_t)(key >> 32);
}

static inline bool tl_io_is_at(const struct tl_io_pending *p,
			       const struct tl_io_place *at)
{
	return p->at.sector == at->sector && p->at.dev == at->dev &&
	       p->at.op == at->op;
}

/* From @p on, which has the key of @at, the next that is really there. */
static inline struct tl_io_pending *
tl_io_skip_others(struct tl_io_pending *p, const struct tl_io_place *at)
{
	while (p && !tl_io_is_at(p, at))
		p = tl_pairs_next(p);
	return p;
}

static inline struct tl_io_pending *tl_io_first(struct tl_blocks *b,
						const struct tl_io_place *at)
{
	return tl_io_skip_others(tl_pairs_get(b->pending, tl_io_key(at)), at);
}

static inline struct tl_io_pending *tl_io_next(struct tl_io_pending *p)
{
	return tl_io_skip_others(tl_pairs_next(p), &p->at);
}

static inline void tl_io_move(struct tl_blocks *b, struct tl_io_pending *p,
			      struct tl_io_place to)
{
	p->at = to;
	tl_pairs_move(b->pending, p, tl_io_key(&to));
}

/** tl_io_begin - what begins with @r, at @at; NULL without memory */
struct tl_io_pending *tl_io_begin(struct tl_blocks *b,
				  const struct tl_record *r,
				  const struct tl_io_fields *f,
				  struct tl_io_place at);
/** tl_io_end - @p has ended with @r; it goes */
void tl_io_end(struct tl_blocks *b, struct tl_io_pending *p,
	       const struct tl_record *r);

/** tl_io_only_sizes - whether the kernel can tell them without more */
bool tl_io_only_sizes(struct tl_session *s, const struct tl_io_config *config);
/**
 * tl_io_count_sizes - in setup: count them for the config's sizes; 0, or -errno,
 * -ENOENT without a message where I/O has to be followed after all
 */
int tl_io_count_sizes(struct tl_session *s, struct tl_blocks *b);

/* An event, and what is done with its records; tables of them end with 0. */
struct tl_io_event {
	enum tl_io_kind kind;
	const char *name;
	tl_handler *handler;
};

extern const struct tl_io_event tl_io_starts[]; /* for -Q: the first there is */
extern const struct tl_io_event tl_io_requests[];
extern const struct tl_io_event tl_io_bios[];

#endif
