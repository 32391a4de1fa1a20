// SPDX-License-Identifier: GPL-2.0-or-later
/* btffile.c - a file of BTF, of which only that is in memory what was asked for */
#include "kernel/btffile.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/btfraw.h"

#define WINDOW 65536 /* bytes, by which all is looked through */
#define STEP   16    /* types, the first one's place of which is kept */
/* Of the header: the kernel has more from 7.1 on, and so have its headers. */
#define HEAD_SIZE (offsetof(struct btf_header, str_len) + sizeof(uint32_t))
#define RECENT    64  /* types, which rows ask for again and again */
#define NAME_SIZE 512 /* KSYM_NAME_LEN */

/* A name that was looked for among all. */
struct sought {
	struct sought *next;
	uint32_t at;    /* its offset in the base's strings, or 0 */
	uint32_t own;   /* and in its own */
	uint32_t first; /* its own type of that name, or 0 */
	char name[];
};

/*
 * The map is memory as large as the file, at whose pages nobody has looked yet.
 * What was read stays where it is, as others have pointers to it.
 */
struct tl_btf_file {
	struct tl_btf_file *base;
	int fd;
	unsigned char *map;
	const unsigned char *whole; /* the map, if all of it was read */
	size_t size, page;
	bool *is_read;         /* per page */
	size_t types, strings; /* where they begin in the file */
	uint32_t types_size, strings_size;
	/* where its own begin: those before are the base's */
	uint32_t first, strings_from;
	uint32_t end; /* number behind the last type */
	bool has_signs;
	uint32_t *names;  /* per type, its name's offset */
	uint32_t *places; /* per STEP types, where the first one is */
	size_t size_of_names;
	struct {
		uint32_t id;
		const struct btf_type *type;
	} recent[RECENT];
	struct sought *sought;
};

/* ---- reading ---------------------------------------------------------- */

/* Without an error: what cannot be read is zeros, which is a type of no kind. */
static void read_pages(struct tl_btf_file *f, size_t page, size_t count)
{
	size_t at = page * f->page, end = at + count * f->page;
	ssize_t n = 1;

	for (; at < end && n > 0; at += (size_t)n)
		n = pread(f->fd, f->map + at, end - at, (off_t)at);
	memset(f->is_read + page, true, count);
}

/* As pread(), for one look through; a module's may be gone, but was read. */
static ssize_t look(const struct tl_btf_file *f, void *to, size_t len,
		    size_t at)
{
	if (!f->whole)
		return pread(f->fd, to, len, (off_t)at);
	memcpy(to, f->whole + at, len);
	return (ssize_t)len;
}

/* Sees to it that @len bytes from @at on are in the map. */
static void need(struct tl_btf_file *f, size_t at, size_t len)
{
	const size_t pages = (f->size + f->page - 1) / f->page;
	size_t page = at / f->page, end = (at + len + f->page - 1) / f->page,
	       last;

	for (end = end < pages ? end : pages; page < end; page = last + 1) {
		for (last = page; last < end && !f->is_read[last]; last++)
			continue;
		if (last > page)
			read_pages(f, page, last - page);
	}
}

/* ---- types ------------------------------------------------------------ */

/* 0: of a kind that did not exist yet */
static size_t type_size(const struct btf_type *t)
{
	const size_t n = btf_vlen(t);

	switch (btf_kind(t)) {
	case BTF_KIND_PTR:
	case BTF_KIND_FWD:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case TL_KIND_FLOAT:
	case TL_KIND_TYPE_TAG:
		return sizeof(*t);
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case TL_KIND_DECL_TAG:
		return sizeof(*t) + sizeof(uint32_t);
	case BTF_KIND_ARRAY:
		return sizeof(*t) + sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return sizeof(*t) + n * sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return sizeof(*t) + n * sizeof(struct btf_enum);
	case BTF_KIND_FUNC_PROTO:
		return sizeof(*t) + n * sizeof(struct btf_param);
	case BTF_KIND_DATASEC:
		return sizeof(*t) + n * sizeof(struct btf_var_secinfo);
	case TL_KIND_ENUM64:
		return sizeof(*t) + n * 3 * sizeof(uint32_t);
	}
	return 0;
}

static const struct btf_type *type_at(const struct tl_btf_file *f, size_t place)
{
	return (const struct btf_type *)(f->map + f->types + place);
}

