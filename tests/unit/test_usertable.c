/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_usertable.c - names of addresses in processes, as a capture has them */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "trace/usertable.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static int open_table(void **state)
{
	*state = tl_user_table_new(0);
	return *state ? 0 : -1;
}

static int close_table(void **state)
{
	tl_user_table_free(*state);
	return 0;
}

static struct tl_user_address at(pid_t process, uint64_t addr, uint64_t ns)
{
	return (struct tl_user_address){ .process = process,
					 .addr = addr,
					 .ns = ns };
}

static void add(void **state, struct tl_user_address a, const char *function,
		const char *file, uint64_t offset)
{
	const struct tl_user_symbol sym = { function, file, offset };

	tl_user_table_add(*state, &a, &sym, false);
}

static void expect(const struct tl_user_names *n, struct tl_user_address a,
		   const char *want)
{
	struct tl_user_symbol sym = { .offset = a.addr };
	struct tl_buf b = { 0 };

	tl_user_names_find(n, &a, &sym);
	tl_user_symbol_text(&b, &sym);
	tl_buf_char(&b, '\0');
	assert_string_equal(b.data, want);
	tl_buf_free(&b);
}

/* As a replay has it, of programs seen at @since or later. */
static struct tl_user_names *replay(void **state, uint64_t since, size_t *len)
{
	struct tl_user_names *n;
	struct tl_buf b = { 0 };

	assert_int_equal(tl_user_table_save(*state, since, &b), 0);
	assert_false(b.failed);
	n = tl_user_names_load(b.data, b.len);
	assert_non_null(n);
	if (len)
		*len = b.len;
	tl_buf_free(&b);
	return n;
}

static void as_added(void **state)
{
	struct tl_user_names *n;
	struct tl_user_address back = at(7, 0x5000, 10);

	back.is_return = true;
	add(state, at(7, 0x5000, 10), "main", "prog", 0x10);
	add(state, back, "before", "prog", 0x1234567890);
	add(state, at(7, UINT64_MAX, 10), NULL, "[vsyscall]", 5);
	add(state, at(7, 0, 10), NULL, "libc.so.6", 0);
	add(state, at(8, 0x5000, 10), "other", "prog", 0);
	add(state, at(8, 0x9000, 10), NULL, NULL, 0x9000);
	n = replay(state, 0, NULL);
	expect(n, at(7, 0x5000, 10), "main+0x10 (prog)");
	expect(n, back, "before+0x1234567890 (prog)");
	expect(n, at(7, UINT64_MAX, 10), "[vsyscall]+0x5");
	expect(n, at(7, 0, 10), "libc.so.6+0x0");
	expect(n, at(8, 0x5000, 10), "other+0x0 (prog)");
	expect(n, at(8, 0x9000, 10), "0x9000");
	expect(n, at(8, 0x5001, 10), "0x5001");
	expect(n, at(9, 0x5000, 10), "0x5000");
	tl_user_names_free(n);
}

/* The same process, and the same address. */
static void another_program(void **state)
{
	struct tl_user_names *n;
	add(state, at(7, 0x5000, 10), "first", "a", 0);
	tl_user_table_walked(*state, 7, 10, true);
	tl_user_table_end(*state, 7, 20);
	tl_user_table_end(*state, 7, 21);
	add(state, at(7, 0x5000, 30), "second", "b", 0);
	tl_user_table_walked(*state, 7, 30, false);
	tl_user_table_end(*state, 7, 40);
	n = replay(state, 0, NULL);
	expect(n, at(7, 0x5000, 1), "first+0x0 (a)");
	expect(n, at(7, 0x5000, 19), "first+0x0 (a)");
	expect(n, at(7, 0x5000, 20), "second+0x0 (b)");
	expect(n, at(7, 0x5000, 39), "second+0x0 (b)");
	expect(n, at(7, 0x5000, 40), "0x5000");
	assert_true(tl_user_names_is_walked(n, 7, 10));
	assert_false(tl_user_names_is_walked(n, 7, 30));
	assert_true(tl_user_names_is_walked(n, 9, 30));
	tl_user_names_free(n);
}

