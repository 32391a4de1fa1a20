// SPDX-License-Identifier: GPL-2.0-or-later
/* trigger.c - hist triggers: what the kernel counts by itself */
#include "trace/trigger.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/part.h"
#include "record/cpus.h"
#include "record/event.h"
#include "tracefs/file.h"
#include "tracefs/instance.h"
#include "tracelet/event.h"
#include "tracelet/filter.h"
#include "tracelet/message.h"
#include "tracelet/tally.h"
#include "tracelet/task.h"

struct tl_trigger {
	struct tl_part part;
	unsigned int keys, size;
	const char *advice;
	int fd; /* of the hist file: it cannot be opened without privileges */
	uint64_t dropped;
};

/* ---- the text --------------------------------------------------------- */

static char *skip_spaces(char *p)
{
	return p + strspn(p, " \t");
}

static struct tl_str trimmed(char *from, const char *to)
{
	from = skip_spaces(from);
	while (to > from && to[-1] == ' ')
		to--;
	return (struct tl_str){ from, to > from ? to - from : 0 };
}

/* Where the value behind "NAME: " begins; NULL where there is no such thing. */
static char *behind_name(char *p)
{
	size_t len = strcspn(p, " :,");

	return len && p[len] == ':' && p[len + 1] == ' ' ? p + len + 2 : NULL;
}

/* The next ", NAME: " of a line, which a text can have in it too. */
static char *next_key(char *p)
{
	while ((p = strstr(p, ", "))) {
		if (behind_name(p + 2))
			return p;
		p += 2;
	}
	return NULL;
}

/* "NAME: VALUE, NAME: VALUE"; false when there are not so many. */
static bool parse_keys(char *p, unsigned int count, struct tl_trigger_entry *e)
{
	char *end;

	for (e->count = 0; e->count < count; e->count++) {
		p = behind_name(skip_spaces(p));
		if (!p)
			return false;
		end = e->count + 1 < count ? next_key(p) : p + strlen(p);
		if (!end)
			return false;
		e->keys[e->count] = trimmed(p, end);
		p = end + (*end ? 2 : 0);
	}
	return true;
}

/* "NAME: NUMBER" of a value; NULL, or what is behind it. */
static char *parse_value(char *p, uint64_t *value)
{
	char *end;

	p = behind_name(skip_spaces(p));
	p = p ? skip_spaces(p) : NULL;
	if (!p || *p < '0' || *p > '9')
		return NULL;
	*value = strtoull(p, &end, 10);
	return end;
}

/* "{ KEYS } hitcount: N VALUES"; a key's text may have braces in it. */
static bool parse_entry(char *line, unsigned int keys,
			struct tl_trigger_entry *e)
{
	static const char hits[] = " } hitcount: ";
	char *end = NULL, *p = line;

	if (strncmp(line, "{ ", 2))
		return false;
	while ((p = strstr(p, hits)))
		end = p++;
	if (!end)
		return false;
	*end = '\0';
	p = parse_value(end + strlen(" } "), &e->hits);
	if (!p)
		return false;
	e->values = 0;
	while (e->values < TL_TRIGGER_VALUES &&
	       (p = parse_value(p, &e->value[e->values])))
		e->values++;
	return parse_keys(line + 2, keys, e);
}

static bool parse_total(char *line, const char *name, uint64_t *total)
{
	line = skip_spaces(line);
	return !strncmp(line, name, strlen(name)) && parse_value(line, total);
}

int tl_trigger_parse(char *text, unsigned int keys, tl_trigger_fn *fn,
		     void *ctx, struct tl_trigger_totals *totals)
{
	struct tl_trigger_entry e;
	bool whole = false;
	char *line, *next;
	int ret = 0;

	for (line = text; *line && !ret && !whole; line = next) {
		next = strchrnul(line, '\n');
		if (*next)
			*next++ = '\0';
		if (parse_total(line, "Hits: ", &totals->hits) ||
		    parse_total(line, "Entries: ", &totals->entries))
			continue;
		whole = parse_total(line, "Dropped: ", &totals->dropped);
		if (!whole && parse_entry(line, keys, &e))
			ret = fn(ctx, &e);
	}
	return ret || whole ? ret : -EPROTO;
}

/* ---- the trigger ------------------------------------------------------ */

static unsigned int count_keys(const char *spec)
{
	size_t len = strcspn(spec, ":"), i;
	unsigned int count = 1;

	for (i = 0; i < len; i++)
		count += spec[i] == ',';
	return count;
}

