// SPDX-License-Identifier: GPL-2.0-or-later
/* event.c - formats, fields and filters of events */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tracefs.h>
#include <unistd.h>

#include "event.h"
#include "fs.h"

enum where { IN_RECORD, BY_DATA_LOC, BY_REL_LOC };

static struct tl_events *events(struct tl_session *s)
{
	struct tl_events *all = s->events;

	if (all)
		return all;
	all = calloc(1, sizeof(*all));
	if (!all)
		return NULL;
	all->tep = tep_alloc();
	if (!all->tep) {
		free(all);
		return NULL;
	}
	/* it prints its doubts about formats by itself otherwise */
	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_long_size(all->tep, sizeof(long));
	all->last = &all->first;
	all->unasked = s->tool->without & TL_OWN_WHO;
	s->events = all;
	return all;
}

static void free_event(struct tl_event *ev)
{
	free(ev->system);
	free(ev->name);
	free(ev);
}

void tl_events_free(struct tl_session *s)
{
	struct tl_events *all = s->events;
	struct tl_event *ev;

	if (!all)
		return;
	while ((ev = all->first)) {
		all->first = ev->next;
		free_event(ev);
	}
	tep_free(all->tep);
	free(all->by_id);
	free(all);
	s->events = NULL;
}

static char *event_path(const struct tl_event *ev, const char *file)
{
	char *path;

	if (asprintf(&path, "events/%s/%s/%s", ev->system, ev->name, file) < 0)
		return NULL;
	return path;
}

static int parse_format(struct tl_session *s, struct tl_event *ev)
{
	char *path = event_path(ev, "format");
	char *text = path ? tl_fs_read(s->dir, path, NULL) : NULL;
	int ret = -errno;

	if (text &&
	    !tep_parse_format(s->events->tep, &ev->tep, text, strlen(text),
			      ev->system) &&
	    ev->tep)
		ret = 0;
	else if (text)
		ret = -EPROTO;
	free(text);
	free(path);
	return ret;
}

static int index_by_id(struct tl_events *all, struct tl_event *ev)
{
	struct tl_event **more;

	if (!all->by_id || ev->id >= all->ids) {
		more = realloc(all->by_id, (ev->id + 64) * sizeof(ev));
		if (!more)
			return -ENOMEM;
		memset(more + all->ids, 0,
		       (ev->id + 64 - all->ids) * sizeof(ev));
		all->by_id = more;
		all->ids = ev->id + 64;
	}
	all->by_id[ev->id] = ev;
	*all->last = ev;
	all->last = &ev->next;
	return 0;
}

struct tl_event *tl_event_find(struct tl_session *s, const char *system,
			       const char *name)
{
	struct tl_event *ev;

	for (ev = s->events->first; ev; ev = ev->next)
		if (!strcmp(ev->name, name) && !strcmp(ev->system, system))
			return ev;
	return NULL;
}

void tl_event_require(struct tl_event *ev, const struct tl_field *field)
{
	uint32_t end = (uint32_t)field->offset + field->size;

	if (ev->least < end)
		ev->least = end;
}

static struct tl_event *load(struct tl_session *s, const char *system,
			     const char *name)
{
	struct tl_event *ev;
	int ret = -ENOMEM;

	if (!events(s))
		return NULL;
	ev = tl_event_find(s, system, name);
	if (ev)
		return ev;
	ev = calloc(1, sizeof(*ev));
	if (!ev)
		return NULL;
	ev->system = strdup(system);
	ev->name = strdup(name);
	if (ev->system && ev->name)
		ret = parse_format(s, ev);
	if (!ret && ev->tep) {
		ev->id = ev->tep->id;
		ret = index_by_id(s->events, ev);
	}
	if (!ret)
		ret = tl_event_field(s, ev, "common_pid", &s->events->pid);
	if (!ret)
		tl_event_require(ev, &s->events->pid);
	if (!ret)
		return ev;
	free_event(ev);
	errno = -ret;
	return NULL;
}

struct tl_event *tl_event_add(struct tl_session *s, const char *system,
			      const char *name, tl_handler *handler)
{
	struct tl_event *ev = load(s, system, name);

	if (ev)
		ev->handler = handler;
	return ev;
}

struct tl_event *tl_event_watch(struct tl_session *s, const char *system,
				const char *name, tl_handler *handler)
{
	struct tl_event *ev = load(s, system, name);

	if (ev)
		ev->watcher = handler;
	return ev;
}

