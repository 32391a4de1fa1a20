/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_chain.c - stacks as values */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/part.h"
#include "names.h"
#include "trace/chain.h"
#include "trace/stack.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void unasked(struct tl_session *s, const struct tl_record *r,
		    const struct tl_chain *chain, enum tl_stack_kind kind)
{
	(void)s;
	(void)r;
	(void)chain;
	(void)kind;
	fail();
}

/* A run that records no stack. */
static int begin(void **state)
{
	static struct tl_session s;

	*state = &s;
	return tl_chains_open(&s, 0, unasked);
}

static int end(void **state)
{
	tl_parts_free(*state);
	return 0;
}

/* The stack of "a;b", the innermost first. */
static const struct tl_chain *chain(void **state, const char *text)
{
	struct tl_str names[TL_CHAIN_MAX];

	return tl_chain_of(*state, names, split(text, names));
}

static void expect_names(const struct tl_chain *c, const char *want)
{
	static struct tl_str names[TL_CHAIN_MAX];
	char have[256] = "";
	size_t i, count = tl_chain_names(c, names), at = 0;

	for (i = 0; i < count && at < sizeof(have); i++)
		at += (size_t)snprintf(have + at, sizeof(have) - at, "%s%s",
				       i ? ";" : "", names[i].text);
	assert_string_equal(have, want);
}

static void names(void **state)
{
	static const char *const all[] = { "one", "one;two",
					   "schedule;do_nanosleep;[unknown]" };
	size_t i;

	for (i = 0; i < COUNT(all); i++)
		expect_names(chain(state, all[i]), all[i]);
	expect_names(NULL, "");
	assert_null(chain(state, ""));
}

static void same(void **state)
{
	const struct tl_chain *c = chain(state, "read;main");

	assert_ptr_equal(chain(state, "read;main"), c);
	assert_ptr_not_equal(chain(state, "main;read"), c);
	assert_ptr_not_equal(chain(state, "read"), c);
	assert_ptr_not_equal(chain(state, "read;main;main"), c);
	/* where one name ends counts, too */
	assert_ptr_not_equal(chain(state, "readm;ain"), c);
	assert_ptr_not_equal(chain(state, "readmain"), c);
	assert_ptr_equal(chain(state, "read;main"), c);
}

static void named(void **state)
{
	const struct tl_chain *c = chain(state, "read;main");

	assert_ptr_equal(tl_chain_named(*state, c), c);
	assert_null(tl_chain_named(*state, NULL));
}

static void as_many_as_there_can_be(void **state)
{
	static struct tl_str many[TL_CHAIN_MAX], found[TL_CHAIN_MAX];
	size_t i;

	for (i = 0; i < TL_CHAIN_MAX; i++)
		many[i] = (struct tl_str){ "same", i % 4 + 1 };
	assert_int_equal(
		tl_chain_names(tl_chain_of(*state, many, TL_CHAIN_MAX), found),
		TL_CHAIN_MAX);
	for (i = 0; i < TL_CHAIN_MAX; i++)
		assert_int_equal(found[i].len, i % 4 + 1);
}

static void interrupts(void **state)
{
	static const char *const are[] = {
		"hrtimer_interrupt;asm_sysvec_apic_timer_interrupt",
		"req_done;common_interrupt",
		"fred_sysvec_reschedule_ipi;fred_extint",
		"el1_interrupt;el1h_64_irq_handler;el1h_64_irq",
		"el0_irq",
	};
	static const char *const are_not[] = {
		"do_softirq;sock_sendmsg;entry_SYSCALL_64_after_hwframe",
		"asm_sysvec_apic_timer_interrupt;cpu_idle",
		"fred_extint;asm_fred_entrypoint_user",
		"__common_interrupt",
		"el0t_64_sync",
		"asm_sysvec",
		"[...]",
	};
	size_t i;

	for (i = 0; i < COUNT(are); i++)
		assert_true(tl_chain_is_interrupt(chain(state, are[i])));
	for (i = 0; i < COUNT(are_not); i++)
		assert_false(tl_chain_is_interrupt(chain(state, are_not[i])));
	assert_false(tl_chain_is_interrupt(NULL));
}

/* What has no place any more is one, and what has is found. */
static void too_many(void **state)
{
	const struct tl_chain *first = chain(state, "first"), *rest;
	char text[32];
	int i;

	rest = chain(state, "[...]");
	for (i = 0; i < 400000; i++) {
		snprintf(text, sizeof(text), "many;%d", i);
		assert_non_null(chain(state, text));
	}
	assert_ptr_equal(chain(state, "one more"), rest);
	assert_ptr_equal(chain(state, "and;another"), rest);
	assert_ptr_equal(chain(state, "first"), first);
	expect_names(chain(state, "many;7"), "many;7");
}

static void expect_tracers(const char *text, size_t want)
{
	struct tl_str list[16];

	assert_int_equal(tl_stack_tracers(list, split(text, list)), want);
}

static void tracers(void **state)
{
	(void)state;
	expect_tracers("", 0);
	expect_tracers("__schedule;schedule", 0);
	expect_tracers("trace_event_raw_event_sched_switch;__schedule", 1);
	expect_tracers("trace_event_raw_event_sched_switch;"
		       "__traceiter_sched_switch;__schedule;schedule",
		       2);
	expect_tracers("trace_event_buffer_commit;"
		       "trace_event_raw_event_sched_switch;__schedule",
		       2);
	expect_tracers("__traceiter_sched_switch;__schedule", 1);
	expect_tracers("ftrace_syscall_enter;do_syscall_64", 1);
	/* farther out it is what was traced */
	expect_tracers("a;b;c;d;e;f;g;h;trace_event_raw_event_x;i", 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(names, begin, end),
		cmocka_unit_test_setup_teardown(same, begin, end),
		cmocka_unit_test_setup_teardown(named, begin, end),
		cmocka_unit_test_setup_teardown(as_many_as_there_can_be, begin,
						end),
		cmocka_unit_test_setup_teardown(interrupts, begin, end),
		cmocka_unit_test_setup_teardown(too_many, begin, end),
		cmocka_unit_test(tracers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
