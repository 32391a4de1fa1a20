// SPDX-License-Identifier: GPL-2.0-or-later
/* event.c - formats, fields and filters of events */
#include "record/event.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tracefs.h>
#include <unistd.h>

#include "base/part.h"
#include "base/recording.h"
#include "record/cpus.h"
#include "record/format.h"
#include "record/tally.h"
#include "tracefs/file.h"
#include "tracefs/instance.h"
#include "tracelet/filter.h"
#include "tracelet/message.h"
#include "tracelet/task.h"
#include "tracelet/tool.h"
#include "tracelet/tracefs.h"

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
	all->unasked = s->tool->flags & TL_FILTERS_TASKS;
	if (s->set.cpu.count && !(s->tool->flags & TL_FILTERS_CPUS))
		all->cpus = &s->set.cpu;
	all->counted_span = TL_COUNTED_ON;
	s->events = all;
	return all;
}

void tl_event_part_add(struct tl_event *ev, const struct tl_event_part_ops *ops,
		       void *part)
{
	struct tl_event_part *p = part;

	p->ops = ops;
	p->next = ev->parts;
	ev->parts = p;
}

static void free_parts(struct tl_event *ev)
{
	struct tl_event_part *p;

	while ((p = ev->parts)) {
		ev->parts = p->next;
		p->ops->free(p);
	}
}

