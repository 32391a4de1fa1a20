/* SPDX-License-Identifier: GPL-2.0-or-later */
/* functions.h - functions of the kernel, by name */
#ifndef TL_KERNEL_FUNCTIONS_H
#define TL_KERNEL_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "tracelet.h"

/** A function in /proc/kallsyms. */
struct tl_kallsym {
	uint64_t addr; /* 0 while they are kept from the reader */
	const char *name;
	const char *module; /* "" for the kernel itself */
};

/** tl_kallsym_parse - take apart a line, which changes; false if it is no function's */
bool tl_kallsym_parse(char *line, struct tl_kallsym *sym);

#define TL_SYMBOLS_MAX 16

/** What there is of a name. */
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
	uint64_t text; /* address of _text */
};

/** tl_symbol_search - 0, or -errno after a message */
int tl_symbol_search(struct tl_symbol_search *f);

/** tl_function_try - for tl_function_list(): tl_nearest_try() */
int tl_function_try(void *ctx, const char *name, const char *module);

/** tl_function_keep - for what tl_function_list() calls: this one is to be in a capture's list too */
void tl_function_keep(const char *name, const char *module);

/** tl_function_unknown - say that there is no such function, and which are near; -ENOENT */
int tl_function_unknown(struct tl_session *s, const char *name);

#endif
