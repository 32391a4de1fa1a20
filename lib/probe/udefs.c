// SPDX-License-Identifier: GPL-2.0-or-later
/* udefs.c - probes in programs, from definitions to events */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/part.h"
#include "base/session.h"
#include "elf/object.h"
#include "elf/usdt.h"
#include "probe/fetch.h"
#include "probe/udef.h"
#include "probe/uprobe.h"
#include "tracelet/kprobe.h"
#include "tracelet/message.h"
#include "tracelet/uprobe.h"

/* A file that definitions are of, by the name that they have for it. */
struct file {
	struct file *next;
	struct tl_object *object;
	char target[];
};

/* What the definitions of a run are of. */
struct udefs {
	struct tl_part part;
	struct file *files;
	char *title; /* of the first one */
};

static void free_udefs(void *part)
{
	struct udefs *all = part;
	struct file *f;

	while ((f = all->files)) {
		all->files = f->next;
		tl_object_close(f->object);
		free(f);
	}
	free(all->title);
	free(all);
}

static const struct tl_part_ops udefs_ops = { .free = free_udefs };

/* A definition that is being added. */
struct adding {
	struct tl_session *s;
	const struct tl_kprobe_config *config;
	struct udefs *all;
	struct tl_udef def;
	struct tl_object *object;
	bool found; /* a static probe of its name */
};

/* Several definitions are often of the same file. */
static struct tl_object *open_once(struct adding *a)
{
	const char *target = a->def.target;
	struct file *f = a->all->files;

	while (f && strcmp(f->target, target) != 0)
		f = f->next;
	if (f)
		return f->object;
	f = calloc(1, sizeof(*f) + strlen(target) + 1);
	if (!f)
		return NULL;
	strcpy(f->target, target);
	f->object = tl_object_asked(a->s, target);
	f->next = a->all->files;
	a->all->files = f;
	return f->object;
}

static int set_title(struct adding *a, const char *name, const char *place,
		     const char *args)
{
	char **title = &a->all->title;

	if (!*title && asprintf(title, "%s (%c:%s %s:%s%s%s)", name,
				a->def.type, name, tl_object_path(a->object),
				place, *args ? " " : "", args) < 0)
		*title = NULL;
	return *title ? 0 : -ENOMEM;
}

static int add(struct adding *a, const char *name, uint64_t offset,
	       uint64_t semaphore, const char *args)
{
	struct tl_event *ev = tl_uprobe_add(
		a->s, a->def.type == 'r' ? "r" : "p", name, a->object, offset,
		semaphore, args, a->config->handler);

	return ev ? a->config->added(a->s, ev, name) : -errno;
}

/* ---- functions -------------------------------------------------------- */

static int check_return(struct tl_object *o, uint64_t offset)
{
	uint64_t into;
	const char *name = tl_object_function(o, offset, &into);

	if (!name || !into)
		return 0;
	return tl_fail(EINVAL,
		       "0x%" PRIx64 " of %s is within function %s: its return "
		       "is probed where it begins",
		       offset, tl_object_path(o), name);
}

static int find_offset(const struct adding *a, uint64_t *offset)
{
	const struct tl_udef *d = &a->def;
	int ret = 0;

	*offset = 0;
	if (d->symbol)
		ret = tl_object_symbol(a->object, d->symbol, offset);
	*offset += d->offset;
	if (ret || a->config->force)
		return ret;
	ret = tl_object_check_offset(a->object, *offset);
	if (!ret && d->type == 'r' && !d->symbol)
		ret = check_return(a->object, *offset);
	return ret;
}

static void default_name(const struct adding *a, char *name, size_t size)
{
	const struct tl_udef *d = &a->def;
	const char *file = *d->target ? d->target : tl_object_path(a->object);
	const char *slash = strrchr(file, '/');

	if (!d->symbol)
		snprintf(name, size, "%s_0x%" PRIx64, slash ? slash + 1 : file,
			 d->offset);
	else if (d->offset)
		snprintf(name, size, "%s+0x%" PRIx64, d->symbol, d->offset);
	else
		snprintf(name, size, "%s", d->symbol);
}

