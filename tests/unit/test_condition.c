/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_condition.c - event filters as the kernel understands them */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/message.h"
#include "condition/condition.h"
#include "out/out.h"
#include "record/event.h"

static const char format[] =
	"name: sample\nID: 1\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:unsigned int flags;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:int ret;\toffset:12;\tsize:4;\tsigned:1;\n"
	"\tfield:u64 addr;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:char comm[16];\toffset:24;\tsize:16;\tsigned:0;\n"
	"\tfield:__data_loc char[] file;\toffset:40;\tsize:4;\tsigned:0;\n\n"
	"print fmt: \"%d\", REC->ret\n";

struct sample {
	uint16_t type, pad;
	int32_t pid;
	uint32_t flags;
	int32_t ret;
	uint64_t addr;
	char comm[16];
	uint32_t loc;
	char file[12];
};

static struct tep_handle *tep;
static struct tl_event event = { .system = (char *)"test",
				 .name = (char *)"sample" };
static const struct sample sample = {
	.type = 1,
	.pid = 77,
	.flags = 0x21,
	.ret = -2,
	.addr = 0xffffffff81000000,
	.comm = "a (b) 'c'",
	.loc = 12U << 16 | 44,
	.file = "/etc/passwd",
};

static int open_event(void **state)
{
	(void)state;
	tep = tep_alloc();
	return !tep || tep_parse_format(tep, &event.tep, format,
					sizeof(format) - 1, "test");
}

static int close_event(void **state)
{
	(void)state;
	tep_free(tep);
	return 0;
}

static bool holds(const char *text)
{
	const struct tl_record r = { .data = (const char *)&sample,
				     .size = sizeof(sample),
				     .pid = 77,
				     .cpu = 3 };
	struct tl_condition *c = tl_condition_parse(&event, "-f", text);
	bool yes;

	if (!c)
		fail_msg("%s", text);
	yes = tl_condition_holds(NULL, c, &r);
	tl_condition_free(c);
	return yes;
}

#define YES(text) assert_true(holds(text))
#define NO(text)  assert_false(holds(text))

static void numbers(void **state)
{
	(void)state;
	YES("ret == -2");
	NO("ret != -2");
	YES("ret < 0");
	NO("ret > -2");
	YES("ret >= -2");
	YES("ret<=-2");
	YES("ret == 0xfffffffe"); /* of 32 bits */
	YES("flags == 33");
	YES("flags == 041");
	YES("flags == 0x21");
	YES("flags & 0x20");
	NO("flags & 0x40");
	YES("common_pid == 77");
	YES("CPU == 3");
	NO("cpu > 3");
}

/* Above the largest signed one. */
static void unsigned_numbers(void **state)
{
	(void)state;
	YES("addr == 0xffffffff81000000");
	YES("addr == 18446744071578845184");
	YES("addr > 0");
	YES("addr > 0x7fffffffffffffff");
	NO("addr < 0xffffffff80000000");
	YES("addr & 0x8000000000000000");
}

static void texts(void **state)
{
	(void)state;
	YES("file == \"/etc/passwd\"");
	YES("file == /etc/passwd");
	YES("file == '/etc/passwd'");
	NO("file == \"/etc/passw\"");
	YES("file != \"x\"");
	YES("file ~ \"*passwd\"");
	YES("file ~ \"/etc/p[a-c]s?wd\"");
	NO("file ~ \"passwd\"");
	/* the other quote, brackets and blanks are part of it */
	YES("comm == \"a (b) 'c'\"");
	NO("comm == 'a (b) '");
	NO("file == \"\"");
}

static void joined(void **state)
{
	(void)state;
	/* "&&" before "||" */
	YES("ret == -2 || ret == 1 && ret == 2");
	YES("ret == 1 && ret == 2 || ret == -2");
	NO("(ret == -2 || ret == 1) && ret == 2");
	YES("!ret == 1");
	NO("!(ret == -2)");
	YES("!(ret == 1 || flags & 0x40)");
	YES("!!(ret == -2)");
	YES("!ret == 1 && ret == -2");
	YES(" ( ( ret==-2 ) )\n");
	YES("ret==-2&&flags==33&&comm~\"a*\"");
}

