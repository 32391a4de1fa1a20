/* SPDX-License-Identifier: GPL-2.0-or-later */
/* usersym.h - functions of processes by address */
#ifndef TL_TRACE_USERSYM_H
#define TL_TRACE_USERSYM_H

#include "base/buf.h"
#include "base/session.h"
#include "elf/object.h"

/** tl_user_symbols_open - in setup */
int tl_user_symbols_open(struct tl_session *s);

/** An address of a process, in a record. */
struct tl_user_address {
	pid_t process;
	uint64_t addr, ns; /* when it was recorded */
	bool is_return;    /* it is where a call returns to */
};

/**
 * tl_user_symbol - add what is at @a: "malloc+0x10 (libc.so.6)", "libc.so.6+0x27249"
 * without a function's name, or the address itself
 * @at: a place that the process had at that time
 *
 * Returns 0, or -EAGAIN if a name may be there later that is not now.
 */
int tl_user_symbol(struct tl_session *s, struct tl_buf *b,
		   const struct tl_user_place *at,
		   const struct tl_user_address *a);

/**
 * tl_user_is_walked - whether all frames of @process that the kernel has recorded are its: of
 * a 32-bit program on x86 only the first one is
 */
bool tl_user_is_walked(struct tl_session *s, pid_t process);

#endif
