/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_out.c - rows in each format, and what happens when they can't be written
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "out/out.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define STR(s)   ((struct tl_str){ s, sizeof(s) - 1 })

enum { COMM, PID, FD, FILE_NAME, ERRNO };

static const struct tl_column opens[] = {
	[COMM] = { "COMM", "comm", -16, TL_STR, TL_SHOW_ALL },
	[PID] = { "PID", "pid", -6, TL_INT, TL_SHOW_ALL },
	[FD] = { "FD", "fd", 4, TL_HEX, TL_SHOW_ALL },
	[FILE_NAME] = { "FILE", "file", 0, TL_STR, TL_SHOW_ALL },
	[ERRNO] = { "ERR", "errno", 6, TL_STR, TL_SHOW_DATA },
	{ 0 },
};

/* ---- an output that is read back -------------------------------------- */

/* Written to descriptor BACK, which nothing else uses. */
#define BACK 99

static struct tl_out *open_as(struct tl_out_config config)
{
	int fd = memfd_create("out", MFD_CLOEXEC);
	struct tl_out *out;

	assert_int_equal(dup2(fd, BACK), BACK);
	close(fd);
	config.fd = BACK;
	out = tl_out_new(&config);
	assert_non_null(out);
	return out;
}

static struct tl_out *open_out(enum tl_format format,
			       const struct tl_column *columns)
{
	return open_as(
		(struct tl_out_config){ .format = format, .columns = columns });
}

/* All that was written is @expected; ends the output. */
static void expect(struct tl_out *out, const char *expected)
{
	char text[8192];
	ssize_t n;

	assert_int_equal(tl_out_flush(out), 0);
	n = pread(BACK, text, sizeof(text) - 1, 0);
	assert_true(n >= 0);
	text[n] = '\0';
	assert_string_equal(text, expected);
	tl_out_free(out);
	close(BACK);
}

static void put_num(struct tl_out *out, unsigned int col, int64_t num)
{
	struct tl_value *v = tl_out_cell(out, col);

	v->known = true;
	v->num = num;
}

static void put_str(struct tl_out *out, unsigned int col, struct tl_str str)
{
	struct tl_value *v = tl_out_cell(out, col);

	v->known = true;
	v->str = str;
}

static void put_list(struct tl_out *out, unsigned int col,
		     const struct tl_named *list, size_t count, bool more)
{
	struct tl_value *v = tl_out_cell(out, col);

	v->known = true;
	v->list = list;
	v->count = count;
	v->more = more;
}

static void put_open(struct tl_out *out, struct tl_str comm, int pid, int fd,
		     struct tl_str file)
{
	put_str(out, COMM, comm);
	put_num(out, PID, pid);
	put_num(out, FD, fd);
	put_str(out, FILE_NAME, file);
}

/* ---- rows ------------------------------------------------------------- */

static void text_rows(void **state)
{
	struct tl_out *out = open_out(TL_FORMAT_TEXT, opens);

	(void)state;
	tl_out_header(out);
	put_open(out, STR("bash"), 1234, 3, STR("/etc/passwd"));
	tl_out_row(out);
	/* negative numbers are decimal in a column of TL_HEX */
	put_open(out, STR("cat"), 7, -1, STR("x"));
	tl_out_row(out);
	put_open(out, STR("fifteen_letters"), 4194304, 0x10ab, STR("y"));
	tl_out_row(out);
	/* clang-format off */
	expect(out,
	       "COMM             PID      FD FILE\n"
	       "bash             1234    0x3 /etc/passwd\n"
	       "cat              7        -1 x\n"
	       "fifteen_letters  4194304 0x10ab y\n");
	/* clang-format on */
}

static void escaped_text_is_not_cut(void **state)
{
	struct tl_out *out = open_out(TL_FORMAT_TEXT, opens);

	(void)state;
	put_open(out, STR("\33\33\33\33\33"), 1, 3, STR("a\nb\\"));
	tl_out_row(out);
	/* a width counts code points: here five, and three */
	put_open(out, STR("caf\xc3\xa9\xe2\x82\xac"), 1, 3, STR("a\xff"));
	tl_out_row(out);
	put_open(out, STR("a\xc3\xbc\xf0\x9f\x98\x80"), 1, 3, STR("x"));
	tl_out_row(out);
	expect(out, "\\x1b\\x1b\\x1b\\x1b\\x1b 1       0x3 a\\nb\\\\\n"
		    "caf\xc3\xa9\xe2\x82\xac            1       0x3 a\\xff\n"
		    "a\xc3\xbc\xf0\x9f\x98\x80              1       0x3 x\n");
}

static void raw_text(void **state)
{
	struct tl_out *out = open_as(
		(struct tl_out_config){ .raw = true, .columns = opens });

	(void)state;
	put_open(out, STR("a\33b"), 1, 3, STR("a\nb\\\xff"));
	tl_out_row(out);
	tl_out_line(out, "x\ty");
	expect(out, "a\33b              1       0x3 a\nb\\\xff\nx\ty\n");
}

static void raw_is_for_text_only(void **state)
{
	struct tl_out *out = open_as((struct tl_out_config){
		.raw = true, .format = TL_FORMAT_CSV, .columns = opens });

	(void)state;
	put_open(out, STR("a\33b"), 1, 3, STR("a\nb"));
	tl_out_row(out);
	expect(out, "a\\x1bb,1,3,a\\nb,\n");
	out = open_as((struct tl_out_config){
		.raw = true, .format = TL_FORMAT_JSON, .columns = opens });
	put_open(out, STR("a\33b"), 1, 3, STR("a\nb"));
	tl_out_row(out);
	expect(out, "{\"comm\":\"a\\u001bb\",\"pid\":1,\"fd\":3,"
		    "\"file\":\"a\\nb\",\"errno\":null}\n");
}

