/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_buf.c - what may come out, whatever goes in */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"

#define STR(s)                   \
	{                        \
		s, sizeof(s) - 1 \
	}
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct sample {
	struct tl_str in;
	const char *text;
	size_t points;
	const char *json;
};

static const struct sample samples[] = {
	{ STR(""), "", 0, "" },
	{ STR("/etc/passwd"), "/etc/passwd", 11, "/etc/passwd" },
	{ STR(" ~"), " ~", 2, " ~" },
	{ STR("say \"hi\""), "say \"hi\"", 8, "say \\\"hi\\\"" },
	/* a backslash is doubled, so that it can be undone */
	{ STR("a\\nb"), "a\\\\nb", 5, "a\\\\nb" },
	/* C0 */
	{ STR("a\nb"), "a\\nb", 4, "a\\nb" },
	{ STR("a\tb"), "a\\tb", 4, "a\\tb" },
	{ STR("a\rb"), "a\\rb", 4, "a\\rb" },
	{ STR("\0"), "\\x00", 4, "\\u0000" },
	{ STR("\1\x1f"), "\\x01\\x1f", 8, "\\u0001\\u001f" },
	{ STR("\b\f\v\a"), "\\x08\\x0c\\x0b\\x07", 16,
	  "\\u0008\\u000c\\u000b\\u0007" },
	{ STR("\33[2J"), "\\x1b[2J", 7, "\\u001b[2J" },
	/* DEL */
	{ STR("\x7f"), "\\x7f", 4, "\\u007f" },
	/* UTF-8 of each length, from the first to the last that is one */
	{ STR("\xc3\xbc"), "\xc3\xbc", 1, "\xc3\xbc" },
	{ STR("\xc2\xa0"), "\xc2\xa0", 1, "\xc2\xa0" },
	{ STR("\xdf\xbf"), "\xdf\xbf", 1, "\xdf\xbf" },
	{ STR("\xe0\xa0\x80"), "\xe0\xa0\x80", 1, "\xe0\xa0\x80" },
	{ STR("\xe2\x82\xac"), "\xe2\x82\xac", 1, "\xe2\x82\xac" },
	{ STR("\xed\x9f\xbf"), "\xed\x9f\xbf", 1, "\xed\x9f\xbf" },
	{ STR("\xee\x80\x80"), "\xee\x80\x80", 1, "\xee\x80\x80" },
	{ STR("\xef\xbf\xbf"), "\xef\xbf\xbf", 1, "\xef\xbf\xbf" },
	{ STR("\xf0\x90\x80\x80"), "\xf0\x90\x80\x80", 1, "\xf0\x90\x80\x80" },
	{ STR("\xf4\x8f\xbf\xbf"), "\xf4\x8f\xbf\xbf", 1, "\xf4\x8f\xbf\xbf" },
	/* C1 */
	{ STR("\xc2\x80"), "\\xc2\\x80", 8, "\\u0080" },
	{ STR("\xc2\x9b"), "\\xc2\\x9b", 8, "\\u009b" },
	{ STR("\xc2\x9f"), "\\xc2\\x9f", 8, "\\u009f" },
	/* line and paragraph separator, and their neighbours */
	{ STR("\xe2\x80\xa7"), "\xe2\x80\xa7", 1, "\xe2\x80\xa7" },
	{ STR("\xe2\x80\xa8"), "\\xe2\\x80\\xa8", 12, "\\u2028" },
	{ STR("\xe2\x80\xa9"), "\\xe2\\x80\\xa9", 12, "\\u2029" },
	/* bidirectional controls, and their neighbours */
	{ STR("\xd8\x9b"), "\xd8\x9b", 1, "\xd8\x9b" },
	{ STR("\xd8\x9c"), "\\xd8\\x9c", 8, "\\u061c" },
	{ STR("\xe2\x80\x8d"), "\xe2\x80\x8d", 1, "\xe2\x80\x8d" },
	{ STR("\xe2\x80\x8e"), "\\xe2\\x80\\x8e", 12, "\\u200e" },
	{ STR("\xe2\x80\x8f"), "\\xe2\\x80\\x8f", 12, "\\u200f" },
	{ STR("\xe2\x80\xaa"), "\\xe2\\x80\\xaa", 12, "\\u202a" },
	{ STR("\xe2\x80\xae"), "\\xe2\\x80\\xae", 12, "\\u202e" },
	{ STR("\xe2\x80\xaf"), "\xe2\x80\xaf", 1, "\xe2\x80\xaf" },
	{ STR("\xe2\x81\xa5"), "\xe2\x81\xa5", 1, "\xe2\x81\xa5" },
	{ STR("\xe2\x81\xa6"), "\\xe2\\x81\\xa6", 12, "\\u2066" },
	{ STR("\xe2\x81\xa9"), "\\xe2\\x81\\xa9", 12, "\\u2069" },
	{ STR("\xe2\x81\xaa"), "\xe2\x81\xaa", 1, "\xe2\x81\xaa" },
	/* not UTF-8: a continuation alone */
	{ STR("a\x80z"), "a\\x80z", 6, "a\\udc80z" },
	{ STR("\xbf"), "\\xbf", 4, "\\udcbf" },
	/* a beginning without its end */
	{ STR("\xc3"), "\\xc3", 4, "\\udcc3" },
	{ STR("\xc3z"), "\\xc3z", 5, "\\udcc3z" },
	{ STR("\xe2\x82"), "\\xe2\\x82", 8, "\\udce2\\udc82" },
	{ STR("\xe2\x82z"), "\\xe2\\x82z", 9, "\\udce2\\udc82z" },
	{ STR("\xf0\x90\x80"), "\\xf0\\x90\\x80", 12, "\\udcf0\\udc90\\udc80" },
	/* what follows the broken one is taken again */
	{ STR("\xe2\xc3\xbc"), "\\xe2\xc3\xbc", 5, "\\udce2\xc3\xbc" },
	/* overlong */
	{ STR("\xc0\x80"), "\\xc0\\x80", 8, "\\udcc0\\udc80" },
	{ STR("\xc1\xbf"), "\\xc1\\xbf", 8, "\\udcc1\\udcbf" },
	{ STR("\xe0\x9f\xbf"), "\\xe0\\x9f\\xbf", 12, "\\udce0\\udc9f\\udcbf" },
	{ STR("\xf0\x8f\xbf\xbf"), "\\xf0\\x8f\\xbf\\xbf", 16,
	  "\\udcf0\\udc8f\\udcbf\\udcbf" },
	/* surrogates */
	{ STR("\xed\xa0\x80"), "\\xed\\xa0\\x80", 12, "\\udced\\udca0\\udc80" },
	{ STR("\xed\xbf\xbf"), "\\xed\\xbf\\xbf", 12, "\\udced\\udcbf\\udcbf" },
	/* above U+10FFFF, and what was UTF-8 long ago */
	{ STR("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80", 16,
	  "\\udcf4\\udc90\\udc80\\udc80" },
	{ STR("\xf5\x80\x80\x80"), "\\xf5\\x80\\x80\\x80", 16,
	  "\\udcf5\\udc80\\udc80\\udc80" },
	{ STR("\xf8\xff\xfe"), "\\xf8\\xff\\xfe", 12, "\\udcf8\\udcff\\udcfe" },
	/* behind a long run of plain text, and before one */
	{ STR("0123456789abcdef0123456789abcdef\n0123456789abcdef"),
	  "0123456789abcdef0123456789abcdef\\n0123456789abcdef", 50,
	  "0123456789abcdef0123456789abcdef\\n0123456789abcdef" },
};

static void check(const struct tl_buf *b, const char *expected)
{
	assert_false(b->failed);
	assert_int_equal(b->len, strlen(expected));
	if (b->len)
		assert_memory_equal(b->data, expected, b->len);
}

static void text(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(samples); i++) {
		struct tl_buf b = { 0 };

		assert_int_equal(tl_esc_text(&b, samples[i].in),
				 samples[i].points);
		check(&b, samples[i].text);
		tl_buf_free(&b);
	}
}

