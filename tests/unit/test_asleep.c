// SPDX-License-Identifier: GPL-2.0-or-later
/* test_asleep.c - threads that slept before the start, as a capture has them */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/recording.h"
#include "base/session.h"
#include "sched/asleep.h"

static struct tl_recording recording;

/* What a capture with this text gives; NULL: it has none. */
static struct tl_asleep_list *list_of(const char *text)
{
	struct tl_session s = { .recording = &recording };
	struct tl_asleep_list *list;

	tl_recording_free(&recording);
	assert_int_equal(tl_recording_load(&recording, "", 0), 0);
	if (text)
		tl_recording_note(&recording, "asleep", text, strlen(text), 0);
	list = tl_asleep_read(&s, true);
	assert_non_null(list);
	return list;
}

static int forget(void **state)
{
	(void)state;
	tl_recording_free(&recording);
	return 0;
}

static void add_id(void *ctx, const struct tl_asleep *one)
{
	char *ids = ctx;

	sprintf(ids + strlen(ids), " %d", one->tid);
}

static void expect_ids(const struct tl_asleep_list *list, const char *wanted)
{
	char ids[128] = "";

	tl_asleep_each(list, add_id, ids);
	assert_string_equal(ids, wanted);
}

static void expect(struct tl_asleep_list *list, pid_t tid, char letter,
		   unsigned int cpu, uint64_t ns, const char *stack)
{
	const struct tl_asleep *one = tl_asleep_take(list, tid);

	assert_non_null(one);
	assert_int_equal(one->tid, tid);
	assert_int_equal(one->letter, letter);
	assert_int_equal(one->cpu, cpu);
	assert_int_equal(one->ns, ns);
	assert_int_equal(one->len, strlen(stack));
	assert_memory_equal(one->stack, stack, one->len);
	/* it has been taken */
	assert_null(tl_asleep_take(list, tid));
}

static void lines(void **state)
{
	struct tl_asleep_list *list =
		list_of("70 S 3 1000 do_nanosleep;[cut];main\n"
			"5 D 0 18446744073709551615 \n"
			"123456 I 8191 7 a b\n");

	(void)state;
	expect_ids(list, " 5 70 123456");
	assert_null(tl_asleep_take(list, 6));
	expect(list, 70, 'S', 3, 1000, "do_nanosleep;[cut];main");
	expect_ids(list, " 5 123456");
	expect(list, 5, 'D', 0, UINT64_MAX, "");
	expect(list, 123456, 'I', 8191, 7, "a b");
	expect_ids(list, "");
	tl_asleep_free(list);
}

/* Those before and behind are whole. */
static void broken_lines(void **state)
{
	static const char *const broken[] = {
		"",           "2",           "2 ",           "2 S",
		"2 S ",       "2 S 0",       "2 S 0 ",       "2 S 0 10",
		"x S 0 10 b", "2S 0 10 b",   "2 SS 0 10 b",  "2 S x 10 b",
		"2 S 0 y b",  "2 S 0 10b",   "2 S 8192 1 b", "2 S -1 10 b",
		" S 0 10 b",  "2 S 0x1 1 b", "2  S 0 10 b",
	};
	struct tl_asleep_list *list;
	char text[64];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
		snprintf(text, sizeof(text), "3 S 0 30 c\n%s\n1 S 1 10 a\n",
			 broken[i]);
		list = list_of(text);
		expect_ids(list, " 1 3");
		expect(list, 3, 'S', 0, 30, "c");
		expect(list, 1, 'S', 1, 10, "a");
		tl_asleep_free(list);
	}
}

/* What a thread did since then is not known where the capture begins later. */
static void parts_of_a_run(void **state)
{
	static const char text[] = "1 S 1 10 a\n3 S 0 30 c\n";
	struct tl_session s = { .recording = &recording };
	struct tl_asleep_list *list = list_of(text);

	(void)state;
	tl_asleep_free(list);
	tl_recording_note(&recording, TL_RECORDING_SINCE, "30", 2, 0);
	list = tl_asleep_read(&s, true);
	expect_ids(list, " 3");
	tl_asleep_free(list);
	tl_recording_note(&recording, TL_RECORDING_WHOLE, "5", 1, 0);
	list = tl_asleep_read(&s, true);
	expect_ids(list, "");
	tl_asleep_free(list);
}

/* What is behind the last line's end was being written. */
static void cut_off(void **state)
{
	static const char text[] = "1 S 1 10 a\n3 S 0 30 c\n";
	struct tl_asleep_list *list;
	char part[sizeof(text)];
	size_t len;

	(void)state;
	for (len = 0; len < sizeof(text); len++) {
		snprintf(part, sizeof(part), "%.*s", (int)len, text);
		list = list_of(part);
		expect_ids(list, len < 11 ? "" : len < 22 ? " 1" : " 1 3");
		tl_asleep_free(list);
	}
}

static void nothing(void **state)
{
	struct tl_asleep_list *list = list_of(NULL);

	(void)state;
	expect_ids(list, "");
	assert_null(tl_asleep_take(list, 0));
	tl_asleep_free(list);
	/* of a run that does not ask for them */
	expect_ids(NULL, "");
	assert_null(tl_asleep_take(NULL, 1));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(lines, forget),
		cmocka_unit_test_teardown(broken_lines, forget),
		cmocka_unit_test_teardown(parts_of_a_run, forget),
		cmocka_unit_test_teardown(cut_off, forget),
		cmocka_unit_test_teardown(nothing, forget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
