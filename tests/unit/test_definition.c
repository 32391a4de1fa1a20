/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_definition.c - definitions of probes, as users write them */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "probe/definition.h"
#include "tracelet/kprobe.h"

/* @want: "TYPE ACTIVE NAME|WORD|WORD" */
static void expect(const char *text, const char *want)
{
	struct tl_definition d;
	char have[256];
	unsigned int i, len;

	assert_int_equal(tl_definition_parse(&d, text), 0);
	len = snprintf(have, sizeof(have), "%c %u %s", d.type, d.active,
		       d.name);
	for (i = 0; i < d.count; i++)
		len += snprintf(have + len, sizeof(have) - len, "|%s",
				d.words[i]);
	assert_null(d.words[d.count]);
	assert_string_equal(have, want);
	tl_definition_free(&d);
}

static void refuse(const char *text)
{
	struct tl_definition d;

	assert_int_equal(tl_definition_parse(&d, text), -EINVAL);
	tl_definition_free(&d);
}

static void words(void **state)
{
	(void)state;
	expect("p:open", "p 0 open");
	expect("p:open do_open a b=c", "p 0 open|do_open|a|b=c");
	expect("p:group/open do_open", "p 0 open|do_open");
	expect("r16:open  do_open ", "r 16 open|do_open");
	expect("p: do_open", "p 0 |do_open");
	expect("t:x y", "t 0 x|y");
	expect("f:x%return", "f 0 x%return");
	expect("p:f ((struct a *)b)->c d", "p 0 f|((struct a *)b)->c|d");
	expect("p:f (a b", "p 0 f|(a b");
	expect("p:f a) b", "p 0 f|a)|b");
	expect("p:mod:f", "p 0 mod:f");
	refuse("");
	refuse("p");
	refuse("p:");
	refuse("p: ");
	refuse("x:f");
	refuse("p16:f");
	refuse("r0:f");
	refuse("r4097:f");
	refuse("r99999999999999999999:f");
	refuse("p f");
}

static void filters(void **state)
{
	(void)state;
	assert_true(tl_definition_is("p:f"));
	assert_true(tl_definition_is("r8:f"));
	assert_false(tl_definition_is("pid == 1"));
	assert_false(tl_definition_is("r > 8"));
	assert_false(tl_definition_is("p > 1 && t:"));
	assert_false(tl_definition_is(""));
}

/* @want: "MODULE|SYMBOL|OFFSET", and r, g, a for what it is */
static void place(const char *word, const char *want)
{
	struct tl_place p;
	char have[256];

	assert_int_equal(tl_place_parse(&p, word), 0);
	snprintf(have, sizeof(have), "%s|%s|%s%s%s%s", p.module, p.symbol,
		 p.offset, p.is_return ? " r" : "", p.is_glob ? " g" : "",
		 p.is_address ? " a" : "");
	assert_string_equal(have, want);
}

static void places(void **state)
{
	static const char *const none[] = {
		"",     "%return", "a=b", "%di",     "+0(%si)", "$retval",
		"a->b", "a+",      ":a",  "a+b",     "(a)",     "a+0x",
		"m:",   "a:b:c",   "a b", "a[1]:u8", "\\1",     "@a",
	};
	unsigned int i;

	(void)state;
	place("vfs_read", "|vfs_read|");
	place("a.isra.0", "|a.isra.0|");
	place("vfs_read+0x10", "|vfs_read|+0x10");
	place("vfs_read%return", "|vfs_read| r");
	place("ext4:ext4_open+4%return", "ext4|ext4_open|+4 r");
	place("tcp_*", "|tcp_*| g");
	place("vfs_[rw]*", "|vfs_[rw]*| g");
	place("vfs_[^r]*", "|vfs_[!r]*| g");
	place("snd-pcm:open", "snd_pcm|open|");
	place("0xffffffff81000000", "|0xffffffff81000000| a");
	for (i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		struct tl_place p;

		assert_int_equal(tl_place_parse(&p, none[i]), -EINVAL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words),
		cmocka_unit_test(filters),
		cmocka_unit_test(places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
