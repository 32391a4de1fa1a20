/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_elf.c - programs, their symbols, notes and debug links, of any content
 *
 * What is found must lie inside the file, and be found again by its name.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "elf/ldcache.h"
#include "elf/object.h"
#include "elf/usdt.h"
#include "silent.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static int check_function(void *ctx, const char *name, uint64_t offset)
{
	struct tl_object *o = ctx;

	must(*name && strlen(name) < o->file.size + o->debug.size + 1);
	must(offset < o->file.size);
	must(tl_object_is_code(o, offset));
	return 0;
}

static int check_usdt(void *ctx, const struct tl_usdt *u)
{
	struct tl_object *o = ctx;
	char text[512];

	must(*u->provider && *u->name && u->offset < o->file.size);
	must(u->semaphore < o->file.size);
	tl_usdt_fetch(u, text, sizeof(text));
	must(strlen(text) < sizeof(text));
	return 0;
}

static void check_library(void *ctx, const char *name, const char *path)
{
	size_t *size = ctx;

	must(strlen(name) < *size && strlen(path) < *size);
	tl_library_matches(name, "libc");
}

static void check_object(struct tl_object *o)
{
	uint64_t i, into, offset;

	tl_object_functions(o, check_function, o);
	tl_object_usdts(o, check_usdt, o);
	for (i = 0; i < o->file.size; i += 61)
		if (tl_object_function(o, i, &into))
			must(into <= i);
	tl_object_symbol(o, "plain", &offset);
	tl_object_symbol(o, "ns::over", &offset);
	tl_object_symbol(o, "versioned@V_1", &offset);
	for (i = 0; i < o->count && i < 8; i++)
		if (!tl_object_symbol(o, o->functions[i].name, &offset))
			must(tl_object_is_code(o, offset));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[32], *copy = malloc(size + 1);
	struct tl_object *o;
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	must(copy && fd >= 0 && write(fd, data, size) == (ssize_t)size);
	/* of its exact size, so that ASan sees a byte too many */
	memcpy(copy, data, size);
	tl_ldcache_parse(copy, size, check_library, &size);
	copy[size] = '\0';
	tl_cxx_match(copy, "f");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	o = tl_object_open(path);
	if (o)
		check_object(o);
	tl_object_close(o);
	close(fd);
	free(copy);
	return 0;
}
