/* SPDX-License-Identifier: GPL-2.0-or-later */
/* buf.c - a growing buffer, and escaping into it */
#include "base/buf.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Why a byte can't be copied as it is. */
enum {
	NOT_TEXT = 1,
	NOT_JSON = 2,
	NOT_BARE = 4, /* a shell would not take it as part of a word */
	NOT_QUOTED = 8,
	NOT_ANY = 15,
};

static const uint8_t class_of[256] = {
	[0 ... 31] = NOT_ANY,
	[' ' ... '!'] = NOT_BARE,
	['"'] = NOT_BARE | NOT_JSON,
	['#' ... '$'] = NOT_BARE,
	['&'] = NOT_BARE,
	['\''] = NOT_BARE | NOT_QUOTED,
	['(' ... '*'] = NOT_BARE,
	[';' ... '<'] = NOT_BARE,
	['>' ... '?'] = NOT_BARE,
	['['] = NOT_BARE,
	['\\'] = NOT_BARE | NOT_TEXT | NOT_JSON,
	[']' ... '^'] = NOT_BARE,
	['`'] = NOT_BARE,
	['{' ... '~'] = NOT_BARE,
	[127 ... 255] = NOT_ANY, /* from 128: to be decoded first */
};

void tl_buf_free(struct tl_buf *b)
{
	free(b->data);
	*b = (struct tl_buf){ 0 };
}

bool tl_buf_grow(struct tl_buf *b, size_t len)
{
	size_t size = b->size ? b->size : 256;
	char *data;

	if (b->failed || len > SIZE_MAX / 4 - b->len)
		goto fail;
	while (size - b->len < len)
		size *= 2;
	data = realloc(b->data, size);
	if (!data)
		goto fail;
	b->data = data;
	b->size = size;
	return true;
fail:
	/* leaves no room, so that what follows comes here too */
	b->failed = true;
	b->size = b->len;
	return false;
}

void tl_buf_str(struct tl_buf *b, const char *text)
{
	tl_buf_add(b, text, strlen(text));
}

void tl_buf_vprintf(struct tl_buf *b, const char *fmt, va_list ap)
{
	va_list again;
	char *to;
	int len;

	va_copy(again, ap);
	len = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (len < 0)
		return;
	to = tl_buf_room(b, (size_t)len + 1);
	if (!to)
		return;
	vsnprintf(to, (size_t)len + 1, fmt, ap);
	b->len += (size_t)len;
}

void tl_buf_printf(struct tl_buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tl_buf_vprintf(b, fmt, ap);
	va_end(ap);
}

#define LANES 16
typedef signed char lanes __attribute__((vector_size(LANES)));

/* Whether none of LANES bytes is NOT_TEXT or NOT_JSON; 0x80 and up are < 0. */
static inline bool are_plain(const void *text)
{
	uint64_t half[2];
	lanes x, bad;

	memcpy(&x, text, LANES);
	bad = (x < ' ') | (x == 0x7f) | (x == '\\') | (x == '"');
	memcpy(half, &bad, LANES);
	return !(half[0] | half[1]);
}

/* Copies 4 to 15 bytes as two overlapping words, and tells as above. */
static inline bool copy_short(char *to, const char *text, size_t len)
{
	size_t word = len < 8 ? 4 : 8;
	char both[LANES];

	if (word == 4) {
		memcpy(both, text, 4);
		memcpy(both + 4, text + len - 4, 4);
		memcpy(both + 8, both, 8);
		memcpy(to, both, 4);
		memcpy(to + len - 4, both + 4, 4);
	} else {
		memcpy(both, text, 8);
		memcpy(both + 8, text + len - 8, 8);
		memcpy(to, both, 8);
		memcpy(to + len - 8, both + 8, 8);
	}
	return are_plain(both);
}

/* Copies vectors up to one that is not plain; returns how much that is. */
static inline size_t copy_long(char *to, const char *text, size_t len)
{
	const char *last = text + len - LANES;
	size_t i = 0;

	for (; text + i < last; i += LANES) {
		if (!are_plain(text + i))
			return i;
		memcpy(to + i, text + i, LANES);
	}
	if (!are_plain(last))
		return i;
	memcpy(to + len - LANES, last, LANES);
	return len;
}

/*
 * Copy @text, for which there is room, up to what is of the class @mask,
 * NOT_TEXT or NOT_JSON, and say how much it was.  All of each row comes by
 * here: a vector at a time, the last one overlapping, costs a fifth of a look
 * at each byte and memcpy().
 */
__attribute__((always_inline)) static inline size_t
copy_plain(struct tl_buf *b, const char *text, size_t len, uint8_t mask)
{
	const uint8_t *p = (const uint8_t *)text;
	char *to = b->data + b->len;
	size_t i;

	if (len < LANES)
		i = len >= 4 && copy_short(to, text, len) ? len : 0;
	else
		i = copy_long(to, text, len);
	for (; i < len && !(class_of[p[i]] & mask); i++)
		to[i] = text[i];
	b->len += i;
	return i;
}

/* The smallest code point that needs a sequence of so many bytes. */
static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };

static size_t sequence_len(uint8_t lead)
{
	if (lead >= 0xc2 && lead <= 0xdf)
		return 2;
	if ((lead & 0xf0) == 0xe0)
		return 3;
	if (lead >= 0xf0 && lead <= 0xf4)
		return 4;
	return 0;
}

/*
 * Length of the sequence of more than one byte at @p, 0 when it is not valid.
 */