static void unknown_and_empty(void **state)
{
	struct tl_out *out = open_out(TL_FORMAT_TEXT, opens);

	(void)state;
	/* what is not set is unknown, also when it was set in the last row */
	put_open(out, STR("bash"), 1, 3, STR("x"));
	tl_out_row(out);
	tl_out_row(out);
	put_open(out, STR(""), 0, 0, STR(""));
	tl_out_row(out);
	expect(out, "bash             1       0x3 x\n"
		    "-                -         - -\n"
		    "\"\"               0       0x0 \"\"\n");
	out = open_out(TL_FORMAT_JSON, opens);
	tl_out_row(out);
	put_open(out, STR(""), 0, 0, STR(""));
	tl_out_row(out);
	expect(out, "{\"comm\":null,\"pid\":null,\"fd\":null,\"file\":null,"
		    "\"errno\":null}\n"
		    "{\"comm\":\"\",\"pid\":0,\"fd\":0,\"file\":\"\","
		    "\"errno\":null}\n");
	out = open_out(TL_FORMAT_CSV, opens);
	tl_out_row(out);
	put_open(out, STR(""), 0, 0, STR(""));
	tl_out_row(out);
	expect(out, ",,,,\n\"\",0,0,\"\",\n");
}

static void cut_short(void **state)
{
	static const enum tl_format formats[] = {
		TL_FORMAT_TEXT,
		TL_FORMAT_JSON,
		TL_FORMAT_CSV,
	};
	static const char *const expected[] = {
		"bash             1       0x3 /long [...]\n",
		("{\"comm\":\"bash\",\"pid\":1,\"fd\":3,\"file\":\"/long\","
		 "\"file_truncated\":true,\"errno\":null}\n"),
		"bash,1,3,/long [...],\n",
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(formats); i++) {
		struct tl_out *out = open_out(formats[i], opens);

		put_open(out, STR("bash"), 1, 3, STR("/long"));
		tl_out_cell(out, FILE_NAME)->more = true;
		tl_out_row(out);
		expect(out, expected[i]);
	}
}

static void columns_shown(void **state)
{
	static const struct tl_column some[] = {
		{ "TIMEs", "time", -16, TL_TIME, TL_SHOW_DATA },
		{ "NOTE", NULL, -6, TL_STR, TL_SHOW_TEXT },
		{ "PID", "pid", 6, TL_INT, TL_SHOW_ALL },
		{ 0 },
	};
	enum tl_format format;
	static const char *const expected[] = {
		("NOTE      PID\n"
		 "a          12\n"
		 "TIMEs            NOTE      PID\n"
		 "1.500000         b          13\n"),
		("{\"time\":1.500000,\"pid\":12}\n"
		 "{\"time\":1.500000,\"pid\":13}\n"),
		"time,pid\n1.500000,12\ntime,pid\n1.500000,13\n",
	};

	(void)state;
	for (format = TL_FORMAT_TEXT; format <= TL_FORMAT_CSV; format++) {
		struct tl_out *out = open_out(format, some);

		tl_out_header(out);
		put_num(out, 0, 1500000000);
		put_str(out, 1, STR("a"));
		put_num(out, 2, 12);
		tl_out_row(out);
		tl_out_show(out, 0, TL_SHOW_ALL);
		tl_out_header(out);
		put_num(out, 0, 1500000000);
		put_str(out, 1, STR("b"));
		put_num(out, 2, 13);
		tl_out_row(out);
		expect(out, expected[format]);
	}
}

static void column_of_another_type(void **state)
{
	struct tl_out *out = open_out(TL_FORMAT_TEXT, opens);

	(void)state;
	tl_out_type(out, FD, TL_INT);
	put_open(out, STR("bash"), 1, 17, STR("x"));
	tl_out_row(out);
	expect(out, "bash             1        17 x\n");
}

static void quiet(void **state)
{
	struct tl_out *out = open_as(
		(struct tl_out_config){ .quiet = true, .columns = opens });

	(void)state;
	tl_out_header(out);
	expect(out, "");
	out = open_as((struct tl_out_config){
		.quiet = true, .format = TL_FORMAT_CSV, .columns = opens });
	tl_out_header(out);
	expect(out, "comm,pid,fd,file,errno\n");
	out = open_out(TL_FORMAT_JSON, opens);
	tl_out_header(out);
	expect(out, "");
}

static void no_columns(void **state)
{
	struct tl_out *out = open_out(TL_FORMAT_TEXT, NULL);

	(void)state;
	tl_out_line(out, "Tracing %s", "x");
	tl_out_row(out);
	expect(out, "Tracing x\n");
	out = open_out(TL_FORMAT_JSON, NULL);
	tl_out_row(out);
	expect(out, "{}\n");
}

/*
 * Every width with texts of every length, which make the buffer grow as well.
 */
