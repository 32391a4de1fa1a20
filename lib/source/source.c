// SPDX-License-Identifier: GPL-2.0-or-later
/* source.c - events and probes of a tool, from a table */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/limit.h"
#include "base/message.h"
#include "net/socket.h"
#include "record/event.h"
#include "source/names.h"
#include "tracelet/btf.h"
#include "tracelet/event.h"
#include "tracelet/feature.h"
#include "tracelet/filter.h"
#include "tracelet/function.h"
#include "tracelet/kprobe.h"
#include "tracelet/message.h"
#include "tracelet/probe.h"
#include "tracelet/socket.h"
#include "tracelet/source.h"

#define LONG      (sizeof(long) == 8 ? "u64" : "u32")
#define NAME_SIZE 128
#define ABSENT    1 /* the kernel lacks it: in place of an -errno */

/* A walk over a table. */
struct walk {
	struct tl_session *s;
	bool checks;      /* whether all is there; nothing is defined */
	bool has_kprobes; /* that has been checked */
};

static bool is_event_probe(const struct tl_source *src)
{
	return src->type && *src->type == 'e';
}

static bool is_event(const struct tl_source *src)
{
	return strchr(src->place, ':') && !is_event_probe(src);
}

static bool is_dispensable(const struct tl_source *src)
{
	return src->flags & TL_SOURCE_OPTIONAL || src[1].flags & TL_SOURCE_ELSE;
}

/*
 * A source is as good as missing where it lacks a value, if the tool can do without
 * it, or has another one.
 */
static int try(struct walk *w, const struct tl_source *src,
	       int (*fn)(struct walk *w, const struct tl_source *src,
			 struct tl_buf *args),
	       struct tl_buf *args)
{
	struct tl_buf said = { 0 }, *before;
	int ret;

	if (!is_dispensable(src))
		return fn(w, src, args);
	before = tl_message_keep(&said);
	ret = fn(w, src, args);
	tl_message_keep(before);
	if (ret == -ENOTSUP)
		ret = ABSENT;
	else if (ret)
		tl_message_print(&said);
	tl_buf_free(&said);
	return ret;
}

/* ---- the event of a source -------------------------------------------- */

static bool is_used(const struct tl_source_field *f)
{
	return !f->given || *f->given;
}

static int no_field(const struct tl_source *src, const char *name)
{
	return tl_fail(ENOTSUP, "%s has no field %s on this kernel", src->place,
		       name);
}

static int no_event(const struct tl_source *src, int err)
{
	return err == ENOENT
		       ? ABSENT
		       : tl_fail(err, "%s: %s", src->place, strerror(err));
}

/* Its name, behind that of its system. */
static const char *split(const struct tl_source *src, char system[NAME_SIZE])
{
	const char *name = strchr(src->place, ':') + 1;

	snprintf(system, NAME_SIZE, "%.*s", (int)(name - 1 - src->place),
		 src->place);
	return name;
}

/* The text of the format file of its event; NULL, and errno. */
static char *read_format(struct walk *w, const struct tl_source *src)
{
	char system[NAME_SIZE];
	const char *name = split(src, system);

	return w->checks ? tl_event_format(w->s, system, name)
			 : tl_event_own_format(w->s, system, name);
}

/* ---- what a probe fetches --------------------------------------------- */

static int fetch(struct tl_session *s, const struct tl_source_field *f,
		 struct tl_buf *args)
{
	bool by_name = f->by_name && tl_feature(s, TL_FEATURE_BTF_ARGS);
	char text[256];
	int ret = tl_btf_fetch(s, by_name ? f->by_name : f->from,
			       by_name || !f->path ? "" : f->path, text,
			       sizeof(text));

	if (!ret)
		tl_buf_printf(args, "%s%s=%s:%s", args->len ? " " : "", f->name,
			      text, f->type ?: LONG);
	return ret;
}

static int fetch_socket(struct tl_session *s, const struct tl_source *src,
			struct tl_buf *args)
{
	char text[1024];
	int ret = tl_socket_fetch(s, src->sock ?: "$arg1", text, sizeof(text));

	if (!ret)
		tl_buf_str(args, text);
	return ret;
}

static int fetch_all(struct walk *w, const struct tl_source *src,
		     struct tl_buf *args)
{
	const struct tl_source_field *f = src->fields;
	int ret = src->socket ? fetch_socket(w->s, src, args) : 0;

	for (; f && f->name && !ret; f++)
		if ((f->from || f->by_name) && is_used(f))
			ret = fetch(w->s, f, args);
	tl_buf_char(args, '\0');
	return ret ?: args->failed ? -ENOMEM : 0;
}

/* An event probe takes "$field" of its event, which may lack it. */
static int fetch_fields(struct walk *w, const struct tl_source *src,
			const char *format, struct tl_buf *args)
{
	const struct tl_source_field *f = src->fields;
	int ret = 0;
	bool has;

	for (; f && f->name && !ret; f++) {
		if (!f->from || !is_used(f))
			continue;
		has = tl_source_has_field(format, f->from + 1);
		if (!has && !f->found)
			ret = no_field(src, f->from + 1);
		else if (has)
			ret = fetch(w->s, f, args);
	}
	tl_buf_char(args, '\0');
	return ret ?: args->failed ? -ENOMEM : 0;
}

