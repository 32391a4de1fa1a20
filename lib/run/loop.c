// SPDX-License-Identifier: GPL-2.0-or-later
/* loop.c - the poll loop: from the processors' raw pipes to the handlers */
#include "run/loop.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/part.h"
#include "base/poll.h"
#include "base/recording.h"
#include "out/out.h"
#include "out/put.h"
#include "record/event.h"
#include "run/budget.h"
#include "run/run.h"
#include "run/signals.h"
#include "run/state.h"
#include "tracefs/file.h"
#include "tracefs/instance.h"
#include "tracelet/event.h"
#include "tracelet/message.h"

/*
 * The first record after a silence wakes us at once.  While records keep
 * coming we only look now and then: a wake-up per record would cost the traced
 * program more than the record does.  How often follows the load: half as long
 * a pause when a pass finds more than an eighth of a buffer, else four times as
 * long, as what comes in that time takes half a buffer at most.  That is what
 * the past tells; for what it does not, the kernel ends a pause when a buffer
 * is FULL_PERCENT full, where polling knows that (6.1 on, and older kernels with
 * their updates).
 */
#define PAUSE_MIN_MS 5
#define PAUSE_MAX_MS 100
#define FULL_PERCENT "25"
/* for a capture, of which nobody waits for the next row */
#define CAPTURE_PAUSE_MIN_MS 50
#define CAPTURE_PAUSE_MAX_MS 1000
/* intervals get at most so long for --max-cpu: who reads them takes silence for an end */
#define LEFT_OUT_NS 30000000000
/* how often to look for processors that cannot be polled, being offline */
#define OFFLINE_MS 500

enum { POLL_SIGNAL, POLL_STDOUT, POLL_COMMAND, POLL_WRITE, POLL_CPUS };

struct tl_loop {
	struct tl_page_source source;
	struct tl_reader *reader;
	struct pollfd *poll;
	int *fds;           /* of each stream */
	unsigned int *cpus; /* number of each stream's processor */
	unsigned int count;
	/* the first ones of them are not of tracefs: run->streams */
	const struct tl_stream *streams;
	unsigned int others;
	unsigned int own; /* up to here the instance's; then the top level's */
	bool offline;
	unsigned int pause_ms;       /* 0: wait for the next record */
	unsigned int idle_ms;        /* that, while there are none */
	unsigned int min_ms, max_ms; /* the first pause, and the longest */
	unsigned int much;           /* sub-buffers: an eighth of a buffer */
	unsigned int busiest; /* sub-buffers of one processor in a pass */
	uint64_t boundary;    /* end of the interval, 0: there is none */
	uint64_t next_write;  /* --trigger: not again before */
	uint64_t deadline;    /* for the command's end, 0: there is none */
	int on_fd;            /* of tracing_on; -1: none */
	struct tl_budget budget;
	uint64_t rests_until; /* as it is spent; 0: it is not */
	uint64_t interval_ns; /* end of the last interval that was given */
	int percent_fd;       /* of buffer_percent; -1: it does not work */
	bool percent;         /* it is FULL_PERCENT, not 0 */
	bool full;            /* the last pause ended because of it */
	char *page;           /* for a capture */
	const struct tl_sink *sink; /* as the run has it */
	int unkept; /* why that takes no more, of records that are looked at; or 0 */
	int write_fd; /* where SIGUSR1 comes, which asks for it; -1: nowhere */
};

/* ---- the source: an instance ------------------------------------------ */

static ssize_t take(void *ctx, unsigned int stream, void *buf, size_t size)
{
	struct tl_loop *l = ctx;
	const struct tl_stream *other = &l->streams[stream];
	ssize_t n;

	if (stream < l->others)
		return other->take(other->ctx, &l->source.layout, buf);
	do {
		n = read(l->fds[stream], buf, size);
	} while (n < 0 && errno == EINTR);
	/* a processor that was never online has no buffer: EINVAL, ENODEV */
	if (n < 0 && errno != EIO && errno != ENOMEM)
		return 0;
	return n < 0 ? -errno : n;
}

