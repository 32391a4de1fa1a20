/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_source.c - tables of sources: names, and what --check finds */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/limit.h"
#include "base/message.h"
#include "base/part.h"
#include "base/session.h"
#include "scratch.h"
#include "source/names.h"
#include "tracefs/instance.h"
#include "tracelet/source.h"

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

/* ---- what --check finds in a tracefs of one event, sys:there -------------- */

#define THERE  "sys:there"
#define ABSENT "sys:absent"

static const bool yes = true, no;
static bool sets_up; /* not --check */

/* What is said, and the limits, as "option: reason|". */
static int check(const struct tl_source *table, struct tl_buf *all)
{
	static const struct tl_tool tool = { .name = "tool" };
	int tracefs = open(dir, O_DIRECTORY);
	struct tl_instance instance = { .root.fd = tracefs, .dir.fd = tracefs };
	struct tl_session s = { .tool = &tool, .instance = &instance };
	const struct tl_limits none = { 0 };
	const struct tl_limits *l = sets_up ? &none : tl_limits_new(&s);
	struct tl_buf said = { 0 };
	size_t i;
	int ret;

	tl_message_tool(tool.name);
	tl_message_keep(&said);
	ret = tl_sources_add(&s, table);
	tl_message_keep(NULL);
	tl_limit_join(all, tool.name, &said);
	for (i = 0; i < l->count; i++)
		tl_buf_printf(all, "%s: %.*s|", l->list[i].option,
			      (int)l->list[i].reason.len,
			      l->list[i].reason.data);
	tl_buf_char(all, '\0');
	tl_buf_free(&said);
	tl_parts_free(&s);
	close(tracefs);
	return ret;
}

static void expect(const struct tl_source *table, int want, const char *text)
{
	struct tl_buf all = { 0 };

	assert_int_equal(check(table, &all), want);
	assert_string_equal(all.data, text);
	tl_buf_free(&all);
}

#define EXPECT(ret, text, ...) \
	expect((const struct tl_source[]){ __VA_ARGS__, { 0 } }, ret, text)
#define NO_ABSENT "this kernel has no tracepoint " ABSENT

static void options(void **state)
{
	(void)state;
	EXPECT(0, "", { THERE });
	EXPECT(-ENOTSUP, NO_ABSENT, { ABSENT });
	EXPECT(-ENOTSUP, NO_ABSENT, { ABSENT, .given = &yes });
	EXPECT(0, "", { ABSENT, .given = &no });
	EXPECT(0, "", { ABSENT, .unless = &yes });
	EXPECT(-ENOTSUP, NO_ABSENT, { ABSENT, .unless = &no });
	EXPECT(0, "", { ABSENT, .flags = TL_SOURCE_OPTIONAL });
	/* only what is not asked for is a limit */
	EXPECT(0, "-x: " NO_ABSENT "|", { ABSENT, .given = &no, .limit = "-x" },
	       { ABSENT, .given = &no, .limit = "-x", .missing = "again" });
	EXPECT(0, "", { THERE, .given = &no, .limit = "-x" });
	EXPECT(-ENOTSUP, NO_ABSENT, { ABSENT, .given = &yes, .limit = "-x" });
	EXPECT(0, "DIRT: not known|",
	       { ABSENT, .flags = TL_SOURCE_OPTIONAL, .limit = "DIRT",
		 .missing = "not known" });
}

static void alternatives(void **state)
{
	bool first, second;

	(void)state;
	EXPECT(0, "", { ABSENT, .found = &first },
	       { THERE, .found = &second, .flags = TL_SOURCE_ELSE },
	       { ABSENT, .unless = &second });
	assert_false(first);
	assert_true(second);
	EXPECT(0, "-x: " NO_ABSENT "|", { ABSENT },
	       { ABSENT, .found = &second, .flags = TL_SOURCE_ELSE,
		 .given = &no, .limit = "-x" });
	assert_false(second);
	/* not on a kernel whose returns have no arguments */
	EXPECT(0, "",
	       { THERE, .found = &first, .flags = TL_SOURCE_RETURN_ARGS },
	       { THERE, .found = &second, .flags = TL_SOURCE_ELSE });
	assert_false(first);
	assert_true(second);
	assert_true(run("echo 'kernel return probes support: "
			"$retval, $arg<N>' >README"));
	EXPECT(0, "",
	       { THERE, .found = &first, .flags = TL_SOURCE_RETURN_ARGS },
	       { ABSENT, .unless = &first });
	assert_true(first);
}

/* An event that lacks a field is as good as missing where another will do. */
static void lacking(void **state)
{
	static const struct tl_source_field none[] = { { "none" }, { 0 } };
	static const char lacks[] = THERE " has no field none on this kernel";
	bool first, second;
	char limit[80];

	(void)state;
	EXPECT(-ENOTSUP, lacks, { THERE, .fields = none });
	EXPECT(0, "", { THERE, .fields = none, .flags = TL_SOURCE_OPTIONAL });
	EXPECT(0, "", { THERE, .fields = none, .found = &first },
	       { THERE, .found = &second, .flags = TL_SOURCE_ELSE });
	assert_false(first);
	assert_true(second);
	snprintf(limit, sizeof(limit), "-x: %s|", lacks);
	EXPECT(0, limit,
	       { THERE, .fields = none, .flags = TL_SOURCE_OPTIONAL,
		 .limit = "-x" });
	sets_up = true;
	EXPECT(0, "",
	       { THERE, .fields = none, .flags = TL_SOURCE_OPTIONAL,
		 .limit = "-x" });
	sets_up = false;
	/* as set-up does, it wants the ends of a connection */
	EXPECT(-ENOTSUP, THERE " has no field sport on this kernel",
	       { THERE, .socket = true });
}

/* In a process that runs a tool again, as fuzz_replay: the event is gone. */
static void earlier_set_up(void **state)
{
	static char gone;
	struct tl_event *added = (struct tl_event *)&gone;

	(void)state;
	EXPECT(0, "", { THERE, .given = &no, .added = &added });
	assert_ptr_equal(added, &gone);
	sets_up = true;
	EXPECT(0, "", { THERE, .given = &no, .added = &added });
	sets_up = false;
	assert_null(added);
}

static int make_tracefs(void **state)
{
	return make_dir(state) || !run("mkdir -p events/sys/there && "
				       "touch events/sys/there/format README");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists),   cmocka_unit_test(fields),
		cmocka_unit_test(options), cmocka_unit_test(alternatives),
		cmocka_unit_test(lacking), cmocka_unit_test(earlier_set_up),
	};

	return cmocka_run_group_tests(tests, make_tracefs, remove_dir);
}
