// SPDX-License-Identifier: GPL-2.0-or-later
/* replay.c - records from a capture (-r) */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cap.h"
#include "base/child.h"
#include "base/message.h"
#include "base/part.h"
#include "base/recording.h"
#include "capture/capture.h"
#include "capture/section.h"
#include "capture/threads.h"
#include "condition/condition.h"
#include "out/out.h"
#include "out/put.h"
#include "record/event.h"
#include "run/loop.h"
#include "run/state.h"
#include "tracelet/capture.h"
#include "tracelet/event.h"
#include "tracelet/message.h"

#define STREAMS_MAX 65536
#define VIEW_MAX    (1ULL << 31)
#define BUFFERS_MAX (1ULL << 30) /* a sub-buffer for each processor */

struct place {
	uint64_t offset;
	size_t len;
};

/* Sub-buffers one behind the other, or each somewhere. */
struct stream {
	unsigned int cpu;
	uint64_t next, end;
	struct place *places;
	size_t count, size, taken;
};

struct tl_replay {
	struct tl_part part;
	const char *path;
	int fd;
	uint64_t size; /* of the file */
	bool cut;      /* it was being written when its writer ended */
	struct tl_recording *recording;
	struct tl_page_source source;
	struct tl_reader *reader;
	struct tl_reader_ops ops;
	struct stream *streams;
	struct tl_session *s; /* while it runs */
};

static int fail_on(const struct tl_replay *r, int err)
{
	if (err == EBADMSG)
		return tl_fail(err, "%s: damaged, or not written by -w",
			       r->path);
	return tl_fail(err, "%s: %s", r->path, strerror(err));
}

/* ---- the file --------------------------------------------------------- */

static int get(const struct tl_replay *r, uint64_t at, void *to, size_t len)
{
	ssize_t n = pread(r->fd, to, len, (off_t)at);

	if (n < 0)
		return -errno;
	return n == (ssize_t)len ? 0 : -EBADMSG;
}

static bool is_ours(const char *magic, uint32_t version)
{
	return !memcmp(magic, TL_CAPTURE_MAGIC, sizeof(TL_CAPTURE_MAGIC)) &&
	       version == TL_CAPTURE_VERSION;
}

static int load_view(const struct tl_replay *r, uint64_t at, uint64_t len)
{
	char *data = len <= VIEW_MAX ? malloc(len ?: 1) : NULL;
	int ret = data ? get(r, at, data, len) : -ENOMEM;

	if (!ret)
		ret = tl_recording_load(r->recording, data, len);
	free(data);
	return ret;
}

static int add_place(struct stream *s, uint64_t offset, size_t len)
{
	struct place *more;

	if (s->count == s->size) {
		s->size = s->size * 2 ?: 64;
		more = reallocarray(s->places, s->size, sizeof(*more));
		if (!more)
			return -ENOMEM;
		s->places = more;
	}
	s->places[s->count++] = (struct place){ offset, len };
	return 0;
}

static int read_layout(struct tl_replay *r)
{
	const char *text = tl_recording_text(
		r->recording, "@instance/events/header_page", NULL);

	if (!text || tl_page_layout(text, &r->source.layout) ||
	    (uint64_t)r->source.layout.size * r->source.streams > BUFFERS_MAX)
		return -EBADMSG;
	return 0;
}

/* Each processor has a stream, whether there are records in it or not. */
static void note_processors(const struct tl_replay *r)
{
	unsigned int i, count = 0;

	for (i = 0; r->streams && i < r->source.streams; i++)
		if (r->streams[i].cpu >= count)
			count = r->streams[i].cpu + 1;
	tl_recording_notef(r->recording, "processors", "%u", count);
}

/* A line "CPU OFFSET SIZE" for each. */
static int make_streams(struct tl_replay *r)
{
	const char *text =
		tl_recording_text(r->recording, TL_CAPTURE_STREAMS, NULL);
	struct tl_page_source *source = &r->source;
	unsigned long long offset, size;
	struct stream *s;
	int used;

	for (; text && *text; text += used) {
		s = reallocarray(r->streams, source->streams + 1, sizeof(*s));
		if (!s)
			return -ENOMEM;
		r->streams = s;
		s += source->streams;
		*s = (struct stream){ 0 };
		used = 0;
		if (sscanf(text, "%u %llu %llu\n%n", &s->cpu, &offset, &size,
			   &used) != 3 ||
		    !used || offset > r->size || size > r->size - offset ||
		    s->cpu >= STREAMS_MAX || source->streams >= STREAMS_MAX)
			return -EBADMSG;
		s->next = offset;
		s->end = offset + size;
		source->streams++;
	}
	note_processors(r);
	return source->streams ? read_layout(r) : -EBADMSG;
}

