// SPDX-License-Identifier: GPL-2.0-or-later
/* ufunctions.c - probes at the functions of a program that match a pattern */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/part.h"
#include "elf/object.h"
#include "probe/counter.h"
#include "probe/probe.h"
#include "probe/uprobe.h"
#include "record/event.h"
#include "tracelet/btf.h"
#include "tracelet/event.h"
#include "tracelet/kprobe.h"
#include "tracelet/message.h"
#include "tracelet/uprobe.h"

/* more probes in a program take seconds to begin and to end */
#define MANY 200

struct function {
	char *name;
	uint64_t offset;
};

/* The file that the session's probes are in. */
struct functions {
	struct tl_part part;
	struct tl_object *object;
};

struct search {
	const struct tl_user_functions *f;
	struct tl_object *object;
	const char *pattern;  /* whose turn it is */
	unsigned int matched; /* by it, with what is excluded */
	struct function *list;
	size_t count, beyond; /* beyond: what more there would be */
};

static void free_functions(void *part)
{
	struct functions *functions = part;

	tl_object_close(functions->object);
	free(functions);
}

static const struct tl_part_ops functions_ops = { .free = free_functions };

/* ---- which functions -------------------------------------------------- */

static struct function *add(struct search *search, const char *name)
{
	struct function *more =
		reallocarray(search->list, search->count + 1, sizeof(*more));

	if (!more)
		return NULL;
	search->list = more;
	more += search->count;
	more->name = strdup(name);
	if (!more->name)
		return NULL;
	search->count++;
	return more;
}

/* Of several names for one function it is the one with fewest underscores. */
static int take(struct search *search, const char *name, uint64_t offset)
{
	struct function *function = NULL;
	size_t i;

	for (i = 0; i < search->count && !function; i++)
		if (search->list[i].offset == offset)
			function = &search->list[i];
	if (!function) {
		function = add(search, name);
		if (!function)
			return -ENOMEM;
		function->offset = offset;
	} else if (strspn(name, "_") < strspn(function->name, "_")) {
		free(function->name);
		function->name = strdup(name);
	}
	return function->name ? 0 : -ENOMEM;
}

/* As the file has it, or as C++ writes it; a pattern of NULL matches none. */
static bool matches(const char *pattern, const char *name)
{
	char *nice = pattern ? tl_demangle(name) : NULL;
	bool is = pattern && (!fnmatch(pattern, name, 0) ||
			      (nice && !fnmatch(pattern, nice, 0)));

	free(nice);
	return is;
}

static int take_match(void *ctx, const char *name, uint64_t offset)
{
	struct search *search = ctx;

	if (!matches(search->pattern, name))
		return 0;
	search->matched++;
	if (matches(search->f->exclude, name))
		return 0;
	/* to count them is enough then */
	if (search->count > MANY && !search->f->force) {
		search->beyond++;
		return 0;
	}
	return take(search, name, offset);
}

static int find_indirect(void *ctx, const char *name, uint64_t offset)
{
	struct search *indirect = ctx;

	if (!matches(indirect->pattern, name) ||
	    matches(indirect->f->exclude, name))
		return 0;
	if (!indirect->matched++)
		tl_warn("%s is an indirect function: its code, which programs "
			"choose when they start, has another name",
			name);
	return 0;
}

/* Notes nothing when too many match: another message is due then. */
static int note_indirect(const struct search *search)
{
	struct search indirect = { .f = search->f, .pattern = search->pattern };
	int ret = 0;

	if (!search->beyond)
		ret = tl_object_indirect(search->object, find_indirect,
					 &indirect);
	if (indirect.matched > 1)
		tl_warn("so are %u more that match", indirect.matched - 1);
	return ret;
}

static int take_pattern(struct search *search)
{
	const char *pattern = search->pattern;
	uint64_t offset;
	int ret;

	search->matched = 0;
	if (!strpbrk(pattern, "*?[")) {
		ret = tl_object_symbol(search->object, pattern, &offset);
		return ret || matches(search->f->exclude, pattern)
			       ? ret
			       : take(search, pattern, offset);
	}
	ret = tl_object_functions(search->object, take_match, search);
	if (!ret)
		ret = note_indirect(search);
	if (!ret && !search->matched)
		return tl_fail(ENOENT, "no function of %s matches %s",
			       tl_object_path(search->object), pattern);
	return ret;
}

