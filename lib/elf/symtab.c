// SPDX-License-Identifier: GPL-2.0-or-later
/* symtab.c - functions of programs and libraries, from their symbol tables */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "elf/object.h"

#define VERSIONS 0x8000 /* numbers have 15 bits, and one that says "hidden" */

/** A symbol table that is being read. */
struct table {
	const struct tl_elf *elf;
	struct tl_section symbols, versym;
	const char **versions; /* by number; NULL: it has none */
};

static void read_versions(struct table *t)
{
	struct tl_section verdef;
	size_t offset = 0;
	unsigned int number;
	const char *name;

	if (t->symbols.head.sh_type != SHT_DYNSYM ||
	    !tl_elf_section(t->elf, SHT_GNU_versym, NULL, &t->versym) ||
	    !tl_elf_section(t->elf, SHT_GNU_verdef, NULL, &verdef))
		return;
	t->versions = calloc(VERSIONS, sizeof(*t->versions));
	if (!t->versions)
		return;
	while ((number = tl_elf_definition(t->elf, &verdef, &offset, &name)))
		/* 1 is the library itself */
		if (number > 1 && number < VERSIONS)
			t->versions[number] = name;
}

static char *copy(struct tl_object *o, const char *text, size_t len)
{
	struct tl_copy *c = calloc(1, sizeof(*c) + len + 1);

	if (!c)
		return NULL;
	memcpy(c->text, text, len);
	c->next = o->copies;
	o->copies = c;
	return c->text;
}

/* .symtab has versions in names: "memcpy@GLIBC_2.2.5", "memcpy@@GLIBC_2.14" */
static int split_version(struct tl_object *o, struct tl_function *f)
{
	const char *at = strchr(f->name, '@');

	if (!at || at == f->name)
		return 0;
	f->hidden = at[1] != '@';
	f->version = at + (f->hidden ? 1 : 2);
	f->name = copy(o, f->name, (size_t)(at - f->name));
	return f->name ? 0 : -ENOMEM;
}