static bool has_room(struct tl_btf_file *f, uint32_t count)
{
	const size_t size = f->size_of_names * 2 ?: 4096;
	uint32_t *names, *places;

	if (count < f->size_of_names)
		return true;
	names = reallocarray(f->names, size, sizeof(*names));
	if (!names)
		return false;
	f->names = names;
	places = reallocarray(f->places, size / STEP, sizeof(*places));
	if (!places)
		return false;
	f->places = places;
	f->size_of_names = size;
	return true;
}

static int add_type(struct tl_btf_file *f, size_t place,
		    const struct btf_type *t)
{
	const uint32_t i = f->end - f->first;

	if (!has_room(f, i))
		return -ENOMEM;
	f->names[i] = t->name_off;
	if (i % STEP == 0)
		f->places[i / STEP] = (uint32_t)place;
	f->has_signs |= btf_kind(t) == BTF_KIND_ENUM && btf_kflag(t);
	f->end++;
	return 0;
}

/* Looks at all types once: they need not all be in memory. */
static int look_through(struct tl_btf_file *f)
{
	uint32_t window[WINDOW / sizeof(uint32_t)];
	size_t place, size, start = 0, have = 0, rest;
	const struct btf_type *t;
	ssize_t n;
	int ret = 0;

	for (place = 0; place < f->types_size && !ret; place += size) {
		rest = f->types_size - place;
		if (place + sizeof(*t) > start + have) {
			n = look(f, window,
				 rest < sizeof(window) ? rest : sizeof(window),
				 f->types + place);
			if (n < (ssize_t)sizeof(*t))
				return -EBADMSG;
			start = place;
			have = (size_t)n;
		}
		t = (const void *)((const char *)window + (place - start));
		size = type_size(t);
		if (!size || size > rest)
			return -EBADMSG;
		ret = add_type(f, place, t);
	}
	return ret;
}

/* Of its own. */
static const struct btf_type *find_type(struct tl_btf_file *f, uint32_t id)
{
	size_t i = id - f->first, place = f->places[i / STEP];
	const struct btf_type *t;

	for (i %= STEP;; i--) {
		need(f, f->types + place, sizeof(*t));
		t = type_at(f, place);
		if (!i)
			break;
		place += type_size(t);
	}
	need(f, f->types + place, type_size(t));
	return t;
}

const struct btf_type *tl_btf_file_type(struct tl_btf_file *f, uint32_t id)
{
	static const struct btf_type nothing;

	if (!id)
		return &nothing;
	if (id < f->first)
		return tl_btf_file_type(f->base, id);
	if (id >= f->end)
		return NULL;
	if (f->recent[id % RECENT].id != id) {
		f->recent[id % RECENT].type = find_type(f, id);
		f->recent[id % RECENT].id = id;
	}
	return f->recent[id % RECENT].type;
}

uint32_t tl_btf_file_end(const struct tl_btf_file *f)
{
	return f->end;
}

bool tl_btf_file_has_signs(const struct tl_btf_file *f)
{
	return f->has_signs;
}

/* ---- names ------------------------------------------------------------ */

const char *tl_btf_file_string(struct tl_btf_file *f, uint32_t offset)
{
	size_t at, end;

	if (offset < f->strings_from)
		return tl_btf_file_string(f->base, offset);
	offset -= f->strings_from;
	if (offset >= f->strings_size)
		return "";
	at = f->strings + offset;
	/* the last one ends with a NUL, too: see take_header() */
	for (end = at; need(f, end, 1),
	    !memchr(f->map + end, '\0', f->page - end % f->page);
	     end += f->page - end % f->page)
		continue;
	return (const char *)f->map + at;
}

/* Offset of @name in all strings, which are there once each; 0: it is not there. */
static uint32_t seek_own(const struct tl_btf_file *f, const char *name)
{
	char window[WINDOW], text[NAME_SIZE + 1] = "";
	const size_t len = strlen(name) + 2; /* with the NULs around it */
	size_t have = 1, at = 0, rest;
	char *found;
	ssize_t n;

	memcpy(text + 1, name, len - 1);
	window[0] = '\0'; /* before the first one there need be none */
	for (; at < f->strings_size; at += (size_t)n) {
		rest = f->strings_size - at;
		if (rest > sizeof(window) - have)
			rest = sizeof(window) - have;
		n = look(f, window + have, rest, f->strings + at);
		if (n <= 0)
			break;
		found = memmem(window, have + (size_t)n, text, len);
		if (found)
			return f->strings_from +
			       (uint32_t)(at + (size_t)(found + 1 - window) -
					  have);
		/* it can begin here and end behind */
		rest = have + (size_t)n;
		have = rest < len ? rest : len - 1;
		memmove(window, window + rest - have, have);
	}
	return 0;
}