static int take_all(struct search *search)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < search->f->count && !ret; i++) {
		search->pattern = search->f->patterns[i];
		ret = take_pattern(search);
	}
	if (ret || search->count <= MANY || search->f->force)
		return ret;
	return tl_fail(E2BIG,
		       "%zu functions of %s match: probes in more than %d take "
		       "long to begin and to end (-F)",
		       search->count + search->beyond,
		       tl_object_path(search->object), MANY);
}

/* ---- probes ----------------------------------------------------------- */

static int add_probes(struct tl_session *s, const struct search *search,
		      tl_handler *handler)
{
	const struct function *function;
	size_t i;

	for (i = 0; i < search->count; i++) {
		function = &search->list[i];
		if (!tl_uprobe_add(s, "p", function->name, search->object,
				   function->offset, 0, "", handler))
			return -errno;
	}
	return 0;
}

/* Up to 6.11 hits on two processors at once can be one in the kernel's count. */
static bool is_counted_by_cpu(struct tl_session *s)
{
	return sysconf(_SC_NPROCESSORS_CONF) == 1 ||
	       tl_btf_offset(s, "trace_uprobe", "nhits") >= 0;
}

/* Whether all are counted so; if not, records will do as well. */
static bool add_counters(struct tl_session *s, const struct search *search)
{
	const struct function *function;
	char *nice;
	int ret = 0;
	size_t i;

	for (i = 0; i < search->count && !ret; i++) {
		function = &search->list[i];
		nice = tl_demangle(function->name);
		ret = tl_uprobe_count(s, nice ?: function->name, search->object,
				      function->offset);
		free(nice);
	}
	return i && !ret && !tl_counters_attach(s);
}

static struct tl_object *open_program(struct tl_session *s, const char *program)
{
	struct tl_object *o = tl_object_asked(s, program);
	struct functions *functions = NULL;

	if (o)
		functions = tl_part_new(s, &functions_ops, sizeof(*functions));
	if (functions)
		functions->object = o;
	else
		tl_object_close(o);
	return functions ? o : NULL;
}

/* What a user asks for. */
struct asked {
	const struct tl_user_functions *f;
	tl_handler *handler;
	size_t counters;
};

static int add_all(struct tl_session *s, struct asked *asked,
		   const struct search *search)
{
	if (!asked->f->counters || !tl_counters_may(s, search->count) ||
	    !is_counted_by_cpu(s) || !add_counters(s, search))
		return add_probes(s, search, asked->handler);
	asked->counters = search->count;
	return 0;
}

static int find_and_add(struct tl_session *s, void *ctx)
{
	struct asked *asked = ctx;
	struct search search = { .f = asked->f };
	int ret;

	search.object = open_program(s, asked->f->program);
	if (!search.object)
		return -errno;
	ret = tl_object_check_probes(search.object) ?:
	      take_all(&search) ?:
	      add_all(s, asked, &search);
	while (search.count)
		free(search.list[--search.count].name);
	free(search.list);
	return ret;
}

/* How many there are; those of C++ get the name that people know. */
static int name_all(struct tl_session *s)
{
	const struct tl_probe *probe;
	struct tl_event *ev;
	int count = 0;
	char *nice;

	for (ev = s->events->first; ev; ev = ev->next) {
		probe = tl_probe_of(ev);
		if (!probe || !probe->is_user)
			continue;
		count++;
		nice = tl_demangle(ev->title);
		if (!nice)
			continue;
		free(ev->title);
		ev->title = nice;
	}
	return count;
}

static int added(struct tl_session *s, struct tl_event *ev, const char *name)
{
	return 0;
}

int tl_uprobe_functions(struct tl_session *s, const struct tl_user_functions *f,
			tl_handler *handler)
{
	const struct tl_kprobe_config again = { .handler = handler,
						.added = added };
	struct asked asked = { f, handler, 0 };
	int ret = tl_uprobes_define(s, &again, find_and_add, &asked);

	return ret ?: (int)asked.counters ?: name_all(s);
}
