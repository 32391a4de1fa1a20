/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_table.c - values by a key */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/message.h"
#include "base/session.h"
#include "count/table.h"
#include "tracelet/table.h"
#include "tracelet/text.h"
#include "tracelet/who.h"

static struct tl_session session;
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

static void check_alignment(void *ctx, struct tl_str key, void *value)
{
	(void)ctx;
	assert_int_equal((uintptr_t)key.text % _Alignof(max_align_t), 0);
	assert_int_equal((uintptr_t)value % _Alignof(max_align_t), 0);
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

static int by_number(const struct tl_table_entry *a,
		     const struct tl_table_entry *b)
{
	return *(int *)a->value - *(int *)b->value;
}

static int falling(const struct tl_table_entry *a,
		   const struct tl_table_entry *b)
{
	return by_number(b, a);
}

static void put(struct tl_session *s, const struct tl_table_entry *e,
		uint64_t ns)
{
	char text[20];

	assert_ptr_equal(s, &session);
	assert_int_equal(ns, 5);
	snprintf(text, sizeof(text), "%.*s%d ", (int)e->key.len, e->key.text,
		 *(int *)e->value);
	strcat(seen, text);
}

static void test_shown(void **state)
{
	static const struct {
		struct tl_table_view view;
		const char *expected;
	} cases[] = {
		{ { .put = put }, "a2 b3 c2 d2 e1 " },
		{ { by_number, 0, true, put }, "e1 a2 c2 d2 b3 " },
		{ { by_number, 2, true, put }, "d2 b3 " },
		{ { by_number, 9, true, put }, "e1 a2 c2 d2 b3 " },
		{ { falling, 0, false, put }, "b3 a2 c2 d2 e1 " },
		{ { falling, 2, false, put }, "b3 a2 " },
		{ { falling, 5, false, put }, "b3 a2 c2 d2 e1 " },
	};
	struct tl_table *t = tl_table_new(sizeof(int), drop);
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		*at(t, "d", 1) = 2;
		*at(t, "b", 1) = 3;
		*at(t, "c", 1) = 2;
		*at(t, "e", 1) = 1;
		*at(t, "a", 1) = 2;
		seen[0] = '\0';
		dropped = 0;
		assert_int_equal(tl_table_show(&session, t, &cases[i].view, 5),
				 0);
		assert_string_equal(seen, cases[i].expected);
		/* that was begun again */
		assert_int_equal(dropped, 10);
		seen[0] = '\0';
		assert_int_equal(tl_table_show(&session, t, &cases[i].view, 5),
				 0);
		assert_string_equal(seen, "");
	}
	/* in metrics these are all, the most first */
	session.set.metrics = "-";
	for (i = 0; i < 2; i++) {
		const struct tl_table_view view = { i ? falling : by_number, 1,
						    !i, put };

		*at(t, "a", 1) = 2;
		*at(t, "b", 1) = 3;
		*at(t, "e", 1) = 1;
		seen[0] = '\0';
		assert_int_equal(tl_table_show(&session, t, &view, 5), 0);
		assert_string_equal(seen, "b3 a2 e1 ");
	}
	session.set.metrics = NULL;
	tl_table_free(t);
}

/* What finds no place is counted together, in order with all others. */
static void test_others(void **state)
{
	static const struct tl_table_view view = { by_number, 2, true, put };
	struct tl_table *t = tl_table_bounded(sizeof(int), drop, 2,
					      (struct tl_str){ "[o]", 3 });
	int round;

	(void)state;
	for (round = 0; round < 2; round++) {
		*at(t, "a", 1) += 1;
		*at(t, "b", 1) += 9;
		seen[0] = '\0';
		tl_table_each(t, note, &dropped);
		assert_string_equal(seen, "a+ b+ ");
		*at(t, "c", 1) += 2;
		*at(t, "d", 1) += 3;
		*at(t, "a", 1) += 1;
		assert_int_equal(*at(t, "c", 1), 5);
		assert_int_equal(tl_table_refused(t), 3);
		seen[0] = '\0';
		tl_table_each(t, note, &dropped);
		assert_string_equal(seen, "a+ b+ [o]+ ");
		seen[0] = '\0';
		dropped = 0;
		assert_int_equal(tl_table_show(&session, t, &view, 5), 0);
		assert_string_equal(seen, "[o]5 b9 ");
		assert_int_equal(dropped, 16);
		assert_int_equal(tl_table_refused(t), 0);
	}
	*at(t, "c", 1) = 7;
	dropped = 0;
	tl_table_clear(t);
	assert_int_equal(dropped, 7);
	tl_table_free(t);
}

