// SPDX-License-Identifier: GPL-2.0-or-later
/* kprobe.c - probes on the kernel, as users define them */
#include "probe/kprobe.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/list.h"
#include "base/message.h"
#include "base/recording.h"
#include "kernel/cdecl.h"
#include "kernel/feature.h"
#include "kernel/functions.h"
#include "option/suggest.h"
#include "probe/caller.h"
#include "probe/definition.h"
#include "probe/fetch.h"
#include "probe/instead.h"
#include "probe/probe.h"
#include "probe/recorded.h"
#include "record/event.h"
#include "tracefs/file.h"
#include "tracefs/instance.h"
#include "tracelet/feature.h"
#include "tracelet/message.h"
#include "tracelet/probe.h"

/* What sleeps can be called by many at once; more are counted as missed. */
#define ACTIVE 512
/* More would take seconds to begin and to end. */
#define GLOB_MAX 100
/* The kernel takes lines of 4,095, with names and places. */
#define ARGS_MAX 3800
#define SAID     1 /* why not: in place of an -errno of the library */

struct probe {
	struct tl_session *s;
	const struct tl_kprobe_config *config;
	struct tl_definition d;
	struct tl_place place;
	char bare[128];   /* the function's name in the source: no ".isra.0" */
	char symbol[128]; /* and as the user has it */
	const char *name; /* of the event */
	char **args;
	char **less; /* to do with where those cannot be had; NULL: nothing */
	struct tl_fetch_place scope;
	struct tl_fetches *fetches;
	bool renamed; /* for a function with a suffix, which was said */
	bool is_one_of_many;
	bool is_entry; /* of tl_kprobe_entries() */
	bool defined;  /* the kernel has taken it */
};

/* ---- which word is what ----------------------------------------------- */

/* Their parameters have names, those of the tracepoint's type have not. */
static int find_stub(const char *module, const char *name,
		     struct tl_btf_type *proto)
{
	static const char *const functions[] = { "__probestub_%s",
						 "__bpf_trace_%s" };
	char function[160];
	unsigned int i;
	int ret = -ENOENT;

	for (i = 0; i < 2 && ret == -ENOENT; i++) {
		snprintf(function, sizeof(function), functions[i], name);
		ret = tl_btf_find_function(module, function, proto);
	}
	return ret;
}

/*
 * The kernel takes unknown ones too, and waits for a module that has them.
 * To read /proc/kallsyms takes longer than all else that is done here.
 */
static bool is_tracepoint(struct tl_session *s, const char *name,
			  char module[64])
{
	char function[160];
	struct tl_symbol_search f = { .name = function };
	struct tl_btf_type proto;

	*module = '\0';
	if (!find_stub(NULL, name, &proto))
		return true;
	snprintf(function, sizeof(function), "__traceiter_%s", name);
	if (tl_symbol_search(s, &f) || !f.count)
		return false;
	memcpy(module, f.found[0].module, sizeof(f.found[0].module));
	return true;
}

/* Whether there is a function, or a tracepoint, of exactly this name. */
static bool is_known(const struct probe *p, const char *word)
{
	struct tl_symbol_search search = { 0 };
	struct tl_btf_type proto;
	struct tl_place place;
	char module[64];

	if (tl_place_parse(&place, word))
		return false;
	if (place.is_glob || place.is_address)
		return true;
	if (p->d.type == 't')
		return is_tracepoint(p->s, place.symbol, module);
	if (!*place.module && !tl_btf_find_function(NULL, place.symbol, &proto))
		return true;
	search.module = *place.module ? place.module : NULL;
	search.name = place.symbol;
	return !tl_symbol_search(p->s, &search) && search.count;
}

static int find_tracepoint(struct tl_session *s, const char *name,
			   struct tl_btf_type *proto)
{
	char module[64];
	int ret = find_stub(NULL, name, proto);

	if (ret == -ENOENT && is_tracepoint(s, name, module) && *module)
		ret = find_stub(module, name, proto);
	return ret;
}

