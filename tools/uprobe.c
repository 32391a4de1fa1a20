// SPDX-License-Identifier: GPL-2.0-or-later
/* uprobe - trace functions and static probes of programs and libraries */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracelet.h"
#include "tracelet/capture.h"
#include "tracelet/kprobe.h"
#include "tracelet/object.h"
#include "tracelet/show.h"
#include "tracelet/stack.h"
#include "tracelet/uprobe.h"
#include "tracelet/usdt.h"

static struct {
	bool force, head, stacks, format, demangle;
	const char *list;
	const char *pattern; /* what of @list, or NULL */
	struct tl_udef *defs;
	struct tl_object **objects; /* the file of each */
	int count;
	const char *filter;
} env;

static const struct tl_opt options[] = {
	{ 'F', NULL, NULL,
	  "also where the file has no code, or no function begins", TL_OPT_FLAG,
	  &env.force },
	{ 'H', NULL, NULL, "show the kernel's column headers", TL_OPT_FLAG,
	  &env.head },
	{ 'l', NULL, "FILE",
	  "list functions and static probes of a program or library",
	  TL_OPT_STRING, &env.list, "format" },
	{ 0, "demangle", NULL, "list functions as C++ writes them", TL_OPT_FLAG,
	  &env.demangle },
	{ 's', NULL, NULL, "show user stacks", TL_OPT_FLAG, &env.stacks },
	{ 'v', NULL, NULL, "show the format of the events and end", TL_OPT_FLAG,
	  &env.format, "format" },
	{ 0 }
};

/* ---- -l ----------------------------------------------------------------- */

static unsigned int shown;

static void show_name(struct tl_session *s, const char *name)
{
	if (!tl_is_listed(env.pattern, name))
		return;
	tl_list(s, name);
	shown++;
}

/* A listing; probes at several places come together. */
struct listing {
	struct tl_session *s;
	char *last; /* NULL: none yet */
};

static int show_once(struct listing *l, const char *name)
{
	if (l->last && !strcmp(name, l->last))
		return 0;
	show_name(l->s, name);
	free(l->last);
	l->last = strdup(name);
	return l->last ? 0 : -ENOMEM;
}

static int show_function(void *ctx, const char *name, uint64_t offset)
{
	char *nice = env.demangle ? tl_demangle(name) : NULL;
	int ret = show_once(ctx, nice ?: name);

	free(nice);
	return ret;
}

static int show_static(void *ctx, const struct tl_usdt *u)
{
	char *name;
	int ret;

	if (asprintf(&name, "u:%s:%s", u->provider, u->name) < 0)
		return -ENOMEM;
	ret = show_once(ctx, name);
	free(name);
	return ret;
}

static int list(struct tl_session *s)
{
	struct tl_object *o = tl_object_asked(s, env.list);
	struct listing l = { .s = s };
	int ret;

	if (!o)
		return -errno;
	ret = tl_object_functions(o, show_function, &l);
	if (!ret)
		ret = tl_object_usdts(o, show_static, &l);
	if (!ret && !shown && env.pattern)
		ret = tl_fail(ENOENT, "%s: nothing matches %s",
			      tl_object_path(o), env.pattern);
	else if (!ret && !shown)
		ret = tl_fail(ENOENT, "%s names no functions (stripped)",
			      tl_object_path(o));
	free(l.last);
	tl_object_close(o);
	return ret;
}

static int query(struct tl_session *s)
{
	if (!env.list)
		return -1;
	return list(s) ? TL_EXIT_FAILED : TL_EXIT_OK;
}

/* ---- probes -------------------------------------------------------------- */

/* The banner shows the first definition. */
static void banner(struct tl_session *s, const struct tl_udef *d,
		   const char *name, const char *path, const char *place,
		   const char *args)
{
	if (d != env.defs)
		return;
	tl_banner(s, "Tracing uprobe %s (%c:%s %s:%s%s%s)%s%s", name, d->type,
		  name, path, place, *args ? " " : "", args,
		  env.count > 1 ? " and others" : "", tl_banner_who(s));
}

static int added(struct tl_session *s, struct tl_event *ev)
{
	if (!ev)
		return -errno;
	return tl_show_filter(s, ev, env.filter)
		       ?: (env.format ? tl_show_format(s, ev) : 0);
}

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

static int find_offset(const struct tl_udef *d, struct tl_object *o,
		       uint64_t *offset)
{
	int ret = 0;

	*offset = 0;
	if (d->symbol)
		ret = tl_object_symbol(o, d->symbol, offset);
	*offset += d->offset;
	if (!ret && !env.force)
		ret = tl_object_check_offset(o, *offset);
	if (!ret && d->type == 'r' && !d->symbol && !env.force)
		ret = check_return(o, *offset);
	return ret;
}

static void default_name(const struct tl_udef *d, const struct tl_object *o,
			 char *name, size_t size)
{
	const char *file = *d->target ? d->target : tl_object_path(o);
	const char *slash = strrchr(file, '/');

	if (!d->symbol)
		snprintf(name, size, "%s_0x%" PRIx64, slash ? slash + 1 : file,
			 d->offset);
	else if (d->offset)
		snprintf(name, size, "%s+0x%" PRIx64, d->symbol, d->offset);
	else
		snprintf(name, size, "%s", d->symbol);
}

static int add_function(struct tl_session *s, const struct tl_udef *d,
			struct tl_object *o)
{
	char type[2] = { d->type }, name[1024], place[32], *args;
	uint64_t offset;
	int ret = find_offset(d, o, &offset);

