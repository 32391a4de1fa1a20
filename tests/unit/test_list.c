// SPDX-License-Identifier: GPL-2.0-or-later
/* test_list.c - lists that grow */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/list.h"

static void grows(void **state)
{
	size_t room = 0, i;
	size_t *list = NULL;

	(void)state;
	for (i = 0; i < 1000; i++) {
		list = tl_list_room(list, i, &room, sizeof(*list));
		assert_non_null(list);
		assert_true(room > i);
		list[i] = i;
	}
	for (i = 0; i < 1000; i++)
		assert_int_equal(list[i], i);
	free(list);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(grows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
