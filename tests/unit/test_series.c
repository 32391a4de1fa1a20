/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "metrics/series.h"
#include "tracelet/output.h"

enum { DISK, ERROR, COUNT, TIME, HIDDEN };

static const struct tl_column columns[] = {
	[DISK] = { "DISK", "disk", 0, TL_STR, .metric = TL_LABEL },
	[ERROR] = { "ERR", "error", 0, TL_STR, .metric = TL_LABEL },
	[COUNT] = { "COUNT", "count", 0, TL_INT,
		    .metric = TL_EVENTS("io", "Block I/O") },
	[TIME] = { "TIMEms", "time", 0, TL_MSECS,
		   .metric = TL_COUNTER("seconds", "Time of it") },
	[HIDDEN] = { "HIDDEN", "hidden", 0, TL_INT, TL_SHOW_NEVER,
		     .metric = TL_COUNTER("hidden", "Not shown") },
	{ 0 }
};

static struct tl_value text(const char *t)
{
	return (struct tl_value){ .type = TL_STR,
				  .known = t,
				  .str = { t, t ? strlen(t) : 0 } };
}

static struct tl_value number(int64_t n)
{
	return (struct tl_value){ .type = TL_INT, .known = n >= 0, .num = n };
}

/* A row; of numbers below 0, and of texts that are NULL, it is not known what they are. */
static void add(struct tl_series *all, const char *disk, const char *error,
		int64_t count, int64_t time)
{
	const struct tl_value row[] = { text(disk), text(error), number(count),
					number(time), number(1) };

	tl_series_add(all, row);
}

static void expect(struct tl_series *all, const char *labels, const char *want)
{
	struct tl_buf b = { 0 };

	tl_series_print(all, &b, labels);
	tl_buf_char(&b, '\0');
	assert_false(b.failed);
	assert_string_equal(b.data, want);
	tl_buf_free(&b);
}

#define IO                                              \
	"# HELP tracelets_a_tool_io_total Block I/O.\n" \
	"# TYPE tracelets_a_tool_io_total counter\n"
#define SECONDS                                               \
	"# HELP tracelets_a_tool_seconds_total Time of it.\n" \
	"# TYPE tracelets_a_tool_seconds_total counter\n"

static void test_rows(void **state)
{
	struct tl_series *all = tl_series_new("a-tool", columns, 10, "site");

	assert_int_equal(tl_series_metrics(all), 2);
	assert_true(tl_label_is_column(columns, "disk"));
	assert_false(tl_label_is_column(columns, "count"));
	add(all, "sda", NULL, 2, 1500000000);
	add(all, "sda", NULL, -1, 1); /* one event */
	add(all, "sda", "EIO", 3, -1);
	add(all, "a\"b\\\n", NULL, 1, 0);
	add(all, "[others]", NULL, 4, 0);
	expect(all, "site=\"x\"",
	       IO "tracelets_a_tool_io_total{site=\"x\",disk="
		  "\"a\\\"b\\\\\\\\\\\\n\"} 1\n"
		  "tracelets_a_tool_io_total{site=\"x\",disk=\"other\"} 4\n"
		  "tracelets_a_tool_io_total{site=\"x\",disk=\"sda\"} 3\n"
		  "tracelets_a_tool_io_total{site=\"x\",disk=\"sda\",error="
		  "\"EIO\"} 3\n" SECONDS
		  "tracelets_a_tool_seconds_total{site=\"x\",disk="
		  "\"a\\\"b\\\\\\\\\\\\n\"} 0.000000000\n"
		  "tracelets_a_tool_seconds_total{site=\"x\",disk=\"other\"} "
		  "0.000000000\n"
		  "tracelets_a_tool_seconds_total{site=\"x\",disk=\"sda\"} "
		  "1.500000001\n"
		  "tracelets_a_tool_seconds_total{site=\"x\",disk=\"sda\","
		  "error=\"EIO\"} 0.000000000\n");
	assert_int_equal(tl_series_others(all), 0);
	tl_series_free(all);
}

/* There is one "other", whatever is known of the rows that find no place. */
static void test_too_many(void **state)
{
	struct tl_series *all = tl_series_new("a-tool", columns, 1, "");

	add(all, "sda", NULL, 1, 0);
	add(all, "sdb", NULL, 2, 0);
	add(all, NULL, NULL, 4, 0);
	add(all, "sdc", "EIO", 8, 0);
	add(all, NULL, "EIO", 16, 0);
	add(all, "sda", NULL, 32, 0);
	expect(all, "",
	       IO
	       "tracelets_a_tool_io_total{disk=\"other\",error=\"other\"} 30\n"
	       "tracelets_a_tool_io_total{disk=\"sda\"} 33\n" SECONDS
	       "tracelets_a_tool_seconds_total{disk=\"other\",error=\"other\"} "
	       "0.000000000\n"
	       "tracelets_a_tool_seconds_total{disk=\"sda\"} 0.000000000\n");
	assert_int_equal(tl_series_others(all), 4);
	assert_int_equal(tl_series_missed(all), 0);
	tl_series_free(all);
}

