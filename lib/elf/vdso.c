// SPDX-License-Identifier: GPL-2.0-or-later
/* vdso.c - the program that the kernel maps into each process */
#include "elf/vdso.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "elf/maps.h"

struct mapped {
	uint64_t start, size;
};

static void add_mapping(void *ctx, const struct tl_map *map)
{
	struct mapped *m = ctx;

	if (map->start == m->start && !strcmp(map->path, TL_VDSO_NAME))
		m->size = map->end - map->start;
}

struct tl_object *tl_vdso_open(uint64_t *size)
{
	const union {
		unsigned long number; /* as the kernel tells it */
		const void *place;
	} vdso = { .number = getauxval(AT_SYSINFO_EHDR) };
	struct mapped m = { .start = vdso.number };
	char *image;

	tl_maps_read(getpid(), add_mapping, &m);
	image = vdso.place && m.size ? malloc(m.size) : NULL;
	if (!image)
		return NULL;
	*size = m.size;
	memcpy(image, vdso.place, m.size);
	return tl_object_open_image(TL_VDSO_NAME, image, m.size);
}
