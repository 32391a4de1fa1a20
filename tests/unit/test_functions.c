/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_functions.c - lines of /proc/kallsyms, names that are near, and what a
 * user asks for
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/part.h"
#include "base/recording.h"
#include "kernel/functions.h"
#include "kernel/kallsyms.h"
#include "option/suggest.h"
#include "tracelet/symbol.h"

/* @want: "ADDRESS NAME MODULE"; NULL: not a function */
static void expect(const char *text, const char *want)
{
	struct tl_kallsym sym;
	char line[128], have[128];

	snprintf(line, sizeof(line), "%s", text);
	assert_int_equal(tl_kallsym_parse(line, &sym), want != NULL);
	if (!want)
		return;
	snprintf(have, sizeof(have), "%llx %s %s", (unsigned long long)sym.addr,
		 sym.name, sym.module);
	assert_string_equal(have, want);
}

static void lines(void **state)
{
	(void)state;
	expect("ffffffff81000000 T _text\n", "ffffffff81000000 _text ");
	expect("ffffffffc0001000 t f.isra.0\t[9p]\n",
	       "ffffffffc0001000 f.isra.0 9p");
	expect("0000000000000000 W weak\n", "0 weak ");
	expect("10 t f\t[m", "10 f m");
	expect("10 t f", "10 f ");
	expect("10 t f\t", "10 f ");
	expect("ffffffff82000000 D data\n", NULL);
	expect("ffffffff82000000\n", NULL);
	expect("10 ", NULL);
	expect("10 t", NULL);
	expect("10 tx f", NULL);
	expect("", NULL);
	expect("nonsense\n", NULL);
}

static struct tl_suggestions try_all(const char *name)
{
	static const char *const names[] = {
		"vfs_read",  "vfs_readv", "vfs_readlink",
		"vfs_write", "x",         "vfs_read"
	};
	struct tl_suggestions near = { .name = name };
	unsigned int i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		tl_suggest_try(&near, names[i]);
	return near;
}

static void near_names(void **state)
{
	struct tl_suggestions near = try_all("vfs_raed");

	(void)state;
	assert_int_equal(near.count, 1);
	assert_string_equal(near.found[0], "vfs_read");
	assert_true(tl_suggest_report(&near));
	/* as far from both */
	near = try_all("vfs_readx");
	assert_int_equal(near.count, 2);
	near = try_all("do_something_else");
	assert_int_equal(near.count, 0);
	assert_false(tl_suggest_report(&near));
	near = try_all("y");
	assert_int_equal(near.count, 1);
	assert_string_equal(near.found[0], "x");
}

static void prefer(const char *name, const char *wanted, const char *other)
{
	struct tl_suggestions near = { .name = name };

	tl_suggest_try(&near, other);
	tl_suggest_try(&near, wanted);
	tl_suggest_try(&near, other);
	assert_int_equal(near.count, 1);
	assert_string_equal(near.found[0], wanted);
}

/* Who types begins right, and may not remember the end. */
static void prefer_the_same_beginning(void **state)
{
	(void)state;
	prefer("vfs_reed", "vfs_read", "vfs_seed");
	prefer("tcp_retrans", "tcp_retransmit_skb", "tcp_retain");
	prefer("do_sys_op", "do_sys_openat2", "do_sys_old");
	/* but not what is much further away */
	prefer("vsf_read", "vfs_read", "vsf_rxxd_x");
	assert_true(tl_suggest_distance("vfs", "vfs_read") == 5);
}

static void several_args(void **state)
{
	struct tl_functions f = { 0 };
	static char *words[] = { "vfs_read,vfs_write", "tcp_*", "!" };

	(void)state;
	assert_int_equal(tl_functions_args(&f, 2, words), 0);
	assert_int_equal(f.count, 3);
	assert_string_equal(f.list[2], "tcp_*");
	assert_int_equal(tl_functions_add(&f, "--except", NULL), 0);
	assert_int_equal(f.count, 3);
	assert_int_equal(tl_functions_args(&f, 3, words), -EINVAL);
	tl_functions_free(&f);
}

/* @want: what the kernel is told, with blanks between; NULL: refused */
static void expect_words(const char *text, const char *want)
{
	struct tl_functions f = { 0 };
	char have[256] = "";
	unsigned int i;

	assert_int_equal(tl_functions_add(&f, "functions", text),
			 want ? 0 : -EINVAL);
	for (i = 0; want && i < f.count; i++)
		snprintf(have + strlen(have), sizeof(have) - strlen(have),
			 "%s%s", i ? " " : "", f.list[i]);
	if (want)
		assert_string_equal(have, want);
	tl_functions_free(&f);
	assert_int_equal(f.count, 0);
}

