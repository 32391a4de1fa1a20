/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clibraries.h - the C libraries that programs use */
#ifndef TL_ELF_CLIBRARIES_H
#define TL_ELF_CLIBRARIES_H

#include <sys/types.h>

/**
 * tl_c_libraries_of_system - call @fn with the path of each file that has a C library of
 * this system, musl's too, until it returns other than 0, which is returned
 *
 * What is there need not be a library that programs of this machine can use.
 */
int tl_c_libraries_of_system(int (*fn)(void *ctx, const char *path), void *ctx);
/**
 * tl_c_libraries_of - the same of process @pid: what it has mapped, and its program, which
 * may have one linked in; none if it is not there
 */
int tl_c_libraries_of(pid_t pid, int (*fn)(void *ctx, const char *path),
		      void *ctx);

#endif
