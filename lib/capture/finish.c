// SPDX-License-Identifier: GPL-2.0-or-later
/* finish.c - a capture that was written becomes a trace.dat */
#include "capture/finish.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/recording.h"
#include "capture/section.h"
#include "capture/threads.h"
#include "capture/tracedat.h"
#include "kernel/kallsyms.h"
#include "record/event.h"
#include "tracelet/event.h"

struct finish {
	struct tl_session *s;
	const struct tl_capture_kind *kind;
	int from, to;
	int (*room)(void *ctx, int to, uint64_t size);
	void *room_ctx;
	char *page;
	uint64_t *pages;    /* of each stream */
	uint64_t *next;     /* where its next one goes */
	unsigned int *rows; /* its place in the table */
	struct tl_buf recordings, symbols;
};

/* ---- what was written ------------------------------------------------- */

static int get(int fd, void *to, size_t len, uint64_t at)
{
	ssize_t n = pread(fd, to, len, (off_t)at);

	if (n < 0)
		return -errno;
	return n == (ssize_t)len ? 0 : -EIO;
}

static int put(int fd, const void *from, size_t len, uint64_t at)
{
	ssize_t n = pwrite(fd, from, len, (off_t)at);

	if (n < 0)
		return -errno;
	return n == (ssize_t)len ? 0 : -ENOSPC;
}

/* A sub-buffer, filled up with zeroes. */
static int get_page(struct finish *f, const struct tl_section *head,
		    uint64_t at)
{
	if (head->stream >= f->kind->streams ||
	    head->len > f->kind->layout.size)
		return -EBADMSG;
	memset(f->page, 0, f->kind->layout.size);
	return get(f->from, f->page, head->len, at);
}

/* Calls @fn with each section, whose data are at @at. */
static int each_section(struct finish *f,
			int (*fn)(struct finish *f,
				  const struct tl_section *head, uint64_t at))
{
	uint64_t at = sizeof(struct tl_capture_start);
	off_t end = lseek(f->from, 0, SEEK_END);
	struct tl_section head;
	int ret = end < 0 ? -errno : 0;

	for (; !ret && at < (uint64_t)end; at += head.len) {
		ret = get(f->from, &head, sizeof(head), at);
		at += sizeof(head);
		if (!ret)
			ret = fn(f, &head, at);
	}
	return ret;
}

static int take_view(struct finish *f, const struct tl_section *head,
		     uint64_t at)
{
	char *room;
	int ret;

	tl_buf_add(&f->recordings, (const char *)head, sizeof(*head));
	room = tl_buf_room(&f->recordings, head->len);
	ret = room ? get(f->from, room, head->len, at) : -ENOMEM;
	if (!ret)
		f->recordings.len += head->len;
	return ret;
}

/*
 * A word that may be an address in the kernel is one of its functions, or does
 * no harm: so what the reader will ask for need not be known.  Records are
 * aligned to four bytes.
 */
static void mark_symbols(struct finish *f)
{
	const char *at = f->page + f->kind->layout.data;
	const char *end = f->page + f->kind->layout.size - sizeof(uint64_t);
	uint64_t addr;

	for (; at <= end; at += 4) {
		memcpy(&addr, at, sizeof(addr));
		tl_symbols_mark(f->s, addr);
	}
}

/* For others than us, who take a thread's name from a list: its last one. */
static void follow_threads(struct finish *f)
{
	struct tl_record r = { 0 };
	struct tl_page page;

	tl_page_init(&page);
	if (!tl_page_load(&page, &f->kind->layout, f->page,
			  f->kind->layout.size) &&
	    tl_page_next(&page, &r) > 0)
		tl_events_watch_run(f->s, &page, &r, UINT64_MAX);
}

static int look_at(struct finish *f, const struct tl_section *head, uint64_t at)
{
	int ret;

	if (head->kind == TL_SECTION_RECORDING)
		return take_view(f, head, at);
	ret = get_page(f, head, at);
	if (ret)
		return ret;
	f->pages[head->stream]++;
	if (tl_symbols_are_open(f->s))
		mark_symbols(f);
	if (f->s->tasks)
		follow_threads(f);
	return 0;
}

/* ---- what is made of it ----------------------------------------------- */

static int copy_page(struct finish *f, const struct tl_section *head,
		     uint64_t at)
{
	size_t size = f->kind->layout.size;
	int ret;

	if (head->kind != TL_SECTION_PAGE)
		return 0;
	ret = get_page(f, head, at)
		      ?: put(f->to, f->page, size, f->next[head->stream]);
	f->next[head->stream] += size;
	return ret;
}

/* The recording of what is known only now. */
static void add_last_view(struct finish *f)
{
	struct tl_section head = { .kind = TL_SECTION_RECORDING };
	struct tl_buf b = { 0 }, streams = { 0 };
	unsigned int i;

	for (i = 0; i < f->kind->streams; i++)
		tl_buf_printf(&streams, "%u %llu %llu\n", f->kind->cpus[i],
			      (unsigned long long)f->next[i],
			      (unsigned long long)f->pages[i] *
				      f->kind->layout.size);
	if (f->symbols.len)
		tl_recording_save_text(&b, "/proc/kallsyms", f->symbols.data,
				       f->symbols.len);
	tl_recording_save_text(&b, TL_CAPTURE_STREAMS, streams.data,
			       streams.len);
	head.len = b.len;
	tl_buf_add(&f->recordings, (const char *)&head, sizeof(head));
	tl_buf_add(&f->recordings, b.data, b.len);
	f->recordings.failed |= b.failed | streams.failed;
	tl_buf_free(&streams);
	tl_buf_free(&b);
}

