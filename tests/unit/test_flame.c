/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_flame.c - flame graphs: sums, folded text, and the picture
 *
 * "test_flame FILE.svg" draws the folded text on stdin instead, for
 * tests/browser.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
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
#include <unistd.h>

#include <cmocka.h>

#include "base/session.h"
#include "out/out.h"
#include "picture.h"
#include "picture/flame.h"
#include "picture/origin.h"
#include "scratch.h"

#define COUNT(a)   (sizeof(a) / sizeof((a)[0]))
#define MAX_FRAMES 1000

static struct tl_str str(const char *text)
{
	return (struct tl_str){ text, strlen(text) };
}

/* "a;b" to two frames; changes @text. */
static unsigned int split(char *text, struct tl_str frames[MAX_FRAMES])
{
	unsigned int depth = 0;
	char *p;

	while ((p = strsep(&text, ";")) && depth < MAX_FRAMES)
		frames[depth++] = str(p);
	return depth;
}

static void add(struct tl_flame *f, const char *stack, uint64_t self)
{
	struct tl_str frames[MAX_FRAMES];
	char *text = strdup(stack);

	assert_non_null(text);
	assert_int_equal(
		tl_flame_add(f, frames, *stack ? split(text, frames) : 0, self),
		0);
	free(text);
}

static char *folded_in(struct tl_flame *f, bool raw, enum tl_format format,
		       uint64_t unit)
{
	static const struct tl_column none[] = { { 0 } };
	int fd = memfd_create("folded", 0);
	const struct tl_out_config config = {
		.fd = fd, .format = format, .raw = raw, .columns = none
	};
	struct tl_session s = { .set.raw = raw };
	char *got;

	s.out = tl_out_new(&config);
	assert_non_null(s.out);
	assert_int_equal(tl_flame_folded(&s, f, unit), 0);
	assert_int_equal(tl_out_flush(s.out), 0);
	tl_out_free(s.out);
	got = slurp(fd);
	close(fd);
	return got;
}

static char *folded_as(struct tl_flame *f, bool raw, enum tl_format format)
{
	return folded_in(f, raw, format, 1);
}

static void folded(struct tl_flame *f, const char *wanted)
{
	char *got = folded_as(f, false, TL_FORMAT_TEXT);

	assert_string_equal(got, wanted);
	free(got);
}

static struct tl_flame *new_flame(void)
{
	struct tl_flame *f = tl_flame_open(NULL, NULL);

	assert_non_null(f);
	return f;
}

static void end(struct tl_flame *f)
{
	assert_int_equal(tl_flame_end(NULL, f, NULL, 0, "calls"), 0);
}

static const struct tl_origin origin;

static char *svg_titled(struct tl_flame *f, const char *title)
{
	char *got;

	f->fd = memfd_create("flame", 0);
	assert_true(f->fd >= 0);
	assert_int_equal(tl_flame_svg(f, title, &origin), 0);
	got = slurp(f->fd);
	close(f->fd);
	f->fd = -1;
	return got;
}

static char *svg(struct tl_flame *f)
{
	return svg_titled(f, "T");
}

/* ---- sums and order --------------------------------------------------- */

static void test_sums(void **state)
{
	struct tl_flame *f = new_flame();
	const struct tl_flame_node *n;
	static const struct {
		const char *name;
		uint64_t self, total;
	} wanted[] = {
		{ "all", 2, 107 }, { "a", 0, 102 }, { "b", 40, 70 },
		{ "c", 30, 30 },   { "d", 32, 32 }, { "b", 3, 3 },
	};
	size_t i = 0;

	(void)state;
	add(f, "a;b;c", 10);
	add(f, "b", 3);
	add(f, "a;b", 40);
	add(f, "a;d", 32);
	add(f, "a;b;c", 20);
	add(f, "", 2);
	assert_int_equal(tl_flame_sort(f), 0);
	for (n = f->root; n; n = tl_flame_next(n), i++) {
		assert_in_range(i, 0, COUNT(wanted) - 1);
		assert_int_equal(n->len, strlen(wanted[i].name));
		assert_memory_equal(n->name, wanted[i].name, n->len);
		assert_int_equal(n->self, wanted[i].self);
		assert_int_equal(n->total, wanted[i].total);
	}
	assert_int_equal(i, COUNT(wanted));
	folded(f, "a;b 40\na;b;c 30\na;d 32\nb 3\n");
	/* more can come after it was sorted */
	add(f, "a;b;b", 1);
	add(f, "a;b;c", 1);
	folded(f, "a;b 40\na;b;b 1\na;b;c 31\na;d 32\nb 3\n");
	end(f);
}