static void json(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(samples); i++) {
		struct tl_buf b = { 0 };

		tl_esc_json(&b, samples[i].in);
		check(&b, samples[i].json);
		tl_buf_free(&b);
	}
}

static unsigned int hex(const char *text, int digits)
{
	char number[8] = { 0 };

	memcpy(number, text, (size_t)digits);
	return (unsigned int)strtoul(number, NULL, 16);
}

/* Python's surrogateescape, for what has no other character beyond ASCII. */
static size_t json_undo(const struct tl_buf *b, char *to)
{
	size_t i = 0, n = 0;

	while (i < b->len) {
		if (b->data[i] != '\\') {
			to[n++] = b->data[i++];
		} else if (b->data[i + 1] == 'u') {
			unsigned int point = hex(b->data + i + 2, 4);

			assert_true(point < 0x80 ||
				    (point >= 0xdc80 && point <= 0xdcff));
			to[n++] = (char)(point & 0xff);
			i += 6;
		} else {
			const char *c =
				strchr("n\nt\tr\r\\\\\"\"", b->data[i + 1]);

			assert_non_null(c);
			to[n++] = c[1];
			i += 2;
		}
	}
	return n;
}

/* Each byte twice, so that none is part of valid UTF-8 beyond ASCII. */
static void json_round_trip(void **state)
{
	unsigned int byte;
	char back[16];

	(void)state;
	for (byte = 0; byte < 256; byte++) {
		char in[] = { 'a', (char)byte, (char)byte, 'z' };
		struct tl_buf b = { 0 };

		tl_esc_json(&b, (struct tl_str){ in, sizeof(in) });
		assert_int_equal(json_undo(&b, back), sizeof(in));
		assert_memory_equal(back, in, sizeof(in));
		tl_buf_free(&b);
	}
}

