/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_heat.c - heat maps: what is counted where, and what a file holds */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "picture.h"
#include "picture/heat.h"
#include "picture/origin.h"
#include "picture/usage.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define MS       1000000ull
#define SEC      (1000 * MS)
#define HOUR     (3600 * SEC)
#define CELL     "<rect x=\""

static const struct tl_origin origin;

/* Noon of 2024-05-06 when the clock was 0. */
static const struct tl_heat_text plain = {
	.title = "T",
	.unit = "I/O",
	.origin = &origin,
	.start_ns = 100 * SEC,
	.end_ns = 101 * SEC,
	.wall_ns = 1714996800 * (int64_t)SEC,
};

static char *svg(const struct tl_heat *h, const struct tl_heat_text *text)
{
	struct tl_heat_text all = *text;
	int fd = memfd_create("heat", 0);
	char *got;

	assert_true(fd >= 0);
	all.amount = h->total;
	assert_int_equal(tl_heat_svg(h, &all, fd), 0);
	got = slurp(fd);
	close(fd);
	return got;
}

/* The sum that the tooltips make, and how many columns have a cell. */
static uint64_t sum(const char *text, unsigned int *columns)
{
	uint64_t total = 0;
	long x, last = -1;

	*columns = 0;
	text = find(find(text, "<g transform"), ">\n") + 2;
	for (; !strncmp(text, CELL, strlen(CELL));
	     text = find(text, "\n") + 1) {
		x = strtol(text + strlen(CELL), NULL, 10);
		*columns += x != last;
		last = x;
		total += strtoull(find(text, ": ") + 2, NULL, 10);
	}
	return total;
}

/* ---- bins ------------------------------------------------------------- */