/* By frame and byte, whatever came first. */
static void test_order(void **state)
{
	static const char *const stacks[] = {
		"a",  "a;b", "a;b;c", "a;bc",     "a b", "a-b",
		"ab", "b;a", "B",     "\xc3\xbc", "a;c",
	};
	static const char wanted[] = "B 1\na 1\na;b 1\na;b;c 1\na;bc 1\na;c 1\n"
				     "a b 1\na-b 1\nab 1\nb;a 1\n\xc3\xbc 1\n";
	size_t i, j;

	(void)state;
	for (i = 0; i < COUNT(stacks); i++) {
		struct tl_flame *f = new_flame();

		for (j = 0; j < COUNT(stacks); j++)
			add(f, stacks[(i + j * 4) % COUNT(stacks)], 1);
		folded(f, wanted);
		end(f);
	}
}

/* The same name is another frame elsewhere, also in itself. */
static void test_recursion(void **state)
{
	struct tl_flame *f = new_flame();

	(void)state;
	add(f, "f;f;f", 1);
	add(f, "f", 2);
	add(f, "g;f", 4);
	add(f, "f;f", 8);
	assert_int_equal(f->count, 5);
	folded(f, "f 2\nf;f 8\nf;f;f 1\ng;f 4\n");
	end(f);
}

static void test_zero(void **state)
{
	struct tl_flame *f = new_flame();

	(void)state;
	folded(f, "");
	add(f, "a;b", 0);
	add(f, "", 5);
	folded(f, "");
	add(f, "a", 1);
	folded(f, "a 1\n");
	end(f);
}

static void test_overflow(void **state)
{
	struct tl_flame *f = new_flame();
	char *text;

	(void)state;
	add(f, "a", UINT64_MAX);
	add(f, "b", UINT64_MAX);
	assert_int_equal(f->root->total, INT64_MAX);
	folded(f, "a 9223372036854775807\n");
	text = svg(f);
	assert_int_equal(occurs(text, "<title>a (9223372036.9 s, 100.00%)<"),
			 1);
	free(text);
	end(f);
}

/* Against sums that are made another way; also a check of the hash table. */
static void test_many(void **state)
{
	static uint64_t sum[20][20][20];
	struct tl_flame *f = new_flame();
	uint64_t total = 0, seed = 1;
	char name[3][8], line[64], *got, *p;
	struct tl_str frames[3];
	unsigned int i, v[3], k;

	(void)state;
	for (i = 0; i < 300000; i++) {
		seed = seed * 6364136223846793005 + 1442695040888963407;
		for (k = 0; k < 3; k++) {
			v[k] = (unsigned int)(seed >> (20 + 12 * k)) % 20;
			snprintf(name[k], sizeof(name[k]), "f%02u", v[k]);
			frames[k] = str(name[k]);
		}
		sum[v[0]][v[1]][v[2]] += i;
		total += i;
		assert_int_equal(tl_flame_add(f, frames, 3, i), 0);
	}
	assert_int_equal(f->root->total, total);
	assert_int_equal(f->count, 20 + 400 + 8000);
	got = p = folded_as(f, false, TL_FORMAT_TEXT);
	for (i = 0; i < 8000; i++) {
		snprintf(line, sizeof(line), "f%02u;f%02u;f%02u %llu\n",
			 i / 400, i / 20 % 20, i % 20,
			 (unsigned long long)sum[i / 400][i / 20 % 20][i % 20]);
		assert_memory_equal(p, line, strlen(line));
		p += strlen(line);
	}
	assert_string_equal(p, "");
	free(got);
	end(f);
}

/* ---- limits ----------------------------------------------------------- */

/* What finds no place adds up in the last frame that did. */
static void test_full(void **state)
{
	struct tl_flame *f = new_flame();
	const struct tl_flame_node *n;
	uint64_t total = 0;
	size_t size = 0;
	char name[16];
	unsigned int i;

	(void)state;
	add(f, "a;b", 1);
	f->max = f->used;
	add(f, "a;b;c;d", 2);
	add(f, "a;b;x", 4);
	add(f, "a;c", 8);
	add(f, "new;b", 16);
	add(f, "newer", 32);
	add(f, "a;b", 64);
	add(f, "a;b;c;d", 128);
	folded(f, "[...] 48\na;[...] 8\na;b 65\na;b;[...] 134\n");
	assert_true(tl_flame_cut(f) == 190. / 255);
	end(f);

	f = new_flame();
	f->max = 20000;
	for (i = 0; i < 10000; i++) {
		snprintf(name, sizeof(name), "f%u;f%u", i % 100, i);
		add(f, name, i);
		total += i;
	}
	assert_int_equal(f->root->total, total);
	for (n = tl_flame_next(f->root); n; n = tl_flame_next(n))
		size += sizeof(*n) + n->len;
	assert_in_range(size, 10000, 20000);
	end(f);
}