static void padding(void **state)
{
	static const char text[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEF";
	char expected[8192];
	int width, len, n;

	(void)state;
	for (width = -40; width <= 40; width++) {
		const struct tl_column cells[] = {
			{ "A", "a", width, TL_STR, TL_SHOW_ALL },
			{ "B", "b", width, TL_INT, TL_SHOW_ALL },
			{ "C", "c", 3, TL_INT, TL_SHOW_ALL },
			{ 0 },
		};
		struct tl_out *out = open_out(TL_FORMAT_TEXT, cells);

		for (len = 1, n = 0; len <= 42; len++) {
			put_str(out, 0, (struct tl_str){ text, len });
			put_num(out, 1, len);
			put_num(out, 2, len);
			tl_out_row(out);
			n += snprintf(expected + n, sizeof(expected) - n,
				      "%*.*s %*d %3d\n", width, len, text,
				      width, len, len);
			assert_true(n < (int)sizeof(expected));
		}
		expect(out, expected);
	}
}

/* ---- numbers and times ------------------------------------------------ */

static void numbers(void **state)
{
	static const struct tl_column two[] = {
		{ "N", "n", 0, TL_INT, TL_SHOW_ALL },
		{ "X", "x", 0, TL_HEX, TL_SHOW_ALL },
		{ 0 },
	};
	static const struct {
		int64_t num;
		const char *text, *json;
	} table[] = {
		{ 0, "0 0x0\n", "{\"n\":0,\"x\":0}\n" },
		{ 9, "9 0x9\n", "{\"n\":9,\"x\":9}\n" },
		{ 10, "10 0xa\n", "{\"n\":10,\"x\":10}\n" },
		{ 99, "99 0x63\n", "{\"n\":99,\"x\":99}\n" },
		{ 100, "100 0x64\n", "{\"n\":100,\"x\":100}\n" },
		{ 255, "255 0xff\n", "{\"n\":255,\"x\":255}\n" },
		{ 1005, "1005 0x3ed\n", "{\"n\":1005,\"x\":1005}\n" },
		{ 4294967296, "4294967296 0x100000000\n",
		  "{\"n\":4294967296,\"x\":4294967296}\n" },
		{ -1, "-1 -1\n", "{\"n\":-1,\"x\":-1}\n" },
		{ -100, "-100 -100\n", "{\"n\":-100,\"x\":-100}\n" },
		{ INT64_MAX, "9223372036854775807 0x7fffffffffffffff\n",
		  "{\"n\":9223372036854775807,\"x\":9223372036854775807}\n" },
		{ INT64_MIN, "-9223372036854775808 -9223372036854775808\n",
		  "{\"n\":-9223372036854775808,\"x\":-9223372036854775808}\n" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(table); i++) {
		struct tl_out *out = open_out(TL_FORMAT_TEXT, two);

		put_num(out, 0, table[i].num);
		put_num(out, 1, table[i].num);
		tl_out_row(out);
		expect(out, table[i].text);
		out = open_out(TL_FORMAT_JSON, two);
		put_num(out, 0, table[i].num);
		put_num(out, 1, table[i].num);
		tl_out_row(out);
		expect(out, table[i].json);
	}
}

/* @count from @first on, and their negatives, as printf() has them. */
static void expect_numbers(uint64_t first, unsigned int count)
{
	static const struct tl_column three[] = {
		{ "N", "n", 0, TL_INT, TL_SHOW_ALL },
		{ "U", "u", 0, TL_UINT, TL_SHOW_ALL },
		{ "X", "x", 0, TL_HEX, TL_SHOW_ALL },
		{ 0 },
	};
	struct tl_out *out = open_out(TL_FORMAT_TEXT, three);
	char expected[8192];
	unsigned int i;
	int n = 0;

	for (i = 0; i < count; i++) {
		int64_t num = (int64_t)(first + i);

		put_num(out, 0, -num);
		put_num(out, 1, num);
		put_num(out, 2, num);
		tl_out_row(out);
		n += snprintf(expected + n, sizeof(expected) - n,
			      "%" PRId64 " %" PRIu64 " 0x%" PRIx64 "\n", -num,
			      num, num);
		assert_true(n < (int)sizeof(expected));
	}
	expect(out, expected);
}

static void numbers_as_printf_has_them(void **state)
{
	uint64_t n;

	(void)state;
	for (n = 0; n < 12000; n += 200)
		expect_numbers(n, 200);
	for (n = 10000; n < INT64_MAX / 10; n *= 10)
		expect_numbers(n - 3, 6);
	for (n = 16; n < INT64_MAX / 16; n *= 16)
		expect_numbers(n - 3, 6);
}

static const struct tl_column times[] = {
	{ "TIMEs", "time", -16, TL_TIME, TL_SHOW_ALL },
	{ "PID", "pid", 0, TL_INT, TL_SHOW_ALL },
	{ 0 },
};

#define SEC 1000000000ll
/* 2026-11-20T23:11:19 UTC */
#define WALL 1795216279ll

struct moment {
	enum tl_time time;
	int64_t ns;
	const char *text, *json;
};

static void check_moments(const struct moment *m, size_t count)
{
	enum tl_format format;

	for (; count; m++, count--) {
		for (format = TL_FORMAT_TEXT; format <= TL_FORMAT_JSON;
		     format++) {
			struct tl_out *out = open_as(
				(struct tl_out_config){ .format = format,
							.time = m->time,
							.columns = times });

			/* the machine was started 100 s before */
			tl_out_epoch(out, 5 * SEC, (WALL - 100) * SEC);
			put_num(out, 0, m->ns);
			put_num(out, 1, 7);
			tl_out_row(out);
			expect(out, format ? m->json : m->text);
		}
	}
}

static void set_zone(const char *zone)
{
	setenv("TZ", zone, 1);
	tzset();
}

static void percentages(void **state)
{
	static const struct tl_column one[] = {
		{ "RATIO", "ratio", 8, TL_PERCENT, TL_SHOW_ALL }, { 0 }
	};
	static const struct {
		int64_t parts;
		const char *text, *json, *csv;
	} table[] = {
		{ 0, "    0.0%\n", "0.000000", "0.000000" },
		{ 125000000, "   12.5%\n", "0.125000", "0.125000" },
		{ 499999, "    0.0%\n", "0.000500", "0.000500" },
		{ 500000, "    0.1%\n", "0.000500", "0.000500" },
		{ 999499999, "   99.9%\n", "0.999500", "0.999500" },
		{ 1000000000, "  100.0%\n", "1.000000", "1.000000" },
		{ INT64_MAX / 2, "461168601842.7%\n", "4611686018.427388",
		  "4611686018.427388" },
	};
	static const enum tl_format formats[] = { TL_FORMAT_TEXT,
						  TL_FORMAT_JSON,
						  TL_FORMAT_CSV };
	char want[3][64];
	size_t i, f;

	(void)state;
	for (i = 0; i < COUNT(table); i++) {
		snprintf(want[0], sizeof(want[0]), "%s", table[i].text);
		snprintf(want[1], sizeof(want[1]), "{\"ratio\":%s}\n",
			 table[i].json);
		snprintf(want[2], sizeof(want[2]), "%s\n", table[i].csv);
		for (f = 0; f < COUNT(formats); f++) {
			struct tl_out *out = open_out(formats[f], one);

			put_num(out, 0, table[i].parts);
			tl_out_row(out);
			expect(out, want[f]);
		}
	}
}

static void durations(void **state)
{
	static const struct tl_column two[] = {
		{ "M", "m", 0, TL_MSECS, TL_SHOW_ALL },
		{ "U", "u", 0, TL_USECS, TL_SHOW_ALL },
		{ 0 },
	};
	static const struct {
		int64_t ns;
		const char *text, *json;
	} table[] = {
		{ 0, "0.00 0\n", "{\"m\":0.000000,\"u\":0.000000}\n" },
		{ 4999, "0.00 5\n", "{\"m\":0.000005,\"u\":0.000005}\n" },
		{ 5000, "0.01 5\n", "{\"m\":0.000005,\"u\":0.000005}\n" },
		{ 999995000, "1000.00 999995\n",
		  "{\"m\":0.999995,\"u\":0.999995}\n" },
		{ 12345678901, "12345.68 12345679\n",
		  "{\"m\":12.345679,\"u\":12.345679}\n" },
		{ -12340000, "-12.34 -12340\n",
		  "{\"m\":-0.012340,\"u\":-0.012340}\n" },
		{ INT64_MAX, "9223372036854.78 9223372036854776\n",
		  "{\"m\":9223372036.854776,\"u\":9223372036.854776}\n" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct tl_out *out = open_out(TL_FORMAT_TEXT, two);

		tl_out_cell(out, 0)->known = tl_out_cell(out, 1)->known = true;
		tl_out_cell(out, 0)->num = tl_out_cell(out, 1)->num =
			table[i].ns;
		tl_out_row(out);
		expect(out, table[i].text);
		out = open_out(TL_FORMAT_JSON, two);
		tl_out_cell(out, 0)->known = tl_out_cell(out, 1)->known = true;
		tl_out_cell(out, 0)->num = tl_out_cell(out, 1)->num =
			table[i].ns;
		tl_out_row(out);
		expect(out, table[i].json);
	}
}

static void nanoseconds(void **state)
{
	static const struct tl_column one[] = {
		{ "N", "n", 0, TL_NSECS, TL_SHOW_ALL }, { 0 }
	};
	static const enum tl_format formats[] = { TL_FORMAT_TEXT,
						  TL_FORMAT_JSON,
						  TL_FORMAT_CSV };
	static const struct {
		int64_t ns;
		const char *want[3];
	} table[] = {
		{ 0, { "0.000\n", "{\"n\":0.000000000}\n", "0.000000000\n" } },
		{ 7, { "0.007\n", "{\"n\":0.000000007}\n", "0.000000007\n" } },
		{ 1234,
		  { "1.234\n", "{\"n\":0.000001234}\n", "0.000001234\n" } },
		{ 61000000001,
		  { "61000000.001\n", "{\"n\":61.000000001}\n",
		    "61.000000001\n" } },
		{ -1500,
		  { "-1.500\n", "{\"n\":-0.000001500}\n", "-0.000001500\n" } },
	};
	size_t i, f;

	(void)state;
	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		for (f = 0; f < 3; f++) {
			struct tl_out *out = open_out(formats[f], one);

			put_num(out, 0, table[i].ns);
			tl_out_row(out);
			expect(out, table[i].want[f]);
		}
	}
}

static void utc(void **state)
{
	static const struct moment table[] = {
		{ TL_TIME_CLOCK, 123456789000, "123.456789       7\n",
		  "{\"time\":123.456789,\"pid\":7}\n" },
		{ TL_TIME_CLOCK, 1000, "0.000001         7\n",
		  "{\"time\":0.000001,\"pid\":7}\n" },
		/* rounded as the kernel's own text is */
		{ TL_TIME_CLOCK, 1499, "0.000001         7\n",
		  "{\"time\":0.000001,\"pid\":7}\n" },
		{ TL_TIME_CLOCK, 1500, "0.000002         7\n",
		  "{\"time\":0.000002,\"pid\":7}\n" },
		{ TL_TIME_CLOCK, 1999999500, "2.000000         7\n",
		  "{\"time\":2.000000,\"pid\":7}\n" },
		{ TL_TIME_RELATIVE, 5 * SEC + 250000000, "0.250000         7\n",
		  "{\"time\":0.250000,\"pid\":7}\n" },
		/* before the start */
		{ TL_TIME_RELATIVE, 3 * SEC + 500000000, "-1.500000        7\n",
		  "{\"time\":-1.500000,\"pid\":7}\n" },
		{ TL_TIME_RELATIVE, 5 * SEC - 1000, "-0.000001        7\n",
		  "{\"time\":-0.000001,\"pid\":7}\n" },
		{ TL_TIME_WALL, 100 * SEC + 123456000, "23:11:19.123456  7\n",
		  "{\"time\":\"23:11:19.123456\",\"pid\":7}\n" },
		{ TL_TIME_WALL, 101 * SEC - 500, "23:11:20.000000  7\n",
		  "{\"time\":\"23:11:20.000000\",\"pid\":7}\n" },
		{ TL_TIME_ISO, 100 * SEC + 123456000,
		  "2026-11-20T23:11:19.123456+00:00 7\n",
		  "{\"time\":\"2026-11-20T23:11:19.123456+00:00\","
		  "\"pid\":7}\n" },
		/* before 1970 */
		{ TL_TIME_ISO, (100 - WALL) * SEC - 250000000,
		  "1969-12-31T23:59:59.750000+00:00 7\n",
		  "{\"time\":\"1969-12-31T23:59:59.750000+00:00\","
		  "\"pid\":7}\n" },
	};

	(void)state;
	set_zone("UTC0");
	check_moments(table, COUNT(table));
}

static void other_zones(void **state)
{
	static const struct moment east[] = {
		{ TL_TIME_ISO, 100 * SEC,
		  "2026-11-21T04:56:19.000000+05:45 7\n",
		  "{\"time\":\"2026-11-21T04:56:19.000000+05:45\","
		  "\"pid\":7}\n" },
	};
	static const struct moment west[] = {
		{ TL_TIME_WALL, 100 * SEC, "19:41:19.000000  7\n",
		  "{\"time\":\"19:41:19.000000\",\"pid\":7}\n" },
		{ TL_TIME_ISO, 100 * SEC,
		  "2026-11-20T19:41:19.000000-03:30 7\n",
		  "{\"time\":\"2026-11-20T19:41:19.000000-03:30\","
		  "\"pid\":7}\n" },
	};

	(void)state;
	set_zone("NPT-5:45");
	check_moments(east, COUNT(east));
	set_zone("NST3:30");
	check_moments(west, COUNT(west));
	set_zone("UTC0");
}

/* Whatever --time asks, the wall clock's second that has begun. */
static void hours_minutes_seconds(void **state)
{
	static const struct tl_column clock[] = {
		{ "TIME", "clock", -9, TL_WALL_CLOCK, TL_SHOW_ALL },
		{ "PID", "pid", 0, TL_INT, TL_SHOW_ALL },
		{ 0 },
	};
	static const char *const want[] = {
		[TL_FORMAT_TEXT] = "23:11:19  7\n",
		[TL_FORMAT_JSON] = "{\"clock\":\"23:11:19\",\"pid\":7}\n",
		[TL_FORMAT_CSV] = "23:11:19,7\n",
	};
	unsigned int format, time;

	(void)state;
	for (format = 0; format < COUNT(want); format++) {
		for (time = TL_TIME_CLOCK; time <= TL_TIME_ISO; time++) {
			struct tl_out *out = open_as(
				(struct tl_out_config){ .format = format,
							.time = time,
							.columns = clock });

			tl_out_epoch(out, 5 * SEC, (WALL - 100) * SEC);
			put_num(out, 0, 101 * SEC - 500);
			put_num(out, 1, 7);
			tl_out_row(out);
			expect(out, want[format]);
		}
	}
}

/* The second is kept for the next row; not for another one. */
static void times_in_a_row(void **state)
{
	struct tl_out *out = open_as((struct tl_out_config){
		.time = TL_TIME_WALL, .columns = times });
	size_t i;

	(void)state;
	tl_out_epoch(out, 0, 0);
	for (i = 0; i < 4; i++) {
		put_num(out, 0, (int64_t)i * 600000000);
		tl_out_row(out);
	}
	put_num(out, 0, 0);
	tl_out_row(out);
	tl_out_row(out);
	expect(out, "00:00:00.000000  -\n"
		    "00:00:00.600000  -\n"
		    "00:00:01.200000  -\n"
		    "00:00:01.800000  -\n"
		    "00:00:00.000000  -\n"
		    "-                -\n");
}

/* ---- lists ------------------------------------------------------------ */

#define MEMBER(s)                                      \
	{                                              \
		NULL,                                  \
		{                                      \
			.type = TL_STR, .known = true, \
			.str = { s,                    \
				 sizeof(s) - 1 }       \
		}                                      \
	}

static const struct tl_named args[] = {
	MEMBER("ls"), MEMBER(""), MEMBER("a b"), MEMBER("it's"), MEMBER("\n"),
};

static const struct tl_column execs[] = {
	{ "PID", "pid", 6, TL_INT, TL_SHOW_ALL },
	{ "ARGS", "args", 0, TL_ARGV, TL_SHOW_ALL },
	{ 0 },
};

static void put_exec(struct tl_out *out, bool more)
{
	put_num(out, 0, 12);
	put_list(out, 1, args, COUNT(args), more);
	tl_out_row(out);
}

static void arguments(void **state)
{
	struct tl_out *out = open_out(TL_FORMAT_TEXT, execs);

	(void)state;
	tl_out_header(out);
	put_exec(out, false);
	put_exec(out, true);
	tl_out_row(out);
	expect(out, "   PID ARGS\n"
		    "    12 ls '' 'a b' $'it\\'s' $'\\n'\n"
		    "    12 ls '' 'a b' $'it\\'s' $'\\n' [...]\n"
		    "     - -\n");
	out = open_out(TL_FORMAT_JSON, execs);
	put_exec(out, false);
	put_exec(out, true);
	put_list(out, 1, NULL, 0, false);
	tl_out_row(out);
	expect(out,
	       "{\"pid\":12,\"args\":[\"ls\",\"\",\"a b\",\"it's\",\"\\n\"]}\n"
	       "{\"pid\":12,\"args\":[\"ls\",\"\",\"a b\",\"it's\",\"\\n\"],"
	       "\"args_truncated\":true}\n"
	       "{\"pid\":null,\"args\":[]}\n");
	out = open_out(TL_FORMAT_CSV, execs);
	put_exec(out, true);
	tl_out_row(out);
	expect(out, "12,ls '' 'a b' $'it\\'s' $'\\n' [...]\n,\n");
	out = open_as((struct tl_out_config){ .raw = true, .columns = execs });
	put_exec(out, false);
	expect(out, "    12 ls  a b it's \n\n");
}

static void argument_that_is_unknown(void **state)
{
	static const struct tl_named list[] = {
		MEMBER("ls"),
		{ NULL, { .type = TL_STR, .known = false } },
	};
	struct tl_out *out = open_out(TL_FORMAT_TEXT, execs);

	(void)state;
	put_list(out, 1, list, COUNT(list), false);
	tl_out_row(out);
	expect(out, "     - ls [?]\n");
	out = open_out(TL_FORMAT_JSON, execs);
	put_list(out, 1, list, COUNT(list), false);
	tl_out_row(out);
	expect(out, "{\"pid\":null,\"args\":[\"ls\",null]}\n");
}

static void stacks(void **state)
{
	static const struct tl_column columns[] = {
		{ "STACK", "stack", 0, TL_STACK, TL_SHOW_ALL },
		{ "PID", "pid", -6, TL_INT, TL_SHOW_ALL },
		{ 0 },
	};
	static const struct tl_named list[] = {
		MEMBER("vfs_read"),
		{ NULL, { .type = TL_HEX, .known = true, .num = 0xffff } },
		MEMBER("a\33b"),
	};
	static const char *const expected[] = {
		"PID\n12\n => vfs_read\n => 0xffff\n => a\\x1bb\n-\n",
		("{\"stack\":[\"vfs_read\",65535,\"a\\u001bb\"],\"pid\":12}\n"
		 "{\"stack\":null,\"pid\":null}\n"),
		"stack,pid\nvfs_read;0xffff;a\\x1bb,12\n,\n",
	};
	enum tl_format format;

	(void)state;
	for (format = TL_FORMAT_TEXT; format <= TL_FORMAT_CSV; format++) {
		struct tl_out *out = open_out(format, columns);

		tl_out_header(out);
		put_list(out, 0, list, COUNT(list), false);
		put_num(out, 1, 12);
		tl_out_row(out);
		tl_out_row(out);
		expect(out, expected[format]);
	}
}

static void fields(void **state)
{
	static const struct tl_column columns[] = {
		{ "FIELDS", "fields", 0, TL_FIELDS, TL_SHOW_ALL },
		{ 0 },
	};
	static const struct tl_named list[] = {
		{ "pid", { .type = TL_INT, .known = true, .num = -3 } },
		{ "flags", { .type = TL_HEX, .known = true, .num = 0x12 } },
		{ "comm",
		  { .type = TL_STR, .known = true, .str = { "a\"b\n", 4 } } },
		{ "none", { .type = TL_STR } },
		{ "empty", { .type = TL_STR, .known = true } },
		{ "dash",
		  { .type = TL_STR, .known = true, .str = { "-", 1 } } },
		{ "cut",
		  { .type = TL_STR,
		    .known = true,
		    .more = true,
		    .str = { "x", 1 } } },
		{ "at", { .type = TL_TIME, .known = true, .num = 1500000000 } },
		{ "argv",
		  { .type = TL_ARGV,
		    .known = true,
		    .list = args,
		    .count = 3 } },
	};
	static const char *const expected[] = {
		("pid=-3 flags=0x12 comm=a\"b\\n none=- empty=\"\" "
		 "dash=\"-\" cut=x [...] at=1.500000 argv=ls '' 'a b'\n"),
		("{\"fields\":{\"pid\":-3,\"flags\":18,\"comm\":\"a\\\"b\\n\","
		 "\"none\":null,\"empty\":\"\",\"dash\":\"-\",\"cut\":\"x\","
		 "\"cut_truncated\":true,\"at\":1.500000,"
		 "\"argv\":[\"ls\",\"\",\"a b\"]}}\n"),
		("\"pid=-3 flags=0x12 comm=a\"\"b\\n none=- empty=\"\"\"\" "
		 "dash=\"\"-\"\" cut=x [...] at=1.500000 argv=ls '' 'a b'\"\n"),
	};
	enum tl_format format;

	(void)state;
	for (format = TL_FORMAT_TEXT; format <= TL_FORMAT_CSV; format++) {
		struct tl_out *out = open_out(format, columns);

		put_list(out, 0, list, COUNT(list), false);
		tl_out_row(out);
		expect(out, expected[format]);
	}
}

/* ---- CSV, lines, losses ----------------------------------------------- */

static void csv_quoting(void **state)
{
	static const struct tl_column columns[] = {
		{ "A", "a,b", 0, TL_STR, TL_SHOW_ALL },
		{ "B", "b", 0, TL_STR, TL_SHOW_ALL },
		{ 0 },
	};
	struct tl_out *out = open_out(TL_FORMAT_CSV, columns);

	(void)state;
	tl_out_header(out);
	put_str(out, 0, STR("plain"));
	put_str(out, 1, STR("a,b"));
	tl_out_row(out);
	put_str(out, 0, STR("say \"hi\""));
	put_str(out, 1, STR("\""));
	tl_out_row(out);
	put_str(out, 0, STR(" x"));
	put_str(out, 1, STR("x "));
	tl_out_row(out);
	put_str(out, 0, STR("a\r\nb"));
	put_str(out, 1, STR("a b"));
	tl_out_row(out);
	expect(out, "\"a,b\",b\n"
		    "plain,\"a,b\"\n"
		    "\"say \"\"hi\"\"\",\"\"\"\"\n"
		    "\" x\",\"x \"\n"
		    "a\\r\\nb,a b\n");
}

static void lines(void **state)
{
	static const char *const expected[] = { "Tracing \\x1b[2J, 5\n\n", "",
						"" };
	enum tl_format format;

	(void)state;
	for (format = TL_FORMAT_TEXT; format <= TL_FORMAT_CSV; format++) {
		struct tl_out *out = open_out(format, opens);

		tl_out_line(out, "Tracing %s, %d", "\33[2J", 5);
		tl_out_line(out, "%s", "");
		expect(out, expected[format]);
	}
}

static void losses(void **state)
{
	static const char *const expected[] = {
		("[LOST 123 EVENTS on CPU 0]\n"
		 "[LOST EVENTS on CPU 63]\n"
		 "[LOST 0 EVENTS on CPU 1]\n"),
		("{\"lost\":123,\"cpu\":0}\n"
		 "{\"lost\":null,\"cpu\":63}\n"
		 "{\"lost\":0,\"cpu\":1}\n"),
		"",
	};
	enum tl_format format;

	(void)state;
	for (format = TL_FORMAT_TEXT; format <= TL_FORMAT_CSV; format++) {
		struct tl_out *out = open_out(format, opens);

		tl_out_lost(out, 0, 1, 123);
		tl_out_lost(out, 63, 1, -1);
		tl_out_lost(out, 1, 1, 0);
		expect(out, expected[format]);
	}
}

struct tapped {
	unsigned int rows;
	int64_t sum; /* of PID, where it is known */
};

static void on_tapped(void *ctx, const struct tl_column *columns,
		      const struct tl_value *row)
{
	struct tapped *t = ctx;

	assert_string_equal(columns[PID].key, "pid");
	t->rows++;
	if (row[PID].known)
		t->sum += row[PID].num;
}

/* Rows of every format, and those that are not shown. */
static void tap(void **state)
{
	struct tapped t = { 0 };
	enum tl_format format;

	(void)state;
	for (format = TL_FORMAT_TEXT; format <= TL_FORMAT_CSV; format++) {
		struct tl_out *out = open_out(format, opens);

		assert_string_equal(tl_out_table(out)[PID].key, "pid");
		tl_out_tap(out, on_tapped, &t);
		put_open(out, STR("bash"), 7, 3, STR("/etc/passwd"));
		tl_out_row(out);
		tl_out_row(out);
		tl_out_mute(out, true);
		put_open(out, STR("bash"), 100, 3, STR("/etc/passwd"));
		tl_out_row(out);
		tl_out_free(out);
		close(BACK);
	}
	assert_int_equal(t.rows, 9);
	assert_int_equal(t.sum, 321);
}

/* ---- writing ---------------------------------------------------------- */

#define ROW "bash             1       0x3 /etc/passwd\n"

static void put_rows(struct tl_out *out, size_t count)
{
	for (; count; count--) {
		put_open(out, STR("bash"), 1, 3, STR("/etc/passwd"));
		tl_out_row(out);
	}
}

static struct tl_out *open_to(int fd, int stop_fd)
{
	struct tl_out_config config = {
		.fd = fd,
		.stop_fd = stop_fd,
		.columns = opens,
	};
	struct tl_out *out = tl_out_new(&config);

	assert_non_null(out);
	return out;
}

static void rows_wait_for_a_flush(void **state)
{
	int fd = memfd_create("out", MFD_CLOEXEC);
	struct tl_out *out = open_to(fd, 0);

	(void)state;
	put_rows(out, 65536 / (sizeof(ROW) - 1));
	assert_int_equal(lseek(fd, 0, SEEK_CUR), 0);
	/* up to 64 KiB */
	put_rows(out, 1);
	assert_true(lseek(fd, 0, SEEK_CUR) >= 65536);
	put_rows(out, 1);
	assert_int_equal(tl_out_flush(out), 0);
	assert_int_equal(lseek(fd, 0, SEEK_CUR),
			 (65536 / (sizeof(ROW) - 1) + 2) * (sizeof(ROW) - 1));
	tl_out_free(out);
	close(fd);
}

static void freed_without_flushing(void **state)
{
	int fd = memfd_create("out", MFD_CLOEXEC);
	struct tl_out *out = open_to(fd, 0);

	(void)state;
	put_rows(out, 1);
	tl_out_free(out);
	tl_out_free(NULL);
	assert_int_equal(lseek(fd, 0, SEEK_END), 0);
	close(fd);
}

static void full_disk(void **state)
{
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	struct tl_out *out = open_to(fd, 0);

	(void)state;
	put_rows(out, 1);
	assert_int_equal(tl_out_flush(out), -ENOSPC);
	/* from then on rows are dropped */
	put_rows(out, 5000);
	tl_out_header(out);
	tl_out_line(out, "x");
	tl_out_lost(out, 0, 1, 1);
	assert_int_equal(tl_out_flush(out), -ENOSPC);
	tl_out_free(out);
	close(fd);
}

static void error_of_a_full_buffer(void **state)
{
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	struct tl_out *out = open_to(fd, 0);

	(void)state;
	put_rows(out, 5000);
	assert_int_equal(tl_out_flush(out), -ENOSPC);
	tl_out_free(out);
	close(fd);
}

static void nothing_to_write(void **state)
{
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	struct tl_out *out = open_to(fd, 0);

	(void)state;
	assert_int_equal(tl_out_flush(out), 0);
	tl_out_free(out);
	close(fd);
}

static void closed_pipe(void **state)
{
	int stop = eventfd(0, EFD_CLOEXEC), with_stop, ends[2];

	(void)state;
	for (with_stop = 0; with_stop < 2; with_stop++) {
		struct tl_out *out;

		assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
		out = open_to(ends[1], with_stop ? stop : 0);
		close(ends[0]);
		put_rows(out, 1);
		assert_int_equal(tl_out_flush(out), -EPIPE);
		put_rows(out, 1);
		assert_int_equal(tl_out_flush(out), -EPIPE);
		tl_out_free(out);
		close(ends[1]);
	}
	close(stop);
}

static void closed_descriptor(void **state)
{
	int fd = memfd_create("out", MFD_CLOEXEC);
	struct tl_out *out = open_to(fd, 0);

	(void)state;
	close(fd);
	put_rows(out, 1);
	assert_int_equal(tl_out_flush(out), -EBADF);
	tl_out_free(out);
}

struct reader {
	int fd;
	size_t total;
	bool same; /* all rows are ROW */
};

/* Reads in odd pieces and slowly at first, so that writes are partial. */
static void *read_slowly(void *arg)
{
	struct reader *r = arg;
	char piece[777];
	ssize_t n, i;

	usleep(50000);
	r->same = true;
	while ((n = read(r->fd, piece, sizeof(piece))) > 0)
		for (i = 0; i < n; i++)
			r->same &=
				piece[i] == ROW[r->total++ % (sizeof(ROW) - 1)];
	return NULL;
}

static void through_pipe(int flags, int stop)
{
	struct reader reader = { 0 };
	struct tl_out *out;
	pthread_t thread;
	int ends[2];

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	/* the writing end only: the reader waits */
	assert_int_equal(fcntl(ends[1], F_SETFL, flags), 0);
	reader.fd = ends[0];
	pthread_create(&thread, NULL, read_slowly, &reader);
	out = open_to(ends[1], stop);
	put_rows(out, 5000);
	assert_int_equal(tl_out_flush(out), 0);
	tl_out_free(out);
	close(ends[1]);
	pthread_join(thread, NULL);
	close(ends[0]);
	assert_true(reader.same);
	assert_int_equal(reader.total, 5000 * (sizeof(ROW) - 1));
}

static void pipes(void **state)
{
	int stop = eventfd(0, EFD_CLOEXEC);

	(void)state;
	through_pipe(0, 0);
	through_pipe(O_NONBLOCK, 0);
	through_pipe(0, stop);
	through_pipe(O_NONBLOCK, stop);
	close(stop);
}

/* Told to end: all goes to a reader that reads, however slowly. */
static void stop_loses_nothing(void **state)
{
	int stop = eventfd(1, EFD_CLOEXEC);

	(void)state;
	through_pipe(0, stop);
	close(stop);
}

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ll + ts.tv_nsec / 1000000;
}

static void stop_does_not_wait_for_ever(void **state)
{
	int stop = eventfd(1, EFD_CLOEXEC), ends[2];
	int64_t start = now_ms();
	struct tl_out *out;

	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	out = open_to(ends[1], stop);
	put_rows(out, 5000);
	assert_int_equal(tl_out_flush(out), -ETIMEDOUT);
	assert_in_range(now_ms() - start, 900, 5000);
	tl_out_free(out);
	close(ends[0]);
	close(ends[1]);
	close(stop);
}

static void interrupted(int signal)
{
	(void)signal;
}

struct victim {
	pthread_t thread;
	volatile bool done;
};

static void *interrupt(void *arg)
{
	struct victim *v = arg;

	while (!v->done) {
		pthread_kill(v->thread, SIGUSR1);
		usleep(1000);
	}
	return NULL;
}

static void signals_do_not_matter(void **state)
{
	struct sigaction action = { .sa_handler = interrupted };
	struct victim victim = { .thread = pthread_self() };
	int stop = eventfd(0, EFD_CLOEXEC);
	pthread_t thread;

	(void)state;
	sigaction(SIGUSR1, &action, NULL);
	pthread_create(&thread, NULL, interrupt, &victim);
	through_pipe(0, 0);
	through_pipe(O_NONBLOCK, 0);
	through_pipe(0, stop);
	victim.done = true;
	pthread_join(thread, NULL);
	close(stop);
}

static void long_row(void **state)
{
	size_t len = 200000;
	char *name = malloc(len), *back = malloc(2 * len);
	int fd = memfd_create("out", MFD_CLOEXEC);
	struct tl_out *out = open_to(fd, 0);

	(void)state;
	memset(name, 'x', len);
	put_open(out, STR("bash"), 1, 3, (struct tl_str){ name, len });
	tl_out_row(out);
	assert_int_equal(tl_out_flush(out), 0);
	assert_int_equal(pread(fd, back, 2 * len, 0), 29 + len + 1);
	assert_memory_equal(back + 29, name, len);
	tl_out_free(out);
	close(fd);
	free(name);
	free(back);
}

/* ---- rows that have cells of the one before ----------------------------- */

/* What may be taken for another: of one length, beginning or end. */
static const struct tl_str pool[] = {
	{ "", 0 },
	STR("a"),
	STR("b"),
	STR("\n"),
	STR("1234567"),
	STR("12345678"),
	STR("12345679"),
	STR("02345678"),
	STR("\"2345678"),
	STR("123456789012345"),
	STR("1234567890123456"),
	STR("1234567_90123456"),
	STR("123456789012345_"),
	STR("12345678901234567"),
	STR("\xc3\xa4\xc3\xb6\xc3\xbc"),
	STR("a long name, which is longer than what is kept of any cell"),
};

static unsigned int seed;

static unsigned int any(unsigned int below)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % below;
}

