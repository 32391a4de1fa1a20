/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_hist.c - histograms, percentiles, and groups of them */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tracelet.h"

/*
 * ---- histograms -----------------------------------------------------------
 */

static void test_half_open(void **state)
{
	static const int64_t points[] = { -5, 0, 10, INT64_MAX };
	struct tl_hist *h = tl_hist_new(points, 4);

	(void)state;
	assert_int_equal(tl_hist_used(h), 0);
	tl_hist_add(h, INT64_MIN, 1);
	tl_hist_add(h, -6, 1);
	assert_int_equal(tl_hist_used(h), 1);
	tl_hist_add(h, -5, 1);
	tl_hist_add(h, -1, 1);
	tl_hist_add(h, 0, 1);
	tl_hist_add(h, 9, 2);
	tl_hist_add(h, 10, 4);
	tl_hist_add(h, INT64_MAX - 1, 1);
	assert_int_equal(tl_hist_used(h), 4);
	tl_hist_add(h, INT64_MAX, 7);
	assert_int_equal(tl_hist_count(h, 0), 2);
	assert_int_equal(tl_hist_count(h, 1), 2);
	assert_int_equal(tl_hist_count(h, 2), 3);
	assert_int_equal(tl_hist_count(h, 3), 5);
	assert_int_equal(tl_hist_count(h, 4), 7);
	assert_int_equal(tl_hist_used(h), 5);
	tl_hist_clear(h);
	assert_int_equal(tl_hist_used(h), 0);
	assert_int_equal(tl_hist_count(h, 4), 0);
	tl_hist_free(h);
	tl_hist_free(NULL);
}

static void assert_bar(const struct tl_hist *h, unsigned int bucket, size_t len)
{
	const char *bar = tl_hist_bar(h, bucket);

	assert_int_equal(strlen(bar), len);
	assert_int_equal(strspn(bar, "#"), len);
}

static void test_bars(void **state)
{
	static const int64_t points[] = { 1, 2, 3 };
	struct tl_hist *h = tl_hist_new(points, 3);

	(void)state;
	assert_bar(h, 0, 0);
	tl_hist_add(h, 0, 1);
	assert_bar(h, 0, TL_HIST_BAR);
	tl_hist_add(h, 1, 1000000);
	assert_bar(h, 0, 1);
	assert_bar(h, 1, TL_HIST_BAR);
	assert_bar(h, 2, 0);
	tl_hist_add(h, 2, 500000);
	assert_bar(h, 2, TL_HIST_BAR / 2);
	/* more than 64 bits when multiplied */
	tl_hist_add(h, 3, UINT64_MAX);
	assert_bar(h, 3, TL_HIST_BAR);
	assert_bar(h, 1, 1);
	tl_hist_free(h);
}

static void assert_points(const char *text, unsigned int count,
			  const int64_t *want)
{
	unsigned int got;
	int64_t *points;

	assert_int_equal(tl_hist_points("-b", text, &points, &got), 0);
	assert_int_equal(got, count);
	assert_memory_equal(points, want, count * sizeof(*points));
	free(points);
}

static void test_points(void **state)
{
	static const char *const bad[] = {
		"",
		" ",
		",",
		"x",
		"1 x",
		"1x",
		"1.5",
		"1;2",
		"0x10",
		"- 1",
		"2 1",
		"1 1",
		"1 2 2",
		"9223372036854775808",
		"-9223372036854775808",
		"-9223372036854775809",
	};
	unsigned int i, count;
	int64_t *points;

	(void)state;
	assert_points("1 8 64 128", 4, (int64_t[]){ 1, 8, 64, 128 });
	assert_points(" 1,8\t64, ", 3, (int64_t[]){ 1, 8, 64 });
	assert_points("-5 0 5", 3, (int64_t[]){ -5, 0, 5 });
	assert_points("-9223372036854775807 9223372036854775807", 2,
		      (int64_t[]){ -INT64_MAX, INT64_MAX });
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		points = (int64_t *)&i;
		assert_int_equal(tl_hist_points("-b", bad[i], &points, &count),
				 -22);
		assert_null(points);
	}
}

/*
 * ---- percentiles ----------------------------------------------------------
 */

#define VALUES 20000

static uint64_t values[VALUES];

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* The smallest value that @percent of all are not above. */
static uint64_t exact(double percent)
{
	double rank = VALUES * percent / 100;
	unsigned int i = (unsigned int)rank;

	if (i && i >= rank)
		i--;
	return values[i];
}

/* Of any magnitude, from 0 up to @bits bits. */
static void make_values(struct tl_spread *d, unsigned int bits)
{
	uint64_t seed = 42;
	unsigned int i;

	for (i = 0; i < VALUES; i++) {
		seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
		values[i] = (seed ^ seed >> 29) >> (64 - bits) >> seed % bits;
		tl_spread_add(d, values[i]);
	}
	qsort(values, VALUES, sizeof(values[0]), by_value);
}

static void test_percentiles(void **state)
{
	static const double percents[] = { 0,  0.1, 1,  10,   25,    50, 75,
					   90, 95,  99, 99.9, 99.99, 100 };
	struct tl_spread *d = tl_spread_new();
	unsigned int bits, i;
	uint64_t want, got;

	(void)state;
	for (bits = 1; bits <= 64; bits++) {
		make_values(d, bits);
		assert_int_equal(tl_spread_count(d), VALUES);
		for (i = 0; i < sizeof(percents) / sizeof(percents[0]); i++) {
			want = exact(percents[i]);
			got = tl_spread_at(d, percents[i]);
			assert_true(got >= want);
			assert_true((double)(got - want) <=
				    0.008 * (double)want);
		}
		assert_true(tl_spread_at(d, 100) == values[VALUES - 1]);
		tl_spread_clear(d);
	}
	tl_spread_free(d);
}