/* A frame that has the name itself is one like others, until there is no place. */
static void test_rest(void **state)
{
	struct tl_flame *f = new_flame();

	(void)state;
	add(f, "a;[...];b;c", 1);
	add(f, "a;[...]", 2);
	add(f, "a;[...];[...]", 4);
	add(f, "a", 8);
	add(f, "[...];d", 16);
	folded(f, "[...];d 16\na 8\na;[...] 2\na;[...];[...] 4\n"
		  "a;[...];b;c 1\n");
	assert_true(tl_flame_cut(f) == 0);
	f->max = f->used;
	add(f, "a;x;y", 32);
	add(f, "a;[...];b;c", 64);
	add(f, "a;[...];y;z", 128);
	add(f, "a;[...];[...];[...];[...]", 256);
	add(f, "a;[...];[...];[...];x", 512);
	folded(f, "[...];d 16\na 8\na;[...] 34\na;[...];[...] 132\n"
		  "a;[...];[...];[...] 768\na;[...];b;c 65\n");
	assert_int_equal(f->cut, 32 + 128 + 256 + 512);
	end(f);
}

/* Who writes names does not know their places in the table. */
static void test_random(void **state)
{
	struct tl_flame *f = new_flame(), *other = new_flame();

	(void)state;
	add(f, "a;b", 1);
	add(other, "a;b", 1);
	assert_int_not_equal(f->root->child->hash, other->root->child->hash);
	assert_ptr_equal(tl_flame_find(f, f->root, other->root->child),
			 f->root->child);
	end(f);
	end(other);
}

static void test_deep(void **state)
{
	struct tl_str frames[2 * TL_FLAME_DEPTH];
	struct tl_flame *f = new_flame();
	char deep[2 * TL_FLAME_DEPTH] = "";
	char wanted[2 * sizeof(deep) + 32], *text;
	unsigned int i;

	(void)state;
	for (i = 0; i < COUNT(frames); i++)
		frames[i] = str("f");
	assert_int_equal(tl_flame_add(f, frames, TL_FLAME_DEPTH - 1, 1), 0);
	assert_int_equal(tl_flame_add(f, frames, TL_FLAME_DEPTH, 2), 0);
	assert_int_equal(tl_flame_add(f, frames, COUNT(frames), 4), 0);
	assert_int_equal(tl_flame_add(f, frames, 1, 8), 0);
	for (i = 1; i < TL_FLAME_DEPTH; i++)
		strcat(deep, i == 1 ? "f" : ";f");
	snprintf(wanted, sizeof(wanted), "f 8\n%s 1\n%s;[...] 6\n", deep, deep);
	folded(f, wanted);
	text = svg(f);
	assert_int_equal(occurs(text, "<rect x="), TL_FLAME_DEPTH + 1);
	free(text);
	end(f);
}

/* ---- names ------------------------------------------------------------ */

static void test_names(void **state)
{
	struct tl_flame *f = new_flame();
	const struct tl_str frames[] = {
		{ NULL, 0 },       { "", 0 },     { ";", 1 },
		{ "a;;b;", 5 },    { "x\0y", 3 }, { "\\", 1 },
		{ "\n\33[2J", 5 }, { "\xff", 1 }, { "f(int a)", 8 },
	};
	static const char as_is[] = "[?];[?];;;a;;b;;x\0y;\\;\n\33[2J;"
				    "\xff;f(int a) 7\n";
	char *raw;

	(void)state;
	tl_flame_add(f, frames, COUNT(frames), 7);
	folded(f, "[?];[?];\\x3b;a\\x3b\\x3bb\\x3b;x\\x00y;\\\\;\\n\\x1b[2J;"
		  "\\xff;f(int a) 7\n");
	raw = folded_as(f, true, TL_FORMAT_TEXT);
	assert_memory_equal(raw, as_is, sizeof(as_is));
	free(raw);
	raw = folded_as(f, false, TL_FORMAT_JSON);
	assert_string_equal(raw, "");
	free(raw);
	end(f);
}

#define BAD "\xef\xbf\xbd"

