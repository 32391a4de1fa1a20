/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_execrow.c - the arguments of exec() in a row */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/part.h"
#include "base/session.h"
#include "option/parse.h"
#include "out/out.h"
#include "trace/execargs.h"

#define STR(s) ((struct tl_str){ s, sizeof(s) - 1 })

static const struct tl_column columns[] = {
	{ "ARGS", "args", 0, TL_ARGV, TL_SHOW_ALL },
	{ 0 },
};

/* Arguments that have all come, and end with NULs. */
#define ARGS(n, all)                                                    \
	{                                                               \
		.argc = n, .size = sizeof(all), .parts = 1, .text = all \
	}

/* The column as "ARG|ARG|"; "?" is not known, "..." that there are more. */
static void expect(struct tl_exec_args *a, unsigned int max, const char *want)
{
	struct tl_out_config config = { .fd = 1, .columns = columns };
	struct tl_session s = { .out = tl_out_new(&config) };
	const struct tl_value *v = tl_out_cell(s.out, 0);
	char text[128] = "";
	size_t i;

	/* no process has this one */
	tl_put_exec_args(&s, 0, a, -1, max, STR("/bin/ls"));
	for (i = 0; i < v->count; i++) {
		const struct tl_value *arg = &v->list[i].value;

		if (arg->known)
			strncat(text, arg->str.text, arg->str.len);
		else
			strcat(text, "?");
		strcat(text, arg->more ? "...|" : "|");
	}
	strcat(text, v->more ? "..." : "");
	assert_string_equal(text, want);
	tl_parts_free(&s);
	tl_out_free(s.out);
}

static void rows(void **state)
{
	static char text[] = "ls\0-l";
	struct tl_exec_args two = ARGS(2, text), wrong = ARGS(7, text);
	struct tl_exec_args cut = ARGS(3, text), none = { 0 };

	(void)state;
	expect(&two, 0, "ls|-l|");
	expect(&two, 2, "ls|-l|");
	expect(&two, 9, "ls|-l|");
	expect(&two, 1, "ls|...");
	expect(&none, 0, "/bin/ls|?|");
	expect(&none, 1, "/bin/ls|...");
	/* what is there is fewer, or other, than is said to be */
	expect(&wrong, 0, "/bin/ls|?|");
	cut.size = TL_EXEC_ARGS_MAX + 1;
	cut.text = calloc(1, TL_EXEC_ARGS_MAX + 1);
	memset(cut.text, 'x', TL_EXEC_ARGS_MAX);
	memcpy(cut.text, "ls\0-l", 6);
	expect(&cut, 2, "ls|-l|...");
	free(cut.text);
}

static bool matches(const char *re, const struct tl_exec_args *a,
		    struct tl_str file)
{
	struct tl_regex regex = { 0 };
	bool yes;

	assert_int_equal(tl_regex_compile(&regex, "name", re), 0);
	yes = tl_exec_args_match(a, &regex, file);
	regfree(&regex.re);
	return yes;
}

static void names(void **state)
{
	static char text[] = "-bash\0-l";
	const struct tl_exec_args a = ARGS(2, text), none = { 0 };

	(void)state;
	assert_true(matches("^busybox$", &a, STR("/usr/bin/busybox")));
	assert_true(matches("^-bash$", &a, STR("/usr/bin/busybox")));
	assert_true(matches("^ls$", &none, STR("ls")));
	assert_false(matches("bin", &a, STR("/usr/bin/busybox")));
	assert_false(matches("-l", &a, STR("/usr/bin/busybox")));
	assert_false(matches("bash", &none, STR("")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