static int open_file(struct tl_session *s, const struct tl_event *ev,
		     const char *file, int mode)
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "events/%s/%s/%s", ev->system, ev->name,
		 file);
	fd = openat(s->instance->dir.fd, path, mode | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* About a filter the kernel may say nothing here, but where filters belong. */
static int say_why(struct tl_session *s, struct tl_event *ev, int err,
		   const char *text, const char *filter)
{
	char what[512];
	int ret = tl_event_filter(s, ev, filter);

	if (ret)
		return ret;
	snprintf(what, sizeof(what), "hist trigger of %s:%s", ev->system,
		 ev->name);
	return tl_fs_error(s->instance->dir, err, what, text);
}

/*
 * Its undo comes before that of the probes: what has a trigger cannot go.  To
 * append: a file of triggers that is opened to be truncated loses those it has.
 */
static int install(struct tl_session *s, struct tl_event *ev, const char *spec,
		   unsigned int size, const char *filter)
{
	int fd = open_file(s, ev, "trigger", O_WRONLY | O_APPEND);
	int ret = fd < 0 ? fd : 0;
	char *text = NULL;

	if (!ret && asprintf(&text, "!hist:%s:size=%u%s%s", spec, size,
			     *filter ? " if " : "", filter) < 0)
		ret = -ENOMEM;
	if (!ret)
		ret = tl_undo_write(s->instance->undo, fd, text);
	if (!ret)
		ret = tl_fs_put(fd, text + 1);
	if (fd >= 0)
		close(fd);
	if (ret)
		ret = say_why(s, ev, -ret, text ? text + 1 : spec, filter);
	free(text);
	return ret;
}

static int no_triggers(void)
{
	return tl_fail(ENOTSUP, "this kernel has no hist triggers "
				"(CONFIG_HIST_TRIGGERS): count without "
				"--in-kernel");
}

/* All events have them, or none. */
int tl_trigger_check(struct tl_session *s)
{
	return faccessat(s->instance->root.fd,
			 "events/sched/sched_process_exit/hist", F_OK,
			 AT_EACCESS)
		       ? no_triggers()
		       : 0;
}

/* Open, its file keeps the instance busy. */
static void close_trigger(struct tl_session *s, void *part)
{
	struct tl_trigger *t = part;

	if (t->fd >= 0)
		close(t->fd);
	t->fd = -1;
}

/* What had no place in the kernel's table when that was read last. */
static uint64_t report(struct tl_session *s, void *part)
{
	const struct tl_trigger *t = part;

	if (t->dropped)
		tl_warn("%llu events were not counted: the kernel's table, of "
			"%u, was full (%s)",
			(unsigned long long)t->dropped, t->size, t->advice);
	return t->dropped;
}

static const char *uncaptured(void *part)
{
	return "what the kernel itself counts has no records";
}

static const struct tl_part_ops trigger_ops = { .close = close_trigger,
						.report = report,
						.free = free,
						.uncaptured = uncaptured };

/* The tool's own part in it, which no other run of it has, is left out. */
static void without_self(struct tl_session *s, const char *filter,
			 struct tl_filter *f)
{
	if (tl_tasks_self(s) > 0)
		tl_filter_and(f, "common_pid != %d", tl_tasks_self(s));
	tl_cpus_add_filter(s, f);
	if (*filter)
		tl_filter_and(f, "(%s)", filter);
}

struct tl_trigger *tl_trigger_hist(struct tl_session *s, struct tl_event *ev,
				   const char *spec, unsigned int size,
				   const char *filter, const char *advice)
{
	struct tl_filter f = { "" };
	struct tl_trigger *t;
	int ret, fd = open_file(s, ev, "hist", O_RDONLY);

	if (fd < 0) {
		errno = fd == -ENOENT ? -no_triggers() : -fd;
		return NULL;
	}
	if (count_keys(spec) > TL_TRIGGER_KEYS) {
		close(fd);
		errno = EINVAL;
		return NULL;
	}
	without_self(s, filter, &f);
	ret = install(s, ev, spec, size, f.text);
	t = ret ? NULL : calloc(1, sizeof(*t));
	if (!t) {
		close(fd);
		errno = ret ? -ret : ENOMEM;
		return NULL;
	}
	t->fd = fd;
	t->keys = count_keys(spec);
	t->size = size;
	t->advice = advice;
	tl_part_add(s, &trigger_ops, t);
	ev->filtered = true; /* hits are not records */
	/* counted instead of recorded, unless the library needs it too */
	ev->on_demand = !ev->watcher;
	ev->handler = NULL;
	return t;
}

/*
 * Counts never go down: what an interval had is the difference of two calls.
 * Stops when @fn returns other than 0, and returns that.
 */
static int read_all(struct tl_trigger *t, tl_trigger_fn *fn, void *ctx)
{
	struct tl_trigger_totals totals = { 0 };
	char *text = NULL;
	int ret;

	if (!lseek(t->fd, 0, SEEK_SET))
		text = tl_fs_get(t->fd, NULL);
	ret = text ? tl_trigger_parse(text, t->keys, fn, ctx, &totals) : -errno;
	free(text);
	if (ret == -EPROTO)
		return tl_fail(EPROTO, "the kernel's hist file is not "
				       "understood");
	if (!text)
		return tl_fail(-ret, "hist file: %s", tl_fs_explain(-ret));
	t->dropped = totals.dropped;
	return ret;
}

/* ---- since the last time ---------------------------------------------- */

struct since {
	struct tl_tally *seen;
	void (*fn)(void *ctx, uint64_t key, uint64_t hits);
	void *ctx;
};

static int take_new(void *ctx, const struct tl_trigger_entry *e)
{
	uint64_t key = strtoull(e->keys[0].text, NULL, 10);
	const struct since *since = ctx;
	uint64_t seen = tl_tally_count(since->seen, key);

	if (e->hits <= seen)
		return 0;
	tl_tally_add(since->seen, key, e->hits - seen);
	/* what there was no memory for is new the next time too */
	if (tl_tally_count(since->seen, key) != e->hits)
		return tl_fail(ENOMEM, "%s", strerror(ENOMEM));
	since->fn(since->ctx, key, e->hits - seen);
	return 0;
}

int tl_trigger_since(struct tl_trigger *t, struct tl_tally *seen,
		     void (*fn)(void *ctx, uint64_t key, uint64_t hits),
		     void *ctx)
{
	struct since since = { seen, fn, ctx };

	if (t->keys != 1)
		return -EINVAL;
	return read_all(t, take_new, &since);
}