const char *tl_event_system(const struct tl_event *ev)
{
	return ev->system;
}

const char *tl_event_name(const struct tl_event *ev)
{
	return ev->name;
}

void tl_filter_and(struct tl_filter *f, const char *fmt, ...)
{
	size_t len = strlen(f->text);
	va_list ap;

	if (len)
		len += snprintf(f->text + len, sizeof(f->text) - len, " && ");
	va_start(ap, fmt);
	if (len < sizeof(f->text))
		vsnprintf(f->text + len, sizeof(f->text) - len, fmt, ap);
	va_end(ap);
}

void tl_filter_match(struct tl_filter *f, const char *field,
		     const struct tl_regex *re)
{
	const char *words = tl_regex_literal(re);

	/* the filter's syntax has no way to write a quote */
	if (words && !strchr(words, '"'))
		tl_filter_and(f, "%s ~ \"*%s*\"", field, words);
}

int tl_event_filter(struct tl_session *s, struct tl_event *ev,
		    const char *filter)
{
	char *path, what[256];
	int ret;

	if (!*filter)
		return 0;
	ev->filtered = true;
	path = event_path(ev, "filter");
	if (!path)
		return -ENOMEM;
	ret = tl_fs_write(s->dir, path, filter, O_TRUNC);
	free(path);
	if (!ret)
		return 0;
	snprintf(what, sizeof(what), "filter of %s:%s", ev->system, ev->name);
	return tl_fs_error(s->dir, -ret, what, filter);
}

/* Its undo comes before that of the probes: what a trigger uses cannot go. */
int tl_event_on_demand(struct tl_session *s, struct tl_event *ev,
		       const struct tl_event *by, const char *condition)
{
	char *path = event_path(by, "trigger");
	char text[512], remove[512];
	int fd = path ? openat(s->dir, path, O_WRONLY | O_APPEND | O_CLOEXEC)
		      : -1;
	int ret = fd < 0 ? -errno : 0;

	snprintf(text, sizeof(text), "enable_event:%s:%s if %s", ev->system,
		 ev->name, condition);
	snprintf(remove, sizeof(remove), "!enable_event:%s:%s", ev->system,
		 ev->name);
	if (!ret)
		ret = tl_undo_write(s->undo, fd, remove);
	if (!ret)
		ret = tl_fs_put(fd, text);
	if (fd >= 0)
		close(fd);
	if (ret)
		tl_fs_error(s->dir, -ret, path ?: "trigger", text);
	free(path);
	ev->on_demand = !ret;
	return ret;
}

/*
 * Journalled behind the probes, so undone before them: a probe cannot go while
 * it is enabled.
 */
static int disable_later(struct tl_session *s)
{
	int fd = openat(s->dir, "events/enable", O_WRONLY | O_CLOEXEC);
	int ret;

	if (fd < 0)
		return tl_fail(errno, "events/enable: %s",
			       tl_fs_explain(errno));
	ret = tl_undo_write(s->undo, fd, "0");
	close(fd);
	return ret;
}

static int enable_all(struct tl_session *s)
{
	struct tl_event *ev;
	char *path;
	int ret;

	for (ev = s->events ? s->events->first : NULL; ev; ev = ev->next) {
		if (ev->on_demand)
			continue;
		path = event_path(ev, "enable");
		if (!path)
			return -ENOMEM;
		ret = tl_fs_write(s->dir, path, "1", 0);
		free(path);
		/* events of the ftrace system come along with others */
		if (ret && ret != -ENOENT)
			return tl_fail(-ret, "enabling %s:%s: %s", ev->system,
				       ev->name, tl_fs_explain(-ret));
	}
	return 0;
}

/* All at once: of what begins before its end is recorded, no end would come. */
int tl_events_enable(struct tl_session *s)
{
	int ret = disable_later(s) ?: tl_write_file(s, "tracing_on", "0");
	int profile = tl_probes_open(s);

	if (!ret)
		ret = enable_all(s) ?: tl_write_file(s, "tracing_on", "1");
	tl_probes_begin(s, profile);
	return ret;
}

/* ---- what there is ------------------------------------------------------ */

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static char **sorted(char **list)
{
	size_t n = 0;

	while (list && list[n])
		n++;
	if (list)
		qsort(list, n, sizeof(char *), by_name);
	return list;
}

