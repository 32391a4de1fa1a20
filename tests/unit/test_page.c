/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_page.c - decoding of sub-buffers: good ones, and every kind of bad one
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "record/page.h"

static const char header_page[] =
	"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
	"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
	"\tfield: char overwrite;\toffset:8;\tsize:1;\tsigned:0;\n"
	"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";

/* A sub-buffer under construction. */
struct build {
	union {
		char bytes[4096 + TL_PAGE_SLACK];
		uint64_t align;
	};
	unsigned int len; /* of the data */
};

static void begin(struct build *b, uint64_t ns)
{
	memset(b, 0, sizeof(*b));
	memcpy(b->bytes, &ns, sizeof(ns));
}

static void word(struct build *b, uint32_t w)
{
	memcpy(b->bytes + 16 + b->len, &w, sizeof(w));
	b->len += sizeof(w);
}

static void event(struct build *b, unsigned int type, uint32_t delta)
{
	word(b, type | delta << 5);
}

static void commit(struct build *b, uint64_t flags)
{
	uint64_t c = b->len | flags;

	memcpy(b->bytes + 8, &c, sizeof(c));
}

static struct tl_page_layout layout(void)
{
	struct tl_page_layout l;

	assert_int_equal(tl_page_layout(header_page, &l), 0);
	return l;
}

static struct tl_page load(struct build *b)
{
	struct tl_page_layout l = layout();
	struct tl_page p;

	tl_page_init(&p);
	assert_int_equal(tl_page_load(&p, &l, b->bytes, 4096), 0);
	return p;
}

static void test_layout(void **state)
{
	struct tl_page_layout l = layout();

	(void)state;
	assert_int_equal(l.size, 4096);
	assert_int_equal(l.commit, 8);
	assert_int_equal(l.commit_size, 8);
	assert_int_equal(l.data, 16);
	assert_int_equal(tl_page_layout("", &l), -EINVAL);
	assert_int_equal(tl_page_layout(" commit; offset:8; size:3;\n"
					" data; offset:16; size:4080;",
					&l),
			 -EINVAL);
	assert_int_equal(tl_page_layout(" commit; offset:8; size:8;\n"
					" data; offset:12; size:4080;",
					&l),
			 -EINVAL);
}

static void test_small_and_large_records(void **state)
{
	struct build b;
	struct tl_page p;
	struct tl_record e;

	(void)state;
	begin(&b, 1000);
	event(&b, 2, 5); /* two words */
	word(&b, 0x11111111);
	word(&b, 0x22222222);
	event(&b, 0, 7); /* the length counts its own word */
	word(&b, 12);
	word(&b, 0x33333333);
	word(&b, 0x44444444);
	commit(&b, 0);
	p = load(&b);
	assert_int_equal(tl_page_next(&p, &e), 1);
	assert_int_equal(e.ns, 1005);
	assert_int_equal(e.size, 8);
	assert_memory_equal(e.data, "\x11\x11\x11\x11\x22\x22\x22\x22", 8);
	assert_int_equal(tl_page_next(&p, &e), 1);
	assert_int_equal(e.ns, 1012);
	assert_int_equal(e.size, 8);
	assert_memory_equal(e.data, "\x33\x33\x33\x33\x44\x44\x44\x44", 8);
	assert_int_equal(tl_page_next(&p, &e), 0);
	assert_int_equal(tl_page_next(&p, &e), 0);
}

static void test_times(void **state)
{
	struct build b;
	struct tl_page p;
	struct tl_record e;

	(void)state;
	begin(&b, 1ULL << 60 | 100);
	event(&b, 30, 3); /* extend: 2 << 27, and 3 */
	word(&b, 2);
	event(&b, 1, 4);
	word(&b, 0);
	event(&b, 29, 10); /* discarded, two words; its time counts */
	word(&b, 8);
	word(&b, 0);
	event(&b, 1, 1);
	word(&b, 0);
	event(&b, 31, 9); /* absolute: the page's upper bits stay */
	word(&b, 1 << 20);
	event(&b, 1, 0);
	word(&b, 0);
	commit(&b, 0);
	p = load(&b);
	assert_int_equal(tl_page_next(&p, &e), 1);
	assert_true(e.ns == (1ULL << 60 | 100) + (2ULL << 27) + 3 + 4);
	assert_int_equal(tl_page_next(&p, &e), 1);
	assert_true(e.ns == (1ULL << 60 | 100) + (2ULL << 27) + 18);
	assert_int_equal(tl_page_next(&p, &e), 1);
	assert_true(e.ns == (1ULL << 60 | 1ULL << 47 | 9));
	assert_int_equal(tl_page_next(&p, &e), 0);
}

