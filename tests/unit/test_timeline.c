/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_timeline.c - records and rows as packets of a trace */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "timeline/kernel.h"
#include "timeline/rows.h"
#include "timeline/track.h"
#include "wire.h"

#define STR(s) ((struct tl_str){ s, sizeof(s) - 1 })

static const char *const messages[] = {
	"1",      "1.1",       "1.1.2",     "1.1.2.3", "1.1.2.4", "1.1.2.20",
	"1.2",    "1.2.1",     "1.2.2",     "1.6",     "1.6.1",   "1.11",
	"1.11.4", "1.11.4.11", "1.11.4.12", "1.45",    "1.45.1",  "1.60",
	"1.60.4", "1.60.8",    NULL
};

/* ---- the machine ------------------------------------------------------ */

static void test_head(void **state)
{
	struct tl_packets p = { .sequence = 9 };

	(void)state;
	tl_packet_clocks(&p, 5, 100);
	expect_message(&p.buf, messages,
		       "1{10=9 6{1{1=6 2=5} 1{1=3 2=5} 1{1=1 2=105}}}");
	tl_packet_system(&p, "6.1", "", "arm");
	expect_message(&p.buf, messages,
		       "1{10=9 45{1{1=\"Linux\" 3=\"6.1\" 4=\"arm\"}}}");
	tl_packet_thread(&p, 7, 20, 20, 1, STR("a"));
	expect_message(&p.buf, messages,
		       "1{10=9 8=7 2{1{1=20 2=1 3=\"a\"} "
		       "2{1=20 2=\"a\" 3=20}}}");
	/* of two words, so that the first one is the whole name */
	tl_packet_thread(&p, 7, 20, 20, 1, STR("a: b"));
	expect_message(&p.buf, messages,
		       "1{10=9 8=7 2{1{1=20 2=1 3=\"a: b\" 3=\"\"} "
		       "2{1=20 2=\"a: b\" 3=20}}}");
	tl_packet_thread(&p, 7, 21, 20, 1, STR("b"));
	expect_message(&p.buf, messages, "1{10=9 8=7 2{2{1=21 2=\"b\" 3=20}}}");
	tl_buf_free(&p.buf);
}

/* ---- who runs --------------------------------------------------------- */

/* As the kernel has it, without what is not used here. */
static const char format[] =
	"name: sched_switch\nID: 7\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:char prev_comm[4];\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:pid_t prev_pid;\toffset:12;\tsize:4;\tsigned:1;\n"
	"\tfield:long prev_state;\toffset:16;\tsize:8;\tsigned:1;\n"
	"\tfield:char next_comm[4];\toffset:24;\tsize:4;\tsigned:0;\n"
	"\tfield:pid_t next_pid;\toffset:28;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"%d\", REC->next_pid\n";

struct switched {
	uint16_t type, unused;
	int32_t pid;
	char prev_comm[4];
	int32_t prev_pid;
	int64_t state;
	char next_comm[4];
	int32_t next_pid;
};

struct kernel {
	struct tep_handle *tep;
	struct tl_packets packets;
	struct tl_kernel kernel;
	struct tl_kernel_event event;
};

static void open_kernel(struct kernel *k)
{
	struct tep_event *event;

	*k = (struct kernel){ .packets = { .sequence = 1 } };
	k->kernel.packets = &k->packets;
	k->kernel.tool = "t";
	k->tep = tep_alloc();
	assert_non_null(k->tep);
	assert_int_equal(tep_parse_format(k->tep, &event, format,
					  strlen(format), "sched"),
			 0);
	assert_true(tl_kernel_find(event, &k->event));
}

static void close_kernel(struct kernel *k)
{
	tl_kernel_free(&k->kernel);
	tl_buf_free(&k->packets.buf);
	tep_free(k->tep);
}