static int take_page(struct tl_replay *r, const struct tl_section *head,
		     uint64_t at)
{
	int ret = r->streams ? 0 : make_streams(r);

	if (!ret && head->stream >= r->source.streams)
		ret = -EBADMSG;
	return ret ?: add_place(&r->streams[head->stream], at, head->len);
}

/*
 * Up to @end; the first has the recording, without which there are no streams.  A
 * section that is not whole was being written.
 */
static int read_sections(struct tl_replay *r, uint64_t at, uint64_t end)
{
	struct tl_section head;
	int ret = 0;

	for (; !ret && at < end; at += head.len) {
		if (end - at < sizeof(head) ||
		    get(r, at, &head, sizeof(head)) ||
		    head.len > end - at - sizeof(head)) {
			r->cut = true;
			break;
		}
		at += sizeof(head);
		if (head.kind == TL_SECTION_RECORDING)
			ret = load_view(r, at, head.len);
		else if (head.kind == TL_SECTION_PAGE)
			ret = take_page(r, &head, at);
		else
			ret = -EBADMSG;
	}
	/* the last recording says where all of them are */
	return ret ?: r->streams ? 0 : make_streams(r);
}

/* What became a trace.dat has the recording at its end. */
static int read_file(struct tl_replay *r)
{
	struct tl_capture_start start;
	struct tl_capture_end end;
	uint64_t at = 0, size = r->size;
	int ret;

	if (size < sizeof(start) + sizeof(end))
		return -EBADMSG;
	ret = get(r, 0, &start, sizeof(start));
	if (ret)
		return ret;
	r->cut = is_ours(start.magic, start.version);
	if (!r->cut) {
		size -= sizeof(end);
		ret = get(r, size, &end, sizeof(end));
		if (ret)
			return ret;
		at = end.offset;
		if (!is_ours(end.magic, end.version) || at > size ||
		    size - at < sizeof(start))
			return -EBADMSG;
	}
	return read_sections(r, at + sizeof(start), size);
}

static int open_file(struct tl_replay *r, const char *path)
{
	struct stat st;

	r->path = path;
	r->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (r->fd < 0 || fstat(r->fd, &st))
		return -errno;
	r->size = (uint64_t)st.st_size;
	return S_ISREG(st.st_mode) ? 0 : -EBADMSG;
}

static bool is_capture(const char *path)
{
	struct tl_replay r = { 0 };
	struct tl_capture_start start;
	struct tl_capture_end end;
	bool found = !open_file(&r, path) && r.size > sizeof(end);

	if (found && (get(&r, 0, &start, sizeof(start)) ||
		      !is_ours(start.magic, start.version)))
		found = !get(&r, r.size - sizeof(end), &end, sizeof(end)) &&
			is_ours(end.magic, end.version);
	if (r.fd >= 0)
		close(r.fd);
	return found;
}

bool tl_is_capture(const struct tl_session *s, const char *path)
{
	return !s->set.read && is_capture(path);
}

struct tl_replay *tl_replay_open(const char *path,
				 struct tl_recording *recording)
{
	struct tl_replay *r = calloc(1, sizeof(*r));
	int ret;

	if (!r)
		return NULL;
	r->recording = recording;
	ret = open_file(r, path);
	if (!ret)
		ret = tl_cap_drop(0) ?: read_file(r);
	if (!ret && r->cut)
		tl_warn("%s: the capture is incomplete: only what was "
			"written is shown",
			path);
	if (!ret)
		return r;
	fail_on(r, -ret);
	tl_replay_free(r);
	return NULL;
}

void tl_replay_free(struct tl_replay *r)
{
	unsigned int i;

	if (!r)
		return;
	tl_reader_free(r->reader);
	for (i = 0; i < r->source.streams; i++)
		free(r->streams[i].places);
	free(r->streams);
	if (r->fd >= 0)
		close(r->fd);
	free(r);
}

static bool has_event(const struct tl_recording *recording, const char *event)
{
	char key[256];

	snprintf(key, sizeof(key), "@instance/events/%s/format", event);
	return tl_recording_text(recording, key, NULL);
}

/* The kernel left some out: -p, --cgroup, or a filter of the event. */
static bool is_partial(const struct tl_recording *recording, const char *event)
{
	const char *name = strchrnul(event, '/');
	size_t pids = 0;
	char key[256];

	tl_recording_text(recording, "@instance/set_event_pid", &pids);
	snprintf(key, sizeof(key), "filter %.*s:%s", (int)(name - event), event,
		 name + (*name == '/'));
	return pids || tl_recording_text(recording, key, NULL);
}