/* One value at a time, at the edges of all parts of the scale. */
static void test_single_values(void **state)
{
	struct tl_spread *d = tl_spread_new();
	uint64_t value, edge;
	unsigned int bit;
	int off;

	(void)state;
	assert_int_equal(tl_spread_at(d, 50), 0);
	assert_int_equal(tl_spread_at(d, 100), 0);
	for (bit = 0; bit < 64; bit++) {
		edge = 1ULL << bit;
		for (off = -1; off <= 1; off++) {
			value = edge + (uint64_t)off;
			tl_spread_clear(d);
			tl_spread_add(d, value);
			assert_true(tl_spread_at(d, 50) == value);
			assert_true(tl_spread_at(d, 100) == value);
		}
	}
	tl_spread_add(d, UINT64_MAX);
	assert_true(tl_spread_at(d, 100) == UINT64_MAX);
	/* exact while small */
	tl_spread_clear(d);
	for (value = 0; value < 256; value++)
		tl_spread_add(d, value);
	assert_int_equal(tl_spread_at(d, 50), 127);
	assert_int_equal(tl_spread_at(d, 100), 255);
	tl_spread_free(d);
}

/*
 * ---- groups ----------------------------------------------------------------
 */

static char seen[200];
static int dropped;

static void note(void *ctx, struct tl_str key, void *group)
{
	assert_ptr_equal(ctx, &dropped);
	strncat(seen, key.text, key.len);
	strcat(seen, *(int *)group ? "+ " : "- ");
}

static void drop(void *group)
{
	dropped += *(int *)group;
}

static int *group(struct tl_groups *g, const char *text, size_t len)
{
	return tl_groups_get(g, (struct tl_str){ text, len });
}

static void test_groups(void **state)
{
	struct tl_groups *g = tl_groups_new(sizeof(int), drop);
	char key[] = "sdb";

	(void)state;
	assert_int_equal(*group(g, key, 3), 0);
	*group(g, key, 3) = 1;
	/*
	 * the key is copied; it need not end with a NUL; one may begin another
	 */
	key[2] = 'a';
	assert_int_equal(*group(g, key, 3), 0);
	*group(g, key, 2) = 10;
	*group(g, "", 0) = 100;
	assert_int_equal(*group(g, "a\0b", 3), 0);
	*group(g, "a\0c", 3) = 1000;
	assert_int_equal(*group(g, "a\0b", 3), 0);
	assert_int_equal(*group(g, "sdb", 3), 1);
	assert_int_equal(*group(g, "sd", 2), 10);
	seen[0] = '\0';
	tl_groups_each(g, note, &dropped);
	assert_string_equal(seen, "+ a- a+ sd+ sda- sdb+ ");
	dropped = 0;
	tl_groups_free(g);
	assert_int_equal(dropped, 1111);
}

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void test_sorted_groups(void **state)
{
	struct tl_groups *g = tl_groups_new(sizeof(int), NULL);

	(void)state;
	*group(g, "d", 1) = 2;
	*group(g, "b", 1) = 3;
	*group(g, "c", 1) = 2;
	*group(g, "e", 1) = 1;
	*group(g, "a", 1) = 2;
	seen[0] = '\0';
	assert_int_equal(tl_groups_sorted(g, by_number, note, &dropped), 0);
	assert_string_equal(seen, "e+ a+ c+ d+ b+ ");
	tl_groups_free(g);
}

static void test_no_groups(void **state)
{
	struct tl_groups *g = tl_groups_new(sizeof(int), NULL);

	(void)state;
	seen[0] = '\0';
	tl_groups_each(g, note, &dropped);
	assert_int_equal(tl_groups_sorted(g, by_number, note, &dropped), 0);
	assert_string_equal(seen, "");
	tl_groups_free(g);
	tl_groups_free(NULL);
}

/* Whose address must not change when others come. */
static void test_many_groups(void **state)
{
	struct tl_groups *g = tl_groups_new(sizeof(int), NULL);
	int *of[1000], i;

	(void)state;
	for (i = 0; i < 1000; i++) {
		of[i] = group(g, (const char *)&i, sizeof(i));
		assert_int_equal((uintptr_t)of[i] % _Alignof(max_align_t), 0);
		*of[i] = i;
	}
	for (i = 0; i < 1000; i++)
		assert_ptr_equal(group(g, (const char *)&i, sizeof(i)), of[i]);
	tl_groups_free(g);
}

/*
 * Those that are there go on; of others it is counted how often they are
 * refused.
 */
static void test_too_many_groups(void **state)
{
	struct tl_groups *g = tl_groups_new(sizeof(int), NULL);

	(void)state;
	tl_groups_limit(g, 2);
	*group(g, "a", 1) = 1;
	*group(g, "b", 1) = 1;
	assert_true(tl_groups_refused(g) == 0);
	assert_null(group(g, "c", 1));
	assert_null(group(g, "c", 1));
	assert_int_equal(*group(g, "a", 1), 1);
	assert_null(group(g, "d", 1));
	assert_int_equal(*group(g, "b", 1), 1);
	assert_true(tl_groups_refused(g) == 3);
	seen[0] = '\0';
	tl_groups_each(g, note, &dropped);
	assert_string_equal(seen, "a+ b+ ");
	tl_groups_free(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_half_open),
		cmocka_unit_test(test_bars),
		cmocka_unit_test(test_points),
		cmocka_unit_test(test_percentiles),
		cmocka_unit_test(test_single_values),
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_sorted_groups),
		cmocka_unit_test(test_no_groups),
		cmocka_unit_test(test_too_many_groups),
		cmocka_unit_test(test_many_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
