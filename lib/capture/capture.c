// SPDX-License-Identifier: GPL-2.0-or-later
/* capture.c - a run's records into files (-w) */
#include "capture/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/part.h"
#include "base/recording.h"
#include "capture/finish.h"
#include "capture/pagequeue.h"
#include "capture/section.h"
#include "capture/snapshot.h"
#include "capture/spool.h"
#include "capture/threads.h"
#include "condition/condition.h"
#include "kernel/kallsyms.h"
#include "out/out.h"
#include "probe/probe.h"
#include "record/event.h"
#include "run/loop.h"
#include "run/run.h"
#include "run/state.h"
#include "tracelet/event.h"
#include "tracelet/message.h"
#include "tracelet/output.h"
#include "tracelet/symbol.h"
#include "tracelet/tool.h"

/*
 * --last: bytes in memory, and how many files, unless something else is asked
 * for
 */
#define LAST_SIZE  (128ULL << 20)
#define LAST_FILES 10
/* bytes of all in a directory */
#define TOTAL_SIZE (1ULL << 30)
/* bytes that a pass writes in the order of time */
#define PASS_SIZE (16ULL << 20)

struct tl_capture {
	struct tl_part part;
	struct tl_sink sink;
	struct tl_condition *when; /* of --trigger; NULL: none */
	struct tl_session *s;
	const struct tl_settings *set;
	const char *path;
	struct tl_spool *spool; /* where that is a directory; else NULL */
	uint64_t unsaid; /* of the last one there: bytes; 0: it was told */
	int fd;
	uint64_t size;     /* of all whole sections */
	uint64_t end;      /* of what becomes of them */
	uint64_t max;      /* of that; 0: no maximum */
	uint64_t newest;   /* ns: of the records in files of --rotate */
	uint64_t since;    /* ns: nothing in this file is older; 0: not known */
	unsigned int keep; /* see count_files() */
	struct tl_capture_kind kind;
	struct tl_pagequeue pages; /* that are not written yet */
	/* what is in memory when others are asked for than all in one file */
	struct tl_snapshot *recent;
	bool written; /* of these, the last seconds */
	bool full;    /* not all records are in it */
};

struct lost {
	const struct tl_page_layout *layout;
	uint64_t count;
	bool uncounted;
};

/* The number of files that are kept; 0: one, and the run ends with it. */
static unsigned int count_files(const struct tl_settings *set)
{
	return set->rotate ?: set->last ? LAST_FILES : 0;
}

/* "FILE" for the one that is being written, "FILE.1" for the one before ... */
static char *file_name(const char *path, unsigned int i)
{
	char *name = NULL;

	if (!i)
		return strdup(path);
	return asprintf(&name, "%s.%u", path, i) < 0 ? NULL : name;
}

static bool is_file(const struct stat *st, const char *path)
{
	struct stat other;

	return path && !stat(path, &other) && other.st_dev == st->st_dev &&
	       other.st_ino == st->st_ino;
}

bool tl_capture_is(const struct tl_settings *set, const struct stat *st)
{
	unsigned int i, count = set->write ? count_files(set) ?: 1 : 0;
	bool is = is_file(st, set->read);
	char *name;

	for (i = 0; i < count && !is; i++) {
		name = file_name(set->write, i);
		is = is_file(st, name);
		free(name);
	}
	return is;
}

static int write_now(void *ctx);

/* ---- as the run's sink ------------------------------------------------ */

static int take_page(void *ctx, unsigned int stream, const char *page,
		     size_t len)
{
	return tl_capture_page(ctx, stream, page, len);
}

static int end_pass(void *ctx)
{
	return tl_capture_pass(ctx);
}

/* A probe's hits are of the whole run, the records of a file are not. */
static bool counts(const void *ctx)
{
	const struct tl_capture *c = ctx;

	return c->keep && !c->set->last;
}

static void say(void *ctx)
{
	tl_capture_report(ctx);
}

struct tl_capture *tl_capture_create(const struct tl_settings *set)
{
	struct tl_capture *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	*c = (struct tl_capture){
		.set = set,
		.path = set->write,
		.fd = -1,
		.max = set->last ? 0 : set->max_size,
		.keep = count_files(set),
		.sink = { .ctx = c,
			  .beside = set->trigger,
			  .page = take_page,
			  .pass = end_pass,
			  .write = write_now,
			  .say = say,
			  .counts = counts },
	};
	return c;
}