static int fetch_event(struct walk *w, const struct tl_source *src,
		       struct tl_buf *args)
{
	char *format = read_format(w, src);
	int ret = format ? fetch_fields(w, src, format, args)
			 : no_event(src, errno);

	free(format);
	return ret;
}

/* ---- an event that is there ------------------------------------------- */

static int find_field(struct tl_session *s, const struct tl_event *ev,
		      const struct tl_source_field *f)
{
	struct tl_field unused;

	bool has = is_used(f) && tl_event_has(ev, f->name);

	if (f->found)
		*f->found = has;
	if (!has && (f->found || !is_used(f)))
		return 0;
	return tl_event_field(s, ev, f->name, f->field ?: &unused);
}

static int find_fields(struct tl_session *s, const struct tl_source *src,
		       struct tl_event *ev)
{
	const struct tl_source_field *f = src->fields;
	int ret = 0;

	if (src->socket)
		ret = tl_socket_find(s, ev);
	for (; f && f->name && !ret; f++)
		ret = find_field(s, ev, f);
	/* a field that is missing is what this kernel lacks */
	return ret == -ENOENT ? -ENOTSUP : ret;
}

/* A probe has the port at the other end as the network has it. */
static int filter_ends(struct tl_session *s, const struct tl_source *src,
		       const struct tl_event *ev, struct tl_filter *f)
{
	int ret = tl_netns_find(s, &src->wanted->netns);

	if (!ret && is_event(src))
		tl_filter_ends(f, src->wanted);
	if (!ret && src->wanted->netns.number && tl_event_has(ev, "netns"))
		tl_filter_and(f, "netns == %u", src->wanted->netns.number);
	return ret;
}

static int set_filter(struct tl_session *s, const struct tl_source *src,
		      struct tl_event *ev)
{
	struct tl_filter f = { "" };
	int ret = 0;

	if (!src->filter && !src->wanted && !src->add_filter)
		return 0;
	if (src->filter)
		tl_filter_and(&f, "%s", src->filter);
	if (src->wanted)
		ret = filter_ends(s, src, ev, &f);
	if (src->add_filter)
		src->add_filter(s, ev, &f);
	return ret ?: tl_event_filter(s, ev, f.text);
}

static int take(struct tl_session *s, const struct tl_source *src,
		struct tl_event *ev)
{
	if (src->added)
		*src->added = ev;
	return find_fields(s, src, ev) ?: set_filter(s, src, ev);
}

/* ---- tracepoints ------------------------------------------------------ */

static int check_socket(const struct tl_source *src, const char *format)
{
	const char *const *name = tl_socket_fields;

	while (*name && tl_source_has_field(format, *name))
		name++;
	return *name ? no_field(src, *name) : 0;
}

static int check_fields(const struct tl_source *src, const char *format)
{
	const struct tl_source_field *f = src->fields;
	bool has;

	for (; f && f->name; f++) {
		has = is_used(f) && tl_source_has_field(format, f->name);
		if (f->found)
			*f->found = has;
		else if (!has && is_used(f))
			return no_field(src, f->name);
	}
	return src->socket ? check_socket(src, format) : 0;
}

static int check_event(struct walk *w, const struct tl_source *src,
		       struct tl_buf *args)
{
	char *format = read_format(w, src);
	int ret = format ? check_fields(src, format) : no_event(src, errno);

	free(format);
	return ret;
}

static int add_event(struct walk *w, const struct tl_source *src)
{
	char system[NAME_SIZE];
	const char *name = split(src, system);
	struct tl_event *ev;
	int ret = 0;

	if (w->checks && src->limit)
		ret = check_event(w, src, NULL);
	else if (w->checks || is_dispensable(src))
		ret = try(w, src, check_event, NULL);
	if (ret || w->checks)
		return ret;
	ev = tl_event_add(w->s, system, name, src->handler);
	return ev ? take(w->s, src, ev) : no_event(src, errno);
}

/* ---- probes ----------------------------------------------------------- */

static int find_function(struct walk *w, const struct tl_source *src)
{
	const char *rest = src->place;
	char name[NAME_SIZE];

	while (*rest) {
		rest = tl_source_name(rest, name, sizeof(name));
		if (tl_function_exists(w->s, name))
			return 0;
	}
	return ABSENT;
}

static int check_probe(struct walk *w, const struct tl_source *src)
{
	struct tl_buf args = { 0 };
	int ret = w->has_kprobes ? 0 : tl_kprobe_check(w->s);

	w->has_kprobes = !ret;
	ret = ret ?: find_function(w, src) ?: try(w, src, fetch_all, &args);
	tl_buf_free(&args);
	return ret;
}

/* A function that fails may return no socket. */
static bool is_readable(const struct tl_source *src)
{
	return src->flags & TL_SOURCE_READABLE ||
	       (src->socket && (!src->type || *src->type != 'r'));
}