static void test_rest_is_padding(void **state)
{
	struct build b;
	struct tl_page p;
	struct tl_record e;

	(void)state;
	begin(&b, 1);
	event(&b, 1, 0);
	word(&b, 0);
	event(&b, 29, 0);
	b.len = 4080;
	commit(&b, 0);
	p = load(&b);
	assert_int_equal(tl_page_next(&p, &e), 1);
	assert_int_equal(tl_page_next(&p, &e), 0);
}

static void test_lost(void **state)
{
	struct tl_page_layout l = layout();
	uint64_t count = 16728;
	struct tl_page p;
	struct build b;

	(void)state;
	tl_page_init(&p);
	begin(&b, 1);
	event(&b, 1, 0);
	word(&b, 0);
	commit(&b, 1ULL << 31);
	assert_int_equal(load(&b).lost, -1);
	/* the count stands behind the data */
	memcpy(b.bytes + 16 + b.len, &count, sizeof(count));
	commit(&b, 1ULL << 31 | 1ULL << 30);
	assert_int_equal(load(&b).lost, 16728);
	/* and is missing where there was no room for it */
	b.len = 4076;
	commit(&b, 1ULL << 31 | 1ULL << 30);
	assert_int_equal(load(&b).lost, -1);
	/* what a sub-buffer without records says is not forgotten */
	p.lost = 5;
	commit(&b, 0);
	assert_int_equal(tl_page_load(&p, &l, b.bytes, 4096), 0);
	assert_int_equal(p.lost, 5);
}

static void expect_bad(struct build *b)
{
	struct tl_record e;
	struct tl_page p;

	commit(b, 0);
	p = load(b);
	assert_int_equal(tl_page_next(&p, &e), -EBADMSG);
}

static void test_bad_lengths(void **state)
{
	struct tl_page_layout l = layout();
	struct tl_page p;
	struct build b;

	(void)state;
	tl_page_init(&p);
	begin(&b, 1);
	event(&b, 28, 0); /* longer than what is left */
	expect_bad(&b);
	begin(&b, 1);
	event(&b, 0, 0); /* no room for the length */
	expect_bad(&b);
	begin(&b, 1);
	event(&b, 0, 0);
	word(&b, 3); /* less than the length's own size */
	expect_bad(&b);
	begin(&b, 1);
	event(&b, 0, 0);
	word(&b, 0xffffffff);
	expect_bad(&b);
	begin(&b, 1);
	event(&b, 29, 1);
	word(&b, 0xfffffff0);
	expect_bad(&b);
	begin(&b, 1);
	event(&b, 30, 1);
	expect_bad(&b);
	begin(&b, 1);
	b.len = 4081; /* more than a sub-buffer holds */
	commit(&b, 0);
	assert_int_equal(tl_page_load(&p, &l, b.bytes, 4096), -EBADMSG);
	b.len = 0;
	commit(&b, 0);
	assert_int_equal(tl_page_load(&p, &l, b.bytes, 15), -EBADMSG);
	assert_int_equal(tl_page_load(&p, &l, b.bytes, 4097), -EBADMSG);
}

/*
 * With the number of lost ones behind the data, of which is not known if it is
 * there.
 */
static void test_used(void **state)
{
	const struct tl_page_layout l = layout();
	struct build b;

	(void)state;
	begin(&b, 1);
	commit(&b, 0);
	assert_int_equal(tl_page_used(&l, b.bytes, 4096), 24);
	event(&b, 1, 0);
	word(&b, 7);
	commit(&b, 0);
	assert_int_equal(tl_page_used(&l, b.bytes, 4096), 32);
	commit(&b, 3UL << 30); /* lost and counted */
	assert_int_equal(tl_page_used(&l, b.bytes, 4096), 32);
	/* never more than there is */
	assert_int_equal(tl_page_used(&l, b.bytes, 28), 28);
	b.len = 4080;
	commit(&b, 0);
	assert_int_equal(tl_page_used(&l, b.bytes, 4096), 4096);
	b.len = 1 << 29;
	commit(&b, 0);
	assert_int_equal(tl_page_used(&l, b.bytes, 4096), 4096);
}