/* Names that a user chose become names of labels, each of them another one. */
static void test_members(void **state)
{
	static const struct tl_column fields[] = {
		{ "VALUES", "values", 0, TL_FIELDS, .metric = TL_LABEL },
		{ "COUNT", "count", 0, TL_INT,
		  .metric = TL_COUNTER("events", "Events") },
		{ 0 }
	};
	struct tl_series *all = tl_series_new("t", fields, 10, "event,sig");
	const struct tl_named members[] = {
		{ "$arg1", number(1) },     { "arg1", number(2) },
		{ "+8($arg1)", number(3) }, { "-8($arg1)", number(4) },
		{ "__nr", number(5) },      { "sig", number(6) },
		{ "le", number(7) },        { "event", text("x") },
	};
	const struct tl_value row[] = { { .type = TL_FIELDS,
					  .known = true,
					  .list = members,
					  .count = 8 },
					number(1) };

	tl_series_add(all, row);
	expect(all, "",
	       "# HELP tracelets_t_events_total Events.\n"
	       "# TYPE tracelets_t_events_total counter\n"
	       "tracelets_t_events_total{arg1=\"1\",arg1_2=\"2\",value_8__arg1_"
	       "=\"3\",value_8__arg1__4=\"4\","
	       "nr=\"5\",sig_6=\"6\",le_7=\"7\",event_8=\"x\"} 1\n");
	tl_series_free(all);
}

/* A counter without labels is 0 at first; buckets have their ends in them. */
static void test_histogram(void **state)
{
	static const struct tl_column times[] = {
		{ "BYTES", "bytes", 0, TL_INT,
		  .metric = TL_COUNTER("bytes", "Bytes") },
		{ "LAT", "lat", 0, TL_MSECS,
		  .metric = TL_HISTOGRAM("seconds", "How long") },
		{ 0 }
	};
	static const int64_t points[] = { 1000 + 1, 1000000000 + 1 };
	const uint64_t counts[] = { 2, 1, 4 };
	const struct tl_histogram h = { points, 2, counts, 5e9 + 1 };
	struct tl_series *all = tl_series_new("t", times, 10, "");
	const struct tl_value row[2] = { 0 };

	expect(all, "",
	       "# HELP tracelets_t_bytes_total Bytes.\n"
	       "# TYPE tracelets_t_bytes_total counter\n"
	       "tracelets_t_bytes_total 0\n"
	       "# HELP tracelets_t_seconds How long.\n"
	       "# TYPE tracelets_t_seconds histogram\n");
	tl_series_add_histogram(all, row, &h);
	tl_series_add_histogram(all, row, &h);
	expect(all, "",
	       "# HELP tracelets_t_bytes_total Bytes.\n"
	       "# TYPE tracelets_t_bytes_total counter\n"
	       "tracelets_t_bytes_total 0\n"
	       "# HELP tracelets_t_seconds How long.\n"
	       "# TYPE tracelets_t_seconds histogram\n"
	       "tracelets_t_seconds_bucket{le=\"1e-06\"} 4\n"
	       "tracelets_t_seconds_bucket{le=\"1\"} 6\n"
	       "tracelets_t_seconds_bucket{le=\"+Inf\"} 14\n"
	       "tracelets_t_seconds_sum 10.000000002\n"
	       "tracelets_t_seconds_count 14\n");
	tl_series_free(all);
}

/* Of single values the ends are the same on all machines. */
static void test_single_values(void **state)
{
	static const struct tl_column times[] = {
		{ "LAT", "lat", 0, TL_MSECS,
		  .metric = TL_HISTOGRAM("seconds", "How long") },
		{ 0 }
	};
	static const int64_t values[] = { 1000, 1001, 16777216000,
					  16777216001 };
	struct tl_series *all = tl_series_new("t", times, 10, "");
	struct tl_buf b = { 0 };
	struct tl_value v;
	size_t i;

	for (i = 0; i < 4; i++) {
		v = number(values[i]);
		tl_series_add(all, &v);
	}
	tl_series_print(all, &b, "");
	tl_buf_char(&b, '\0');
	assert_non_null(strstr(b.data, "_bucket{le=\"1e-06\"} 1\n"));
	assert_non_null(strstr(b.data, "_bucket{le=\"4e-06\"} 2\n"));
	assert_non_null(strstr(b.data, "_bucket{le=\"16.777216\"} 3\n"));
	assert_non_null(strstr(b.data, "_bucket{le=\"+Inf\"} 4\n"));
	assert_non_null(strstr(b.data, "_sum 33.554434002\n"));
	tl_buf_free(&b);
	tl_series_free(all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_too_many),
		cmocka_unit_test(test_members),
		cmocka_unit_test(test_histogram),
		cmocka_unit_test(test_single_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
