// SPDX-License-Identifier: GPL-2.0-or-later
/* test_args.c - arguments of probes, in formats as kernels have them */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "probe/args.h"
#include "tracelet/probe.h"

#define COMMON                                                                 \
	"name: e\nID: 1500\nformat:\n"                                         \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

/* 6.12 shows no sizes of arrays, 5.10 does: "u8 arr[4]". */
static const char entry[] = COMMON
	"\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:s32 fd;\toffset:16;\tsize:4;\tsigned:1;\n"
	"\tfield:__data_loc char[] name;\toffset:20;\tsize:4;\tsigned:1;\n"
	"\tfield:u8 arr[];\toffset:24;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc char[][2] argv;\toffset:28;\tsize:8;\tsigned:1;\n"
	"\tfield:u64 flags;\toffset:36;\tsize:8;\tsigned:0;\n"
	"\tfield:char c;\toffset:44;\tsize:1;\tsigned:0;\n"
	"\tfield:u64 big;\toffset:45;\tsize:8;\tsigned:0;\n"
	"\nprint fmt: \"(%lx) fd=%d name=\\\"%s\\\" arr={0x%x,0x%x,0x%x,0x%x} "
	"argv={\\\"%s\\\",\\\"%s\\\"} flags=0x%Lx c='%c' big=%Lu\", "
	"REC->__probe_ip, REC->fd, __get_str(name), REC->arr[0]\n";

static const char returned[] = COMMON
	"\tfield:unsigned long __probe_func;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long "
	"__probe_ret_ip;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:u64 arg1;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\nprint fmt: \"(%lx <- %lx) arg1=0x%Lx\", REC->__probe_func\n";

static const char through[] = COMMON
	"\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:u64 a;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:u64 __at1_1;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:u64 __atu1_2;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\tfield:u64 __attr;\toffset:40;\tsize:8;\tsigned:0;\n"
	"\nprint fmt: \"(%lx) a=%Lu __at1_1=0x%Lx __atu1_2=0x%Lx __attr=%Lu\", "
	"REC->__probe_ip, REC->a\n";

struct fixture {
	struct tl_event event;
	struct tl_session s;
	struct tl_record r;
	char data[128];
	struct tl_buf line;
};

static void put(struct fixture *f, size_t at, const void *value, size_t size)
{
	memcpy(f->data + at, value, size);
}

static void put_u64(struct fixture *f, size_t at, uint64_t value)
{
	put(f, at, &value, sizeof(value));
}

static void put_loc(struct fixture *f, size_t at, uint32_t start, uint32_t len)
{
	uint32_t loc = len << 16 | start;

	put(f, at, &loc, sizeof(loc));
}

static void set_up(struct fixture *f, const char *format)
{
	memset(f, 0, sizeof(*f));
	assert_int_equal(tl_args_parse(&f->event, strdup(format)), 0);
	f->r = (struct tl_record){ .event = &f->event,
				   .data = f->data,
				   .size = sizeof(f->data) };
}

static void tear_down(struct fixture *f)
{
	tl_buf_free(&f->line);
	f->event.parts->ops->free(f->event.parts);
}

static void expect(struct fixture *f, const char *line)
{
	f->line.len = 0;
	tl_args_line(&f->s, &f->r, &f->line);
	tl_buf_char(&f->line, '\0');
	assert_string_equal(f->line.data, line);
}

static void fill(struct fixture *f)
{
	int32_t fd = -100;

	put_u64(f, 8, 0x1234);
	put(f, 16, &fd, sizeof(fd));
	put_loc(f, 20, 64, 4);
	put(f, 64, "abc", 4);
	put(f, 24, "\0\x80\x08\xff", 4);
	put_loc(f, 28, 68, 1); /* empty */
	put_loc(f, 32, 69, 0); /* could not be read */
	put_u64(f, 36, 0xff00000000000001);
	put(f, 44, "x", 1);
	put_u64(f, 45, UINT64_MAX);
}

static void expect_list(struct fixture *f, const char *list)
{
	f->line.len = 0;
	tl_args_list(&f->s, &f->r, &f->line);
	tl_buf_char(&f->line, '\0');
	assert_string_equal(f->line.data, list);
}

