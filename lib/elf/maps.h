/* SPDX-License-Identifier: GPL-2.0-or-later */
/* maps.h - what a process has mapped to execute */
#ifndef TL_ELF_MAPS_H
#define TL_ELF_MAPS_H

#include <stdint.h>
#include <sys/types.h>

struct tl_map {
	uint64_t start, end, offset;
	uint64_t dev, inode;
	/* "[vdso]" too, "" of none; may be changed; of a deleted file " (deleted)" follows */
	char *path;
};

/**
 * tl_maps_read - call @fn for each of @pid's that is executable, by address; 0, or -errno
 * without a message
 */
int tl_maps_read(pid_t pid, void (*fn)(void *ctx, const struct tl_map *m),
		 void *ctx);

#endif
