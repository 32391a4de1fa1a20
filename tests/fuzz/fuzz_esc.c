/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_esc.c - whatever comes in, what is shown is valid UTF-8 without controls
 *
 * and can be undone to the very bytes that came in.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A condition that assert() would leave out of a release build. */
static void must(bool holds)
{
	if (!holds)
		abort();
}

/*
 * Length of the sequence at @p by the table of well-formed ones in the Unicode
 * standard (3-7), another way than the library's.
 */
static size_t well_formed(const uint8_t *p, size_t len)
{
	static const uint8_t table[][5] = {
		/* first byte from, to; second byte from, to; length */
		{ 0x00, 0x7f, 0x00, 0x00, 1 }, { 0xc2, 0xdf, 0x80, 0xbf, 2 },
		{ 0xe0, 0xe0, 0xa0, 0xbf, 3 }, { 0xe1, 0xec, 0x80, 0xbf, 3 },
		{ 0xed, 0xed, 0x80, 0x9f, 3 }, { 0xee, 0xef, 0x80, 0xbf, 3 },
		{ 0xf0, 0xf0, 0x90, 0xbf, 4 }, { 0xf1, 0xf3, 0x80, 0xbf, 4 },
		{ 0xf4, 0xf4, 0x80, 0x8f, 4 },
	};
	size_t i, k;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		const uint8_t *t = table[i];

		if (p[0] < t[0] || p[0] > t[1])
			continue;
		if (t[4] > len || (t[4] > 1 && (p[1] < t[2] || p[1] > t[3])))
			return 0;
		for (k = 2; k < t[4]; k++)
			if (p[k] < 0x80 || p[k] > 0xbf)
				return 0;
		return t[4];
	}
	return 0;
}

/* Returns how many code points @b has. */
static size_t check_shown(const struct tl_buf *b)
{
	const uint8_t *p = (const uint8_t *)b->data;
	size_t i = 0, points = 0, n;

	for (; i < b->len; i += n, points++) {
		must(p[i] >= 0x20 && p[i] != 0x7f);
		n = well_formed(p + i, b->len - i);
		must(n > 0);
		must(!(p[i] == 0xc2 && p[i + 1] < 0xa0));
		must(!(n == 3 && (!memcmp(p + i, "\xe2\x80\xa8", 3) ||
				  !memcmp(p + i, "\xe2\x80\xae", 3))));
	}
	return points;
}

static unsigned int hex(const char *p, int digits)
{
	unsigned int n = 0;

	for (; digits; digits--, p++) {
		const char *digit = strchr("0123456789abcdef", *p);

		must(*p && digit);
		n = n * 16 + (unsigned int)(digit - "0123456789abcdef") % 16;
	}
	return n;
}

static char named(char c)
{
	switch (c) {
	case 'n':
		return '\n';
	case 't':
		return '\t';
	case 'r':
		return '\r';
	case '\\':
	case '"':
	case '\'':
		return c;
	default:
		abort();
	}
}

/* As UTF-8, but U+DC80 and up as the byte that it stands for. */
static size_t put_point(char *to, unsigned int c)
{
	must(c < 0xd800 || (c >= 0xdc80 && c <= 0xdcff) || c > 0xdfff);
	if (c < 0x80 || (c >= 0xdc80 && c <= 0xdcff)) {
		to[0] = (char)(c & 0xff);
		return 1;
	}
	if (c < 0x800) {
		to[0] = (char)(0xc0 | c >> 6);
		to[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	to[0] = (char)(0xe0 | c >> 12);
	to[1] = (char)(0x80 | (c >> 6 & 0x3f));
	to[2] = (char)(0x80 | (c & 0x3f));
	return 3;
}

/* Undo escapes, of which the numbered ones are by @letter and @digits. */
static size_t undo(const char *p, size_t len, char *to, char letter, int digits)
{
	size_t i = 0, n = 0;

	while (i < len) {
		if (p[i] != '\\') {
			to[n++] = p[i++];
			continue;
		}
		must(++i < len);
		if (p[i] != letter) {
			to[n++] = named(p[i++]);
			continue;
		}
		must(++i + (size_t)digits <= len);
		if (digits == 2)
			to[n++] = (char)hex(p + i, 2);
		else
			n += put_point(to + n, hex(p + i, 4));
		i += (size_t)digits;
	}
	return n;
}

/* A JSON string has no quote that is not escaped. */
static void check_quotes(const struct tl_buf *b)
{
	size_t i;

	for (i = 0; i < b->len; i++) {
		if (b->data[i] == '\\')
			i++;
		else
			must(b->data[i] != '"');
	}
}

static void check_word(const struct tl_buf *b, struct tl_str in, char *back)
{
	const char *p = b->data;
	size_t len = b->len, n;

	must(len > 0);
	if (len >= 3 && p[0] == '$' && p[1] == '\'') {
		must(p[len - 1] == '\'');
		n = undo(p + 2, len - 3, back, 'x', 2);
		must(n == in.len && !memcmp(back, in.text, n));
	} else if (p[0] == '\'') {
		must(len == in.len + 2 && p[len - 1] == '\'');
		must(!memcmp(p + 1, in.text, in.len));
		must(!memchr(in.text, '\'', in.len));
	} else {
		must(len == in.len && !memcmp(p, in.text, len));
		must(!memchr(p, ' ', len) && !memchr(p, '$', len));
	}
}

static void check_back(size_t n, const char *back, struct tl_str in)
{
	must(n == in.len && !memcmp(back, in.text, n));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tl_str in = { (const char *)data, size };
	struct tl_buf b = { 0 };
	/* undoing never makes text longer */
	char *back = malloc(6 * size + 8);
	size_t points;

	if (!size || !back) {
		free(back);
		return 0;
	}
	points = tl_esc_text(&b, in);
	must(check_shown(&b) == points);
	check_back(undo(b.data, b.len, back, 'x', 2), back, in);

	b.len = 0;
	tl_esc_json(&b, in);
	check_shown(&b);
	check_quotes(&b);
	check_back(undo(b.data, b.len, back, 'u', 4), back, in);

	b.len = 0;
	tl_esc_word(&b, in);
	check_shown(&b);
	check_word(&b, in, back);
	tl_buf_free(&b);
	free(back);
	return 0;
}
