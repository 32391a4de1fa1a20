/* SPDX-License-Identifier: GPL-2.0-or-later */
/* message.h - who speaks in messages; what is said is in tracelet.h */
#ifndef TL_BASE_MESSAGE_H
#define TL_BASE_MESSAGE_H

#include "tracelet.h"

/**
 * tl_err_tool - name that messages begin with; not copied
 *
 * Until then it is the program's own.
 */
void tl_err_tool(const char *name);

struct tl_buf;

/**
 * tl_err_keep - put messages into @b until called with NULL, or what it
 * returns: where they went before; tl_err_say() says them, and is kept in turn
 */
struct tl_buf *tl_err_keep(struct tl_buf *b);
void tl_err_say(const struct tl_buf *b);

#endif
