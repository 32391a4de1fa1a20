/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_irq.c - what interrupts what, and for which raise a softirq runs */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "irq/levels.h"
#include "irq/names.h"
#include "irq/raises.h"

static const struct tl_irq disk = { .number = 24, .name = "disk" },
			   timer = { .number = -1, .name = "timer" },
			   net = { .soft = true, .number = 3, .name = "NET" },
			   block = { .soft = true,
				     .number = 4,
				     .name = "BLOCK" };

enum { TIMER = -5, BASH = 100, OTHER = 200 };

static struct tl_irq_levels levels;
static struct tl_irq_level was;

static int empty(void **state)
{
	(void)state;
	memset(&levels, 0, sizeof(levels));
	return 0;
}

static void begin(const struct tl_irq *irq, int code, pid_t tid, uint64_t ns)
{
	tl_irq_levels_begin(&levels, irq, code, tid, ns);
}

static bool end(const struct tl_irq *irq, int code, pid_t tid, uint64_t ns)
{
	return tl_irq_levels_end(&levels, irq->soft, code, tid, ns, &was);
}

/* Own time of what has just ended at @ns. */
static uint64_t own(uint64_t ns)
{
	return ns - was.since - was.inner;
}

/* A softirq from 10 to 100 has two interrupts in it, one of which has another one. */
static void test_nested(void **state)
{
	(void)state;
	begin(&net, 3, BASH, 10);
	begin(&disk, 24, BASH, 20);
	begin(&timer, TIMER, BASH, 25);
	assert_true(end(&timer, TIMER, BASH, 30));
	assert_int_equal(own(30), 5);
	assert_true(end(&disk, 24, BASH, 40));
	assert_int_equal(own(40), 15);
	begin(&timer, TIMER, BASH, 50);
	assert_ptr_equal(tl_irq_levels_top(&levels, BASH)->irq, &timer);
	assert_true(end(&timer, TIMER, BASH, 57));
	assert_ptr_equal(tl_irq_levels_top(&levels, BASH)->irq, &net);
	assert_true(end(&net, 3, BASH, 100));
	assert_ptr_equal(was.irq, &net);
	assert_int_equal(own(100), 90 - 20 - 7);
	assert_null(tl_irq_levels_top(&levels, BASH));
}

static void test_begin_not_seen(void **state)
{
	(void)state;
	assert_false(end(&disk, 24, BASH, 10));
	begin(&net, 3, BASH, 20);
	assert_false(end(&disk, 24, BASH, 30));
	assert_false(end(&net, 3, OTHER, 30));
	assert_true(end(&net, 3, BASH, 40));
	assert_int_equal(own(40), 20);
}

/* Without its end, a softirq is over when the next one begins, with all in it. */
static void test_end_not_seen(void **state)
{
	(void)state;
	begin(&net, 3, BASH, 10);
	begin(&disk, 24, BASH, 20);
	begin(&block, 4, BASH, 30);
	assert_int_equal(levels.count, 1);
	assert_true(end(&block, 4, BASH, 35));
	assert_int_equal(own(35), 5);
	assert_int_equal(levels.count, 0);
	/* nor does an interrupt come in itself; one in another does */
	begin(&timer, TIMER, BASH, 40);
	begin(&timer, TIMER, BASH, 50);
	assert_int_equal(levels.count, 1);
	assert_true(end(&timer, TIMER, BASH, 55));
	assert_int_equal(own(55), 5);
}

/* PREEMPT_RT: one thread's softirq is preempted by another thread's. */
static void test_of_two_threads(void **state)
{
	(void)state;
	begin(&net, 3, BASH, 10);
	begin(&block, 4, OTHER, 20);
	begin(&timer, TIMER, OTHER, 25);
	assert_true(end(&timer, TIMER, OTHER, 27));
	/* back in the first one while the other one is preempted in its turn */
	assert_ptr_equal(tl_irq_levels_top(&levels, BASH)->irq, &net);
	assert_true(end(&net, 3, BASH, 40));
	assert_int_equal(own(40), 30);
	assert_true(end(&block, 4, OTHER, 50));
	assert_int_equal(own(50), 28);
	assert_int_equal(levels.count, 0);
}

/* More than there is place for: the oldest goes. */
static void test_too_many(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < TL_IRQ_LEVELS + 1; i++)
		begin(&disk, i, BASH, (uint64_t)i);
	assert_int_equal(levels.count, TL_IRQ_LEVELS);
	assert_false(end(&disk, 0, BASH, 50));
	assert_true(end(&disk, TL_IRQ_LEVELS, BASH, 50));
}

/* ---- raises ----------------------------------------------------------- */