static void test_bins(void **state)
{
	static const struct {
		uint64_t latency;
		unsigned int bin;
	} edges[] = {
		{ 0, 0 },           { 999, 0 },       { 1000, 0 },
		{ 1333, 0 },        { 1334, 1 },      { 7498, 6 },
		{ 7499, 7 },        { 9999, 7 },      { 10000, 8 },
		{ MS - 1, 23 },     { MS, 24 },       { SEC - 1, 47 },
		{ SEC, 48 },        { 75 * SEC, 63 }, { 100 * SEC, 63 },
		{ UINT64_MAX, 63 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(edges); i++) {
		struct tl_heat_bins bins = { 0 };

		tl_heat_bin(&bins, edges[i].latency);
		assert_int_equal(bins.count[edges[i].bin], 1);
	}
}

/* ---- the map ---------------------------------------------------------- */

static void test_small(void **state)
{
	struct tl_heat *h = tl_heat_new(&tl_heat_latency, 0);
	char *text;

	(void)state;
	tl_heat_add(h, 100 * SEC, MS);
	tl_heat_add(h, 100 * SEC + 50 * MS - 1, MS + 1);
	tl_heat_add(h, 100 * SEC + 50 * MS, MS);
	tl_heat_add(h, 100 * SEC + 50 * MS, 20);
	tl_heat_add(h, 100 * SEC + 50 * MS, 1000 * SEC);
	text = svg(h, &plain);
	assert_memory_equal(text, "<svg xmlns=", 11);
	assert_string_equal(text + strlen(text) - 7, "</svg>\n");
	/* the background, two of the legend; a cell each */
	assert_int_equal(occurs(text, "<rect"), 1 + 2 + 4);
	assert_int_equal(occurs(text, "</title></rect>"), 4);
	assert_int_equal(occurs(text, "<title>12:01:40.000 - 12:01:40.050, "
				      "1 ms - 1.33 ms: 2 I/O</title>"),
			 1);
	assert_int_equal(occurs(text, "<title>12:01:40.050 - 12:01:40.100, "
				      "1 ms - 1.33 ms: 1 I/O</title>"),
			 1);
	assert_int_equal(occurs(text, ", 0 us - 1.33 us: 1 I/O<"), 1);
	assert_int_equal(occurs(text, ", 75 s and more: 1 I/O<"), 1);
	assert_int_equal(occurs(text, ">5 I/O, columns of 0.05 s<"), 1);
	assert_int_equal(occurs(text, "at most 2<"), 1);
	assert_int_equal(occurs(text, ">2024-05-06, UTC+0000<"), 1);
	assert_int_equal(occurs(text, "no I/O"), 0);
	/* a tick each 100 ms, from start to end */
	assert_int_equal(occurs(text, ">12:01:40.000</text>"), 1);
	assert_int_equal(occurs(text, ">12:01:41.000</text>"), 1);
	assert_int_equal(occurs(text, ">100 s</text>"), 1);
	/* all that is less than 1.33 us is in the first bin */
	assert_int_equal(occurs(text, ">0</text>"), 1);
	assert_int_equal(occurs(text, ">1 us</text>"), 0);
	free(text);
	tl_heat_free(h);
}

static void test_doubling(void **state)
{
	struct tl_heat_text ten = plain;
	struct tl_heat *h = tl_heat_new(&tl_heat_latency, 0);
	unsigned int columns, i;
	char *text;

	(void)state;
	ten.end_ns = ten.start_ns + 10 * HOUR;
	for (i = 0; i < 1000000; i++)
		tl_heat_add(h, ten.start_ns + i * (10 * HOUR / 1000000),
			    1000 + i * 7919ull % 1000 * MS);
	text = svg(h, &ten);
	assert_int_equal(sum(text, &columns), 1000000);
	assert_in_range(columns, 200, 400);
	assert_int_equal(occurs(text, ">1000000 I/O, columns of 102.4 s<"), 1);
	assert_int_equal(occurs(text, ">22:00:00</text>"), 1);
	free(text);
	tl_heat_free(h);
}

/* The order does not matter, whatever had to be widened when. */
static void test_order(void **state)
{
	struct tl_heat *up = tl_heat_new(&tl_heat_latency, 0),
		       *down = tl_heat_new(&tl_heat_latency, 0);
	struct tl_heat *mixed = tl_heat_new(&tl_heat_latency, 0);
	char *a, *b, *c;
	uint64_t i;

	(void)state;
	for (i = 0; i < 1000; i++) {
		uint64_t j = i * 617 % 1000, k = 999 - i;

		tl_heat_add(up, (i * i + 7) * 37 * MS, i * MS);
		tl_heat_add(down, (k * k + 7) * 37 * MS, k * MS);
		tl_heat_add(mixed, (j * j + 7) * 37 * MS, j * MS);
	}
	a = svg(up, &plain);
	b = svg(down, &plain);
	c = svg(mixed, &plain);
	assert_int_equal(occurs(a, ">1000 I/O, columns of 102.4 s<"), 1);
	assert_string_equal(a, b);
	assert_string_equal(a, c);
	free(a);
	free(b);
	free(c);
	tl_heat_free(up);
	tl_heat_free(down);
	tl_heat_free(mixed);
}

static void test_any_time(void **state)
{
	struct tl_heat *h = tl_heat_new(&tl_heat_latency, 0);
	unsigned int columns;
	char *text;

	(void)state;
	tl_heat_add(h, 100 * SEC, MS);
	tl_heat_add(h, UINT64_MAX, MS);
	tl_heat_add(h, 0, MS);
	tl_heat_add(h, INT64_MAX, MS);
	text = svg(h, &plain);
	assert_int_equal(sum(text, &columns), 4);
	assert_int_equal(columns, 2);
	assert_in_range(occurs(text, "text-anchor=\"middle\""), 3, 12);
	free(text);
	tl_heat_free(h);
}

/* I/O of a moment in a run of hours: as wide as any other column. */
static void test_burst(void **state)
{
	struct tl_heat_text ten = plain;
	struct tl_heat *h = tl_heat_new(&tl_heat_latency, 0);
	char *text;

	(void)state;
	ten.end_ns = ten.start_ns + 10 * HOUR;
	tl_heat_add(h, ten.start_ns + 5 * HOUR, MS);
	tl_heat_add(h, ten.start_ns + 5 * HOUR + SEC, MS);
	text = svg(h, &ten);
	assert_int_equal(occurs(text, "1 ms - 1.33 ms: 2 I/O"), 1);
	assert_int_equal(
		occurs(text, "width=\"30\"") + occurs(text, "width=\"31\""), 1);
	free(text);
	/* the map itself is as it was */
	text = svg(h, &plain);
	free(text);
	ten.start_ns += 5 * HOUR;
	ten.end_ns = ten.start_ns + SEC;
	text = svg(h, &ten);
	assert_int_equal(occurs(text, "1 ms - 1.33 ms: 1 I/O"), 2);
	free(text);
	tl_heat_free(h);
}

/* A run that begins before its first I/O, or is said to begin after it. */
static void test_range(void **state)
{
	struct tl_heat_text late = plain;
	struct tl_heat *h = tl_heat_new(&tl_heat_latency, 0);
	char *text;

	(void)state;
	tl_heat_add(h, 100 * SEC + 500 * MS, MS);
	text = svg(h, &plain);
	/* one bin is drawn as part of two decades */
	assert_int_equal(occurs(text, "<rect x=\"5400\" y=\"2108\" "
				      "width=\"540\" height=\"263\""),
			 1);
	free(text);
	late.start_ns = 101 * SEC;
	late.end_ns = 101 * SEC + 500 * MS;
	text = svg(h, &late);
	assert_int_equal(occurs(text, "<rect x=\"0\" y=\"2108\" "
				      "width=\"540\" height=\"263\""),
			 1);
	free(text);
	/* from 10 us on and up to 10 ms, and two bins more on each side */
	tl_heat_add(h, 100 * SEC, 10000);
	tl_heat_add(h, 100 * SEC, 7 * MS);
	tl_heat_add(h, 100 * SEC, 10 * MS - 1);
	text = svg(h, &plain);
	assert_int_equal(occurs(text, "<rect x=\"0\" y=\"320\" "
				      "width=\"540\" height=\"160\""),
			 1);
	assert_int_equal(occurs(text, "<rect x=\"0\" y=\"4000\""), 1);
	free(text);
	tl_heat_free(h);
}

static void test_colours(void **state)
{
	struct tl_heat *h = tl_heat_new(&tl_heat_latency, 0);
	unsigned int i;
	char *text;

	(void)state;
	tl_heat_add(h, 100 * SEC, MS);
	text = svg(h, &plain);
	assert_int_equal(occurs(text, "fill=\"#f8c834\"><title>"), 1);
	free(text);
	for (i = 0; i < 4095; i++)
		tl_heat_add(h, 100 * SEC, SEC);
	text = svg(h, &plain);
	assert_int_equal(occurs(text, "fill=\"#f8c834\"><title>"), 1);
	assert_int_equal(occurs(text, "fill=\"#160b39\"><title>"), 1);
	/* on a dark ground each has another one */
	assert_int_equal(occurs(text, ".heat [fill='#f8c834']{fill:#7c1d6d}"),
			 1);
	assert_int_equal(occurs(text, ".heat [fill='#160b39']{fill:#fcffa4}"),
			 1);
	/* what the legend says is below, and not in what stands on the right */
	assert_int_equal(occurs(text, "<text x=\"80\" y=\"640\">"
				      "I/O per cell, at most 4095<"),
			 1);
	assert_int_equal(occurs(text, " height=\"654\" "), 1);
	/* a colour for each power of two */
	assert_int_equal(occurs(text, "height=\"14\""), 12);
	assert_int_equal(occurs(text, ">2048</text>"), 1);
	free(text);
	/* or of four, as long as there are not enough of them */
	tl_heat_add(h, 100 * SEC, SEC);
	text = svg(h, &plain);
	assert_int_equal(occurs(text, "fill=\"#160b39\"><title>"), 1);
	assert_int_equal(occurs(text, "height=\"14\""), 7);
	assert_int_equal(occurs(text, ">1024</text>"), 1);
	assert_int_equal(occurs(text, ">4096</text>"), 1);
	free(text);
	tl_heat_free(h);
}

/* Ticks are round where TZ is; a run of more than a day has dates. */
static void test_wall_clock(void **state)
{
	struct tl_heat_text days = plain;
	struct tl_heat *h = tl_heat_new(&tl_heat_latency, 0);
	char *text;

	(void)state;
	days.start_ns = 0;
	days.end_ns = 50 * HOUR;
	tl_heat_add(h, HOUR, MS);
	setenv("TZ", "TST-05:30", 1);
	tzset();
	text = svg(h, &days);
	setenv("TZ", "UTC0", 1);
	tzset();
	assert_int_equal(occurs(text, ">05-06 18:00:00</text>"), 1);
	assert_int_equal(occurs(text, ">05-08 18:00:00</text>"), 1);
	assert_int_equal(occurs(text, ">05-06 17:30:00</text>"), 0);
	assert_int_equal(occurs(text, "<title>05-06 18:"), 1);
	assert_int_equal(occurs(text, ">2024-05-06, UTC+0530<"), 1);
	free(text);
	tl_heat_free(h);

	/* before the epoch too */
	h = tl_heat_new(&tl_heat_latency, 0);
	days = plain;
	days.wall_ns = -(int64_t)(100 * SEC + 500 * MS);
	tl_heat_add(h, 100 * SEC, MS);
	text = svg(h, &days);
	assert_int_equal(occurs(text, "<title>23:59:59.500 - 23:59:59.550, "),
			 1);
	assert_int_equal(occurs(text, ">00:00:00.000</text>"), 1);
	assert_int_equal(occurs(text, ">1969-12-31, "), 1);
	free(text);
	tl_heat_free(h);
}

static void test_empty(void **state)
{
	struct tl_heat_text none = { .unit = "I/O", .origin = &origin };
	struct tl_heat *h = tl_heat_new(&tl_heat_latency, 0);
	char *text = svg(h, &plain);

	(void)state;
	assert_int_equal(occurs(text, ">no I/O<"), 1);
	assert_int_equal(occurs(text, "<rect"), 1);
	assert_int_equal(occurs(text, "<title>"), 1);
	assert_int_equal(occurs(text, ">0 I/O"), 1);
	assert_int_equal(occurs(text, ">12:01:40.000</text>"), 1);
	free(text);
	text = svg(h, &none);
	assert_int_equal(occurs(text, ">no I/O<"), 1);
	assert_int_equal(occurs(text, "<title></title>"), 1);
	free(text);
	tl_heat_free(h);
}

#define BAD "\xef\xbf\xbd"

static void test_escaping(void **state)
{
	static const char *const samples[][2] = {
		{ "a<b>&\"c'", "a&#60;b&#62;&#38;&#34;c'" },
		{ "]]>", "]]&#62;" },
		{ "back\\slash \\u0041 \\n", "back\\slash \\u0041 \\n" },
		{ "a\nb\tc\rd", "a b c d" },
		{ "\1\33[2J\x7f", BAD BAD "[2J" BAD },
		{ "\xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80",
		  "\xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80" },
		{ "\xff(\xc3(\xe2\x82", BAD "(" BAD "(" BAD BAD },
		/* surrogates, and what is no character */
		{ "\xed\xa0\x80", BAD BAD BAD },
		{ "\xef\xbf\xbe|\xef\xbf\xbf", BAD "|" BAD },
		{ "\xef\xbf\xbd", BAD },
		{ "\xe2\x80\xae", BAD },
	};
	struct tl_heat *h = tl_heat_new(&tl_heat_latency, 0);
	char wanted[256], *text;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(samples); i++) {
		struct tl_heat_text given = plain;
		struct tl_origin one = { 0 };

		tl_buf_str(&one.line[0], samples[i][0]);
		given.title = samples[i][0];
		given.origin = &one;
		text = svg(h, &given);
		snprintf(wanted, sizeof(wanted),
			 "<title>%s</title>\n<desc>%s</desc>", samples[i][1],
			 samples[i][1]);
		assert_int_equal(occurs(text, wanted), 1);
		snprintf(wanted, sizeof(wanted), ">%s</text>", samples[i][1]);
		assert_int_equal(occurs(text, wanted), 2);
		free(text);
		tl_origin_free(&one);
	}
	tl_heat_free(h);
}

