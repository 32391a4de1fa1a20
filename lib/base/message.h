/* SPDX-License-Identifier: GPL-2.0-or-later */
/* message.h - who speaks in messages; what is said is in tracelet/message.h */
#ifndef TL_BASE_MESSAGE_H
#define TL_BASE_MESSAGE_H

/**
 * tl_message_tool - name that messages begin with; not copied
 *
 * Until then it is the program's own.
 */
void tl_message_tool(const char *name);

struct tl_buf;

/**
 * tl_message_keep - put messages into @b until called with NULL, or what it
 * returns: where they went before; tl_message_print() says them, and is kept in turn
 */
struct tl_buf *tl_message_keep(struct tl_buf *b);
void tl_message_print(const struct tl_buf *b);

/**
 * tl_message_in_handler - as tl_warn(), of plain text, in a signal's handler; nothing
 * where stderr would have to be waited for
 */
void tl_message_in_handler(const char *text);

#endif