static void test_markup(void **state)
{
	static const char *const samples[][2] = {
		{ "</title><script>alert(1)</script>",
		  "&#60;/title&#62;&#60;script&#62;alert(1)&#60;/script&#62;" },
		{ "]]>&amp;\"'", "]]&#62;&#38;amp;&#34;'" },
		{ "a\nb\33\xff\xe2\x80\xae", "a b" BAD BAD BAD },
		{ "\xc3\xbc\xe2\x82\xac", "\xc3\xbc\xe2\x82\xac" },
		{ "f (1 s, 5%)", "f (1 s, 5%)" },
	};
	char wanted[256], *text;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(samples); i++) {
		const struct tl_str frame = str(samples[i][0]);
		struct tl_flame *f = new_flame();

		assert_int_equal(tl_flame_add(f, &frame, 1, 3000), 0);
		text = svg_titled(f, samples[i][0]);
		snprintf(wanted, sizeof(wanted),
			 "<title>%s (3.000 us, 100.00%%)</title>",
			 samples[i][1]);
		assert_int_equal(occurs(text, wanted), 1);
		snprintf(wanted, sizeof(wanted), "<title>%s</title>",
			 samples[i][1]);
		assert_int_equal(occurs(text, wanted), 1);
		/* in the frame, and as the title */
		snprintf(wanted, sizeof(wanted), ">%s</text>", samples[i][1]);
		assert_int_equal(occurs(text, wanted), 2);
		assert_int_equal(occurs(text, "<script"), 1);
		free(text);
		end(f);
	}
}

/* ---- the picture ------------------------------------------------------ */

static void test_picture(void **state)
{
	struct tl_flame *f = new_flame();
	char *text;

	(void)state;
	add(f, "a_1", 250000000);
	add(f, "a_1;b", 250000000);
	add(f, "c", 500000000);
	add(f, "c;d", 1000000000);
	text = svg(f);
	assert_memory_equal(text, "<svg xmlns=", 11);
	assert_string_equal(text + strlen(text) - 7, "</svg>\n");
	/* three rows, the root at the bottom; widths of 1176 in all */
	assert_int_equal(occurs(text, "height=\"230\" viewBox"), 1);
	assert_non_null(find(text, "<g data-f=\"0 0 2000000000\"><title>all "
				   "(2.000 s, 100.00%)</title><rect x=\"12.00\""
				   " y=\"156\" width=\"1175.50\" height=\"17\" "
				   "fill=\"#c8c8c8\"/><text x=\"15.00\" "
				   "y=\"169\">all</text></g>\n"));
	assert_non_null(find(text, "<g data-f=\"1 0 500000000\"><title>a_1 "
				   "(500.0 ms, 25.00%, self 250.0 ms, 12.50%)"
				   "</title><rect x=\"12.00\" y=\"138\" "
				   "width=\"293.50\" "));
	assert_non_null(find(text, "<g data-f=\"2 0 250000000\"><title>b "
				   "(250.0 ms, 12.50%)</title><rect "
				   "x=\"12.00\" y=\"120\" width=\"146.50\" "));
	assert_non_null(find(text, "<g data-f=\"1 500000000 1500000000\">"
				   "<title>c (1.500 s, 75.00%, self 500.0 ms, "
				   "25.00%)</title><rect x=\"306.00\" "
				   "y=\"138\" width=\"881.50\" "));
	assert_non_null(find(text, "<g data-f=\"2 500000000 1000000000\">"
				   "<title>d (1.000 s, 50.00%)</title><rect "
				   "x=\"306.00\" y=\"120\" width=\"587.50\" "));
	assert_int_equal(occurs(text, "<g data-f="), 5);
	assert_int_equal(occurs(text, "too narrow"), 0);
	/* nothing is loaded: what is called by its address is a name only */
	assert_int_equal(occurs(text, "http"), 2);
	assert_int_equal(occurs(text, "\"http://www.w3.org/2000/svg\""), 1);
	assert_int_equal(occurs(text, "'http://www.w3.org/1999/xhtml'"), 1);
	assert_int_equal(occurs(text, "href") + occurs(text, "url("), 0);
	free(text);
	end(f);
}

/*
 * Less than a tenth of a pixel of 1176: 1 of 11760 is the first that is seen.
 */
static void test_narrow(void **state)
{
	struct tl_flame *f = new_flame();
	char *text;

	(void)state;
	add(f, "a", 1);
	add(f, "b;c", 1);
	add(f, "d", 11760 - 2);
	text = svg(f);
	assert_int_equal(occurs(text, "<g data-f="), 5);
	free(text);
	add(f, "d", 1);
	add(f, "e", 0);
	text = svg(f);
	assert_int_equal(occurs(text, "<g data-f="), 2);
	/* they have their place all the same */
	assert_non_null(find(text, "<g data-f=\"1 2 11759\">"));
	assert_non_null(find(text, ">3 frames are too narrow to be drawn<"));
	assert_non_null(find(text, "data-narrow=\"3\""));
	assert_non_null(find(text, "height=\"212\" viewBox"));
	free(text);
	end(f);
}