static size_t utf8_decode(const char *text, size_t len, uint32_t *point)
{
	const uint8_t *p = (const uint8_t *)text;
	size_t n = sequence_len(p[0]), i;
	uint32_t c;

	if (!n || n > len)
		return 0;
	c = p[0] & (0x7fu >> n);
	for (i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3f);
	}
	if (c < smallest[n] || (c >= 0xd800 && c <= 0xdfff) || c > 0x10ffff)
		return 0;
	*point = c;
	return n;
}

/* Controls beyond ASCII: C1, line separators, direction of writing. */
static bool is_control(uint32_t c)
{
	return (c >= 0x80 && c <= 0x9f) || c == 0x61c || c == 0x200e ||
	       c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2066 && c <= 0x2069);
}

/* Length of what can be shown at @p beyond ASCII, 0 when it can't. */
static size_t shown_len(const char *p, size_t len)
{
	uint32_t point;
	size_t n = utf8_decode(p, len, &point);

	return n && !is_control(point) ? n : 0;
}

static char short_escape(char c)
{
	switch (c) {
	case '\n':
		return 'n';
	case '\t':
		return 't';
	case '\r':
		return 'r';
	case '\\':
		return '\\';
	default:
		return 0;
	}
}

static void add_short(struct tl_buf *b, char c)
{
	tl_buf_char(b, '\\');
	tl_buf_char(b, c);
}

/*
 * Append the one that begins at @p, escaped.  A sequence that is valid but not
 * to be shown comes byte by byte: its second byte alone is invalid anyway.
 */
static size_t text_one(struct tl_buf *b, const char *p, size_t len)
{
	size_t n = shown_len(p, len);

	if (n)
		tl_buf_add(b, p, n);
	else if (short_escape(*p))
		add_short(b, short_escape(*p));
	else
		tl_buf_printf(b, "\\x%02x", (uint8_t)*p);
	return n ? n : 1;
}

static size_t json_one(struct tl_buf *b, const char *p, size_t len)
{
	uint32_t point = (uint8_t)*p;
	size_t n = point < 0x80 ? 1 : utf8_decode(p, len, &point);

	if (n > 1 && !is_control(point))
		tl_buf_add(b, p, n);
	else if (*p == '"')
		add_short(b, '"');
	else if (short_escape(*p))
		add_short(b, short_escape(*p));
	else if (n)
		tl_buf_printf(b, "\\u%04x", point);
	else
		tl_buf_printf(b, "\\udc%02x", (uint8_t)*p);
	return n ? n : 1;
}

/* Apart, so that text without anything to escape saves no registers for it. */
__attribute__((noinline)) static size_t
text_rest(struct tl_buf *b, struct tl_str str, size_t done)
{
	size_t points = done;

	while (done < str.len && tl_buf_room(b, str.len - done)) {
		size_t before = b->len, n;

		done += copy_plain(b, str.text + done, str.len - done,
				   NOT_TEXT);
		points += b->len - before;
		if (done == str.len)
			break;
		before = b->len;
		n = text_one(b, str.text + done, str.len - done);
		points += n > 1 ? 1 : b->len - before;
		done += n;
	}
	return points;
}

size_t tl_esc_text(struct tl_buf *b, struct tl_str str)
{
	size_t done = 0;

	if (str.len && b->size - b->len >= str.len)
		done = copy_plain(b, str.text, str.len, NOT_TEXT);
	return done == str.len ? done : text_rest(b, str, done);
}

bool tl_esc_is_printable(struct tl_str str)
{
	size_t done = 0, n;
	uint8_t c;

	while (done < str.len) {
		c = (uint8_t)str.text[done];
		n = c < 0x80 ? c >= ' ' && c != 0x7f
			     : shown_len(str.text + done, str.len - done);
		if (!n)
			return false;
		done += n;
	}
	return true;
}

void tl_esc_json(struct tl_buf *b, struct tl_str str)
{
	size_t done = 0;

	while (done < str.len && tl_buf_room(b, str.len - done)) {
		done += copy_plain(b, str.text + done, str.len - done,
				   NOT_JSON);
		if (done < str.len)
			done += json_one(b, str.text + done, str.len - done);
	}
}

static size_t run_without(struct tl_str str, size_t from, uint8_t mask)
{
	const uint8_t *p = (const uint8_t *)str.text;
	size_t i = from;

	while (i < str.len && !(class_of[p[i]] & mask))
		i++;
	return i - from;
}

/* Whether all of @str can stand between single quotes. */
static bool can_quote(struct tl_str str)
{
	size_t done = 0, n;

	while (done < str.len) {
		n = run_without(str, done, NOT_QUOTED);
		if (!n)
			n = shown_len(str.text + done, str.len - done);
		if (!n)
			return false;
		done += n;
	}
	return true;
}

void tl_esc_text_but(struct tl_buf *b, struct tl_str str, char c,
		     const char *as)
{
	const char *at;

	while (str.len && (at = memchr(str.text, c, str.len))) {
		size_t n = (size_t)(at - str.text);

		tl_esc_text(b, (struct tl_str){ str.text, n });
		tl_buf_str(b, as);
		str.text += n + 1;
		str.len -= n + 1;
	}
	tl_esc_text(b, str);
}

static void dollar_quote(struct tl_buf *b, struct tl_str str)
{
	tl_buf_str(b, "$'");
	tl_esc_text_but(b, str, '\'', "\\'");
	tl_buf_char(b, '\'');
}

void tl_esc_word(struct tl_buf *b, struct tl_str str)
{
	if (str.len && run_without(str, 0, NOT_BARE) == str.len) {
		tl_buf_add(b, str.text, str.len);
	} else if (can_quote(str)) {
		tl_buf_char(b, '\'');
		tl_buf_add(b, str.text, str.len);
		tl_buf_char(b, '\'');
	} else {
		dollar_quote(b, str);
	}
}
