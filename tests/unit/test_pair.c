/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_pair.c - what the start of an action leaves for its end */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tracelet.h"

static int dropped, last;

static void drop(void *entry)
{
	dropped++;
	last = *(int *)entry;
}

static void test_put_get_drop(void **state)
{
	struct tl_pairs *p = tl_pairs_new(sizeof(int), 100, drop);
	int *e;

	(void)state;
	dropped = 0;
	assert_null(tl_pairs_get(p, 7));
	e = tl_pairs_put(p, 7);
	assert_int_equal(*e, 0);
	*e = 42;
	assert_ptr_equal(tl_pairs_get(p, 7), e);
	/* a new start takes the place of an old one */
	*(int *)tl_pairs_put(p, 7) = 43;
	assert_int_equal(dropped, 1);
	assert_int_equal(last, 42);
	tl_pairs_drop(p, 8);
	assert_int_equal(dropped, 1);
	tl_pairs_drop(p, 7);
	assert_int_equal(dropped, 2);
	assert_null(tl_pairs_get(p, 7));
	tl_pairs_free(p);
	assert_int_equal(dropped, 2);
}

/* Whose end never comes must go: the oldest first. */
static void test_bounded(void **state)
{
	struct tl_pairs *p = tl_pairs_new(sizeof(int), 10, drop);
	int64_t key;

	(void)state;
	dropped = 0;
	for (key = -5; key < 1000; key++)
		*(int *)tl_pairs_put(p, key) = (int)key;
	assert_int_equal(dropped, 1005 - 10);
	assert_int_equal(last, 989);
	assert_null(tl_pairs_get(p, 989));
	assert_int_equal(*(int *)tl_pairs_get(p, 990), 990);
	/* one from the middle, then the order still holds */
	tl_pairs_drop(p, 995);
	tl_pairs_put(p, 2000);
	assert_non_null(tl_pairs_get(p, 990));
	tl_pairs_put(p, 2001);
	assert_null(tl_pairs_get(p, 990));
	tl_pairs_clear(p);
	assert_null(tl_pairs_get(p, 2001));
	tl_pairs_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_put_get_drop),
		cmocka_unit_test(test_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