/* A label never ends in the middle of a character. */
static void test_labels(void **state)
{
	static const struct {
		const char *name, *shown;
		unsigned int width; /* of 1176 */
	} samples[] = {
		{ "abcdefghij", ">abcdefghij<", 79 },
		{ "abcdefghij", ">abcdefg..<", 78 },
		{ "abcdefghij", ">abc..<", 43 },
		{ "abcdefghij", NULL, 42 },
		{ "abc", ">abc<", 28 },
		{ "abc", NULL, 27 },
		{ "a", ">a<", 14 },
		{ "a", NULL, 13 },
		{ "ab\xe2\x82\xac\xe2\x82\xac", ">ab\xe2\x82\xac\xe2\x82\xac<",
		  64 },
		{ "ab\xe2\x82\xac\xe2\x82\xac", ">ab\xe2\x82\xac..<", 63 },
		{ "ab\xe2\x82\xac\xe2\x82\xac", ">ab..<", 56 },
		{ "\xe2\x82\xac\xe2\x82\xac", ">\xe2\x82\xac..<", 43 },
		{ "\x80\x80\x80\x80\x80\x80", ">..<", 43 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(samples); i++) {
		struct tl_flame *f = new_flame();
		char *text, *wanted = (char *)samples[i].shown;

		add(f, samples[i].name, samples[i].width);
		add(f, "", 1176 - samples[i].width);
		text = svg(f);
		if (wanted)
			assert_int_equal(occurs(text, wanted), 1);
		else
			assert_int_equal(occurs(text, "</text></g>"), 1);
		free(text);
		end(f);
	}
}

static void test_units(void **state)
{
	static const struct {
		uint64_t ns;
		const char *shown;
	} samples[] = {
		{ 1, "f (1 ns, " },
		{ 999, "f (999 ns, " },
		{ 1000, "f (1.000 us, " },
		{ 12345, "f (12.35 us, " },
		{ 123456, "f (123.5 us, " },
		{ 1000000, "f (1.000 ms, " },
		{ 999999999, "f (1000.0 ms, " },
		{ 86400000000000, "f (86400.0 s, " },
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(samples); i++) {
		struct tl_flame *f = new_flame();
		char *text;

		add(f, "f", samples[i].ns);
		text = svg(f);
		assert_int_equal(occurs(text, samples[i].shown), 1);
		free(text);
		end(f);
	}
}

static void colour_in(struct tl_flame *f, const char *name, char colour[8])
{
	char title[64], *text = svg(f);
	const char *fill;

	snprintf(title, sizeof(title), "<title>%s (", name);
	fill = find(find(text, title), "fill=\"#");
	memcpy(colour, fill + 6, 7);
	colour[7] = '\0';
	free(text);
}

static void colour_of(const char *name, const char *beside, char colour[8])
{
	struct tl_flame *f = new_flame();

	add(f, name, 1000);
	add(f, beside, 1000);
	colour_in(f, name, colour);
	end(f);
}

static unsigned int part(const char *colour, unsigned int i)
{
	const char text[] = { colour[1 + 2 * i], colour[2 + 2 * i], '\0' };

	return (unsigned int)strtoul(text, NULL, 16);
}

/* The same in all pictures, and light enough for dark text on it. */
static void test_colours(void **state)
{
	char name[32], first[8], again[8], last[8] = "";
	unsigned int i, changes = 0;

	(void)state;
	for (i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "f%u_g", i);
		colour_of(name, "x", first);
		colour_of(name, "another", again);
		assert_string_equal(first, again);
		/* luma, of 255 */
		assert_in_range(part(first, 0) * 299 + part(first, 1) * 587 +
					part(first, 2) * 114,
				125 * 1000, 240 * 1000);
		changes += strcmp(first, last) != 0;
		strcpy(last, first);
	}
	assert_in_range(changes, 290, 300);
	colour_of("[...]", "x", first);
	assert_string_equal(first, "#c8c8c8");
}

/* The largest and the smallest of red, green and blue: 0, 1, 2. */
static void expect_hue(const char *colour, unsigned int most,
		       unsigned int least)
{
	unsigned int i;

	for (i = 0; i < 3; i++) {
		assert_true(part(colour, i) <= part(colour, most));
		assert_true(part(colour, i) >= part(colour, least));
	}
	assert_true(part(colour, most) > part(colour, least));
}

static void paint(struct tl_flame *f, enum tl_flame_palette palette)
{
	const struct tl_flame_look look = { .palette = palette };

	tl_flame_look(f, &look);
}

static void test_palettes(void **state)
{
	struct tl_flame *f = new_flame();
	char colour[8];

	(void)state;
	paint(f, TL_FLAME_SLEEPS);
	add(f, "a;b;--;c;--;d", 1000);
	colour_in(f, "b", colour);
	expect_hue(colour, 2, 0);
	colour_in(f, "c", colour);
	expect_hue(colour, 1, 0);
	colour_in(f, "d", colour);
	expect_hue(colour, 1, 2);
	paint(f, TL_FLAME_WAKERS);
	colour_in(f, "b", colour);
	expect_hue(colour, 1, 0);
	end(f);
}

