/* SPDX-License-Identifier: GPL-2.0-or-later */
/* functions.h - functions of the kernel, by name */
#ifndef TL_KERNEL_FUNCTIONS_H
#define TL_KERNEL_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/session.h"
#include "tracefs/file.h"
#include "tracelet/function.h"

#define TL_SYMBOLS_MAX 16

/** The functions that have a name. */
struct tl_symbol_search {
	const char *module; /* only in this one; NULL: anywhere */
	const char *name;
	unsigned int
		count; /* with this name; no more than the maximum are kept */
	struct {
		uint64_t addr;
		char module[64];
	} found[TL_SYMBOLS_MAX];
	unsigned int suffixed; /* with a compiler's suffix behind it */
	char other[TL_SYMBOLS_MAX][128];
	uint64_t text;       /* where the kernel's code begins */
	const char *section; /* its name: _text, or without that _stext */
};

/** tl_symbol_search - 0, or -errno after a message */
int tl_symbol_search(struct tl_session *s, struct tl_symbol_search *f);
/**
 * tl_symbol_is_there - 1 if the kernel has a function of this name, or 0; -errno
 * without a message
 *
 * Fast where it is one of the kernel's own, which stand first in /proc/kallsyms.
 */
int tl_symbol_is_there(struct tl_session *s, const char *name);

/**
 * tl_function_line - take apart a line of a list of functions, "NAME" or
 * "NAME [MODULE]", which becomes the name; false if it is none: a remark, "# TEXT",
 * a command, "NAME:COMMAND", or the kernel's mark of a function that has gone
 */
bool tl_function_line(char *line, const char **module);

/** tl_function_try - for tl_function_list(): tl_suggest_try() */
int tl_function_try(void *ctx, const char *name, const char *module);

/**
 * tl_function_keep - for what tl_function_list() calls: this one is to be in a
 * capture's list too
 */
void tl_function_keep(struct tl_session *s, const char *name,
		      const char *module);

/** tl_functions_of_modules - whether one of them is asked for by its module */
bool tl_functions_of_modules(const struct tl_functions *f);

/**
 * tl_functions_put - replace what is in a list of functions, @file in @dir, by @f
 *
 * A name in @f that only functions with a compiler's suffix have becomes the
 * glob that these match.  Returns 0, or -errno after a message.
 */
int tl_functions_put(struct tl_session *s, struct tl_fs_dir dir,
		     const char *file, const struct tl_functions *f);
/**
 * tl_functions_read - call @fn for each function in a list, @file in @dir, as
 * tl_functions_each() does
 */
int tl_functions_read(struct tl_fs_dir dir, const char *file,
		      const struct tl_functions *except,
		      int (*fn)(void *ctx, const char *name,
				const char *module),
		      void *ctx);
/**
 * tl_functions_each - call @fn for each that tl_functions_filter() was given,
 * without @except, @module "" for those of the kernel itself; stops when it
 * returns other than 0, and returns that
 */
int tl_functions_each(struct tl_session *s, const struct tl_functions *except,
		      int (*fn)(void *ctx, const char *name,
				const char *module),
		      void *ctx);

/**
 * tl_symbols_check - whether there are addresses: 0, or -errno after a message
 */
int tl_symbols_check(struct tl_session *s);
/**
 * tl_symbols_find - the same without a message; of a capture, as it was there
 */
int tl_symbols_find(struct tl_session *s);

/**
 * tl_function_unknown - say that there is no such function, and which are near;
 * -ENOENT
 */
int tl_function_unknown(struct tl_session *s, const char *name);

#endif