static void words(void **state)
{
	(void)state;
	expect_words("vfs_read", "vfs_read");
	expect_words(" vfs_*  tcp_*,ip_?x ", "vfs_* tcp_* ip_?x");
	expect_words("xfs:xfs_*", "xfs_*:mod:xfs");
	expect_words("xfs_*:mod:xfs", "xfs_*:mod:xfs");
	expect_words(":mod:xfs", ":mod:xfs");
	expect_words("", NULL);
	expect_words(" , ", NULL);
	expect_words("!vfs_read", NULL);
	expect_words("vfs_read !vfs_write", NULL);
	expect_words("vfs_read:traceoff:3", NULL);
	expect_words(":vfs_read", NULL);
	expect_words("xfs:", NULL);
	expect_words(":mod:", NULL);
	expect_words(":mod:a:b", NULL);
	expect_words("xfs:mod:", NULL);
	/* places in the kernel's list */
	expect_words("5", NULL);
	expect_words("xfs:5", NULL);
	expect_words("9p:v9fs_*", "v9fs_*:mod:9p");
	expect_words(":mod:9p", ":mod:9p");
	expect_words("!f:mod:xfs", NULL);
	expect_words("xfs:!f", NULL);
}

static void matching(void **state)
{
	struct tl_functions f = { 0 };

	(void)state;
	assert_false(tl_functions_match(&f, "vfs_read", ""));
	assert_int_equal(tl_functions_add(&f, "functions",
					  "vfs_r* :mod:xfs ext4:ext4_?"),
			 0);
	assert_true(tl_functions_match(&f, "vfs_read", ""));
	assert_true(tl_functions_match(&f, "vfs_read", "m"));
	assert_false(tl_functions_match(&f, "vfs_write", ""));
	assert_true(tl_functions_match(&f, "anything", "xfs"));
	assert_true(tl_functions_match(&f, "ext4_x", "ext4"));
	assert_false(tl_functions_match(&f, "ext4_x", ""));
	assert_false(tl_functions_match(&f, "ext4_xy", "ext4"));
	tl_functions_free(&f);
}

/* Of a capture: those that an address is in, and what says where they end. */
static void kept_symbols(void **state)
{
	static const char all[] = "0000000000001000 T first\n"
				  "0000000000001100 t second\n"
				  "0000000000001100 t alias\n"
				  "0000000000001200 t third\n"
				  "0000000000001300 t fourth\t[mod]\n"
				  "0000000000001400 t last\n";
	struct tl_recording recording = { 0 };
	struct tl_session s = { .recording = &recording };
	struct tl_buf b = { 0 };
	uint64_t offset;

	(void)state;
	tl_recording_load(&recording, "", 0);
	tl_recording_note(&recording, "/proc/kallsyms", all, sizeof(all) - 1,
			  0);
	assert_int_equal(tl_symbols_load(&s), 0);
	tl_symbols_mark(&s, 0);
	tl_symbols_mark(&s, 0xfff);
	tl_symbols_mark(&s, UINT64_MAX);
	tl_symbols_save(&s, &b);
	assert_int_equal(b.len, 0);
	tl_symbols_mark(&s, 0x1150);
	tl_symbols_mark(&s, 0x1300);
	tl_symbols_save(&s, &b);
	tl_buf_char(&b, '\0');
	assert_string_equal(b.data, "0000000000001100 t second\n"
				    "0000000000001200 t third\n"
				    "0000000000001300 t fourth\t[mod]\n"
				    "0000000000001400 t last\n");
	tl_parts_free(&s);
	/* they say the same as all */
	tl_recording_note(&recording, "/proc/kallsyms", b.data, b.len - 1, 0);
	assert_int_equal(tl_symbols_load(&s), 0);
	assert_string_equal(tl_symbol(&s, 0x1150, &offset), "second");
	assert_int_equal(offset, 0x50);
	assert_string_equal(tl_symbol(&s, 0x13ff, &offset), "fourth");
	assert_string_equal(tl_symbol_module(&s, 0x13ff), "mod");
	assert_null(tl_symbol(&s, 0x10ff, &offset));
	tl_parts_free(&s);
	tl_buf_free(&b);
	tl_recording_free(&recording);
}

/* Whatever it is that a capture has for it. */
static void other_symbols(void **state)
{
	static const char wrong[] = "\n\0\n10 t\nffffffffffffffff t top\n"
				    "x t y\n10 t \xff\n5 t low\n10 t";
	struct tl_recording recording = { 0 };
	struct tl_session s = { .recording = &recording };
	uint64_t offset;

	(void)state;
	tl_recording_load(&recording, "", 0);
	tl_recording_note(&recording, "/proc/kallsyms", wrong,
			  sizeof(wrong) - 1, 0);
	assert_int_equal(tl_symbols_load(&s), 0);
	assert_string_equal(tl_symbol(&s, 6, &offset), "low");
	assert_string_equal(tl_symbol(&s, UINT64_MAX, &offset), "top");
	assert_null(tl_symbol(&s, 4, &offset));
	tl_symbols_mark(&s, UINT64_MAX);
	tl_parts_free(&s);
	tl_recording_free(&recording);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),
		cmocka_unit_test(near_names),
		cmocka_unit_test(prefer_the_same_beginning),
		cmocka_unit_test(several_args),
		cmocka_unit_test(words),
		cmocka_unit_test(matching),
		cmocka_unit_test(kept_symbols),
		cmocka_unit_test(other_symbols),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
