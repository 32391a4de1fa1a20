// SPDX-License-Identifier: GPL-2.0-or-later
/* listing.c - what can be traced: functions, tracepoints, places in programs */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf/object.h"
#include "elf/usdt.h"
#include "tracelet/event.h"
#include "tracelet/function.h"
#include "tracelet/listing.h"
#include "tracelet/message.h"
#include "tracelet/output.h"

struct listing {
	struct tl_session *s;
	const char *pattern; /* or NULL */
	bool any;            /* was listed */
	bool demangle;
	char *last; /* of a program; NULL: none yet */
};

/* @ret, or that there is none; @kind: "function" */
static int end(const struct listing *l, int ret, const char *kind)
{
	return ret || l->any ? ret
			     : tl_fail(ENOENT, "no %s matches %s", kind,
				       l->pattern ?: "");
}

/* ---- the kernel ------------------------------------------------------- */

static int list_function(void *ctx, const char *name, const char *module)
{
	struct listing *l = ctx;

	if (!tl_is_listed(l->pattern, name))
		return 0;
	l->any = true;
	printf("%s%s%s\n", module, *module ? ":" : "", name);
	return 0;
}

int tl_list_functions(struct tl_session *s, const char *pattern)
{
	struct listing l = { .pattern = pattern };

	return end(&l, tl_function_list(s, list_function, &l), "function");
}

static bool means_event(const char *pattern, const char *system,
			const char *name)
{
	char full[512];

	snprintf(full, sizeof(full), "%s:%s", system, name);
	if (!pattern || !strpbrk(pattern, "*?["))
		return tl_is_listed(pattern, full);
	return tl_event_matches(pattern, system, name) ||
	       !fnmatch(pattern, name, 0);
}

static int list_event(void *ctx, const char *system, const char *name)
{
	struct listing *l = ctx;

	if (!means_event(l->pattern, system, name))
		return 0;
	l->any = true;
	printf("%s:%s\n", system, name);
	return 0;
}

int tl_list_events(struct tl_session *s, const char *pattern)
{
	struct listing l = { .pattern = pattern };

	return end(&l, tl_event_list(s, list_event, &l), "tracepoint");
}

/* ---- programs --------------------------------------------------------- */

/* Probes at several places come together. */
static int list_once(struct listing *l, const char *name)
{
	if (l->last && !strcmp(name, l->last))
		return 0;
	if (tl_is_listed(l->pattern, name)) {
		tl_list(l->s, name);
		l->any = true;
	}
	free(l->last);
	l->last = strdup(name);
	return l->last ? 0 : -ENOMEM;
}

static int list_symbol(void *ctx, const char *name, uint64_t offset)
{
	struct listing *l = ctx;
	char *nice = l->demangle ? tl_demangle(name) : NULL;
	int ret = list_once(l, nice ?: name);

	free(nice);
	return ret;
}

static int list_static(void *ctx, const struct tl_usdt *u)
{
	char *name;
	int ret;

	if (asprintf(&name, "u:%s:%s", u->provider, u->name) < 0)
		return -ENOMEM;
	ret = list_once(ctx, name);
	free(name);
	return ret;
}

static int say_nothing(const struct tl_object *o, const char *pattern)
{
	if (pattern)
		return tl_fail(ENOENT, "%s: nothing matches %s",
			       tl_object_path(o), pattern);
	return tl_fail(ENOENT, "%s names no functions (stripped)",
		       tl_object_path(o));
}

int tl_list_program(struct tl_session *s, const char *file, const char *pattern,
		    bool demangle)
{
	struct listing l = { .s = s, .pattern = pattern, .demangle = demangle };
	struct tl_object *o = tl_object_asked(s, file);
	int ret;

	if (!o)
		return -errno;
	ret = tl_object_functions(o, list_symbol, &l)
		      ?: tl_object_usdts(o, list_static, &l);
	if (!ret && !l.any)
		ret = say_nothing(o, pattern);
	free(l.last);
	tl_object_close(o);
	return ret;
}
