// SPDX-License-Identifier: GPL-2.0-or-later
/* test_udef.c - probes in programs as a user writes them */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/session.h"
#include "elf/usdt.h"
#include "probe/udef.h"
#include "tracelet/uprobe.h"

static void same(const char *have, const char *want)
{
	if (!want)
		assert_null(have);
	else
		assert_string_equal(have, want);
}

static void check(const char *text, const char *name, const char *target,
		  const char *symbol, uint64_t offset, const char *args)
{
	struct tl_udef d;

	assert_int_equal(tl_udef_parse(&d, text), 0);
	assert_int_equal(d.type, *text);
	same(d.name, name);
	same(d.target, target);
	same(d.symbol, symbol);
	assert_int_equal(d.offset, offset);
	same(d.args, args);
	tl_udef_free(&d);
}

static void test_definitions(void **state)
{
	(void)state;
	check("p:bash:readline", NULL, "bash", "readline", 0, "");
	check("p:/bin/bash:readline", NULL, "/bin/bash", "readline", 0, "");
	check("p:  my bash:readline  %di ", "my", "bash", "readline", 0,
	      "%di ");
	check("p:grp/my /bin/bash:f", "my", "/bin/bash", "f", 0, "");
	check("r:bash:readline +0($retval):string", NULL, "bash", "readline", 0,
	      "+0($retval):string");
	check("p:libc:0xbf130", NULL, "libc", NULL, 0xbf130, "");
	check("p:libc:123 %ax", NULL, "libc", NULL, 123, "%ax");
	check("p:libc:f+0x1c a=%di", NULL, "libc", "f", 0x1c, "a=%di");
	check("p::main", NULL, "", "main", 0, "");
	check("p:/a b/c d:f", NULL, "/a b/c d", "f", 0, "");
	check("p:n /a b/c d:f\tx=%di", "n", "/a b/c d", "f", 0, "x=%di");
	check("u:/bin/x:shop:order", NULL, "/bin/x", "shop:order", 0, "");
	check("u:my libc:libc:setjmp $arg1", "my", "libc", "libc:setjmp", 0,
	      "$arg1");
}

static void test_cxx_names(void **state)
{
	(void)state;
	check("p:x:ns::f(int, char const*) a=%di", NULL, "x",
	      "ns::f(int, char const*)", 0, "a=%di");
	check("p:n x:ns::f(int) const a=%di", "n", "x", "ns::f(int) const", 0,
	      "a=%di");
	check("p:x:ns::f<A, B(int)>::g %di", NULL, "x", "ns::f<A, B(int)>::g",
	      0, "%di");
	check("p:x:operator new(unsigned long) %di", NULL, "x",
	      "operator new(unsigned long)", 0, "%di");
	check("p:x:ns::X::operator()(int, A) %di", NULL, "x",
	      "ns::X::operator()(int, A)", 0, "%di");
	check("p:x:X::operator<<(A&, B<int>) %di", NULL, "x",
	      "X::operator<<(A&, B<int>)", 0, "%di");
	check("p:x:X::operator-> %di", NULL, "x", "X::operator->", 0, "%di");
	check("p:x:X::operator bool() const %di", NULL, "x",
	      "X::operator bool() const", 0, "%di");
	check("p:x:my_operator %di", NULL, "x", "my_operator", 0, "%di");
	check("p:x:X::operator+ %di", NULL, "x", "X::operator+", 0, "%di");
	check("p:x:f(int)+0x10 %di", NULL, "x", "f(int)", 0x10, "%di");
	/* what never ends is a name too, which no file has */
	check("p:x:f(int %di", NULL, "x", "f(int %di", 0, "");
}

static void test_what_is_none(void **state)
{
	static const char *const bad[] = {
		"",
		"p",
		"x:bash:readline",
		"p:",
		"p:bash",
		"p:bash:",
		"p:bash: %di",
		"p:my bash",
		"u:x",
		"u:x: y",
		"p:bash:f+0x",
		"p:x:0x1z",
		"p:x:12f",
		"r4:bash:readline",
		"r:bash:readline+4",
		"r:x:f(int)+0x10 $retval",
		"file == 0",
	};
	struct tl_udef d;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(tl_udef_parse(&d, bad[i]), -EINVAL);
}

static void fetches(const char *text, const struct tl_usdt *u, const char *want)
{
	struct tl_udef d;
	char *have;

	assert_int_equal(tl_udef_parse(&d, text), 0);
	have = tl_udef_fetch(&d, NULL, u);
	same(have, want);
	free(have);
	tl_udef_free(&d);
}

#if defined(__x86_64__)
#define ARG1 "%di"
#define ARG2 "%si"
#define ARG9 "$stack3"
#elif defined(__aarch64__)
#define ARG1 "%x0"
#define ARG2 "%x1"
#define ARG9 "$stack0"
#endif