	if (ret)
		return ret;
	args = tl_udef_fetch(d, o, NULL);
	if (!args)
		return -errno;
	default_name(d, o, name, sizeof(name));
	snprintf(place, sizeof(place), "0x%" PRIx64, offset);
	banner(s, d, d->name ?: name, tl_object_path(o), place, args);
	ret = added(s, tl_uprobe_add(s, type, d->name ?: name, o, offset, 0,
				     args, tl_show));
	free(args);
	return ret;
}

struct search {
	struct tl_session *s;
	const struct tl_udef *def;
	struct tl_object *object;
	bool found;
};

/* Adds a place: a probe can have several, each with its own arguments. */
static int add_place(void *ctx, const struct tl_usdt *u)
{
	struct search *search = ctx;
	const struct tl_udef *d = search->def;
	char *args;
	int ret;

	if (!tl_udef_matches(d, u))
		return 0;
	search->found = true;
	if (u->unreachable)
		return tl_fail(
			EINVAL,
			"static probe %s:%s: its semaphore is where the "
			"file has no data, and the kernel cannot raise it",
			u->provider, u->name);
	args = tl_udef_fetch(d, search->object, u);
	if (!args)
		return -errno;
	ret = added(search->s, tl_uprobe_add(search->s, "p", d->name ?: u->name,
					     search->object, u->offset,
					     u->semaphore, args, tl_show));
	free(args);
	return ret;
}

static int add_static(struct tl_session *s, const struct tl_udef *d,
		      struct tl_object *o)
{
	struct search search = { s, d, o, false };
	const char *path = tl_object_path(o), *colon = strrchr(d->symbol, ':');
	int ret = tl_object_usdts(o, add_place, &search);

	banner(s, d, d->name ?: (colon ? colon + 1 : d->symbol), path,
	       d->symbol, d->args);
	if (!ret && !search.found)
		ret = tl_fail(ENOENT,
			      "%s has no static probe %s (uprobe -l %s shows "
			      "what it has)",
			      path, d->symbol, path);
	return ret;
}

/* ---- set-up ------------------------------------------------------------ */

/* Several definitions are often of the same file. */
static struct tl_object *opened(struct tl_session *s, int i)
{
	int j;

	for (j = 0; j < i; j++)
		if (!strcmp(env.defs[j].target, env.defs[i].target))
			return env.objects[j];
	return tl_object_asked(s, env.defs[i].target);
}

static int add(struct tl_session *s, int i)
{
	const struct tl_udef *d = &env.defs[i];
	struct tl_object *o = opened(s, i);

	env.objects[i] = o;
	if (!o)
		return -errno;
	return d->type == 'u' ? add_static(s, d, o) : add_function(s, d, o);
}

/* What a capture has: the files are those of another machine. */
static int added_again(struct tl_session *s, struct tl_event *ev,
		       const char *name)
{
	return added(s, ev);
}

static int add_all(struct tl_session *s, void *ctx)
{
	int ret = 0, i;

	for (i = 0; i < env.count && !ret; i++)
		ret = add(s, i);
	return ret;
}

static int setup(struct tl_session *s)
{
	const struct tl_kprobe_config again = { .handler = tl_show,
						.added = added_again };
	int ret = env.stacks ? tl_stacks_user(s) : 0;

	ret = ret ?: tl_uprobes_define(s, &again, add_all, NULL);
	if (!ret && env.format)
		ret = -ECANCELED;
	return ret ?: tl_show_open(s, env.head, env.stacks);
}

static int check(struct tl_session *s)
{
	return tl_stacks_user(s) ?:
	       tl_uprobe_check(s) ?:
	       tl_limit(s, "-s", env.stacks, tl_stacks_check);
}

/* Without a name it is the program of a process. */
static int check_target(struct tl_session *s, const char *name)
{
	const struct tl_settings *set = tl_settings(s);

	return *name || set->pid.count || set->tid.count
		       ? 0
		       : tl_usage("which file? (none is the program of -p)");
}

static int take_defs(struct tl_session *s, int argc, char **argv)
{
	int ret = 0, i;

	env.defs = calloc(argc, sizeof(*env.defs));
	env.objects = calloc(argc, sizeof(*env.objects));
	if (!env.defs || !env.objects)
		return -ENOMEM;
	for (i = 0; i < argc && !ret; i++)
		ret = tl_udef_parse(&env.defs[i], argv[i])
			      ?: check_target(s, env.defs[i].target);
	env.count = i;
	return ret;
}

static bool is_filter(const char *text)
{
	return !tl_udef_is_one(text) && tl_arg_is_filter(text);
}

/* A filter does not begin as a definition does; it comes last. */
static int args(struct tl_session *s, int argc, char **argv)
{
	if (env.list && argc > 1)
		return tl_usage("-l takes one pattern");
	if (env.list) {
		env.pattern = argv[0];
		return 0;
	}
	if (!argc)
		return tl_usage("which probe?");
	env.filter = tl_args_filter(&argc, argv, tl_udef_is_one);
	if (tl_args_recorded(s, argc, argv, tl_udef_is_one))
		return -EINVAL;
	return take_defs(s, argc, argv);
}

static const struct tl_tool uprobe = {
	.name = "uprobe",
	.summary = "trace functions and static probes of programs",
	.synopsis = "{definition... [filter] | -l file [pattern]}",
	.examples = {
		{ "uprobe -l bash readline", "which functions a program has" },
		{ "uprobe 'r:bash:readline +0($retval):string'",
		  "what is typed into shells" },
		{ "uprobe -s 'p:libc:fopen f=$arg1:string' 'f ~ \"/etc/*\"'",
		  "who opens such files with it, by what way" },
	},
	.options = options,
	.columns = tl_show_columns,
	.quiet = true,
	.args = args,
	.selects = is_filter,
	.query = query,
	.check = check,
	.setup = setup,
};

TL_MAIN(uprobe)