static int define(struct walk *w, const struct tl_source *src, const char *args)
{
	const char *rest = src->place;
	char name[NAME_SIZE];
	struct tl_event *ev;

	while (*rest) {
		rest = tl_source_name(rest, name, sizeof(name));
		ev = tl_probe_add(w->s, src->type ?: "p", src->name ?: name,
				  name, args, src->handler);
		if (ev && is_readable(src))
			tl_probe_reads_safely(ev);
		if (ev)
			return take(w->s, src, ev);
		if (errno != ENOENT)
			return -errno;
	}
	return ABSENT;
}

static int add_probe(struct walk *w, const struct tl_source *src)
{
	struct tl_buf args = { 0 };
	int ret;

	if (w->checks)
		return check_probe(w, src);
	ret = try(w, src, fetch_all, &args) ?: define(w, src, args.data);
	tl_buf_free(&args);
	return ret;
}

/* ---- probes on tracepoints -------------------------------------------- */

static int define_event(struct walk *w, const struct tl_source *src,
			const char *args)
{
	char system[NAME_SIZE], place[2 * NAME_SIZE];
	const char *name = split(src, system);
	struct tl_event *ev;

	snprintf(place, sizeof(place), "%s/%s", system, name);
	ev = tl_probe_add(w->s, src->type, src->name ?: name, place, args,
			  src->handler);
	if (ev)
		return take(w->s, src, ev);
	return errno == ENOENT ? ABSENT : -errno;
}

static int add_event_probe(struct walk *w, const struct tl_source *src)
{
	struct tl_buf args = { 0 };
	int ret;

	if (!tl_feature(w->s, TL_FEATURE_EPROBE))
		return ABSENT;
	ret = try(w, src, fetch_event, &args);
	if (!ret && !w->checks)
		ret = define_event(w, src, args.data);
	tl_buf_free(&args);
	return ret;
}

/* ---- a table ---------------------------------------------------------- */

static int say_missing(const struct tl_source *src)
{
	char names[256];

	if (src->missing)
		return tl_fail(ENOTSUP, "%s", src->missing);
	if (is_event(src))
		return tl_fail(ENOTSUP, "this kernel has no tracepoint %s%s",
			       src->place,
			       strncmp(src->place, "syscalls:", 9)
				       ? ""
				       : " (CONFIG_FTRACE_SYSCALLS)");
	tl_source_names(src->place, names, sizeof(names));
	return tl_fail(ENOTSUP, "this kernel does not let %s be traced", names);
}

static int add_one(struct walk *w, const struct tl_source *src)
{
	int ret;

	if (src->flags & TL_SOURCE_RETURN_ARGS &&
	    !tl_feature(w->s, TL_FEATURE_RETURN_ARGS))
		return ABSENT;
	ret = is_event(src)         ? add_event(w, src)
	      : is_event_probe(src) ? add_event_probe(w, src)
				    : add_probe(w, src);
	if (src->found)
		*src->found = !ret;
	return ret;
}

static const struct tl_source *next(const struct tl_source *src)
{
	do
		src++;
	while (src->flags & TL_SOURCE_ELSE);
	return src;
}

/* Of a source and its alternatives the first that the kernel has. */
struct choice {
	struct walk *walk;
	const struct tl_source *from, *to;
};

static int add_first(struct tl_session *s, void *data)
{
	const struct choice *c = data;
	const struct tl_source *src = c->from, *last = c->to - 1;
	bool is_told = c->walk->checks && last->limit;
	int ret;

	do
		ret = add_one(c->walk, src++);
	while (ret == ABSENT && src < c->to);
	if (ret != ABSENT)
		return ret;
	return last->flags & TL_SOURCE_OPTIONAL && !is_told ? 0
							    : say_missing(last);
}

static bool is_limited(struct tl_session *s, const char *option)
{
	const struct tl_limits *l = tl_limits(s);
	size_t i;

	for (i = 0; i < l->count; i++)
		if (!strcmp(l->list[i].option, option))
			return true;
	return false;
}

/* What a table has of an earlier set-up is not there any more. */
static void forget(const struct tl_source *src, bool checks)
{
	if (src->found)
		*src->found = false;
	if (src->added && !checks)
		*src->added = NULL;
}

static int add_choice(struct choice *c)
{
	const struct tl_source *src, *last = c->to - 1;
	struct tl_session *s = c->walk->s;
	bool is_given = !last->given || *last->given;
	bool is_needed = is_given && !(last->flags & TL_SOURCE_OPTIONAL);

	for (src = c->from; src < c->to; src++)
		forget(src, c->walk->checks);
	if (last->unless && *last->unless)
		return 0;
	if (c->walk->checks && last->limit && !is_needed)
		return is_limited(s, last->limit)
			       ? 0
			       : tl_limit_of(s, last->limit, false, add_first,
					     c);
	return is_given ? add_first(s, c) : 0;
}

int tl_sources_add(struct tl_session *s, const struct tl_source *table)
{
	struct walk w = { .s = s, .checks = tl_limits(s) };
	struct choice c = { &w, table, table };
	int ret = 0;

	for (; !ret && c.from->place; c.from = c.to) {
		c.to = next(c.from);
		ret = add_choice(&c);
	}
	return ret;
}