/* Threads have their number as a letter, too. */
static void put(struct kernel *k, uint64_t ns, int prev, int64_t prev_state,
		int next)
{
	const struct switched data = {
		.type = 7,
		.pid = prev,
		.prev_comm = { (char)('a' + prev) },
		.prev_pid = prev,
		.state = prev_state,
		.next_comm = { (char)('a' + next) },
		.next_pid = next,
	};
	const struct tl_record r = { .ns = ns,
				     .data = (const char *)&data,
				     .size = sizeof(data),
				     .pid = prev,
				     .cpu = 1 };

	tl_kernel_put(&k->kernel, &k->event, &r);
}

static void test_switches(void **state)
{
	struct kernel k;

	(void)state;
	open_kernel(&k);
	put(&k, 100, 1, 256, 2);
	expect_message(&k.packets.buf, messages,
		       "1{10=1 1{1=1 2{1=100 2=1 "
		       "4{1=\"b\" 2=1 4=256 5=\"c\" 6=2}}}}");
	close_kernel(&k);
}

/*
 * Who ran before a loss ends with the last record before it, and who leaves first
 * behind it begins with the first one there: nothing goes on over it.
 */
static void test_loss(void **state)
{
	char expected[512];
	struct kernel k;

	(void)state;
	open_kernel(&k);
	put(&k, 100, 1, 0, 2);
	k.packets.buf.len = 0;
	tl_kernel_gap(&k.kernel, 1, 150);
	expect_message(&k.packets.buf, messages,
		       "1{10=1 1{1=1 2{1=150 2=2 "
		       "4{1=\"c\" 2=2 4=1 5=\"[records lost]\" "
		       "6=1073741825}}}}");
	tl_kernel_lost(&k.kernel, 1, 180, 3);
	snprintf(expected, sizeof(expected),
		 "1{10=1 60{1=%lld 2=\"CPU 1: records that t lost\"}} "
		 "1{10=1 8=150 11{9=1 11=%lld 22=\"lost\" "
		 "23=\"lost 3 records\"}} 1{10=1 8=180 11{9=2 11=%lld}}",
		 (long long)tl_track_of_lost("t", 1, 1),
		 (long long)tl_track_of_lost("t", 1, 1),
		 (long long)tl_track_of_lost("t", 1, 1));
	expect_message(&k.packets.buf, messages, expected);
	put(&k, 200, 4, 1, 5);
	expect_message(&k.packets.buf, messages,
		       "1{10=1 1{1=1 2{1=180 2=1073741825 "
		       "4{1=\"[records lost]\" 2=1073741825 4=16 5=\"e\" "
		       "6=4}}}} "
		       "1{10=1 1{1=1 3=1 2{1=200 2=4 "
		       "4{1=\"e\" 2=4 4=1 5=\"f\" 6=5}}}}");
	put(&k, 210, 5, 1, 6);
	expect_message(&k.packets.buf, messages,
		       "1{10=1 1{1=1 2{1=210 2=5 "
		       "4{1=\"f\" 2=5 4=1 5=\"g\" 6=6}}}}");
	close_kernel(&k);
}

/* Before the first record, and twice before the next switch. */
static void test_losses(void **state)
{
	const long long track = (long long)tl_track_of_lost("t", 1, 1);
	char expected[512];
	struct kernel k;

	(void)state;
	open_kernel(&k);
	tl_kernel_gap(&k.kernel, 1, 0);
	tl_kernel_lost(&k.kernel, 1, 50, -1);
	snprintf(expected, sizeof(expected),
		 "1{10=1 60{1=%lld 2=\"CPU 1: records that t lost\"}} "
		 "1{10=1 8=50 11{9=3 11=%lld 22=\"lost\" "
		 "23=\"lost records, not counted\"}}",
		 track, track);
	expect_message(&k.packets.buf, messages, expected);
	put(&k, 100, 1, 0, 2);
	tl_kernel_gap(&k.kernel, 1, 110);
	tl_kernel_lost(&k.kernel, 1, 120, 1);
	k.packets.buf.len = 0;
	/* nobody is known to run, so nobody's slice is to be closed */
	tl_kernel_gap(&k.kernel, 1, 130);
	assert_int_equal(k.packets.buf.len, 0);
	tl_kernel_lost(&k.kernel, 1, 140, 1);
	k.packets.buf.len = 0;
	put(&k, 150, 3, 0, 4);
	expect_message(&k.packets.buf, messages,
		       "1{10=1 1{1=1 2{1=140 2=1073741825 "
		       "4{1=\"[records lost]\" 2=1073741825 4=16 5=\"d\" "
		       "6=3}}}} "
		       "1{10=1 1{1=1 3=1 2{1=150 2=3 "
		       "4{1=\"d\" 2=3 4=0 5=\"e\" 6=4}}}}");
	close_kernel(&k);
}

