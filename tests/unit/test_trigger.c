/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_trigger.c - the text of hist files: good, and every kind of bad one */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "trace/trigger.h"

/* What came, as "KEY|KEY=HITS+VALUE+VALUE;" per entry. */
struct got {
	char text[1024];
	size_t len;
	int stop; /* what the function returns */
	struct tl_trigger_totals totals;
};

static int on_entry(void *ctx, const struct tl_trigger_entry *e)
{
	struct got *g = ctx;
	unsigned int i;

#define ADD(...)                                      \
	(g->len += (size_t)snprintf(g->text + g->len, \
				    sizeof(g->text) - g->len, __VA_ARGS__))
	for (i = 0; i < e->count; i++)
		ADD("%s%.*s", i ? "|" : "", (int)e->keys[i].len,
		    e->keys[i].text);
	ADD("=%llu", (unsigned long long)e->hits);
	for (i = 0; i < e->values; i++)
		ADD("+%llu", (unsigned long long)e->value[i]);
	ADD(";");
	return g->stop;
}

#define HEAD                                                                 \
	"# event histogram\n#\n# trigger info: hist:keys=ret:vals=hitcount:" \
	"sort=hitcount:size=2048 [active]\n#\n\n"
#define TOTALS "\nTotals:\n    Hits: 12\n    Entries: 2\n    Dropped: 3\n"

static struct got parse(const char *text, unsigned int keys, int want)
{
	char *copy = strdup(text);
	struct got g = { .stop = 0 };

	assert_non_null(copy);
	assert_int_equal(tl_trigger_parse(copy, keys, on_entry, &g, &g.totals),
			 want);
	free(copy);
	return g;
}

static void one_key(void **state)
{
	struct got g = parse(
		HEAD "{ ret:       1759 } hitcount:          1\n"
		     "{ ret: 18446744073709551595 } hitcount:   11\n" TOTALS,
		1, 0);

	(void)state;
	assert_string_equal(g.text, "1759=1;18446744073709551595=11;");
	assert_int_equal(g.totals.hits, 12);
	assert_int_equal(g.totals.entries, 2);
	assert_int_equal(g.totals.dropped, 3);
}

static void empty_table(void **state)
{
	(void)state;
	assert_string_equal(parse(HEAD TOTALS, 1, 0).text, "");
}

static void several_keys_and_values(void **state)
{
	struct got g = parse(
		HEAD "{ id:  0, common_pid:        164 } hitcount:  2  count:"
		     "        8192  len:  18446744073709551615\n" TOTALS,
		2, 0);

	(void)state;
	assert_string_equal(g.text, "0|164=2+8192+18446744073709551615;");
}

static void symbols_and_names(void **state)
{
	struct got g = parse(
		HEAD
		"{ __probe_ip: [ffffffff81234567] vfs_read             } "
		"hitcount:   7\n"
		"{ common_pid: my, sh: x       [       164], id: sys_read   "
		"[  0] } hitcount:   8\n" TOTALS,
		1, 0);

	(void)state;
	assert_string_equal(
		g.text,
		"[ffffffff81234567] vfs_read=7;"
		"my, sh: x       [       164], id: sys_read   [  0]=8;");
}

static void text_with_braces(void **state)
{
	struct got g =
		parse(HEAD "{ comm: a } hitcount: 9   } hitcount:   8\n"
			   "{ comm: , b:   , id:     3 } hitcount: 1\n" TOTALS,
		      1, 0);

	(void)state;
	assert_string_equal(g.text, "a } hitcount: 9=8;, b:   , id:     3=1;");
}

/* What is not an entry is passed over, what has no totals is not whole. */
static void broken_lines(void **state)
{
	struct got g = parse(HEAD "{ ret: 1\n"
				  "{ ret: 1 } hitcount:\n"
				  "{ ret: 1 } hitcount: x\n"
				  "{ ret 1 } hitcount: 1\n"
				  "{ } hitcount: 1\n"
				  "{\n"
				  "}\n"
				  "{ ret: 1 } hitcount: -1\n"
				  "{ ret: 2 } hitcount: 1\n" TOTALS
				  "{ ret: 3 } hitcount: 1\n",
			     1, 0);

	(void)state;
	assert_string_equal(g.text, "2=1;");
	parse("{ a: 2 } hitcount: 1\n" TOTALS, 2, 0);
	parse("", 1, -EPROTO);
	parse(HEAD "{ ret: 2 } hitcount: 1\n", 1, -EPROTO);
	parse(HEAD "Totals:\n    Hits: 12\n    Entries: 2\n    Drop", 1,
	      -EPROTO);
}

static void stops_when_told(void **state)
{
	char text[] = "{ a: 1 } hitcount: 1\n{ a: 2 } hitcount: 1\n" TOTALS;
	struct got g = { .stop = -ENOMEM };

	(void)state;
	assert_int_equal(tl_trigger_parse(text, 1, on_entry, &g, &g.totals),
			 -ENOMEM);
	assert_string_equal(g.text, "1=1;");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_key),
		cmocka_unit_test(empty_table),
		cmocka_unit_test(several_keys_and_values),
		cmocka_unit_test(symbols_and_names),
		cmocka_unit_test(text_with_braces),
		cmocka_unit_test(broken_lines),
		cmocka_unit_test(stops_when_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
