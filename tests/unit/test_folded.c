/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_folded.c - folded stacks of others: lines, files, and two profiles */
#include <errno.h>
#include <fcntl.h>
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

#include "base/message.h"
#include "base/session.h"
#include "out/out.h"
#include "picture.h"
#include "picture/flame.h"
#include "picture/folded.h"
#include "picture/origin.h"
#include "scratch.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- lines ------------------------------------------------------------ */

/*
 * The frames of a line with a '|' between them, and the count; or why it is none.
 * @size: of @wanted, with the NUL at its end
 */
static void expect_bytes(const char *line, size_t len, const char *wanted,
			 size_t size)
{
	struct tl_folded_line l = { 0 };
	char *text = malloc(len ? len : 1);
	struct tl_buf got = { 0 };
	const char *why = "";
	unsigned int i;
	int ret;

	/* of its length only: what is read behind it is found by ASan */
	memcpy(text, line, len);
	ret = tl_folded_count(&l, text, len, &why);
	/* what is to be told is what was written */
	assert_memory_equal(text, line, len);
	if (ret == 1)
		assert_int_equal(tl_folded_split(&l), 0);
	for (i = 0; ret == 1 && i < l.depth; i++) {
		tl_buf_str(&got, i ? "|" : "");
		tl_buf_add(&got, l.frames[i].text, l.frames[i].len);
	}
	if (ret == 1)
		tl_buf_printf(&got, " = %llu.%03u", (unsigned long long)l.whole,
			      l.parts);
	else
		tl_buf_str(&got, ret ? why : "nothing");
	tl_buf_char(&got, '\0');
	/* names can have a NUL: what is behind it counts too */
	assert_int_equal(got.len, size);
	assert_memory_equal(got.data, wanted, size);
	tl_buf_free(&got);
	free(l.frames);
	free(text);
}

static void expect_line(const char *line, const char *wanted)
{
	expect_bytes(line, strlen(line), wanted, strlen(wanted) + 1);
}

#define NO_COUNT  "there is no count behind the last blank"
#define NO_BLANK  "there is no blank with a stack in front of it"
#define TOO_LARGE "the count behind the last blank is too large"

static void test_lines(void **state)
{
	static const char *const samples[][2] = {
		{ "a;b;c 12", "a|b|c = 12.000" },
		{ "a 0\n", "a = 0.000" },
		{ "a;b\t7\r\n", "a|b = 7.000" },
		{ "  a   1  ", "a = 1.000" },
		{ "java;void f(int a);read 3",
		  "java|void f(int a)|read = 3.000" },
		{ "a;;b; 1", "a||b| = 1.000" },
		{ "; 1", "| = 1.000" },
		{ "a 1 2", "a 1 = 2.000" },
		{ "a 18446744073709551615", "a = 18446744073709551615.000" },
		{ "a 18446744073709551616", TOO_LARGE },
		{ "a 99999999999999999999999", TOO_LARGE },
		{ "a 18446744073709551615.9994",
		  "a = 18446744073709551615.999" },
		{ "a 18446744073709551615.9995", TOO_LARGE },
		{ "", "nothing" },
		{ " \t\r\n", "nothing" },
		{ "# a comment 1", "nothing" },
		{ "  # 1", "nothing" },
		{ "a", NO_BLANK },
		{ "12", NO_BLANK },
		{ " 12", NO_BLANK },
		{ "a;b c", NO_COUNT },
		{ "a -1", NO_COUNT },
		{ "a +1", NO_COUNT },
		{ "a 1e3", NO_COUNT },
		{ "a 0x1", NO_COUNT },
		{ "a 1,5", NO_COUNT },
		{ "a .5", NO_COUNT },
		{ "a 1.5.", NO_COUNT },
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(samples); i++)
		expect_line(samples[i][0], samples[i][1]);
}