/* Of a run that recorded some threads only. */
static void test_not_recorded(void **state)
{
	struct kernel k;

	(void)state;
	open_kernel(&k);
	put(&k, 100, 1, 1, 2);
	k.packets.buf.len = 0;
	tl_kernel_end(&k.kernel);
	assert_int_equal(k.packets.buf.len, 0);
	put(&k, 200, 3, 1, 1);
	expect_message(&k.packets.buf, messages,
		       "1{10=1 1{1=1 2{1=100 2=2 "
		       "4{1=\"c\" 2=2 4=1 5=\"[not recorded]\" "
		       "6=536870913}}}} "
		       "1{10=1 1{1=1 2{1=200 2=536870913 "
		       "4{1=\"[not recorded]\" 2=536870913 4=16 5=\"d\" "
		       "6=3}}}} "
		       "1{10=1 1{1=1 2{1=200 2=3 "
		       "4{1=\"d\" 2=3 4=1 5=\"b\" 6=1}}}}");
	tl_kernel_end(&k.kernel);
	expect_message(&k.packets.buf, messages,
		       "1{10=1 1{1=1 2{1=200 2=1 "
		       "4{1=\"b\" 2=1 4=1 5=\"[not recorded]\" "
		       "6=536870913}}}}");
	close_kernel(&k);
}

/* Those whose number is even. */
static bool has_records(void *ctx, pid_t tid)
{
	(void)ctx;
	return tid % 2 == 0;
}

/*
 * Whoever else gets the processor may have left it and come back, so nobody knows how
 * long it ran, even where the same leaves.
 */
static void test_some_recorded(void **state)
{
	struct kernel k;

	(void)state;
	open_kernel(&k);
	k.kernel.has_records = has_records;
	put(&k, 100, 1, 1, 2);
	expect_message(&k.packets.buf, messages,
		       "1{10=1 1{1=1 2{1=100 2=1 "
		       "4{1=\"b\" 2=1 4=1 5=\"c\" 6=2}}}}");
	put(&k, 200, 2, 1, 3);
	expect_message(&k.packets.buf, messages,
		       "1{10=1 1{1=1 2{1=200 2=2 "
		       "4{1=\"c\" 2=2 4=1 5=\"d\" 6=3}}}} "
		       "1{10=1 1{1=1 2{1=200 2=3 "
		       "4{1=\"d\" 2=3 4=1 5=\"[not recorded]\" "
		       "6=536870913}}}}");
	put(&k, 300, 3, 1, 4);
	expect_message(&k.packets.buf, messages,
		       "1{10=1 1{1=1 2{1=300 2=536870913 "
		       "4{1=\"[not recorded]\" 2=536870913 4=16 5=\"d\" "
		       "6=3}}}} "
		       "1{10=1 1{1=1 2{1=300 2=3 "
		       "4{1=\"d\" 2=3 4=1 5=\"e\" 6=4}}}}");
	put(&k, 400, 4, 1, 5);
	k.packets.buf.len = 0;
	tl_kernel_gap(&k.kernel, 1, 450);
	expect_message(&k.packets.buf, messages,
		       "1{10=1 1{1=1 2{1=450 2=536870913 "
		       "4{1=\"[not recorded]\" 2=536870913 4=1 "
		       "5=\"[records lost]\" 6=1073741825}}}}");
	tl_kernel_end(&k.kernel);
	assert_int_equal(k.packets.buf.len, 0);
	close_kernel(&k);
}

/* ---- markers of programs ---------------------------------------------- */

static const char print_format[] =
	"name: print\nID: 5\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:char buf[];\toffset:16;\tsize:0;\tsigned:0;\n\n"
	"print fmt: \"%s\", REC->buf\n";