static bool is_function(const struct table *t, const GElf_Sym *sym,
			const char *name)
{
	if (!name || !*name)
		return false;
	switch (GELF_ST_TYPE(sym->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
		return true;
	case STT_NOTYPE:
		/* of assembly; what begins so marks places for debuggers */
		return *name != '$' && *name != '.' &&
		       sym->st_shndx < SHN_LORESERVE &&
		       tl_elf_is_code(t->elf, sym->st_shndx);
	default:
		return false;
	}
}

static bool is_datum(const GElf_Sym *sym, const char *name)
{
	return GELF_ST_TYPE(sym->st_info) == STT_OBJECT && sym->st_size &&
	       name && *name;
}

static int add_datum(struct tl_object *o, const char *name, uint64_t offset,
		     uint64_t size)
{
	struct tl_datum *list = tl_list_room(o->data, o->data_count,
					     &o->data_room, sizeof(*list));

	if (!list)
		return -ENOMEM;
	o->data = list;
	o->data[o->data_count++] = (struct tl_datum){ name, offset, size };
	return 0;
}

static int add(struct tl_object *o, const struct tl_function *f)
{
	struct tl_function *list =
		tl_list_room(o->functions, o->count, &o->room, sizeof(*list));

	if (!list)
		return -ENOMEM;
	o->functions = list;
	o->functions[o->count++] = *f;
	return 0;
}

static int add_symbol(struct tl_object *o, const struct table *t, size_t i)
{
	struct tl_function f = { 0 };
	unsigned int version;
	GElf_Sym sym;

	if (!tl_elf_symbol(&t->symbols, i, &sym))
		return 0;
	f.name = tl_elf_string(t->elf, t->symbols.head.sh_link, sym.st_name);
	if (sym.st_shndx == SHN_UNDEF ||
	    !tl_object_offset(o, sym.st_value, &f.offset) ||
	    !tl_object_is_code(o, f.offset))
		return 0;
	if (is_datum(&sym, f.name))
		return add_datum(o, f.name, f.offset, sym.st_size);
	if (!is_function(t, &sym, f.name))
		return 0;
	f.size = sym.st_size;
	f.local = GELF_ST_BIND(sym.st_info) == STB_LOCAL;
	f.indirect = GELF_ST_TYPE(sym.st_info) == STT_GNU_IFUNC;
	f.untyped = GELF_ST_TYPE(sym.st_info) == STT_NOTYPE;
	if (t->versions) {
		version = tl_elf_version(&t->versym, i);
		f.version = t->versions[version % VERSIONS];
		f.hidden = f.version && version >= VERSIONS;
	} else if (split_version(o, &f)) {
		return -ENOMEM;
	}
	return add(o, &f);
}

/* Returns how many it had, or -ENOMEM. */
static int read_table(struct tl_object *o, const struct tl_elf *elf,
		      unsigned int type)
{
	struct table t = { .elf = elf };
	size_t i, count, before = o->count;
	int ret = 0;

	if (!elf->elf || !tl_elf_section(elf, type, NULL, &t.symbols))
		return 0;
	read_versions(&t);
	count = tl_elf_symbols(elf, &t.symbols);
	for (i = 0; i < count && !ret; i++)
		ret = add_symbol(o, &t, i);
	free(t.versions);
	return ret ?: o->count > before;
}

/* ---- order ------------------------------------------------------------ */

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* Of the same function in two tables the one that says more comes first. */
static int by_name(const void *a, const void *b)
{
	const struct tl_function *x = a, *y = b;

	return strcmp(x->name, y->name) ?: compare(x->offset, y->offset)
		?: compare(x->hidden, y->hidden)
		?: compare(!x->version, !y->version)
		?: strcmp(x->version ?: "", y->version ?: "")
		?: compare(x->local, y->local)
		?: compare(!x->size, !y->size);
}

static bool repeats(const struct tl_function *f, const struct tl_function *next)
{
	return f->offset == next->offset && !strcmp(f->name, next->name) &&
	       (!next->version ||
		(f->version && !strcmp(f->version, next->version)));
}

static void drop_repeated(struct tl_object *o)
{
	size_t i, n = 0;

	for (i = 0; i < o->count; i++)
		if (!n || !repeats(&o->functions[n - 1], &o->functions[i]))
			o->functions[n++] = o->functions[i];
	o->count = n;
}

static int by_begin(const void *a, const void *b)
{
	const struct tl_datum *x = a, *y = b;

	return compare(x->offset, y->offset);
}

/* A label of assembly may be that of a table. */
static void drop_data(struct tl_object *o)
{
	size_t i, n = 0;

	if (o->data_count)
		qsort(o->data, o->data_count, sizeof(*o->data), by_begin);
	for (i = 0; i < o->count; i++)
		if (!o->functions[i].untyped ||
		    !tl_datum_at(o, o->functions[i].offset))
			o->functions[n++] = o->functions[i];
	o->count = n;
}

/* The first of several names is shown: what others call, "malloc". */
static int by_place(const void *a, const void *b)
{
	const struct tl_function *x = *(const struct tl_function *const *)a;
	const struct tl_function *y = *(const struct tl_function *const *)b;

	return compare(x->offset, y->offset) ?: compare(x->local, y->local)
		?: compare(strspn(x->name, "_"), strspn(y->name, "_"))
		?: strcmp(x->name, y->name);
}

static int sort(struct tl_object *o)
{
	size_t i;

	drop_data(o);
	o->places = calloc(o->count ?: 1, sizeof(struct tl_function *));
	if (!o->places)
		return -ENOMEM;
	if (o->count)
		qsort(o->functions, o->count, sizeof(*o->functions), by_name);
	drop_repeated(o);
	for (i = 0; i < o->count; i++)
		o->places[i] = &o->functions[i];
	if (o->count)
		qsort(o->places, o->count, sizeof(struct tl_function *),
		      by_place);
	return 0;
}

/* .dynsym as well: it has versions. */
int tl_functions_load(struct tl_object *o)
{
	int ret;

	if (o->loaded)
		return 0;
	ret = read_table(o, &o->file, SHT_SYMTAB);
	if (!ret && !tl_debug_open(o))
		ret = read_table(o, &o->debug, SHT_SYMTAB);
	o->stripped = !ret;
	if (ret >= 0)
		ret = read_table(o, &o->file, SHT_DYNSYM);
	if (ret >= 0)
		ret = sort(o);
	if (ret < 0)
		tl_object_functions_free(o);
	o->loaded = !ret;
	return ret;
}

void tl_object_functions_free(struct tl_object *o)
{
	struct tl_copy *next;

	free(o->functions);
	free(o->places);
	free(o->data);
	for (; o->copies; o->copies = next) {
		next = o->copies->next;
		free(o->copies);
	}
	o->functions = NULL;
	o->places = NULL;
	o->data = NULL;
	o->count = o->room = o->data_count = o->data_room = 0;
	o->loaded = false;
}