/*
 * Of its own.  A module's strings can have one of the kernel's once more (where it was
 * built for several kernels).
 */
static uint32_t next_type(const struct tl_btf_file *f, const struct sought *n,
			  uint32_t id)
{
	const uint32_t count = f->end - f->first;
	const uint32_t at = n->at ?: n->own, own = n->own ?: n->at;
	uint32_t i;

	for (i = id - f->first; at && i < count; i++)
		if (f->names[i] == at || f->names[i] == own)
			return f->first + i;
	return 0;
}

/* NULL without memory */
static const struct sought *seek(struct tl_btf_file *f, const char *name)
{
	const size_t size = strlen(name) + 1;
	const struct sought *before;
	struct sought *n;

	for (n = f->sought; n; n = n->next)
		if (!strcmp(n->name, name))
			return n;
	n = calloc(1, sizeof(*n) + size);
	if (!n)
		return NULL;
	memcpy(n->name, name, size);
	before = f->base ? seek(f->base, name) : NULL;
	if (before)
		n->at = before->own ?: before->at;
	n->own = seek_own(f, name);
	n->first = next_type(f, n, f->first);
	n->next = f->sought;
	f->sought = n;
	return n;
}

uint32_t tl_btf_file_find(struct tl_btf_file *f, const char *name,
			  uint32_t from)
{
	const struct sought *n;
	uint32_t id = 0;

	if (!*name || strlen(name) >= NAME_SIZE)
		return 0;
	if (f->base && from < f->first)
		id = tl_btf_file_find(f->base, name, from);
	if (id)
		return id;
	n = seek(f, name);
	if (!n || from <= n->first)
		return n ? n->first : 0;
	return n->first ? next_type(f, n, from) : 0;
}

/* ---- opening ---------------------------------------------------------- */

static int take_header(struct tl_btf_file *f)
{
	struct btf_header h;
	struct stat st;
	size_t end;
	char last;

	if (fstat(f->fd, &st))
		return -errno;
	f->size = (size_t)st.st_size;
	if (!f->size)
		return -ENODEV;
	if (pread(f->fd, &h, HEAD_SIZE, 0) != HEAD_SIZE ||
	    h.magic != BTF_MAGIC || h.hdr_len < HEAD_SIZE)
		return -EBADMSG;
	f->types = (size_t)h.hdr_len + h.type_off;
	f->types_size = h.type_len;
	f->strings = (size_t)h.hdr_len + h.str_off;
	f->strings_size = h.str_len;
	end = f->strings + f->strings_size;
	if (f->types + f->types_size > f->size || end > f->size ||
	    f->types % sizeof(uint32_t) || !f->strings_size ||
	    pread(f->fd, &last, 1, (off_t)(end - 1)) != 1 || last)
		return -EBADMSG;
	f->first = f->end = f->base ? f->base->end : 1;
	f->strings_from =
		f->base ? f->base->strings_from + f->base->strings_size : 0;
	return 0;
}

static int make_map(struct tl_btf_file *f)
{
	void *map;

	f->page = (size_t)sysconf(_SC_PAGESIZE);
	f->is_read = calloc(f->size / f->page + 1, sizeof(*f->is_read));
	if (!f->is_read)
		return -ENOMEM;
	map = mmap(NULL, f->size, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (map == MAP_FAILED)
		return -errno;
	/* a huge page would be all of it */
	madvise(map, f->size, MADV_NOHUGEPAGE);
	f->map = map;
	/* a module can go, and is small */
	if (f->base) {
		need(f, 0, f->size);
		f->whole = f->map;
	}
	return 0;
}

int tl_btf_file_open(const char *path, struct tl_btf_file *base,
		     struct tl_btf_file **file)
{
	struct tl_btf_file *f = calloc(1, sizeof(*f));
	int ret;

	if (!f)
		return -ENOMEM;
	f->base = base;
	f->fd = open(path, O_RDONLY | O_CLOEXEC);
	ret = f->fd < 0 ? -errno : 0;
	ret = ret ?: take_header(f) ?: make_map(f) ?: look_through(f);
	if (ret)
		tl_btf_file_close(f);
	else
		*file = f;
	return ret;
}

void tl_btf_file_close(struct tl_btf_file *f)
{
	struct sought *n;

	if (!f)
		return;
	while ((n = f->sought)) {
		f->sought = n->next;
		free(n);
	}
	if (f->map)
		munmap(f->map, f->size);
	if (f->fd >= 0)
		close(f->fd);
	free(f->is_read);
	free(f->names);
	free(f->places);
	free(f);
}
