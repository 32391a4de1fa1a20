// SPDX-License-Identifier: GPL-2.0-or-later
/* test_format.c - formats that are a kernel's, and such as none would write */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "record/format.h"

#define HEAD   "name: sample\nID: 9\nformat:\n"
#define COMMON "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
#define END    "\nprint fmt: \"%d\", REC->n\n"

static bool good(const char *text)
{
	const char *print;

	return tl_format_fields(text, &print);
}

/* A field of its own, declared so and placed so. */
static bool field(const char *declared, const char *place)
{
	char text[1024];

	snprintf(text, sizeof(text), HEAD COMMON "\n\tfield:%s;%s\n%s",
		 declared, place, END);
	return good(text);
}

#define PLACE "\toffset:8;\tsize:4;\tsigned:1;"

static void whole(void **state)
{
	const char *print;

	(void)state;
	assert_true(tl_format_fields(HEAD COMMON "\n" COMMON END, &print));
	assert_string_equal(print, "\"%d\", REC->n\n");
	/* without fields of its own */
	assert_true(good(HEAD COMMON "\n\nprint fmt: \"\"\n"));
	assert_false(good(""));
	assert_false(good(HEAD));
	assert_false(good(HEAD COMMON));
	assert_false(good(HEAD "\n" COMMON END));
	assert_false(good(HEAD COMMON "\n" COMMON "\nprint fmt: "));
	assert_false(good("name: \nID: 9\nformat:\n" COMMON "\n" COMMON END));
	assert_false(good("name: a b\nID: 9\nformat:\n" COMMON "\n" END));
	assert_false(
		good("name: a\nID: 65536\nformat:\n" COMMON "\n" COMMON END));
	assert_false(good("name: a\nID: -1\nformat:\n" COMMON "\n" COMMON END));
	assert_false(good("name: a\nID: 1x\nformat:\n" COMMON "\n" COMMON END));
}

static void fields(void **state)
{
	static const char *const right[] = {
		"int n",
		"unsigned long long n",
		"const char * n",
		"char comm[16]",
		"char n[TASK_COMM_LEN]",
		"__data_loc char[] n",
		"__rel_loc char[] n",
		"unsigned long n[8]",
		"struct foo *n",
		"u8 arr[]",
		"char file[20+1]",
		"u8 saddr[sizeof(struct sockaddr_in6)]",
	};
	static const char *const wrong[] = {
		"",        "int",       "int 4",     " int n", "int n[",
		"int n]",  "int [4]",   "int n[[4]", "int *",  "[4]",
		"int \tn", "int n\033", "int n(x)",  "n",      "int n [4]",
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(right) / sizeof(right[0]); i++)
		if (!field(right[i], PLACE))
			fail_msg("%s", right[i]);
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (field(wrong[i], PLACE))
			fail_msg("%s", wrong[i]);
}

static void places(void **state)
{
	static const char *const wrong[] = {
		"",
		"\toffset:8;\tsize:4;",
		"\toffset:;\tsize:4;\tsigned:1;",
		"\toffset:-8;\tsize:4;\tsigned:1;",
		"\toffset:65536;\tsize:4;\tsigned:1;",
		"\toffset:8;\tsize:65536;\tsigned:1;",
		"\toffset:8;\tsize:18446744073709551620;\tsigned:1;",
		"\toffset:8;\tsize:4;\tsigned:2;",
		"\toffset:8;\tsize:4;\tsigned:1",
		"\toffset:8;\tsize:4;\tsigned:1; ",
		"\tsize:4;\toffset:8;\tsigned:1;",
	};
	unsigned int i;

	(void)state;
	assert_true(field("int n", "\toffset:65535;\tsize:0;\tsigned:0;"));
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (field("int n", wrong[i]))
			fail_msg("%s", wrong[i]);
}

/* The fields that are named below, as far as they are looked at. */
static const char some[] = "\tfield:int a;\tfield:u64 b;\tfield:int n;\n"
			   "\tfield:char comm[16];\n\tfield:int dev;\n"
			   "\tfield:__data_loc char[] name;\n"
			   "\tfield:int len;\tfield:u8 addr[4];\n"
			   "\tfield:long caller[8];\n";

