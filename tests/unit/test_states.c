/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_states.c - the states of threads, from records of the scheduler */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sched/states.h"

#define ALL (TL_SCHED_RUN | TL_SCHED_WAIT | TL_SCHED_SLEEP)

/* prev_state */
enum { R = 0, S = 1, D = 2, X = 0x10, Z = 0x20, I = 0x80, PREEMPTED = 0x100 };

static uint64_t start;
static struct tl_states *st;
static struct tl_sched_runner ran[2000];
static size_t ran_count;
static char told[4096];

/* As "sleep 7 20-120 S, " with "(" and ")" where an end was not seen. */
static void on_slice(struct tl_session *s, const struct tl_sched_slice *slice)
{
	const char *kind = slice->kind == TL_SCHED_RUN    ? "run"
			   : slice->kind == TL_SCHED_WAIT ? "wait"
			   : slice->kind == TL_SCHED_OFF  ? "off"
							  : "sleep";
	size_t len = strlen(told);

	(void)s;
	len += (size_t)snprintf(told + len, sizeof(told) - len, "%s%s %d@%u ",
				len ? ", " : "", kind, slice->tid, slice->cpu);
	if (slice->from != slice->since)
		len += (size_t)snprintf(told + len, sizeof(told) - len, "%d/",
					(int)slice->since);
	snprintf(told + len, sizeof(told) - len, "%s%d-%d%s %c",
		 slice->began ? "" : "(", (int)slice->from, (int)slice->to,
		 slice->ended ? "" : ")", slice->letter);
	if (slice->waker)
		snprintf(told + strlen(told), sizeof(told) - strlen(told),
			 " by %d", slice->waker);
	if (slice->own)
		++*(uint32_t *)slice->own;
	if (slice->kind == TL_SCHED_WAIT && slice->ended)
		ran_count = tl_states_ran(st, ran, 2000);
}

/* As "left 7 with 3, ". */
static void on_settle(struct tl_session *s, pid_t tid, void *own)
{
	size_t len = strlen(told);

	(void)s;
	snprintf(told + len, sizeof(told) - len, "%sleft %d with %u",
		 len ? ", " : "", tid, *(uint32_t *)own);
}

/* Thread 5 slept on processor 3 at 100; so did 6. */
static bool on_first(struct tl_session *s, pid_t tid, uint64_t ns, char *letter,
		     unsigned int *cpu)
{
	(void)s;
	*letter = 'D';
	*cpu = 3;
	return (tid == 5 || tid == 6) && ns >= 100;
}

static uint64_t whole;

static int set_up_with(unsigned int kinds, bool settle, bool history)
{
	const struct tl_states_config config = {
		.slice = on_slice,
		.settle = settle ? on_settle : NULL,
		.kinds = kinds,
		.silent = 999,
		.idle = history,
		.own = sizeof(uint32_t),
		.history = history,
		.start = &start,
		.whole = whole,
		.asleep = on_first,
	};

	start = 10;
	told[0] = '\0';
	st = tl_states_new(&config);
	if (st)
		tl_states_reserve(st, 4);
	return st ? 0 : -1;
}

static int set_up(void **state)
{
	(void)state;
	return set_up_with(ALL, false, false);
}

/* Up to 100 some records are in the file before. */
static int set_up_earlier(void **state)
{
	int ret;

	(void)state;
	whole = 100;
	ret = set_up_with(ALL, false, false);
	whole = 0;
	return ret;
}

static int set_up_off(void **state)
{
	(void)state;
	return set_up_with(TL_SCHED_OFF, false, false);
}

static int set_up_settle(void **state)
{
	(void)state;
	return set_up_with(ALL, true, false);
}

static int set_up_history(void **state)
{
	(void)state;
	return set_up_with(TL_SCHED_WAIT, false, true);
}

static int set_up_idle(void **state)
{
	(void)state;
	return set_up_with(TL_SCHED_RUN, false, true);
}

static int tear_down(void **state)
{
	(void)state;
	tl_states_free(st);
	return 0;
}

