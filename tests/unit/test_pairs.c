/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_pairs.c - what the start of an action leaves for its end */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/part.h"
#include "base/session.h"
#include "tracelet/pairs.h"

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

static int value_of(void *entry)
{
	return entry ? *(int *)entry : -1;
}

static void *add(struct tl_pairs *p, int64_t key, int value)
{
	int *e = tl_pairs_add(p, key);

	*e = value;
	return e;
}

/* Several of one key, and others whose keys share its bucket. */
static void test_several_of_a_key(void **state)
{
	struct tl_pairs *p = tl_pairs_new(sizeof(int), 1000, drop);
	void *second;
	int i;

	(void)state;
	for (i = 0; i < 4; i++) {
		add(p, 7, i);
		add(p, 7 + 1024 * (i + 1), 100 + i);
	}
	second = tl_pairs_next(tl_pairs_get(p, 7));
	assert_int_equal(value_of(tl_pairs_get(p, 7)), 0);
	assert_int_equal(value_of(second), 1);
	dropped = 0;
	tl_pairs_remove(p, second);
	assert_int_equal(dropped, 1);
	assert_int_equal(last, 1);
	second = tl_pairs_next(tl_pairs_get(p, 7));
	assert_int_equal(value_of(second), 2);
	assert_int_equal(value_of(tl_pairs_next(second)), 3);
	assert_null(tl_pairs_next(tl_pairs_next(second)));
	assert_null(tl_pairs_next(tl_pairs_get(p, 7 + 1024)));
	/* the oldest is that which goes */
	tl_pairs_drop(p, 7);
	assert_int_equal(last, 0);
	assert_int_equal(value_of(tl_pairs_get(p, 7)), 2);
	tl_pairs_free(p);
}

static void test_by_age(void **state)
{
	struct tl_pairs *p = tl_pairs_new(sizeof(int), 1000, NULL);
	void *e[5];
	int i;

	(void)state;
	assert_null(tl_pairs_oldest(p));
	for (i = 0; i < 5; i++)
		e[i] = add(p, i % 2, i);
	/* neither another key nor what goes changes the order of the rest */
	tl_pairs_move(p, e[1], 9);
	tl_pairs_remove(p, e[2]);
	tl_pairs_remove(p, e[0]);
	assert_ptr_equal(tl_pairs_oldest(p), e[1]);
	assert_ptr_equal(tl_pairs_newer(e[1]), e[3]);
	assert_ptr_equal(tl_pairs_newer(e[3]), e[4]);
	assert_null(tl_pairs_newer(e[4]));
	tl_pairs_remove(p, e[4]);
	assert_null(tl_pairs_newer(e[3]));
	e[0] = add(p, 3, 10);
	assert_ptr_equal(tl_pairs_newer(e[3]), e[0]);
	tl_pairs_clear(p);
	assert_null(tl_pairs_oldest(p));
	tl_pairs_free(p);
}

static void test_move(void **state)
{
	struct tl_pairs *p = tl_pairs_new(sizeof(int), 3, drop);
	void *a = add(p, 1, 1), *b = add(p, 2, 2), *c = add(p, 2, 3);

	(void)state;
	tl_pairs_move(p, b, 1);
	assert_ptr_equal(tl_pairs_get(p, 2), c);
	assert_ptr_equal(tl_pairs_next(a), b);
	assert_null(tl_pairs_next(b));
	tl_pairs_move(p, a, -1);
	assert_ptr_equal(tl_pairs_get(p, -1), a);
	assert_ptr_equal(tl_pairs_get(p, 1), b);
	/* to where it is */
	tl_pairs_move(p, b, 1);
	assert_ptr_equal(tl_pairs_get(p, 1), b);
	assert_null(tl_pairs_next(b));
	/* its age has stayed */
	add(p, 5, 4);
	assert_int_equal(last, 1);
	assert_null(tl_pairs_get(p, -1));
	add(p, 5, 5);
	assert_int_equal(last, 2);
	tl_pairs_free(p);
}

/* What is shown next must be there after thousands have come and gone. */
static void test_many(void **state)
{
	struct tl_pairs *p = tl_pairs_new(sizeof(int), 100000, NULL);
	int i, count = 0;
	void *e, *newer;

	(void)state;
	for (i = 0; i < 50000; i++)
		add(p, i % 5000, i);
	for (e = tl_pairs_oldest(p); e; e = newer) {
		newer = tl_pairs_newer(e);
		if (value_of(e) % 3)
			tl_pairs_remove(p, e);
		else
			tl_pairs_move(p, e, value_of(e));
	}
	for (i = 0; i < 50000; i++) {
		e = tl_pairs_get(p, i);
		assert_int_equal(value_of(e), i % 3 ? -1 : i);
		count += e && !tl_pairs_next(e);
	}
	assert_int_equal(count, (50000 + 2) / 3);
	tl_pairs_free(p);
}

/* Where records were lost a start may have had its end. */
static void test_lost(void **state)
{
	struct tl_session s = { 0 };
	struct tl_pairs *p = tl_pairs_open(&s, sizeof(int), 3, drop);

	(void)state;
	dropped = 0;
	add(p, 1, 5);
	tl_parts_lost(&s, 0);
	assert_int_equal(dropped, 1);
	assert_null(tl_pairs_get(p, 1));
	add(p, 1, 6);
	tl_parts_free(&s);
	assert_int_equal(dropped, 2);
	assert_int_equal(last, 6);
}

/* Not at the end of a thread, which still has records, nor when it is replaced. */
static void test_threads(void **state)
{
	struct tl_session s = { 0 };
	struct tl_pairs *p = tl_pairs_open_threads(&s, sizeof(int), 3, drop);

	(void)state;
	add(p, 1, 5);
	add(p, 2, 6);
	dropped = 0;
	tl_parts_task(&s, 1, TL_TASK_RENAMED, 0);
	tl_parts_task(&s, 1, TL_TASK_ENDED, 0);
	tl_parts_task(&s, 1, TL_TASK_REPLACED, 0);
	assert_int_equal(dropped, 0);
	tl_parts_task(&s, 1, TL_TASK_FORGOTTEN, 0);
	assert_null(tl_pairs_get(p, 1));
	assert_int_equal(value_of(tl_pairs_get(p, 2)), 6);
	/* whose end was not seen */
	tl_parts_task(&s, 2, TL_TASK_NEW, 0);
	assert_null(tl_pairs_get(p, 2));
	assert_int_equal(dropped, 2);
	add(p, 2, 7);
	tl_parts_lost(&s, 0);
	assert_int_equal(dropped, 3);
	tl_parts_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_put_get_drop),
		cmocka_unit_test(test_bounded),
		cmocka_unit_test(test_several_of_a_key),
		cmocka_unit_test(test_by_age),
		cmocka_unit_test(test_move),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
