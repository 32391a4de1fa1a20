/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_source.c - names and texts in a table of sources */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "source/names.h"

static void lists(void **state)
{
	static const struct {
		const char *list, *first, *rest, *words;
	} cases[] = {
		{ "a", "a", "", "a" },
		{ "new|old", "new", "old", "new or old" },
		{ "a|bc|d", "a", "bc|d", "a, bc or d" },
		{ "", "", "", "" },
		{ "much_too_long|b", "much_to", "b", "much_too_long or b" },
	};
	char first[8], words[32];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_string_equal(
			tl_source_name(cases[i].list, first, sizeof(first)),
			cases[i].rest);
		assert_string_equal(first, cases[i].first);
		tl_source_names(cases[i].list, words, sizeof(words));
		assert_string_equal(words, cases[i].words);
	}
	tl_source_names("one|another", words, 8);
	assert_string_equal(words, "one or ");
}

static void fields(void **state)
{
	static const char format[] =
		"name: signal_generate\nID: 163\nformat:\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
		"\tfield:int sig;\toffset:8;\tsize:4;\tsigned:1;\n"
		"\tfield:char comm[16];\toffset:20;\tsize:16;\tsigned:0;\n"
		"\tfield:__data_loc char[] file;\toffset:36;\tsize:4;\t"
		"signed:0;\n\nprint fmt: \"sig=%d no=%d\", REC->sig, REC->no";
	static const struct {
		const char *name;
		bool has;
	} cases[] = {
		{ "sig", true },     { "common_pid", true }, { "comm", true },
		{ "file", true },    { "no", false },        { "pid", false },
		{ "common", false }, { "signed", false },    { "fil", false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(tl_source_has_field(format, cases[i].name),
				 cases[i].has);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists),
		cmocka_unit_test(fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