/*
 * "p:vfs_read count": no name and a function, but a function and an argument.
 */
static bool is_argument_of(const struct probe *p, const char *word,
			   const char *arg)
{
	struct tl_btf_type proto;
	struct tl_place place;
	char root[128];
	int ret;

	if (!tl_fetch_root(arg, root, sizeof(root)) ||
	    tl_place_parse(&place, word))
		return false;
	if (p->d.type == 't')
		ret = find_stub(NULL, place.symbol, &proto);
	else
		ret = tl_btf_find_function(*place.module ? place.module : NULL,
					   place.symbol, &proto);
	return !ret && tl_fetch_names(proto, root);
}

static bool is_identifier(const char *text)
{
	while (isalnum((unsigned char)*text) || *text == '_')
		text++;
	return !*text;
}

/* "p:vfs_raed count": what is near to the first word has that argument. */
static bool is_misspelt(const struct probe *p, const char *first,
			const char *arg)
{
	struct tl_suggestions near = { .name = first };
	unsigned int i;

	if (p->d.type == 't' || tl_function_list(p->s, tl_function_try, &near))
		return false;
	for (i = 0; i < near.count; i++)
		if (is_argument_of(p, near.found[i], arg))
			return true;
	return false;
}

static bool begins_with_place(const struct probe *p)
{
	const char *first = p->d.name, *word = p->d.words[0];
	struct tl_place place;

	if (!*first)
		return false;
	if (!word || !is_identifier(first) || is_argument_of(p, first, word) ||
	    tl_place_parse(&place, word))
		return true;
	/* "p:vfs_read *ops": a mistake for *pos, and no glob */
	if (is_known(p, word))
		return place.is_glob && is_known(p, first);
	return is_known(p, first) || is_misspelt(p, first, word);
}

static int read_words(struct probe *p)
{
	bool first = begins_with_place(p);
	const char *word = first ? p->d.name : p->d.words[0];

	if (tl_place_parse(&p->place, word))
		return tl_fail(EINVAL,
			       "\"%s\" is no function: NAME, MODULE:NAME, "
			       "NAME+OFFSET or a glob",
			       word);
	p->args = p->d.words + !first;
	snprintf(p->symbol, sizeof(p->symbol), "%s", p->place.symbol);
	p->name = first || !*p->d.name ? p->symbol : p->d.name;
	return 0;
}

/* ---- what arguments are called ---------------------------------------- */

static bool needs_types(const struct probe *p)
{
	char **arg;

	for (arg = p->args; *arg; arg++)
		if (tl_fetch_has_type(*arg))
			return true;
	return false;
}

static bool is_section(const char *symbol)
{
	return !strcmp(symbol, "_text") || !strcmp(symbol, "_stext");
}

static void say_renamed(struct probe *p)
{
	if (p->renamed)
		return;
	p->renamed = true;
	tl_warn("%s is %s here: the compiler may have changed its arguments",
		p->scope.name, p->place.symbol);
}

static int say_several(const char *name, const struct tl_symbol_search *search)
{
	unsigned int i;

	tl_warn("the compiler has made several functions of %s:", name);
	for (i = 0; i < search->suffixed; i++)
		tl_warn("    %s", search->other[i]);
	return SAID;
}

/* Where the function is, and with what suffix; or SAID. */
static int search(struct probe *p, struct tl_symbol_search *f)
{
	*f = (struct tl_symbol_search){
		.module = *p->place.module ? p->place.module : NULL,
		.name = p->scope.name,
	};
	if (tl_symbol_search(p->s, f))
		return SAID;
	if (f->count)
		return 0;
	if (f->suffixed > 1)
		return say_several(p->scope.name, f);
	if (!f->suffixed) {
		tl_function_unknown(p->s, p->scope.name);
		return SAID;
	}
	snprintf(p->place.symbol, sizeof(p->place.symbol), "%s", f->other[0]);
	say_renamed(p);
	return 0;
}