/* Code that is made at run time. */
static void another_name(void **state)
{
	struct tl_user_names *n;
	add(state, at(7, 0x5000, 10), NULL, NULL, 0x5000);
	add(state, at(7, 0x5000, 20), "one", "perf-7.map", 0);
	add(state, at(7, 0x5000, 30), NULL, NULL, 0x5000);
	add(state, at(7, 0x5000, 40), "two", "perf-7.map", 0);
	add(state, at(7, 0x5000, 50), "one", "perf-7.map", 0);
	n = replay(state, 0, NULL);
	expect(n, at(7, 0x5000, 10), "one+0x0 (perf-7.map)");
	expect(n, at(7, 0x5000, 39), "one+0x0 (perf-7.map)");
	expect(n, at(7, 0x5000, 40), "two+0x0 (perf-7.map)");
	expect(n, at(7, 0x5000, 50), "one+0x0 (perf-7.map)");
	tl_user_names_free(n);
}

/* They end somewhere: the last one counts. */
static void many_names(void **state)
{
	struct tl_user_names *n;
	char name[16];
	unsigned int i;

	for (i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		add(state, at(7, 0x5000, 10 + i), name, "perf-7.map", 0);
	}
	n = replay(state, 0, NULL);
	expect(n, at(7, 0x5000, 10), "f0+0x0 (perf-7.map)");
	expect(n, at(7, 0x5000, 200), "f99+0x0 (perf-7.map)");
	tl_user_names_free(n);
}

static void looked_up_again(void **state)
{
	const struct tl_user_symbol sym = { .offset = 0x5000 };
	const struct tl_user_address a = at(7, 0x5000, 10),
				     later = at(7, 0x5000, 1000000000);

	assert_false(tl_user_table_has(*state, &a));
	tl_user_table_add(*state, &a, &sym, true);
	assert_true(tl_user_table_has(*state, &a));
	assert_false(tl_user_table_has(*state, &later));
	add(state, later, "main", "prog", 0);
	assert_true(tl_user_table_has(*state, &later));
}

/* A file of --rotate, or the last seconds. */
static void what_was_seen(void **state)
{
	struct tl_user_names *n;
	const struct tl_user_address seen = at(8, 0x5000, 30);

	add(state, at(7, 0x5000, 10), "main", "prog", 0);
	add(state, at(8, 0x5000, 10), "other", "prog", 0);
	assert_true(tl_user_table_has(*state, &seen));
	n = replay(state, 30, NULL);
	expect(n, at(7, 0x5000, 10), "0x5000");
	expect(n, seen, "other+0x0 (prog)");
	tl_user_names_free(n);
}

/* An address that no other process has. */
static uint64_t frame(unsigned int process, unsigned int i)
{
	return 0x55d000000000 * process + i * 24UL;
}

static void fill(void **state, unsigned int processes, unsigned int frames)
{
	char name[32];
	unsigned int p, i;

	for (p = 1; p <= processes; p++) {
		for (i = 0; i < frames; i++) {
			snprintf(name, sizeof(name), "function_%u", i % 500);
			add(state, at((pid_t)p, frame(p, i), p), name,
			    "program", i % 16);
		}
	}
}

/* Names stand there once, and an address takes few bytes. */
static void is_small(void **state)
{
	struct tl_user_names *n;
	size_t len;

	fill(state, 100, 1000);
	n = replay(state, 0, &len);
	assert_in_range(len, 100000, 450000);
	expect(n, at(100, frame(100, 999), 100), "function_499+0x7 (program)");
	tl_user_names_free(n);
}

static struct tl_user_names *save_and_load(struct tl_user_table *t,
					   uint64_t *missing)
{
	struct tl_user_names *n;
	struct tl_buf b = { 0 };

	*missing = tl_user_table_save(t, 0, &b);
	n = tl_user_names_load(b.data, b.len);
	tl_buf_free(&b);
	assert_non_null(n);
	return n;
}

