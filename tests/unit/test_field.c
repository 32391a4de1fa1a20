/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_field.c - fields of records, bounds and signs */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tracelet/event.h"
#include "tracelet/text.h"

enum { IN_RECORD, BY_DATA_LOC, BY_REL_LOC };

static void test_numbers(void **state)
{
	const char data[] = "\xff\xfe\xfd\xfc\xfb\xfa\xf9\xf8";
	struct tl_record r = { .data = data, .size = 8 };
	static const struct {
		struct tl_field field;
		int64_t value;
	} cases[] = {
		{ { 0, 1, false, 0 }, 0xff },
		{ { 0, 1, true, 0 }, -1 },
		{ { 0, 2, false, 0 }, 0xfeff },
		{ { 0, 2, true, 0 }, -257 },
		{ { 0, 4, false, 0 }, 0xfcfdfeff },
		{ { 0, 4, true, 0 }, -50462977 },
		{ { 0, 8, true, 0 }, -506097522914230529 },
		{ { 5, 4, true, 0 }, 0 }, /* behind the end */
		{ { 65535, 8, true, 0 }, 0 },
		{ { 0, 3, true, 0 }, 0 }, /* no such number */
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(tl_field_num(&r, &cases[i].field),
				 cases[i].value);
}

static void put_loc(char *at, uint32_t offset, uint32_t len)
{
	uint32_t loc = len << 16 | offset;

	memcpy(at, &loc, sizeof(loc));
}

static void expect(const struct tl_record *r, struct tl_field f,
		   const char *text)
{
	struct tl_str str = tl_field_str(r, &f);

	assert_int_equal(str.len, strlen(text));
	assert_memory_equal(str.text, text, str.len);
}

static void test_text(void **state)
{
	char data[32] = { 0 };
	struct tl_record r = { .data = data, .size = sizeof(data) };
	const struct tl_field data_loc = { 0, 4, false, BY_DATA_LOC };
	const struct tl_field rel_loc = { 4, 4, false, BY_REL_LOC };

	(void)state;
	strcpy(data + 16, "sixteen");
	put_loc(data, 16, 8);
	expect(&r, data_loc, "sixteen");
	put_loc(data + 4, 8, 8); /* counts from its own end */
	expect(&r, rel_loc, "sixteen");
	/* without a NUL: no more than there is */
	put_loc(data, 16, 3);
	expect(&r, data_loc, "six");
	/* outside of the record */
	put_loc(data, 16, 17);
	expect(&r, data_loc, "");
	put_loc(data, 33, 0);
	expect(&r, data_loc, "");
	put_loc(data + 4, 0xffff, 0xffff);
	expect(&r, rel_loc, "");
	r.size = 3;
	expect(&r, data_loc, "");
	/* a fixed place */
	r.size = sizeof(data);
	expect(&r, (struct tl_field){ 16, 16, false, IN_RECORD }, "sixteen");
	expect(&r, (struct tl_field){ 16, 5, false, IN_RECORD }, "sixte");
	expect(&r, (struct tl_field){ 20, 16, false, IN_RECORD }, "");
}

static void test_bytes(void **state)
{
	struct tl_record r = { .data = "abcdefgh", .size = 8 };
	char to[4];

	(void)state;
	tl_field_bytes(&r, &(struct tl_field){ 2, 4, false, IN_RECORD }, to, 4);
	assert_memory_equal(to, "cdef", 4);
	/* a field that is larger, or smaller */
	tl_field_bytes(&r, &(struct tl_field){ 0, 8, false, IN_RECORD }, to, 4);
	assert_memory_equal(to, "abcd", 4);
	tl_field_bytes(&r, &(struct tl_field){ 0, 2, false, IN_RECORD }, to, 4);
	assert_memory_equal(to, "ab\0\0", 4);
	/* behind the end, or elsewhere */
	tl_field_bytes(&r, &(struct tl_field){ 6, 4, false, IN_RECORD }, to, 4);
	assert_memory_equal(to, "\0\0\0\0", 4);
	tl_field_bytes(&r, &(struct tl_field){ 0, 4, false, BY_DATA_LOC }, to,
		       4);
	assert_memory_equal(to, "\0\0\0\0", 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