static int find_in_module(struct probe *p)
{
	struct tl_symbol_search f;
	int ret = search(p, &f);

	if (ret || !f.count || !*f.found[0].module)
		return ret ?: -ENOENT;
	if (f.count > 1)
		return -ENOTUNIQ;
	return tl_btf_find_function(f.found[0].module, p->scope.name,
				    &p->scope.proto);
}

static int find_prototype(struct probe *p)
{
	const char *module = *p->place.module ? p->place.module : NULL;
	int ret;

	if (p->d.type == 't')
		return find_tracepoint(p->s, p->place.symbol, &p->scope.proto);
	ret = tl_btf_find_function(module, p->scope.name, &p->scope.proto);
	/* of many it is known who has which */
	if (ret == -ENOENT && !module && !p->is_one_of_many)
		ret = find_in_module(p);
	return ret;
}

static const char *why_unknown(int err)
{
	switch (err) {
	case -ENOENT:
		return "it is not in the kernel's BTF";
	case -ENODATA:
		return "this kernel has no BTF of its module";
	case -ENOTUNIQ:
		return "there are several functions of this name, with "
		       "different arguments";
	}
	return tl_btf_explain(err);
}

static void set_bare_name(struct probe *p)
{
	snprintf(p->bare, sizeof(p->bare), "%.*s",
		 (int)strcspn(p->place.symbol, "."), p->place.symbol);
}

static int find_scope(struct probe *p)
{
	struct tl_session *s = p->s;
	const char *bare = p->bare;
	int ret = 0;

	set_bare_name(p);
	p->scope = (struct tl_fetch_place){
		.name = bare,
		.first = p->d.type == 't',
		.is_return = p->place.is_return || p->d.type == 'r',
		.inside = *p->place.offset && !is_section(bare) &&
			  strtoull(p->place.offset + 1, NULL, 0),
		.return_args = tl_feature(s, TL_FEATURE_RETURN_ARGS),
		.symbols = tl_feature(s, TL_FEATURE_SYMBOL_TYPE),
		.numbers = p->config->numbers,
	};
	if (p->place.is_address || is_section(bare))
		p->scope.unknown = "it is an address";
	else if (needs_types(p))
		ret = find_prototype(p);
	if (ret == SAID)
		return -ENOENT;
	if (ret)
		p->scope.unknown = why_unknown(ret);
	else if (p->scope.proto.btf && strcmp(bare, p->place.symbol))
		say_renamed(p);
	return 0;
}

/* ---- one event -------------------------------------------------------- */

/*
 * The caller that a stack lacks stands first: in a capture what may be an address
 * is looked for where that is aligned, and arguments have any size.
 */
static void add_caller(const struct probe *p, struct tl_buf *b)
{
	if (TL_CALLER_IN_REGISTER && p->config->callers && p->d.type == 'p' &&
	    !p->scope.is_return && !p->scope.inside &&
	    p->fetches->count < TL_PROBE_ARGS)
		tl_buf_str(b, TL_CALLER_FETCH " ");
}

/* Ends @b; where numbers are to be told apart, with what they are read through. */
static int end_text(const struct probe *p, struct tl_buf *b)
{
	char *args;

	tl_buf_char(b, '\0');
	if (b->failed)
		return -ENOMEM;
	if (!p->config->faults)
		return 0;
	args = tl_fetch_pointers(b->data, false);
	if (!args)
		return -errno;
	b->len = 0;
	tl_buf_str(b, args);
	tl_buf_char(b, '\0');
	free(args);
	return b->failed ? -ENOMEM : 0;
}

static int add_text(struct probe *p, struct tl_buf *b)
{
	unsigned int i;
	char **arg;
	int ret;

	p->fetches->count = 0;
	for (arg = p->args; *arg; arg++) {
		ret = tl_fetch_add(p->fetches, &p->scope, *arg);
		if (ret)
			return ret;
	}
	add_caller(p, b);
	for (i = 0; i < p->fetches->count; i++) {
		tl_buf_str(b, i ? " " : "");
		tl_fetch_print(&p->fetches->list[i], b);
	}
	ret = end_text(p, b);
	if (ret)
		return tl_fetch_pointers_failed(p->place.symbol, -ret);
	if (b->len > ARGS_MAX)
		return tl_fail(E2BIG,
			       "%s: its arguments are %zu characters for the "
			       "kernel, which takes about %d",
			       p->place.symbol, b->len, ARGS_MAX);
	return 0;
}

