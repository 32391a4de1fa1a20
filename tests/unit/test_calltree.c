/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_calltree.c - graphs of calls from the records of their beginnings and
 * ends
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "call/calltree.h"

#define TASK 7

static char
	graphs[4096]; /* "TASK:FUNCTION DURATION/SELF(...)", and "+MISSING" */
static uint64_t now;

static void add(const char *fmt, ...)
{
	size_t len = strlen(graphs);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(graphs + len, sizeof(graphs) - len, fmt, ap);
	va_end(ap);
}

static void on_done(void *ctx, int64_t task, const struct tl_graph *g)
{
	unsigned int depth = 0;
	size_t i;

	(void)ctx;
	add("%lld:", (long long)task);
	for (i = 0; i < g->count; i++) {
		const struct tl_call *c = &g->calls[i];

		for (; depth < c->depth; depth++)
			add("(");
		for (; depth > c->depth; depth--)
			add(")");
		add(" %c", (char)c->function);
		if (c->end)
			add("%llu/%llu", (unsigned long long)c->duration,
			    (unsigned long long)c->self);
	}
	for (; depth; depth--)
		add(")");
	if (g->missing)
		add(" +%llu", (unsigned long long)g->missing);
	add("\n");
}

/* Functions with capital letters are asked for. */
static bool is_wanted(void *ctx, const struct tl_calltree_record *r)
{
	(void)ctx;
	return r->function >= 'A' && r->function <= 'Z';
}

static void begin(struct tl_calltree *c, int64_t task, char function, bool irq)
{
	const struct tl_calltree_record r = { .ns = ++now,
					      .function = (uint64_t)function,
					      .task = task,
					      .irq = irq };

	tl_calltree_begin(c, &r);
}

static void end(struct tl_calltree *c, int64_t task, char function,
		uint64_t duration)
{
	const struct tl_calltree_record r = { .ns = ++now,
					      .function = (uint64_t)function,
					      .task = task,
					      .duration = duration };

	tl_calltree_end(c, &r);
}

static const struct tl_calltree_config usual = {
	.max = 100, .total = 1000, .is_wanted = is_wanted, .done = on_done
};

/*
 * "a" begins a, ")9" returns from what began last, "]x9" from x; a "!" before a
 * beginning: in an interrupt; "<5" off the processor, ">9" on it again, at that
 * time.
 */
static void play(const struct tl_calltree_config *config, const char *text,
		 const char *want)
{
	struct tl_calltree *c = tl_calltree_new(config);
	char open[64] = "";
	unsigned int depth = 0, n;
	int used;
	bool irq = false;

	graphs[0] = '\0';
	now = 0;
	for (; *text; text += used) {
		used = 1;
		if (*text == '!') {
			irq = true;
			continue;
		}
		if (sscanf(text, ")%u%n", &n, &used) == 1) {
			end(c, TASK, open[--depth], n);
		} else if (*text == ']' &&
			   sscanf(text + 2, "%u%n", &n, &used) == 1) {
			end(c, TASK, text[1], n);
			used += 2;
		} else if (sscanf(text, "<%u%n", &n, &used) == 1) {
			tl_calltree_off(c, TASK, n);
		} else if (sscanf(text, ">%u%n", &n, &used) == 1) {
			tl_calltree_on(c, TASK, n);
		} else if (*text == '.') {
			tl_calltree_finish_all(c);
		} else if (*text == '?') {
			tl_calltree_void(c);
		} else {
			begin(c, TASK, *text, irq);
			open[depth++] = *text;
		}
		irq = false;
	}
	tl_calltree_free(c);
	assert_string_equal(graphs, want);
}

static void whole(void **state)
{
	(void)state;
	play(&usual, "A)5", "7: A5/5\n");
	play(&usual, "Ab)2c)3)10", "7: A10/5( b2/2 c3/3)\n");
	play(&usual, "Abc)1)2)10B)1", "7: A10/8( b2/1( c1/1))\n7: B1/1\n");
	/* recursion, and a call that is asked for within another */
	play(&usual, "AAB)1)3)7", "7: A7/4( A3/2( B1/1))\n");
	/* clocks differ: not below zero */
	play(&usual, "Ab)9)5", "7: A5/0( b9/9)\n");
}

static void orphans(void **state)
{
	(void)state;
	play(&usual, "ab)1)2", "");
	play(&usual, "]x3]y4A)1]A5", "7: A1/1\n");
	/* the end of b is missing, that of x has no beginning */
	play(&usual, "Abc)1]x9]A8", "7: A8/7( b( c1/1))\n");
}

static void without_end(void **state)
{
	(void)state;
	play(&usual, "Ab)1c.", "7: A( b1/1 c)\n");
	play(&usual, "Ab?)1)2C)3", "7: C3/3\n");
}