static void test_line(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, entry);
	fill(&f);
	expect(&f, "(0x1234) fd=-100 name=\"abc\" arr={0x0,0x80,0x8,0xff} "
		   "argv={\"\",(fault)} flags=0xff00000000000001 c='x' "
		   "big=18446744073709551615");
	expect_list(&f, "(fd=-100, name=\"abc\", arr={0x0,0x80,0x8,0xff}, "
			"argv={\"\",(fault)}, flags=0xff00000000000001, "
			"c='x', big=18446744073709551615)");
	tear_down(&f);
}

static void test_return(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, returned);
	put_u64(&f, 8, 0x10);
	put_u64(&f, 16, 0x20);
	put_u64(&f, 24, 3);
	expect(&f, "(0x20 <- 0x10) arg1=0x3");
	tear_down(&f);
}

static const char bytes[] = COMMON
	"\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:x32 __bytes_b[];\toffset:16;\tsize:4;\tsigned:0;\n"
	"\nprint fmt: \"(%lx) __bytes_b={0x%x}\", REC->__probe_ip\n";

/* A text is shown up to its NUL, and what is none with all of its bytes. */
static void test_bytes(void **state)
{
	static const struct {
		char bytes[5];
		unsigned int len; /* of them, shown */
	} tries[] = {
		{ "ab\0\xff", 2 },    { "abcd", 4 },      { "\0\0\0\0", 0 },
		{ "\0\x01\0\0", 4 },  { "a\x01\0\0", 4 }, { "\xff\0\0\0", 4 },
		{ "\xc3\xa9\0x", 2 },
	};
	const struct tl_named *v;
	struct fixture f;
	size_t i;

	(void)state;
	set_up(&f, bytes);
	for (i = 0; i < sizeof(tries) / sizeof(*tries); i++) {
		put(&f, 16, tries[i].bytes, 4);
		v = tl_args_values(&f.s, &f.r);
		assert_string_equal(v->name, "b");
		assert_int_equal(v->value.type, TL_STR);
		assert_int_equal(v->value.str.len, tries[i].len);
		assert_memory_equal(v->value.str.text, tries[i].bytes,
				    tries[i].len);
	}
	put(&f, 16, "ab", 3);
	expect(&f, "(0x0) b=\"ab\"");
	f.r.size = 19;
	expect(&f, "(0x0) b=(fault)");
	tear_down(&f);
}

static const char *name_of(const void *ctx, int64_t value)
{
	return value == -100 ? ctx : NULL;
}

static void test_values(void **state)
{
	const struct tl_named *v;
	struct fixture f;

	(void)state;
	set_up(&f, entry);
	fill(&f);
	assert_int_equal(
		tl_event_name_values(&f.s, &f.event, "fd", name_of, "CWD"), 0);
	assert_int_equal(
		tl_event_name_values(&f.s, &f.event, "no", name_of, NULL),
		-ENOENT);
	v = tl_args_values(&f.s, &f.r);
	assert_int_equal(tl_args_of(&f.event)->count, 7);
	assert_string_equal(v[0].name, "fd");
	assert_int_equal(v[0].value.type, TL_STR);
	assert_int_equal(v[0].value.str.len, 3);
	assert_memory_equal(v[0].value.str.text, "CWD", 3);
	assert_memory_equal(v[1].value.str.text, "abc", 3);
	assert_int_equal(v[2].value.type, TL_ARGV);
	assert_int_equal(v[2].value.count, 4);
	assert_int_equal(v[2].value.list[3].value.num, 0xff);
	assert_int_equal(v[2].value.list[3].value.type, TL_HEX);
	assert_true(v[3].value.list[0].value.known);
	assert_int_equal(v[3].value.list[0].value.str.len, 0);
	assert_false(v[3].value.list[1].value.known);
	assert_int_equal(v[4].value.type, TL_ADDRESS);
	assert_memory_equal(v[5].value.str.text, "x", 1);
	tear_down(&f);
}

static void test_short_record(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, entry);
	fill(&f);
	f.r.size = 20;
	expect(&f, "(0x1234) fd=-100 name=(fault) arr={0x0,0x0,0x0,0x0} "
		   "argv={(fault),(fault)} flags=0x0 c='\0' big=0");
	tear_down(&f);
}

