/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clibraries.h - the C libraries that programs use */
#ifndef TL_ELF_CLIBRARIES_H
#define TL_ELF_CLIBRARIES_H

#include <sys/types.h>

struct tl_session;

/**
 * tl_c_libraries - call @fn with the path of each file that has a C library, until it
 * returns other than 0, which is returned
 *
 * With -p or -L they are those that these processes have mapped, and their programs,
 * which may have one linked in; else those of this system, musl's too.  A file may
 * come more than once.  Returns -errno after a message, for a process that is not
 * there.
 */
int tl_c_libraries(const struct tl_session *s,
		   int (*fn)(void *ctx, const char *path), void *ctx);
/** tl_c_libraries_of - the same of process @pid; none if it is not there */
int tl_c_libraries_of(pid_t pid, int (*fn)(void *ctx, const char *path),
		      void *ctx);

#endif