struct print {
	uint16_t type, unused;
	int32_t pid;
	uint64_t ip;
	char buf[32];
};

/* As trace_marker makes them, with the newline that echo adds, or without. */
static void test_markers(void **state)
{
	static const char *const texts[][2] = {
		{ "C|189|depth|5\n", "C|189|depth|5" },
		{ "B|189|one two\n", "B|189|one two" },
		{ "E|189", "E|189" },
		{ "\n", "" },
	};
	struct print data = { .type = 5, .pid = 3, .ip = 16 };
	const struct tl_record r = { .ns = 100,
				     .data = (const char *)&data,
				     .size = sizeof(data),
				     .pid = 3 };
	struct tl_kernel_event print;
	struct tep_event *event;
	char expected[128];
	struct kernel k;
	size_t i;

	(void)state;
	open_kernel(&k);
	assert_int_equal(tep_parse_format(k.tep, &event, print_format,
					  strlen(print_format), "ftrace"),
			 0);
	assert_true(tl_kernel_find(event, &print));
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		snprintf(data.buf, sizeof(data.buf), "%s", texts[i][0]);
		tl_kernel_put(&k.kernel, &print, &r);
		snprintf(expected, sizeof(expected),
			 "1{10=1 1{1=0 2{1=100 2=3 3{1=16 2=\"%s\"}}}}",
			 texts[i][1]);
		expect_message(&k.packets.buf, messages, expected);
	}
	close_kernel(&k);
}

/* ---- rows ------------------------------------------------------------- */

static pid_t process_of(void *ctx, pid_t tid)
{
	(void)ctx;
	return tid - 1;
}

static struct tl_rows *open_rows(struct tl_packets *p)
{
	const struct tl_rows_config config = { .packets = p,
					       .tool = "t",
					       .process = process_of };
	struct tl_rows *rows = tl_rows_new(&config);

	assert_non_null(rows);
	return rows;
}

enum { START, TIME, TID, FILE_NAME, LATENCY, ARGS, HIDDEN };

static const struct tl_column instants[] = {
	[START] = { "START", "start", 0, TL_TIME, TL_SHOW_NEVER },
	[TIME] = { "TIME", "time", 0, TL_TIME, TL_SHOW_DATA },
	[TID] = { "TID", "tid", 0, TL_INT, TL_SHOW_ALL },
	[FILE_NAME] = { "FILE", "file", 0, TL_STR, TL_SHOW_ALL,
			.role = TL_ROLE_TITLE },
	[LATENCY] = { "LAT", "latency", 0, TL_MSECS, TL_SHOW_ALL,
		      .role = TL_ROLE_LENGTH },
	[ARGS] = { "ARGS", "args", 0, TL_FIELDS, TL_SHOW_ALL },
	[HIDDEN] = { "HIDDEN", "hidden", 0, TL_INT, TL_SHOW_TEXT },
	{ 0 }
};

static void expect_row(struct tl_packets *p, const char *text, uint64_t uuid,
		       uint64_t thread)
{
	struct tl_buf b = { 0 };
	const char *at;

	for (at = text; *at; at++)
		if (*at == '@')
			tl_buf_printf(&b, "%lld", (long long)uuid);
		else if (*at == '#')
			tl_buf_printf(&b, "%lld", (long long)thread);
		else
			tl_buf_char(&b, *at);
	tl_buf_char(&b, '\0');
	expect_message(&p->buf, messages, b.data);
	tl_buf_free(&b);
}