static const char shared[] = COMMON
	"\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:u64 a;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:u64 b;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:u64 c;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\tfield:u64 __at2_1;\toffset:40;\tsize:8;\tsigned:0;\n"
	"\nprint fmt: \"(%lx) a=%Lu b=%Lu c=%Lu __at2_1=0x%Lx\", "
	"REC->__probe_ip, REC->a\n";

/* Of the arguments before a pointer, as many as it says are read through it. */
static void test_shared_pointers(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, shared);
	assert_int_equal(tl_args_of(&f.event)->count, 3);
	assert_true(tl_args_is_read(&f.r, 0));
	assert_false(tl_args_is_read(&f.r, 1));
	assert_false(tl_args_is_read(&f.r, 2));
	put_u64(&f, 40, 0xffff888012345678);
	assert_true(tl_args_is_read(&f.r, 1));
	assert_true(tl_args_is_read(&f.r, 2));
	tear_down(&f);
}

static void expect_read(struct fixture *f, uint64_t kernel, uint64_t user,
			bool is_read)
{
	const struct tl_named *values;

	put_u64(f, 24, kernel);
	put_u64(f, 32, user);
	values = tl_args_values(&f->s, &f->r);
	assert_int_equal(values[0].value.known, is_read);
	assert_int_equal(tl_args_is_read(&f->r, 0), is_read);
	assert_true(values[1].value.known);
}

/* A number behind what is no pointer is not known; those pointers are not shown. */
static void test_pointers(void **state)
{
	const uint64_t kernel = 0xffff888012345678, user = 0x7f0012345678;
	struct fixture f;

	(void)state;
	set_up(&f, through);
	assert_int_equal(tl_args_of(&f.event)->count, 2);
	assert_string_equal(tl_args_name(&f.event, 1), "__attr");
	expect_read(&f, kernel, user, true);
	expect_read(&f, 0, user, false);
	expect_read(&f, 4095, user, false);
	expect_read(&f, 4096, user, true);
	expect_read(&f, (uint64_t)-12, user, false);
	expect_read(&f, kernel, 0, false);
	expect_read(&f, kernel, (uint64_t)-1, false);
	expect_read(&f, 0x6b6b6b6b6b6b6b6b, user, false);
	/* of a program's, any bit can be a tag */
	expect_read(&f, kernel, 0x6b00007f12345678, true);
	assert_true(tl_args_is_read(&f.r, 1));
	tear_down(&f);
}

/*
 * A text that no way led to has the room of the next one, here that of argv; and of an
 * array nothing behind such an element is set.
 */
static void test_texts_without_a_way(void **state)
{
	const struct tl_named *v;
	struct fixture f;

	(void)state;
	set_up(&f, entry);
	fill(&f);
	put_loc(&f, 20, 64, 4);
	put_loc(&f, 28, 64, 4);
	put_loc(&f, 32, 68, 3);
	v = tl_args_values(&f.s, &f.r);
	assert_false(v[1].value.known);
	assert_true(v[3].value.list[0].value.known);
	assert_true(v[3].value.list[1].value.known);
	put_loc(&f, 28, 68, 0);
	put_loc(&f, 32, 64, 4);
	v = tl_args_values(&f.s, &f.r);
	assert_true(v[1].value.known);
	assert_false(v[3].value.list[0].value.known);
	assert_false(v[3].value.list[1].value.known);
	tear_down(&f);
}

static void test_bad_formats(void **state)
{
	static const char *const formats[] = {
		"",
		"\tfield:u64 x;\toffset:8;\tsize:8;\tsigned:0;\n",
		"\tfield:u64 x;\toffset:8;\tsize:8;\tsigned:0;\n"
		"print fmt: \"(%lx) y=%d\"\n",
		"\tfield:u8 ;\toffset:8;\tsize:1;\tsigned:0;\n"
		"print fmt: \"(%lx)\"\n",
		"\tfield:u8 [4];\toffset:8;\tsize:4;\tsigned:0;\n"
		"print fmt: \"(%lx) [4]={0x%x}\"\n",
	};
	struct tl_event event = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		assert_int_not_equal(tl_args_parse(&event, strdup(formats[i])),
				     0);
		assert_null(tl_args_of(&event));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_line),
		cmocka_unit_test(test_return),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_short_record),
		cmocka_unit_test(test_pointers),
		cmocka_unit_test(test_shared_pointers),
		cmocka_unit_test(test_texts_without_a_way),
		cmocka_unit_test(test_bad_formats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
