// SPDX-License-Identifier: GPL-2.0-or-later
/* object.c - programs and libraries: what is where in the file */
#include "elf/object.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracelet/message.h"

/* ---- opening ---------------------------------------------------------- */

static bool is_script(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char mark[2] = "";
	bool script =
		fd >= 0 && read(fd, mark, 2) == 2 && !memcmp(mark, "#!", 2);

	if (fd >= 0)
		close(fd);
	return script;
}

static int no_libelf(void)
{
	return tl_fail(ENOTSUP, "libelf is needed: install libelf1");
}

int tl_object_check(struct tl_session *s)
{
	return tl_elf_can() ? 0 : no_libelf();
}

static int say_not_read(const char *path, int err)
{
	switch (err) {
	case -ELIBACC:
		return no_libelf();
	case -EISDIR:
		return tl_fail(EISDIR, "%s is a directory", path);
	case -EINVAL:
		return tl_fail(EINVAL, "%s is not a regular file", path);
	case -E2BIG:
		return tl_fail(
			ENOEXEC,
			"%s has more sections or segments than a program",
			path);
	case -ENOEXEC:
		return tl_fail(ENOEXEC, "%s is not an ELF file%s", path,
			       is_script(path) ? " but a script: name its "
						 "interpreter"
					       : "");
	default:
		return tl_fail(-err, "%s: %s", path, strerror(-err));
	}
}

static int check_kind(const struct tl_object *o)
{
	const GElf_Ehdr *head = &o->file.head;

	if (!tl_elf_native(head))
		return tl_fail(ENOEXEC, "%s is for another machine (number %u)",
			       o->path, head->e_machine);
	if (head->e_type == ET_REL)
		return tl_fail(ENOEXEC, "%s is not linked yet (an object file)",
			       o->path);
	if (head->e_type != ET_EXEC && head->e_type != ET_DYN)
		return tl_fail(ENOEXEC, "%s is neither a program nor a library",
			       o->path);
	if (tl_elf_is_debug(&o->file))
		return tl_fail(ENOEXEC,
			       "%s has symbols only: name the file that they "
			       "belong to",
			       o->path);
	return 0;
}

int tl_object_check_probes(const struct tl_object *o)
{
	if (tl_elf_is_probed(&o->file.head))
		return 0;
	return tl_fail(ENOTSUP,
		       "%s is for 32-bit programs: this kernel has probes in "
		       "64-bit programs only",
		       o->path);
}

static int read_segments(struct tl_object *o)
{
	struct tl_segment *s;
	bool code = false;
	GElf_Phdr p;
	size_t i;

	o->segments = calloc(o->file.segments ?: 1, sizeof(*o->segments));
	if (!o->segments)
		return tl_fail(ENOMEM, "%s: no memory", o->path);
	for (i = 0; tl_elf_segment(&o->file, i, &p); i++) {
		if (p.p_type != PT_LOAD || !p.p_filesz)
			continue;
		if (p.p_offset > o->file.size ||
		    p.p_filesz > o->file.size - p.p_offset)
			return tl_fail(ENOEXEC, "%s is cut short", o->path);
		s = &o->segments[o->segment_count++];
		s->address = p.p_vaddr;
		s->offset = p.p_offset;
		s->size = p.p_filesz;
		s->code = p.p_flags & PF_X;
		code |= s->code;
	}
	if (code)
		return 0;
	return tl_fail(ENOEXEC, "%s has no executable part", o->path);
}

static int by_offset(const void *a, const void *b)
{
	const struct tl_code *x = a, *y = b;

	return (x->offset > y->offset) - (x->offset < y->offset);
}

static void add_code(struct tl_object *o, uint64_t offset, uint64_t size)
{
	if (size && size <= UINT64_MAX - offset)
		o->code[o->code_count++] = (struct tl_code){ offset, size };
}

/* Parts with code may overlap, in a file that was made so. */
static void join_code(struct tl_object *o)
{
	struct tl_code *last = o->code;
	uint64_t end;
	size_t i;

	if (!o->code_count)
		return;
	qsort(o->code, o->code_count, sizeof(*o->code), by_offset);
	for (i = 1; i < o->code_count; i++) {
		end = o->code[i].offset + o->code[i].size;
		if (o->code[i].offset > last->offset + last->size)
			*++last = o->code[i];
		else if (end > last->offset + last->size)
			last->size = end - last->offset;
	}
	o->code_count = (size_t)(last - o->code) + 1;
}