/* The tool will say, too, that one is incomplete. */
static struct tl_replay *open_quietly(const char *path,
				      struct tl_recording *recording)
{
	struct tl_buf said = { 0 }, *before = tl_message_keep(&said);
	struct tl_replay *r = tl_replay_open(path, recording);

	tl_message_keep(before);
	if (!r)
		tl_message_print(&said);
	tl_buf_free(&said);
	return r;
}

static void look_into(struct tl_replay *r, const char *event,
		      struct tl_capture_run *run)
{
	const char *tool = tl_recording_text(r->recording, "tool", NULL);

	if (!tool || strlen(tool) >= sizeof(run->tool)) {
		fail_on(r, EBADMSG);
		return;
	}
	strcpy(run->tool, tool);
	run->has = has_event(r->recording, event);
	run->partial = is_partial(r->recording, event);
}

/* Ends the child that has been made for it: that needs no privileges to go on. */
static _Noreturn void tell(const char *path, const char *event, int to)
{
	struct tl_capture_run run = { 0 };
	struct tl_recording recording = { 0 };
	struct tl_replay *r = open_quietly(path, &recording);

	if (r)
		look_into(r, event, &run);
	_exit(!*run.tool || write(to, &run, sizeof(run)) != sizeof(run));
}

int tl_capture_look(const char *path, const char *event,
		    struct tl_capture_run *run)
{
	ssize_t n = 0;
	int ends[2];
	pid_t pid;

	*run = (struct tl_capture_run){ 0 };
	if (!is_capture(path))
		return 0;
	if (pipe2(ends, O_CLOEXEC))
		return tl_fail(errno, "%s: %s", path, strerror(errno));
	pid = tl_child_fork();
	if (!pid)
		tell(path, event, ends[1]);
	close(ends[1]);
	if (pid > 0) {
		n = read(ends[0], run, sizeof(*run));
		tl_child_wait(pid);
	} else {
		tl_fail(errno, "%s: %s", path, strerror(errno));
	}
	close(ends[0]);
	return n == sizeof(*run) ? 0 : -EBADMSG;
}

static void free_replay(void *part)
{
	tl_replay_free(part);
}

static const struct tl_part_ops replay_ops = { .free = free_replay };

static const struct tl_event_filters filters = { .parse = tl_condition_parse,
						 .holds = tl_condition_holds,
						 .free = tl_condition_free };

void tl_replay_add(struct tl_session *s, struct tl_replay *r)
{
	tl_part_add(s, &replay_ops, r);
	s->filters = &filters;
	s->threads = &tl_threads_kept;
}

struct tl_replay *tl_replay(const struct tl_session *s)
{
	return tl_part_find(s, &replay_ops);
}

/* ---- the source ------------------------------------------------------- */

static bool next_place(const struct tl_replay *r, struct stream *s,
		       struct place *place)
{
	if (s->count) {
		if (s->taken == s->count)
			return false;
		*place = s->places[s->taken++];
		return true;
	}
	*place = (struct place){ s->next, r->source.layout.size };
	s->next += place->len;
	return s->next <= s->end;
}

static ssize_t take(void *ctx, unsigned int stream, void *buf, size_t size)
{
	struct tl_replay *r = ctx;
	struct place place;
	int ret;

	/* whoever reads has what it wanted */
	ret = tl_out_error(r->s->out);
	if (ret)
		return ret;
	if (!next_place(r, &r->streams[stream], &place))
		return 0;
	if (place.len > size)
		return -EBADMSG;
	ret = get(r, place.offset, buf, place.len);
	return ret ?: (ssize_t)place.len;
}

static unsigned int cpu_of(void *ctx, unsigned int stream)
{
	return ((struct tl_replay *)ctx)->streams[stream].cpu;
}

/* ---- the run ---------------------------------------------------------- */

static int pass(struct tl_session *s, uint64_t until)
{
	struct tl_replay *r = tl_replay(s);
	int ret = tl_reader_pass(r->reader, until);

	if (ret >= 0) {
		s->run->read_ns = until;
		tl_parts_pass(s, until);
	} else if (ret == -EBADMSG) {
		fail_on(r, EBADMSG);
	}
	return tl_flush(s) ?: ret < 0 ? ret : 0;
}

/* The last sub-buffer that begins; where nothing says when recording ended. */
static uint64_t last_time(const struct tl_replay *r)
{
	uint64_t ns, last = 0;
	const struct stream *s;
	unsigned int i;

	for (i = 0; i < r->source.streams; i++) {
		s = &r->streams[i];
		if (s->count &&
		    !get(r, s->places[s->count - 1].offset, &ns, sizeof(ns)) &&
		    ns > last)
			last = ns;
	}
	return last;
}