static void expect_at(const char *text, const char *file, int line)
{
	if (strcmp(told, text))
		fprintf(stderr, "%s:%d: told: %s\nexpected: %s\n", file, line,
			told, text);
	assert_string_equal(told, text);
	told[0] = '\0';
}
#define expect(text) expect_at(text, __FILE__, __LINE__)

static void change(unsigned int cpu, uint64_t ns, pid_t prev, uint64_t state,
		   pid_t next)
{
	tl_states_switch(st, cpu, ns, prev, state, next);
}

static void wake(uint64_t ns, pid_t tid)
{
	tl_states_wake(st, ns, 99, tid);
}

/* Thread 7 runs on processor 0 since 20; all before is forgotten. */
static void run_seven(void)
{
	change(0, 20, 0, R, 7);
	told[0] = '\0';
}

static void test_sleep_wait_run(void **state)
{
	(void)state;
	run_seven();
	change(0, 30, 7, S, 0);
	wake(130, 7);
	change(0, 135, 0, R, 7);
	expect("run 7@0 20-30 S, sleep 7@0 30-130 S by 99, "
	       "wait 7@0 130-135 S by 99");
}

/* D, and the kernel's own that are idle: they are told apart. */
static void test_letters(void **state)
{
	static const struct {
		uint64_t state;
		const char *text;
	} all[] = {
		{ S, "run 7@0 20-30 S" },    { D, "run 7@0 20-30 D" },
		{ 4, "run 7@0 20-30 T" },    { 8, "run 7@0 20-30 t" },
		{ X, "run 7@0 20-30 X" },    { Z, "run 7@0 20-30 Z" },
		{ 0x40, "run 7@0 20-30 P" }, { I, "run 7@0 20-30 I" },
		{ R, "run 7@0 20-30 R" },    { PREEMPTED, "run 7@0 20-30 R" },
	};
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (i)
			set_up(state);
		run_seven();
		change(0, 30, 7, all[i].state, 0);
		expect(all[i].text);
		if (i + 1 < sizeof(all) / sizeof(all[0]))
			tear_down(state);
	}
}

/* Another thread took the processor: a wait, whatever the kernel was doing. */
static void test_preempted(void **state)
{
	(void)state;
	run_seven();
	change(0, 30, 7, R, 8);
	told[0] = '\0';
	change(0, 40, 8, PREEMPTED, 7);
	expect("run 8@0 30-40 R, wait 7@0 30-40 R");
	change(0, 50, 7, S, 8);
	expect("run 7@0 40-50 S, wait 8@0 40-50 R");
}

/* A wakeup of one that is preempted changes nothing. */
static void test_woken_while_it_waits(void **state)
{
	(void)state;
	run_seven();
	change(0, 30, 7, PREEMPTED, 8);
	told[0] = '\0';
	wake(35, 7);
	change(0, 40, 8, S, 7);
	expect("run 8@0 30-40 S, wait 7@0 30-40 R");
}

/* It is woken before it has left: it never slept. */
static void test_woken_before_it_sleeps(void **state)
{
	(void)state;
	run_seven();
	wake(29, 7);
	change(0, 30, 7, S, 8);
	told[0] = '\0';
	change(0, 40, 8, S, 7);
	expect("run 8@0 30-40 S, wait 7@0 30-40 S by 99");
	/* that was this sleep; the next one is ended by a wakeup of its own */
	change(0, 50, 7, S, 0);
	wake(80, 7);
	expect("run 7@0 40-50 S, sleep 7@0 50-80 S by 99");
}

/* It goes on after a wakeup, and sleeps later. */
static void test_woken_while_it_runs(void **state)
{
	(void)state;
	run_seven();
	wake(25, 7);
	change(0, 30, 7, S, 0);
	told[0] = '\0';
	wake(80, 7);
	change(0, 90, 0, R, 7);
	expect("sleep 7@0 30-80 S by 99, wait 7@0 80-90 S by 99");
}

