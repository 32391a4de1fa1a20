// SPDX-License-Identifier: GPL-2.0-or-later
/* probe.c - dynamic events of this session's own group */
#include "probe/probe.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/part.h"
#include "base/recording.h"
#include "kernel/feature.h"
#include "kernel/functions.h"
#include "probe/caller.h"
#include "probe/definition.h"
#include "record/event.h"
#include "run/loss.h"
#include "run/run.h"
#include "run/state.h"
#include "tracefs/file.h"
#include "tracefs/instance.h"
#include "tracelet/event.h"
#include "tracelet/feature.h"
#include "tracelet/probe.h"

#define EVENT_NAME_MAX 63 /* MAX_EVENT_NAME_LEN of the kernel, and its NUL */
/* how long a probe that was hit may take to have its record */
#define IN_FLIGHT_NS 1000000
/* how often to look for that long without a hit */
#define COUNT_TRIES 10

/* A name for @name that is legal, ends in @suffix and is not too long. */
static char *legal_name(const char *name, const char *suffix)
{
	size_t max = EVENT_NAME_MAX - strlen(suffix), i;
	char *full;

	if (asprintf(&full, "%.*s%s", (int)max, name, suffix) < 0)
		return NULL;
	for (i = 0; full[i]; i++)
		if (!isalnum((unsigned char)full[i]))
			full[i] = '_';
	if (isdigit((unsigned char)*full))
		*full = '_';
	return full;
}

/*
 * Probes are global, so their names carry the session's: kprobe_profile, which
 * counts the hits that a probe missed, knows no groups.
 */
static char *event_name(struct tl_session *s, const char *name)
{
	char suffix[80], *full;
	unsigned int i = 1;

	snprintf(suffix, sizeof(suffix), "_%s", s->instance->name);
	full = legal_name(name, suffix);
	while (full && s->events && tl_event_find(s, s->instance->name, full)) {
		free(full);
		snprintf(suffix, sizeof(suffix), "_%u_%s", ++i,
			 s->instance->name);
		full = legal_name(name, suffix);
	}
	return full;
}

static int define(struct tl_session *s, const char *event, const char *line)
{
	char remove[256];
	int fd, ret;

	ret = tl_fs_open(s->instance->root, "dynamic_events",
			 O_WRONLY | O_APPEND, &fd);
	if (fd < 0)
		return ret == -ENOENT ? -ENOTSUP : ret;
	snprintf(remove, sizeof(remove), "-:%s/%s", s->instance->name, event);
	ret = tl_undo_write_last(s->instance->undo, fd, remove);
	if (!ret)
		ret = tl_fs_put(fd, line);
	close(fd);
	return ret;
}

/* Of a tracepoint and of a program they are other mechanisms. */
static bool is_of_kernel(const char *type, const char *place)
{
	return !strchr("et", *type) && *place != '/';
}

/*
 * Some 5.10 look for the function last, and of one that they lack refuse $argN as
 * no argument.  To look it up takes longer than all else that a probe costs, so
 * that is done only when the kernel's answer leaves it open.
 */
static bool is_unknown(struct tl_session *s, const char *type, const char *name)
{
	struct tl_symbol_search f = { 0 };
	struct tl_place place;

	if (!is_of_kernel(type, name) || tl_place_parse(&place, name) ||
	    place.is_glob || place.is_address)
		return false;
	f.module = *place.module ? place.module : NULL;
	f.name = place.symbol;
	return !tl_symbol_search(s, &f) && !f.count;
}

/* A function that is missing, or notrace, as ia32_sys_call() is on 7.2. */
static bool cannot_be_probed(struct tl_session *s, int err, const char *log,
			     const char *type, const char *place)
{
	if (err == ENOENT)
		return true;
	if (log && strstr(log, "Invalid probed address or symbol"))
		return true;
	if (err != EINVAL)
		return false;
	return (log && strstr(log, "Failed to register probe event")) ||
	       is_unknown(s, type, place);
}

/* ENOENT is the caller's to handle: another function may do as well. */
static int explain(struct tl_session *s, int err, const char *type,
		   const char *place, const char *line)
{
	char *log = tl_fs_log(s->instance->root, line);
	bool missing = cannot_be_probed(s, err, log, type, place);
	char what[256];

	snprintf(what, sizeof(what), "probe on %s", place);
	if (!missing)
		tl_fs_say(err, what, log);
	free(log);
	return missing ? -ENOENT : -err;
}