static void test_palettes_of_profiles(void **state)
{
	static const struct {
		enum tl_flame_palette palette;
		const char *name;
		unsigned int most, least; /* of red, green and blue */
	} samples[] = {
		{ TL_FLAME_KINDS, "f_[k]", 0, 2 },
		{ TL_FLAME_KINDS, "f_[j]", 1, 0 },
		{ TL_FLAME_KINDS, "f_[i]", 1, 0 },
		{ TL_FLAME_KINDS, "f_[i]", 2, 0 },
		{ TL_FLAME_KINDS, "f_[w]", 0, 2 },
		{ TL_FLAME_KINDS, "f", 2, 0 },
		{ TL_FLAME_KINDS, "[unknown]_[k]", 0, 2 },
		{ TL_FLAME_JAVA, "[unknown]_[j]", 1, 0 },
		{ TL_FLAME_KINDS, "org/apache/Foo", 2, 0 },
		{ TL_FLAME_JAVA, "org/apache/Foo", 1, 0 },
		{ TL_FLAME_JAVA, "std::sort", 0, 2 },
		{ TL_FLAME_JAVA, "/usr/bin/java", 2, 0 },
		{ TL_FLAME_JAVA, "f_[k]", 0, 2 },
		{ TL_FLAME_HOT, "f", 0, 2 },
		{ TL_FLAME_MEM, "f", 1, 0 },
		{ TL_FLAME_IO, "f", 2, 0 },
		{ TL_FLAME_SLEEPS, "f_[w]", 1, 0 },
	};
	char colour[8];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(samples); i++) {
		struct tl_flame *f = new_flame();

		paint(f, samples[i].palette);
		add(f, samples[i].name, 1000);
		colour_in(f, samples[i].name, colour);
		expect_hue(colour, samples[i].most, samples[i].least);
		end(f);
	}
}

/* As WCAG 2 has it: of a channel, 0 to 255. */
static double linear(unsigned int value)
{
	double part = value / 255.0;

	return part <= .04045 ? part / 12.92 : pow((part + .055) / 1.055, 2.4);
}

static double luminance(const char *colour)
{
	return .2126 * linear(part(colour, 0)) +
	       .7152 * linear(part(colour, 1)) +
	       .0722 * linear(part(colour, 2));
}

/* Of text on each of the frames; returns how many there are. */
static unsigned int expect_contrast(struct tl_flame *f)
{
	char *text = svg(f);
	const char *at = text;
	unsigned int count = 0;

	while ((at = find(at, "<rect x="))) {
		at = find(at, "fill=\"") + strlen("fill=\"");
		assert_true((luminance(at) + .05) /
				    (luminance("#111111") + .05) >
			    4.5);
		count++;
	}
	free(text);
	return count;
}

/* In all palettes text can be read, as WCAG 2 asks at its level AA. */
static void test_contrast(void **state)
{
	struct tl_flame *f = new_flame(), *old = new_flame();
	struct tl_flame_gone gone;
	unsigned int i, palette;
	char name[32];

	(void)state;
	for (i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "f%u%s", i,
			 i % 5 ? &"_[k]\0_[j]\0_[i]\0_[w]"[i % 5 * 5 - 5] : "");
		add(f, name, 1000);
		add(old, name, i);
	}
	for (palette = TL_FLAME_NAMES; palette <= TL_FLAME_IO; palette++) {
		paint(f, palette);
		assert_int_equal(expect_contrast(f), 1001);
	}
	add(f, "f0", 100000);
	add(old, "f5", 100000);
	tl_flame_compare(f, old, false, &gone);
	assert_int_equal(expect_contrast(f), 1001);
	end(f);
	end(old);
}

/* ---- other pictures --------------------------------------------------- */

static const struct tl_flame_look samples_look = { .unit = "samples" };

static void test_other_units(void **state)
{
	static const struct {
		const char *unit;
		uint64_t amount, parts;
		const char *shown;
	} samples[] = {
		{ "samples", 12345, 1, "f (12345 samples, " },
		{ "samples", 1500, 1000, "f (1.500 samples, " },
		{ "samples", 1, 1, "f (1 sample, " },
		{ "samples", 1000, 1000, "f (1.000 samples, " },
		{ "<b>", 1, 1, "f (1 &#60;b&#62;, " },
		{ "ns", 12345, 1, "f (12.35 us, " },
		{ "us", 12345, 1, "f (12.35 ms, " },
		{ "us", 12, 1000, "f (12 ns, " },
		{ "ms", 1, 1, "f (1.000 ms, " },
		{ "s", 86400, 1, "f (86400.0 s, " },
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(samples); i++) {
		const struct tl_flame_look look = { .unit = samples[i].unit };
		struct tl_flame *f = new_flame();
		char *text;

		tl_flame_look(f, &look);
		f->parts = samples[i].parts;
		add(f, "f", samples[i].amount);
		text = svg(f);
		assert_int_equal(occurs(text, samples[i].shown), 1);
		free(text);
		end(f);
	}
}