static unsigned int cpu_of(void *ctx, unsigned int stream)
{
	return ((struct tl_loop *)ctx)->cpus[stream];
}

/* Of processor @cpu, to be polled by @fd. */
static int add_stream(struct tl_loop *l, unsigned int cpu, int fd)
{
	unsigned int n = l->count + 1;
	struct pollfd *poll;
	unsigned int *cpus;
	int *fds;

	poll = realloc(l->poll, (POLL_CPUS + n) * sizeof(*poll));
	if (poll)
		l->poll = poll;
	cpus = realloc(l->cpus, n * sizeof(*cpus));
	if (cpus)
		l->cpus = cpus;
	fds = realloc(l->fds, n * sizeof(*fds));
	if (fds)
		l->fds = fds;
	if (!poll || !cpus || !fds)
		return -ENOMEM;
	l->poll[POLL_CPUS + l->count] =
		(struct pollfd){ .fd = fd, .events = POLLIN };
	l->fds[l->count] = fd;
	l->cpus[l->count++] = cpu;
	return 0;
}

static int open_cpu(struct tl_loop *l, int dir, unsigned int cpu)
{
	char path[64];
	int fd, ret;

	snprintf(path, sizeof(path), "per_cpu/cpu%u/trace_pipe_raw", cpu);
	fd = openat(dir, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return tl_fail(errno, "%s: %s", path, tl_fs_explain(errno));
	ret = add_stream(l, cpu, fd);
	if (ret)
		close(fd);
	return ret;
}

/* Those that are not of tracefs. */
static int add_others(struct tl_session *s, struct tl_loop *l)
{
	int ret = 0;

	l->streams = s->run->streams;
	for (; l->others < s->run->others && !ret; l->others++)
		ret = add_stream(l, l->streams[l->others].cpu,
				 l->streams[l->others].fd);
	return ret;
}

/* The directory knows more than sysconf(): processors may come later. */
static int open_cpus(struct tl_loop *l, int from)
{
	int fd = openat(from, "per_cpu", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *d;
	unsigned int cpu;
	int ret = 0;

	if (!dir)
		ret = tl_fail(errno, "per_cpu: %s", tl_fs_explain(errno));
	while (dir && !ret && (d = readdir(dir)))
		if (sscanf(d->d_name, "cpu%u", &cpu) == 1)
			ret = open_cpu(l, from, cpu);
	if (dir)
		closedir(dir);
	return ret;
}

static int read_layout(struct tl_session *s, struct tl_page_layout *layout)
{
	char *text = tl_fs_read(s->instance->dir, "events/header_page", NULL);
	int ret = text ? tl_page_layout(text, layout) : -errno;

	free(text);
	if (ret)
		return tl_fail(-ret, "events/header_page: %s",
			       text ? "not understood" : tl_fs_explain(-ret));
	return 0;
}

static int open_tracing_on(struct tl_session *s, struct tl_loop *l)
{
	l->on_fd =
		openat(s->instance->dir.fd, "tracing_on", O_WRONLY | O_CLOEXEC);
	return l->on_fd < 0
		       ? tl_fail(errno, "tracing_on: %s", tl_fs_explain(errno))
		       : 0;
}

/* Of one processor; where they differ (never, in an instance of ours) 0. */
static size_t buffer_size(struct tl_session *s)
{
	char *text = tl_fs_read(s->instance->dir, "buffer_size_kb", NULL);
	size_t size = text ? strtoul(text, NULL, 10) * 1024 : 0;

	free(text);
	return size;
}

static int on_run(void *ctx, struct tl_page *page, struct tl_record *r,
		  uint64_t until)
{
	return tl_events_run(ctx, page, r, until);
}

/* At both ends of a gap: starts of before it, and ends of those in it. */
static void void_pairs(struct tl_session *s, unsigned int cpu)
{
	tl_events_lost(s, cpu);
	tl_parts_lost(s, cpu);
	if (s->tool->lost)
		s->tool->lost(s, cpu);
}

static void begin_gap(struct tl_session *s, unsigned int cpu)
{
	s->run->gaps++;
	void_pairs(s, cpu);
}

static void end_gap(struct tl_session *s, unsigned int cpu)
{
	s->run->gaps--;
	void_pairs(s, cpu);
}

static void on_gap(void *ctx, unsigned int cpu, uint64_t ns)
{
	struct tl_session *s = ctx;

	begin_gap(s, cpu);
	tl_out_gap(s->out, cpu, ns);
}

static void on_lost(void *ctx, unsigned int cpu, uint64_t ns, int64_t count)
{
	struct tl_session *s = ctx;

	end_gap(s, cpu);
	tl_out_lost(s->out, cpu, ns, count);
	tl_tasks_lost(s);
}

const struct tl_reader_ops tl_loop_ops = { .run = on_run,
					   .gap = on_gap,
					   .lost = on_lost };

/* A descriptor per processor: there are machines with thousands. */
static void allow_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* ---- records that go into a capture ------------------------------------ */

/* With handlers, or without. */
static bool are_looked_at(const struct tl_session *s)
{
	return s->run->sink->beside || s->run->looks;
}

/* Sub-buffers that are looked at go into the capture as well, which may be full. */
static ssize_t take_and_keep(void *ctx, unsigned int stream, void *buf,
			     size_t size)
{
	struct tl_loop *l = ctx;
	ssize_t n = l->unkept ? 0 : take(ctx, stream, buf, size);

	if (n < (ssize_t)l->source.layout.data)
		return n;
	l->unkept =
		l->sink->page(l->sink->ctx, stream, buf,
			      tl_page_used(&l->source.layout, buf, (size_t)n));
	return n;
}

static int watch_run(void *ctx, struct tl_page *page, struct tl_record *r,
		     uint64_t until)
{
	return tl_events_watch_run(ctx, page, r, until);
}

static void watch_gap(void *ctx, unsigned int cpu, uint64_t ns)
{
}

static void watch_lost(void *ctx, unsigned int cpu, uint64_t ns, int64_t count)
{
	struct tl_session *s = ctx;

	tl_parts_lost(s, cpu);
	tl_tasks_lost(s);
}

static const struct tl_reader_ops watch_ops = { .run = watch_run,
						.gap = watch_gap,
						.lost = watch_lost };

static int make_reader(struct tl_session *s)
{
	struct tl_loop *l = s->run->live;
	const bool watches = s->run->sink && !s->run->sink->beside;

	l->reader = tl_reader_new(&l->source,
				  watches ? &watch_ops : &tl_loop_ops, s);
	if (l->reader && s->events->unordered && !watches)
		tl_reader_unordered(l->reader);
	return l->reader ? 0 : -ENOMEM;
}

static int watch_for_write(struct tl_loop *l)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	l->write_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return l->write_fd < 0 ? -errno : 0;
}

/* Records are not looked at, so they are fetched when there are many. */
static int begin_capture(struct tl_session *s)
{
	struct tl_loop *l = s->run->live;

	if (s->set.last && watch_for_write(l))
		return tl_fail(errno, "signalfd: %s", strerror(errno));
	/* but a trigger is not to be late, and a process not to have ended */
	if (!are_looked_at(s)) {
		l->min_ms = CAPTURE_PAUSE_MIN_MS;
		l->max_ms = CAPTURE_PAUSE_MAX_MS;
	}
	l->sink = s->run->sink;
	l->page = malloc(l->source.layout.size + TL_PAGE_SLACK);
	free(tl_fs_read(s->instance->dir, "events/header_event", NULL));
	if (!l->page)
		return -ENOMEM;
	if (!are_looked_at(s))
		return 0;
	l->source.take = take_and_keep;
	return make_reader(s);
}

int tl_loop_open(struct tl_session *s)
{
	struct tl_loop *l = calloc(1, sizeof(*l));
	int ret;

	s->run->live = l;
	if (!l)
		return -ENOMEM;
	l->on_fd = -1;
	l->percent_fd = -1;
	l->write_fd = -1;
	l->min_ms = PAUSE_MIN_MS;
	l->max_ms = PAUSE_MAX_MS;
	allow_descriptors();
	ret = add_others(s, l) ?: open_cpus(l, s->instance->dir.fd);
	l->own = l->count;
	if (!ret && s->instance->top)
		ret = open_cpus(l, s->instance->root.fd);
	if (!ret)
		ret = read_layout(s, &l->source.layout);
	ret = ret ?: open_tracing_on(s, l);
	if (ret)
		return ret;
	l->much = buffer_size(s) / 8 / (l->source.layout.size ?: 1);
	l->source.ctx = l;
	l->source.streams = l->count;
	l->source.take = take;
	l->source.cpu = cpu_of;
	/* the top level's is not to be changed all the time */
	if (!s->instance->top)
		l->percent_fd = openat(s->instance->dir.fd, "buffer_percent",
				       O_WRONLY | O_CLOEXEC);
	/* being woken is an interrupt in what is traced */
	l->idle_ms = s->run->no_wakeups ? PAUSE_MAX_MS : 0;
	l->pause_ms = l->idle_ms;
	return s->run->sink ? begin_capture(s) : make_reader(s);
}

void tl_loop_streams(const struct tl_session *s,
		     const struct tl_page_layout **layout,
		     const unsigned int **cpus, unsigned int *count)
{
	const struct tl_loop *l = s->run->live;

	*layout = &l->source.layout;
	*cpus = l->cpus;
	*count = l->count;
}

void tl_loop_close(struct tl_session *s)
{
	struct tl_loop *l = s->run->live;
	unsigned int i;

	if (!l)
		return;
	tl_reader_free(l->reader);
	for (i = l->others; i < l->count; i++)
		close(l->fds[i]);
	if (l->on_fd >= 0)
		close(l->on_fd);
	if (l->percent_fd >= 0)
		close(l->percent_fd);
	if (l->write_fd >= 0)
		close(l->write_fd);
	free(l->page);
	free(l->poll);
	free(l->fds);
	free(l->cpus);
	free(l);
	s->run->live = NULL;
}

/* ---- the loop --------------------------------------------------------- */

static void set_pause(struct tl_loop *l, bool found)
{
	if (!found)
		l->pause_ms = l->idle_ms;
	else if (!l->pause_ms)
		l->pause_ms = l->min_ms;
	else if (l->busiest > l->much)
		l->pause_ms = l->pause_ms / 2 ?: 1;
	else if (l->pause_ms < l->max_ms)
		l->pause_ms *= 4;
	if (l->pause_ms > l->max_ms)
		l->pause_ms = l->max_ms;
}

/* Whether the kernel wakes us when a buffer fills; at the first record else. */
static bool wake_when_full(struct tl_loop *l, bool full)
{
	if (l->percent_fd >= 0 && full != l->percent) {
		if (tl_fs_put(l->percent_fd, full ? FULL_PERCENT : "0"))
			return false;
		l->percent = full;
	}
	return l->percent;
}

static void forget_percent(struct tl_loop *l)
{
	wake_when_full(l, false);
	close(l->percent_fd);
	l->percent_fd = -1;
}

/* Where polling knows no percentage, every record would end a pause. */
static void look_at_percent(struct tl_loop *l)
{
	if (l->full && l->busiest <= l->much)
		forget_percent(l);
	l->full = false;
}

static int read_failed(int err)
{
	return tl_fail(err, "reading the ring buffer: %s", strerror(err));
}

/* A sub-buffer's bytes, 0 when there is none, or -errno. */
static int drain_one(struct tl_session *s, unsigned int stream)
{
	struct tl_loop *l = s->run->live;
	ssize_t n = take(l, stream, l->page, l->source.layout.size);
	size_t used;

	if (n <= 0)
		return n ? read_failed((int)-n) : 0;
	if ((size_t)n < l->source.layout.data)
		return read_failed(EBADMSG);
	used = tl_page_used(&l->source.layout, l->page, (size_t)n);
	return l->sink->page(l->sink->ctx, stream, l->page, used) ?: (int)used;
}

/*
 * Those of one processor.  Our read of what is there can be a record itself,
 * without end, as can be what others do meanwhile.  The first can be short, being
 * the rest of one that was read when it was not full yet.
 */
static int drain_stream(struct tl_session *s, unsigned int stream, bool all)
{
	const unsigned int most = (s->run->live->much ?: 16) * 8;
	const int full = (int)s->run->live->source.layout.size / 2;
	unsigned int taken = 0, small = 0;
	int n;

	do {
		n = drain_one(s, stream);
		taken += n > 0;
		small += n < full;
	} while (n > 0 && (all || (small < 2 && taken < most)));
	if (taken > s->run->live->busiest)
		s->run->live->busiest = taken;
	return n < 0 ? n : 0;
}

/* Moves all records that there are into the capture. */
static int drain(struct tl_session *s, uint64_t until)
{
	struct tl_loop *l = s->run->live;
	unsigned int i;
	int ret = 0, written;

	l->busiest = 0;
	for (i = 0; i < l->count && !ret; i++)
		ret = drain_stream(s, i, until == UINT64_MAX);
	set_pause(l, l->busiest);
	/* an error of one is none of the others' */
	written = l->sink->pass(l->sink->ctx);
	return ret ?: written;
}

static void have_read(struct tl_session *s, uint64_t until)
{
	s->run->read_ns = until;
	if (!s->run->sink || s->run->sink->beside)
		tl_parts_pass(s, until);
}

/* Of what was looked at, into the capture; and what goes into it no more is not read. */
static int keep_pass(struct tl_session *s)
{
	struct tl_loop *l = s->run->live;

	l->unkept = l->unkept ?: l->sink->pass(l->sink->ctx);
	return l->unkept;
}

/* Runs one pass; 0 or -errno. */
static int pass(struct tl_session *s, uint64_t until)
{
	const struct tl_sink *sink = s->run->sink;
	int given, ret;

	if (sink && !are_looked_at(s))
		return drain(s, until);
	given = tl_reader_pass(s->run->live->reader, until);
	s->run->live->busiest = tl_reader_busiest(s->run->live->reader);
	if (given < 0)
		read_failed(-given);
	else
		have_read(s, until);
	/* with a capture nobody needs to read */
	ret = sink ? 0 : tl_flush(s);
	if (ret)
		return ret;
	if (given < 0)
		return given;
	set_pause(s->run->live,
		  given || tl_reader_pending(s->run->live->reader));
	return sink ? keep_pass(s) : 0;
}

static int ms_until(uint64_t ns)
{
	uint64_t now = tl_now();
	uint64_t ms = ns > now ? (ns - now + 999999) / 1000000 : 0;

	return ms < INT_MAX ? (int)ms : INT_MAX;
}

/* @ms, or less when @ns comes before; -1 and 0: there is none. */
static int sooner(int ms, uint64_t ns)
{
	int end = ns ? ms_until(ns) : -1;

	return end >= 0 && (ms < 0 || end < ms) ? end : ms;
}

/* -1: none */
static int timeout_ms(const struct tl_session *s)
{
	const struct tl_loop *l = s->run->live;
	int ms = l->offline ? OFFLINE_MS : -1;

	if (l->pause_ms)
		ms = (int)l->pause_ms;
	if (s->run->triggered)
		ms = sooner(ms, l->next_write);
	ms = sooner(ms, l->rests_until);
	return sooner(sooner(ms, l->boundary), l->deadline);
}

/* A processor that is offline cannot be polled: look at it now and then. */
static void skip_offline(struct tl_loop *l, unsigned int polled)
{
	unsigned int i;

	for (i = 0; i < polled; i++) {
		struct pollfd *p = &l->poll[POLL_CPUS + i];

		if (p->revents & (POLLERR | POLLNVAL | POLLHUP)) {
			p->fd = -1; /* it would report that for ever */
			l->offline = true;
		}
	}
}

/* Waits for work; false when it is time to end. */
static bool wait_for_more(struct tl_session *s)
{
	struct tl_loop *l = s->run->live;
	bool cpus = wake_when_full(l, l->pause_ms) || !l->pause_ms;
	const unsigned int polled = cpus ? l->count : l->others;
	unsigned int i;

	if (tl_poll(l->poll, POLL_CPUS + polled, timeout_ms(s)) > 0)
		skip_offline(l, polled);
	for (i = l->others; i < polled && l->pause_ms; i++)
		l->full |= l->poll[POLL_CPUS + i].revents & POLLIN;
	if (l->poll[POLL_SIGNAL].revents || l->poll[POLL_COMMAND].revents)
		return false;
	return !(l->poll[POLL_STDOUT].revents & (POLLERR | POLLHUP | POLLNVAL));
}

static int not_switched(int err)
{
	return tl_fail(-err, "tracing_on: %s", tl_fs_explain(-err));
}

/*
 * At once for all events: a pair must not be torn.  Our own opens are hits too,
 * so there is none between the count and the end of recording.
 */
static int stop_recording(struct tl_session *s)
{
	struct tl_run *run = s->run;
	int ret = 0;

	if (s->instance->top)
		ret = tl_fs_write(s->instance->root, "tracing_on", "0",
				  O_TRUNC);
	tl_parts_stop(s);
	run->stop_ns = tl_now();
	if (run->paused_at)
		run->paused += run->stop_ns - run->paused_at;
	run->paused_at = 0;
	if (!ret)
		ret = tl_fs_put(run->live->on_fd, "0");
	return ret ? not_switched(ret) : 0;
}

/* ---- --max-cpu --------------------------------------------------------- */

/* What the kernel counts by itself goes on, as does what comes from elsewhere. */
static bool can_pause(const struct tl_session *s)
{
	return !s->instance->top && !s->run->others && !tl_parts_uncaptured(s);
}

/* To all who follow what happens it is a loss on each processor. */
static int pause_recording(struct tl_session *s)
{
	struct tl_loop *l = s->run->live;
	int ret = tl_fs_put(l->on_fd, "0");
	unsigned int i;

	if (ret)
		return not_switched(ret);
	s->run->paused_at = tl_now();
	ret = pass(s, s->run->paused_at);
	for (i = 0; i < l->count; i++)
		begin_gap(s, l->cpus[i]);
	return ret;
}

/*
 * Recording goes on first, so that no thread begins between a look at those that there are and the
 * records of those that begin.
 */
static int go_on_recording(struct tl_session *s)
{
	struct tl_loop *l = s->run->live;
	unsigned int i;
	uint64_t now;
	int ret;

	ret = tl_fs_put(l->on_fd, "1");
	if (ret)
		return not_switched(ret);
	now = tl_now();
	for (i = 0; i < l->count; i++)
		end_gap(s, l->cpus[i]);
	tl_tasks_lost(s);
	tl_tasks_end_unseen(s, now);
	s->run->paused += now - s->run->paused_at;
	s->run->paused_at = 0;
	return 0;
}

/*
 * When more was taken than this tool may, there are no records until the next second's
 * share is saved; where there would be all the same, intervals get longer.
 */
static int keep_budget(struct tl_session *s, uint64_t now)
{
	struct tl_loop *l = s->run->live;

	if (l->rests_until > now)
		return 0;
	l->rests_until = 0;
	if (tl_budget_is_spent(&l->budget, now))
		l->rests_until = tl_budget_again(&l->budget);
	if (s->run->paused_at)
		return l->rests_until ? 0 : go_on_recording(s);
	return l->rests_until && can_pause(s) ? pause_recording(s) : 0;
}

/* ---- intervals -------------------------------------------------------- */

uint64_t tl_loop_next_boundary(const struct tl_session *s, uint64_t last)
{
	uint64_t end = s->run->start_ns + s->set.duration;

	if (!s->run->interval || (s->set.duration && last >= end))
		return 0;
	if (s->set.duration && end - last < s->run->interval)
		return end;
	return last + s->run->interval;
}

void tl_loop_interval(struct tl_session *s, uint64_t ns)
{
	if (s->run->on_interval(s, ns))
		s->run->failed = true;
}

/*
 * A signal that ends us is for the command too, and what comes of it is
 * recorded: the command's own end, or until it has taken too long, or another
 * signal comes.
 */
static bool give_command_time(struct tl_session *s)
{
	struct tl_loop *l = s->run->live;
	siginfo_t info;

	if (s->run->child_fd < 0 || s->run->signal ||
	    l->poll[POLL_COMMAND].revents || !l->poll[POLL_SIGNAL].revents ||
	    read(l->poll[POLL_SIGNAL].fd, &info, sizeof(info)) != sizeof(info))
		return false;
	s->run->signal = info.si_signo;
	tl_signals_again(); /* the next one ends this wait */
	l->deadline = s->run->child_signal(s, &info);
	return true;
}

/* Of what the kernel counts the next one has that of this one, too. */
static bool is_left_out(const struct tl_session *s, uint64_t ns)
{
	const struct tl_loop *l = s->run->live;

	return l->rests_until && !s->run->paused_at &&
	       ns + s->run->interval - l->interval_ns <= LEFT_OUT_NS &&
	       !tl_run_ends_at(s, ns);
}

/*
 * Ends those that have passed; true when that was the last one, or a signal
 * came and there is no command to wait for.
 */
static bool end_intervals(struct tl_session *s, uint64_t now, int *ret)
{
	struct tl_loop *l = s->run->live;

	while (l->boundary && l->boundary <= now && !*ret) {
		if (tl_poll(&l->poll[POLL_SIGNAL], 1, 0) > 0 &&
		    !give_command_time(s))
			return true;
		*ret = pass(s, l->boundary);
		if (*ret)
			break;
		if (!is_left_out(s, l->boundary)) {
			tl_loop_interval(s, l->boundary);
			l->interval_ns = l->boundary;
		}
		l->boundary = tl_loop_next_boundary(s, l->boundary);
		if (s->run->intervals && !--s->run->intervals)
			l->boundary = 0;
		if (!l->boundary)
			return true;
	}
	return false;
}

/* By SIGUSR1. */
static bool was_asked(const struct tl_loop *l)
{
	struct signalfd_siginfo info;

	return l->write_fd >= 0 &&
	       read(l->write_fd, &info, sizeof(info)) == sizeof(info);
}

/*
 * By a signal, or the trigger.  One that is true again soon is written when
 * what was written with it would be forgotten.
 */
static bool is_to_write(struct tl_session *s, uint64_t now)
{
	struct tl_loop *l = s->run->live;

	s->run->triggered |= tl_out_came_true(s->out);
	if (s->run->triggered && now >= l->next_write) {
		s->run->triggered = false;
		l->next_write = now + s->set.last;
		return true;
	}
	return l->poll[POLL_WRITE].revents && was_asked(l);
}

/*
 * What happens after it counts as well, so that this one cannot be written ends
 * nothing.  Nor does who does not read that it was.
 */
static void write_capture(struct tl_session *s)
{
	struct pollfd out = { .fd = STDOUT_FILENO, .events = POLLOUT };
	const struct tl_sink *sink = s->run->sink;

	if (sink->write(sink->ctx) || tl_poll(&out, 1, 0) <= 0)
		return;
	tl_out_mute(s->out, false);
	sink->say(sink->ctx);
	tl_out_flush(s->out);
	tl_out_mute(s->out, sink->beside);
}

/* Records that are in the file; it is full. */
static int look_at_rest(struct tl_session *s)
{
	struct tl_loop *l = s->run->live;
	int given = l->reader ? tl_reader_pass(l->reader, UINT64_MAX) : 0;

	return given < 0 ? given : 0;
}

static int run_until_end(struct tl_session *s, int signals)
{
	const struct tl_sink *sink = s->run->sink;
	struct tl_loop *l = s->run->live;
	int ret = 0;

	l->poll[POLL_SIGNAL] =
		(struct pollfd){ .fd = signals, .events = POLLIN };
	/*
	 * Events 0: a pipe without a reader says POLLERR all the same.  With a
	 * capture nobody needs to read there.
	 */
	l->poll[POLL_STDOUT] =
		(struct pollfd){ .fd = sink || s->run->unread ? -1
							      : STDOUT_FILENO };
	l->poll[POLL_COMMAND] =
		(struct pollfd){ .fd = s->run->child_fd, .events = POLLIN };
	l->poll[POLL_WRITE] =
		(struct pollfd){ .fd = l->write_fd, .events = POLLIN };
	/* nothing is shown; how long it takes is known to start_timer() */
	l->boundary = sink && !sink->beside
			      ? 0
			      : tl_loop_next_boundary(s, s->run->start_ns);
	l->interval_ns = s->run->start_ns;
	tl_budget_open(&l->budget, s->set.max_cpu, tl_now());
	while (wait_for_more(s) || give_command_time(s)) {
		uint64_t now = tl_now();

		if (end_intervals(s, now, &ret) ||
		    (l->deadline && now >= l->deadline))
			break;
		if (!ret)
			ret = pass(s, now);
		if (!ret)
			ret = keep_budget(s, now);
		if (!ret && is_to_write(s, now))
			write_capture(s);
		if (ret == -EFBIG)
			break;
		if (ret)
			return ret;
		look_at_percent(l);
	}
	tl_signals_ending();
	if (l->poll[POLL_STDOUT].revents & (POLLERR | POLLHUP))
		return -EPIPE;
	ret = stop_recording(s) ?: ret ?: pass(s, UINT64_MAX);
	/* what the file has no room for is not in it */
	if (ret == -EFBIG)
		ret = look_at_rest(s);
	if (!ret && l->boundary)
		tl_loop_interval(s, s->run->stop_ns);
	return ret;
}

int tl_loop_run(struct tl_session *s, int signals)
{
	const struct tl_sink *sink = s->run->sink;
	int ret;

	tl_out_mute(s->out, sink && sink->beside);
	ret = run_until_end(s, signals);
	/* also by rows of the last interval */
	s->run->triggered |=
		tl_out_came_true(s->out) || was_asked(s->run->live);
	tl_out_mute(s->out, false);
	return ret;
}

/* ---- losses ----------------------------------------------------------- */

static uint64_t counter(const char *text, const char *name)
{
	const char *p = strstr(text, name);

	return p ? strtoull(p + strlen(name), NULL, 10) : 0;
}

uint64_t tl_loop_overrun(struct tl_session *s)
{
	struct tl_loop *l = s->run->live;
	uint64_t sum = 0;
	unsigned int i;
	char path[64], *text;

	if (tl_recording_replays(s->recording))
		return tl_recording_number(s->recording, "overrun");
	if (!l)
		return 0;
	for (i = l->others; i < l->count; i++) {
		snprintf(path, sizeof(path), "per_cpu/cpu%u/stats", l->cpus[i]);
		text = tl_fs_read(i < l->own ? s->instance->dir
					     : s->instance->root,
				  path, NULL);
		if (!text)
			continue;
		sum += counter(text, "\noverrun: ");
		sum += counter(text, "\ncommit overrun: ");
		sum += counter(text, "\ndropped events: ");
		free(text);
	}
	return sum;
}