void tl_capture_free(struct tl_capture *c)
{
	if (!c)
		return;
	if (c->fd >= 0)
		close(c->fd);
	tl_snapshot_free(c->recent);
	tl_pagequeue_close(&c->pages);
	tl_condition_free(c->when);
	tl_spool_free(c->spool);
	free(c);
}

static void free_capture(void *part)
{
	tl_capture_free(part);
}

static const struct tl_part_ops capture_ops = { .free = free_capture };

int tl_capture_add(struct tl_session *s, struct tl_capture *c)
{
	tl_part_add(s, &capture_ops, c);
	s->run->sink = &c->sink;
	/* names of functions: at the end modules may be gone */
	return tl_symbols_are_open(s) ? tl_symbols_load(s) : 0;
}

struct tl_capture *tl_capture(const struct tl_session *s)
{
	return tl_part_find(s, &capture_ops);
}

/* ---- sections --------------------------------------------------------- */

static int ends_here(const struct tl_capture *c, int err)
{
	/* write_into_directory() says it */
	if (c->spool)
		return -err;
	return tl_fail(err,
		       "%s: %s: the capture ends here, and -r shows what is "
		       "in it",
		       c->path, strerror(err));
}

/* Behind a piece of a section nothing would be found. */
static int take_back(const struct tl_capture *c, int err)
{
	return -(ftruncate(c->fd, (off_t)c->size) ? errno : err);
}