/* What is behind names makes other frames of them, and is not seen. */
static void test_annotated(void **state)
{
	struct tl_flame_look look = samples_look;
	struct tl_flame *f = new_flame();
	char *text;

	(void)state;
	add(f, "main;read_[k]", 30);
	add(f, "main;read", 20);
	add(f, "main;read_[x]", 40);
	add(f, "_[k]", 10);
	text = svg(f);
	assert_int_equal(occurs(text, ">read_[k]<"), 1);
	free(text);
	look.annotated = true;
	tl_flame_look(f, &look);
	text = svg(f);
	assert_int_equal(occurs(text, "read_[k]"), 0);
	assert_int_equal(occurs(text, "<title>read (30 samples, 30.00%)"), 1);
	assert_int_equal(occurs(text, "<title>read (20 samples, 20.00%)"), 1);
	assert_int_equal(occurs(text, ">read<"), 2);
	assert_int_equal(occurs(text, ">read_[x]<"), 1);
	assert_int_equal(occurs(text, ">_[k]<"), 1);
	free(text);
	end(f);
}

/* The root is on top, and the arrows go the other way. */
static void test_inverted(void **state)
{
	struct tl_flame_look look = { .inverted = true };
	struct tl_flame *f = new_flame();
	char *text;

	(void)state;
	add(f, "a;b", 1000);
	text = svg(f);
	assert_int_equal(occurs(text, "data-inverted"), 1);
	free(text);
	tl_flame_look(f, &look);
	text = svg(f);
	assert_non_null(find(find(text, "<title>all ("), "y=\"120\""));
	assert_non_null(find(find(text, "<title>a ("), "y=\"138\""));
	assert_non_null(find(find(text, "<title>b ("), "y=\"156\""));
	assert_int_equal(occurs(text, " data-inverted=\"\""), 1);
	free(text);
	end(f);
}

/* Of 1176 pixels; what nothing was counted in never is drawn. */
static void test_least(void **state)
{
	static const struct {
		double least;
		unsigned int drawn;
	} samples[] = { { 0, 5 }, { 1, 3 }, { 1.01, 2 }, { -1, 6 } };
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(samples); i++) {
		struct tl_flame_look look = { .least = samples[i].least };
		struct tl_flame *f = new_flame();
		char *text;

		add(f, "a", 9999);
		add(f, "b", 11760000 - 9999 - 10000 - 1 - 1000);
		add(f, "c", 10000);
		add(f, "d", 1);
		add(f, "e", 0);
		add(f, "b;f", 1000);
		tl_flame_look(f, &look);
		text = svg(f);
		assert_int_equal(occurs(text, "<g data-f="), samples[i].drawn);
		free(text);
		end(f);
	}
}

/* Rounded; what is less than half of one is left out. */
static void test_folded_units(void **state)
{
	struct tl_flame *f = new_flame();
	char *got;

	(void)state;
	add(f, "a", 1499);
	add(f, "b", 1500);
	add(f, "c", 499);
	add(f, "f", 500);
	add(f, "g", 18000);
	got = folded_in(f, false, TL_FORMAT_TEXT, 1000);
	assert_string_equal(got, "a 1\nb 2\nf 1\ng 18\n");
	free(got);
	end(f);
}

static void test_empty(void **state)
{
	struct tl_flame *f = new_flame();
	char *text;

	(void)state;
	add(f, "a;b", 0);
	text = svg(f);
	assert_int_equal(occurs(text, ">nothing was recorded<"), 1);
	assert_int_equal(occurs(text, "<script"), 0);
	assert_int_equal(occurs(text, "<g"), 0);
	assert_string_equal(text + strlen(text) - 7, "</svg>\n");
	free(text);
	text = svg_titled(f, NULL);
	assert_int_equal(occurs(text, "<title></title>"), 1);
	free(text);
	end(f);
}

static void test_script(void **state)
{
	(void)state;
	assert_null(find(tl_flame_script, "]]>"));
	assert_null(strpbrk(tl_flame_style, "<&"));
	assert_null(find(tl_flame_script, "innerHTML"));
}