static void test_first_raise_counts(void **state)
{
	struct tl_irq_raises r = { 0 };

	(void)state;
	assert_int_equal(tl_irq_run(&r, 3), 0); /* raised before the start */
	tl_irq_raise(&r, 3, 10);
	tl_irq_raise(&r, 3, 20);
	assert_int_equal(tl_irq_run(&r, 3), 10);
	tl_irq_raise(&r, 3, 30);
	assert_int_equal(tl_irq_run(&r, 3), 30);
}

/* 3 is raised again while 1 of the same turn runs: that is for the next turn. */
static void test_raised_meanwhile(void **state)
{
	struct tl_irq_raises r = { 0 };

	(void)state;
	tl_irq_raise(&r, 1, 10);
	tl_irq_raise(&r, 3, 11);
	assert_int_equal(tl_irq_run(&r, 1), 10);
	tl_irq_raise(&r, 3, 15);
	tl_irq_raise(&r, 7, 16);
	assert_int_equal(tl_irq_run(&r, 3), 11);
	tl_irq_raise(&r, 3, 17);
	assert_int_equal(tl_irq_run(&r, 3), 15);
	assert_int_equal(tl_irq_run(&r, 7), 16);
}

/* An interrupt raises 3 just when the turn was decided on, which has a 3 already. */
static void test_raised_at_the_turn(void **state)
{
	struct tl_irq_raises r = { 0 };

	(void)state;
	tl_irq_raise(&r, 3, 10);
	tl_irq_raise(&r, 3, 20);
	assert_int_equal(tl_irq_run(&r, 3), 10);
	assert_int_equal(tl_irq_run(&r, 3), 20);
	assert_int_equal(tl_irq_run(&r, 3), 0);
}

/*
 * 1 is raised just when a turn was decided on, without it, and once more before its own:
 * both are for one run.
 */
static void test_raised_behind_the_turn(void **state)
{
	struct tl_irq_raises r = { 0 };

	(void)state;
	tl_irq_raise(&r, 7, 10);
	tl_irq_raise(&r, 1, 11);
	assert_int_equal(tl_irq_run(&r, 7), 10);
	tl_irq_raise(&r, 1, 12);
	assert_int_equal(tl_irq_run(&r, 1), 11);
	tl_irq_raise(&r, 1, 50);
	assert_int_equal(tl_irq_run(&r, 1), 50);
}

static void test_no_such_softirq(void **state)
{
	struct tl_irq_raises r = { 0 };

	(void)state;
	tl_irq_raise(&r, TL_IRQ_SOFTIRQS, 10);
	assert_int_equal(tl_irq_run(&r, TL_IRQ_SOFTIRQS), 0);
}

/* ---- names ------------------------------------------------------------ */

static const struct tl_irq *named(struct tl_irq_names *n, int number,
				  const char *name)
{
	return tl_irq_names_of(n, false, number,
			       (struct tl_str){ name, strlen(name) });
}

static void test_names(void **state)
{
	struct tl_irq_names *n = tl_irq_names_new("eth0-*,25");
	const struct tl_irq *one = named(n, 24, "eth0-rx-1");
	char text[16];
	int i;

	(void)state;
	assert_true(one->asked);
	assert_ptr_equal(named(n, 24, "eth0-rx-1"), one);
	assert_ptr_equal(tl_irq_names_at(n, one->id), one);
	/* two devices that share a line, and two lines of the same name */
	assert_ptr_not_equal(named(n, 24, "usb"), one);
	assert_ptr_not_equal(named(n, 26, "eth0-rx-1"), one);
	assert_false(named(n, 24, "usb")->asked);
	assert_true(named(n, 25, "usb")->asked);
	assert_false(tl_irq_matches("-1", -1, "timer"));
	assert_string_equal(named(n, 27, "")->name, "?");
	for (i = 0; i < 5000; i++) {
		snprintf(text, sizeof(text), "n%d", i);
		one = named(n, i, text);
	}
	assert_string_equal(one->name, "[others]");
	assert_string_equal(tl_irq_names_at(n, one->id)->name, "[others]");
	assert_null(tl_irq_names_at(n, one->id + 1));
	tl_irq_names_free(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_nested, empty),
		cmocka_unit_test_setup(test_begin_not_seen, empty),
		cmocka_unit_test_setup(test_end_not_seen, empty),
		cmocka_unit_test_setup(test_of_two_threads, empty),
		cmocka_unit_test_setup(test_too_many, empty),
		cmocka_unit_test(test_first_raise_counts),
		cmocka_unit_test(test_raised_meanwhile),
		cmocka_unit_test(test_raised_at_the_turn),
		cmocka_unit_test(test_raised_behind_the_turn),
		cmocka_unit_test(test_no_such_softirq),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