/* A signal was there already: no wakeup comes. */
static void test_signal_pending(void **state)
{
	(void)state;
	run_seven();
	change(0, 30, 7, S, 8);
	told[0] = '\0';
	change(0, 31, 8, S, 7);
	expect("run 8@0 30-31 S, wait 7@0 30-31 S");
}

/* What the first record of a thread is tells what it did since the start. */
static void test_first_record(void **state)
{
	(void)state;
	change(0, 20, 7, S, 8);
	expect("run 7@0 (10-20 S, wait 8@0 (10-20 ?");
	wake(30, 9);
	change(1, 40, 5, S, 9);
	expect("run 5@1 (10-40 S, sleep 9@1 (10-30 ? by 99, "
	       "wait 9@1 30-40 ? by 99");
}

/* Its first record is a wakeup that it did not need: it ran all the time. */
static void test_first_record_of_a_runner(void **state)
{
	(void)state;
	wake(20, 7);
	change(0, 30, 7, S, 0);
	expect("run 7@0 (10-30 S");
	wake(40, 7);
	expect("sleep 7@0 30-40 S by 99");
}

static void test_new_thread(void **state)
{
	(void)state;
	tl_states_begin(st, 20, 6, 7, 1);
	change(1, 30, 0, R, 7);
	expect("wait 7@1 20-30 S by 6");
}

/* An id is used again: what the last one did is no part of the new one. */
static void test_id_again(void **state)
{
	(void)state;
	run_seven();
	tl_states_forget(st, 7);
	tl_states_begin(st, 40, 6, 7, 1);
	change(1, 50, 0, R, 7);
	change(1, 60, 7, S, 0);
	expect("wait 7@1 40-50 S by 6, run 7@1 50-60 S");
}

/* The end of a thread: it does not sleep, but some take a processor once more. */
static void test_end_of_a_thread(void **state)
{
	(void)state;
	run_seven();
	change(0, 30, 7, Z, 0);
	told[0] = '\0';
	tl_states_cut(st, 50);
	expect("");
	change(0, 60, 0, R, 7);
	change(0, 70, 7, X, 0);
	expect("wait 7@0 30/50-60 Z, run 7@0 60-70 X");
}

static void test_migration(void **state)
{
	(void)state;
	run_seven();
	change(0, 30, 7, R, 8);
	told[0] = '\0';
	change(1, 40, 0, R, 7);
	change(1, 50, 7, S, 0);
	expect("wait 7@1 30-40 R, run 7@1 40-50 S");
}

/* A thread that executes a program gets the id of its process while it runs. */
static void test_exec_of_a_thread(void **state)
{
	(void)state;
	change(0, 20, 0, R, 8);
	told[0] = '\0';
	change(0, 30, 7, S, 0);
	expect("run 7@0 (20-30 S");
	tl_states_cut(st, 40);
	expect("sleep 7@0 30-40) S");
}

/* What goes on is told up to now, and the rest of it later. */
static void test_cut(void **state)
{
	(void)state;
	run_seven();
	change(0, 30, 7, S, 8);
	told[0] = '\0';
	tl_states_cut(st, 50);
	expect("sleep 7@0 30-50) S, run 8@0 30-50) ?");
	wake(60, 7);
	expect("sleep 7@0 30/50-60 S by 99");
	tl_states_cut(st, 70);
	expect("wait 7@0 60-70) S by 99, run 8@0 30/50-70) ?");
	change(0, 80, 8, S, 7);
	expect("run 8@0 30/70-80 S, wait 7@0 60/70-80 S by 99");
}

/* A record is newer than the end of the run: nothing is below zero. */
static void test_cut_before_a_record(void **state)
{
	(void)state;
	run_seven();
	tl_states_cut(st, 15);
	expect("run 7@0 15-15) ?");
}