static const char *enum_name(const void *ctx, int64_t value)
{
	return tl_btf_value_name(*(const struct tl_btf_type *)ctx, value);
}

static int name_values(struct probe *p, struct tl_event *ev)
{
	const struct tl_fetch *f = p->fetches->list;
	const struct tl_fetch *end = f + p->fetches->count;
	int ret = 0;

	for (; f < end && !ret; f++)
		if (f->show == TL_FETCH_BOOL)
			ret = tl_event_name_values(p->s, ev, f->name,
						   tl_bool_name, NULL);
		else if (f->show == TL_FETCH_ENUM)
			ret = tl_event_name_values(p->s, ev, f->name, enum_name,
						   tl_btf_keep(f->type));
	return ret;
}

static void set_place(const struct probe *p, char *type, size_t type_size,
		      char *place, size_t size)
{
	const struct tl_place *at = &p->place;
	bool is_return = p->scope.is_return && p->d.type != 'f';
	bool in_module = *at->module && !strchr("ft", p->d.type);

	if (is_return)
		snprintf(type, type_size, "r%u", p->d.active ?: ACTIVE);
	else
		snprintf(type, type_size, "%c", p->d.type);
	/* f and t take no module: the kernel looks in all of them */
	snprintf(place, size, "%s%s%s%s%s", in_module ? at->module : "",
		 in_module ? ":" : "", at->symbol, at->offset,
		 p->d.type == 'f' && p->scope.is_return ? "%return" : "");
}

static bool has_bytes(const struct probe *p)
{
	unsigned int i;

	for (i = 0; i < p->fetches->count; i++)
		if (p->fetches->list[i].may_not_end)
			return true;
	return false;
}

/*
 * @args of the event that has no more than the first bytes of any text, since one
 * that ends can be too long too; false: it is not needed.
 */
static bool add_cut_text(const struct probe *p, struct tl_buf *b)
{
	const struct tl_fetch *f;
	unsigned int i;
	bool any = false, is_cut;

	add_caller(p, b);
	for (i = 0; i < p->fetches->count; i++) {
		f = &p->fetches->list[i];
		tl_buf_str(b, i ? " " : "");
		is_cut = tl_fetch_add_cut(f, b);
		any |= is_cut && f->may_not_end;
		if (!is_cut)
			tl_fetch_print(f, b);
	}
	return !end_text(p, b) && any && b->len <= ARGS_MAX;
}

static int set_up_cut(struct probe *p, struct tl_event *ev,
		      struct tl_recorded_probe *kept)
{
	tl_probe_of(ev)->with_args = kept->with_args;
	tl_recorded_probe_keep(p->s, kept, p->fetches);
	return tl_event_is_cut(ev, p->name,
			       name_values(p, ev)
				       ?: p->config->added(p->s, ev, NULL));
}

/*
 * For a text that does not fit into a record.  At return a second probe would
 * hide from the first one where that goes.
 */
static struct tl_event *define_cut(struct probe *p, const char *place)
{
	struct tl_buf said = { 0 }, args = { 0 }, *before;
	struct tl_event *ev = NULL;
	char name[64];

	if (p->d.type != 'p' || p->scope.is_return || !add_cut_text(p, &args)) {
		tl_buf_free(&args);
		return NULL;
	}
	snprintf(name, sizeof(name), "%.40s_cut", p->name);
	before = tl_message_keep(&said);
	ev = tl_probe_add(p->s, "p", name, place, args.data,
			  p->config->handler);
	if (ev && set_up_cut(p, ev,
			     &(struct tl_recorded_probe){
				     "p", name, place, args.data,
				     p->less && p->args != p->less, p->name }))
		ev->handler = NULL;
	tl_message_keep(before);
	tl_buf_free(&said);
	tl_buf_free(&args);
	return ev;
}