/* Of any size, and for a value of any size, a key is aligned. */
static void test_struct_keys(void **state)
{
	struct {
		int64_t n;
		char c[8];
	} key = { 1, "x" };
	struct tl_table *t = tl_table_new(3, NULL);

	(void)state;
	*(char *)tl_table_at(t, TL_KEY(key)) = 'a';
	key.n = 2;
	*(char *)tl_table_at(t, TL_KEY(key)) = 'b';
	key.n = 1;
	assert_int_equal(*(char *)tl_table_at(t, TL_KEY(key)), 'a');
	tl_table_each(t, check_alignment, NULL);
	tl_table_free(t);
}

/* By nothing all have one value, until there is no place for that either. */
static void test_by_nothing(void **state)
{
	struct mine {
		struct tl_who who;
		int n;
	} * mine;
	struct tl_table *t = tl_table_by(TL_BY_NOTHING, sizeof(*mine), 1, NULL);

	(void)state;
	mine = tl_table_of(NULL, t, 7);
	mine->n = 3;
	assert_ptr_equal(tl_table_of(NULL, t, 7), mine);
	assert_ptr_equal(tl_table_of(NULL, t, 8), mine);
	tl_table_forget(t);
	assert_ptr_equal(tl_table_of(NULL, t, 8), mine);
	assert_int_equal(mine->who.pid, 0);
	assert_string_equal(mine->who.comm, "");
	tl_table_clear(t);
	assert_int_equal(tl_table_refused(t), 0);
	mine = tl_table_of(NULL, t, 8);
	assert_int_equal(mine->n, 0);
	tl_table_clear(t);
	tl_table_at(t, (struct tl_str){ "x", 1 });
	mine = tl_table_of(NULL, t, 8);
	assert_string_equal(mine->who.comm, "[others]");
	tl_table_free(t);
}

static void test_order_of_who(void **state)
{
	static const struct tl_who all[] = {
		{ 0, "" }, { 0, "b" }, { 2, "a" }, { 2, "b" }, { 300, "a" }
	};
	const int count = sizeof(all) / sizeof(all[0]);
	int i, j, order;

	(void)state;
	for (i = 0; i < count; i++)
		for (j = 0; j < count; j++) {
			order = tl_who_compare(&all[i], &all[j]);
			assert_int_equal((order > 0) - (order < 0),
					 (i > j) - (i < j));
		}
}

static void test_empty(void **state)
{
	struct tl_table *t = tl_table_new(sizeof(int), NULL);

	(void)state;
	seen[0] = '\0';
	tl_table_each(t, note, &dropped);
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

/* What is cleared leaves its bytes to others. */
static void test_too_many_bytes(void **state)
{
	struct tl_table *t = tl_table_new(sizeof(int), NULL);

	(void)state;
	tl_table_limit_bytes(t, 5);
	*at(t, "abc", 3) = 1;
	assert_null(at(t, "def", 3));
	assert_non_null(at(t, "de", 2));
	assert_int_equal(*at(t, "abc", 3), 1);
	assert_true(tl_table_refused(t) == 1);
	tl_table_clear(t);
	assert_non_null(at(t, "defgh", 5));
	assert_null(at(t, "d", 1));
	tl_table_free(t);
}

/* They are said once. */
static void test_missed(void **state)
{
	struct tl_buf said = { 0 }, *before = tl_message_keep(&said);
	uint64_t missed = 3;

	(void)state;
	tl_message_tool("t");
	assert_int_equal(tl_counts_missed(&missed), -ENOMEM);
	assert_int_equal(tl_counts_missed(&missed), 0);
	tl_message_keep(before);
	tl_buf_char(&said, '\0');
	assert_non_null(strstr(said.data, "3 values were not counted: "));
	tl_buf_free(&said);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_shown),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_too_many),
		cmocka_unit_test(test_too_many_bytes),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_by_nothing),
		cmocka_unit_test(test_order_of_who),
		cmocka_unit_test(test_struct_keys),
		cmocka_unit_test(test_missed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
