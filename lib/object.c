// SPDX-License-Identifier: GPL-2.0-or-later
/* object.c - programs and libraries: what is where in the file */
#include "object.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- opening ----------------------------------------------------------- */

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
	(void)s;
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

static int load(struct tl_object *o, const char *path)
{
	int ret;

	o->file.fd = o->debug.fd = -1;
	o->path = strdup(path);
	ret = o->path ? tl_elf_open(&o->file, path) : -ENOMEM;
	if (ret)
		return say_not_read(path, ret);
	return check_kind(o) ?: read_segments(o);
}

struct tl_object *tl_object_open(const char *path)
{
	struct tl_object *o = calloc(1, sizeof(*o));
	int ret = o ? load(o, path) : say_not_read(path, -ENOMEM);

	if (!ret)
		return o;
	tl_object_close(o);
	errno = -ret;
	return NULL;
}

void tl_object_close(struct tl_object *o)
{
	if (!o)
		return;
	tl_object_functions_free(o);
	tl_elf_close(&o->debug);
	tl_elf_close(&o->file);
	free(o->segments);
	free(o->path);
	free(o);
}

/* ---- places ------------------------------------------------------------ */

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

static const struct tl_segment *code_at(const struct tl_object *o,
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
	return code_at(o, offset);
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

int tl_object_check_offset(struct tl_object *o, uint64_t offset)
{
	const struct tl_segment *s;
	size_t i;

	if (tl_object_is_code(o, offset))
		return 0;
	tl_warn("there is no code at offset 0x%llx of %s, but at:",
		(unsigned long long)offset, o->path);
	for (i = 0; i < o->segment_count; i++) {
		s = &o->segments[i];
		if (s->code)
			tl_warn("    0x%llx to 0x%llx",
				(unsigned long long)s->offset,
				(unsigned long long)(s->offset + s->size - 1));
	}
	return -EINVAL;
}

/* ---- functions by place ------------------------------------------------ */

/* So many smaller functions may lie within another. */
#define NESTED 16

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
	const struct tl_segment *segment = code_at(o, offset);
	const struct tl_function *f;

	if (!segment || tl_functions_load(o))
		return NULL;
	f = around(o, offset);
	if (!f || code_at(o, f->offset) != segment)
		return NULL;
	*into = offset - f->offset;
	return f->name;
}