static int read_code(struct tl_object *o)
{
	bool sections = o->file.sections > 1;
	struct tl_section sec;
	size_t i;

	o->code = calloc(sections ? o->file.sections : o->segment_count + 1,
			 sizeof(*o->code));
	if (!o->code)
		return tl_fail(ENOMEM, "%s: no memory", o->path);
	for (i = 1; sections && i < o->file.sections; i++)
		if (tl_elf_is_code(&o->file, i) &&
		    tl_elf_section_head(&o->file, i, &sec) &&
		    sec.head.sh_type == SHT_PROGBITS)
			add_code(o, sec.head.sh_offset, sec.head.sh_size);
	for (i = 0; !sections && i < o->segment_count; i++)
		if (o->segments[i].code)
			add_code(o, o->segments[i].offset, o->segments[i].size);
	join_code(o);
	return 0;
}

static struct tl_object *new_object(const char *path)
{
	struct tl_object *o = calloc(1, sizeof(*o));

	if (!o)
		return NULL;
	o->file.fd = o->debug.fd = -1;
	o->path = strdup(path);
	if (o->path)
		return o;
	free(o);
	return NULL;
}

/* What is wrong with it; its process may have ended, and may map anything. */
static int say_of_mapped(const char *path, int err)
{
	bool quiet = err == -ENOENT || err == -ESRCH || err == -ENOEXEC ||
		     err == -EINVAL;

	return quiet ? err : say_not_read(path, err);
}

static struct tl_object *checked(struct tl_object *o, int ret)
{
	if (!ret)
		ret = check_kind(o) ?: read_segments(o) ?: read_code(o);
	if (!ret)
		return o;
	tl_object_close(o);
	errno = -ret;
	return NULL;
}

static struct tl_object *open_object(const char *path,
				     int (*say)(const char *path, int err))
{
	struct tl_object *o = new_object(path);
	int ret = o ? tl_elf_open(&o->file, path) : -ENOMEM;

	return checked(o, ret ? say(path, ret) : 0);
}

struct tl_object *tl_object_open(const char *path)
{
	return open_object(path, say_not_read);
}

struct tl_object *tl_object_open_mapped(const char *path)
{
	return open_object(path, say_of_mapped);
}

struct tl_object *tl_object_open_image(const char *name, char *image,
				       size_t size)
{
	struct tl_object *o = new_object(name);
	int ret = o ? tl_elf_image(&o->file, image, size) : -ENOMEM;

	if (!o)
		free(image);
	return checked(o, ret ? say_not_read(name, ret) : 0);
}

void tl_object_close(struct tl_object *o)
{
	if (!o)
		return;
	tl_object_functions_free(o);
	tl_elf_close(&o->debug);
	tl_elf_close(&o->file);
	free(o->segments);
	free(o->code);
	free(o->path);
	free(o);
}

/* ---- places ----------------------------------------------------------- */

bool tl_object_offset(struct tl_object *o, uint64_t address, uint64_t *offset)
{
	const struct tl_segment *s;
	size_t i;

	for (i = 0; i < o->segment_count; i++) {
		s = &o->segments[i];
		if (address - s->address >= s->size)
			continue;
		*offset = s->offset + (address - s->address);
		return true;
	}
	return false;
}

const struct tl_segment *tl_object_code(const struct tl_object *o,
					uint64_t offset)
{
	const struct tl_segment *s;
	size_t i;

	for (i = 0; i < o->segment_count; i++) {
		s = &o->segments[i];
		if (s->code && offset - s->offset < s->size)
			return s;
	}
	return NULL;
}

bool tl_object_is_code(const struct tl_object *o, uint64_t offset)
{
	size_t i = 0;

	/* they are few: .init, .plt, .text, .fini */
	while (i < o->code_count &&
	       offset - o->code[i].offset >= o->code[i].size)
		i++;
	return i < o->code_count && tl_object_code(o, offset);
}

bool tl_object_is_native(const struct tl_object *o)
{
	return o->file.head.e_ident[EI_CLASS] ==
	       (sizeof(long) == 8 ? ELFCLASS64 : ELFCLASS32);
}