static void prints(void **state)
{
	static const char *const right[] = {
		"\"\"",
		"\"100%%\"",
		"\"%s\" \" %d\", REC->comm, REC->n\n",
		"\"\\\"%.*s\\\"\", (int)REC->len, __get_str(name)",
		"\"%-16s %08llx %5.3d\", REC->a, (unsigned long long)REC->b, 1",
		"\"%s\", REC->a ? \"yes\" : \"no\"",
		"\"%d\", ((unsigned int) ((REC->dev) & ((1U << 20) - 1)))",
		"\"%d\", -REC->a * ~REC->b / 1000",
		"\"%d %d\", (REC->a / 1000) % 7 + 1, REC->a % 10 - 1",
		"\"%s\", __print_symbolic(REC->a, { 1, \"x\" }, { -1, \"y\" })",
		"\"%s\", __print_symbolic(REC->a, { NAME, \"x\" })",
		"\"%s\", __print_flags(REC->a & 7, \"|\", { 1 << 2, \"x\" })",
		"\"%s\", (REC->a & 1) ? __print_flags(REC->a, \"\", "
		"{ 0x1UL, \"x\" }) : \"none\"",
		"\"%pI4 %ps\", REC->addr, (void *)REC->caller[7]",
		"\"%d\", __get_dynamic_array_len(a)",
	};
	static const char *const wrong[] = {
		"",
		"%d",
		"\"%d",
		"\"%d\", ",
		"\"%d\" REC->a",
		"\"%d\", REC->",
		"\"%d\", (REC->a",
		"\"%d\", REC->a)",
		"\"%d\", REC->a ? 1",
		/* of fields that there are not */
		"\"%d\", REC->nosuch",
		"\"%d\", REC->comm[2] + REC->com",
		"\"%d\", REC->int",
		"\"%s\", __get_str(omm)",
		/* by what is in the record */
		"\"%d\", 1 / REC->a",
		"\"%d\", 1 % (REC->a)",
		"\"%d\", 1 / 0",
		"\"%d\", 1 / (0)",
		"\"%d\", 1 / (1 - 1)",
		/* to libtraceevent 1 / (1 / 2) */
		"\"%d\", 1 / 1 / 2",
		"\"%d\", 1 / 1 * REC->a",
		"\"%*d\", REC->a, 1",
		"\"%.*d\", REC->a, 1",
		"\"%9999d\", 1",
		"\"%.9999d\", 1",
		"\"%n\", REC->a",
		"\"%d\", REC->a[REC->b]",
		"\"%d\", REC->a[99999]",
		"\"%s\", __print_hex(__get_dynamic_array(a), REC->len)",
		"\"%s\", __print_array(__get_dynamic_array(a), REC->len, 4)",
		"\"%d\", other(REC->a)",
		"\"%s\", __print_symbolic(REC->a, { 1 })",
		"\"%s\", __get_str(1)",
		"\"\033[31m\"",
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(right) / sizeof(right[0]); i++)
		if (!tl_format_prints(some, right[i]))
			fail_msg("%s", right[i]);
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (tl_format_prints(some, wrong[i]))
			fail_msg("%s", wrong[i]);
}

static void depth(void **state)
{
	char text[4096] = "\"%d\", ";
	size_t at = strlen(text);

	(void)state;
	memset(text + at, '(', 2000);
	strcpy(text + at + 2000, "1");
	memset(text + at + 2001, ')', 2000);
	assert_false(tl_format_prints("", text));
	memset(text + at, '-', 2000);
	strcpy(text + at + 2000, "1");
	assert_false(tl_format_prints("", text));
	/* what stands side by side is none */
	strcpy(text, "\"%d\", 1");
	for (at = strlen(text); at < 2000; at += 2)
		strcpy(text + at, "+1");
	assert_true(tl_format_prints("", text));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole),  cmocka_unit_test(fields),
		cmocka_unit_test(places), cmocka_unit_test(prints),
		cmocka_unit_test(depth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
