/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kallsyms.h - kernel functions by address; what tools call is in tracelet/symbol.h */
#ifndef TL_KERNEL_KALLSYMS_H
#define TL_KERNEL_KALLSYMS_H

#include "base/session.h"

struct tl_buf;

/** A function, or data, in /proc/kallsyms. */
struct tl_kallsym {
	uint64_t addr; /* 0 while they are kept from the reader */
	const char *name;
	const char *module; /* "" for the kernel itself */
	bool is_data;
};

/**
 * tl_kallsym_parse - take apart a line, which changes; false if it is no
 * function's
 */
bool tl_kallsym_parse(char *line, struct tl_kallsym *sym);

/**
 * tl_symbols_mark - @addr may be used by who reads a capture; once all are
 * loaded
 */
void tl_symbols_mark(struct tl_session *s, uint64_t addr);
/** tl_symbols_save - append those that are, as in /proc/kallsyms */
void tl_symbols_save(const struct tl_session *s, struct tl_buf *b);
/**
 * tl_symbols_try - as tl_symbols_open(), where a number will do in place of a
 * name
 */
int tl_symbols_try(struct tl_session *s);
/** tl_symbols_are_open - whether symbols were asked for */
bool tl_symbols_are_open(const struct tl_session *s);
/** How much to say about an address: "func", "func+0x10", "func+0x10/0x90". */
enum tl_symbol_parts { TL_SYMBOL_NAME, TL_SYMBOL_OFFSET, TL_SYMBOL_SIZE };
/**
 * tl_symbol_text - append that, without an offset of 0 unless its size is asked
 * for; "0x..." without a symbol
 */
void tl_symbol_text(struct tl_session *s, uint64_t addr,
		    enum tl_symbol_parts parts, struct tl_buf *b);

#endif
