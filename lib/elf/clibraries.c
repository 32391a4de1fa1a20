// SPDX-License-Identifier: GPL-2.0-or-later
/* clibraries.c - the C libraries that programs use */
#include "elf/clibraries.h"

#include <glob.h>
#include <stdlib.h>

#include "elf/object.h"

/* A Debian that has musl for some programs only has just its loader there. */
#define MUSL "/lib/ld-musl-*.so.1"

typedef int on_path(void *ctx, const char *path);

static int tell(char *path, on_path *fn, void *ctx)
{
	int ret = path ? fn(ctx, path) : 0;

	free(path);
	return ret;
}

int tl_c_libraries_of(pid_t pid, on_path *fn, void *ctx)
{
	return tell(tl_locate_quietly(NULL, pid), fn, ctx)
		       ?: tell(tl_locate_quietly("libc", pid), fn, ctx);
}

static int of_musl(on_path *fn, void *ctx)
{
	glob_t found;
	size_t i;
	int ret = 0;

	if (glob(MUSL, 0, NULL, &found))
		return 0;
	for (i = 0; i < found.gl_pathc && !ret; i++)
		ret = fn(ctx, found.gl_pathv[i]);
	globfree(&found);
	return ret;
}

int tl_c_libraries_of_system(on_path *fn, void *ctx)
{
	return tell(tl_locate_quietly("libc", 0), fn, ctx) ?: of_musl(fn, ctx);
}