/* On the track of its thread, of which is told once. */
static void test_instant(void **state)
{
	const uint64_t uuid =
		tl_track_of_thread(TL_TRACK_ROWS, tl_track_tool("t", 1), 7, 8);
	const uint64_t thread = tl_track_of_thread(TL_TRACK_THREAD, 0, 7, 8);
	const struct tl_named fields[] = {
		{ "a", { .type = TL_INT, .known = true, .num = -1 } },
		{ "b", { .type = TL_STR, .known = false } },
	};
	struct tl_value row[] = {
		[TIME] = { .known = true, .num = 2000000000 },
		[TID] = { .known = true, .num = 8 },
		[FILE_NAME] = { .known = true, .str = STR("x") },
		[ARGS] = { .known = true, .list = fields, .count = 2 },
		[HIDDEN] = { .known = true, .num = 5 },
	};
	struct tl_packets p = { .sequence = 1 };
	struct tl_rows *rows = open_rows(&p);

	(void)state;
	tl_rows_put(rows, instants, row);
	expect_row(&p,
		   "1{10=1 60{1=# 4{1=7 2=8}}} "
		   "1{10=1 60{1=@ 2=\"t\" 5=#}} "
		   "1{10=1 8=2000000000 11{9=3 11=@ 22=\"t\" 23=\"x\" "
		   "4{10=\"time\" 5=2d} 4{10=\"tid\" 4=8} "
		   "4{10=\"file\" 6=\"x\"} "
		   "4{10=\"args\" 11{10=\"a\" 4=-1} 11{10=\"b\"}}}}",
		   uuid, thread);
	row[ARGS].known = row[FILE_NAME].known = false;
	tl_rows_put(rows, instants, row);
	expect_row(&p,
		   "1{10=1 8=2000000000 11{9=3 11=@ 22=\"t\" 23=\"t\" "
		   "4{10=\"time\" 5=2d} 4{10=\"tid\" 4=8}}}",
		   uuid, thread);
	row[TIME].known = false;
	tl_rows_put(rows, instants, row);
	assert_int_equal(p.buf.len, 0);
	assert_int_equal(tl_rows_left_out(rows), 1);
	tl_rows_free(rows);
	tl_buf_free(&p.buf);
}

/* It took what a column says until then, or from then on. */
static void test_slice(void **state)
{
	const uint64_t uuid =
		tl_track_of_thread(TL_TRACK_ROWS, tl_track_tool("t", 1), 7, 8);
	struct tl_column columns[] = {
		instants[START],     instants[TIME],    instants[TID],
		instants[FILE_NAME], instants[LATENCY], { 0 },
	};
	struct tl_value row[] = {
		[TIME] = { .known = true, .num = 2000000000 },
		[TID] = { .known = true, .num = 8 },
		[LATENCY] = { .known = true, .num = 500000000 },
		{ .known = false },
	};
	struct tl_packets p = { .sequence = 1 };
	struct tl_rows *rows = open_rows(&p);

	(void)state;
	tl_rows_put(rows, columns, row);
	p.buf.len = 0;
	tl_rows_put(rows, columns, row);
	expect_row(&p,
		   "1{10=1 8=1500000000 11{9=1 11=@ 22=\"t\" 23=\"t\" "
		   "4{10=\"time\" 5=2d} 4{10=\"tid\" 4=8} "
		   "4{10=\"latency\" 5=0.5d}}} "
		   "1{10=1 8=2000000000 11{9=2 11=@}}",
		   uuid, 0);
	columns[START].role = TL_ROLE_BEGIN;
	row[START] = (struct tl_value){ .known = true, .num = 1000000000 };
	tl_rows_put(rows, columns, row);
	expect_row(&p,
		   "1{10=1 8=1000000000 11{9=1 11=@ 22=\"t\" 23=\"t\" "
		   "4{10=\"time\" 5=2d} 4{10=\"tid\" 4=8} "
		   "4{10=\"latency\" 5=0.5d}}} "
		   "1{10=1 8=1500000000 11{9=2 11=@}}",
		   uuid, 0);
	/* what it took may be of another clock than when it was over */
	columns[TIME].role = TL_ROLE_END;
	row[START].num = 900000000;
	tl_rows_put(rows, columns, row);
	expect_row(&p,
		   "1{10=1 8=900000000 11{9=1 11=@ 22=\"t\" 23=\"t\" "
		   "4{10=\"time\" 5=2d} 4{10=\"tid\" 4=8} "
		   "4{10=\"latency\" 5=0.5d}}} "
		   "1{10=1 8=2000000000 11{9=2 11=@}}",
		   uuid, 0);
	tl_rows_free(rows);
	tl_buf_free(&p.buf);
}

