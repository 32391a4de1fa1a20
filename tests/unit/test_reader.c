/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_reader.c - the merge: order, watermark, losses, errors */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "record/reader.h"

#define STREAMS 5
#define PAGES   64

/* Sub-buffers that wait in each stream, with one record per given time. */
struct fake {
	char pages[STREAMS][PAGES][4096];
	unsigned int count[STREAMS], taken[STREAMS];
	int error;
	uint64_t last;
	unsigned int given, inversions, lost_cpu;
	int64_t lost;
	unsigned int gaps, gap_cpu;
	uint64_t gap_after; /* the last record before it */
	uint64_t gap_ns, lost_ns;
};

static ssize_t take(void *ctx, unsigned int stream, void *buf, size_t size)
{
	struct fake *f = ctx;

	if (f->error)
		return f->error;
	if (f->taken[stream] == f->count[stream])
		return 0;
	memcpy(buf, f->pages[stream][f->taken[stream]++], size);
	return size;
}

static unsigned int cpu(void *ctx, unsigned int stream)
{
	(void)ctx;
	return stream * 2; /* numbers have gaps */
}

static int run(void *ctx, struct tl_page *page, struct tl_record *e,
	       uint64_t until)
{
	struct fake *f = ctx;
	int ret;

	do {
		assert_int_equal(e->cpu % 2, 0);
		f->inversions += e->ns < f->last;
		f->last = e->ns;
		f->given++;
	} while ((ret = tl_page_next(page, e)) > 0 && e->ns <= until);
	return ret;
}

static void gap(void *ctx, unsigned int from, uint64_t ns)
{
	struct fake *f = ctx;

	f->gap_cpu = from;
	f->gap_after = f->last;
	f->gap_ns = ns;
	f->gaps++;
}

static void lost(void *ctx, unsigned int from, uint64_t ns, int64_t count)
{
	struct fake *f = ctx;

	f->lost_cpu = from;
	f->lost = count;
	f->lost_ns = ns;
}

static const struct tl_reader_ops ops = { .run = run,
					  .gap = gap,
					  .lost = lost };

static void add(struct fake *f, unsigned int stream, const uint64_t *times,
		unsigned int n, uint64_t flags)
{
	char *page = f->pages[stream][f->count[stream]++];
	uint32_t event[2];
	uint64_t commit = n * 8ULL | flags;
	unsigned int i;

	memcpy(page, &times[0], 8);
	memcpy(page + 8, &commit, 8);
	for (i = 0; i < n; i++) {
		event[0] = 1 | (uint32_t)(i ? times[i] - times[i - 1] : 0) << 5;
		event[1] = 0;
		memcpy(page + 16 + (size_t)i * 8, event, 8);
	}
}

static struct tl_page_source source_of(struct fake *f)
{
	return (struct tl_page_source){ .ctx = f,
					.streams = STREAMS,
					.layout = { 4096, 8, 8, 16 },
					.take = take,
					.cpu = cpu };
}

static void test_watermark(void **state)
{
	struct fake *f = calloc(1, sizeof(*f));
	struct tl_page_source source = source_of(f);
	struct tl_reader *r = tl_reader_new(&source, &ops, f);

	(void)state;
	add(f, 0, (uint64_t[]){ 10, 30, 50 }, 3, 0);
	add(f, 3, (uint64_t[]){ 20, 40 }, 2, 0);
	assert_int_equal(tl_reader_pass(r, 35), 1);
	assert_int_equal(f->given, 3);
	assert_true(tl_reader_pending(r));
	/* a quiet processor's record, from before what is held */
	add(f, 4, (uint64_t[]){ 36 }, 1, 0);
	assert_int_equal(tl_reader_pass(r, 45), 1);
	assert_int_equal(f->given, 5);
	assert_int_equal(tl_reader_pass(r, 45), 0);
	assert_true(tl_reader_pending(r));
	assert_int_equal(tl_reader_pass(r, UINT64_MAX), 1);
	assert_false(tl_reader_pending(r));
	assert_int_equal(f->inversions, 0);
	assert_int_equal(f->given, 6);
	tl_reader_free(r);
	free(f);
}