/* Often as it was in the row before, which had @was. */
static unsigned int any_but_rarely(unsigned int was, unsigned int below)
{
	return any(3) ? was : any(below);
}

struct cells {
	unsigned int str[3], num[2];
	bool known[5], more[5];
};

static void choose(struct cells *c)
{
	unsigned int i;

	for (i = 0; i < 3; i++)
		c->str[i] = any_but_rarely(c->str[i], COUNT(pool));
	for (i = 0; i < 2; i++)
		c->num[i] = any_but_rarely(c->num[i], 4);
	for (i = 0; i < 5; i++) {
		c->known[i] = any(8);
		c->more[i] = !any(8);
	}
}

static void put_cells(struct tl_out *out, const struct cells *c)
{
	static const int64_t nums[] = { 0, -1, 255, INT64_MIN };
	static const unsigned int strs[] = { COMM, FILE_NAME, ERRNO };
	unsigned int i;

	for (i = 0; i < 3; i++)
		put_str(out, strs[i], pool[c->str[i]]);
	put_num(out, PID, nums[c->num[0]]);
	put_num(out, FD, nums[c->num[1]]);
	for (i = 0; i < 5; i++) {
		tl_out_cell(out, i)->known = c->known[i];
		tl_out_cell(out, i)->more = c->known[i] && c->more[i];
	}
	tl_out_row(out);
}