/* What a line has no room for is cut, between characters, and marked. */
static void test_long_lines(void **state)
{
	static const char end[] = "\xc3\xbc\xc3\xbc</desc>";
	struct tl_heat_text given = plain;
	struct tl_heat *h = tl_heat_new(&tl_heat_latency, 0);
	struct tl_origin o;
	const char *line, *shown;
	unsigned int odd;
	size_t len, i;
	char *text;

	(void)state;
	for (odd = 0; odd < 2; odd++) {
		tl_origin_make(NULL, &o, 7, odd ? "calls" : "I/O", "a<b");
		assert_int_equal(o.line[1].len, 0);
		for (i = 0; i < 200; i++)
			tl_buf_str(&o.line[1], "\xc3\xbc");
		given.origin = &o;
		text = svg(h, &given);
		assert_non_null(find(
			text, odd ? " data-count=\"7\" data-unit=\"calls\">"
				  : " data-count=\"7\" data-unit=\"I/O\">"));
		assert_non_null(find(text, odd ? "<desc>7 calls, a&#60;b\n"
					       : "<desc>7 I/O, a&#60;b\n"));
		assert_non_null(find(text, end));
		line = find(find(text, end), "\xc3\xbc</title>");
		assert_non_null(line);
		shown = line + strlen("\xc3\xbc</title>");
		len = (size_t)(find(shown, "..</text>") - shown);
		assert_in_range(len, 140, (1080 + 40) / 7.25 - 2);
		assert_int_equal(len % 2, 0);
		free(text);
		tl_origin_free(&o);
	}
	tl_heat_free(h);
}