/* ---- wrong ones ------------------------------------------------------- */

/* What is said, and how far from the start of the text the caret is. */
static void expect(const char *text, const char *wrong, unsigned int place)
{
	struct tl_buf said = { 0 };
	char caret[1400];

	tl_message_tool("t");
	tl_message_keep(&said);
	assert_null(tl_condition_parse(&event, "-f", text));
	tl_message_keep(NULL);
	tl_buf_char(&said, '\0');
	snprintf(caret, sizeof(caret), "t: -f: %s\nt: %s\nt: %*s^\n", wrong,
		 text, (int)place, "");
	assert_string_equal(said.data, caret);
	tl_buf_free(&said);
}

static void errors(void **state)
{
	static const char field[] = "here a field is expected",
			  none[] = "the event has no such field",
			  value[] = "that value does not fit the field or "
				    "the operator",
			  join[] = "here \"&&\" or \"||\" is expected";

	(void)state;
	expect("", field, 0);
	expect("ret == 1 &&", field, 11);
	expect("nosuch == 1", none, 0);
	expect("ret == 1 && nosuch == 1", none, 12);
	expect("ret", "here an operator is expected: == != < <= > >= & ~", 3);
	expect("ret == x", value, 7);
	expect("ret ~ 1", value, 6);
	expect("ret == 99999999999999999999", value, 7);
	expect("file < \"a\"", value, 7);
	expect("file == \"open", value, 8);
	expect("ret == 1 ret == 2", join, 9);
	expect("ret == 1)", join, 8);
	expect("(ret == 1", "here \")\" is expected", 9);
}

/* ---- rows ------------------------------------------------------------- */

enum { TIME, COMM, FD, LATENCY, DURATION, SHARE, ADDRESS, ARGS, TEXT };

static const struct tl_column columns[] = {
	[TIME] = { "TIMEs", "time", 0, TL_TIME, TL_SHOW_ALL },
	[COMM] = { "COMM", "comm", 0, TL_STR, TL_SHOW_ALL },
	[FD] = { "FD", "fd", 0, TL_HEX, TL_SHOW_ALL },
	[LATENCY] = { "LATms", "latency", 0, TL_MSECS, TL_SHOW_ALL },
	[DURATION] = { "us", "duration", 0, TL_NSECS, TL_SHOW_DATA },
	[SHARE] = { "SHARE", "share", 0, TL_PERCENT, TL_SHOW_ALL },
	[ADDRESS] = { "ADDR", "addr", 0, TL_UINT, TL_SHOW_ALL },
	[ARGS] = { "ARGS", "args", 0, TL_FIELDS, TL_SHOW_DATA },
	[TEXT] = { "TEXT", "text", 0, TL_STR, TL_SHOW_TEXT },
	{ 0 }
};

static struct tl_out *make_out(void)
{
	const struct tl_out_config config = { .columns = columns };
	struct tl_out *out = tl_out_new(&config);

	assert_non_null(out);
	return out;
}

