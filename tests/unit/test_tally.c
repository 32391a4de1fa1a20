/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_tally.c - counting of numbers, and straight from sub-buffers */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/part.h"
#include "record/tally.h"
#include "tracelet/tallies.h"
#include "tracelet/who.h"

static void add_up(void *ctx, uint64_t key, uint64_t count)
{
	uint64_t *sum = ctx;

	sum[0]++;
	sum[1] += count;
	sum[2] += key * count;
}

/* Many more than the first table has room for, each as often as its number. */
static void many_keys(void **state)
{
	struct tl_tally *t = tl_tally_new();
	const uint64_t step = 0x10, n = 5000;
	uint64_t i, sum[3] = { 0 }, keys = 0;

	(void)state;
	for (i = 1; i <= n; i++) {
		tl_tally_add(t, i * step, i - 1);
		tl_tally_add(t, i * step, 1);
		keys += i * step * i;
	}
	for (i = 1; i <= n; i++)
		assert_int_equal(tl_tally_count(t, i * step), i);
	assert_int_equal(tl_tally_count(t, 1), 0);
	tl_tally_each(t, add_up, sum);
	assert_int_equal(sum[0], n);
	assert_int_equal(sum[1], n * (n + 1) / 2);
	assert_int_equal(sum[2], keys);
	assert_int_equal(tl_tally_refused(t), 0);
	tl_tally_clear(t);
	assert_int_equal(tl_tally_count(t, step), 0);
	memset(sum, 0, sizeof(sum));
	tl_tally_each(t, add_up, sum);
	assert_int_equal(sum[0], 0);
	tl_tally_free(t);
}

static void keys_of_all_kinds(void **state)
{
	static const uint64_t keys[] = { 0, 1, UINT64_MAX, 1ULL << 63 };
	struct tl_tally *t = tl_tally_new();
	size_t i;

	(void)state;
	tl_tally_add(t, 7, 0); /* not at all: it did not come */
	for (i = 0; i < 4; i++)
		tl_tally_add(t, keys[i], i + 1);
	for (i = 0; i < 4; i++)
		assert_int_equal(tl_tally_count(t, keys[i]), i + 1);
	assert_int_equal(tl_tally_count(t, 7), 0);
	tl_tally_free(t);
	tl_tally_free(NULL);
}

/* ---- sub-buffers ------------------------------------------------------ */

/* Records of a function tracer: type, flags, thread, address, caller. */
struct call {
	uint16_t id;
	uint16_t flags;
	int32_t pid;
	uint64_t ip, parent;
};

static const struct tl_page_layout layout = { 4096, 8, 8, 16 };

struct build {
	char bytes[4096 + TL_PAGE_SLACK];
	size_t len;
};

static void begin(struct build *b, uint64_t ns)
{
	memset(b, 0, sizeof(*b));
	memcpy(b->bytes, &ns, 8);
	b->len = 16;
}

static void add(struct build *b, uint32_t delta, const void *data, size_t size)
{
	uint32_t header = (uint32_t)(size / 4) | delta << 5;

	memcpy(b->bytes + b->len, &header, 4);
	memcpy(b->bytes + b->len + 4, data, size);
	b->len += 4 + size;
}

static void add_call(struct build *b, uint32_t delta, uint16_t id, int32_t pid,
		     uint64_t ip)
{
	const struct call c = { id, 0, pid, ip, 1 };

	add(b, delta, &c, sizeof(c));
}

static struct tl_page load(struct build *b)
{
	uint64_t commit = b->len - 16;
	struct tl_page p;

	memcpy(b->bytes + 8, &commit, 8);
	tl_page_init(&p);
	assert_int_equal(tl_page_load(&p, &layout, b->bytes, 4096), 0);
	return p;
}

static struct tl_tallied tallied(void)
{
	return (struct tl_tallied){
		.tally = tl_tally_new(),
		.by = { .offset = 8, .size = 8 },
		.pid = { .offset = 4, .size = 4 },
		.id = 5,
		.self = 99,
	};
}

/* What it leaves is what tl_page_next() gives. */
static void expect_next(struct tl_page *p, uint64_t ns, uint32_t size)
{
	struct tl_record r;

	assert_int_equal(tl_page_next(p, &r), 1);
	assert_int_equal(r.ns, ns);
	assert_int_equal(r.size, size);
}

static void runs(void **state)
{
	struct tl_tallied what = tallied();
	struct tl_record r;
	struct tl_page p;
	struct build b;

	(void)state;
	begin(&b, 1000);
	add_call(&b, 1, 5, 1, 0xa);
	add_call(&b, 2, 5, 1, 0xb);
	add_call(&b, 3, 5, 99, 0xa); /* the tool's own */
	add_call(&b, 4, 5, 2, 0xa);
	add_call(&b, 5, 6, 2, 0xa); /* another event */
	add_call(&b, 6, 5, 2, 0xa);
	p = load(&b);
	assert_int_equal(tl_page_next(&p, &r), 1);
	assert_int_equal(tl_tally_run(&what, &p, &r, UINT64_MAX), 4);
	assert_int_equal(tl_tally_count(what.tally, 0xa), 2);
	assert_int_equal(tl_tally_count(what.tally, 0xb), 1);
	expect_next(&p, 1015, sizeof(struct call));
	expect_next(&p, 1021, sizeof(struct call));
	assert_int_equal(tl_page_next(&p, &r), 0);
	tl_tally_free(what.tally);
}

