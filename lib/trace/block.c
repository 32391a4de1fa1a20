// SPDX-License-Identifier: GPL-2.0-or-later
/* block.c - block I/O: what is in flight, and the events that tell */
#include "trace/block.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/part.h"
#include "record/task.h"
#include "run/run.h"
#include "tracelet/disk.h"
#include "tracelet/filter.h"
#include "tracelet/message.h"
#include "tracelet/task.h"

/* of all devices together: 64 queues of 1,024 */
#define MAX_IN_FLIGHT 65536
/* of what rwbs may have, the NUL included */
#define TYPE_MAX sizeof(((struct tl_io *)0)->type)

/* ---- what is in flight ------------------------------------------------ */

/* In two pieces of known size: it is done for every I/O. */
static void copy_type(char *to, const char *type, uint16_t size)
{
	memset(to + 8, 0, TYPE_MAX - 8);
	memcpy(to, type, 8);
	if (size > 8)
		memcpy(to + 8, type + 8, size - 8U);
	to[TYPE_MAX - 1] = '\0';
}

static void copy_comm(char *to, size_t size, struct tl_str comm)
{
	size_t len = comm.len < size ? comm.len : size - 1;

	memcpy(to, comm.text, len);
	to[len] = '\0';
}

static bool is_type(const struct tl_blocks *b, const char *type)
{
	return !b->config->type || !fnmatch(b->config->type, type, 0);
}

/* Sets all of @p but the end. */
static void begin(struct tl_blocks *b, const struct tl_record *r,
		  const struct tl_io_fields *f, struct tl_io_place at,
		  struct tl_io_pending *p)
{
	p->at = at;
	p->left = tl_io_sectors_left(r, f);
	copy_type(p->io.type, tl_io_type(r, f), f->type.size);
	p->silent = !tl_task_matches(b->s, r->pid);
	p->other = p->silent && r->pid != tl_tasks_self(b->s);
	p->silent |= !is_type(b, p->io.type);
	p->requeued = p->doubtful = false;
	p->id = p->of = 0;
	p->io.start = r->ns;
	p->io.issued = 0;
	p->io.sector = at.sector;
	p->io.bytes = f->bytes.size ? tl_field_u32(r, &f->bytes)
				    : p->left * TL_IO_SECTOR;
	p->io.dev = at.dev;
	p->io.error = 0;
	p->io.requeues = 0;
	p->io.pid = r->pid;
	p->io.comm[0] = '\0';
	p->io.process = 0;
	if (b->config->comm && !p->silent) {
		p->io.process = tl_task_process(b->s, r->pid);
		copy_comm(p->io.comm, sizeof(p->io.comm),
			  tl_task_comm(b->s, r->pid));
	}
}

struct tl_io_pending *tl_io_begin(struct tl_blocks *b,
				  const struct tl_record *r,
				  const struct tl_io_fields *f,
				  struct tl_io_place at)
{
	struct tl_io_pending *p = tl_pairs_add(b->pending, tl_io_key(&at));

	if (p)
		begin(b, r, f, at, p);
	return p;
}

void tl_io_end(struct tl_blocks *b, struct tl_io_pending *p,
	       const struct tl_record *r)
{
	p->io.end = r->ns;
	b->asked += !p->silent;
	b->others += p->other;
	if (!p->silent && b->config->done && tl_cpu_matches(b->s, r->cpu) &&
	    !tl_run_in_gap(b->s))
		b->config->done(b->s, &p->io);
	tl_pairs_remove(b->pending, p);
}

/* ---- events ----------------------------------------------------------- */

/* Numbers have had one size on all kernels so far. */
static int find_field(struct tl_session *s, struct tl_event *ev,
		      const char *name, unsigned int min, unsigned int max,
		      struct tl_field *field)
{
	int ret = tl_event_field(s, ev, name, field);

	if (ret)
		return ret;
	if (field->size < min || field->size > max)
		return tl_fail(EPROTO, "block:%s: field %s has %u bytes",
			       tl_event_name(ev), name, field->size);
	tl_event_require(ev, field);
	return 0;
}

static int find_fields(struct tl_session *s, struct tl_event *ev,
		       const struct tl_io_event *e)
{
	struct tl_io_fields *f = &tl_blocks(s)->of[e->kind];
	const struct {
		const char *name;
		bool wanted;
		unsigned int min, max;
		struct tl_field *field;
	} all[] = {
		{ "dev", true, 4, 4, &f->dev },
		{ "sector", true, 8, 8, &f->sector },
		{ "nr_sector", true, 4, 4, &f->nr },
		{ "rwbs", true, 8, TYPE_MAX, &f->type },
		{ "bytes", e->kind == ISSUE, 4, 4, &f->bytes },
		{ "error", e->kind == COMPLETE || e->kind == BIO_END, 4, 4,
		  &f->error },
		{ "old_dev", e->kind == REMAP, 4, 4, &f->old_dev },
		{ "old_sector", e->kind == REMAP, 8, 8, &f->old_sector },
	};
	unsigned int i;
	int ret = 0;

	for (i = 0; i < sizeof(all) / sizeof(all[0]) && !ret; i++)
		if (all[i].wanted)
			ret = find_field(s, ev, all[i].name, all[i].min,
					 all[i].max, all[i].field);
	return ret;
}

/*
 * In an array of characters the kernel's filter looks also behind the end of the
 * text, at what an earlier record has left there: "*W*" may find that, so
 * is_type() looks again, and "*S" compares the end of the array.
 */