/* A process "cat" without FD, 100.5 ms, 2.25 us, 12.5 %, and two arguments. */
static bool row_holds(const char *text)
{
	const struct tl_named args[] = {
		{ "count", { .type = TL_INT, .known = true, .num = -3 } },
		{ "name",
		  { .type = TL_STR, .known = true, .str = { "x y", 3 } } },
	};
	struct tl_out *out = make_out();
	struct tl_condition *c = tl_condition_of_row(out, "--trigger", text);
	bool yes;

	if (!c)
		fail_msg("%s", text);
	*tl_out_cell(out, COMM) =
		(struct tl_value){ .known = true, .str = { "cat", 3 } };
	*tl_out_cell(out, LATENCY) =
		(struct tl_value){ .known = true, .num = 100500000 };
	*tl_out_cell(out, DURATION) =
		(struct tl_value){ .known = true, .num = 2250 };
	*tl_out_cell(out, SHARE) =
		(struct tl_value){ .known = true, .num = 125000000 };
	*tl_out_cell(out, ADDRESS) =
		(struct tl_value){ .known = true, .num = INT64_MIN };
	*tl_out_cell(out, ARGS) =
		(struct tl_value){ .known = true, .list = args, .count = 2 };
	yes = tl_condition_holds_row(c, tl_out_cell(out, 0));
	tl_condition_free(c);
	tl_out_free(out);
	return yes;
}

#define ROW(text)    assert_true(row_holds(text))
#define NO_ROW(text) assert_false(row_holds(text))

static void rows(void **state)
{
	(void)state;
	ROW("COMM == cat");
	ROW("comm ~ \"c?t\"");
	NO_ROW("COMM != \"cat\"");
	ROW("LATms > 100");
	ROW("LATms == 100.5");
	NO_ROW("LATms > 100.5");
	ROW("latency > .1 && latency <= 0.1005");
	ROW("us == 2.25 && duration < 0.000003");
	ROW("SHARE == 12.5 && share == .125");
	ROW("addr > 0x7fffffffffffffff");
	ROW("args.count < -2 && args.name == \"x y\"");
	NO_ROW("args.name == 3 || args.count ~ \"*\"");
	/* what is not known */
	NO_ROW("FD == 0 || FD != 0 || args.other == 1 || args.other != 1");
	ROW("!(FD == 0)");
}

static void expect_wrong(const char *text, const char *wrong,
			 unsigned int place)
{
	struct tl_out *out = make_out();
	struct tl_buf said = { 0 };
	char all[1400];

	tl_message_tool("t");
	tl_message_keep(&said);
	assert_null(tl_condition_of_row(out, "--trigger", text));
	tl_message_keep(NULL);
	tl_buf_char(&said, '\0');
	snprintf(all, sizeof(all),
		 "t: --trigger: %s\nt: %s\nt: %*s^\n"
		 "t: columns: COMM FD LATms us SHARE ADDR args.NAME\n",
		 wrong, text, (int)place, "");
	assert_string_equal(said.data, all);
	tl_buf_free(&said);
	tl_out_free(out);
}

static void wrong_rows(void **state)
{
	static const char none[] = "no column of that name can be compared",
			  value[] = "that value does not fit the column or "
				    "the operator";
	static const struct {
		const char *text, *wrong;
		unsigned int place;
	} all[] = {
		{ "", "here a column is expected", 0 },
		{ "LATus > 3", none, 0 },
		{ "TIMEs > 3", none, 0 },
		{ "TEXT == x", none, 0 },
		{ "args > 3", none, 0 },
		{ "argscount > 3", none, 0 },
		{ "COMM > 3", value, 7 },
		{ "FD > 3.5", value, 5 },
		{ "LATms > 3s", value, 8 },
		{ "LATms > 1e300", value, 8 },
		{ "LATms > nan", value, 8 },
		{ "args.count > x", value, 13 },
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		expect_wrong(all[i].text, all[i].wrong, all[i].place);
}

static void depth(void **state)
{
	char text[600];

	(void)state;
	memset(text, '(', 500);
	strcpy(text + 500, "ret == 1");
	expect(text, "that is too deep", 64);
	memset(text, '!', 500);
	expect(text, "that is too deep", 64);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers), cmocka_unit_test(unsigned_numbers),
		cmocka_unit_test(texts),   cmocka_unit_test(joined),
		cmocka_unit_test(errors),  cmocka_unit_test(depth),
		cmocka_unit_test(rows),    cmocka_unit_test(wrong_rows),
	};

	return cmocka_run_group_tests(tests, open_event, close_event);
}