/* What the kernel is to fetch; free() it; NULL, errno. */
static char *fetch(const struct adding *a)
{
	char *args = tl_udef_fetch(&a->def, a->object, NULL), *more;

	if (!args || !a->config->faults)
		return args;
	more = tl_fetch_pointers(args, true);
	if (!more)
		errno = -tl_fetch_pointers_failed(
			a->def.symbol ?: a->def.target, errno);
	free(args);
	return more;
}

static int add_function(struct adding *a)
{
	char name[1024], place[32], *args;
	uint64_t offset;
	int ret = find_offset(a, &offset);

	if (ret)
		return ret;
	args = fetch(a);
	if (!args)
		return -errno;
	if (a->def.name)
		snprintf(name, sizeof(name), "%s", a->def.name);
	else
		default_name(a, name, sizeof(name));
	snprintf(place, sizeof(place), "0x%" PRIx64, offset);
	ret = set_title(a, name, place, args) ?: add(a, name, offset, 0, args);
	free(args);
	return ret;
}

/* ---- static probes ---------------------------------------------------- */

/* Adds a place: a probe can have several, each with its own arguments. */
static int add_place(void *ctx, const struct tl_usdt *u)
{
	struct adding *a = ctx;
	char *args;
	int ret;

	if (!tl_udef_matches(&a->def, u))
		return 0;
	a->found = true;
	if (u->unreachable)
		return tl_fail(
			EINVAL,
			"static probe %s:%s: its semaphore is where the "
			"file has no data, and the kernel cannot raise it",
			u->provider, u->name);
	args = tl_udef_fetch(&a->def, a->object, u);
	if (!args)
		return -errno;
	ret = add(a, a->def.name ?: u->name, u->offset, u->semaphore, args);
	free(args);
	return ret;
}

static int add_static(struct adding *a)
{
	const struct tl_udef *d = &a->def;
	const char *path = tl_object_path(a->object);
	const char *colon = strrchr(d->symbol, ':');
	int ret = set_title(a, d->name ?: (colon ? colon + 1 : d->symbol),
			    d->symbol, d->args)
			  ?: tl_object_usdts(a->object, add_place, a);

	if (ret || a->found)
		return ret;
	return tl_fail(ENOENT,
		       "%s has no static probe %s (uprobe -l %s shows what it "
		       "has)",
		       path, d->symbol, path);
}

/* ---- definitions ------------------------------------------------------ */

/* Those of a run, as a user has them. */
struct definitions {
	int count;
	char *const *texts;
	const struct tl_kprobe_config *config;
};

static int add_one(struct adding *a, const char *text)
{
	int ret = tl_udef_parse(&a->def, text);

	if (ret)
		return ret;
	a->found = false;
	a->object = open_once(a);
	ret = a->object ? tl_object_check_probes(a->object) : -errno;
	if (!ret)
		ret = a->def.type == 'u' ? add_static(a) : add_function(a);
	tl_udef_free(&a->def);
	return ret;
}

static int add_all(struct tl_session *s, void *ctx)
{
	const struct definitions *d = ctx;
	struct adding a = { .s = s, .config = d->config };
	int ret = 0, i;

	a.all = tl_part_get(s, &udefs_ops, sizeof(*a.all));
	if (!a.all)
		return -ENOMEM;
	for (i = 0; i < d->count && !ret; i++)
		ret = add_one(&a, d->texts[i]);
	return ret;
}

int tl_udefs_add(struct tl_session *s, int count, char *const *definitions,
		 const struct tl_kprobe_config *config)
{
	struct definitions d = { count, definitions, config };

	return tl_uprobes_define(s, config, add_all, &d);
}

const char *tl_udefs_title(const struct tl_session *s)
{
	const struct udefs *all = tl_part_find(s, &udefs_ops);

	return all ? all->title : NULL;
}

/* Without a name it is the program of a process. */
static int check_target(const struct tl_session *s, const char *name)
{
	return *name || s->set.pid.count || s->set.tid.count
		       ? 0
		       : tl_usage("which file? (none is the program of -p)");
}

int tl_udefs_check(const struct tl_session *s, int count,
		   char *const *definitions)
{
	struct tl_udef d;
	int ret = 0, i;

	for (i = 0; i < count && !ret; i++) {
		ret = tl_udef_parse(&d, definitions[i]);
		if (ret)
			break;
		ret = check_target(s, d.target);
		tl_udef_free(&d);
	}
	return ret;
}
