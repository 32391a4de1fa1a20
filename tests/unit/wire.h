/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wire.h - what is in a message of protocol buffers, as text; behind <cmocka.h>
 *
 * A field is NUMBER=VALUE, or NUMBER{...} for a message; doubles have a "d", strings
 * are quoted.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"

static uint64_t read_varint(const unsigned char **p, const unsigned char *end)
{
	uint64_t num = 0;
	unsigned int shift = 0;

	do {
		assert_true(*p < end && shift < 64);
		num |= (uint64_t)(**p & 0x7f) << shift;
		shift += 7;
	} while (*(*p)++ & 0x80);
	return num;
}

/* Whether the field at @path, as in "1.11.4", is a message. */
static int is_message(const char *path, const char *const *messages)
{
	while (*messages && strcmp(*messages, path) != 0)
		messages++;
	return *messages != NULL;
}

static void dump(struct tl_buf *to, const char *data, size_t len,
		 const char *path, const char *const *messages)
{
	const unsigned char *p = (const unsigned char *)data, *end = p + len;
	char below[64];
	uint64_t tag, num;
	double d;

	while (p < end) {
		tag = read_varint(&p, end);
		snprintf(below, sizeof(below), "%s%s%d", path, *path ? "." : "",
			 (int)(tag >> 3));
		if (to->len && to->data[to->len - 1] != '{')
			tl_buf_char(to, ' ');
		tl_buf_printf(to, "%d", (int)(tag >> 3));
		if ((tag & 7) == 0) {
			tl_buf_printf(to, "=%lld",
				      (long long)read_varint(&p, end));
		} else if ((tag & 7) == 1) {
			assert_true(end - p >= 8);
			memcpy(&d, p, sizeof(d));
			tl_buf_printf(to, "=%gd", d);
			p += 8;
		} else {
			assert_int_equal(tag & 7, 2);
			num = read_varint(&p, end);
			assert_true(num <= (uint64_t)(end - p));
			if (is_message(below, messages)) {
				tl_buf_char(to, '{');
				dump(to, (const char *)p, num, below, messages);
				tl_buf_char(to, '}');
			} else {
				tl_buf_printf(to, "=\"%.*s\"", (int)num,
					      (const char *)p);
			}
			p += num;
		}
	}
}

/* All of @b is @expected; empties it. */
static void expect_message(struct tl_buf *b, const char *const *messages,
			   const char *expected)
{
	struct tl_buf text = { 0 };

	assert_false(b->failed);
	dump(&text, b->data, b->len, "", messages);
	tl_buf_char(&text, '\0');
	assert_string_equal(text.data, expected);
	tl_buf_free(&text);
	b->len = 0;
}