/* ---- what is older than --last asked for ------------------------------ */

static int skip_run(void *ctx, struct tl_page *page, struct tl_record *r,
		    uint64_t until)
{
	int ret;

	do {
		ret = tl_page_next(page, r);
	} while (ret > 0 && r->ns <= until);
	return ret;
}

static void skip_lost(void *ctx, unsigned int cpu, uint64_t ns, int64_t count)
{
	struct tl_session *s = ctx;

	s->run->gaps--;
	tl_parts_lost(s, cpu);
}

/*
 * A capture of the last seconds has it in the sub-buffers that these begin in.
 */
static int skip_until(struct tl_replay *r, uint64_t ns)
{
	int ret;

	r->ops.run = skip_run;
	r->ops.lost = skip_lost;
	ret = pass(r->s, ns);
	r->ops = tl_loop_ops;
	return ret;
}

/* ---- intervals -------------------------------------------------------- */

/*
 * Where the first whole one begins that is not before @since, if there is one.
 */
static uint64_t first_interval(struct tl_session *s, uint64_t since)
{
	uint64_t skipped, first;

	if (!s->run->interval || s->run->interval == INT64_MAX ||
	    since <= s->run->start_ns)
		return since;
	skipped = (since - s->run->start_ns - 1) / s->run->interval + 1;
	first = s->run->start_ns + skipped * s->run->interval;
	if (first >= s->run->stop_ns)
		return since;
	if (s->run->intervals)
		s->run->intervals -= skipped < s->run->intervals
					     ? skipped
					     : s->run->intervals - 1;
	return first;
}

/*
 * All but the last one, which the end of the run ends.  When no more are asked for,
 * the run ends with them: of what comes later nothing is read.
 */
static int run_intervals(struct tl_session *s, uint64_t *boundary)
{
	uint64_t ns;
	int ret = 0;

	*boundary = tl_loop_next_boundary(s, s->run->start_ns);
	while (!ret && *boundary && *boundary < s->run->stop_ns) {
		ns = *boundary;
		ret = pass(s, ns);
		if (!ret)
			tl_loop_interval(s, ns);
		*boundary = tl_loop_next_boundary(s, ns);
		if (s->run->intervals && !--s->run->intervals) {
			*boundary = 0;
			s->run->stop_ns = ns;
			s->run->cut_short = true;
		}
	}
	return ret;
}

/*
 * Whether less is asked for now; what was recorded always takes a bit longer.
 */
static bool is_shorter(const struct tl_session *s)
{
	const char *kept = tl_recording_text(s->recording, "duration", NULL);

	return s->set.duration &&
	       (!kept || s->set.duration < strtoull(kept, NULL, 10)) &&
	       s->set.duration < s->run->stop_ns - s->run->start_ns;
}

/* From when and until when it is shown; -EBADMSG when that cannot be. */
static int find_ends(struct tl_replay *r, uint64_t *end)
{
	const uint64_t begin =
		tl_recording_number(r->recording, TL_RECORDING_SINCE);
	uint64_t since = begin, first;
	struct tl_session *s = r->s;
	int ret = 0;

	s->run->stop_ns =
		tl_recording_number(r->recording, "stop") ?: last_time(r);
	s->run->cut_short = begin != 0;
	if (since < s->run->start_ns)
		since = s->run->start_ns;
	if (begin && since > s->run->stop_ns)
		return fail_on(r, EBADMSG);
	first = first_interval(s, since);
	if (first > s->run->start_ns)
		ret = skip_until(r, first);
	s->run->start_ns = first;
	if (is_shorter(s)) {
		s->run->stop_ns = *end = first + s->set.duration;
		s->run->cut_short = true;
	}
	return ret;
}

int tl_replay_run(struct tl_session *s)
{
	struct tl_replay *r = tl_replay(s);
	uint64_t end = UINT64_MAX, boundary;
	int ret;

	r->s = s;
	r->source.ctx = r;
	r->source.take = take;
	r->source.cpu = cpu_of;
	r->ops = tl_loop_ops;
	r->reader = tl_reader_new(&r->source, &r->ops, s);
	if (!r->reader)
		return -ENOMEM;
	if (s->events->unordered)
		tl_reader_unordered(r->reader);
	ret = find_ends(r, &end) ?: run_intervals(s, &boundary);
	if (ret || (s->run->interval && !boundary))
		return ret;
	ret = pass(s, end);
	if (!ret && boundary)
		tl_loop_interval(s, s->run->stop_ns);
	return ret;
}
