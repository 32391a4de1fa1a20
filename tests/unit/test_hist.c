/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_hist.c - histograms and percentiles */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/part.h"
#include "base/session.h"
#include "out/out.h"
#include "tracelet/hist.h"
#include "tracelet/hists.h"
#include "tracelet/output.h"
#include "tracelet/spreads.h"
#include "tracelet/text.h"

/* ---- histograms ------------------------------------------------------- */

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

/* What has no sign and is larger than any int64_t is above all points. */
static void test_numbers(void **state)
{
	static const int64_t points[] = { 0, INT64_MAX };
	struct tl_hist *h = tl_hist_new(points, 2);

	(void)state;
	tl_hist_add_number(h, (uint64_t)-1, true, 2);
	tl_hist_add_number(h, (uint64_t)-1, false, 3);
	tl_hist_add_number(h, 1ULL << 63, false, 4);
	tl_hist_add_number(h, 0, false, 5);
	assert_int_equal(tl_hist_count(h, 0), 2);
	assert_int_equal(tl_hist_count(h, 1), 5);
	assert_int_equal(tl_hist_count(h, 2), 7);
	tl_hist_free(h);
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

/* ---- histograms by key, and how they are shown ------------------------ */

static const struct tl_column columns[] = {
	{ "TIMEs", "time", 0, TL_TIME, TL_SHOW_DATA },
	{ "NAME", "name", 0, TL_STR, TL_SHOW_DATA },
	{ "COUNT", "count", 0, TL_INT, TL_SHOW_DATA },
	{ "FROM", "from", 0, TL_INT, TL_SHOW_DATA },
	{ "TO", "to", 0, TL_INT, TL_SHOW_DATA },
	{ 0 }
};

static int out_fd;

static void begin_out(struct tl_session *s, enum tl_format format,
		      const struct tl_column *cols)
{
	struct tl_out_config config = { .format = format, .columns = cols };

	config.fd = out_fd = memfd_create("out", MFD_CLOEXEC);
	s->out = tl_out_new(&config);
	assert_non_null(s->out);
}

/* All that was written is @expected; ends the output. */
static void expect(struct tl_session *s, const char *expected)
{
	char text[4096];
	ssize_t n;

	assert_int_equal(tl_out_flush(s->out), 0);
	n = pread(out_fd, text, sizeof(text) - 1, 0);
	assert_true(n >= 0);
	text[n] = '\0';
	assert_string_equal(text, expected);
	tl_out_free(s->out);
	close(out_fd);
}

#define KEY(text) ((struct tl_str){ text, sizeof(text) - 1 })

static const struct tl_hists_config by_name = {
	.unit = 1000,
	.count = 3,
	.unit_name = "us",
	.counted = "calls",
	.what = "its name",
	.key = "name",
	.used_only = true,
	.always = true,
};

static void show_names(struct tl_session *s, struct tl_hists *h)
{
	tl_hists_show(s, h, 1000000000);
	tl_hists_add(h, KEY("b"), 1000);
	tl_hists_add(h, KEY(""), 5000);
	tl_hists_show(s, h, 2000000000);
}

/* What was shown is empty then, and an empty one is shown where there is none. */
static void test_shown(void **state)
{
	struct tl_session s = { 0 };
	struct tl_hists *h = tl_hists_open(&s, &by_name);

	(void)state;
	begin_out(&s, TL_FORMAT_CSV, columns);
	show_names(&s, h);
	expect(&s, "1.000000,,0,0,1000\n"
		   "2.000000,\"\",0,0,1000\n"
		   "2.000000,\"\",0,1000,2000\n"
		   "2.000000,\"\",0,2000,4000\n"
		   "2.000000,\"\",1,4000,\n"
		   "2.000000,b,0,0,1000\n"
		   "2.000000,b,1,1000,2000\n");
	begin_out(&s, TL_FORMAT_TEXT, columns);
	tl_hists_add(h, KEY("b"), 999);
	tl_hists_show(&s, h, 1);
	expect(&s, "\nits name: b\n"
		   "  >=(us) .. <(us)   : calls    |Distribution"
		   "                          |\n"
		   "       0 -> 1       : 1        "
		   "|######################################|\n");
	tl_parts_free(&s);
}

/* By nothing there is one of all, which need not know whose a value is. */
static void test_by_nothing(void **state)
{
	struct tl_session s = { 0 };
	struct tl_hists *h = tl_hists_by(&s, &by_name, TL_BY_NOTHING);

	(void)state;
	tl_hists_add_who(NULL, h, 1, 1500);
	tl_hists_add_who(NULL, h, 2, 500);
	begin_out(&s, TL_FORMAT_CSV, columns);
	tl_hists_show(&s, h, 0);
	expect(&s, "0.000000,,1,0,1000\n"
		   "0.000000,,1,1000,2000\n");
	tl_parts_free(&s);
}

/* ---- percentiles ------------------------------------------------------ */

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

/* Keys beyond the limit are one, and those before it stay apart. */
static void test_many_keys(void **state)
{
	static const int64_t points[] = { 10 };
	static const struct tl_hists_config config = { .points = points,
						       .count = 1,
						       .key = "name" };
	struct tl_session s = { 0 };
	struct tl_hists *h = tl_hists_open(&s, &config);
	struct tl_hist *first, *others;
	char name[16];
	int i, len;

	(void)state;
	assert_non_null(h);
	for (i = 0; i < 5000; i++) {
		len = snprintf(name, sizeof(name), "n%d", i);
		tl_hists_add(h, (struct tl_str){ name, (size_t)len }, i);
	}
	first = tl_hists_of(h, (struct tl_str){ "n0", 2 });
	assert_int_equal(tl_hist_count(first, 0), 1);
	others = tl_hists_of(h, (struct tl_str){ "n4096", 5 });
	assert_ptr_equal(others, tl_hists_of(h, (struct tl_str){ "new", 3 }));
	assert_int_equal(tl_hist_count(others, 1), 5000 - 4096);
	tl_parts_free(&s);
}

/* Where the tool has no points: units; and one histogram for any key. */
static void test_powers(void **state)
{
	static const struct tl_hists_config config = { .unit = 1000,
						       .count = 3 };
	static const struct tl_str key = { "", 0 };
	struct tl_session s = { 0 };
	struct tl_hists *h = tl_hists_open(&s, &config);
	const struct tl_hist *hist;

	(void)state;
	tl_hists_add(h, key, 999);
	tl_hists_add(h, key, 1000);
	tl_hists_add(h, key, 1999);
	tl_hists_add(h, key, 3999);
	tl_hists_add(h, (struct tl_str){ "x", 1 }, 4000);
	hist = tl_hists_of(h, key);
	assert_int_equal(tl_hist_count(hist, 0), 1);
	assert_int_equal(tl_hist_count(hist, 1), 2);
	assert_int_equal(tl_hist_count(hist, 2), 1);
	assert_int_equal(tl_hist_count(hist, 3), 1);
	tl_parts_free(&s);
}

static const struct tl_column percentiles[] = {
	{ "TIME", "clock", 0, TL_WALL_CLOCK, TL_SHOW_NEVER },
	{ "TIMEs", "time", 0, TL_TIME, TL_SHOW_DATA },
	{ "NAME", "name", 0, TL_STR, TL_SHOW_ALL },
	{ "COUNT", "count", 0, TL_INT, TL_SHOW_ALL },
	TL_SPREADS_COLUMNS("ns", TL_INT),
	{ 0 }
};

static void add_to_spreads(struct tl_spreads *t, unsigned int keys)
{
	char name[16];
	unsigned int i;
	int len;

	for (i = 0; i < keys; i++) {
		len = snprintf(name, sizeof(name), "n%u", i);
		tl_spreads_add(t, (struct tl_str){ name, (size_t)len }, i);
	}
}

static void test_spreads(void **state)
{
	struct tl_session s = { 0 };
	struct tl_spreads *t = tl_spreads_open(&s, "name");

	(void)state;
	begin_out(&s, TL_FORMAT_CSV, percentiles);
	tl_spreads_add(t, KEY("b"), 200);
	tl_spreads_add(t, KEY("a"), 1);
	tl_spreads_add(t, KEY("b"), 100);
	tl_spreads_show(&s, t, 1000000000);
	tl_spreads_show(&s, t, 2000000000);
	expect(&s, "1.000000,a,1,1,1,1,1,1\n"
		   "1.000000,b,2,100,200,200,200,200\n"
		   "2.000000,,0,,,,,\n");
	tl_parts_free(&s);
}

/* By no key all are one, and so are keys beyond the limit. */
static void test_spreads_of_all(void **state)
{
	struct tl_session s = { 0 };
	struct tl_spreads *t = tl_spreads_open(&s, NULL);

	(void)state;
	begin_out(&s, TL_FORMAT_TEXT, percentiles);
	add_to_spreads(t, 2);
	tl_spreads_show(&s, t, 0);
	tl_parts_free(&s);
	t = tl_spreads_open(&s, "name");
	add_to_spreads(t, 4098);
	tl_out_mute(s.out, true);
	tl_spreads_show(&s, t, 0);
	tl_out_mute(s.out, false);
	tl_spreads_add(t, KEY("new"), 7);
	tl_spreads_show(&s, t, 0);
	expect(&s,
	       "- 2          0          1          1          1          1\n"
	       "[others] 1          7          7          7          7         "
	       " 7\n");
	tl_parts_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_half_open),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_bars),
		cmocka_unit_test(test_points),
		cmocka_unit_test(test_percentiles),
		cmocka_unit_test(test_single_values),
		cmocka_unit_test(test_many_keys),
		cmocka_unit_test(test_powers),
		cmocka_unit_test(test_shown),
		cmocka_unit_test(test_spreads),
		cmocka_unit_test(test_spreads_of_all),
		cmocka_unit_test(test_by_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