/* What there is one of has its own word; programs read the same one always. */
static void test_amount(void **state)
{
	static const char *const units[][2] = { { "calls", "1 call" },
						{ "I/O", "1 I/O" },
						{ "s", "1 " },
						{ "", "1 " } };
	struct tl_origin o;
	char *data;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(units); i++) {
		tl_origin_make(NULL, &o, 1, units[i][0], NULL);
		tl_buf_char(&o.line[0], '\0');
		assert_string_equal(o.line[0].data, units[i][1]);
		tl_buf_char(&o.data, '\0');
		assert_true(asprintf(&data,
				     " data-count=\"1\" data-unit=\"%s\"",
				     units[i][0]) > 0);
		assert_string_equal(o.data.data, data);
		free(data);
		tl_origin_free(&o);
	}
}

/* Every cell, in a run of days: as large as a file gets. */
static void test_worst(void **state)
{
	struct tl_heat_text days = plain;
	struct tl_heat *h = tl_heat_new(&tl_heat_latency, 0);
	uint64_t width = 1638400 * MS, latency;
	unsigned int columns, i, bin;
	char *text;

	(void)state;
	days.start_ns = 0;
	days.end_ns = 400 * width;
	/* the first and the last, and the width is what it is to be */
	tl_heat_add(h, 0, 0);
	tl_heat_add(h, days.end_ns - 1, 0);
	for (i = 0; i < 400; i++)
		for (bin = 0; bin < TL_HEAT_BINS; bin++) {
			static const unsigned int in_decade[] = {
				1000, 1334, 1778, 2371, 3162, 4217, 5623, 7499
			};
			unsigned int power = bin / 8;

			for (latency = in_decade[bin % 8]; power; power--)
				latency *= 10;
			tl_heat_add(h, i * width, latency);
		}
	text = svg(h, &days);
	assert_int_equal(sum(text, &columns), 2 + 400 * 64);
	assert_int_equal(columns, 400);
	assert_int_equal(occurs(text, "</title></rect>"), 400 * 64);
	/* a count may have 20 digits instead of one */
	assert_in_range(strlen(text) + 19ul * 400 * 64, 3000000, 5000000);
	free(text);
	tl_heat_free(h);
}

