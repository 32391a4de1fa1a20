// SPDX-License-Identifier: GPL-2.0-or-later
/* spec.c - events, functions of the kernel and of programs, as a user names any of them */
#include "tracelet/spec.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracelet/event.h"
#include "tracelet/instead.h"
#include "tracelet/kprobe.h"
#include "tracelet/message.h"
#include "tracelet/named.h"
#include "tracelet/uprobe.h"

/* ---- what it means ---------------------------------------------------- */

static bool begins_with(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* The letter in front, 0 where there is none. */
static char prefix_of(const char *text, bool returns)
{
	return *text && strchr(returns ? "tpur" : "tpu", *text) &&
			       text[1] == ':'
		       ? *text
		       : '\0';
}

static const char *name_in(const char *text, bool returns)
{
	return prefix_of(text, returns) ? text + 2 : text;
}

/* What kprobe would take as more than a function. */
int tl_spec_check(const char *text, bool returns)
{
	const char prefix = prefix_of(text, returns);
	const char *name = name_in(text, returns);

	if (!*name)
		return tl_usage("\"%s\": which event or function?", text);
	if (strchr(text, '/') || (strchr(name, ':') && prefix != 'p') ||
	    prefix == 't' || prefix == 'u')
		return 0;
	if (strpbrk(name, " \t%+"))
		return tl_usage(
			"\"%s\": a function is its name alone: where it "
			"begins is counted",
			text);
	return 0;
}

/* A name that a system of tracepoints lacks is misspelt, and no program's. */
static int found(void *ctx, const char *system, const char *name)
{
	const char *text = ctx;
	const size_t len = strlen(system);

	return tl_event_matches(text, system, name) ||
	       (begins_with(text, system) && text[len] == ':');
}

/* What is in front says it, else what there is does. */
static enum tl_spec_kind kind_of(struct tl_session *s, char prefix, char *name)
{
	if (prefix == 't')
		return TL_SPEC_TRACEPOINT;
	if (prefix == 'u' || strchr(name, '/'))
		return TL_SPEC_PROGRAM;
	if (prefix == 'p' || !strchr(name, ':'))
		return TL_SPEC_FUNCTION;
	return prefix != 'r' && tl_event_list(s, found, name) > 0
		       ? TL_SPEC_TRACEPOINT
		       : TL_SPEC_PROGRAM;
}

void tl_spec_find(struct tl_session *s, struct tl_spec *spec, char *text,
		  bool returns)
{
	const char prefix = prefix_of(text, returns);

	spec->name = prefix ? text + 2 : text;
	spec->kind = kind_of(s, prefix, spec->name);
	spec->is_return = prefix == 'r';
}

/* ---- tracepoints ------------------------------------------------------ */

struct adding {
	struct tl_session *s;
	const struct tl_kprobe_config *config;
};

static int add_tracepoint(void *ctx, const char *system, const char *name)
{
	const struct adding *a = ctx;
	struct tl_event *ev =
		tl_event_add(a->s, system, name, a->config->handler);

	if (!ev)
		return tl_fail(errno, "format of %s:%s: %s", system, name,
			       strerror(errno));
	return a->config->added(a->s, ev, name);
}

static int add_tracepoints(struct tl_session *s, const struct tl_spec *spec,
			   const struct tl_kprobe_config *config)
{
	const struct tl_event_patterns asked = { .list = &spec->name,
						 .count = 1 };
	struct adding a = { s, config };

	if (config->expect)
		tl_instead_expect(s, spec->name);
	return tl_event_each(s, &asked, add_tracepoint, &a);
}

/* ---- functions -------------------------------------------------------- */

/* "p:vfs_read count", as kprobe and uprobe take it */
static int define(struct tl_session *s, const struct tl_spec *spec,
		  const char *args, const struct tl_kprobe_config *config)
{
	char *text;
	int ret;

	if (asprintf(&text, "%c:%s%s%s", spec->is_return ? 'r' : 'p',
		     spec->name, *args ? " " : "", args) < 0)
		return -ENOMEM;
	ret = spec->kind == TL_SPEC_FUNCTION
		      ? tl_kprobes_add(s, 1, &text, config)
		      : tl_udefs_add(s, 1, &text, config);
	free(text);
	return ret;
}

/* FILE ends at the first colon, as for uprobe: names of C++ have more. */
static int add_calls(struct tl_session *s, const struct tl_spec *spec,
		     const struct tl_kprobe_config *config)
{
	const char *colon = strchr(spec->name, ':');
	char *program = strndup(spec->name, (size_t)(colon - spec->name)),
	     *name = strdup(colon + 1);
	const struct tl_user_functions asked = { .program = program,
						 .patterns = &name,
						 .count = 1,
						 .force = config->force };
	int ret = -ENOMEM;

	if (program && name)
		ret = tl_uprobe_functions(s, &asked, config->handler);
	free(program);
	free(name);
	return ret < 0 ? ret : 0;
}

static bool has_function(const char *place)
{
	const char *colon = strchr(place, ':');

	return colon && colon > place && colon[1];
}

static int add_in_program(struct tl_session *s, const struct tl_spec *spec,
			  const char *args,
			  const struct tl_kprobe_config *config)
{
	if (!has_function(spec->name))
		return tl_fail(EINVAL, "\"%s\" is not FILE:FUNCTION",
			       spec->name);
	if (!*args && !spec->is_return)
		return add_calls(s, spec, config);
	if (strpbrk(strchr(spec->name, ':'), "*?["))
		return tl_fail(EINVAL,
			       "%s: name each function of a program: a glob "
			       "takes no values",
			       spec->name);
	return define(s, spec, args, config);
}

int tl_spec_add(struct tl_session *s, const struct tl_spec *spec,
		const char *args, const struct tl_kprobe_config *config)
{
	switch (spec->kind) {
	case TL_SPEC_TRACEPOINT:
		return add_tracepoints(s, spec, config);
	case TL_SPEC_FUNCTION:
		return define(s, spec, args, config);
	case TL_SPEC_PROGRAM:
		break;
	}
	return add_in_program(s, spec, args, config);
}