static void test_fetch(void **state)
{
	(void)state;
	fetches("p:x:f", NULL, "");
	fetches("p:x:f  a=%di:s32   +8(%si) ", NULL, "a=%di:s32 +8(%si)");
	fetches("p:x:f +0(%si):string", NULL, "+0(%si):string");
	fetches("p:x:f s=%si:string %si:ustring", NULL,
		"s=+0(%si):string +0(%si):ustring");
	fetches("r:x:f $retval:string", NULL, "+0($retval):string");
	fetches("p:x:f $comm:string b=$comm", NULL, "$comm:string b=$comm");
	fetches("p:x:f a=@0x10:u8 b=\\5", NULL, "a=@0x10:u8 b=\\5");
	fetches("p:x:f __at=%di __attr=%si", NULL, "__at=%di __attr=%si");
	fetches("p:x:f __at1_1=%di", NULL, NULL);
	fetches("p:x:f __length1=%di", NULL, NULL);
	fetches("p:x:f a=", NULL, NULL);
	fetches("p:x:f number", NULL, NULL);
#ifdef ARG1
	fetches("p:x:f $arg1", NULL, "arg1=" ARG1);
	fetches("p:x:f $arg2:u8 $arg9", NULL, "arg2=" ARG2 ":u8 arg9=" ARG9);
	fetches("p:x:f $arg2 %di", NULL, ARG2 " %di");
	fetches("p:x:f $arg1:u32 $arg1:string $arg2 $arg1", NULL,
		"arg1=" ARG1 ":u32 arg1_2=+0(" ARG1 "):string arg2=" ARG2
		" arg1_3=" ARG1);
	fetches("p:x:f $arg1 arg1=$arg2", NULL, "arg1_2=" ARG1 " arg1=" ARG2);
	fetches("p:x:f n=$arg2:string", NULL, "n=+0(" ARG2 "):string");
	fetches("p:x:f +4(+8($arg1)):s32", NULL, "+4(+8(" ARG1 ")):s32");
#endif
	fetches("p:x:f $arg0", NULL, "$arg0"); /* the kernel refuses it */
	fetches("r:x:f $arg1", NULL, NULL);
	fetches("p:x:f+4 $arg1", NULL, NULL);
	fetches("p:x:f+4 %di", NULL, "%di");
}

static void test_too_many(void **state)
{
	char text[2000] = "p:x:f";
	int i;

	(void)state;
	for (i = 0; i < 128; i++)
		strcat(text, " %di");
	fetches(text, NULL, text + strlen("p:x:f "));
	strcat(text, " %di");
	fetches(text, NULL, NULL);
}

static void test_static_probe(void **state)
{
	struct tl_usdt u = { .provider = "shop", .name = "order" };

	(void)state;
#if defined(__x86_64__)
	u.args = "-4@%edi 8@%rsi -2@-8(%rbp) 8@(%rax,%rbx,4)";
	u.machine = 62;
	fetches("u:x:shop:order $arg3", &u, "arg3=-8(%bp):s16");
	fetches("u:x:shop:order n=$arg1 $arg2:string", &u,
		"n=%di:s32 arg2=+0(%si):string");
	fetches("u:x:shop:order $arg3:u8", &u, "arg3=-8(%bp):u8");
	fetches("u:x:shop:order $arg4", &u, NULL);
	fetches("u:x:shop:order $arg5", &u, NULL);
	fetches("u:x:shop:order", &u,
		"arg1=%di:s32 arg2=%si:u64 arg3=-8(%bp):s16");
#else
	(void)u;
#endif
}

static bool matches(const char *text)
{
	const struct tl_usdt u = { .provider = "shop", .name = "order" };
	struct tl_udef d;
	bool yes;

	assert_int_equal(tl_udef_parse(&d, text), 0);
	yes = tl_udef_matches(&d, &u);
	tl_udef_free(&d);
	return yes;
}

static void test_matches(void **state)
{
	(void)state;
	assert_true(matches("u:x:shop:order"));
	assert_true(matches("u:x:order"));
	assert_true(matches("u:x:s*:o*"));
	assert_false(matches("u:x:shop:orders"));
	assert_false(matches("u:x:hop:order"));
	assert_false(matches("u:x:shop"));
}

static void test_check(void **state)
{
	static char *texts[] = { "p:bash:readline", "u::shop:order", "p:main" };
	struct tl_session s = { .tool = NULL };

	(void)state;
	assert_int_equal(tl_udefs_check(&s, 1, texts), 0);
	/* of a process only is it known which file that is */
	assert_int_equal(tl_udefs_check(&s, 2, texts), -EINVAL);
	s.set.pid.count = 1;
	assert_int_equal(tl_udefs_check(&s, 2, texts), 0);
	assert_int_equal(tl_udefs_check(&s, 3, texts), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_definitions),
		cmocka_unit_test(test_cxx_names),
		cmocka_unit_test(test_what_is_none),
		cmocka_unit_test(test_fetch),
		cmocka_unit_test(test_too_many),
		cmocka_unit_test(test_static_probe),
		cmocka_unit_test(test_matches),
		cmocka_unit_test(test_check),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