/* What is there stays, and what has no room is told once. */
static void full(void **state)
{
	const struct tl_user_address more = at(601, 0x5000, 601),
				     none = at(501, frame(501, 0), 501);
	struct tl_user_symbol sym;
	struct tl_user_names *n;
	uint64_t missing;

	fill(state, 600, 1000);
	assert_true(tl_user_table_has(*state, &more));
	n = save_and_load(*state, &missing);
	assert_int_equal(missing, 100001);
	expect(n, at(1, 0x55d000000000, 1), "function_0+0x0 (program)");
	expect(n, at(500, frame(500, 999), 500), "function_499+0x7 (program)");
	assert_false(tl_user_names_find(n, &none, &sym));
	tl_user_names_free(n);
	tl_user_names_free(save_and_load(*state, &missing));
	assert_int_equal(missing, 0);
}

/* Where only the last records count, what is older makes room. */
static void full_of_old(void **state)
{
	struct tl_user_names *n;
	uint64_t missing;

	tl_user_table_free(*state);
	*state = tl_user_table_new(300);
	fill(state, 600, 1000);
	n = save_and_load(*state, &missing);
	assert_int_equal(missing, 0);
	expect(n, at(1, 0x55d000000000, 1), "0x55d000000000");
	expect(n, at(300, frame(300, 0), 300), "function_0+0x0 (program)");
	expect(n, at(600, frame(600, 999), 600), "function_499+0x7 (program)");
	tl_user_names_free(n);
}

/* One program has all the room: that is no reason to forget all of it. */
static void full_of_one(void **state)
{
	struct tl_user_names *n;
	uint64_t missing;
	unsigned int i;

	tl_user_table_free(*state);
	*state = tl_user_table_new(300);
	for (i = 0; i < 500010; i++)
		add(state, at(7, 0x5000 + i, i), "main", "program", 0);
	n = save_and_load(*state, &missing);
	assert_int_equal(missing, 10);
	expect(n, at(7, 0x5000, 1), "main+0x0 (program)");
	tl_user_names_free(n);
}

/* What has no name makes room for what has. */
static void full_of_unnamed(void **state)
{
	struct tl_user_names *n;
	uint64_t missing;
	unsigned int i;

	for (i = 0; i < 500000; i++)
		add(state, at(7, 0x5000 + i, i), NULL, NULL, 0x5000 + i);
	add(state, at(7, 0x1000, i), "main", "program", 0);
	n = save_and_load(*state, &missing);
	assert_int_equal(missing, 0);
	expect(n, at(7, 0x1000, i), "main+0x0 (program)");
	tl_user_names_free(n);
}

/* Texts and symbols that only the forgotten had go with them. */
static void after_forgetting(void **state)
{
	struct tl_user_names *n;
	char name[16];
	unsigned int i;
	size_t len;

	for (i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		add(state, at((pid_t)i + 1, 0x5000, i), name, "prog", i);
	}
	n = replay(state, 990, &len);
	assert_in_range(len, 10 * 10, 10 * 20);
	tl_user_names_free(n);
	for (i = 995; i < 1100; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		add(state, at((pid_t)i + 1, 0x5000, i), name, "prog", i);
	}
	n = replay(state, 0, NULL);
	expect(n, at(990, 0x5000, 1200), "0x5000");
	expect(n, at(991, 0x5000, 1200), "f990+0x3de (prog)");
	expect(n, at(1000, 0x5000, 1200), "f999+0x3e7 (prog)");
	expect(n, at(1100, 0x5000, 1200), "f1099+0x44b (prog)");
	tl_user_names_free(n);
}

/* Of so many that looking through all of them for each would not end. */
static void many_programs(void **state)
{
	struct tl_user_names *n;
	unsigned int i;

	for (i = 1; i <= 200000; i++) {
		add(state, at(7, 0x5000 + i, i), "main", "prog", i);
		tl_user_table_end(*state, 7, i + 1);
	}
	n = replay(state, 0, NULL);
	for (i = 1; i <= 200000; i++) {
		struct tl_user_address a = at(7, 0x5000 + i, i);
		struct tl_user_symbol sym;

		assert_true(tl_user_names_find(n, &a, &sym));
		assert_int_equal(sym.offset, i);
		a.ns++;
		assert_false(tl_user_names_find(n, &a, &sym));
	}
	tl_user_names_free(n);
}