static void free_event(const struct tl_session *s, struct tl_event *ev)
{
	free_parts(ev);
	if (ev->only)
		s->filters->free(ev->only);
	free(ev->title);
	free(ev->filter);
	free(ev->given);
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
		free_event(s, ev);
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

/* Of a capture, which anybody may have made. */
static bool check_format(struct tl_event *ev, char *text)
{
	const char *print;

	if (!tl_format_fields(text, &print))
		return false;
	ev->by_fields = !tl_format_prints(text, print);
	if (ev->by_fields)
		strcpy(text + (print - text), "\"\"");
	return true;
}

static int parse_format(struct tl_session *s, struct tl_event *ev)
{
	char *path = event_path(ev, "format");
	char *text = path ? tl_fs_read(s->instance->dir, path, NULL) : NULL;
	int ret = -errno;

	if (text &&
	    (!tl_recording_replays(s->recording) || check_format(ev, text)) &&
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

static void append(struct tl_events *all, struct tl_event *ev)
{
	*all->last = ev;
	all->last = &ev->next;
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

/* A capture can say anything. */
static bool makes_sense(const struct tep_event *tep)
{
	const struct tep_format_field *lists[] = { tep->format.common_fields,
						   tep->format.fields };
	const struct tep_format_field *f;
	unsigned int i;

	if (tep->id < 0 || tep->id > UINT16_MAX)
		return false;
	for (i = 0; i < 2; i++)
		for (f = lists[i]; f; f = f->next)
			if (f->offset < 0 || f->offset > UINT16_MAX ||
			    f->size < 0 || f->size > UINT16_MAX)
				return false;
	return true;
}

/* All events begin alike, so it is looked for in one place. */
static int find_pid(struct tl_session *s, struct tl_event *ev)
{
	struct tl_field *known = &s->events->pid, pid = { 0 };
	int ret = tl_event_field(s, ev, "common_pid", &pid);

	if (ret)
		return ret;
	if (pid.size != sizeof(int32_t) ||
	    (known->size && known->offset != pid.offset))
		return -EPROTO;
	*known = pid;
	tl_event_require(ev, known);
	return 0;
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
	if (!ret && (!ev->tep || !makes_sense(ev->tep)))
		ret = -EPROTO;
	if (!ret)
		ret = find_pid(s, ev);
	if (!ret) {
		ev->id = ev->tep->id;
		ret = index_by_id(s->events, ev);
	}
	if (!ret) {
		append(s->events, ev);
		return ev;
	}
	free_event(s, ev);
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

struct tl_event *tl_event_make(struct tl_session *s, const char *name,
			       size_t least, tl_handler *handler)
{
	struct tl_event *ev = events(s) ? calloc(1, sizeof(*ev)) : NULL;

	if (!ev)
		return NULL;
	ev->system = strdup("tracelets");
	ev->name = strdup(name);
	if (!ev->system || !ev->name) {
		free_event(s, ev);
		errno = ENOMEM;
		return NULL;
	}
	ev->is_made = true;
	ev->least = (uint32_t)least;
	ev->handler = handler;
	append(s->events, ev);
	return ev;
}

/* With numbers that no event of the kernel has which is recorded: all are known now. */
static int number_made(struct tl_session *s)
{
	struct tl_event *ev = s->events ? s->events->first : NULL;
	int ret = 0;

	for (; ev && !ret; ev = ev->next) {
		if (!ev->is_made)
			continue;
		ev->id = s->events->ids;
		ret = index_by_id(s->events, ev);
	}
	return ret;
}

uint16_t tl_event_type(const struct tl_event *ev)
{
	return (uint16_t)ev->id;
}

static void on_tallied(struct tl_session *s, const struct tl_record *r)
{
	tl_tally_add(r->event->tally, (uint64_t)tl_field_long(r, &r->event->by),
		     1);
}

int tl_event_tally(struct tl_session *s, struct tl_event *ev, const char *name,
		   struct tl_tally *t)
{
	int ret = tl_event_long_field(s, ev, name, &ev->by);

	if (ret)
		return ret;
	ev->handler = on_tallied;
	ev->tally = t;
	/* who a thread is can hang on what happened elsewhere just before */
	s->events->unordered = !tl_tasks_filtered(s);
	return 0;
}

const char *tl_event_name(const struct tl_event *ev)
{
	return ev->name;
}

char *tl_event_title(const struct tl_event *ev)
{
	char *title;

	if (ev->title)
		return strdup(ev->title);
	if (asprintf(&title, "%s:%s", ev->system, ev->name) < 0)
		return NULL;
	return title;
}

void tl_filter_match(const struct tl_session *s, struct tl_filter *f,
		     const char *field, const struct tl_regex *re)
{
	/* records of a capture are in memory: the tool looks at all of them */
	const char *words = tl_recording_replays(s->recording)
				    ? NULL
				    : tl_regex_literal(re);

	/* the filter's syntax has no way to write a quote */
	if (words && !strchr(words, '"'))
		tl_filter_and(f, "%s ~ \"*%s*\"", field, words);
}

static const char *say_event(const struct tl_event *ev, char what[256])
{
	if (ev->title)
		snprintf(what, 256, "filter of %s", ev->title);
	else
		snprintf(what, 256, "filter of %s:%s", ev->system, ev->name);
	return what;
}

void tl_event_filter_key(const struct tl_event *ev, char key[256])
{
	snprintf(key, 256, "filter %s:%s", ev->system, ev->name);
}

/* Records that the kernel filtered alike need no filter here. */
static int filter_here(const struct tl_session *s, struct tl_event *ev,
		       const char *filter)
{
	char what[256];
	const char *kept;

	tl_event_filter_key(ev, what);
	kept = tl_recording_text(s->recording, what, NULL);
	if (kept && !strcmp(kept, filter))
		return 0;
	ev->only = s->filters->parse(ev, say_event(ev, what), filter);
	return ev->only ? 0 : -EINVAL;
}

/* Has the kernel filter @ev by this from now on. */
static int write_filter(struct tl_session *s, struct tl_event *ev,
			const char *filter)
{
	char *path = event_path(ev, "filter"), what[256];
	int ret;

	if (!path)
		return -ENOMEM;
	ret = tl_fs_write(s->instance->dir, path, filter, O_TRUNC);
	free(path);
	ev->filtered = true;
	return ret ? tl_fs_error(s->instance->dir, -ret, say_event(ev, what),
				 filter)
		   : 0;
}

static void note_filter(struct tl_session *s, const struct tl_event *ev,
			const char *filter)
{
	char key[256];

	if (!tl_recording_is_on(s->recording))
		return;
	tl_event_filter_key(ev, key);
	tl_recording_notef(s->recording, key, "%s", filter);
}

int tl_event_filter(struct tl_session *s, struct tl_event *ev,
		    const char *filter)
{
	int ret;

	if (!*filter)
		return 0;
	if (strlen(filter) >= TL_FILTER_MAX)
		return tl_fail(E2BIG,
			       "filter of %s: it has more than %d bytes, with "
			       "what other options add",
			       ev->title ?: ev->name, TL_FILTER_MAX - 1);
	ev->filtered = true;
	if (s->filters)
		return filter_here(s, ev, filter);
	ret = write_filter(s, ev, filter);
	if (ret)
		return ret;
	note_filter(s, ev, filter);
	free(ev->filter);
	ev->filter = strdup(filter);
	return ev->filter ? 0 : -ENOMEM;
}

/*
 * What the library watches has to be known of all processors, and what the
 * function tracers record has no such filter: these are left out in
 * tl_events_run().
 */
static bool can_narrow(const struct tl_event *ev)
{
	return ev->handler && !ev->watcher && !ev->is_made &&
	       strcmp(ev->system, "ftrace") != 0;
}

/* Whatever is too long for the kernel is left out in tl_events_run(), too. */
static int narrow(struct tl_session *s, struct tl_event *ev)
{
	struct tl_filter f = { "" };

	if (ev->filter)
		tl_filter_and(&f, "(%s)", ev->filter);
	tl_cpus_add_filter(s, &f);
	if (strlen(f.text) >= TL_FILTER_MAX)
		return 0;
	tl_cpus_keep(s);
	if (!ev->filter)
		note_filter(s, ev, f.text);
	return write_filter(s, ev, f.text);
}

/* Has the kernel record the tool's events on the processors of --cpu only. */
static int narrow_all(struct tl_session *s)
{
	struct tl_event *ev = s->events ? s->events->first : NULL;
	int ret = 0;

	if (!ev || !s->events->cpus || s->filters)
		return 0;
	for (; ev && !ret; ev = ev->next)
		if (can_narrow(ev))
			ret = narrow(s, ev);
	return ret;
}

int tl_event_filter_asked(struct tl_session *s, struct tl_event *ev,
			  const char *filter)
{
	const struct tl_regex *re = &s->set.name;
	struct tl_filter f = { "" };

	if (filter)
		tl_filter_and(&f, re->text ? "(%s)" : "%s", filter);
	tl_filter_match(s, &f, "COMM", re);
	return tl_event_filter(s, ev, f.text);
}

/* A trigger is undone before the probes: what it uses cannot be removed. */
int tl_event_trigger(struct tl_session *s, const struct tl_event *ev,
		     const char *action, const char *condition)
{
	char *path = event_path(ev, "trigger"), *text = NULL, *remove = NULL;
	int ret = path ? 0 : -ENOMEM;

	if (!ret && (asprintf(&remove, "!%s", action) < 0 ||
		     asprintf(&text, "%s%s%s", action, condition ? " if " : "",
			      condition ?: "") < 0))
		ret = -ENOMEM;
	if (!ret)
		ret = tl_undo_change(s->instance->undo, s->instance->dir, path,
				     O_APPEND, text, remove);
	if (ret)
		tl_fs_error(s->instance->dir, -ret, path ?: "trigger",
			    text ?: action);
	free(remove);
	free(text);
	free(path);
	return ret;
}

/* @action of @ev with a record of @by that meets @condition. */
static int add_trigger(struct tl_session *s, const char *action,
		       const struct tl_event *ev, const struct tl_event *by,
		       const char *condition)
{
	char text[512];

	snprintf(text, sizeof(text), "%s:%s:%s", action, ev->system, ev->name);
	return tl_event_trigger(s, by, text, condition);
}

int tl_event_on_demand(struct tl_session *s, struct tl_event *ev,
		       const struct tl_event *by, const char *condition)
{
	int ret = add_trigger(s, "enable_event", ev, by, condition);

	ev->on_demand = !ret;
	return ret;
}

int tl_event_until(struct tl_session *s, struct tl_event *ev,
		   const struct tl_event *by)
{
	return add_trigger(s, "disable_event", ev, by, NULL);
}

/*
 * Journalled behind the probes, so undone before them: a probe cannot go while
 * it is enabled.
 */
static int disable_later(struct tl_session *s)
{
	int fd, ret = tl_fs_open(s->instance->dir, "events/enable", O_WRONLY,
				 &fd);

	if (fd < 0)
		return ret ? tl_fail(-ret, "events/enable: %s",
				     tl_fs_explain(-ret))
			   : 0;
	ret = tl_undo_write(s->instance->undo, fd, "0");
	close(fd);
	return ret;
}

static int enable_all(struct tl_session *s)
{
	struct tl_event *ev;
	char *path;
	int ret;

	for (ev = s->events ? s->events->first : NULL; ev; ev = ev->next) {
		if (ev->on_demand || ev->is_made)
			continue;
		path = event_path(ev, "enable");
		if (!path)
			return -ENOMEM;
		ret = tl_fs_write(s->instance->dir, path, "1", 0);
		free(path);
		/* events of the ftrace system come along with others */
		if (ret && ret != -ENOENT)
			return tl_fail(-ret, "enabling %s:%s: %s", ev->system,
				       ev->name, tl_fs_explain(-ret));
	}
	return 0;
}

/*
 * Events are enabled at once: what begins before its end is recorded has no
 * end.
 */
int tl_events_enable(struct tl_session *s)
{
	return disable_later(s) ?:
	       narrow_all(s) ?:
	       tl_write_file(s, "tracing_on", "0") ?:
	       number_made(s) ?:
	       tl_parts_prepare(s) ?:
	       enable_all(s) ?:
	       tl_write_file(s, "tracing_on", "1") ?:
	       tl_parts_start(s);
}

/* ---- what there is ---------------------------------------------------- */

#define KEPT_EVENTS "@instance/events/"

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
	char **list =
		sorted(tracefs_system_events(s->instance->root_path, system));
	char path[512];
	int ret = 0, i;

	for (i = 0; list && list[i] && !ret; i++) {
		/* what the function tracers record cannot be enabled as such */
		snprintf(path, sizeof(path), "events/%s/%s/enable", system,
			 list[i]);
		if (tl_fs_exists(s->instance->root, path))
			ret = fn(ctx, system, list[i]);
	}
	tracefs_list_free(list);
	return ret;
}

struct listing {
	int (*fn)(void *ctx, const char *system, const char *name);
	void *ctx;
	const char *only; /* this system; NULL: all */
};

/* "@instance/events/SYSTEM/NAME/format" */
static int list_kept(void *ctx, const char *key, const char *text, size_t len)
{
	const struct listing *l = ctx;
	char system[256], name[256], file[16];

	if (!text ||
	    sscanf(key + strlen(KEPT_EVENTS), "%255[^/]/%255[^/]/%15s", system,
		   name, file) != 3 ||
	    (l->only && strcmp(system, l->only)))
		return 0;
	return strcmp(file, "format") ? 0 : l->fn(l->ctx, system, name);
}

int tl_event_list(struct tl_session *s,
		  int (*fn)(void *ctx, const char *system, const char *name),
		  void *ctx)
{
	struct listing listing = { fn, ctx, NULL };
	char **list;
	int ret = 0, i;

	if (tl_recording_replays(s->recording))
		return tl_recording_each(s->recording, KEPT_EVENTS, list_kept,
					 &listing);
	list = sorted(tracefs_event_systems(s->instance->root_path));

	if (!list)
		return tl_fail(errno, "%s/events: %s", s->instance->root_path,
			       tl_fs_explain(errno));
	for (i = 0; list[i] && !ret; i++)
		ret = list_system(s, list[i], fn, ctx);
	tracefs_list_free(list);
	return ret;
}

int tl_event_list_system(struct tl_session *s, const char *system,
			 int (*fn)(void *ctx, const char *system,
				   const char *name),
			 void *ctx)
{
	struct listing listing = { fn, ctx, system };

	return tl_recording_replays(s->recording)
		       ? tl_recording_each(s->recording, KEPT_EVENTS, list_kept,
					   &listing)
		       : list_system(s, system, fn, ctx);
}

bool tl_event_matches(const char *pattern, const char *system, const char *name)
{
	char full[512];

	snprintf(full, sizeof(full), "%s:%s", system, name);
	if (!strchr(pattern, ':'))
		return !fnmatch(pattern, system, 0);
	return !fnmatch(pattern, full, 0);
}

static char *read_format(struct tl_fs_dir dir, const char *system,
			 const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "events/%s/%s/format", system, name);
	return tl_fs_read(dir, path, NULL);
}

char *tl_event_format(struct tl_session *s, const char *system,
		      const char *name)
{
	return read_format(s->instance->root, system, name);
}

char *tl_event_own_format(struct tl_session *s, const char *system,
			  const char *name)
{
	return read_format(s->instance->dir, system, name);
}

bool tl_event_exists(struct tl_session *s, const char *system, const char *name)
{
	char *format = tl_event_format(s, system, name);
	bool found = format;

	free(format);
	return found;
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

bool tl_event_has(const struct tl_event *ev, const char *name)
{
	return tep_find_any_field(ev->tep, name);
}

int tl_event_field(struct tl_session *s, const struct tl_event *ev,
		   const char *name, struct tl_field *field)
{
	struct tep_format_field *f = tep_find_any_field(ev->tep, name);

	if (!f)
		return tl_fail(ENOENT, "%s:%s has no field %s on this kernel",
			       ev->system, ev->name, name);
	*field = tl_field_of(f);
	return 0;
}

int tl_event_long_field(struct tl_session *s, struct tl_event *ev,
			const char *name, struct tl_field *field)
{
	int ret = tl_event_field(s, ev, name, field);

	if (!ret && field->size != 8 && field->size != 4)
		return tl_fail(EPROTO, "%s of %s:%s is no long", name,
			       ev->system, ev->name);
	if (!ret)
		tl_event_require(ev, field);
	return ret;
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
	uint32_t start = f->offset, loc;
	uint32_t len = f->where == IN_RECORD ? f->size : sizeof(loc);

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

void tl_field_bytes(const struct tl_record *r, const struct tl_field *f,
		    void *to, size_t size)
{
	size_t have = f->size < size ? f->size : size;

	memset(to, 0, size);
	if (f->where == IN_RECORD && f->offset + have <= r->size)
		memcpy(to, r->data + f->offset, have);
}

/* ---- records ---------------------------------------------------------- */

/* An event without a handler: no record is long enough for it. */
static struct tl_event unknown = { .least = UINT32_MAX };

static struct tl_event *event_of(const struct tl_events *all, uint16_t id)
{
	struct tl_event *ev = id < all->ids ? all->by_id[id] : NULL;

	return ev ?: &unknown;
}

/* ---- records that do not fit ------------------------------------------ */

/* As a thread: whoever comes next, behind a gap where records were lost. */
#define ANYBODY (-1)
#define NOBODY  (-2)

int tl_event_is_cut(struct tl_event *cut, const char *name, int err)
{
	char *title = strdup(name);

	if (!title)
		return -ENOMEM;
	free(cut->title);
	cut->title = title;
	if (err)
		cut->handler = NULL;
	cut->on_demand = true;
	return 0;
}

void tl_event_cut(struct tl_event *cut, struct tl_event *ev)
{
	cut->whole = ev;
	ev->has_cut = true;
	cut->on_demand = !cut->handler;
}

static void give(struct tl_event *ev, unsigned int cpu, pid_t pid)
{
	pid_t *more;

	if (cpu >= ev->givens) {
		more = reallocarray(ev->given, cpu + 1, sizeof(*more));
		if (!more)
			return;
		while (ev->givens <= cpu)
			more[ev->givens++] = NOBODY;
		ev->given = more;
	}
	ev->given[cpu] = pid;
}

/*
 * The kernel calls both probes one after the other, the one that was added last
 * first, and on one processor misses others meanwhile.
 */
static bool was_given(struct tl_event *ev, const struct tl_record *r)
{
	pid_t pid = r->cpu < ev->givens ? ev->given[r->cpu] : NOBODY;

	if (pid != r->pid && pid != ANYBODY)
		return false;
	ev->given[r->cpu] = NOBODY;
	return true;
}

void tl_events_lost(struct tl_session *s, unsigned int cpu)
{
	struct tl_event *ev;

	for (ev = s->events ? s->events->first : NULL; ev; ev = ev->next)
		if (ev->has_cut)
			give(ev, cpu, ANYBODY);
}

/*
 * Handles a record with all that can be asked for: threads, filters,
 * watchers.
 */
static void dispatch(struct tl_session *s, struct tl_event *ev,
		     struct tl_record *r)
{
	const struct tl_events *all = s->events;

	r->pid = (int32_t)tl_field_u32(r, &all->pid);
	ev->seen += r->ns - all->counted_from <= all->counted_span;
	if (ev->has_cut)
		give(ev, r->cpu, r->pid);
	if (ev->whole && was_given(ev->whole, r))
		return;
	if (ev->handler && (all->unasked || tl_task_matches(s, r->pid)) &&
	    (!ev->only || s->filters->holds(s, ev->only, r)))
		ev->handler(s, r);
	if (ev->watcher)
		ev->watcher(s, r);
}

/* Whether a record has more to pass than its handler. */
static bool has_more(const struct tl_session *s, const struct tl_event *ev)
{
	return !ev->handler || ev->watcher || ev->only || ev->whole ||
	       ev->has_cut || (!s->events->unasked && tl_tasks_filtered(s));
}

/* Once for each event: nothing of that changes once there are records. */
__attribute__((noinline)) static uint32_t
look_closer(const struct tl_session *s, struct tl_event *ev)
{
	ev->above = ev->tally || has_more(s, ev) ? UINT32_MAX : ev->least - 1;
	return ev->above;
}

/* Apart, so that it takes no registers from the way of most records. */
__attribute__((noinline)) static void
run_other(struct tl_session *s, struct tl_event *ev, struct tl_page *page,
	  struct tl_record *r, uint64_t until)
{
	const struct tl_events *all = s->events;
	struct tl_tallied tallied = { .tally = ev->tally };

	if (!tallied.tally || all->counted_span != TL_COUNTED_ON ||
	    has_more(s, ev)) {
		dispatch(s, ev, r);
		return;
	}
	tallied.by = ev->by;
	tallied.id = (uint16_t)ev->id;
	tallied.pid = all->pid;
	tallied.self = all->unasked ? -1 : tl_tasks_self(s);
	ev->seen += tl_tally_run(&tallied, page, r, until);
}

/* Gives a record to what the library itself watches. */
static void watch(struct tl_session *s, struct tl_event *ev,
		  struct tl_record *r)
{
	if (!ev->watcher || r->size < ev->least)
		return;
	r->event = ev;
	r->pid = (int32_t)tl_field_u32(r, &s->events->pid);
	ev->watcher(s, r);
}

/* Of a processor that is not asked for: a page has the records of one. */
__attribute__((noinline)) static int run_elsewhere(struct tl_session *s,
						   struct tl_page *page,
						   struct tl_record *r,
						   uint64_t until)
{
	const struct tl_events *all = s->events;
	struct tl_event *ev;
	uint16_t id;
	int ret;

	do {
		memcpy(&id, r->data, sizeof(id));
		ev = event_of(all, id);
		ev->seen += r->ns - all->counted_from <= all->counted_span;
		watch(s, ev, r);
	} while ((ret = tl_page_next(page, r)) > 0 && r->ns <= until);
	return ret;
}

/* Most records have a handler and nothing more, and many come in runs. */
int tl_events_run(struct tl_session *s, struct tl_page *page,
		  struct tl_record *r, uint64_t until)
{
	const struct tl_events *all = s->events;
	const pid_t self = all->unasked ? -1 : tl_tasks_self(s);
	struct tl_event *ev = &unknown;
	uint32_t above = UINT32_MAX;
	uint16_t id, last = 0; /* common_type, the first field of every event */
	int ret;

	if (all->cpus && !tl_cpus_has(all->cpus, r->cpu))
		return run_elsewhere(s, page, r, until);
	do {
		memcpy(&id, r->data, sizeof(id));
		if (id != last) {
			last = id;
			ev = event_of(all, id);
			r->event = ev;
			above = ev->above ?: look_closer(s, ev);
		}
		if (r->size > above) {
			r->pid = (int32_t)tl_field_u32(r, &all->pid);
			ev->seen +=
				r->ns - all->counted_from <= all->counted_span;
			if (r->pid != self)
				ev->handler(s, r);
		} else if (r->size >= ev->least) {
			run_other(s, ev, page, r, until);
		}
	} while ((ret = tl_page_next(page, r)) > 0 && r->ns <= until);
	return ret;
}

void tl_events_count_run(struct tl_session *s, struct tl_page *page,
			 struct tl_record *r)
{
	const struct tl_events *all = s->events;
	uint16_t id;

	do {
		memcpy(&id, r->data, sizeof(id));
		event_of(all, id)->seen +=
			r->ns - all->counted_from <= all->counted_span;
	} while (tl_page_next(page, r) > 0);
}

int tl_events_watch_run(struct tl_session *s, struct tl_page *page,
			struct tl_record *r, uint64_t until)
{
	uint16_t id;
	int ret;

	do {
		memcpy(&id, r->data, sizeof(id));
		watch(s, event_of(s->events, id), r);
	} while ((ret = tl_page_next(page, r)) > 0 && r->ns <= until);
	return ret;
}