/* What was open is void, but for who runs on another processor. */
static void test_lost(void **state)
{
	(void)state;
	run_seven();
	change(1, 20, 0, R, 8);
	change(0, 30, 7, S, 9);
	told[0] = '\0';
	tl_states_lost(st, 0, 1);
	change(1, 40, 8, R, 6);
	expect("run 8@1 20-40 R, wait 6@1 (40-40 ?");
	wake(45, 7);
	change(1, 48, 6, S, 8);
	expect("run 6@1 40-48 S, wait 8@1 (48-48 ?");
	tl_states_lost(st, 0, 0);
	change(0, 60, 5, S, 7);
	/* all that is known is that nothing is missing since then */
	expect("run 5@0 (60-60 S, wait 7@0 (60-60 ?");
	wake(80, 9);
	change(1, 90, 8, S, 9);
	expect("run 8@1 48-90 S, sleep 9@1 (60-80 ? by 99, "
	       "wait 9@1 80-90 ? by 99");
}

/* Two gaps at once: the first that ends does not make the other one known. */
static void test_lost_twice(void **state)
{
	(void)state;
	change(0, 20, 0, R, 7);
	change(1, 20, 0, R, 8);
	change(2, 20, 0, R, 9);
	told[0] = '\0';
	tl_states_lost(st, 0, 1);
	tl_states_lost(st, 1, 2);
	change(2, 30, 9, S, 6);
	expect("run 9@2 20-30 S, wait 6@2 (30-30 ?");
	tl_states_lost(st, 0, 1);
	wake(40, 9);
	change(0, 50, 5, S, 9);
	expect("run 5@0 (50-50 S, wait 9@0 (50-50 ?");
	tl_states_lost(st, 1, 0);
	change(0, 60, 9, S, 0);
	expect("run 9@0 50-60 S");
	wake(70, 9);
	expect("sleep 9@0 60-70 S by 99");
}

/* Who runs is known, but not what else was, or is, done on other processors. */
static void test_earlier_file(void **state)
{
	(void)state;
	change(0, 20, 0, R, 7);
	change(1, 30, 8, S, 0);
	expect("wait 7@0 (20-20 ?, run 8@1 (30-30 S");
	wake(40, 8);
	change(1, 50, 0, R, 9);
	change(1, 60, 9, S, 8);
	expect("wait 9@1 (50-50 ?, run 9@1 50-60 S, wait 8@1 (60-60 ?");
	change(0, 120, 7, S, 0);
	expect("run 7@0 20-120 S");
	change(1, 130, 8, S, 9);
	expect("run 8@1 60-130 S, wait 9@1 (130-130 ?");
	wake(150, 7);
	expect("sleep 7@0 120-150 S by 99");
}

static void test_loss_and_earlier_file(void **state)
{
	(void)state;
	tl_states_lost(st, 0, 1);
	tl_states_lost(st, 0, 0);
	change(0, 20, 7, S, 0);
	wake(40, 7);
	expect("run 7@0 (20-20 S");
	tl_states_lost(st, 1, 1);
	change(0, 120, 0, R, 7);
	change(0, 130, 7, S, 0);
	wake(140, 7);
	expect("wait 7@0 (120-120 ?, run 7@0 120-130 S");
	tl_states_lost(st, 1, 0);
	change(0, 150, 0, R, 7);
	change(0, 160, 7, S, 0);
	wake(170, 7);
	expect("wait 7@0 (150-150 ?, run 7@0 150-160 S, sleep 7@0 160-170 S by "
	       "99");
}

static void test_off(void **state)
{
	(void)state;
	run_seven();
	change(0, 30, 7, S, 8);
	change(0, 70, 8, PREEMPTED, 7);
	change(0, 75, 7, S, 8);
	expect("off 8@0 (10-30 ?, off 7@0 30-70 S, off 8@0 70-75 R");
}

/* Each processor has an idle thread of its own, and all have id 0. */
static void test_idle(void **state)
{
	(void)state;
	change(0, 20, 7, S, 0);
	change(1, 25, 8, S, 0);
	told[0] = '\0';
	change(0, 30, 0, R, 7);
	expect("run 0@0 20-30 ?");
	change(1, 45, 0, R, 8);
	expect("run 0@1 25-45 ?");
	change(1, 50, 8, S, 0);
	tl_states_forget(st, 7);
	told[0] = '\0';
	tl_states_cut(st, 60);
	expect("run 0@1 50-60) ?");
}