/* Nothing that is not all of it is taken, whatever byte is another one. */
static void damaged(void **state)
{
	struct tl_buf b = { 0 };
	char was;
	size_t i, bit;

	tl_user_table_walked(*state, 7, 10, true);
	add(state, at(7, 0x5000, 10), "main", "prog", 0x10);
	add(state, at(7, 0x5000, 20), "later", "prog", 0x10);
	tl_user_table_end(*state, 7, 30);
	add(state, at(7, 0x5000, 40), NULL, "another", 0x1000);
	add(state, at(8, 0x123456789a, 40), "main", "prog", 0x10);
	assert_int_equal(tl_user_table_save(*state, 0, &b), 0);
	for (i = 0; i < b.len; i++) {
		errno = 0;
		assert_null(tl_user_names_load(b.data, i));
		assert_int_equal(errno, EBADMSG);
	}
	for (i = 0; i < b.len; i++) {
		was = b.data[i];
		for (bit = 0; bit < 8; bit++) {
			b.data[i] = (char)(was ^ 1 << bit);
			tl_user_names_free(tl_user_names_load(b.data, b.len));
		}
		b.data[i] = was;
	}
	tl_buf_free(&b);
}

/* It says that more follows than there is. */
static void huge(void **state)
{
	static const char *const all[] = {
		"\1\377\377\377\377\377\377\377\377\177",
		"\1\1a\0\377\377\377\377\17",
		"\1\1a\0\1\1\1\0\1\1\0\377\377\377\377\17",
		"\1\1a\0\1\1\1\0\1\377\377\377\377\17\0\0",
		"\1\200\200\200\200\200\200\200\200\200\200\200\1",
		"\2",
	};
	static const size_t lens[] = { 10, 9, 16, 16, 13, 1 };
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(all); i++) {
		errno = 0;
		assert_null(tl_user_names_load(all[i], lens[i]));
		assert_int_equal(errno, EBADMSG);
	}
}

/*
 * Addresses that come again are more than there is room for in any order: no frame may be at
 * or before the one before.
 */
static void out_of_order(void **state)
{
	static const struct {
		const char *frames; /* of one program: two of them */
		size_t len;
		bool is_good;
	} all[] = {
		/* the same with a later time, or none */
		{ "\0\5\0\0\7", 5, true },
		{ "\0\5\1\0", 4, true },
		{ "\1\5\0\0", 4, false },
		/* around the end of all addresses */
		{ "\0\5\0\377\377\377\377\377\377\377\377\377\1", 13, false },
		{ "\0\5\0\372\377\377\377\377\377\377\377\377\1", 13, true },
	};
	struct tl_buf b = { 0 };
	struct tl_user_names *n;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(all); i++) {
		b.len = 0;
		tl_buf_add(&b, "\1\1a\0\1\0\1\0\1\7\0\5", 12);
		tl_buf_add(&b, all[i].frames, all[i].len);
		n = tl_user_names_load(b.data, b.len);
		assert_int_equal(!!n, all[i].is_good);
		tl_user_names_free(n);
	}
	tl_buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(as_added, open_table,
						close_table),
		cmocka_unit_test_setup_teardown(another_program, open_table,
						close_table),
		cmocka_unit_test_setup_teardown(another_name, open_table,
						close_table),
		cmocka_unit_test_setup_teardown(many_names, open_table,
						close_table),
		cmocka_unit_test_setup_teardown(looked_up_again, open_table,
						close_table),
		cmocka_unit_test_setup_teardown(what_was_seen, open_table,
						close_table),
		cmocka_unit_test_setup_teardown(is_small, open_table,
						close_table),
		cmocka_unit_test_setup_teardown(full, open_table, close_table),
		cmocka_unit_test_setup_teardown(full_of_old, open_table,
						close_table),
		cmocka_unit_test_setup_teardown(full_of_one, open_table,
						close_table),
		cmocka_unit_test_setup_teardown(full_of_unnamed, open_table,
						close_table),
		cmocka_unit_test_setup_teardown(after_forgetting, open_table,
						close_table),
		cmocka_unit_test_setup_teardown(many_programs, open_table,
						close_table),
		cmocka_unit_test_setup_teardown(damaged, open_table,
						close_table),
		cmocka_unit_test(huge),
		cmocka_unit_test(out_of_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