/* Well-formed, whatever is in it, where somebody can tell. */
static void test_xmllint(void **state)
{
	struct tl_flame *f;
	char path[64], name[4] = "", i = 0;

	(void)state;
	if (!run("xmllint --version 2>xmllint.txt"))
		skip();
	snprintf(path, sizeof(path), "%s/flame.svg", dir);
	f = tl_flame_open(NULL, path);
	assert_non_null(f);
	do {
		const struct tl_str frame = { name, sizeof(name) };

		name[0] = name[2] = name[3] = i;
		name[1] = (char)(i * 7);
		assert_int_equal(tl_flame_add(f, &frame, 1, 1000), 0);
	} while (++i);
	assert_int_equal(tl_flame_end(NULL, f, "<&>\xff", 256, "]]>\1"), 0);
	assert_true(run("xmllint --noout flame.svg"));
	assert_true(run("test $(xmllint --xpath "
			"'count(//*[@data-f])' flame.svg) = 257"));
}

/* ---- the file --------------------------------------------------------- */

static void test_file(void **state)
{
	struct tl_flame *f;
	char path[64], old[100000], *got;
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "%s/file.svg", dir);
	memset(old, 'x', sizeof(old));
	fd = open(path, O_RDWR | O_CREAT, 0600);
	assert_int_equal(write(fd, old, sizeof(old)), sizeof(old));
	f = tl_flame_open(NULL, path);
	assert_non_null(f);
	/* until the end it is what it was */
	got = slurp(fd);
	assert_int_equal(strlen(got), sizeof(old));
	free(got);
	add(f, "a", 1000);
	assert_int_equal(tl_flame_end(NULL, f, "T", 1, "calls"), 0);
	got = slurp(fd);
	assert_int_equal(occurs(got, "<title>a (1.000 us, 100.00%)"), 1);
	assert_string_equal(got + strlen(got) - 7, "</svg>\n");
	free(got);
	close(fd);
}

/* With messages, which nobody is to see here. */
static void test_errors(void **state)
{
	int was = dup(STDERR_FILENO), null = open("/dev/null", O_WRONLY);
	struct rlimit limit, small;
	struct tl_flame *f;
	char path[64];
	struct stat st;

	(void)state;
	dup2(null, STDERR_FILENO);
	assert_null(tl_flame_open(NULL, "/dev/null"));
	assert_null(tl_flame_open(NULL, dir));
	snprintf(path, sizeof(path), "%s/none/f.svg", dir);
	assert_null(tl_flame_open(NULL, path));

	/* what does not fit leaves nothing */
	snprintf(path, sizeof(path), "%s/full.svg", dir);
	f = tl_flame_open(NULL, path);
	assert_non_null(f);
	add(f, "a", 1);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &limit);
	small = limit;
	small.rlim_cur = 1000;
	setrlimit(RLIMIT_FSIZE, &small);
	assert_int_equal(tl_flame_end(NULL, f, "T", 1, "calls"), -EFBIG);
	setrlimit(RLIMIT_FSIZE, &limit);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 0);
	dup2(was, STDERR_FILENO);
	close(was);
	close(null);
}

/* ---- for tests/browser ------------------------------------------------ */

static int draw(const char *path)
{
	struct tl_flame *f = tl_flame_open(NULL, path);
	struct tl_str frames[MAX_FRAMES];
	char *line = NULL, *blank;
	unsigned int depth;
	size_t size = 0;
	int ret = f ? 0 : -1;

	while (!ret && getline(&line, &size, stdin) > 0) {
		blank = strrchr(line, ' ');
		if (!blank)
			continue;
		*blank++ = '\0';
		depth = split(line, frames);
		ret = tl_flame_add(f, frames, depth, strtoull(blank, NULL, 10));
	}
	free(line);
	return f && (tl_flame_end(NULL, f, "A flame graph", 1, "test") || ret);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_recursion),
		cmocka_unit_test(test_zero),
		cmocka_unit_test(test_overflow),
		cmocka_unit_test(test_folded_units),
		cmocka_unit_test(test_palettes),
		cmocka_unit_test(test_palettes_of_profiles),
		cmocka_unit_test(test_contrast),
		cmocka_unit_test(test_other_units),
		cmocka_unit_test(test_annotated),
		cmocka_unit_test(test_inverted),
		cmocka_unit_test(test_least),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_rest),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_deep),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_markup),
		cmocka_unit_test(test_picture),
		cmocka_unit_test(test_narrow),
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_units),
		cmocka_unit_test(test_colours),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_script),
		cmocka_unit_test(test_xmllint),
		cmocka_unit_test(test_file),
		cmocka_unit_test(test_errors),
	};

	if (argc > 1)
		return draw(argv[1]);
	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