static int list_system(struct tl_session *s, const char *system,
		       int (*fn)(void *ctx, const char *system,
				 const char *name),
		       void *ctx)
{
	char **list = sorted(tracefs_system_events(s->root_path, system));
	char path[512];
	int ret = 0, i;

	for (i = 0; list && list[i] && !ret; i++) {
		/* what the function tracers record cannot be enabled as such */
		snprintf(path, sizeof(path), "events/%s/%s/enable", system,
			 list[i]);
		if (!faccessat(s->root, path, F_OK, AT_EACCESS))
			ret = fn(ctx, system, list[i]);
	}
	tracefs_list_free(list);
	return ret;
}

int tl_event_list(struct tl_session *s,
		  int (*fn)(void *ctx, const char *system, const char *name),
		  void *ctx)
{
	char **list = sorted(tracefs_event_systems(s->root_path));
	int ret = 0, i;

	if (!list)
		return tl_fail(errno, "%s/events: %s", s->root_path,
			       tl_fs_explain(errno));
	for (i = 0; list[i] && !ret; i++)
		ret = list_system(s, list[i], fn, ctx);
	tracefs_list_free(list);
	return ret;
}

char *tl_event_format(struct tl_session *s, const char *system,
		      const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "events/%s/%s/format", system, name);
	return tl_fs_read(s->root, path, NULL);
}

/* ---- fields ----------------------------------------------------------- */

struct tl_field tl_field_of(const struct tep_format_field *f)
{
	struct tl_field field = { .offset = f->offset, .size = f->size };

	field.is_signed = f->flags & TEP_FIELD_IS_SIGNED;
	if (f->flags & TEP_FIELD_IS_DYNAMIC)
		field.where = f->flags & TEP_FIELD_IS_RELATIVE ? BY_REL_LOC
							       : BY_DATA_LOC;
	return field;
}

int tl_event_field(struct tl_session *s, const struct tl_event *ev,
		   const char *name, struct tl_field *field)
{
	struct tep_format_field *f = tep_find_any_field(ev->tep, name);

	(void)s;
	if (!f)
		return tl_fail(ENOENT, "%s:%s has no field %s on this kernel",
			       ev->system, ev->name, name);
	*field = tl_field_of(f);
	return 0;
}

int64_t tl_field_num(const struct tl_record *r, const struct tl_field *f)
{
	const char *p = r->data + f->offset;
	uint64_t u64;
	uint32_t u32;
	uint16_t u16;

	if ((uint32_t)f->offset + f->size > r->size)
		return 0;
	if (f->size == 4) {
		memcpy(&u32, p, sizeof(u32));
		return f->is_signed ? (int32_t)u32 : (int64_t)u32;
	}
	switch (f->size) {
	case 8:
		memcpy(&u64, p, sizeof(u64));
		return (int64_t)u64;
	case 2:
		memcpy(&u16, p, sizeof(u16));
		return f->is_signed ? (int16_t)u16 : (int64_t)u16;
	case 1:
		return f->is_signed ? *(const int8_t *)p : *(const uint8_t *)p;
	}
	return 0;
}

/* A __data_loc word is LENGTH << 16 | OFFSET; __rel_loc counts from its end. */
struct tl_str tl_field_str(const struct tl_record *r, const struct tl_field *f)
{
	uint32_t start = f->offset, len = f->size, loc;

	if (start + len > r->size)
		return (struct tl_str){ "", 0 };
	if (f->where != IN_RECORD) {
		memcpy(&loc, r->data + f->offset, sizeof(loc));
		len = loc >> 16;
		start = loc & 0xffff;
		if (f->where == BY_REL_LOC)
			start += f->offset + sizeof(loc);
		if (start > r->size || len > r->size - start)
			return (struct tl_str){ "", 0 };
	}
	return (struct tl_str){ r->data + start,
				strnlen(r->data + start, len) };
}

/* ---- records ---------------------------------------------------------- */

void tl_events_dispatch(struct tl_session *s, struct tl_record *r)
{
	struct tl_events *all = s->events;
	struct tl_event *ev;
	uint16_t id;

	/* common_type is the first field of every event */
	if (r->size < sizeof(id))
		return;
	memcpy(&id, r->data, sizeof(id));
	ev = id < all->ids ? all->by_id[id] : NULL;
	if (!ev || r->size < ev->least)
		return;
	ev->seen += r->ns <= s->counted_until;
	r->event = ev;
	r->pid = (int32_t)tl_field_u32(r, &all->pid);
	if (ev->handler && (all->unasked || tl_task_wanted(s, r->pid)))
		ev->handler(s, r);
	if (ev->watcher)
		ev->watcher(s, r);
}
