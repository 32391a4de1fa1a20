// SPDX-License-Identifier: GPL-2.0-or-later
/* clibraries.c - the C libraries that programs use */
#include "elf/clibraries.h"

#include <errno.h>
#include <glob.h>
#include <stdlib.h>

#include "base/session.h"
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

static int of_asked(pid_t pid, on_path *fn, void *ctx)
{
	char *program = tl_locate(NULL, pid);

	if (!program)
		return -errno;
	free(program);
	return tl_c_libraries_of(pid, fn, ctx);
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

int tl_c_libraries(const struct tl_session *s, on_path *fn, void *ctx)
{
	const struct tl_pids *pids =
		s->set.pid.count ? &s->set.pid : &s->set.tid;
	unsigned int i;
	int ret = 0;

	if (!pids->count)
		return tell(tl_locate_quietly("libc", 0), fn, ctx)
			       ?: of_musl(fn, ctx);
	for (i = 0; i < pids->count && !ret; i++)
		ret = of_asked(pids->list[i], fn, ctx);
	return ret;
}
