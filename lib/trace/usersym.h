/* SPDX-License-Identifier: GPL-2.0-or-later */
/* usersym.h - functions of processes by address */
#ifndef TL_TRACE_USERSYM_H
#define TL_TRACE_USERSYM_H

#include "base/buf.h"
#include "base/session.h"
#include "elf/object.h"

/** tl_user_symbols_open - in setup */
int tl_user_symbols_open(struct tl_session *s);

/**
 * tl_user_symbol - add what is at @addr of @process: "malloc+0x10 (libc.so.6)",
 * "libc.so.6+0x27249" without a function's name, or the address itself
 * @at:        a place that it had at that time
 * @is_return: @addr is where a call returns to
 */
void tl_user_symbol(struct tl_session *s, struct tl_buf *b, pid_t process,
		    const struct tl_user_place *at, uint64_t addr,
		    bool is_return);

#endif