static void filter_type(struct tl_filter *f, const char *type)
{
	size_t len = strlen(type);
	bool is_end = *type == '*' && !strpbrk(type + 1, "*?[");

	tl_filter_and(f, "rwbs ~ \"%s%s\"", type, is_end && len > 1 ? "*" : "");
}

/* A request's place changes, and its type while it is queued. */
static void make_filter(struct tl_session *s, enum tl_io_kind kind,
			struct tl_filter *f)
{
	const struct tl_blocks *b = tl_blocks(s);
	const struct tl_device *d = &b->device;
	bool is_request = kind == ISSUE || kind == REQUEUE || kind == COMPLETE;
	bool is_start = kind == (b->config->queued ? START : ISSUE);

	if (b->config->type &&
	    (kind == START || (is_request && !b->config->queued)))
		filter_type(f, b->config->type);
	if (!b->one_device || b->config->bio || !(is_request || is_start))
		return;
	tl_filter_and(f, "dev == %u", d->disk);
	if (d->count && is_start)
		tl_filter_and(f, "sector >= %" PRIu64 " && sector < %" PRIu64,
			      d->first, d->first + d->count);
}

static int add_event(struct tl_session *s, const struct tl_io_event *e)
{
	struct tl_event *ev = tl_event_add(s, "block", e->name, e->handler);
	struct tl_filter f = { "" };

	if (!ev)
		return -errno;
	ev->ctx = tl_blocks(s);
	make_filter(s, e->kind, &f);
	return find_fields(s, ev, e) ?: tl_event_filter(s, ev, f.text);
}

static int missing(const char *name)
{
	return tl_fail(ENOTSUP, "this kernel has no tracepoint block:%s", name);
}

static const struct tl_io_event *events_for(const struct tl_io_config *config)
{
	return config->bio ? tl_io_bios : tl_io_requests;
}

static int add_start(struct tl_session *s)
{
	const struct tl_io_event *e = tl_io_starts;
	int ret = -ENOENT;

	for (; e->name && ret == -ENOENT; e++)
		ret = add_event(s, e);
	return ret == -ENOENT ? missing(tl_io_starts[0].name) : ret;
}

static int add_events(struct tl_session *s, const struct tl_io_event *e)
{
	int ret = 0;

	for (; e->name && !ret; e++) {
		ret = add_event(s, e);
		if (ret == -ENOENT)
			return missing(e->name);
	}
	return ret;
}

int tl_io_check(struct tl_session *s, const struct tl_io_config *config)
{
	const struct tl_io_event *e;

	for (e = events_for(config); e->name; e++)
		if (!tl_event_exists(s, "block", e->name))
			return missing(e->name);
	for (e = tl_io_starts;
	     config->queued && !tl_event_exists(s, "block", e->name); e++)
		if (!e[1].name)
			return missing(tl_io_starts[0].name);
	return 0;
}

int tl_io_open(struct tl_session *s, const struct tl_io_config *config)
{
	struct tl_blocks *b = tl_part_new(s, &tl_blocks_ops, sizeof(*b));
	int ret = 0;

	if (!b)
		return -ENOMEM;
	b->s = s;
	b->config = config;
	b->one_device = config->device;
	if (tl_io_only_sizes(s, config)) {
		ret = tl_io_count_sizes(s, b);
		if (ret != -ENOENT)
			return ret;
		ret = 0;
	}
	b->pending = tl_pairs_open(s, sizeof(struct tl_io_pending),
				   MAX_IN_FLIGHT, NULL);
	if (!b->pending)
		return -ENOMEM;
	if (config->device)
		ret = tl_device_find(s, config->device, &b->device);
	if (ret)
		return ret;
	return (config->queued ? add_start(s) : 0)
		       ?: add_events(s, events_for(config));
}

static void keep(struct tl_session *s, void *part)
{
	tl_disks_keep(s);
}

static uint64_t report(struct tl_session *s, void *part)
{
	const struct tl_blocks *b = part;
	uint64_t forgotten = b->pending ? tl_pairs_evicted(b->pending) : 0;

	if (forgotten)
		tl_warn("%llu I/O were not followed: too many at once",
			(unsigned long long)forgotten);
	return forgotten;
}

const struct tl_part_ops tl_blocks_ops = { .keep = keep,
					   .report = report,
					   .free = free };

uint64_t tl_io_others(const struct tl_session *s)
{
	const struct tl_blocks *b = tl_blocks(s);

	return b && !b->asked ? b->others : 0;
}

/* ---- what it is counted by -------------------------------------------- */

const char *tl_io_by_word(enum tl_io_by by)
{
	static const char *const words[] = {
		[TL_IO_BY_DISK] = "disk",
		[TL_IO_BY_TYPE] = "type",
		[TL_IO_BY_NAME] = "name",
		[TL_IO_BY_NOTHING] = NULL,
	};

	return words[by];
}

struct tl_str tl_io_by_key(struct tl_session *s, const struct tl_io *io,
			   enum tl_io_by by)
{
	const char *key;

	if (by == TL_IO_BY_NOTHING)
		return (struct tl_str){ "", 0 };
	key = by == TL_IO_BY_DISK   ? tl_disk_name(s, io->dev)
	      : by == TL_IO_BY_TYPE ? io->type
				    : io->comm;
	return (struct tl_str){ key, strlen(key) };
}