/* 0, or -errno; -ENOENT without a message. */
static int define(struct probe *p, const char *args)
{
	char type[16], place[256];
	struct tl_event *ev, *cut;
	struct tl_probe *probe;

	set_place(p, type, sizeof(type), place, sizeof(place));
	/* the kernel calls first what is added last */
	cut = define_cut(p, place);
	ev = tl_probe_add(p->s, type, p->name, place, args, p->config->handler);
	if (!ev)
		return -errno;
	probe = tl_probe_of(ev);
	p->defined = true;
	if (cut)
		tl_event_cut(cut, ev);
	else
		probe->has_bytes = has_bytes(p);
	probe->with_args = p->less && p->args != p->less;
	tl_recorded_probe_keep(
		p->s,
		&(struct tl_recorded_probe){ type, p->name, place, args,
					     probe->with_args, "" },
		p->fetches);
	if (p->config->expect && !p->place.is_glob)
		tl_instead_expect_event(p->s, ev);
	return name_values(p, ev) ?: p->config->added(p->s, ev, p->name);
}

/* ---- why it did not work ---------------------------------------------- */

static int try_event(void *ctx, const char *system, const char *name)
{
	return tl_suggest_try(ctx, name);
}

static int unknown_tracepoint(struct probe *p)
{
	struct tl_suggestions near = { .name = p->place.symbol };

	tl_warn("the kernel has no tracepoint %s", p->place.symbol);
	tl_event_list(p->s, try_event, &near);
	tl_suggest_report(&near);
	return -ENOENT;
}

static int say_ambiguous(struct probe *p, int err)
{
	struct tl_symbol_search f;
	unsigned int i;

	if (p->d.type == 't' || p->is_one_of_many || p->place.is_glob ||
	    p->place.is_address || search(p, &f) || f.count < 2 || !f.text)
		return err;
	tl_warn("%u functions are called %s; write the one that is meant as:",
		f.count, p->place.symbol);
	for (i = 0; i < f.count && i < TL_SYMBOLS_MAX; i++)
		if (*f.found[i].module)
			tl_warn("    %s:%s", f.found[i].module,
				p->place.symbol);
		else
			tl_warn("    %s+0x%llx", f.section,
				(unsigned long long)(f.found[i].addr - f.text));
	return err;
}

static int say_excluded(const struct probe *p)
{
	return tl_fail(ENOENT,
		       "%s%s cannot be probed: the kernel excludes it%s",
		       p->place.symbol, p->place.offset,
		       *p->place.offset ? ", or this offset" : "");
}

/* "vfs_read.isra.0" is not there, but vfs_read is. */
static bool has_wrong_suffix(const struct probe *p)
{
	struct tl_symbol_search f = { .name = p->place.symbol };

	return strcmp(p->bare, p->place.symbol) &&
	       !tl_symbol_search(p->s, &f) && !f.count;
}

/* The kernel has not taken it: a suffix, another name, or not to be probed. */
static int try_again(struct probe *p, const char *args)
{
	struct tl_symbol_search f;
	int ret;

	if (p->is_one_of_many)
		return say_excluded(p);
	if (p->d.type == 't')
		return unknown_tracepoint(p);
	if (p->place.is_address)
		return tl_fail(ENOENT,
			       "no function is at %s that can be probed",
			       p->place.symbol);
	if (has_wrong_suffix(p))
		return tl_function_unknown(p->s, p->place.symbol);
	if (search(p, &f))
		return -ENOENT;
	ret = f.count ? -ENOENT : define(p, args);
	return ret == -ENOENT && !p->defined ? say_excluded(p) : ret;
}

