// SPDX-License-Identifier: GPL-2.0-or-later
/* lookup.c - functions of programs and libraries, as users name them */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf/object.h"
#include "option/suggest.h"
#include "tracelet/message.h"
#include "tracelet/text.h"

#define CHOICES_MAX 16 /* of code, that are said */
#define ULL(n)      ((unsigned long long)(n))

/** Functions that a name may mean, one for each place. */
struct picks {
	const struct tl_function *list[TL_SUGGEST_MAX];
	size_t count; /* may be more */
};

static void pick(struct picks *p, const struct tl_function *f)
{
	size_t i;

	for (i = 0; i < p->count && i < TL_SUGGEST_MAX; i++)
		if (p->list[i]->offset == f->offset)
			return;
	if (p->count < TL_SUGGEST_MAX)
		p->list[p->count] = f;
	p->count++;
}

/* "memcpy@GLIBC_2.2.5"; what has no "@" is what programs are linked with. */
static void full_name(const struct tl_function *f, char *text, size_t size)
{
	snprintf(text, size, "%s%s%s", f->name, f->hidden ? "@" : "",
		 f->hidden ? f->version : "");
}

/* ---- by the name in the file ------------------------------------------ */

/** A name that is looked for. */
struct wanted {
	const char *text;
	size_t len;          /* without the version */
	const char *version; /* NULL: none was given */
};

static struct wanted parse(const char *text)
{
	const char *at = strchr(text, '@');
	struct wanted w = { text, at ? (size_t)(at - text) : strlen(text),
			    NULL };

	if (at)
		w.version = at[1] == '@' ? at + 2 : at + 1;
	return w;
}