static void limits(void **state)
{
	struct tl_calltree_config few = usual, slow = usual;

	(void)state;
	few.max = 2;
	play(&few, "Abc)1)2d)1)9", "7: A9/7( b2/2) +2\n");
	/* and all below the first that has no place, but not what is hidden */
	play(&few, "Abcdef)1)2)3)4)5)9", "7: A9/4( b5/5) +4\n");
	few.no_irqs = true;
	play(&few, "Abc!dx)1)1e)1)4)5)9", "7: A9/4( b5/5) +2\n");
	/* what is hidden is in the caller's own time */
	slow.min = 3;
	play(&slow, "Ab)2c)3d)2)10", "7: A10/7( c3/3)\n");
	play(&slow, "Abc)4)5)10", "7: A10/5( b5/1( c4/4))\n");
	play(&slow, "A)2", "");
}

/* What graphs that are done or void had is there for others. */
static void limit_of_all(void **state)
{
	struct tl_calltree_config config = usual;
	struct tl_calltree *c;

	(void)state;
	config.total = 3;
	config.min = 3;
	c = tl_calltree_new(&config);
	graphs[0] = '\0';
	begin(c, 1, 'A', false);
	begin(c, 2, 'B', false);
	begin(c, 2, 'c', false);
	begin(c, 1, 'd', false); /* the fourth */
	end(c, 1, 'd', 9);
	end(c, 2, 'c', 2); /* is too short: its place is free */
	begin(c, 1, 'e', false);
	end(c, 1, 'e', 9);
	end(c, 1, 'A', 20);
	end(c, 2, 'B', 5);
	assert_string_equal(graphs, "1: A20/11( e9/9) +1\n2: B5/5\n");
	graphs[0] = '\0';
	begin(c, 1, 'A', false);
	begin(c, 1, 'b', false);
	tl_calltree_void(c);
	begin(c, 1, 'A', false);
	begin(c, 1, 'b', false);
	begin(c, 1, 'c', false);
	end(c, 1, 'A', 9);
	begin(c, 1, 'A', false);
	tl_calltree_finish(c, 1);
	assert_string_equal(graphs, "1: A9/9( b( c))\n1: A\n");
	tl_calltree_free(c);
}

static void interrupts(void **state)
{
	struct tl_calltree_config none = usual;

	(void)state;
	play(&usual, "A!b)2c)1)9", "7: A9/6( b2/2 c1/1)\n");
	none.no_irqs = true;
	play(&none, "A!bc)1)2d)1)9", "7: A9/8( d1/1)\n");
	/* that was asked for in one */
	play(&none, "!A!b)2)9", "7: A9/7( b2/2)\n");
}

static void off_the_processor(void **state)
{
	(void)state;
	/* away from 100 to 150, in b in A */
	play(&usual, "Ab<100>150)70)90", "7: A40/20( b20/20)\n");
	play(&usual, "Ab)5<100>150)90", "7: A40/35( b5/5)\n");
	play(&usual, "A>150)90", "7: A90/90\n");
}

static void tasks(void **state)
{
	struct tl_calltree *c = tl_calltree_new(&usual);

	(void)state;
	graphs[0] = '\0';
	begin(c, 1, 'A', false);
	begin(c, 2, 'A', false);
	begin(c, -1, 'B', false);
	begin(c, 1, 'x', false);
	end(c, 2, 'A', 5);
	end(c, -1, 'B', 6);
	end(c, 1, 'x', 1);
	end(c, 1, 'A', 7);
	begin(c, 3, 'A', false);
	tl_calltree_finish(c, 3);
	end(c, 3, 'A', 7);
	assert_string_equal(graphs, "2: A5/5\n-1: B6/6\n1: A7/6( x1/1)\n"
				    "3: A\n");
	assert_int_equal(tl_calltree_forgotten(c), 0);
	tl_calltree_free(c);
}

static void arguments_done(void *ctx, int64_t task, const struct tl_graph *g)
{
	(void)ctx;
	(void)task;
	assert_int_equal(g->count, 2);
	assert_int_equal(g->calls[0].args, 2);
	assert_int_equal(g->args[g->calls[0].arg + 1], 22);
	assert_int_equal(g->calls[1].args, 1);
	assert_int_equal(g->args[g->calls[1].arg], 44);
	add("done");
}

/* Those of a call that is hidden are not in the way. */
static void arguments(void **state)
{
	const uint64_t words[] = { 11, 22, 33, 44 };
	struct tl_calltree_config config = usual;
	struct tl_calltree_record r = { .function = 'A', .task = 1, .ns = 1 };
	struct tl_calltree *c;

	(void)state;
	graphs[0] = '\0';
	config.min = 2;
	config.done = arguments_done;
	c = tl_calltree_new(&config);
	r.args = (const char *)&words[0];
	r.arg_count = 2;
	tl_calltree_begin(c, &r);
	r.function = 'b';
	r.args = (const char *)&words[2];
	r.arg_count = 1;
	tl_calltree_begin(c, &r);
	end(c, 1, 'b', 1);
	r.args = (const char *)&words[3];
	tl_calltree_begin(c, &r);
	end(c, 1, 'b', 3);
	end(c, 1, 'A', 9);
	assert_string_equal(graphs, "done");
	tl_calltree_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole),
		cmocka_unit_test(orphans),
		cmocka_unit_test(without_end),
		cmocka_unit_test(limits),
		cmocka_unit_test(limit_of_all),
		cmocka_unit_test(interrupts),
		cmocka_unit_test(off_the_processor),
		cmocka_unit_test(tasks),
		cmocka_unit_test(arguments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
