// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ldcache.c - the cache of glibc's dynamic loader, /etc/ld.so.cache
 *
 * A header, entries, and the texts that they point at.  Older versions of glibc
 * (before 2.32) put it behind a table in an older form, which is passed over.
 */
#include "elf/ldcache.h"

#include <stdint.h>
#include <string.h>

static const char old_magic[] = "ld.so-1.7.0";
static const char magic[] = "glibc-ld.so.cache1.1";

struct old_header {
	char magic[sizeof(old_magic) - 1];
	uint32_t count;
};

struct old_entry {
	int32_t flags;
	uint32_t name, path;
};

struct header {
	char magic[sizeof(magic) - 1];
	uint32_t count, texts_size;
	uint8_t flags, unused[3];
	uint32_t extension, reserved[3];
};

struct entry {
	int32_t flags;
	uint32_t name, path; /* places of texts, from the header on */
	uint32_t os;
	uint64_t hwcap;
};

static bool begins(const char *data, size_t len, const char *with)
{
	return len >= strlen(with) && !memcmp(data, with, strlen(with));
}

/* Bytes of the older table that is in front. */
static size_t old_size(const char *data, size_t len)
{
	struct old_header h;
	uint64_t size;

	if (!begins(data, len, old_magic) || len < sizeof(h))
		return 0;
	memcpy(&h, data, sizeof(h));
	size = sizeof(h) + (uint64_t)h.count * sizeof(struct old_entry);
	size = (size + 7) & ~7ULL;
	return size < len ? (size_t)size : len;
}

static const char *text_at(const char *data, size_t len, uint32_t at)
{
	return at < len && memchr(data + at, '\0', len - at) ? data + at : NULL;
}

bool tl_ldcache_parse(const char *data, size_t len,
		      void (*fn)(void *ctx, const char *name, const char *path),
		      void *ctx)
{
	size_t skip = old_size(data, len), i;
	const char *name, *path;
	struct header h;
	struct entry e;

	data += skip;
	len -= skip;
	if (!begins(data, len, magic) || len < sizeof(h))
		return false;
	memcpy(&h, data, sizeof(h));
	if (h.count > (len - sizeof(h)) / sizeof(e))
		return false;
	for (i = 0; i < h.count; i++) {
		memcpy(&e, data + sizeof(h) + i * sizeof(e), sizeof(e));
		name = text_at(data, len, e.name);
		path = text_at(data, len, e.path);
		if (name && path)
			fn(ctx, name, path);
	}
	return true;
}

static bool matches(const char *file, const char *want)
{
	size_t len = strlen(want);
	const char *rest = file + len;

	if (!len || strncmp(file, want, len) != 0)
		return false;
	if (!*rest)
		return true;
	if (strstr(want, ".so"))
		return *rest == '.';
	return !strncmp(rest, ".so", 3) && (!rest[3] || rest[3] == '.');
}

static bool is_named(const char *file, const char *want)
{
	return matches(file, want) ||
	       (!strncmp(file, "lib", 3) && matches(file + 3, want));
}

bool tl_library_matches(const char *file, const char *want)
{
	/* both "libc" and "c" mean libc.so.6; that of musl is its loader */
	return is_named(file, want) ||
	       (!strncmp(file, "ld-musl-", 8) && is_named("libc.so", want));
}
