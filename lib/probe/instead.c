// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * instead.c - what is called instead of a name that is there, but never called
 */
#include "probe/instead.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/part.h"
#include "base/recording.h"
#include "probe/probe.h"
#include "record/event.h"
#include "tracelet/event.h"
#include "tracelet/function.h"
#include "tracelet/instead.h"
#include "tracelet/message.h"
#include "tracelet/symbol.h"

/* A name that was asked for, and of which no call was seen so far. */
struct name {
	struct name *next;
	char *name, *other;
	bool is_function; /* of the kernel's own, and no system call */
};

struct instead {
	struct tl_part part;
	struct name *first;
};

/* System calls that today's C libraries make others of. */
static const char *const system_calls[][2] = {
	{ "open", "openat" },
	{ "newstat", "newfstatat" },
	{ "newlstat", "newfstatat" },
	{ "fork", "clone" },
	{ "nanosleep", "clock_nanosleep" },
	{ "exit", "exit_group" },
	{ "getdents", "getdents64" },
	{ "getrlimit", "prlimit64" },
	{ "setrlimit", "prlimit64" },
	{ NULL, NULL },
};
/* Functions that the kernel keeps for a few callers only. */
static const char *const functions[][2] = {
	{ "do_sys_open", "do_sys_openat2" },
	{ NULL, NULL },
};

static const char *find(const char *const table[][2], const char *name)
{
	while (table[0][0] && strcmp(table[0][0], name) != 0)
		table++;
	return table[0][1];
}

/* Behind "syscalls:sys_enter_", "__x64_sys_" and the like; NULL: it is none. */
static const char *system_call(const char *name)
{
	static const char *const fronts[] = { "sys_enter_", "sys_exit_",
					      "_sys_" };
	const char *at = NULL;
	unsigned int i;

	for (i = 0; !at && i < sizeof(fronts) / sizeof(fronts[0]); i++) {
		at = strstr(name, fronts[i]);
		at = at ? at + strlen(fronts[i]) : NULL;
	}
	return at;
}

/* The full name that is called instead of the node's, or NULL. */
static char *other_of(const char *name, bool *is_function)
{
	const char *other = find(functions, name), *at = name;
	char *full;

	*is_function = other;
	if (!other) {
		at = system_call(name);
		other = at ? find(system_calls, at) : NULL;
	}
	if (!other ||
	    asprintf(&full, "%.*s%s", (int)(at - name), name, other) < 0)
		return NULL;
	return full;
}

static void drop(struct name *i)
{
	free(i->name);
	free(i->other);
	free(i);
}

static void free_names(void *part)
{
	struct instead *in = part;
	struct name *n;

	while ((n = in->first)) {
		in->first = n->next;
		drop(n);
	}
	free(in);
}

static const struct tl_part_ops instead_ops = { .free = free_names };

static struct instead *instead(const struct tl_session *s)
{
	return tl_part_find(s, &instead_ops);
}

static struct name **place_of(struct instead *in, const char *name)
{
	struct name **at = &in->first;

	while (*at && strcmp((*at)->name, name) != 0)
		at = &(*at)->next;
	return at;
}

/* A capture has what was asked for, and this machine is another one. */
void tl_instead_expect(struct tl_session *s, const char *name)
{
	struct instead *in = tl_part_get(s, &instead_ops, sizeof(*in));
	struct name **at = in ? place_of(in, name) : NULL, *i;
	bool is_function;
	char *other = !at || *at || tl_recording_replays(s->recording)
			      ? NULL
			      : other_of(name, &is_function);

	i = other ? calloc(1, sizeof(*i)) : NULL;
	if (!i) {
		free(other);
		return;
	}
	i->name = strdup(name);
	i->other = other;
	i->is_function = is_function;
	if (i->name)
		*at = i;
	else
		drop(i);
}

void tl_instead_expect_all(struct tl_session *s, const struct tl_functions *f)
{
	unsigned int i;

	for (i = 0; i < f->count; i++)
		tl_instead_expect(s, f->list[i]);
}

void tl_instead_expect_event(struct tl_session *s, const struct tl_event *ev)
{
	tl_instead_expect(s, tl_probe_of(ev)->place);
}

void tl_instead_seen(struct tl_session *s, const char *name)
{
	struct instead *in = instead(s);
	struct name **at = in ? place_of(in, name) : NULL, *i = at ? *at : NULL;

	if (!i)
		return;
	*at = i->next;
	drop(i);
}

void tl_instead_seen_at(struct tl_session *s, uint64_t addr)
{
	uint64_t offset;
	const struct instead *in = instead(s);
	const char *name = in && in->first ? tl_symbol(s, addr, &offset) : NULL;

	if (name)
		tl_instead_seen(s, name);
}

void tl_instead_seen_event(struct tl_session *s, const struct tl_event *ev)
{
	const struct instead *in = instead(s);
	const struct tl_probe *p = tl_probe_of(ev);
	char full[512];

	if (!in || !in->first)
		return;
	if (!p)
		snprintf(full, sizeof(full), "%s:%s", ev->system, ev->name);
	tl_instead_seen(s, p ? p->place : full);
}

static bool exists(struct tl_session *s, const char *name)
{
	const char *colon = strchr(name, ':');
	char system[128];

	if (!colon)
		return tl_function_exists(s, name);
	snprintf(system, sizeof(system), "%.*s", (int)(colon - name), name);
	return tl_event_exists(s, system, colon + 1);
}

bool tl_instead_report(struct tl_session *s)
{
	const struct instead *in = instead(s);
	const struct name *i;
	bool said = false;

	for (i = in ? in->first : NULL; i; i = i->next) {
		if (!exists(s, i->other))
			continue;
		tl_warn("%s: no call was seen, %s %s", i->name,
			i->is_function ? "the kernel mostly calls"
				       : "programs mostly call",
			i->other);
		said = true;
	}
	return said;
}