/* Appends all of @iov, or nothing; without a message. */
static int try_append(struct tl_capture *c, struct iovec *iov, int count)
{
	uint64_t at = c->size;
	ssize_t n;

	while (count) {
		n = pwritev(c->fd, iov, count, (off_t)at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return take_back(c, n ? errno : ENOSPC);
		at += (uint64_t)n;
		for (; count && (size_t)n >= iov->iov_len; iov++, count--)
			n -= (ssize_t)iov->iov_len;
		if (count) {
			iov->iov_base = (char *)iov->iov_base + n;
			iov->iov_len -= (size_t)n;
		}
	}
	c->size = at;
	return 0;
}

static int append(struct tl_capture *c, struct iovec *iov, int count)
{
	int ret = try_append(c, iov, count);

	return ret ? ends_here(c, -ret) : 0;
}

static int append_section(struct tl_capture *c, uint32_t kind,
			  unsigned int stream, const char *data, size_t len)
{
	struct tl_section head = { kind, stream, len };
	struct iovec iov[] = { { &head, sizeof(head) }, { (void *)data, len } };

	return append(c, iov, 2);
}

/*
 * Names that only the records need that are in this file, whose last one is written: without
 * them it is a capture, too.
 */
static void append_names(struct tl_capture *c, uint64_t since)
{
	struct tl_section head = { TL_SECTION_RECORDING, 0, 0 };
	struct iovec iov[] = { { &head, sizeof(head) }, { 0 } };
	struct tl_buf b = { 0 };
	int ret = 0;

	tl_parts_keep_file(c->s, since, &b);
	iov[1] = (struct iovec){ b.data, b.len };
	head.len = b.len;
	if (b.failed)
		ret = -ENOMEM;
	else if (b.len)
		ret = try_append(c, iov, 2);
	if (ret)
		tl_warn("%s: no names of functions in programs are in the "
			"capture: %s",
			c->path, strerror(-ret));
	tl_buf_free(&b);
}

static int append_view(struct tl_capture *c)
{
	struct tl_buf b = { 0 };
	int ret = -ENOMEM;

	tl_recording_save(c->s->recording, &b);
	if (!b.failed)
		ret = append_section(c, TL_SECTION_RECORDING, 0, b.data, b.len);
	tl_buf_free(&b);
	return ret;
}

/* ---- files ------------------------------------------------------------ */

/*
 * What has names of files and programs in it is for its owner.  A device would
 * be written over, and then another file be put in its place.
 */
static int open_empty(const char *path)
{
	int fd = open(path,
		      O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
		      0600);
	struct stat st;
	int err;

	if (fd < 0)
		return tl_fail(errno, "%s: %s", path, strerror(errno));
	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		err = tl_fail(EINVAL, "%s: not a regular file", path);
	else if (ftruncate(fd, 0))
		err = tl_fail(errno, "%s: %s", path, strerror(errno));
	else
		return fd;
	close(fd);
	return err;
}

/*
 * In a directory, for all that is remembered, twice: as it is written here, and in whole
 * sub-buffers; and as often for @view, bytes of what is written before.
 */
static int have_room(const struct tl_capture *c, size_t view)
{
	const uint64_t page = c->kind.layout.size;
	/* of each stream one sub-buffer is not in the queue */
	const uint64_t count = c->pages.count + c->kind.streams;
	const uint64_t head = sizeof(struct tl_capture_start) +
			      sizeof(struct tl_section) + view;

	return tl_spool_room(c->spool, c->fd,
			     head + c->pages.size + c->kind.streams * page +
				     count * sizeof(struct tl_section),
			     2 * head + count * page);
}

static int write_head(struct tl_capture *c, const struct tl_buf *view)
{
	struct tl_capture_start start = TL_CAPTURE_START;
	struct iovec iov = { &start, sizeof(start) };
	int ret = c->spool ? have_room(c, view->len) : 0;

	return ret ?: append(c, &iov, 1)
			     ?: append_section(c, TL_SECTION_RECORDING, 0,
					       view->data, view->len);
}

static int begin_file(struct tl_capture *c)
{
	struct tl_buf view = { 0 };
	int ret = -ENOMEM;

	c->size = 0;
	c->fd = c->spool ? tl_spool_begin(c->spool) : open_empty(c->path);
	if (c->fd < 0)
		return c->fd;
	tl_recording_save(c->s->recording, &view);
	if (!view.failed)
		ret = write_head(c, &view);
	tl_buf_free(&view);
	/* what of the recording is for others is in a trace.dat twice */
	c->end = 2 * c->size;
	return ret;
}

/* A line "CPU 0 0" for each stream: where it is, is known later. */
static void note_streams(const struct tl_capture *c)
{
	const struct tl_capture_kind *k = &c->kind;
	struct tl_buf b = { 0 };
	unsigned int i;

	for (i = 0; i < k->streams; i++)
		tl_buf_printf(&b, "%u 0 0\n", k->cpus[i]);
	tl_recording_note(c->s->recording, TL_CAPTURE_STREAMS, b.data, b.len,
			  0);
	tl_buf_free(&b);
}

static int move_files(const struct tl_capture *c)
{
	char *from, *to;
	unsigned int i;
	int ret = 0;

	for (i = c->keep - 1; i && !ret; i--) {
		from = file_name(c->path, i - 1);
		to = file_name(c->path, i);
		if (!from || !to)
			ret = -ENOMEM;
		else if (rename(from, to) && errno != ENOENT)
			ret = tl_fail(errno, "%s: %s", to, strerror(errno));
		free(from);
		free(to);
	}
	return ret;
}

static void note_newest(struct tl_capture *c, const struct tl_kept_page *kept)
{
	struct tl_record r = { 0 };
	struct tl_page page;

	tl_page_init(&page);
	if (!tl_page_load(&page, &c->kind.layout, kept->data, kept->len))
		while (tl_page_next(&page, &r) > 0)
			;
	if (r.ns > c->newest)
		c->newest = r.ns;
}

/* Other processors' sub-buffers that are to come may begin before the newest record. */
static uint64_t next_since(const struct tl_capture *c)
{
	const uint64_t oldest = tl_snapshot_oldest(c->recent);

	return oldest < c->newest ? oldest : c->newest;
}

/* As finish() at the end: until then each is as it was written. */
static int next_file(struct tl_capture *c)
{
	int ret;

	append_names(c, c->since);
	ret = move_files(c);
	if (ret)
		return ret;
	close(c->fd);
	c->since = next_since(c);
	tl_threads_keep(c->s);
	tl_recording_notef(c->s->recording, TL_RECORDING_WHOLE, "%" PRIu64,
			   c->newest);
	return begin_file(c);
}

static void count_records(struct tl_capture *c, const char *data, size_t len)
{
	struct tl_record r = { 0 };
	struct tl_page page;

	tl_page_init(&page);
	if (!tl_page_load(&page, &c->kind.layout, data, len) &&
	    tl_page_next(&page, &r) > 0)
		tl_events_count_run(c->s, &page, &r);
}

int tl_capture_page(struct tl_capture *c, unsigned int stream, const char *page,
		    size_t len)
{
	if (counts(c) && tl_probes_compare(c->s))
		count_records(c, page, len);
	return tl_pagequeue_add(&c->pages, stream, page, len)
		       ?: c->pages.size > PASS_SIZE && !c->set->last
			  ? tl_capture_pass(c)
			  : 0;
}

static int append_page(void *ctx, unsigned int stream,
		       const struct tl_kept_page *page)
{
	return append_section(ctx, TL_SECTION_PAGE, stream, page->data,
			      page->len);
}

static int write_page(void *ctx, unsigned int stream,
		      const struct tl_kept_page *page)
{
	struct tl_capture *c = ctx;
	int ret = 0;

	if (c->max && c->end + c->kind.layout.size > c->max)
		ret = c->keep ? next_file(c) : -EFBIG;
	c->full |= ret == -EFBIG;
	if (c->keep)
		note_newest(c, page);
	c->end += c->kind.layout.size;
	return ret ?: append_page(c, stream, page);
}

/* Records are to be looked at, if at all, before they are in a file. */
static uint64_t written_until(const struct tl_capture *c)
{
	const uint64_t now = tl_now(), read = c->s->run->read_ns;

	return read && read < now ? read : now;
}

int tl_capture_pass(struct tl_capture *c)
{
	struct tl_kept_page *page;
	unsigned int stream;
	int ret = 0;

	if (c->recent)
		return tl_snapshot_forget(c->recent, written_until(c));
	while (!ret &&
	       (stream = tl_pagequeue_oldest(&c->pages)) < c->kind.streams) {
		page = tl_pagequeue_take(&c->pages, stream);
		ret = write_page(c, stream, page);
		free(page);
	}
	return ret;
}

static int open_spool(struct tl_capture *c)
{
	c->spool = tl_spool_open(c->path, c->s->tool->name, c->keep,
				 c->set->max_total ?: TOTAL_SIZE);
	return c->spool ? 0 : -errno;
}

int tl_capture_begin(struct tl_capture *c, struct tl_session *s,
		     const struct tl_page_layout *layout,
		     const unsigned int *cpus, unsigned int streams)
{
	struct stat st;
	int ret = 0;

	c->kind = (struct tl_capture_kind){ *layout, cpus, streams };
	c->s = s;
	note_streams(c);
	if (tl_pagequeue_open(&c->pages, streams))
		return -ENOMEM;
	if (c->set->last)
		c->recent = tl_snapshot_new(
			s, &c->kind, &c->pages, c->set->last,
			c->set->max_size ?: LAST_SIZE, NULL, NULL);
	else if (c->keep)
		c->recent = tl_snapshot_new(s, &c->kind, &c->pages, 0,
					    UINT64_MAX, write_page, c);
	if (c->keep && !c->recent)
		return -ENOMEM;
	/* a directory has captures only when there is something in them */
	if (c->set->write_dir)
		return open_spool(c);
	/* what a run before wrote may be all there is of what happened */
	if (c->set->last && !stat(c->path, &st) && S_ISREG(st.st_mode) &&
	    st.st_size)
		ret = move_files(c);
	return ret ?: begin_file(c);
}

/* ---- what becomes of them --------------------------------------------- */

static int finish(struct tl_capture *c, unsigned int i)
{
	char *name = file_name(c->path, i);
	int ret = -ENOMEM;

	if (c->recent)
		tl_snapshot_swap_tasks(c->recent);
	if (name)
		ret = tl_capture_finish(c->s, name, &c->kind);
	if (c->recent)
		tl_snapshot_swap_tasks(c->recent);
	/* there have not been as many */
	if (i && ret == -ENOENT)
		ret = 0;
	if (ret)
		tl_fail(-ret,
			"%s: %s: only -r can read this capture, which is no "
			"trace.dat",
			name ?: c->path, strerror(-ret));
	free(name);
	return ret;
}

static int room_in_directory(void *ctx, int to, uint64_t size)
{
	const struct tl_capture *c = ctx;

	return tl_spool_room(c->spool, to, size, 0);
}

static int finish_in_directory(struct tl_capture *c)
{
	int to = tl_spool_begin(c->spool), ret;
	struct stat st;

	if (to < 0)
		return to;
	tl_snapshot_swap_tasks(c->recent);
	ret = tl_capture_convert(c->s, c->fd, to, &c->kind, room_in_directory,
				 c);
	tl_snapshot_swap_tasks(c->recent);
	if (!ret)
		ret = fstat(to, &st) ? -errno : tl_spool_end(c->spool, to);
	if (!ret)
		c->unsaid = (uint64_t)st.st_size;
	close(to);
	return ret;
}

/* Losses that are marked in it; those of before do not matter any more. */
static int add_lost(void *ctx, unsigned int stream,
		    const struct tl_kept_page *page)
{
	struct lost *lost = ctx;
	struct tl_page p;

	tl_page_init(&p);
	if (tl_page_load(&p, lost->layout, page->data, page->len) || !p.lost)
		return 0;
	if (p.lost < 0)
		lost->uncounted = true;
	else
		lost->count += (uint64_t)p.lost;
	return 0;
}

/* Of the whole run, unless all of these are counted. */
static uint64_t count_lost(const struct tl_capture *c)
{
	struct lost lost = { .layout = &c->kind.layout };
	uint64_t overrun = tl_loop_overrun(c->s);

	if (!c->set->last || tl_snapshot_each(c->recent, add_lost, &lost) ||
	    lost.uncounted)
		return overrun;
	return lost.count;
}

/* Notes what is known at the end only. */
static void note_end(const struct tl_capture *c)
{
	struct tl_session *s = c->s;

	/* of a part of the run nothing tells how many hits it had */
	if (!c->set->last && !c->keep && !c->full)
		tl_parts_keep_end(s);
	tl_recording_notef(s->recording, "stop", "%" PRIu64, tl_run_end_ns(s));
	tl_recording_notef(s->recording, "overrun", "%" PRIu64, count_lost(c));
}

static int write_remembered(struct tl_capture *c)
{
	const uint64_t now = tl_run_end_ns(c->s);
	int ret = tl_snapshot_forget(c->recent, now);
	uint64_t since = tl_snapshot_since(c->recent);

	if (ret)
		return ret;
	if (tl_snapshot_is_short(c->recent))
		tl_warn("of the last %.10g seconds only %.3g fit into memory "
			"(--max-size=SIZE allows more)",
			c->set->last / 1e9, (now - since) / 1e9);
	note_end(c);
	tl_recording_notef(c->s->recording, TL_RECORDING_SINCE, "%" PRIu64,
			   since);
	tl_snapshot_swap_tasks(c->recent);
	tl_threads_keep(c->s);
	tl_snapshot_swap_tasks(c->recent);
	if (c->fd >= 0)
		close(c->fd);
	ret = begin_file(c) ?: tl_snapshot_each(c->recent, append_page, c);
	if (ret)
		return ret;
	append_names(c, since);
	return c->spool ? finish_in_directory(c) : finish(c, 0);
}

void tl_capture_report(struct tl_capture *c)
{
	uint64_t size = c->unsaid;
	struct stat st;

	if (!c->spool && !stat(c->path, &st))
		size = (uint64_t)st.st_size;
	if (size)
		tl_out_line(c->s->out, "%" PRIu64 " KB in %s", size / 1024,
			    c->spool ? tl_spool_name(c->spool) : c->path);
	c->unsaid = 0;
}

static int write_into_directory(struct tl_capture *c)
{
	int ret = write_remembered(c);

	/* it has no name, and is gone by that */
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
	tl_spool_leave(c->spool);
	return ret ? tl_spool_fail(c->spool, -ret) : 0;
}

static int write_now(void *ctx)
{
	struct tl_capture *c = ctx;
	int ret;

	if (c->spool)
		return write_into_directory(c);
	ret = c->written ? move_files(c) : 0;
	if (!ret)
		ret = write_remembered(c);
	c->written |= !ret;
	return ret;
}

int tl_capture_end(struct tl_capture *c)
{
	unsigned int i;
	int ret;

	/* a collector wants what was asked for, not each end of a service */
	if (c->spool && c->set->trigger && !c->s->run->triggered)
		return 0;
	if (c->set->last)
		return write_now(c);
	note_end(c);
	/* what cannot be read without goes first */
	ret = append_view(c);
	if (!ret)
		append_names(c, c->since);
	for (i = 0; i < (c->keep ?: 1) && !ret; i++)
		ret = finish(c, i);
	return ret;
}

/* ---- --trigger -------------------------------------------------------- */

static bool condition_holds(const void *ctx, const struct tl_value *row)
{
	return tl_condition_holds_row(ctx, row);
}

/* Rows are made, and none is shown. */
int tl_capture_watch(struct tl_capture *c, struct tl_session *s)
{
	if (s->run->interval == INT64_MAX)
		return tl_fail(EINVAL, "--trigger: there are no rows before "
				       "the end");
	c->when = tl_condition_of_row(s->out, "--trigger", s->set.trigger);
	if (!c->when)
		return -EINVAL;
	tl_out_watch(s->out, condition_holds, c->when);
	return 0;
}