static void add_row(char *text, size_t size, enum tl_format format, bool raw,
		    const struct cells *c)
{
	struct tl_out *out = open_as((struct tl_out_config){
		.format = format, .raw = raw, .columns = opens });
	size_t len = strlen(text);
	ssize_t n;

	put_cells(out, c);
	assert_int_equal(tl_out_flush(out), 0);
	n = pread(BACK, text + len, size - len - 1, 0);
	assert_true(n > 0);
	text[len + (size_t)n] = '\0';
	tl_out_free(out);
	close(BACK);
}

/* Each row is as if it were the first one. */
static void rows_in_turn(void **state)
{
	const struct {
		enum tl_format format;
		bool raw;
	} outs[] = { { TL_FORMAT_TEXT, false },
		     { TL_FORMAT_TEXT, true },
		     { TL_FORMAT_JSON, false },
		     { TL_FORMAT_CSV, false } };
	struct cells rows[20], c = { 0 };
	char expected[8192];
	struct tl_out *out;
	unsigned int i, n;

	for (i = 0; i < 100 * COUNT(outs); i++) {
		expected[0] = '\0';
		for (n = 0; n < COUNT(rows); n++) {
			choose(&c);
			rows[n] = c;
			add_row(expected, sizeof(expected),
				outs[i % COUNT(outs)].format,
				outs[i % COUNT(outs)].raw, &c);
		}
		out = open_as((struct tl_out_config){
			.format = outs[i % COUNT(outs)].format,
			.raw = outs[i % COUNT(outs)].raw,
			.columns = opens });
		for (n = 0; n < COUNT(rows); n++)
			put_cells(out, &rows[n]);
		expect(out, expected);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_in_turn),
		cmocka_unit_test(text_rows),
		cmocka_unit_test(escaped_text_is_not_cut),
		cmocka_unit_test(raw_text),
		cmocka_unit_test(raw_is_for_text_only),
		cmocka_unit_test(unknown_and_empty),
		cmocka_unit_test(cut_short),
		cmocka_unit_test(columns_shown),
		cmocka_unit_test(column_of_another_type),
		cmocka_unit_test(quiet),
		cmocka_unit_test(no_columns),
		cmocka_unit_test(padding),
		cmocka_unit_test(numbers),
		cmocka_unit_test(numbers_as_printf_has_them),
		cmocka_unit_test(percentages),
		cmocka_unit_test(durations),
		cmocka_unit_test(nanoseconds),
		cmocka_unit_test(utc),
		cmocka_unit_test(other_zones),
		cmocka_unit_test(hours_minutes_seconds),
		cmocka_unit_test(times_in_a_row),
		cmocka_unit_test(arguments),
		cmocka_unit_test(argument_that_is_unknown),
		cmocka_unit_test(stacks),
		cmocka_unit_test(fields),
		cmocka_unit_test(csv_quoting),
		cmocka_unit_test(lines),
		cmocka_unit_test(losses),
		cmocka_unit_test(tap),
		cmocka_unit_test(rows_wait_for_a_flush),
		cmocka_unit_test(freed_without_flushing),
		cmocka_unit_test(full_disk),
		cmocka_unit_test(error_of_a_full_buffer),
		cmocka_unit_test(nothing_to_write),
		cmocka_unit_test(closed_pipe),
		cmocka_unit_test(closed_descriptor),
		cmocka_unit_test(pipes),
		cmocka_unit_test(stop_loses_nothing),
		cmocka_unit_test(stop_does_not_wait_for_ever),
		cmocka_unit_test(signals_do_not_matter),
		cmocka_unit_test(long_row),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
