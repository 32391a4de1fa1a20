// SPDX-License-Identifier: GPL-2.0-or-later
/* maps.c - what a process has mapped to execute */
#include "elf/maps.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "START-END PERMISSIONS OFFSET MAJOR:MINOR INODE     PATH" */
static bool parse(char *line, struct tl_map *m)
{
	unsigned int major, minor;
	char perms[5];
	int at = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line,
		   "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64
		   " %n",
		   &m->start, &m->end, perms, &m->offset, &major, &minor,
		   &m->inode, &at) < 7)
		return false;
	m->dev = (uint64_t)major << 32 | minor;
	m->path = line + at;
	return at && perms[2] == 'x';
}

int tl_maps_read(pid_t pid, void (*fn)(void *ctx, const struct tl_map *m),
		 void *ctx)
{
	char path[32], *line = NULL;
	struct tl_map m;
	size_t size = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	while (getline(&line, &size, f) > 0)
		if (parse(line, &m))
			fn(ctx, &m);
	free(line);
	fclose(f);
	return 0;
}
