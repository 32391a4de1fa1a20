/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ldcache.h - where the dynamic loader finds libraries */
#ifndef TL_ELF_LDCACHE_H
#define TL_ELF_LDCACHE_H

#include <stdbool.h>
#include <stddef.h>

/**
 * tl_ldcache_parse - call @fn for each library in /etc/ld.so.cache, which @data
 * is; false: it is no such file
 */
bool tl_ldcache_parse(const char *data, size_t len,
		      void (*fn)(void *ctx, const char *name, const char *path),
		      void *ctx);

/**
 * tl_library_matches - whether @want means the library @file: its name with or
 * without "lib" in front and ".so" or more at the end; "libc" is musl's loader too
 */
bool tl_library_matches(const char *file, const char *want);

#endif
