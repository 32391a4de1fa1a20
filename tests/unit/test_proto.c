/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_proto.c - fields and messages in the wire format of protocol buffers */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "timeline/proto.h"
#include "wire.h"

static const char *const nested[] = { "1", "1.2", NULL };

static void expect_bytes(struct tl_buf *b, const char *bytes, size_t len)
{
	assert_int_equal(b->len, len);
	assert_memory_equal(b->data, bytes, len);
	b->len = 0;
}

#define EXPECT(b, bytes) expect_bytes(b, bytes, sizeof(bytes) - 1)

/* Bytes that the format's own description has as examples, and its limits. */
static void test_numbers(void **state)
{
	struct tl_buf b = { 0 };

	(void)state;
	tl_proto_uint(&b, 1, 150);
	EXPECT(&b, "\x08\x96\x01");
	tl_proto_uint(&b, 1, 0);
	EXPECT(&b, "\x08\x00");
	tl_proto_uint(&b, 15, 127);
	EXPECT(&b, "\x78\x7f");
	tl_proto_uint(&b, 16, 128);
	EXPECT(&b, "\x80\x01\x80\x01");
	tl_proto_uint(&b, 2047, UINT64_MAX);
	EXPECT(&b, "\xf8\x7f\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
	tl_proto_int(&b, 2, -2);
	EXPECT(&b, "\x10\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01");
	tl_proto_double(&b, 3, 1.5);
	EXPECT(&b, "\x19\0\0\0\0\0\0\xf8\x3f");
	tl_buf_free(&b);
}

static void test_strings(void **state)
{
	struct tl_buf b = { 0 };

	(void)state;
	tl_proto_text(&b, 2, "testing");
	EXPECT(&b, "\x12\x07testing");
	tl_proto_text(&b, 2, "");
	EXPECT(&b, "\x12\0");
	tl_proto_text(&b, 2, "\xc3\xa4\\");
	EXPECT(&b, "\x12\x03\xc3\xa4\\");
	/* neither UTF-8 nor quiet on a terminal */
	tl_proto_text(&b, 2, "\xff\33");
	EXPECT(&b, "\x12\x08\\xff\\x1b");
	tl_buf_free(&b);
}

/* The length of a message is written behind it, in as many bytes as it needs. */
static void test_messages(void **state)
{
	static const size_t lengths[] = { 0,     1,     124,   125,
					  126,   127,   16380, 16381,
					  16382, 16383, 20000, 2097151 };
	char *text = calloc(1, 2097152);
	struct tl_buf b = { 0 }, expected = { 0 };
	size_t i, outer, inner;

	(void)state;
	assert_non_null(text);
	memset(text, 'x', 2097151);
	for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		outer = tl_proto_begin(&b, 1);
		tl_proto_uint(&b, 7, 1);
		inner = tl_proto_begin(&b, 2);
		tl_proto_str(&b, 3, (struct tl_str){ text, lengths[i] });
		tl_proto_end(&b, inner);
		tl_proto_uint(&b, 8, 2);
		tl_proto_end(&b, outer);
		tl_proto_uint(&b, 9, 3);
		tl_buf_printf(&expected, "1{7=1 2{3=\"%.*s\"} 8=2} 9=3",
			      (int)lengths[i], text);
		tl_buf_char(&expected, '\0');
		expect_message(&b, nested, expected.data);
		expected.len = 0;
	}
	tl_buf_free(&expected);
	tl_buf_free(&b);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_messages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