static void until(void **state)
{
	struct tl_tallied what = tallied();
	struct tl_record r;
	struct tl_page p;
	struct build b;

	(void)state;
	begin(&b, 0);
	add_call(&b, 10, 5, 1, 0xa);
	add_call(&b, 10, 5, 1, 0xa);
	add_call(&b, 10, 5, 1, 0xa);
	p = load(&b);
	assert_int_equal(tl_page_next(&p, &r), 1);
	assert_int_equal(tl_tally_run(&what, &p, &r, 29), 2);
	expect_next(&p, 30, sizeof(struct call));
	assert_int_equal(tl_tally_count(what.tally, 0xa), 2);
	tl_tally_free(what.tally);
}

/* Another size, a time that is extended, the end, and what it promises. */
static void ends_of_runs(void **state)
{
	struct tl_tallied what = tallied();
	const uint32_t extend[] = { 1 };
	uint32_t header = 30 | 7U << 5;
	struct call longer[2] = { { .id = 5, .pid = 1, .ip = 0xc } };
	struct tl_record r;
	struct tl_page p;
	struct build b;

	(void)state;
	begin(&b, 0);
	add_call(&b, 1, 5, 1, 0xa);
	memcpy(b.bytes + b.len, &header, 4);
	memcpy(b.bytes + b.len + 4, extend, 4);
	b.len += 8;
	add_call(&b, 1, 5, 1, 0xa);
	add(&b, 1, longer, sizeof(longer));
	add_call(&b, 1, 5, 1, 0xa);
	b.len -= 4; /* not all of it is there */
	p = load(&b);
	assert_int_equal(tl_page_next(&p, &r), 1);
	assert_int_equal(tl_tally_run(&what, &p, &r, UINT64_MAX), 1);
	assert_int_equal(tl_page_next(&p, &r), 1);
	assert_int_equal(r.ns, (1 << 27) + 9);
	assert_int_equal(tl_tally_run(&what, &p, &r, UINT64_MAX), 1);
	assert_int_equal(tl_page_next(&p, &r), 1);
	assert_int_equal(r.size, sizeof(longer));
	assert_int_equal(tl_tally_run(&what, &p, &r, UINT64_MAX), 1);
	assert_int_equal(tl_tally_count(what.tally, 0xa), 2);
	assert_int_equal(tl_tally_count(what.tally, 0xc), 1);
	assert_true(tl_page_next(&p, &r) < 0);
	tl_tally_free(what.tally);
}

/* A record so long that its length is elsewhere is counted alone. */
static void large_records(void **state)
{
	struct tl_tallied what = tallied();
	char data[4 * 30] = { 5 };
	struct tl_record r = { .data = data, .size = sizeof(data) };
	struct tl_page p;
	struct build b;

	(void)state;
	begin(&b, 0);
	/* type 30 is no length, but an extended time */
	add(&b, 0, data, sizeof(data));
	p = load(&b);
	assert_int_equal(tl_tally_run(&what, &p, &r, UINT64_MAX), 1);
	assert_ptr_equal(p.at, b.bytes + 16);
	tl_tally_free(what.tally);
}

static void see(void *ctx, const struct tl_who *who, uint64_t key,
		uint64_t count)
{
	assert_string_equal(who->comm, "");
	add_up(ctx, key, count);
}

/* By nothing all threads have one, which stays when it is cleared. */
static void by_nothing(void **state)
{
	struct tl_session s = { 0 };
	struct tl_tallies *t = tl_tallies_open(&s, TL_BY_NOTHING, 10);
	struct tl_tally *all = tl_tallies_of(&s, t, 0);
	uint64_t sum[3] = { 0 };

	(void)state;
	tl_tally_add(tl_tallies_of(&s, t, 1), 4, 1);
	tl_tally_add(tl_tallies_of(&s, t, 2), 4, 2);
	assert_true(tl_tallies_each(t, see, sum));
	assert_int_equal(sum[0], 1);
	assert_int_equal(sum[1], 3);
	tl_tallies_clear(t);
	tl_parts_task(&s, 1, TL_TASK_RENAMED, 0);
	assert_ptr_equal(tl_tallies_of(&s, t, 1), all);
	assert_true(tl_tallies_each(t, see, sum));
	assert_int_equal(sum[0], 1);
	tl_parts_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_keys),
		cmocka_unit_test(keys_of_all_kinds),
		cmocka_unit_test(runs),
		cmocka_unit_test(until),
		cmocka_unit_test(ends_of_runs),
		cmocka_unit_test(large_records),
		cmocka_unit_test(by_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
