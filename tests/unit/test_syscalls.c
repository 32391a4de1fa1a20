/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_syscalls.c - sets of system calls */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tracelet/syscall.h"

static void test_sets(void **state)
{
	static const struct {
		const char *text, *has, *has_not;
		int ret;
	} cases[] = {
		{ "read", "read", "write", 0 },
		{ "read,write", "write", "close", 0 },
		{ " read ,, close ", "close", "write", 0 },
		/* as tracepoints are called */
		{ "newfstat", "fstat", "read", 0 },
		{ "", NULL, NULL, -EINVAL },
		{ ", ", NULL, NULL, -EINVAL },
		{ "read,reda", NULL, NULL, -EINVAL },
		{ "newread1", NULL, NULL, -EINVAL },
	};
	size_t i;
	int nr;

	(void)state;
	if (tl_syscall_names())
		skip();
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_syscall_set set = { 0 };

		nr = tl_syscall_number(false, "read");
		assert_true(tl_syscall_set_has(&set, false, nr));
		assert_int_equal(
			tl_syscall_set_parse(&set, "-e", cases[i].text),
			cases[i].ret);
		if (cases[i].ret)
			continue;
		nr = tl_syscall_number(false, cases[i].has);
		assert_true(tl_syscall_set_has(&set, false, nr));
		/* an x32 program's */
		assert_true(tl_syscall_set_has(&set, false, nr | 0x40000000));
		nr = tl_syscall_number(false, cases[i].has_not);
		assert_false(tl_syscall_set_has(&set, false, nr));
		assert_false(tl_syscall_set_has(&set, false, -1));
		assert_false(tl_syscall_set_has(&set, true, TL_SYSCALLS));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