/* Behind the hits in a capture: some may be of the process that wrote it. */
#define OR_OWN " or own"

/* Takes the hits that were counted while the capture was written. */
static void take_kept(struct tl_session *s, struct tl_event *ev,
		      struct tl_probe *p)
{
	const char *from =
		tl_recording_text(s->recording, "counted from", NULL);
	const char *until = tl_recording_text(s->recording, "counted until",
					      NULL),
		   *hits;
	char key[256];

	snprintf(key, sizeof(key), "hits %s", ev->name);
	hits = tl_recording_text(s->recording, key, NULL);
	if (from)
		s->events->counted_from = strtoull(from, NULL, 10);
	if (until)
		s->events->counted_span =
			strtoull(until, NULL, 10) - s->events->counted_from;
	tl_event_filter_key(ev, key);
	ev->filtered = tl_recording_text(s->recording, key, NULL);
	if (!hits)
		return;
	sscanf(hits, "%" SCNu64 " %" SCNu64, &p->hits, &p->missed);
	p->has_bytes = strstr(hits, OR_OWN);
}

static const struct tl_event_part_ops probe_ops = { .free = free };

struct tl_probe *tl_probe_of(const struct tl_event *ev)
{
	return tl_event_part_find(ev, &probe_ops);
}

void tl_probe_reads_safely(struct tl_event *ev)
{
	tl_probe_of(ev)->may_fault = false;
}

uint64_t tl_probe_caller(const struct tl_record *r)
{
	const struct tl_probe *p = tl_probe_of(r->event);

	return p && p->caller.size ? tl_field_num(r, &p->caller) : 0;
}

/* Texts and arrays, several of which may be longer than a record can be. */
static bool may_be_large(const struct tl_event *ev)
{
	const struct tep_format_field *f = ev->tep->format.fields;

	while (f && !(f->flags & (TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_DYNAMIC)))
		f = f->next;
	return f;
}

/* What the kernel was told of the probe that @ev is. */
static int know(struct tl_session *s, struct tl_event *ev, const char *type,
		const char *name, const char *place, const char *args)
{
	struct tl_probe *p = calloc(1, sizeof(*p) + strlen(place) + 1);

	if (!p)
		return -ENOMEM;
	tl_event_part_add(ev, &probe_ops, p);
	p->is_return = *type == 'r';
	p->is_user = *place == '/';
	p->by_tracer = *type == 'f';
	p->on_event = *type == 'e';
	/* of that hits are not counted */
	p->may_be_large = !p->on_event && may_be_large(ev);
	p->may_fault = strpbrk(args, "(@");
	if (tl_event_has(ev, TL_CALLER))
		tl_event_field(s, ev, TL_CALLER, &p->caller);
	p->caller_in_register = strstr(args, TL_CALLER "=%");
	strcpy(p->place, place);
	take_kept(s, ev, p);
	ev->title = strdup(name);
	return ev->title ? 0 : -ENOMEM;
}

struct tl_event *tl_probe_add(struct tl_session *s, const char *type,
			      const char *name, const char *place,
			      const char *args, tl_handler *handler)
{
	struct tl_probes *probes = tl_probes_get(s);
	char *event = event_name(s, name), *line = NULL;
	struct tl_event *ev = NULL;
	int ret = -ENOMEM;

	/* It could be added all the same, and then spoils the tracer on 7.2. */
	if (probes && !probes->count && is_of_kernel(type, place) &&
	    tl_kprobes_enabled(s)) {
		free(event);
		errno = EPERM;
		return NULL;
	}
	if (probes && event &&
	    asprintf(&line, "%s:%s/%s %s %s", type, s->instance->name, event,
		     place, args) >= 0) {
		ret = define(s, event, line);
		if (ret)
			ret = explain(s, -ret, type, place, line);
		ret = tl_recording_result(s->recording, ret, "%s", line);
	}
	if (!ret) {
		probes->count++;
		probes->count_faults |= is_of_kernel(type, place) &&
					!tl_feature(s, TL_FEATURE_EPROBE);
		ev = tl_event_add(s, s->instance->name, event, handler);
		ret = ev ? know(s, ev, type, name, place, args) : -errno;
	}
	free(line);
	free(event);
	errno = -ret;
	return ret ? NULL : ev;
}

