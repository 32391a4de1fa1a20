/* SPDX-License-Identifier: GPL-2.0-or-later */
/* buf.h - text from outside, made safe to show */
#ifndef TL_BASE_BUF_H
#define TL_BASE_BUF_H

#include <stdarg.h>
#include <string.h>

#include "tracelet/text.h"

/** A growing buffer; a failed growth is remembered and drops what follows. */
struct tl_buf {
	char *data;
	size_t len, size;
	bool failed;
};

void tl_buf_free(struct tl_buf *b);
/** tl_buf_grow - make room for @len more bytes, false when there is none */
bool tl_buf_grow(struct tl_buf *b, size_t len);

/* The functions are inline: each cell of each row calls them. */

/** tl_buf_fits - whether @len bytes can be written at b->data + b->len */
static inline bool tl_buf_fits(struct tl_buf *b, size_t len)
{
	return b->size - b->len >= len || tl_buf_grow(b, len);
}

/**
 * tl_buf_room - where @len bytes can be written; then add to b->len; or NULL
 */
static inline char *tl_buf_room(struct tl_buf *b, size_t len)
{
	return tl_buf_fits(b, len) ? b->data + b->len : NULL;
}

static inline void tl_buf_add(struct tl_buf *b, const char *data, size_t len)
{
	char *to = len ? tl_buf_room(b, len) : NULL;

	if (!to)
		return;
	memcpy(to, data, len);
	b->len += len;
}

static inline void tl_buf_char(struct tl_buf *b, char c)
{
	char *to = tl_buf_room(b, 1);

	if (!to)
		return;
	*to = c;
	b->len++;
}

/** tl_buf_text - what is in it by now; valid until it changes */
static inline struct tl_str tl_buf_text(const struct tl_buf *b)
{
	return (struct tl_str){ b->data ? b->data : "", b->len };
}

void tl_buf_str(struct tl_buf *b, const char *text);
void tl_buf_printf(struct tl_buf *b, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void tl_buf_vprintf(struct tl_buf *b, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));

/**
 * tl_esc_text - append @str so that it can neither move a cursor nor break a line
 *
 * Newline, tab and carriage return become \n, \t, \r; other C0, DEL, C1,
 * invalid UTF-8, line separators and bidirectional controls \xNN, byte by byte;
 * a backslash becomes two, so that all of it can be undone.  Returns how many
 * code points that makes.
 */
size_t tl_esc_text(struct tl_buf *b, struct tl_str str);

/**
 * tl_esc_is_printable - whether tl_esc_text() has nothing to escape in @str,
 * but backslashes
 */
bool tl_esc_is_printable(struct tl_str str);

/** tl_esc_text_but - the same, but each @c becomes @as */
void tl_esc_text_but(struct tl_buf *b, struct tl_str str, char c,
		     const char *as);

/**
 * tl_esc_json - as the inside of a JSON string
 *
 * What tl_esc_text() escapes becomes \n, \t, \r or \uNNNN.  A byte that is not
 * UTF-8 becomes \udcNN, as Python's surrogateescape reads.
 */
void tl_esc_json(struct tl_buf *b, struct tl_str str);

/**
 * tl_esc_word - one argument as a shell would take it back
 *
 * Bare when it has only letters, digits and _@%+=:,./- of ASCII; else 'quoted';
 * $'...' with the escapes of tl_esc_text() and \' when it has a quote or
 * something to escape.
 */
void tl_esc_word(struct tl_buf *b, struct tl_str str);

#endif