/* By clocks that differ a call began in the midst of another of its thread. */
static void test_nesting(void **state)
{
	static const struct {
		int64_t start, end;
		const char *shown;
	} calls[] = {
		{ 100, 200, "8=100 " }, { 105, 210, "8=99 " },
		{ 205, 300, "8=210 " }, { 220, 280, "8=220 " },
		{ 50, 400, "8=50 " },   { 50, 500, "8=49 " },
	};
	struct tl_column columns[] = {
		instants[START], instants[TIME], instants[TID], { 0 }
	};
	struct tl_packets p = { .sequence = 1 };
	struct tl_rows *rows = open_rows(&p);
	struct tl_buf text = { 0 };
	size_t i;

	(void)state;
	columns[START].role = TL_ROLE_BEGIN;
	columns[TIME].role = TL_ROLE_END;
	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		const struct tl_value row[] = {
			[START] = { .known = true, .num = calls[i].start },
			[TIME] = { .known = true, .num = calls[i].end },
			[TID] = { .known = true, .num = 8 },
		};

		tl_rows_put(rows, columns, row);
		text.len = 0;
		dump(&text, p.buf.data, p.buf.len, "", messages);
		tl_buf_char(&text, '\0');
		assert_non_null(strstr(text.data, calls[i].shown));
		p.buf.len = 0;
	}
	tl_buf_free(&text);
	tl_rows_free(rows);
	tl_buf_free(&p.buf);
}

/* The lane of the last slice in @b. */
static uint64_t lane_of(struct tl_packets *p)
{
	struct tl_buf text = { 0 };
	unsigned long long uuid = 0;
	const char *at;

	dump(&text, p->buf.data, p->buf.len, "", messages);
	tl_buf_char(&text, '\0');
	at = strstr(text.data, "11{9=1 11=");
	assert_non_null(at);
	assert_int_equal(sscanf(at, "11{9=1 11=%llu", &uuid), 1);
	tl_buf_free(&text);
	p->buf.len = 0;
	return uuid & 0xfff;
}

/* What overlaps is in different lanes; one that is free is used again. */
static void test_lanes(void **state)
{
	static const struct {
		int64_t start, took;
		uint64_t lane;
	} io[] = {
		{ 100, 50, 0 }, { 120, 40, 1 }, { 150, 20, 0 },
		{ 110, 70, 2 }, { 160, 30, 1 }, { 190, 10, 0 },
	};
	struct tl_column columns[] = {
		instants[START],     instants[TIME],    instants[TID],
		instants[FILE_NAME], instants[LATENCY], { 0 },
	};
	struct tl_packets p = { .sequence = 1 };
	struct tl_rows *rows = open_rows(&p);
	size_t i;

	(void)state;
	columns[START].role = TL_ROLE_BEGIN;
	columns[LATENCY].role = TL_ROLE_APART;
	for (i = 0; i < sizeof(io) / sizeof(io[0]); i++) {
		const struct tl_value row[] = {
			[START] = { .known = true, .num = io[i].start },
			[TID] = { .known = true, .num = 8 },
			[LATENCY] = { .known = true, .num = io[i].took },
		};

		tl_rows_put(rows, columns, row);
		assert_int_equal(lane_of(&p), io[i].lane);
	}
	tl_rows_free(rows);
	tl_buf_free(&p.buf);
}