int tl_probe_profile(struct tl_session *s, bool user)
{
	return openat(s->instance->root.fd,
		      user ? "uprobe_profile" : "kprobe_profile",
		      O_RDONLY | O_CLOEXEC);
}

/* Lines are "  EVENT  HITS  MISSED", of programs "  PATH EVENT  HITS". */
bool tl_probe_profile_line(bool user, const char *line, char name[128],
			   uint64_t *hits, uint64_t *missed)
{
	*missed = 0;
	if (user)
		return sscanf(line, " %*s %127s %" SCNu64, name, hits) == 2;
	return sscanf(line, " %127s %" SCNu64 " %" SCNu64, name, hits,
		      missed) == 3;
}

/* True when a probe was hit since the last call. */
static bool read_profile(struct tl_session *s, const struct tl_probes *p,
			 int fd)
{
	char *text, *line, *end, name[128];
	uint64_t hits, missed;
	struct tl_event *ev;
	struct tl_probe *probe;
	bool more = false;

	text = lseek(fd, 0, SEEK_SET) ? NULL : tl_fs_get(fd, NULL);
	for (line = text; line && *line; line = end + (*end == '\n')) {
		end = strchrnul(line, '\n');
		if (!tl_probe_profile_line(p->user, line, name, &hits, &missed))
			continue;
		ev = tl_event_find(s, s->instance->name, name);
		probe = ev ? tl_probe_of(ev) : NULL;
		if (!probe)
			continue;
		more |= hits - probe->hits_before != probe->hits;
		probe->hits = hits - probe->hits_before;
		probe->missed = missed - probe->missed_before;
	}
	free(text);
	return more;
}

/*
 * A record that does not fit into 4 KiB is not written, and nothing says so, but
 * without a filter there is a record for each hit, where no other has its place.
 * Not yet at a return in a program: that is a hit when the function begins.
 */
static bool has_all_records(const struct tl_session *s,
			    const struct tl_event *ev)
{
	const struct tl_probe *p = tl_probe_of(ev);

	return p && p->may_be_large && !ev->has_cut && !ev->whole &&
	       !ev->filtered && !(p->is_return && p->is_user) &&
	       !tl_settings_ids(&s->set) && !s->events->self_left_out &&
	       !tl_run_is_cut_short(s);
}

bool tl_probes_compare(const struct tl_session *s)
{
	const struct tl_event *ev = s->events ? s->events->first : NULL;

	while (ev && !has_all_records(s, ev))
		ev = ev->next;
	return ev;
}

/*
 * A hit is counted before it is recorded.  When there was none for as long as
 * that takes, those that are counted have their records before @ns, and all
 * others behind it.  False where hits never pause.
 */
static bool read_settled(struct tl_session *s, const struct tl_probes *p,
			 int fd, uint64_t *ns)
{
	bool more = tl_probes_compare(s);
	int tries;

	read_profile(s, p, fd);
	*ns = tl_now();
	for (tries = 0; more && tries < COUNT_TRIES; tries++) {
		tl_pause(IN_FLIGHT_NS);
		*ns = tl_now();
		more = read_profile(s, p, fd);
	}
	close(fd);
	return !more;
}

/*
 * What this process passes to a function may have no end either, and to read
 * the record of that gives the next one.
 */
static int leave_out_self(struct tl_session *s)
{
	const struct tl_event *ev = s->events->first;

	while (ev && !ev->has_cut)
		ev = ev->next;
	/* else records are held against hits, which are this process's too */
	return ev && !tl_probes_compare(s) ? tl_events_leave_out_self(s) : 0;
}

/* The open of a file can be a hit itself, and so come too early to count. */
static int prepare(struct tl_session *s, void *part)
{
	struct tl_probes *p = part;

	if (!p->count)
		return 0;
	p->profile = tl_probe_profile(s, p->user);
	p->opened = p->profile >= 0;
	return leave_out_self(s);
}

/* Hits so far do not count. */
static int start(struct tl_session *s, void *part)
{
	struct tl_probes *p = part;
	struct tl_probe *probe;
	struct tl_event *ev;

	if (!p->opened)
		return 0;
	p->opened = false;
	read_settled(s, p, p->profile, &s->events->counted_from);
	for (ev = s->events->first; ev; ev = ev->next) {
		probe = tl_probe_of(ev);
		if (!probe)
			continue;
		probe->hits_before = probe->hits;
		probe->missed_before = probe->missed;
		probe->hits = probe->missed = 0;
	}
	return 0;
}