/* ---- other axes ------------------------------------------------------- */

/* Seconds begin where the wall clock says, not where the clock does. */
static void test_offsets(void **state)
{
	struct tl_heat_text text = plain;
	struct tl_heat *h = tl_heat_new(&tl_heat_offset, 250 * MS);
	char *got;

	(void)state;
	text.unit = "samples";
	text.wall_ns += (int64_t)(250 * MS);
	tl_heat_moment(h, 100 * SEC + 750 * MS); /* 102.000 there */
	tl_heat_moment(h, 100 * SEC + 770 * MS - 1);
	tl_heat_moment(h, 100 * SEC + 770 * MS);
	tl_heat_moment(h, 101 * SEC + 750 * MS - 1);
	tl_heat_moment(h, 101 * SEC + 750 * MS);
	got = svg(h, &text);
	assert_int_equal(occurs(got, "</title></rect>"), 4);
	assert_int_equal(occurs(got, "<title>12:01:41.000 - 12:01:42.000, "
				     "0 ms - 20 ms: 2 samples</title>"),
			 1);
	assert_int_equal(occurs(got, "<title>12:01:41.000 - 12:01:42.000, "
				     "20 ms - 40 ms: 1 sample</title>"),
			 1);
	assert_int_equal(occurs(got, ", 980 ms - 1000 ms: 1 sample<"), 1);
	assert_int_equal(occurs(got, "<title>12:01:42.000 - 12:01:43.000, "
				     "0 ms - 20 ms: 1 sample<"),
			 1);
	assert_int_equal(occurs(got, ">5 samples, columns of 1 s<"), 1);
	/* of the first second 250 ms are before the run, of the next one 750 are behind it */
	assert_int_equal(occurs(got, "class=\"outside\""), 2);
	assert_non_null(find(got, "<rect x=\"80\" y=\"440\" width=\"294\" "
				  "height=\"107\" class=\"outside\""));
	assert_non_null(find(got, "<rect x=\"374\" y=\"100\" width=\"392\" "
				  "height=\"331\" class=\"outside\""));
	/* all of it, whatever is used */
	assert_int_equal(occurs(got, ">0 ms</text>"), 1);
	assert_int_equal(occurs(got, ">1000 ms</text>"), 1);
	free(got);
	tl_heat_free(h);
}

/* A clock that has just begun, in the middle of a second, and one that never ends. */
static void test_offsets_at_the_ends(void **state)
{
	struct tl_heat *h = tl_heat_new(&tl_heat_offset, 999 * MS);
	unsigned int columns;
	char *got;

	(void)state;
	tl_heat_moment(h, 0);
	tl_heat_moment(h, UINT64_MAX);
	assert_int_equal(tl_heat_start(h, 0), 0);
	got = svg(h, &plain);
	assert_int_equal(sum(got, &columns), 2);
	free(got);
	tl_heat_free(h);
	h = tl_heat_new(&tl_heat_offset, 0);
	got = svg(h, &plain);
	assert_int_equal(occurs(got, ">no I/O<"), 1);
	free(got);
	tl_heat_free(h);
}