const char *tl_object_path(const struct tl_object *o)
{
	return o->path;
}

/* ---- functions by place ----------------------------------------------- */

/* Smaller functions that may lie within another one. */
#define NESTED 16
/* parts of the file that may be said to be code */
#define RANGES 16

static bool covers(const struct tl_function *f, uint64_t offset)
{
	return offset - f->offset < f->size;
}

/* How many functions begin at or before @offset. */
static size_t begun(const struct tl_object *o, uint64_t offset)
{
	size_t low = 0, high = o->count, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (o->places[middle]->offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The first of the names at the place of number @i: they have an order. */
static const struct tl_function *best_name(const struct tl_object *o, size_t i)
{
	const struct tl_function *f = o->places[i];

	while (i-- && o->places[i]->offset == f->offset)
		if (o->places[i]->size >= f->size)
			f = o->places[i];
	return f;
}

static const struct tl_function *around(const struct tl_object *o,
					uint64_t offset)
{
	size_t end = begun(o, offset), i;

	for (i = end; i-- && end - i <= NESTED;)
		if (covers(o->places[i], offset))
			return best_name(o, i);
	/* assembly may not say where it ends: the next function does */
	return end && !o->places[end - 1]->size ? best_name(o, end - 1) : NULL;
}

const char *tl_object_function(struct tl_object *o, uint64_t offset,
			       uint64_t *into)
{
	const struct tl_segment *segment = tl_object_code(o, offset);
	const struct tl_function *f;

	if (!segment || tl_functions_load(o))
		return NULL;
	f = around(o, offset);
	if (!f || tl_object_code(o, f->offset) != segment)
		return NULL;
	*into = offset - f->offset;
	return f->name;
}

/* ---- what is no code -------------------------------------------------- */

const struct tl_datum *tl_datum_at(const struct tl_object *o, uint64_t offset)
{
	size_t low = 0, high = o->data_count, middle, i;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (o->data[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	for (i = low; i-- && low - i <= NESTED;)
		if (offset - o->data[i].offset < o->data[i].size)
			return &o->data[i];
	return NULL;
}

static const char *section_at(const struct tl_object *o, uint64_t offset)
{
	struct tl_section sec;
	size_t i;

	for (i = 1; i < o->file.sections; i++)
		if (tl_elf_section_head(&o->file, i, &sec) &&
		    sec.head.sh_type != SHT_NOBITS && *sec.name &&
		    offset - sec.head.sh_offset < sec.head.sh_size)
			return sec.name;
	return NULL;
}

static void say_what_it_is(const struct tl_object *o, uint64_t offset)
{
	const struct tl_datum *d = tl_datum_at(o, offset);
	const char *section = section_at(o, offset);
	char what[256] = "";

	if (d)
		snprintf(what, sizeof(what), "variable %s in ", d->name);
	tl_warn("there is no code at offset 0x%llx of %s, but %s%s%s",
		(unsigned long long)offset, o->path, what,
		section ? "section " : "nothing that a section has",
		section ?: "");
}

static void say_nearest(const struct tl_object *o, uint64_t offset)
{
	size_t i = begun(o, offset);
	const struct tl_function *f;

	if (!o->count)
		return;
	if (i && (i == o->count || offset - o->places[i - 1]->offset <=
					   o->places[i]->offset - offset))
		i--;
	f = best_name(o, i);
	tl_warn("the nearest function is %s, at 0x%llx", f->name,
		(unsigned long long)f->offset);
}

int tl_object_check_offset(struct tl_object *o, uint64_t offset)
{
	bool known = !tl_functions_load(o);
	size_t i;

	if (tl_object_is_code(o, offset) && !(known && tl_datum_at(o, offset)))
		return 0;
	say_what_it_is(o, offset);
	if (known)
		say_nearest(o, offset);
	tl_warn("code is at:");
	for (i = 0; i < o->code_count && i < RANGES; i++)
		tl_warn("    0x%llx to 0x%llx",
			(unsigned long long)o->code[i].offset,
			(unsigned long long)(o->code[i].offset +
					     o->code[i].size - 1));
	if (i < o->code_count)
		tl_warn("    and %zu places more", o->code_count - i);
	return -EINVAL;
}