/* ---- made here -------------------------------------------------------- */

static void add(struct tl_page_writer *w, uint64_t ns, const char *text)
{
	char *to = tl_page_add(w, ns, strlen(text) + 1);

	assert_non_null(to);
	strcpy(to, text);
}

static void expect(struct tl_page *p, uint64_t ns, const char *text)
{
	struct tl_record r;

	assert_int_equal(tl_page_next(p, &r), 1);
	assert_int_equal(r.ns, ns);
	assert_true(r.size >= strlen(text) + 1);
	assert_string_equal(r.data, text);
}

/* Times that need more bits than a record has for them, and one that goes back. */
static void test_written(void **state)
{
	const struct tl_page_layout l = layout();
	struct tl_page_writer w;
	struct tl_page p;
	struct build b;

	tl_page_init(&p);
	tl_page_write(&w, &l, b.bytes);
	assert_int_equal(tl_page_written(&w, 3), 0);
	add(&w, 5000000000, "first");
	add(&w, 5000000000 + (1U << 27) - 1, "as far as it goes");
	add(&w, 5000000000 + (2U << 27) - 1, "further");
	add(&w, 900000000000, "much further");
	add(&w, 800000000000, "from before");
	add(&w, 900000000001, "last");
	assert_int_equal(tl_page_load(&p, &l, b.bytes, tl_page_written(&w, 0)),
			 0);
	assert_int_equal(p.lost, 0);
	expect(&p, 5000000000, "first");
	expect(&p, 5000000000 + (1U << 27) - 1, "as far as it goes");
	expect(&p, 5000000000 + (2U << 27) - 1, "further");
	expect(&p, 900000000000, "much further");
	expect(&p, 900000000000, "from before");
	expect(&p, 900000000001, "last");
	assert_int_equal(tl_page_next(&p, &(struct tl_record){ 0 }), 0);
}

static void test_written_behind_a_loss(void **state)
{
	const struct tl_page_layout l = layout();
	static const int64_t losses[] = { -1, 1, 7654321 };
	struct tl_page_writer w;
	struct tl_page p;
	struct build b;
	size_t i;

	for (i = 0; i < sizeof(losses) / sizeof(losses[0]); i++) {
		tl_page_init(&p);
		tl_page_write(&w, &l, b.bytes);
		add(&w, 1, "x");
		assert_int_equal(tl_page_load(&p, &l, b.bytes,
					      tl_page_written(&w, losses[i])),
				 0);
		assert_int_equal(p.lost, losses[i]);
		expect(&p, 1, "x");
	}
}

/* Full to the last byte that is not for the number of lost ones. */
static void test_written_full(void **state)
{
	const struct tl_page_layout l = layout();
	struct tl_page_writer w;
	struct tl_record r;
	struct tl_page p;
	struct build b;
	unsigned int n = 0, size;

	for (size = 1; size < 200; size++) {
		tl_page_init(&p);
		tl_page_write(&w, &l, b.bytes);
		for (n = 0; tl_page_add(&w, n << 26, size); n++)
			;
		assert_true(tl_page_written(&w, 1) <= l.size);
		assert_int_equal(
			tl_page_load(&p, &l, b.bytes, tl_page_written(&w, 1)),
			0);
		for (; tl_page_next(&p, &r) == 1; n--)
			assert_true(r.size >= size);
		assert_int_equal(n, 0);
	}
	tl_page_write(&w, &l, b.bytes);
	assert_null(tl_page_add(&w, 0, l.size));
	assert_null(tl_page_add(&w, 0, SIZE_MAX));
	assert_true(w.is_empty);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout),
		cmocka_unit_test(test_small_and_large_records),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_rest_is_padding),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_bad_lengths),
		cmocka_unit_test(test_used),
		cmocka_unit_test(test_written),
		cmocka_unit_test(test_written_behind_a_loss),
		cmocka_unit_test(test_written_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