/* To thousandths, rounded. */
static void test_fractions(void **state)
{
	static const char *const samples[][2] = {
		{ "a 1.", "a = 1.000" },     { "a 1.5", "a = 1.500" },
		{ "a 1.05", "a = 1.050" },   { "a 1.0004", "a = 1.000" },
		{ "a 1.0005", "a = 1.001" }, { "a 1.00049999", "a = 1.000" },
		{ "a 0.9994", "a = 0.999" }, { "a 0.9995", "a = 1.000" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(samples); i++)
		expect_line(samples[i][0], samples[i][1]);
}

/* What tl_flame_folded() escapes; where one is none of these, none is undone. */
static void test_escapes(void **state)
{
	static const char *const samples[][2] = {
		{ "a\\x3bb;c 1", "a;b|c = 1.000" },
		{ "a\\\\b 1", "a\\b = 1.000" },
		{ "a\\\\x3bb 1", "a\\x3bb = 1.000" },
		{ "\\xe2\\x80\\xae 1", "\xe2\x80\xae = 1.000" },
		{ "\\n\\t\\r 1", "\\n\\t\\r = 1.000" },
		{ "App\\Http\\Kernel;a\\\\b 1",
		  "App\\Http\\Kernel|a\\\\b = 1.000" },
		{ "a\\x3B 1", "a\\x3B = 1.000" },
		{ "a\\x3 1", "a\\x3 = 1.000" },
		{ "a\\x3g;b 1", "a\\x3g|b = 1.000" },
		{ "a\\ 1", "a\\ = 1.000" },
		{ "a\\;b\\\\ 1", "a\\|b\\\\ = 1.000" },
		{ "bin\\x64\\node.exe;main 5",
		  "bin\\x64\\node.exe|main = 5.000" },
		{ "a\\x20;\\x7e 1", "a\\x20|\\x7e = 1.000" },
		{ "\\x1f\\x7f\\xff 1", "\x1f\x7f\xff = 1.000" },
		{ "a\\x2;b 1", "a\\x2|b = 1.000" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(samples); i++)
		expect_line(samples[i][0], samples[i][1]);
}

static void test_any_bytes(void **state)
{
	static const char nul[] = "a\0b = 1.000";

	(void)state;
	expect_line("\xff\x80;\x1b[2J 1", "\xff\x80|\x1b[2J = 1.000");
	expect_bytes("a\0b 1", 5, nul, sizeof(nul));
	expect_bytes("a \0", 3, NO_COUNT, sizeof(NO_COUNT));
	expect_line("a\\", NO_BLANK);
}

/* ---- files ------------------------------------------------------------ */

static struct tl_flame *new_flame(void)
{
	struct tl_flame *f = tl_flame_open(NULL, NULL);

	assert_non_null(f);
	return f;
}

/* Reads @text as a file of a name without directories; returns what was said. */
static char *reads(struct tl_flame *f, struct tl_folded *found,
		   const char *text, int wanted)
{
	struct tl_buf said = { 0 }, *before;
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "%s/in", dir);
	file = fopen(path, "we");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	before = tl_message_keep(&said);
	assert_int_equal(tl_folded_read(f, path, false, found), wanted);
	tl_message_keep(before);
	tl_buf_char(&said, '\0');
	return said.data;
}

static void expect_folded(struct tl_flame *f, const char *wanted)
{
	static const struct tl_column none[] = { { 0 } };
	int fd = memfd_create("folded", 0);
	const struct tl_out_config config = { .fd = fd, .columns = none };
	struct tl_session s = { 0 };
	char *got;

	s.out = tl_out_new(&config);
	assert_non_null(s.out);
	assert_int_equal(tl_flame_folded(&s, f, 1), 0);
	assert_int_equal(tl_out_flush(s.out), 0);
	tl_out_free(s.out);
	got = slurp(fd);
	close(fd);
	assert_string_equal(got, wanted);
	free(got);
}

static void test_file(void **state)
{
	struct tl_flame *f = new_flame();
	struct tl_folded found = { 0 };
	char *said;

	(void)state;
	said = reads(f, &found, "# perf\n\na;b 1\na;b 2\na 3\nc;d e 4", 0);
	assert_string_equal(said, "");
	free(said);
	assert_int_equal(found.stacks, 4);
	assert_int_equal(found.bad, 0);
	assert_false(found.annotated);
	expect_folded(f, "a 3\na;b 3\nc;d e 4\n");
	said = reads(f, &found, "a 1\nx_[j] 1\n", 0);
	assert_true(found.annotated);
	assert_int_equal(found.stacks, 6);
	free(said);
	expect_folded(f, "a 4\na;b 3\nc;d e 4\nx_[j] 1\n");
	tl_flame_free(f);
}

static void test_reversed(void **state)
{
	char text[] = "a;b;c 1\nf;b;c 2\ne;c 4\nc 8\n";
	FILE *file = fmemopen(text, strlen(text), "r");
	struct tl_folded found = { 0 };
	struct tl_flame *f = new_flame();

	(void)state;
	assert_non_null(file);
	assert_int_equal(tl_folded_from(f, file, "in", true, &found), 0);
	fclose(file);
	expect_folded(f, "c 8\nc;b;a 1\nc;b;f 2\nc;e 4\n");
	tl_flame_free(f);
}

/* The first one is told, with its place, and what is no text in it escaped. */
static void test_bad_lines(void **state)
{
	struct tl_flame *f = new_flame();
	struct tl_folded found = { 0 };
	char wanted[256], *said;

	(void)state;
	said = reads(f, &found,
		     "a 1\n\nb\33[2J \nb\nc d\n"
		     "a 2\n",
		     0);
	snprintf(wanted, sizeof(wanted),
		 "%s/in:3: no folded stack, " NO_BLANK ": \"b\\x1b[2J\"\n",
		 dir);
	assert_non_null(find(said, wanted));
	assert_int_equal(occurs(said, "\n"), 1);
	free(said);
	assert_int_equal(found.bad, 3);
	assert_int_equal(found.stacks, 2);
	expect_folded(f, "a 3\n");
	tl_flame_free(f);
}

/* From the first fraction on, what came before is counted in thousandths too. */
static void test_parts(void **state)
{
	struct tl_flame *f = new_flame();
	struct tl_folded found = { 0 };

	(void)state;
	free(reads(f, &found, "a 1\na;b 2\n", 0));
	assert_int_equal(f->parts, 1);
	free(reads(f, &found, "a 0.25\na;b 3\na;c 0.0001\n", 0));
	assert_int_equal(f->parts, 1000);
	expect_folded(f, "a 1250\na;b 5000\n");
	tl_flame_free(f);
}

/* Sums are exact up to where they no longer fit; what does not is none. */
static void test_too_much(void **state)
{
	struct tl_flame *f = new_flame();
	struct tl_folded found = { 0 };
	char *said;

	(void)state;
	free(reads(f, &found, "a 9223372036854775806\na 1\n", 0));
	assert_int_equal(found.bad, 0);
	said = reads(f, &found, "a 1\nb 0.5\nc 18446744073709551615\n", 0);
	assert_int_equal(occurs(said, "all counts add up to too much"), 1);
	free(said);
	assert_int_equal(found.bad, 3);
	assert_int_equal(f->parts, 1);
	expect_folded(f, "a 9223372036854775807\n");
	tl_flame_free(f);
}

/* A line that is refused changes nothing: neither how counts are kept, nor itself. */
static void test_refused(void **state)
{
	struct tl_flame *f = new_flame();
	struct tl_folded found = { 0 };
	char *said;

	(void)state;
	said = reads(f, &found,
		     "a 9223372036854775\nb\\x3bc;e 9223372036854775.5\n", 0);
	assert_int_equal(occurs(said, "add up to too much: \"b\\\\x3bc;e 92"),
			 1);
	free(said);
	assert_int_equal(f->parts, 1);
	expect_folded(f, "a 9223372036854775\n");
	free(reads(f, &found, "b 0.8\n", 0));
	assert_int_equal(found.bad, 1);
	assert_int_equal(f->parts, 1000);
	expect_folded(f, "a 9223372036854775000\nb 800\n");
	tl_flame_free(f);
}

static void test_mark(void **state)
{
	struct tl_flame *f = new_flame();
	struct tl_folded found = { 0 };

	(void)state;
	free(reads(f, &found,
		   "\xef\xbb\xbf"
		   "a 1\n\xef\xbb\xbf"
		   "a 2\n",
		   0));
	free(reads(f, &found, "\xef\xbb\xbf# 4\n", 0));
	free(reads(f, &found, "\xef\xbb\xbf", 0));
	assert_int_equal(found.bad, 0);
	expect_folded(f, "a 1\n\xef\xbb\xbf"
			 "a 2\n");
	tl_flame_free(f);
}

/* A line of 1 MiB is one; of a longer one no more is kept. */
static void test_long_lines(void **state)
{
	const size_t most = 1 << 20;
	char *text = malloc(2 * most), *said;
	struct tl_flame *f = new_flame();
	struct tl_folded found = { 0 };

	(void)state;
	assert_non_null(text);
	memset(text, 'x', 2 * most);
	strcpy(text + most - 3, " 1\na 2\n");
	free(reads(f, &found, text, 0));
	assert_int_equal(found.bad, 0);
	assert_int_equal(f->root->total, 3);
	text[most - 3] = 'x';
	strcpy(text + most - 2, " 1\na 4\n");
	said = reads(f, &found, text, 0);
	assert_int_equal(occurs(said, "in:1: no folded stack, it is longer "
				      "than 1 MiB: \"xxx"),
			 1);
	free(said);
	assert_int_equal(found.bad, 1);
	assert_int_equal(f->root->total, 7);
	tl_flame_free(f);
	free(text);
}

/* Told only where all lines of a file have two. */
static void test_two_counts(void **state)
{
	static const struct {
		const char *text;
		unsigned int told;
	} samples[] = {
		{ "a;b 4 6\na 1.5\t2.5\n", 1 },
		{ "a;b 4 6\na 2\n", 0 },
		{ "a;b 4 6\na4 2\n", 0 },
		{ "a;b 4 6\na .4 2\n", 0 },
		{ "a;4 6\n", 0 },
		{ "# a 4 6\n", 0 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(samples); i++) {
		struct tl_flame *f = new_flame();
		struct tl_folded found = { 0 };
		char *said = reads(f, &found, samples[i].text, 0);

		assert_int_equal(occurs(said, "all lines have two counts"),
				 samples[i].told);
		free(said);
		tl_flame_free(f);
	}
}

static void test_any(void **state)
{
	struct tl_flame *f = new_flame();
	struct tl_folded found = { 0 };

	(void)state;
	free(reads(f, &found, "a 0\nb 0.0001\n", 0));
	assert_int_equal(found.stacks, 2);
	assert_false(found.any);
	free(reads(f, &found, "a 0.001\n", 0));
	assert_true(found.any);
	tl_flame_free(f);
}

/* Where memory ends the rest is kept in frames [...], and counted. */
static void test_full(void **state)
{
	char text[] = "a;b 1\na;c 2.5\na;b 4\n"
		      "d;e 8\n";
	FILE *file = fmemopen(text, strlen(text), "r");
	struct tl_folded found = { 0 };
	struct tl_flame *f = new_flame();

	(void)state;
	assert_non_null(file);
	f->max = 2 * (2 * sizeof(struct tl_flame_node) + 1);
	assert_int_equal(tl_folded_from(f, file, "in", false, &found), 0);
	fclose(file);
	assert_int_equal(found.stacks, 4);
	assert_int_equal(f->root->total, 15500);
	assert_int_equal(f->cut, 10500);
	assert_true(tl_flame_cut(f) == 10.5 / 15.5);
	expect_folded(f, "[...] 8000\na;[...] 2500\na;b 5000\n");
	tl_flame_free(f);
}

static void test_no_file(void **state)
{
	struct tl_buf said = { 0 }, *before = tl_message_keep(&said);
	struct tl_flame *f = new_flame();
	struct tl_folded found = { 0 };

	(void)state;
	assert_int_equal(tl_folded_read(f, "/nowhere", false, &found), -ENOENT);
	assert_int_equal(tl_folded_read(f, dir, false, &found), -EISDIR);
	tl_message_keep(before);
	tl_buf_free(&said);
	tl_flame_free(f);
}

/* ---- two profiles ----------------------------------------------------- */

static char *compared(const char *now, const char *then, bool is_absolute,
		      struct tl_flame_gone *gone)
{
	const struct tl_flame_look look = { .unit = "samples" };
	struct tl_flame *f = new_flame(), *old = new_flame();
	static const struct tl_origin origin;
	struct tl_folded found = { 0 };
	struct tl_buf b = { 0 };

	free(reads(f, &found, now, 0));
	free(reads(old, &found, then, 0));
	tl_flame_look(f, &look);
	tl_flame_compare(f, old, is_absolute, gone);
	assert_int_equal(tl_flame_drawn(f, "T", &origin, &b), 0);
	tl_buf_char(&b, '\0');
	tl_flame_free(f);
	tl_flame_free(old);
	return b.data;
}

/* The frame of that name has this in its title, and this colour. */
static void expect_frame(const char *svg, const char *name, const char *title,
			 const char *colour)
{
	char text[256];
	const char *at;

	snprintf(text, sizeof(text), "<title>%s (%s)</title>", name, title);
	at = find(svg, text);
	if (!at)
		print_error("no %s in %s\n", text, svg);
	assert_non_null(at);
	at = find(at, "fill=\"") + strlen("fill=\"");
	assert_memory_equal(at, colour, strlen(colour));
}

static void test_compared(void **state)
{
	struct tl_flame_gone gone;
	/* 40 samples, and 100: those of half a share are the same */
	char *svg = compared("m;a 20\nm;b 10\nm;b;c 4\nm;n 6\n",
			     "m;a 50\nm;b 10\nm;b;c 10\nm;o 20\nm;o;p 10\n",
			     false, &gone);

	(void)state;
	expect_frame(svg, "all",
		     "40 samples, 100.00%; before: 100 samples, 100.00%; "
		     "self +0.00 points",
		     "#c8c8c8");
	expect_frame(svg, "a",
		     "20 samples, 50.00%; before: 50 samples, 50.00%; "
		     "self +0.00 points",
		     "#e4e4e4");
	/* 25 % and 10 %, 0 and 15 %: the most that there is */
	expect_frame(svg, "b",
		     "14 samples, 35.00%, self 10 samples, 25.00%; before: "
		     "20 samples, 20.00%, self 10 samples, 10.00%; "
		     "self +15.00 points",
		     "#ff6e6e");
	expect_frame(svg, "n",
		     "6 samples, 15.00%; before: none; self +15.00 points",
		     "#ff6e6e");
	expect_frame(svg, "c",
		     "4 samples, 10.00%; before: 10 samples, 10.00%; "
		     "self +0.00 points",
		     "#e4e4e4");
	assert_int_equal(gone.frames, 2);
	assert_true(gone.share > .2999 && gone.share < .3001);
	free(svg);
}

static void test_compared_amounts(void **state)
{
	struct tl_flame_gone gone;
	char *svg =
		compared("m;a 20\nm;b 10.5\n", "m;a 50\nm;b 10\n", true, &gone);

	(void)state;
	expect_frame(svg, "a",
		     "20.000 samples, 65.57%; before: 50 samples, 83.33%; "
		     "self -30.000 samples",
		     "#6eb6ff");
	expect_frame(svg, "b",
		     "10.500 samples, 34.43%; before: 10 samples, 16.67%; "
		     "self +0.500 samples",
		     "#e4e2e2");
	assert_int_equal(gone.frames, 0);
	free(svg);
	svg = compared("a 33333\nb 66667\n", "a 1\nb 2\n", false, &gone);
	expect_frame(svg, "a",
		     "33333 samples, 33.33%; before: 1 sample, 33.33%; "
		     "self +0.00 points",
		     "#e4e4e4");
	free(svg);
	svg = compared("a 1\n", "a 1\n", false, &gone);
	expect_frame(svg, "a",
		     "1 sample, 100.00%; before: 1 sample, 100.00%; "
		     "self +0.00 points",
		     "#e4e4e4");
	free(svg);
}

/* What nobody sees in the new picture is told, if it was to be seen in the old one. */
static void test_compared_narrow(void **state)
{
	struct tl_flame_gone gone;

	(void)state;
	free(compared("m;a 1\nm;b 99999\n", "m;a 50\nm;b 50\n", false, &gone));
	assert_int_equal(gone.frames, 1);
	assert_true(gone.share == .5);
	free(compared("m;a 1\nm;b 99999\n", "m;a 1\nm;b 88888\n", false,
		      &gone));
	assert_int_equal(gone.frames, 0);
	assert_true(gone.share == 0);
	free(compared("m;b 99999\n", "m;a 1\nm;b 88888\n", false, &gone));
	assert_int_equal(gone.frames, 1);
}

/* Grey is what tooltips call no difference; beyond, colours begin with it. */
static void test_compared_same(void **state)
{
	struct tl_flame_gone gone;
	char *svg = compared("a 50004\nb 49996\n", "a 1\nb 1\n", false, &gone);

	(void)state;
	expect_frame(svg, "a",
		     "50004 samples, 50.00%; before: 1 sample, 50.00%; "
		     "self +0.00 points",
		     "#e4e4e4");
	free(svg);
	svg = compared("a 50006\nb 49994\n", "a 1\nb 1\n", false, &gone);
	expect_frame(svg, "a",
		     "50006 samples, 50.01%; before: 1 sample, 50.00%; "
		     "self +0.01 points",
		     "#e4e3e3");
	expect_frame(svg, "b",
		     "49994 samples, 49.99%; before: 1 sample, 50.00%; "
		     "self -0.01 points",
		     "#e3e4e4");
	free(svg);
	svg = compared("a 5\nb 4\n", "a 5\nb 3\n", true, &gone);
	expect_frame(svg, "a",
		     "5 samples, 55.56%; before: 5 samples, 62.50%; "
		     "self the same",
		     "#e4e4e4");
	free(svg);
}

/* A frame that has no place, and one in which nothing was counted. */
static void test_compared_odd(void **state)
{
	struct tl_flame_gone gone;
	char *svg = compared("a 1\nb;c 0\n", "b;c 4\nf 0\n", false, &gone);

	(void)state;
	expect_frame(svg, "a",
		     "1 sample, 100.00%; before: none; self +100.00 points",
		     "#ff6e6e");
	assert_int_equal(occurs(svg, "<title>b ("), 0);
	assert_int_equal(gone.frames, 2);
	assert_true(gone.share == 1);
	free(svg);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_fractions),
		cmocka_unit_test(test_escapes),
		cmocka_unit_test(test_any_bytes),
		cmocka_unit_test(test_file),
		cmocka_unit_test(test_reversed),
		cmocka_unit_test(test_bad_lines),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_too_much),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_mark),
		cmocka_unit_test(test_long_lines),
		cmocka_unit_test(test_two_counts),
		cmocka_unit_test(test_any),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_no_file),
		cmocka_unit_test(test_compared),
		cmocka_unit_test(test_compared_amounts),
		cmocka_unit_test(test_compared_odd),
		cmocka_unit_test(test_compared_narrow),
		cmocka_unit_test(test_compared_same),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
