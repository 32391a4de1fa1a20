/* SPDX-License-Identifier: GPL-2.0-or-later */
/* usersym.h - functions of processes by address */
#ifndef TL_TRACE_USERSYM_H
#define TL_TRACE_USERSYM_H

#include "base/buf.h"
#include "base/session.h"
#include "elf/maps.h"
#include "elf/object.h"

/** tl_user_symbols_open - in setup */
int tl_user_symbols_open(struct tl_session *s);

/** An address of a process, in a record. */
struct tl_user_address {
	pid_t process;
	uint64_t addr, ns; /* when it was recorded */
	bool is_return;    /* it is where a call returns to */
};

/** What is at an address of a process. */
struct tl_user_symbol {
	const char *function; /* NULL: not known */
	const char
		*file; /* that has it mapped there; NULL: not known, or none */
	uint64_t
		offset; /* into the first of these that is known, or the address */
};

/**
 * tl_user_symbol - look up what is at @a; its texts are valid until the next call
 * @at: a place that the process had at that time
 *
 * Returns 0, or -EAGAIN if a name may be there later that is not now.
 */
int tl_user_symbol(struct tl_session *s, const struct tl_user_place *at,
		   const struct tl_user_address *a, struct tl_user_symbol *sym);
/**
 * tl_user_symbol_text - add all of it: "malloc+0x10 (libc.so.6)", "libc.so.6+0x27249"
 * without a function's name, or the address itself
 */
void tl_user_symbol_text(struct tl_buf *b, const struct tl_user_symbol *sym);
/**
 * tl_user_symbol_name - add the function alone; without a name its file, "[libc.so.6]",
 * or "[unknown]"
 */
void tl_user_symbol_name(struct tl_buf *b, const struct tl_user_symbol *sym);

/**
 * tl_user_mapped - a record of time @ns tells that @process has mapped @map to execute
 *
 * So names are known of processes, too, that have ended before they can be looked at.
 */
void tl_user_mapped(struct tl_session *s, pid_t process,
		    const struct tl_map *map, uint64_t ns);
/**
 * tl_user_all_mapped - in setup: whether that is told of all that is mapped from the start on,
 * so a process of which nothing was told has executed nothing; later: no longer
 */
void tl_user_all_mapped(struct tl_session *s, bool told);

/**
 * tl_user_is_walked - whether all frames of @process that the kernel has recorded are its: of
 * a 32-bit program on x86 only the first one is
 * @ns: of the record
 */
bool tl_user_is_walked(struct tl_session *s, pid_t process, uint64_t ns);

#endif