/* The first whose name is not before @w, or before all that begin so. */
static size_t first(const struct tl_object *o, const struct wanted *w)
{
	size_t low = 0, high = o->count, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (strncmp(o->functions[middle].name, w->text, w->len) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool begins(const struct tl_object *o, size_t i, const struct wanted *w)
{
	return i < o->count && !strncmp(o->functions[i].name, w->text, w->len);
}

/* How good a function is for a name: what a linker would take comes first. */
enum rank { BEST, LOCAL, OLD, RANKS };

static enum rank rank(const struct tl_function *f, const struct wanted *w)
{
	if (w->version)
		return f->version && !strcmp(f->version, w->version) ? BEST
								     : RANKS;
	if (f->hidden)
		return OLD;
	return f->local ? LOCAL : BEST;
}

static void pick_named(const struct tl_object *o, const struct wanted *w,
		       struct picks *p)
{
	unsigned int r;
	size_t i;

	for (r = BEST; r < RANKS && !p->count; r++)
		for (i = first(o, w); begins(o, i, w); i++)
			if (!o->functions[i].name[w->len] &&
			    rank(&o->functions[i], w) == r)
				pick(p, &o->functions[i]);
}

/* GCC calls a changed copy of a function so, which is used instead. */
static bool is_clone(const char *suffix)
{
	return !strncmp(suffix, ".isra.", 6) ||
	       !strncmp(suffix, ".constprop.", 11);
}

static void pick_clones(const struct tl_object *o, const struct wanted *w,
			struct picks *p)
{
	size_t i;

	for (i = first(o, w); begins(o, i, w); i++)
		if (is_clone(o->functions[i].name + w->len))
			pick(p, &o->functions[i]);
}

/* ---- by the name in C++ or Rust --------------------------------------- */

static void pick_written(const struct tl_object *o, const char *want,
			 struct picks *p)
{
	static const struct wanted mangled[] = { { "_R", 2, NULL },
						 { "_Z", 2, NULL } };
	size_t k, i;

	for (k = 0; k < sizeof(mangled) / sizeof(mangled[0]); k++)
		for (i = first(o, &mangled[k]); begins(o, i, &mangled[k]); i++)
			if (tl_written_match(o->functions[i].name, want))
				pick(p, &o->functions[i]);
}

/* ---- what is said ----------------------------------------------------- */

static void say(const char *lead, const struct tl_function *f)
{
	char *name = tl_demangle(f->name), text[512];

	full_name(f, text, sizeof(text));
	tl_warn("%s0x%llx %s%s%s", lead, ULL(f->offset), text, name ? " " : "",
		name ?: "");
	free(name);
}

static int say_ambiguous(const struct tl_object *o, const char *name,
			 const struct picks *p)
{
	size_t i;

	tl_warn("%s has %zu functions %s: give the full name or the offset of "
		"one:",
		o->path, p->count, name);
	for (i = 0; i < p->count && i < TL_SUGGEST_MAX; i++)
		say("    ", p->list[i]);
	if (i < p->count)
		tl_warn("    and %zu more", p->count - i);
	return -ENOENT;
}

/* The C library has "__strlen_avx2" and others for "strlen". */
static bool is_choice(const struct tl_function *f, const char *of)
{
	size_t len = strlen(of);

	return !f->indirect && !strncmp(f->name, "__", 2) &&
	       !strncmp(f->name + 2, of, len) && f->name[2 + len] == '_' &&
	       /* of another function, which checks its arguments first */
	       strncmp(f->name + 2 + len, "_chk", 4) != 0;
}

static int say_indirect(const struct tl_object *o, const char *name,
			const struct tl_function *f)
{
	size_t i, said = 0;

	tl_warn("%s of %s is an indirect function: programs choose its code "
		"when they start; probe that code%s",
		name, o->path,
		o->stripped ? " (install debug symbols for its names)" : "");
	for (i = 0; i < o->count && said < CHOICES_MAX; i++) {
		if (!is_choice(&o->functions[i], f->name))
			continue;
		say("    ", &o->functions[i]);
		said++;
	}
	return -ENOENT;
}

/* Names of C++ and Rust are compared as they are written, without parameters. */
static size_t distance(const struct tl_function *f, const char *name,
		       size_t limit)
{
	char *text = tl_demangle(f->name), *copy;
	size_t found = SIZE_MAX;
	struct tl_str bare;

	if (text && tl_cxx_name(text, &bare))
		copy = strndup(bare.text, bare.len);
	else
		copy = strdup(text ?: f->name);
	if (copy && strlen(copy) <= strlen(name) + limit &&
	    strlen(copy) + limit >= strlen(name))
		found = tl_suggest_distance(name, copy);
	free(copy);
	free(text);
	return found;
}

static void say_near(const struct tl_object *o, const char *name)
{
	struct picks near = { .count = 0 };
	size_t best = strlen(name) / 3, i, d;

	for (i = 0; i < o->count; i++) {
		d = distance(&o->functions[i], name, best);
		if (d > best)
			continue;
		if (d < best)
			near.count = 0;
		best = d;
		pick(&near, &o->functions[i]);
	}
	for (i = 0; i < near.count && i < TL_SUGGEST_MAX; i++)
		say("near it: ", near.list[i]);
}

static int say_none(const struct tl_object *o, const char *name)
{
	if (!o->count)
		return tl_fail(ENOENT,
			       "%s is stripped of all its functions' names: "
			       "install its debug symbols or give an offset",
			       o->path);
	tl_warn("%s has no function %s%s", o->path, name,
		o->stripped ? "; it is stripped of those that it does not "
			      "export: install its debug symbols or give an "
			      "offset"
			    : "");
	say_near(o, name);
	return -ENOENT;
}

/* ---- */

static int load(struct tl_object *o)
{
	int ret = tl_functions_load(o);

	return ret ? tl_fail(-ret, "symbols of %s: %s", o->path, strerror(-ret))
		   : 0;
}

int tl_object_symbol(struct tl_object *o, const char *name, uint64_t *offset)
{
	struct wanted w = parse(name);
	struct picks p = { .count = 0 };
	int ret = load(o);

	if (ret)
		return ret;
	pick_named(o, &w, &p);
	if (!p.count && !w.version)
		pick_clones(o, &w, &p);
	if (!p.count)
		pick_written(o, name, &p);
	if (!p.count)
		return say_none(o, name);
	if (p.count > 1)
		return say_ambiguous(o, name, &p);
	if (p.list[0]->indirect)
		return say_indirect(o, name, p.list[0]);
	*offset = p.list[0]->offset;
	return 0;
}

static int each(struct tl_object *o, bool indirect,
		int (*fn)(void *ctx, const char *name, uint64_t offset),
		void *ctx)
{
	const struct tl_function *f;
	char name[4096];
	size_t i;
	int ret = load(o);

	for (i = 0; i < o->count && !ret; i++) {
		f = &o->functions[i];
		if (f->indirect != indirect)
			continue;
		if (f->hidden)
			full_name(f, name, sizeof(name));
		ret = fn(ctx, f->hidden ? name : f->name, f->offset);
	}
	return ret;
}

int tl_object_functions(struct tl_object *o,
			int (*fn)(void *ctx, const char *name, uint64_t offset),
			void *ctx)
{
	return each(o, false, fn, ctx);
}

int tl_object_indirect(struct tl_object *o,
		       int (*fn)(void *ctx, const char *name, uint64_t offset),
		       void *ctx)
{
	return each(o, true, fn, ctx);
}