/* The picture of @u, of a run of a second from 100 s on. */
static char *usage_svg(struct tl_usage *u, struct tl_usage_sum *all)
{
	const struct tl_usage_cells cells = { u, plain.start_ns, plain.end_ns };
	struct tl_heat *h = tl_usage_heat(u, plain.start_ns, plain.end_ns, all);
	struct tl_heat_text text = plain;
	char *got;

	text.unit = "processors";
	text.cell = tl_usage_cell;
	text.ctx = &cells;
	got = svg(h, &text);
	tl_heat_free(h);
	return got;
}

static void add_usage(struct tl_usage *u, unsigned int cpu, uint64_t from,
		      uint64_t to, bool busy)
{
	assert_int_equal(tl_usage_add(u, 100 * SEC, cpu, 100 * SEC + from * MS,
				      100 * SEC + to * MS, busy),
			 0);
}

static void test_usage(void **state)
{
	struct tl_usage *u = tl_usage_new();
	struct tl_usage_sum all;
	char *got;

	(void)state;
	/* from the middle of a column on: what is not in the run is left out */
	add_usage(u, 0, 0, 1000, true);
	add_usage(u, 1, 0, 25, true);
	add_usage(u, 1, 25, 1000, false);
	add_usage(u, 3, 0, 500, false);
	add_usage(u, 3, 500, 510, true);
	/* lost, until 600 */
	add_usage(u, 3, 600, 1000, true);
	got = usage_svg(u, &all);
	assert_int_equal(all.cpus, 3);
	assert_int_equal(all.unknown, 2);
	assert_int_equal(occurs(got, "<title>12:01:40.000 - 12:01:40.050, "
				     "95 % - 100 %: 1 processor (CPU 0)<"),
			 1);
	assert_int_equal(occurs(got, "<title>12:01:40.000 - 12:01:40.050, "
				     "50 % - 55 %: 1 processor (CPU 1)<"),
			 1);
	assert_int_equal(occurs(got, "<title>12:01:40.050 - 12:01:40.100, "
				     "0 % - 5 %: 2 processors (CPU 1,3)<"),
			 1);
	assert_int_equal(occurs(got, "95 % - 100 %: 2 processors (CPU 0,3)<"),
			 8);
	assert_int_equal(occurs(got, "0 % - 5 %: 2 processors (CPU 1,3)<"), 9);
	free(got);
	tl_usage_free(u);
}

/* A processor of which nothing is told has not vanished: no share of it is known. */
static void test_usage_expected(void **state)
{
	struct tl_usage *u = tl_usage_new();
	struct tl_usage_sum all;
	char *got;

	(void)state;
	assert_int_equal(tl_usage_expect(u, 0), 0);
	assert_int_equal(tl_usage_expect(u, 1), 0);
	got = usage_svg(u, &all);
	assert_int_equal(all.cpus, 2);
	assert_int_equal(all.known, 0);
	assert_int_equal(all.unknown, 40);
	free(got);
	add_usage(u, 0, 0, 1000, true);
	got = usage_svg(u, &all);
	assert_int_equal(all.cpus, 2);
	assert_int_equal(all.known, 1);
	assert_int_equal(all.unknown, 20);
	assert_int_equal(occurs(got, ": 1 processor (CPU 0)<"), 20);
	free(got);
	tl_usage_free(u);
}

/* What is told first may not be of the start. */
static void test_usage_of_the_start(void **state)
{
	struct tl_usage *u = tl_usage_new();
	struct tl_usage_sum all;
	char *got;

	(void)state;
	add_usage(u, 0, 500, 1000, true);
	add_usage(u, 1, 0, 1000, true);
	assert_int_equal(
		tl_usage_add(u, 100 * SEC, 2, 90 * SEC, 101 * SEC, false), 0);
	got = usage_svg(u, &all);
	assert_int_equal(all.unknown, 10);
	assert_int_equal(occurs(got, "0 % - 5 %: 1 processor (CPU 2)<"), 20);
	assert_int_equal(occurs(got, ": 1 processor (CPU 1)<"), 10);
	free(got);
	tl_usage_free(u);
}

/* The last that is told may be long before the end: shares are not added up then. */
static void test_usage_until_the_end(void **state)
{
	const uint64_t end = 100 * SEC + 50 * SEC;
	struct tl_usage *u = tl_usage_new();
	struct tl_heat_text text = plain;
	struct tl_usage_sum all;
	struct tl_heat *h;
	char *got;

	(void)state;
	add_usage(u, 0, 0, 1000, true);
	add_usage(u, 1, 0, 1000, false);
	h = tl_usage_heat(u, 100 * SEC, end, &all);
	assert_int_equal(h->width, 200 * MS);
	text.end_ns = end;
	text.unit = "processors";
	got = svg(h, &text);
	assert_int_equal(occurs(got, ": 1 processor<"), 10);
	assert_int_equal(occurs(got, " processors</title>"), 0);
	free(got);
	tl_heat_free(h);
	tl_usage_free(u);
}

