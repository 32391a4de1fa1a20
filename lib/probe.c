// SPDX-License-Identifier: GPL-2.0-or-later
/* probe.c - dynamic events of this session's own group */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "event.h"
#include "fs.h"

/* how long a probe that was hit may take to have its record */
#define IN_FLIGHT_US 1000
/* how often to look for that long without a hit */
#define COUNT_TRIES 10

/*
 * Probes are global, so their names carry the session's: kprobe_profile, which
 * counts the hits that a probe missed, knows no groups.
 */
static char *event_name(const struct tl_session *s, const char *name)
{
	char *full;

	return asprintf(&full, "%s_%s", name, s->name) < 0 ? NULL : full;
}

static int define(struct tl_session *s, const char *event, const char *line)
{
	char remove[256];
	int fd, ret;

	fd = openat(s->root, "dynamic_events", O_WRONLY | O_APPEND | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -ENOTSUP : -errno;
	snprintf(remove, sizeof(remove), "-:%s/%s", s->name, event);
	ret = tl_undo_write(s->undo, fd, remove);
	if (!ret)
		ret = tl_fs_put(fd, line);
	close(fd);
	return ret;
}

/* ENOENT is the caller's to handle: another function may do as well. */
static int explain(struct tl_session *s, int err, const char *place,
		   const char *line)
{
	char *log = tl_fs_log(s->root, line);
	bool missing = err == ENOENT ||
		       (log && strstr(log, "Invalid probed address or symbol"));
	char what[256];

	snprintf(what, sizeof(what), "probe on %s", place);
	if (!missing)
		tl_fs_say(err, what, log);
	free(log);
	return missing ? -ENOENT : -err;
}

struct tl_event *tl_probe_add(struct tl_session *s, const char *type,
			      const char *name, const char *place,
			      const char *args, tl_handler *handler)
{
	char *event = event_name(s, name), *line = NULL;
	struct tl_event *ev = NULL;
	int ret = -ENOMEM;

	if (event && asprintf(&line, "%s:%s/%s %s %s", type, s->name, event,
			      place, args) >= 0) {
		ret = define(s, event, line);
		if (ret)
			ret = explain(s, -ret, place, line);
	}
	if (!ret) {
		s->probes++;
		ev = tl_event_add(s, s->name, event, handler);
		ret = ev ? 0 : -errno;
	}
	if (ev) {
		ev->is_return = *type == 'r';
	}
	free(line);
	free(event);
	if (ret)
		errno = -ret;
	return ev;
}

int tl_probes_open(struct tl_session *s)
{
	if (!s->probes)
		return -1;
	return openat(s->root, "kprobe_profile", O_RDONLY | O_CLOEXEC);
}

/*
 * Lines are "  EVENT  HITS  MISSED".  True when a probe was hit since the last
 * call.
 */
static bool read_profile(struct tl_session *s, int fd)
{
	char *text, *line, *end, name[128];
	uint64_t hits, missed;
	struct tl_event *ev;
	bool more = false;

	text = fd >= 0 && !lseek(fd, 0, SEEK_SET) ? tl_fs_get(fd, NULL) : NULL;
	for (line = text; line && *line; line = end + (*end == '\n')) {
		end = strchrnul(line, '\n');
		if (sscanf(line, " %127s %" SCNu64 " %" SCNu64, name, &hits,
			   &missed) != 3)
			continue;
		ev = tl_event_find(s, s->name, name);
		if (!ev)
			continue;
		more |= hits - ev->hits_before != ev->hits;
		ev->hits = hits - ev->hits_before;
		ev->missed = missed - ev->missed_before;
	}
	free(text);
	return more;
}

void tl_probes_begin(struct tl_session *s, int fd)
{
	struct tl_event *ev;

	if (fd < 0)
		return;
	read_profile(s, fd);
	close(fd);
	for (ev = s->events ? s->events->first : NULL; ev; ev = ev->next) {
		ev->hits_before = ev->hits;
		ev->missed_before = ev->missed;
		ev->hits = ev->missed = 0;
	}
}

/*
 * A hit is counted before it is recorded.  When there was none for as long as
 * that takes, all that are counted have their records, and no record is of a
 * later one.  Where hits never pause, records of later ones are among those up
 * to counted_until: then too few seem to be lost, rather than some that are not.
 */
void tl_probes_count(struct tl_session *s)
{
	int fd = tl_probes_open(s), tries = COUNT_TRIES;

	if (fd < 0)
		return;
	read_profile(s, fd);
	do {
		usleep(IN_FLIGHT_US);
		s->counted_until = tl_now();
	} while (read_profile(s, fd) && --tries);
	close(fd);
	if (tries)
		return;
	usleep(IN_FLIGHT_US);
	s->counted_until = tl_now();
}

/*
 * A return probe misses what begins while all its instances are in use; of
 * others that number means nothing (up to 5.14 every page that is not there
 * when a probe reads a string counts).  A record that does not fit into 4 KiB
 * is not written, and nothing says so, but without a filter there is a record
 * for each hit.
 */
void tl_probes_losses(struct tl_session *s, struct tl_losses *l)
{
	bool filtered = s->set.pid || s->set.tid || s->set.cgroup;
	struct tl_event *ev;

	for (ev = s->events->first; ev; ev = ev->next) {
		if (ev->is_return)
			l->missed += ev->missed;
		if (!filtered && !ev->filtered && ev->hits > ev->seen)
			l->too_large += ev->hits - ev->seen;
	}
}