/* What was counted in an interval is shown from its begin to its end. */
static void test_counters(void **state)
{
	static const struct tl_column columns[] = {
		{ "TIME", "time", 0, TL_TIME, TL_SHOW_DATA },
		{ "PID", "pid", 0, TL_INT, TL_SHOW_ALL },
		{ "CALL", "call", 0, TL_STR, TL_SHOW_ALL },
		{ "N", "count", 0, TL_INT, TL_SHOW_ALL },
		{ "FROM", "from", 0, TL_INT, TL_SHOW_ALL },
		{ 0 }
	};
	const uint64_t uuid =
		tl_track(TL_TRACK_COUNTER, tl_track_tool("t", 1),
			 tl_track_hash(0, STR("t pid 3 read count")));
	struct tl_value row[] = {
		{ .known = true, .num = 9 },
		{ .known = true, .num = 3 },
		{ .known = true, .str = STR("read") },
		{ .known = true, .num = 12 },
		{ .known = false },
		{ .known = false },
	};
	struct tl_packets p = { .sequence = 1 };
	struct tl_rows *rows = open_rows(&p);

	(void)state;
	tl_rows_intervals(rows, 4, 5);
	tl_rows_put(rows, columns, row);
	expect_row(&p,
		   "1{10=1 60{1=@ 2=\"t pid 3 read count\" 8{}}} "
		   "1{10=1 8=4 11{9=4 11=@ 44=12d}}",
		   uuid, 0);
	row[0].num = 14;
	tl_rows_put(rows, columns, row);
	expect_row(&p, "1{10=1 8=9 11{9=4 11=@ 44=12d}}", uuid, 0);
	/* nothing is known of one interval; the last one is shorter */
	row[0].num = 21;
	tl_rows_put(rows, columns, row);
	expect_row(&p,
		   "1{10=1 8=14 11{9=4 11=@ 44=0d}} "
		   "1{10=1 8=19 11{9=4 11=@ 44=12d}}",
		   uuid, 0);
	tl_rows_end(rows);
	expect_row(&p, "1{10=1 8=21 11{9=4 11=@ 44=0d}}", uuid, 0);
	/* of a histogram */
	row[4].known = true;
	tl_rows_put(rows, columns, row);
	assert_int_equal(p.buf.len, 0);
	assert_int_equal(tl_rows_left_out(rows), 1);
	tl_rows_free(rows);
	tl_buf_free(&p.buf);
}

/* One of two counters has no row in the next interval. */
static void test_counter_ends(void **state)
{
	static const struct tl_column columns[] = {
		{ "TIME", "time", 0, TL_TIME, TL_SHOW_DATA },
		{ "CALL", "call", 0, TL_STR, TL_SHOW_ALL },
		{ "N", "count", 0, TL_INT, TL_SHOW_ALL },
		{ 0 }
	};
	const uint64_t a = tl_track(TL_TRACK_COUNTER, tl_track_tool("t", 1),
				    tl_track_hash(0, STR("t a count")));
	const uint64_t b = tl_track(TL_TRACK_COUNTER, tl_track_tool("t", 1),
				    tl_track_hash(0, STR("t b count")));
	struct tl_value row[] = {
		{ .known = true, .num = 10 },
		{ .known = true, .str = STR("a") },
		{ .known = true, .num = 1 },
	};
	struct tl_packets p = { .sequence = 1 };
	struct tl_rows *rows = open_rows(&p);

	(void)state;
	tl_rows_intervals(rows, 0, 10);
	tl_rows_put(rows, columns, row);
	row[1].str = STR("b");
	tl_rows_put(rows, columns, row);
	row[0].num = 20;
	p.buf.len = 0;
	tl_rows_put(rows, columns, row);
	expect_row(&p, "1{10=1 8=10 11{9=4 11=# 44=1d}}", a, b);
	row[0].num = 30;
	tl_rows_put(rows, columns, row);
	expect_row(&p,
		   "1{10=1 8=10 11{9=4 11=@ 44=0d}} "
		   "1{10=1 8=20 11{9=4 11=# 44=1d}}",
		   a, b);
	tl_rows_end(rows);
	expect_row(&p, "1{10=1 8=30 11{9=4 11=# 44=0d}}", a, b);
	tl_rows_free(rows);
	tl_buf_free(&p.buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_head),
		cmocka_unit_test(test_switches),
		cmocka_unit_test(test_loss),
		cmocka_unit_test(test_losses),
		cmocka_unit_test(test_not_recorded),
		cmocka_unit_test(test_some_recorded),
		cmocka_unit_test(test_markers),
		cmocka_unit_test(test_instant),
		cmocka_unit_test(test_slice),
		cmocka_unit_test(test_nesting),
		cmocka_unit_test(test_lanes),
		cmocka_unit_test(test_counters),
		cmocka_unit_test(test_counter_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