/* How often they were hit, before they are disabled. */
static void stop(struct tl_session *s, void *part)
{
	const struct tl_probes *p = part;
	int fd = p->count ? tl_probe_profile(s, p->user) : -1;
	uint64_t until;

	if (fd < 0)
		return;
	/* too few seem to be lost then, rather than some that are not */
	if (!read_settled(s, p, fd, &until)) {
		tl_pause(IN_FLIGHT_NS);
		until = tl_now();
	}
	s->events->counted_span = until - s->events->counted_from;
}

static void keep_end(struct tl_session *s, void *part)
{
	const struct tl_event *ev;
	const struct tl_probe *p;
	char key[256];

	for (ev = s->events->first; ev; ev = ev->next) {
		p = tl_probe_of(ev);
		if (!p)
			continue;
		snprintf(key, sizeof(key), "hits %s", ev->name);
		tl_recording_notef(s->recording, key,
				   "%" PRIu64 " %" PRIu64 "%s", p->hits,
				   p->missed, p->has_bytes ? OR_OWN : "");
	}
	tl_recording_notef(s->recording, "counted from", "%" PRIu64,
			   s->events->counted_from);
	tl_recording_notef(s->recording, "counted until", "%" PRIu64,
			   s->events->counted_from + s->events->counted_span);
}

/*
 * How much of what @p has missed may be addresses that were not there: those that a probe
 * of its place has read, or whoever walked the stack of a program for its record.
 */
static uint64_t faults_of(struct tl_session *s, const struct tl_probe *p)
{
	const struct tl_probe *other;
	const struct tl_event *ev;
	bool may_fault = tl_event_find(s, "ftrace", "user_stack");
	uint64_t shared = 0;

	for (ev = s->events->first; ev; ev = ev->next) {
		other = tl_probe_of(ev);
		if (!other || strcmp(other->place, p->place) != 0)
			continue;
		/* those of a return are its own */
		may_fault |= other->may_fault && !other->is_return;
		if (!other->is_return && other->missed > shared)
			shared = other->missed;
	}
	return may_fault ? shared : 0;
}

/*
 * A probe misses what an interrupt brings while the processor is at work for another
 * one: also what a filter, or the tool, leaves out.  A return probe misses what begins
 * while all its instances are in use, too.
 */
static uint64_t missed_by(struct tl_session *s, const struct tl_probes *probes,
			  const struct tl_probe *p)
{
	uint64_t faults = probes->count_faults ? faults_of(s, p) : 0;

	return p->missed > faults ? p->missed - faults : 0;
}

/* What is missed so far, where recording goes on: it is not known which hits have a record yet. */
static bool look_meanwhile(struct tl_session *s, const struct tl_probes *p)
{
	int fd;

	if (s->run->stop_ns || tl_recording_replays(s->recording))
		return false;
	fd = p->count ? tl_probe_profile(s, p->user) : -1;
	if (fd >= 0) {
		read_profile(s, p, fd);
		close(fd);
	}
	return true;
}

static void count(struct tl_session *s, void *part, struct tl_losses *l)
{
	const bool goes_on = look_meanwhile(s, part);
	const struct tl_event *ev;
	const struct tl_probe *p;

	for (ev = s->events->first; ev; ev = ev->next) {
		p = tl_probe_of(ev);
		if (!p)
			continue;
		l->missed += missed_by(s, part, p);
		if (goes_on || !has_all_records(s, ev) || p->hits <= ev->seen)
			continue;
		l->too_large += p->hits - ev->seen;
		l->or_own |= p->has_bytes;
	}
}

static void free_probes(void *part)
{
	struct tl_probes *p = part;

	if (p->opened)
		close(p->profile);
	free(p);
}

static const struct tl_part_ops probes_ops = { .prepare = prepare,
					       .start = start,
					       .stop = stop,
					       .keep_end = keep_end,
					       .count = count,
					       .free = free_probes };

struct tl_probes *tl_probes_get(struct tl_session *s)
{
	return tl_part_get(s, &probes_ops, sizeof(struct tl_probes));
}