static int add(struct probe *p)
{
	struct tl_buf args = { 0 };
	int ret = find_scope(p) ?: add_text(p, &args);

	if (!ret) {
		ret = define(p, args.data);
		if (p->defined)
			;
		else if (ret == -ENOENT)
			ret = try_again(p, args.data);
		else if (ret == -EADDRNOTAVAIL || ret == -EINVAL)
			ret = say_ambiguous(p, ret);
	}
	tl_buf_free(&args);
	return ret;
}

/* ---- many functions --------------------------------------------------- */

struct name {
	char name[128], module[64];
};

struct names {
	const struct probe *p;
	struct name *list;
	size_t count, room;
	size_t added, left_out, with_less;
	struct tl_buf why; /* the first one was */
	int err;
};

static int take_name(void *ctx, const char *name, const char *module)
{
	struct names *n = ctx;
	const struct tl_place *place = &n->p->place;
	struct name *list;

	if (fnmatch(place->symbol, name, 0) ||
	    (*place->module && strcmp(place->module, module)))
		return 0;
	list = tl_list_room(n->list, n->count, &n->room, sizeof(*list));
	if (!list)
		return -ENOMEM;
	n->list = list;
	tl_function_keep(n->p->s, name, module);
	list += n->count++;
	snprintf(list->name, sizeof(list->name), "%s", name);
	snprintf(list->module, sizeof(list->module), "%s", module);
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const struct name *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* A name that is there twice is ambiguous for the kernel. */
static bool is_single(const struct names *n, size_t i)
{
	const struct name *name = &n->list[i];

	return (!i || by_name(name - 1, name)) &&
	       (i + 1 == n->count || by_name(name + 1, name));
}

/* One event for all functions costs less, where its arguments can be had. */
static bool fits_one(const struct probe *p)
{
	char **arg;

	if (p->config->each || needs_types(p) || *p->place.module ||
	    !tl_feature(p->s, TL_FEATURE_FPROBE))
		return false;
	/* at return r costs less, and what it misses is counted */
	if (p->d.type != 'p' || p->place.is_return || *p->place.offset)
		return p->d.type == 'f';
	for (arg = p->args; *arg; arg++)
		if (strchr(*arg, '%'))
			return false;
	return true;
}

bool tl_kprobe_is_its_own(int err)
{
	return err == -EINVAL || err == -ENOENT || err == -ENOTSUP ||
	       err == -EADDRNOTAVAIL;
}

static int add_less(struct probe *p)
{
	char **args = p->args;
	int ret;

	p->args = p->less;
	ret = add(p);
	p->args = args;
	return ret;
}

static int add_one(struct probe *p, const struct name *name, struct names *n)
{
	struct tl_buf said = { 0 }, *before;
	int ret;

	snprintf(p->place.symbol, sizeof(p->place.symbol), "%s", name->name);
	snprintf(p->place.module, sizeof(p->place.module), "%s", name->module);
	p->name = *p->d.name && p->args != p->d.words ? p->d.name : name->name;
	p->renamed = p->defined = false;
	before = tl_message_keep(&said);
	ret = add(p);
	if (!p->defined && p->less && tl_kprobe_is_its_own(ret)) {
		said.len = 0;
		ret = add_less(p);
		n->with_less += p->defined;
	}
	tl_message_keep(before);
	n->added += p->defined;
	if (p->defined || !tl_kprobe_is_its_own(ret)) {
		tl_message_print(&said);
	} else {
		if (!n->left_out++) {
			tl_buf_add(&n->why, said.data, said.len);
			n->err = ret;
		}
		ret = 0;
	}
	tl_buf_free(&said);
	return ret;
}

void tl_kprobe_say_bare(size_t count, size_t all)
{
	tl_warn("%zu of %zu functions are shown without arguments: the "
		"kernel's BTF does not know them, or a probe cannot fetch them",
		count, all);
}

static int say_left_out(const struct probe *p, const struct names *n,
			size_t twice)
{
	size_t all = n->left_out + twice;

	if (n->with_less)
		tl_kprobe_say_bare(n->with_less, n->count);
	if (!all)
		return 0;
	if (all < n->count)
		tl_warn("%zu of %zu functions are left out: %sof the same name "
			"as another, or not to be probed",
			all, n->count,
			p->is_entry ? "" : "without these arguments, ");
	else if (n->left_out)
		tl_message_print(&n->why);
	else
		tl_warn("all functions that match are of the same name as "
			"another");
	return all < n->count ? 0 : n->err ?: -ENOENT;
}

static int add_each(struct probe *p, struct names *n)
{
	size_t i, twice = 0;
	int ret = 0;

	if (n->count)
		qsort(n->list, n->count, sizeof(*n->list), by_name);
	p->is_one_of_many = true;
	for (i = 0; i < n->count && !ret; i++)
		if (is_single(n, i))
			ret = add_one(p, &n->list[i], n);
		else
			twice++;
	return ret ?: say_left_out(p, n, twice);
}

static int add_many(struct probe *p)
{
	struct names n = { .p = p };
	int ret = tl_function_list(p->s, take_name, &n);

	if (!ret && !n.count)
		ret = tl_fail(ENOENT, "no function matches %s",
			      p->place.symbol);
	if (!ret && n.count > GLOB_MAX && !p->config->force)
		ret = tl_fail(E2BIG,
			      "%s: %zu functions are more than %d (-F does it "
			      "all the same)",
			      p->place.symbol, n.count, GLOB_MAX);
	/* a glob of one function is as good as its name */
	p->place.is_glob = n.count > 1;
	if (!ret && p->place.is_glob && fits_one(p)) {
		p->d.type = 'f';
		ret = add(p);
	} else if (!ret) {
		ret = add_each(p, &n);
	}
	tl_buf_free(&n.why);
	free(n.list);
	return ret;
}

/* ---- from the tool ---------------------------------------------------- */

static int check_type(const struct probe *p)
{
	if (p->d.type == 'f' && !tl_feature(p->s, TL_FEATURE_FPROBE))
		return tl_fail(ENOTSUP,
			       "this kernel has no probes of type f (6.5 on, "
			       "CONFIG_FPROBE_EVENTS); use p: or r:");
	if (p->d.type == 't' && !tl_feature(p->s, TL_FEATURE_TPROBE))
		return tl_fail(ENOTSUP,
			       "this kernel has no probes of type t (6.5 on, "
			       "CONFIG_FPROBE_EVENTS); use tpoint");
	return 0;
}

static int refuse_place(const struct probe *p, const char *what)
{
	return tl_fail(EINVAL, "a probe of type %c takes no %s", p->d.type,
		       what);
}

/*
 * Refuses what the kernel would refuse in other words, or take for another
 * thing.
 */
static int check_shape(struct probe *p)
{
	const struct tl_place *at = &p->place;
	bool is_tracepoint = p->d.type == 't';

	if (!strchr("ft", p->d.type))
		return 0;
	if (*at->offset)
		return refuse_place(p, "offset");
	if (at->is_address)
		return refuse_place(p, "address");
	if (is_tracepoint && at->is_return)
		return refuse_place(p, "%return");
	if (is_tracepoint && *at->module)
		return refuse_place(p, "module");
	if (is_tracepoint && at->is_glob)
		return refuse_place(p, "glob");
	return 0;
}

/* The kernel's own parts are in /sys/module too, but cannot be loaded. */
static int check_module(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/module/%s/initstate", name);
	if (!access(path, F_OK))
		return 0;
	*strrchr(path, '/') = '\0';
	if (!access(path, F_OK))
		return tl_fail(ENOENT,
			       "%s is no module but built into the kernel: "
			       "leave out \"%s:\"",
			       name, name);
	return tl_fail(ENOENT, "module %s is not loaded (-F waits until it is)",
		       name);
}

/*
 * The kernel waits for a module that is not there, also for one that is none.
 */
static int check_place(struct probe *p)
{
	char module[64];

	if (p->config->force)
		return 0;
	if (p->d.type == 't')
		return is_tracepoint(p->s, p->place.symbol, module)
			       ? 0
			       : unknown_tracepoint(p);
	return *p->place.module ? check_module(p->place.module) : 0;
}

static int add_definition(struct tl_session *s, const char *definition,
			  const struct tl_kprobe_config *config)
{
	struct probe p = { .s = s, .config = config };
	int ret = tl_definition_parse(&p.d, definition);

	p.fetches = calloc(1, sizeof(*p.fetches));
	if (!ret && !p.fetches)
		ret = -ENOMEM;
	ret = ret ?: check_type(&p) ?: read_words(&p) ?: check_shape(&p) ?:
	      check_place(&p);
	if (!ret)
		ret = p.place.is_glob ? add_many(&p) : add(&p);
	free(p.fetches);
	tl_definition_free(&p.d);
	return ret;
}

int tl_kprobe_add(struct tl_session *s, const char *definition,
		  const struct tl_kprobe_config *config)
{
	size_t count;
	int ret;

	if (tl_recording_replays(s->recording))
		return tl_recorded_probe_all(s, config, &count);
	ret = add_definition(s, definition, config);
	tl_recorded_probe_end(s, ret);
	return ret;
}

int tl_kprobes_add(struct tl_session *s, int count, char *const *definitions,
		   const struct tl_kprobe_config *config)
{
	int ret = 0, i;

	for (i = 0; i < count && !ret; i++)
		ret = tl_kprobe_add(s, definitions[i], config);
	return ret;
}

static int add_entries(struct tl_session *s, const struct tl_functions *except,
		       bool args, const struct tl_kprobe_config *config)
{
	static char *less[] = { TL_CALLER_FETCH, NULL };
	struct probe p = { .s = s, .config = config, .is_entry = true };
	struct names n = { .p = &p };
	int ret =
		tl_definition_parse(&p.d, args ? "p:* " TL_CALLER_FETCH " $arg*"
					       : "p:* " TL_CALLER_FETCH);

	p.fetches = calloc(1, sizeof(*p.fetches));
	if (!ret && !p.fetches)
		ret = -ENOMEM;
	p.less = args ? less + !*less[0] : NULL;
	ret = ret ?: read_words(&p) ?:
	      tl_functions_each(s, except, take_name, &n) ?: add_each(&p, &n);
	if (!ret)
		ret = (int)n.added;
	tl_buf_free(&n.why);
	free(n.list);
	free(p.fetches);
	tl_definition_free(&p.d);
	return ret;
}

int tl_kprobe_entries(struct tl_session *s, const struct tl_functions *except,
		      bool args, const struct tl_kprobe_config *config)
{
	size_t count;
	int ret;

	if (tl_recording_replays(s->recording))
		return tl_recorded_probe_all(s, config, &count) ?: (int)count;
	ret = add_entries(s, except, args, config);
	tl_recorded_probe_end(s, ret < 0 ? ret : 0);
	return ret;
}

int tl_kprobe_check(struct tl_session *s)
{
	if (tl_fs_exists(s->instance->root, "kprobe_events"))
		return tl_kprobes_enabled(s);
	return tl_fail(ENOTSUP, "this kernel has no kprobes in tracefs "
				"(CONFIG_KPROBE_EVENTS)");
}

/* ---- what there is ---------------------------------------------------- */

char *tl_function_declare(struct tl_session *s, const char *name)
{
	struct probe p = { .s = s };
	int ret;

	if (tl_place_parse(&p.place, name)) {
		errno = -tl_fail(EINVAL, "\"%s\" is no function", name);
		return NULL;
	}
	set_bare_name(&p);
	p.scope.name = p.bare;
	ret = find_prototype(&p);
	if (!ret)
		return tl_decl(p.scope.proto, p.bare);
	if (ret != SAID)
		tl_warn("%s: %s", name, why_unknown(ret));
	errno = ret == -EBADMSG || ret == -ENODEV ? ENOTSUP : ENOENT;
	return NULL;
}
