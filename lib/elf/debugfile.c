// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * debugfile.c - symbols that are not in the program or library itself
 *
 * They are in a file of their own, which is found by build id or by name, or
 * compressed in a section of the file (MiniDebugInfo).
 */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/dynload.h"
#include "elf/object.h"

#define DEBUG_DIR "/usr/lib/debug"
#define CRC_MAX   (4ULL << 30) /* larger files are not read for their checksum */

/* ---- the right file --------------------------------------------------- */

uint32_t tl_debug_crc(uint32_t crc, const unsigned char *data, size_t len)
{
	uint32_t table[256];
	unsigned int i, bit;

	for (i = 0; i < 256; i++)
		for (table[i] = i, bit = 0; bit < 8; bit++)
			table[i] =
				table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320 : 0);
	for (crc = ~crc; len--; data++)
		crc = crc >> 8 ^ table[(crc ^ *data) & 0xff];
	return ~crc;
}

static bool crc_matches(const struct tl_elf *e, uint32_t want)
{
	static unsigned char part[65536];
	uint32_t crc = 0;
	off_t offset = 0;
	ssize_t n;

	if (e->size > CRC_MAX)
		return false;
	while ((n = pread(e->fd, part, sizeof(part), offset)) > 0) {
		crc = tl_debug_crc(crc, part, (size_t)n);
		offset += n;
	}
	return !n && crc == want;
}

/* By build id where both have one; 1: they are the same, -1: one has none. */
static int same_build(const struct tl_elf *a, const struct tl_elf *b)
{
	const char *x, *y;
	size_t len = tl_elf_build_id(a, &x), other = tl_elf_build_id(b, &y);

	if (!len || !other)
		return -1;
	return len == other && !memcmp(x, y, len);
}

static bool try_file(struct tl_object *o, const char *path, const uint32_t *crc)
{
	struct tl_section symbols;
	int same;

	if (tl_elf_open(&o->debug, path))
		return false;
	same = same_build(&o->file, &o->debug);
	if (same < 0)
		same = crc && crc_matches(&o->debug, *crc);
	if (same && o->debug.head.e_machine == o->file.head.e_machine &&
	    o->debug.head.e_ident[EI_CLASS] == o->file.head.e_ident[EI_CLASS] &&
	    tl_elf_section(&o->debug, SHT_SYMTAB, NULL, &symbols))
		return true;
	tl_elf_close(&o->debug);
	return false;
}

/* ---- where it may be -------------------------------------------------- */

/* "/proc/PID/root" for what is below "/proc/PID", or "" */
static void root_of(const char *path, char *root, size_t size)
{
	int pid, len = 0;

	*root = '\0';
	if (sscanf(path, "/proc/%d/%n", &pid, &len) == 1 && len)
		snprintf(root, size, "/proc/%d/root", pid);
}

static bool try_build_id(struct tl_object *o, const char *root)
{
	char path[PATH_MAX], hex[2 * 64 + 1];
	const char *id;
	size_t len = tl_elf_build_id(&o->file, &id), i;

	if (len < 2 || len > 64)
		return false;
	for (i = 0; i < len; i++)
		snprintf(hex + 2 * i, 3, "%02x", (unsigned char)id[i]);
	snprintf(path, sizeof(path), "%s" DEBUG_DIR "/.build-id/%.2s/%s.debug",
		 root, hex, hex + 2);
	return try_file(o, path, NULL);
}

/* What the file says: a name, padded to 4 bytes, and a checksum. */
static const char *debug_link(const struct tl_object *o, uint32_t *crc)
{
	struct tl_section sec;
	const char *name;
	size_t len;

	if (!tl_elf_section(&o->file, SHT_PROGBITS, ".gnu_debuglink", &sec))
		return NULL;
	name = sec.data->d_buf;
	len = strnlen(name, sec.data->d_size);
	/* only a name: where it is looked for is not for the file to say */
	if (!len || memchr(name, '/', len) || !strcmp(name, "..") ||
	    ((len + 4) & ~3UL) + sizeof(*crc) > sec.data->d_size)
		return NULL;
	memcpy(crc, name + ((len + 4) & ~3UL), sizeof(*crc));
	return name;
}

static bool try_path(struct tl_object *o, uint32_t crc, const char *fmt, ...)
{
	char path[PATH_MAX];
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(path, sizeof(path), fmt, ap);
	va_end(ap);
	return len < (int)sizeof(path) && try_file(o, path, &crc);
}

static bool try_link(struct tl_object *o, const char *root)
{
	/* a link to the root of a process would lead to ours */
	char *file = *root ? strdup(o->path) : realpath(o->path, NULL), *slash;
	const char *name;
	bool found = false;
	uint32_t crc;

	name = debug_link(o, &crc);
	slash = file ? strrchr(file, '/') : NULL;
	if (name && slash) {
		slash[1] = '\0';
		found = try_path(o, crc, "%s%s", file, name) ||
			try_path(o, crc, "%s.debug/%s", file, name);
		if (!found && !strncmp(file, root, strlen(root)))
			found = try_path(o, crc, "%s" DEBUG_DIR "%s%s", root,
					 file + strlen(root), name);
	}
	free(file);
	return found;
}

/* ---- MiniDebugInfo ---------------------------------------------------- */

#ifdef HAVE_LZMA
#include <lzma.h>

#define UNPACKED_MAX (256UL << 20)
#define LZMA_MEMORY  (128UL << 20)

static struct {
	__typeof__(lzma_stream_decoder) *decoder;
	__typeof__(lzma_code) *code;
	__typeof__(lzma_end) *end;
} lib;

static bool load_lzma(void)
{
	static const char *const libraries[] = { "liblzma.so.5", NULL };
	static const char *const names[] = { "lzma_stream_decoder", "lzma_code",
					     "lzma_end", NULL };

	return lib.end || !tl_load(libraries, names, (void **)&lib);
}

/* Returns what lzma_code() does at last; @image is the caller's to free. */
static lzma_ret unpack(lzma_stream *stream, char **image)
{
	size_t size = stream->avail_in * 4;
	lzma_ret ret = LZMA_OK;
	char *more;

	while (ret == LZMA_OK && size <= UNPACKED_MAX) {
		more = realloc(*image, size);
		if (!more)
			return LZMA_MEM_ERROR;
		*image = more;
		stream->next_out = (uint8_t *)more + stream->total_out;
		stream->avail_out = size - stream->total_out;
		ret = lib.code(stream, LZMA_FINISH);
		size *= 2;
	}
	return ret;
}

static bool try_compressed(struct tl_object *o)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	struct tl_section sec;
	char *image = NULL;
	lzma_ret ret;

	if (!tl_elf_section(&o->file, SHT_PROGBITS, ".gnu_debugdata", &sec) ||
	    !load_lzma() || lib.decoder(&stream, LZMA_MEMORY, 0) != LZMA_OK)
		return false;
	stream.next_in = sec.data->d_buf;
	stream.avail_in = sec.data->d_size;
	ret = unpack(&stream, &image);
	lib.end(&stream);
	if (ret == LZMA_STREAM_END)
		return !tl_elf_image(&o->debug, image, stream.total_out);
	free(image);
	return false;
}
#else
static bool try_compressed(struct tl_object *o)
{
	return false;
}
#endif

int tl_debug_open(struct tl_object *o)
{
	char root[32];

	root_of(o->path, root, sizeof(root));
	if (try_build_id(o, root) || (*root && try_build_id(o, "")) ||
	    try_link(o, root) || try_compressed(o))
		return 0;
	return -ENOENT;
}