/* Nothing is told of the tool itself. */
static void test_silent(void **state)
{
	(void)state;
	run_seven();
	change(0, 30, 7, S, 999);
	change(0, 40, 999, S, 7);
	expect("run 7@0 20-30 S, wait 7@0 30-40 S");
}

static void test_settle(void **state)
{
	(void)state;
	run_seven();
	change(0, 30, 7, S, 0);
	wake(40, 7);
	told[0] = '\0';
	tl_states_settle(st, 7);
	expect("left 7 with 3");
	tl_states_settle(st, 7);
	expect("left 7 with 0");
	change(0, 50, 0, R, 7);
	told[0] = '\0';
	tl_states_forget(st, 7);
	expect("left 7 with 1");
	tl_states_forget(st, 7);
	expect("");
}

static void expect_ran(size_t i, pid_t tid, uint64_t ns)
{
	assert_true(i < ran_count);
	assert_int_equal(ran[i].tid, tid);
	assert_int_equal(ran[i].ns, ns);
}

static void test_ran(void **state)
{
	(void)state;
	run_seven();
	change(0, 30, 7, R, 8);
	change(0, 40, 8, S, 0);
	change(0, 43, 0, R, 9);
	change(0, 50, 9, S, 7);
	assert_int_equal(ran_count, 3);
	expect_ran(0, 9, 7);
	expect_ran(1, 0, 3);
	expect_ran(2, 8, 10);
}

/* It waited on one processor first, then on another one. */
static void test_ran_where_it_waited(void **state)
{
	(void)state;
	change(1, 15, 0, R, 3);
	run_seven();
	change(0, 30, 7, R, 8);
	tl_states_move(st, 45, 7, 1);
	change(0, 47, 8, S, 0);
	change(1, 50, 3, S, 7);
	assert_int_equal(ran_count, 2);
	expect_ran(0, 3, 5);
	expect_ran(1, 8, 15);
}

/* What is longer ago than is kept is not known. */
static void test_ran_long_ago(void **state)
{
	uint64_t ns = 30;
	int i;

	(void)state;
	run_seven();
	change(0, ns, 7, R, 8);
	for (i = 0; i < 600; i++) {
		told[0] = '\0';
		change(0, ns += 10, 8, S, 9);
		change(0, ns += 10, 9, S, 8);
	}
	change(0, ns + 10, 8, S, 7);
	assert_int_equal(ran_count, 1025);
	expect_ran(0, 8, 10);
	expect_ran(1, 9, 10);
	expect_ran(1024, -1, 12010 - 10240);
}

/* More threads than there are buckets. */
static void test_many(void **state)
{
	pid_t tid;

	(void)state;
	for (tid = 1000; tid < 6000; tid++)
		tl_states_begin(st, 20, 6, tid, 0);
	for (tid = 1000; tid < 6000; tid++) {
		told[0] = '\0';
		change(0, 30, 0, R, tid);
		assert_non_null(strstr(told, "20-30 S by 6"));
		change(0, 30, tid, X, 0);
		tl_states_forget(st, tid);
	}
}

/* ---- asleep since before the start ------------------------------------- */

static void test_asleep_since_before(void **state)
{
	(void)state;
	wake(150, 5);
	expect("sleep 5@3 (10-150 D by 99");
	change(3, 170, 0, R, 5);
	expect("wait 5@3 150-170 D by 99");
}

/* A record of before it was looked at tells of another sleep. */
static void test_asleep_later(void **state)
{
	(void)state;
	change(0, 50, 0, R, 5);
	expect("wait 5@0 (10-50 ?");
	change(0, 60, 5, S, 0);
	expect("run 5@0 50-60 S");
	wake(150, 5);
	expect("sleep 5@0 60-150 S by 99");
}

static void test_asleep_off(void **state)
{
	(void)state;
	change(1, 150, 0, R, 5);
	expect("off 5@1 (10-150 D");
	change(1, 160, 5, S, 0);
	change(1, 170, 0, R, 5);
	expect("off 5@1 160-170 S");
}

