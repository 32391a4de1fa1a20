// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/session.h"
#include "option/operands.h"

static uint64_t interval;
static unsigned int count;

static const struct tl_operand operands[] = {
	{ "interval", TL_OPT_INTERVAL, &interval },
	{ "count", TL_OPT_COUNT, &count },
	{ "seconds", TL_OPT_DURATION },
	{ 0 },
};

static void taken(void **state)
{
	static char *const argv[] = { "0.5", "3", "2m", NULL };
	static const struct {
		int argc;
		uint64_t interval;
		unsigned int count;
		uint64_t duration;
	} cases[] = {
		{ 0, 0, 0, 0 },
		{ 1, 500000000, 0, 0 },
		{ 2, 500000000, 3, 0 },
		{ 3, 500000000, 3, 120000000000 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_session s = { 0 };

		interval = count = 0;
		assert_int_equal(tl_operands_take(&s, operands, cases[i].argc,
						  (char **)argv),
				 0);
		assert_int_equal(interval, cases[i].interval);
		assert_int_equal(count, cases[i].count);
		assert_int_equal(s.set.duration, cases[i].duration);
	}
}

static void refused(void **state)
{
	static char *const cases[][5] = {
		{ "x" },
		{ "0" },
		{ "0.0009" },
		{ "1", "0" },
		{ "1", "-1" },
		{ "1", "1", "" },
		{ "1", "1", "1", "1" },
	};
	size_t i;
	int argc;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_session s = { 0 };

		for (argc = 0; cases[i][argc];)
			argc++;
		assert_int_equal(
			tl_operands_take(&s, operands, argc, (char **)cases[i]),
			-EINVAL);
	}
}

static void text(void **state)
{
	static const struct tl_operand one[] = { { "name", TL_OPT_REGEX },
						 { 0 } };
	struct tl_buf b = { 0 };

	(void)state;
	tl_operands_text(operands, &b);
	tl_buf_char(&b, ' ');
	tl_operands_text(one, &b);
	tl_buf_char(&b, '\0');
	assert_string_equal(b.data, "[interval [count [seconds]]] [name]");
	tl_buf_free(&b);
}

static void duration(void **state)
{
	struct tl_session s = { 0 };
	char words[40];

	(void)state;
	tl_duration_text(&s, words);
	assert_string_equal(words, "until Ctrl-C");
	s.set.duration = 2500000000;
	tl_duration_text(&s, words);
	assert_string_equal(words, "for 2.5 seconds");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(taken),
		cmocka_unit_test(refused),
		cmocka_unit_test(text),
		cmocka_unit_test(duration),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
