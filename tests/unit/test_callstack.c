/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_callstack.c - calls that are going on, of each thread */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "call/callstack.h"

static const char outer[] = "outer", inner[] = "inner";

static void test_nested(void **state)
{
	struct tl_callstacks *f = tl_callstacks_new();
	struct tl_frame *frame;
	unsigned int depth;

	(void)state;
	tl_callstacks_push(f, 1, outer, 10);
	tl_callstacks_push(f, 2, outer, 15);
	tl_callstacks_push(f, 1, inner, 20);
	tl_callstacks_push(f, 1, inner, 30);
	frame = tl_callstacks_pop(f, 1, inner, &depth);
	assert_int_equal(frame->start, 30);
	assert_int_equal(depth, 2);
	frame = tl_callstacks_pop(f, 1, inner, &depth);
	assert_int_equal(frame->start, 20);
	frame = tl_callstacks_pop(f, 1, outer, &depth);
	assert_int_equal(frame->start, 10);
	assert_int_equal(depth, 0);
	/* it began before there was anybody to see it */
	assert_null(tl_callstacks_pop(f, 1, outer, &depth));
	assert_null(tl_callstacks_pop(f, 3, outer, &depth));
	assert_null(tl_callstacks_pop(f, 2, inner, &depth));
	assert_int_equal(tl_callstacks_pop(f, 2, outer, &depth)->start, 15);
	tl_callstacks_free(f);
}

/* What is inside of a call that returns will not return any more. */
static void test_missed_return(void **state)
{
	struct tl_callstacks *f = tl_callstacks_new();
	unsigned int depth;

	(void)state;
	tl_callstacks_push(f, 1, outer, 10);
	tl_callstacks_push(f, 1, inner, 20);
	assert_int_equal(tl_callstacks_pop(f, 1, outer, &depth)->start, 10);
	assert_null(tl_callstacks_pop(f, 1, inner, &depth));
	tl_callstacks_free(f);
}

static void test_deep(void **state)
{
	struct tl_callstacks *f = tl_callstacks_new();
	struct tl_record r = { .data = "record", .size = 7 };
	unsigned int depth;
	uint64_t i;

	(void)state;
	tl_callstacks_push(f, 1, outer, 5);
	for (i = 0; i < 1000; i++)
		assert_true(
			tl_frame_keep(tl_callstacks_push(f, 1, inner, i), &r));
	assert_null(tl_callstacks_pop(f, 1, outer, &depth));
	assert_int_equal(tl_callstacks_pop(f, 1, inner, &depth)->start, 999);
	assert_int_equal(depth, 255);
	assert_int_equal(tl_callstacks_pop(f, 1, inner, &depth)->start, 998);
	tl_callstacks_free(f);
}

static void test_kept_record(void **state)
{
	struct tl_callstacks *f = tl_callstacks_new();
	char data[] = "first";
	struct tl_record r = { .data = data, .size = sizeof(data), .pid = 7 };
	struct tl_frame *frame;
	unsigned int depth;

	(void)state;
	assert_true(tl_frame_keep(tl_callstacks_push(f, 1, outer, 1), &r));
	memset(data, 0, sizeof(data));
	frame = tl_callstacks_pop(f, 1, outer, &depth);
	assert_string_equal(frame->entry.data, "first");
	assert_int_equal(frame->entry.pid, 7);
	/* the next call in its place has none, unless it is given one */
	frame = tl_callstacks_push(f, 1, outer, 2);
	assert_null(frame->entry.data);
	tl_callstacks_free(f);
}

static void test_forgotten(void **state)
{
	struct tl_callstacks *f = tl_callstacks_new();
	unsigned int depth;

	(void)state;
	tl_callstacks_push(f, 1, outer, 1);
	tl_callstacks_push(f, 2, outer, 2);
	tl_callstacks_forget(f, 1);
	assert_null(tl_callstacks_pop(f, 1, outer, &depth));
	assert_non_null(tl_callstacks_pop(f, 2, outer, &depth));
	tl_callstacks_push(f, 1, outer, 1);
	tl_callstacks_clear(f);
	assert_null(tl_callstacks_pop(f, 1, outer, &depth));
	tl_callstacks_free(f);
}

/*
 * Time off the processor counts for all calls that go on then, not for others.
 */
static void test_asleep(void **state)
{
	struct tl_callstacks *f = tl_callstacks_new();
	unsigned int depth;

	(void)state;
	tl_callstacks_off(f, 1, 1); /* nobody asks for that one */
	tl_callstacks_push(f, 1, outer, 10);
	tl_callstacks_on(f, 1, 12); /* it left before */
	tl_callstacks_off(f, 1, 20);
	tl_callstacks_off(f, 2, 21);
	tl_callstacks_on(f, 1, 50);
	tl_callstacks_push(f, 1, inner, 60);
	tl_callstacks_off(f, 1, 70);
	tl_callstacks_on(f, 1, 75);
	assert_int_equal(tl_callstacks_pop(f, 1, inner, &depth)->asleep, 5);
	tl_callstacks_push(f, 1, inner, 80);
	assert_int_equal(tl_callstacks_pop(f, 1, inner, &depth)->asleep, 0);
	assert_int_equal(tl_callstacks_pop(f, 1, outer, &depth)->asleep, 35);
	tl_callstacks_free(f);
}

static void test_count(void **state)
{
	struct tl_callstacks *f = tl_callstacks_new();
	unsigned int depth;

	(void)state;
	tl_callstacks_push(f, 1, outer, 10);
	tl_callstacks_push(f, 1, inner, 90);
	tl_callstacks_push(f, 2, outer, 40);
	assert_int_equal(tl_callstacks_count(f, 100, 60), 2);
	assert_int_equal(tl_callstacks_count(f, 100, 61), 1);
	assert_int_equal(tl_callstacks_count(f, 100, 10), 3);
	/* and it is still off its processor */
	tl_callstacks_off(f, 1, 20);
	assert_int_equal(tl_callstacks_count(f, 100, 60), 1);
	/* a call that began after that time */
	assert_int_equal(tl_callstacks_count(f, 30, 1), 1);
	tl_callstacks_pop(f, 2, outer, &depth);
	assert_int_equal(tl_callstacks_count(f, 100, 60), 0);
	tl_callstacks_free(f);
}

/* What an ending thread calls returns, but for its last functions. */
static void test_ending(void **state)
{
	struct tl_callstacks *f = tl_callstacks_new();
	unsigned int depth;

	(void)state;
	tl_callstacks_end(f, 2); /* it is in no call */
	tl_callstacks_push(f, 1, outer, 10);
	tl_callstacks_end(f, 1);
	tl_callstacks_push(f, 1, inner, 20);
	assert_int_equal(tl_callstacks_count(f, 100, 1), 0);
	assert_int_equal(tl_callstacks_pop(f, 1, inner, &depth)->start, 20);
	assert_int_equal(depth, 1);
	/* a new one of its id */
	tl_callstacks_forget(f, 1);
	assert_null(tl_callstacks_pop(f, 1, outer, &depth));
	tl_callstacks_push(f, 1, outer, 30);
	assert_int_equal(tl_callstacks_count(f, 100, 1), 1);
	tl_callstacks_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nested),
		cmocka_unit_test(test_missed_return),
		cmocka_unit_test(test_deep),
		cmocka_unit_test(test_kept_record),
		cmocka_unit_test(test_forgotten),
		cmocka_unit_test(test_asleep),
		cmocka_unit_test(test_count),
		cmocka_unit_test(test_ending),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