/* Of those without any record nothing is told, unless they are looked at. */
static void test_asleep_all_the_time(void **state)
{
	(void)state;
	tl_states_cut(st, 200);
	expect("");
	tl_states_look(st, 6, 250);
	tl_states_look(st, 6, 250);
	tl_states_cut(st, 300);
	expect("sleep 6@3 10/(200-300) D");
	tl_states_cut(st, 400);
	expect("sleep 6@3 10/(300-400) D");
}

/* What it did before records were lost is not known. */
static void test_asleep_behind_a_loss(void **state)
{
	(void)state;
	tl_states_lost(st, 0, 1);
	tl_states_lost(st, 0, 0);
	wake(150, 5);
	change(3, 170, 0, R, 5);
	assert_null(strstr(told, " D"));
	assert_null(strstr(told, "(10"));
}

/* ---- for what belongs to a record --------------------------------------- */

static void test_who_left_and_who_was_woken(void **state)
{
	(void)state;
	change(0, 20, 0, R, 7);
	assert_null(tl_states_left(st));
	change(0, 30, 7, S, 8);
	assert_ptr_equal(tl_states_left(st), tl_states_own(st, 7));
	assert_ptr_not_equal(tl_states_own(st, 7), tl_states_own(st, 8));
	assert_null(tl_states_own(st, 9));
	wake(40, 7);
	assert_ptr_equal(tl_states_woken(st), tl_states_own(st, 7));
	wake(41, 7); /* it is awake already */
	assert_null(tl_states_woken(st));
	wake(42, 8); /* it runs: the next sleep may end by this */
	assert_ptr_equal(tl_states_woken(st), tl_states_own(st, 8));
}

static void test_masks(void **state)
{
	(void)state;
	assert_int_equal(tl_states_mask('S'), S);
	assert_int_equal(tl_states_mask('D'), D);
	assert_int_equal(tl_states_mask('X'), X);
	assert_int_equal(tl_states_mask('Z'), Z);
	assert_int_equal(tl_states_mask('I'), I);
	assert_int_equal(tl_states_mask('R'), 0);
	assert_int_equal(tl_states_mask('s'), 0);
	assert_int_equal(tl_states_mask(0), 0xff);
}

#define TEST(name, set_up) \
	cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_sleep_wait_run, set_up),
		TEST(test_letters, set_up),
		TEST(test_preempted, set_up),
		TEST(test_woken_while_it_waits, set_up),
		TEST(test_woken_before_it_sleeps, set_up),
		TEST(test_woken_while_it_runs, set_up),
		TEST(test_signal_pending, set_up),
		TEST(test_first_record, set_up),
		TEST(test_first_record_of_a_runner, set_up),
		TEST(test_new_thread, set_up),
		TEST(test_id_again, set_up),
		TEST(test_end_of_a_thread, set_up),
		TEST(test_migration, set_up),
		TEST(test_exec_of_a_thread, set_up),
		TEST(test_cut, set_up),
		TEST(test_cut_before_a_record, set_up),
		TEST(test_lost, set_up),
		TEST(test_lost_twice, set_up),
		TEST(test_earlier_file, set_up_earlier),
		TEST(test_loss_and_earlier_file, set_up_earlier),
		TEST(test_off, set_up_off),
		TEST(test_idle, set_up_idle),
		TEST(test_silent, set_up),
		TEST(test_settle, set_up_settle),
		TEST(test_ran, set_up_history),
		TEST(test_ran_where_it_waited, set_up_history),
		TEST(test_ran_long_ago, set_up_history),
		TEST(test_many, set_up),
		TEST(test_asleep_since_before, set_up),
		TEST(test_asleep_later, set_up),
		TEST(test_asleep_off, set_up_off),
		TEST(test_asleep_all_the_time, set_up),
		TEST(test_asleep_behind_a_loss, set_up),
		TEST(test_who_left_and_who_was_woken, set_up),
		TEST(test_masks, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