/* The sections that have no records, and behind them where they are. */
static int put_end(struct finish *f, uint64_t at)
{
	const struct tl_capture_start start = TL_CAPTURE_START;
	const struct tl_capture_end end = {
		.offset = at,
		.magic = TL_CAPTURE_MAGIC,
		.version = TL_CAPTURE_VERSION,
	};

	return put(f->to, &start, sizeof(start), at) ?:
	       put(f->to, f->recordings.data, f->recordings.len, at + sizeof(start)) ?:
	       put(f->to, &end, sizeof(end),
		   at + sizeof(start) + f->recordings.len);
}

static int has_room(const struct finish *f, uint64_t size)
{
	return f->room ? f->room(f->room_ctx, f->to, size) : 0;
}

static size_t size_of_end(const struct finish *f)
{
	return sizeof(struct tl_capture_start) + f->recordings.len +
	       sizeof(struct tl_capture_end);
}

/* Sets where each stream begins; returns where the last one ends. */
static uint64_t place_streams(struct finish *f, size_t head)
{
	size_t size = f->kind->layout.size;
	uint64_t at = (head + size - 1) / size * size;
	unsigned int i;

	for (i = 0; i < f->kind->streams; i++) {
		f->next[i] = at;
		at += f->pages[i] * size;
	}
	return at;
}

/*
 * Others take the place in the table for the number of the processor.  One that
 * has a second stream, as with a tracer at the top level, has it behind them.
 */
static unsigned int place_rows(struct finish *f)
{
	const struct tl_capture_kind *k = f->kind;
	unsigned int count = 0, i, j;

	for (i = 0; i < k->streams; i++)
		if (k->cpus[i] >= count)
			count = k->cpus[i] + 1;
	for (i = 0; i < k->streams; i++) {
		for (j = 0; j < i && k->cpus[j] != k->cpus[i];)
			j++;
		f->rows[i] = j < i ? count++ : k->cpus[i];
	}
	return count;
}

static int write_all(struct finish *f)
{
	const struct tl_capture_kind *k = f->kind;
	struct tl_buf head = { 0 };
	uint64_t end;
	size_t table;
	unsigned int i;
	int ret;

	if (tl_symbols_are_open(f->s))
		tl_symbols_save(f->s, &f->symbols);
	table = tl_tracedat_head(&head, f->s->recording, k->layout.size,
				 place_rows(f), &f->symbols);
	end = place_streams(f, head.len);
	add_last_view(f);
	ret = head.failed || f->recordings.failed ? -ENOMEM : 0;
	for (i = 0; i < k->streams && !ret; i++)
		tl_tracedat_place(head.data + table, f->rows[i], f->next[i],
				  f->pages[i] * k->layout.size);
	if (!ret)
		ret = has_room(f, end + size_of_end(f))
			      ?: put(f->to, head.data, head.len, 0);
	tl_buf_free(&head);
	return ret ?: each_section(f, copy_page) ?: put_end(f, end);
}

/* With the names of all threads that are, or were, known. */
static int look_at_all(struct finish *f)
{
	struct tl_tasks *tasks = f->s->tasks;
	int ret;

	if (!tasks)
		return each_section(f, look_at);
	f->s->tasks = tl_tasks_snapshot(f->s, true);
	ret = f->s->tasks ? each_section(f, look_at) : -ENOMEM;
	if (!ret)
		tl_threads_keep(f->s);
	tl_tasks_free(f->s);
	f->s->tasks = tasks;
	return ret;
}

static int convert(struct finish *f)
{
	f->page = malloc(f->kind->layout.size + TL_PAGE_SLACK);
	f->pages = calloc(f->kind->streams + 1, sizeof(*f->pages));
	f->next = calloc(f->kind->streams + 1, sizeof(*f->next));
	f->rows = calloc(f->kind->streams + 1, sizeof(*f->rows));
	if (!f->page || !f->pages || !f->next || !f->rows)
		return -ENOMEM;
	return look_at_all(f) ?: write_all(f);
}

int tl_capture_convert(struct tl_session *s, int from, int to,
		       const struct tl_capture_kind *kind,
		       int (*room)(void *ctx, int to, uint64_t size), void *ctx)
{
	struct finish f = { .s = s,
			    .kind = kind,
			    .from = from,
			    .to = to,
			    .room = room,
			    .room_ctx = ctx };
	int ret = convert(&f);

	free(f.page);
	free(f.pages);
	free(f.next);
	free(f.rows);
	tl_buf_free(&f.recordings);
	tl_buf_free(&f.symbols);
	return ret;
}

static int replace(struct tl_session *s, const struct tl_capture_kind *kind,
		   int from, const char *path, const char *part)
{
	int ret, to;

	/* always a new file: in a directory of others it may be a link */
	unlink(part);
	to = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (to < 0)
		return -errno;
	ret = tl_capture_convert(s, from, to, kind, NULL, NULL);
	if (close(to) && !ret)
		ret = -errno;
	if (!ret && rename(part, path))
		ret = -errno;
	if (ret)
		unlink(part);
	return ret;
}

int tl_capture_finish(struct tl_session *s, const char *path,
		      const struct tl_capture_kind *kind)
{
	char *real = realpath(path, NULL), *part = NULL;
	int ret = -ENOMEM, from;

	if (!real)
		return -errno;
	from = open(real, O_RDONLY | O_CLOEXEC);
	if (from < 0)
		ret = -errno;
	else if (asprintf(&part, "%s.part", real) >= 0)
		ret = replace(s, kind, from, real, part);
	if (from >= 0)
		close(from);
	free(part);
	free(real);
	return ret;
}