/* A byte to escape is found wherever it is, in text of any length. */
static void every_place(void **state)
{
	static const char bad[] = { '\n', '\\', '\x7f', '\xff', '\1' };
	static const char *const shown[] = { "\\n", "\\\\", "\\x7f", "\\xff",
					     "\\x01" };
	size_t len, at, kind;

	(void)state;
	for (len = 1; len < 70; len++) {
		for (at = 0; at < len; at++) {
			for (kind = 0; kind < sizeof(bad); kind++) {
				char expected[100], *in = malloc(len);
				struct tl_buf b = { 0 };

				memset(in, 'x', len);
				in[at] = bad[kind];
				memset(expected, 'x', sizeof(expected));
				strcpy(expected + at, shown[kind]);
				expected[strlen(expected)] = 'x';
				expected[len - 1 + strlen(shown[kind])] = '\0';
				tl_esc_text(&b, (struct tl_str){ in, len });
				check(&b, expected);
				tl_buf_free(&b);
				free(in);
			}
		}
	}
}

static void words(void **state)
{
	static const struct {
		struct tl_str in;
		const char *word;
	} table[] = {
		/* bare */
		{ STR("ls"), "ls" },
		{ STR("/bin/ls-1.2_3"), "/bin/ls-1.2_3" },
		{ STR("if=a@b,c:d%e+f"), "if=a@b,c:d%e+f" },
		{ STR("AZaz09"), "AZaz09" },
		/* 'quoted': empty, and what a shell or a reader would split */
		{ STR(""), "''" },
		{ STR(" "), "' '" },
		{ STR("a b"), "'a b'" },
		{ STR("$HOME"), "'$HOME'" },
		{ STR("~"), "'~'" },
		{ STR("*?[]{}()<>|&;!#^`\""), "'*?[]{}()<>|&;!#^`\"'" },
		{ STR("[...]"), "'[...]'" },
		{ STR("[?]"), "'[?]'" },
		{ STR("a\\b"), "'a\\b'" },
		{ STR("caf\xc3\xa9"), "'caf\xc3\xa9'" },
		{ STR("\xc2\xa0"), "'\xc2\xa0'" },
		/* $'...' */
		{ STR("it's"), "$'it\\'s'" },
		{ STR("'"), "$'\\''" },
		{ STR("'a'\\"), "$'\\'a\\'\\\\'" },
		{ STR("a\nb"), "$'a\\nb'" },
		{ STR("\33[2J"), "$'\\x1b[2J'" },
		{ STR("\x7f"), "$'\\x7f'" },
		{ STR("a\xff"), "$'a\\xff'" },
		{ STR("\xc2\x9b"), "$'\\xc2\\x9b'" },
		{ STR("\xe2\x80\xae\\"), "$'\\xe2\\x80\\xae\\\\'" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(table); i++) {
		struct tl_buf b = { 0 };

		tl_esc_word(&b, table[i].in);
		check(&b, table[i].word);
		tl_buf_free(&b);
	}
}

static void nothing_at_all(void **state)
{
	struct tl_str none = { NULL, 0 };
	struct tl_buf b = { 0 };

	(void)state;
	assert_int_equal(tl_esc_text(&b, none), 0);
	tl_esc_json(&b, none);
	tl_buf_add(&b, NULL, 0);
	check(&b, "");
	tl_esc_word(&b, none);
	check(&b, "''");
	tl_buf_free(&b);
}

static void buffer(void **state)
{
	struct tl_buf b = { 0 };
	size_t i;

	(void)state;
	tl_buf_char(&b, 'a');
	tl_buf_str(&b, "bc");
	tl_buf_add(&b, "d\0e", 3);
	tl_buf_printf(&b, "%d%s", 12, "x");
	assert_int_equal(b.len, 9);
	assert_memory_equal(b.data, "abcd\0e12x", 9);
	for (i = 0; i < 10000; i++)
		tl_buf_char(&b, 'y');
	assert_int_equal(b.len, 10009);
	assert_int_equal(b.data[10008], 'y');
	tl_buf_free(&b);
	assert_null(b.data);
	assert_int_equal(b.len, 0);
}

/* A failed growth is remembered, and what follows is dropped. */
static void failed_growth(void **state)
{
	struct tl_buf b = { 0 };

	(void)state;
	tl_buf_str(&b, "kept");
	assert_false(tl_buf_grow(&b, SIZE_MAX / 2));
	assert_true(b.failed);
	tl_buf_str(&b, "dropped");
	tl_buf_char(&b, 'x');
	tl_buf_printf(&b, "%d", 1);
	tl_esc_text(&b, (struct tl_str)STR("dropped\n"));
	tl_esc_json(&b, (struct tl_str)STR("dropped\n"));
	assert_int_equal(b.len, 4);
	assert_memory_equal(b.data, "kept", 4);
	tl_buf_free(&b);
	assert_false(b.failed);
}

static void copy(void **state)
{
	const char text[] = "/etc/passwd";
	struct tl_str part = tl_str_copy((struct tl_str){ text, 4 });
	struct tl_str empty = tl_str_copy((struct tl_str){ NULL, 0 });

	assert_int_equal(part.len, 4);
	assert_string_equal(part.text, "/etc");
	assert_true(part.text != text);
	/* not that there is none */
	assert_non_null(empty.text);
	assert_int_equal(empty.len, 0);
	tl_str_free(&part);
	tl_str_free(&empty);
	assert_null(part.text);
	tl_str_free(&part);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(text),
		cmocka_unit_test(json),
		cmocka_unit_test(json_round_trip),
		cmocka_unit_test(every_place),
		cmocka_unit_test(words),
		cmocka_unit_test(nothing_at_all),
		cmocka_unit_test(buffer),
		cmocka_unit_test(failed_growth),
		cmocka_unit_test(copy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