static void test_many(void **state)
{
	struct fake *f = calloc(1, sizeof(*f));
	struct tl_page_source source = source_of(f);
	struct tl_reader *r = tl_reader_new(&source, &ops, f);
	uint64_t next[STREAMS] = { 0 }, times[100];
	unsigned int i, j, s;

	(void)state;
	srand(1);
	for (i = 0; i < PAGES; i++) {
		for (s = 0; s < STREAMS; s++) {
			for (j = 0; j < 100; j++)
				times[j] = next[s] += rand() % (s * 50 + 2);
			add(f, s, times, 100, 0);
		}
	}
	assert_int_equal(tl_reader_pass(r, UINT64_MAX), 1);
	assert_int_equal(f->given, PAGES * STREAMS * 100);
	assert_int_equal(f->inversions, 0);
	assert_int_equal(tl_reader_busiest(r), PAGES);
	tl_reader_free(r);
	free(f);
}

/* Each stream's together; the watermark and what is held are as ever. */
static void test_unordered(void **state)
{
	struct fake *f = calloc(1, sizeof(*f));
	struct tl_page_source source = source_of(f);
	struct tl_reader *r = tl_reader_new(&source, &ops, f);

	(void)state;
	tl_reader_unordered(r);
	add(f, 0, (uint64_t[]){ 10, 30, 50 }, 3, 0);
	add(f, 3, (uint64_t[]){ 20, 40, 41 }, 3, 0);
	assert_int_equal(tl_reader_pass(r, 40), 1);
	assert_int_equal(f->given, 4);
	assert_int_equal(f->inversions, 1); /* 10 30, 20 40 */
	assert_true(tl_reader_pending(r));
	assert_int_equal(tl_reader_pass(r, 40), 0);
	assert_int_equal(tl_reader_pass(r, UINT64_MAX), 1);
	assert_int_equal(f->given, 6);
	assert_false(tl_reader_pending(r));
	tl_reader_free(r);
	free(f);
}

/* The mark comes before the first record behind the gap, once. */
static void test_lost(void **state)
{
	struct fake *f = calloc(1, sizeof(*f));
	struct tl_page_source source = source_of(f);
	struct tl_reader *r = tl_reader_new(&source, &ops, f);

	(void)state;
	add(f, 1, (uint64_t[]){ 10 }, 1, 0);
	add(f, 2, (uint64_t[]){ 20, 21 }, 2, 1ULL << 31);
	assert_int_equal(tl_reader_pass(r, 15), 1);
	assert_int_equal(f->lost, 0);
	/* known as soon as the page is there: others' records may be in it */
	assert_int_equal(f->gaps, 1);
	assert_int_equal(f->gap_cpu, 4);
	assert_int_equal(f->gap_after, 0);
	assert_int_equal(f->gap_ns, 0);
	assert_int_equal(tl_reader_pass(r, 20), 1);
	assert_int_equal(f->gaps, 1);
	assert_int_equal(f->lost, -1);
	assert_int_equal(f->lost_cpu, 4);
	assert_int_equal(f->lost_ns, 20);
	f->lost = 0;
	assert_int_equal(tl_reader_pass(r, 30), 1);
	assert_int_equal(f->lost, 0);
	add(f, 2, (uint64_t[]){ 40 }, 1, 1ULL << 31);
	assert_int_equal(tl_reader_pass(r, 50), 1);
	assert_int_equal(f->gap_ns, 21);
	assert_int_equal(f->lost_ns, 40);
	tl_reader_free(r);
	free(f);
}

static void test_errors(void **state)
{
	struct fake *f = calloc(1, sizeof(*f));
	struct tl_page_source source = source_of(f);
	struct tl_reader *r = tl_reader_new(&source, &ops, f);
	uint64_t commit = 100000;

	(void)state;
	f->error = -EIO;
	assert_int_equal(tl_reader_pass(r, 1), -EIO);
	f->error = 0;
	add(f, 0, (uint64_t[]){ 1 }, 1, 0);
	memcpy(f->pages[0][0] + 8, &commit, 8);
	assert_int_equal(tl_reader_pass(r, UINT64_MAX), -EBADMSG);
	tl_reader_free(r);
	free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_watermark), cmocka_unit_test(test_many),
		cmocka_unit_test(test_unordered), cmocka_unit_test(test_lost),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
