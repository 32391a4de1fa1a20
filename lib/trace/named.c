// SPDX-License-Identifier: GPL-2.0-or-later
/* named.c - events and fields as users name them; what there is instead */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "option/suggest.h"
#include "record/event.h"
#include "trace/line.h"
#include "trace/named.h"
#include "tracelet/event.h"
#include "tracelet/message.h"
#include "tracelet/named.h"

struct near {
	const char *system, *name; /* system: "" for any */
	size_t distance, said;
};

/* Suggests the same name in any system, and similar ones in this one. */
static int say_near(void *ctx, const char *system, const char *name)
{
	struct near *near = ctx;

	if (near->distance && *near->system && strcmp(near->system, system))
		return 0;
	if (tl_suggest_distance(near->name, name) != near->distance)
		return 0;
	tl_warn("near it: %s:%s", system, name);
	return ++near->said == TL_SUGGEST_MAX;
}

static void say_what_is_near(struct tl_session *s, const char *system,
			     const char *name)
{
	struct near near = { .system = system, .name = name };

	for (; !near.said && near.distance <= strlen(name) / 3; near.distance++)
		tl_event_list(s, say_near, &near);
}

struct tl_event *tl_event_add_by_name(struct tl_session *s, const char *full,
				      tl_handler *handler)
{
	const char *colon = strchr(full, ':');
	struct tl_event *ev;
	char system[128];

	snprintf(system, sizeof(system), "%.*s",
		 colon ? (int)(colon - full) : 0, full);
	errno = ENOENT;
	ev = colon ? tl_event_add(s, system, colon + 1, handler) : NULL;
	if (ev)
		return ev;
	if (errno != ENOENT) {
		errno = -tl_fail(errno, "format of %s: %s", full,
				 strerror(errno));
		return NULL;
	}
	tl_warn("tracepoint %s not found (tpoint -l lists all)", full);
	say_what_is_near(s, system, colon ? colon + 1 : full);
	errno = ENOENT;
	return NULL;
}

/* ---- by pattern ------------------------------------------------------- */

struct matching {
	const struct tl_event_patterns *p;
	unsigned int at; /* which pattern it is the turn of */
	bool any;
	int (*fn)(void *ctx, const char *system, const char *name);
	void *ctx;
};

static bool is_excluded(const char *pattern, const char *system,
			const char *name)
{
	char full[512];

	if (!pattern)
		return false;
	snprintf(full, sizeof(full), "%s:%s", system, name);
	return tl_event_matches(pattern, system, name) ||
	       !fnmatch(pattern, full, 0);
}

static int take_match(void *ctx, const char *system, const char *name)
{
	struct matching *m = ctx;
	unsigned int i;

	if (!tl_event_matches(m->p->list[m->at], system, name))
		return 0;
	m->any = true;
	if (is_excluded(m->p->exclude, system, name))
		return 0;
	/* an earlier pattern has had it */
	for (i = 0; i < m->at; i++)
		if (tl_event_matches(m->p->list[i], system, name))
			return 0;
	return m->fn(m->ctx, system, name);
}

int tl_event_each(struct tl_session *s, const struct tl_event_patterns *p,
		  int (*fn)(void *ctx, const char *system, const char *name),
		  void *ctx)
{
	struct matching m = { .p = p, .fn = fn, .ctx = ctx };
	int ret = 0;

	for (; m.at < p->count && !ret; m.at++) {
		m.any = false;
		ret = tl_event_list(s, take_match, &m);
		if (!ret && !m.any)
			ret = tl_fail(ENOENT,
				      "tracepoint %s not found (try tpoint -l)",
				      p->list[m.at]);
	}
	return ret;
}

/* ---- fields ----------------------------------------------------------- */

static const char *not_a_number(const struct tep_format_field *f)
{
	if (f->flags & TEP_FIELD_IS_STRING)
		return "text";
	if (f->flags & (TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_DYNAMIC))
		return "an array";
	if (f->flags & TEP_FIELD_IS_POINTER)
		return "a pointer";
	/* what tl_field_num() reads */
	if (f->size != 1 && f->size != 2 && f->size != 4 && f->size != 8)
		return "a structure";
	return NULL;
}

static void say_fields(const struct tep_format_field *f)
{
	for (; f; f = f->next)
		tl_warn("    %s %s", f->type, f->name);
}

static void say_no_field(const struct tl_event *ev, const char *title,
			 const char *name)
{
	tl_warn("%s has no field %s, but:", title, name);
	say_fields(ev->tep->format.fields);
	say_fields(ev->tep->format.common_fields);
}

struct tep_format_field *tl_event_named_field(const struct tl_event *ev,
					      const char *name)
{
	struct tep_format_field *f = tep_find_any_field(ev->tep, name);
	char *title;

	if (f)
		return f;
	title = tl_event_title(ev);
	say_no_field(ev, title, name);
	free(title);
	return NULL;
}

int tl_event_numeric_field(struct tl_session *s, struct tl_event *ev,
			   const char *name, struct tl_field *field)
{
	struct tep_format_field *f = tl_event_named_field(ev, name);
	const char *what = f ? not_a_number(f) : NULL;
	char *title;

	if (!f)
		return -ENOENT;
	if (what) {
		title = tl_event_title(ev);
		tl_fail(EINVAL, "%s of %s is not a number but %s (%s)", name,
			title, what, f->type);
		free(title);
		return -EINVAL;
	}
	*field = tl_event_number(ev, f);
	return 0;
}
