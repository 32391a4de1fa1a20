/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_table.c - values by a key */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tracelet.h"

static char seen[200];
static int dropped;

static void note(void *ctx, struct tl_str key, void *value)
{
	assert_ptr_equal(ctx, &dropped);
	strncat(seen, key.text, key.len);
	strcat(seen, *(int *)value ? "+ " : "- ");
}

static void drop(void *value)
{
	dropped += *(int *)value;
}

static int *at(struct tl_table *t, const char *text, size_t len)
{
	return tl_table_at(t, (struct tl_str){ text, len });
}

static void test_values(void **state)
{
	struct tl_table *t = tl_table_new(sizeof(int), drop);
	char key[] = "sdb";

	(void)state;
	assert_int_equal(*at(t, key, 3), 0);
	*at(t, key, 3) = 1;
	/*
	 * the key is copied; it need not end with a NUL; one may begin another
	 */
	key[2] = 'a';
	assert_int_equal(*at(t, key, 3), 0);
	*at(t, key, 2) = 10;
	*at(t, "", 0) = 100;
	assert_int_equal(*at(t, "a\0b", 3), 0);
	*at(t, "a\0c", 3) = 1000;
	assert_int_equal(*at(t, "a\0b", 3), 0);
	assert_int_equal(*at(t, "sdb", 3), 1);
	assert_int_equal(*at(t, "sd", 2), 10);
	seen[0] = '\0';
	tl_table_each(t, note, &dropped);
	assert_string_equal(seen, "+ a- a+ sd+ sda- sdb+ ");
	dropped = 0;
	tl_table_free(t);
	assert_int_equal(dropped, 1111);
}

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void test_sorted(void **state)
{
	struct tl_table *t = tl_table_new(sizeof(int), NULL);

	(void)state;
	*at(t, "d", 1) = 2;
	*at(t, "b", 1) = 3;
	*at(t, "c", 1) = 2;
	*at(t, "e", 1) = 1;
	*at(t, "a", 1) = 2;
	seen[0] = '\0';
	assert_int_equal(tl_table_sorted(t, by_number, note, &dropped), 0);
	assert_string_equal(seen, "e+ a+ c+ d+ b+ ");
	tl_table_free(t);
}

static void test_empty(void **state)
{
	struct tl_table *t = tl_table_new(sizeof(int), NULL);

	(void)state;
	seen[0] = '\0';
	tl_table_each(t, note, &dropped);
	assert_int_equal(tl_table_sorted(t, by_number, note, &dropped), 0);
	assert_string_equal(seen, "");
	tl_table_free(t);
	tl_table_free(NULL);
}

/* Whose address must not change when others come. */
static void test_many(void **state)
{
	struct tl_table *t = tl_table_new(sizeof(int), NULL);
	int *of[1000], i;

	(void)state;
	for (i = 0; i < 1000; i++) {
		of[i] = at(t, (const char *)&i, sizeof(i));
		assert_int_equal((uintptr_t)of[i] % _Alignof(max_align_t), 0);
		*of[i] = i;
	}
	for (i = 0; i < 1000; i++)
		assert_ptr_equal(at(t, (const char *)&i, sizeof(i)), of[i]);
	tl_table_free(t);
}

/*
 * Those that are there go on; of others it is counted how often they are
 * refused.
 */
static void test_too_many(void **state)
{
	struct tl_table *t = tl_table_new(sizeof(int), NULL);

	(void)state;
	tl_table_limit(t, 2);
	*at(t, "a", 1) = 1;
	*at(t, "b", 1) = 1;
	assert_true(tl_table_refused(t) == 0);
	assert_null(at(t, "c", 1));
	assert_null(at(t, "c", 1));
	assert_int_equal(*at(t, "a", 1), 1);
	assert_null(at(t, "d", 1));
	assert_int_equal(*at(t, "b", 1), 1);
	assert_true(tl_table_refused(t) == 3);
	seen[0] = '\0';
	tl_table_each(t, note, &dropped);
	assert_string_equal(seen, "a+ b+ ");
	tl_table_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values), cmocka_unit_test(test_sorted),
		cmocka_unit_test(test_empty),  cmocka_unit_test(test_too_many),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