/* What does not fit is added up, and shares stay what they were. */
static void test_usage_doubling(void **state)
{
	const uint64_t end = 100 * SEC + 10 * HOUR;
	struct tl_usage *u = tl_usage_new();
	struct tl_usage_sum all;
	struct tl_heat *h;
	unsigned int cpu, i;
	uint64_t ns;

	(void)state;
	for (ns = 100 * SEC; ns < end; ns += 2 * SEC)
		for (cpu = 0; cpu < 4; cpu++) {
			assert_int_equal(tl_usage_add(u, 100 * SEC, cpu, ns,
						      ns + cpu * SEC / 2, true),
					 0);
			assert_int_equal(tl_usage_add(u, 100 * SEC, cpu,
						      ns + cpu * SEC / 2,
						      ns + 2 * SEC, false),
					 0);
		}
	h = tl_usage_heat(u, 100 * SEC, end, &all);
	assert_int_equal(all.unknown, 0);
	assert_in_range(h->used, 200, 400);
	assert_int_equal(h->total, 4ull * h->used);
	for (i = 1; i + 1 < h->used; i++) {
		assert_int_equal(h->cell[i][0], 1);
		assert_in_range(h->cell[i][4] + h->cell[i][5], 1, 1);
		assert_in_range(h->cell[i][9] + h->cell[i][10], 1, 1);
		assert_in_range(h->cell[i][14] + h->cell[i][15], 1, 1);
	}
	tl_heat_free(h);
	tl_usage_free(u);
}

/* Nothing, times without length, from behind, from before the start, and far off. */
static void test_usage_at_the_ends(void **state)
{
	struct tl_usage *u = tl_usage_new();
	struct tl_usage_sum all;
	char *got = usage_svg(u, &all);

	(void)state;
	assert_int_equal(all.cpus, 0);
	assert_int_equal(occurs(got, ">no processors<"), 1);
	free(got);
	add_usage(u, 0, 10, 10, true);
	add_usage(u, 0, 20, 10, true);
	got = usage_svg(u, &all);
	assert_int_equal(all.cpus, 0);
	free(got);
	assert_int_equal(tl_usage_add(u, 100 * SEC, 2, 0, 101 * SEC, true), 0);
	got = usage_svg(u, &all);
	assert_int_equal(occurs(got, "95 % - 100 %: 1 processor (CPU 2)<"), 20);
	free(got);
	assert_int_equal(
		tl_usage_add(u, 100 * SEC, 2, 101 * SEC, UINT64_MAX, true), 0);
	got = usage_svg(u, &all);
	assert_int_equal(all.unknown, 0);
	free(got);
	tl_usage_free(u);
}

/* ---- the file --------------------------------------------------------- */

static void test_replaces(void **state)
{
	struct tl_heat *h = tl_heat_new(&tl_heat_latency, 0);
	int fd = memfd_create("heat", 0);
	char old[100000], *wanted, *got;

	(void)state;
	memset(old, 'x', sizeof(old));
	assert_int_equal(write(fd, old, sizeof(old)), sizeof(old));
	wanted = svg(h, &plain);
	assert_int_equal(tl_heat_svg(h, &plain, fd), 0);
	got = slurp(fd);
	assert_string_equal(got, wanted);
	free(wanted);
	free(got);
	close(fd);
	tl_heat_free(h);
}

static void test_write_errors(void **state)
{
	struct rlimit was, small;
	struct tl_heat *h = tl_heat_new(&tl_heat_latency, 0);
	int full = open("/dev/full", O_WRONLY), fd = memfd_create("heat", 0);
	char old[4096] = "old", *got;

	(void)state;
	assert_int_equal(tl_heat_svg(h, &plain, full), -ENOSPC);
	close(full);
	assert_int_equal(tl_heat_svg(h, &plain, full), -EBADF);

	/* what does not fit leaves nothing, not even what was there */
	assert_int_equal(write(fd, old, sizeof(old)), sizeof(old));
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &was);
	small = was;
	small.rlim_cur = 1000;
	setrlimit(RLIMIT_FSIZE, &small);
	assert_int_equal(tl_heat_svg(h, &plain, fd), -EFBIG);
	setrlimit(RLIMIT_FSIZE, &was);
	got = slurp(fd);
	assert_string_equal(got, "");
	free(got);
	close(fd);
	tl_heat_free(h);
}

/* ---- a terminal ------------------------------------------------------- */

/* @b without its escapes; each must be one that is known. */
static void strip(struct tl_buf *b, char *text)
{
	char *p;

	tl_buf_char(b, '\0');
	assert_false(b->failed);
	for (p = b->data; *p;) {
		if (*p != '\33') {
			*text++ = *p++;
			continue;
		}
		if (strncmp(p, "\33[0m", 4) != 0)
			assert_memory_equal(p, "\33[48;5;", 7);
		p = strchr(p, 'm') + 1;
	}
	*text = '\0';
}

static void line(const struct tl_heat_bins *bins, bool colour,
		 const char *wanted)
{
	struct tl_buf b = { 0 };

	tl_heat_line(bins, colour, &b);
	tl_buf_char(&b, '\0');
	assert_string_equal(b.data, wanted);
	tl_buf_free(&b);
}

static void test_line(void **state)
{
	struct tl_heat_bins bins = { 0 };
	struct tl_buf b = { 0 };

	(void)state;
	tl_heat_scale(&b);
	tl_buf_char(&b, '\0');
	assert_string_equal(b.data, "1us     10us    100us   1ms     "
				    "10ms    100ms   1s      10s");
	tl_buf_free(&b);
	line(&bins, false,
	     "|       |       |       |       |       |       |       |      "
	     " ");
	line(&bins, true,
	     "|       |       |       |       |       |       |       |      "
	     " ");
	bins.count[0] = bins.count[2] = bins.count[3] = 1;
	bins.count[24] = 3;
	bins.count[63] = UINT64_MAX;
	line(&bins, false,
	     ". ..    |       |       :       |       |       |       |      "
	     "@");
	line(&bins, true,
	     "\33[48;5;54m \33[0m \33[48;5;54m  \33[0m    |       |       "
	     "\33[48;5;90m \33[0m       |       |       |       |      "
	     "\33[48;5;221m \33[0m");
}

/* Each count can be told from none, and a larger one from a smaller. */
static void test_steps(void **state)
{
	static const struct {
		uint64_t count;
		char shown;
	} steps[] = {
		{ 0, ' ' },    { 1, '.' },     { 2, '.' },     { 3, ':' },
		{ 9, ':' },    { 10, '-' },    { 29, '-' },    { 30, '=' },
		{ 99, '=' },   { 100, '+' },   { 299, '+' },   { 300, '*' },
		{ 999, '*' },  { 1000, '#' },  { 2999, '#' },  { 3000, '%' },
		{ 9999, '%' }, { 10000, '@' }, { 30000, '@' }, { ~0ull, '@' },
	};
	struct tl_heat_bins bins = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(steps); i++) {
		struct tl_buf b = { 0 };

		bins.count[1] = steps[i].count;
		tl_heat_line(&bins, false, &b);
		assert_int_equal(b.len, TL_HEAT_BINS);
		assert_int_equal(b.data[1], steps[i].shown);
		tl_buf_free(&b);
		tl_heat_line(&bins, true, &b);
		assert_int_equal(b.data[1], steps[i].count ? '\33' : ' ');
		tl_buf_free(&b);
	}
}

static void test_line_width(void **state)
{
	char text[TL_HEAT_BINS * 16];
	unsigned int run, bin;

	(void)state;
	for (run = 0; run < 1000; run++) {
		struct tl_heat_bins bins = { 0 };
		struct tl_buf b = { 0 };

		for (bin = 0; bin < TL_HEAT_BINS; bin++)
			bins.count[bin] = run * (bin + 1) * 7919u % 5
						  ? 0
						  : run * 31ull * bin;
		tl_heat_line(&bins, true, &b);
		assert_true(b.len < sizeof(text));
		strip(&b, text);
		assert_int_equal(strlen(text), TL_HEAT_BINS);
		if (memchr(b.data, '\33', b.len))
			assert_non_null(strstr(b.data, "\33[0m"));
		tl_buf_free(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bins),
		cmocka_unit_test(test_small),
		cmocka_unit_test(test_doubling),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_any_time),
		cmocka_unit_test(test_burst),
		cmocka_unit_test(test_range),
		cmocka_unit_test(test_colours),
		cmocka_unit_test(test_wall_clock),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_escaping),
		cmocka_unit_test(test_long_lines),
		cmocka_unit_test(test_amount),
		cmocka_unit_test(test_worst),
		cmocka_unit_test(test_offsets),
		cmocka_unit_test(test_offsets_at_the_ends),
		cmocka_unit_test(test_usage),
		cmocka_unit_test(test_usage_expected),
		cmocka_unit_test(test_usage_of_the_start),
		cmocka_unit_test(test_usage_until_the_end),
		cmocka_unit_test(test_usage_doubling),
		cmocka_unit_test(test_usage_at_the_ends),
		cmocka_unit_test(test_replaces),
		cmocka_unit_test(test_write_errors),
		cmocka_unit_test(test_line),
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_line_width),
	};

	setenv("TZ", "UTC0", 1);
	tzset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
