/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_usdt.c - arguments of static probes, and names of C++ */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "elf/object.h"
#include "elf/usdt.h"

static struct tl_usdt probe(unsigned int machine, const char *args)
{
	struct tl_usdt u = { .machine = machine, .args = args };

	return u;
}

static void check_fetch(unsigned int machine, const char *args,
			const char *want, int missing)
{
	struct tl_usdt u = probe(machine, args);
	char text[256];

	assert_int_equal(tl_usdt_fetch(&u, text, sizeof(text)), missing);
	assert_string_equal(text, want);
}

static void x86(void **state)
{
	static const struct {
		const char *args, *want;
		int missing;
	} cases[] = {
		{ "", "", 0 },
		{ "-4@%edi", "arg1=%di:s32", 0 },
		{ "8@%rax 4@%eax 2@%ax 1@%al",
		  "arg1=%ax:u64 arg2=%ax:u32 arg3=%ax:u16 arg4=%ax:u8", 0 },
		{ "1@%sil 1@%bpl 1@%r8b 2@%r9w 4@%r10d 8@%r15",
		  "arg1=%si:u8 arg2=%bp:u8 arg3=%r8:u8 arg4=%r9:u16 "
		  "arg5=%r10:u32 arg6=%r15:u64",
		  0 },
		{ "8@-8(%rbp) -4@(%rdx) -2@16(%rsp) 4@8(%esp)",
		  "arg1=-8(%bp):u64 arg2=+0(%dx):s32 arg3=+16(%sp):s16 "
		  "arg4=+8(%sp):u32",
		  0 },
		{ "8@8+4(%rsp) 8@-16+8(%rbp)",
		  "arg1=+12(%sp):u64 arg2=-8(%bp):u64", 0 },
		{ "-4@$5 -4@$-1 1@$0x10",
		  "arg1=\\5:s32 arg2=\\-1:s32 arg3=\\16:u8", 0 },
		/* the second byte, and what no probe can compute */
		{ "1@%ah 8@(%rax,%rbx,4) 8@8(%rax,%rbx) 8@counter(%rip) 4@%eax",
		  "arg5=%ax:u32", 4 },
		{ "8f@%xmm0 4f@(%rax) 16@%rax 3@%rax 8@%rip 8@%r16 8@%r7 "
		  "8@%rax2 8@%r8x 8@%r10dd",
		  "", 10 },
		{ "8@ 8@% 8@$ 8@() 8@(%) 8@(rax) 8@1234 8@8%rax 8@- 8@$1$", "",
		  10 },
		/* without its end a bracket takes all the rest */
		{ "8@%rax 8@( 8@%rbx", "arg1=%ax:u64", 1 },
		{ "8@(%", "", 1 },
		{ "8@(%rax", "", 1 },
		/* not arguments */
		{ "nonsense", "", 0 },
		{ "4@%eax nonsense 4@%ebx", "arg1=%ax:u32", 0 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_fetch(EM_X86_64, cases[i].args, cases[i].want,
			    cases[i].missing);
	check_fetch(EM_386, "-4@4(%ebp) 4@$3", "arg1=+4(%bp):s32 arg2=\\3:u32",
		    0);
}

static void arm64(void **state)
{
	static const struct {
		const char *args, *want;
		int missing;
	} cases[] = {
		{ "8@x0 -4@w3 8@sp 8@x30",
		  "arg1=%x0:u64 arg2=%x3:s32 arg3=%sp:u64 arg4=%x30:u64", 0 },
		{ "8@[x0] -4@[sp, 28] 1@[x19, -4] 8@[x1,#8]",
		  "arg1=+0(%x0):u64 arg2=+28(%sp):s32 arg3=-4(%x19):u8 "
		  "arg4=+8(%x1):u64",
		  0 },
		{ "-4@5 -4@-1", "arg1=\\5:s32 arg2=\\-1:s32", 0 },
		{ "8@[x0, x1] 8@x31 8@d0 8@[x0 8@[]", "", 4 },
		{ "8@x 8@5x 8@[x0, 8]! 4@w1", "arg4=%x1:u32", 3 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_fetch(EM_AARCH64, cases[i].args, cases[i].want,
			    cases[i].missing);
	check_fetch(EM_S390, "8@%r2", "", 1);
}

static void one(void **state)
{
	struct tl_usdt u = probe(EM_X86_64, "-4@%edi 8f@%xmm0");
	struct tl_usdt_arg arg;
	char text[13];

	(void)state;
	assert_int_equal(tl_usdt_arg(&u, 1, &arg), 0);
	assert_string_equal(arg.place, "%di");
	assert_string_equal(arg.type, "s32");
	assert_int_equal(tl_usdt_arg(&u, 2, &arg), -ENOTSUP);
	assert_int_equal(tl_usdt_arg(&u, 3, &arg), -ENOENT);
	/* "arg1=%di:s32" */
	assert_int_equal(tl_usdt_fetch(&u, text, 13), 1);
	assert_int_equal(tl_usdt_fetch(&u, text, 12), -ENAMETOOLONG);
}

/* ---- C++ -------------------------------------------------------------- */

static void demangled(void **state)
{
	char *name = tl_demangle("_ZN2ns1fEiPKc");

	(void)state;
	if (!name)
		skip();
	assert_string_equal(name, "ns::f(int, char const*)");
	free(name);
	assert_null(tl_demangle("i"));
	assert_null(tl_demangle("main"));
	assert_null(tl_demangle("_Znonsense"));
}

/*
 * Each level has the one before twice: 190 bytes become 9 MB, 4 KB never end.
 */
static void too_wide(void **state)
{
	char text[4000] = "_Z1f1aIiiE";
	const char *number;
	unsigned int i;
	char *name;

	(void)state;
	assert_null(tl_demangle(
		"_Z1f1aIiiES_IS0_S0_ES_IS1_S1_ES_IS2_S2_ES_IS3_S3_ES_IS4_S4_E"
		"S_IS5_S5_ES_IS6_S6_ES_IS7_S7_ES_IS8_S8_ES_IS9_S9_ES_ISA_SA_E"
		"S_ISB_SB_ES_ISC_SC_ES_ISD_SD_ES_ISE_SE_ES_ISF_SF_ES_ISG_SG_E"
		"S_ISH_SH_E"));
	for (i = 1; i < 300; i++) {
		char id[4] = { "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i % 36] };

		number = i < 36 ? "" : i < 72 ? "1" : "2";
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "S_IS%s%s_S%s%s_E", number, id, number, id);
	}
	assert_null(tl_demangle(text));
	/* hidden behind a number that is no name's length */
	assert_null(tl_demangle(
		"_Z1fA99_1aILi99EiES_IS0_S0_ES_IS1_S1_ES_IS2_S2_ES_IS3_S3_ES_I"
		"S4_S4_ES_IS5_S5_ES_IS6_S6_ES_IS7_S7_ES_IS8_S8_ES_IS9_S9_E"
		"S_ISA_SA_ES_ISB_SB_ES_ISC_SC_ES_ISD_SD_ES_ISE_SE_ES_ISF_SF_"
		"E"));
	/* as libraries have them */
	name = tl_demangle("_ZNSt3mapINSt7__cxx1112basic_stringIcSt11char_"
			   "traitsIcESaIcEEESt6vectorIS5_SaIS5_EESt4lessIS5_E"
			   "SaISt4pairIKS5_S8_EEEixERSC_");
	if (!name)
		skip();
	free(name);
}

/* ---- Rust ------------------------------------------------------------- */

static void is_rust(const char *name, const char *want)
{
	char *text = tl_demangle(name);

	if (want) {
		assert_non_null(text);
		assert_string_equal(text, want);
	} else {
		assert_null(text);
	}
	free(text);
}

static void skip_without_rust(void)
{
	char *name = tl_demangle("_RNvC5krate1f");

	if (!name)
		skip(); /* it was built without libiberty */
	free(name);
}

static void rust(void **state)
{
	(void)state;
	skip_without_rust();
	is_rust("_RNvC5krate1f", "krate::f");
	is_rust("_RINvNtCsgStHSCytQ6I_4core3ptr13drop_in_placeNtNtCs_5alloc"
		"6string6StringEB4_",
		"core::ptr::drop_in_place::<alloc::string::String>");
	is_rust("_RNvXs_Cs1234_5krateNtB4_3FooNtNtCs5_4core3fmt5Debug3fmt",
		"<krate::Foo as core::fmt::Debug>::fmt");
	is_rust("_RNvC5krate1f.llvm.1234", "krate::f");
	is_rust("_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write");
	is_rust("_ZN55_$LT$T$u20$as$u20$core..any..Any$GT$7type_id"
		"17h0123456789abcdefE",
		NULL); /* the length is wrong */
	is_rust("_ZN36_$LT$T$u20$as$u20$core..any..Any$GT$7type_id"
		"17h0123456789abcdefE",
		"<T as core::any::Any>::type_id");
	/* of C++, with a last part that is no hash */
	is_rust("_ZN2ns17h0000000000000000E", "ns::h0000000000000000");
	is_rust("_R", NULL);
	is_rust("_RNvC5krat", NULL);
	is_rust("_Rust", NULL);
	is_rust("R", NULL);
	is_rust("_", NULL);
	is_rust("", NULL);
}

/* "B5_" for the part that begins behind 7 bytes; two digits are enough here. */
static void add_twice(char *text, size_t size, size_t part)
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz"
				     "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	const size_t n = part - 1;
	char number[3] = { digits[n / 62], digits[n % 62] };
	const char *shown = n < 62 ? number + 1 : number;

	snprintf(text + strlen(text), size - strlen(text), "TB%s_B%s_E", shown,
		 shown);
}

/* Each part has the one before twice; parts within themselves; no end of lifetimes. */
static void too_wide_for_rust(void **state)
{
	char text[512] = "_RINvC1a1bTlE";
	size_t part = strlen(text) - 3, next;
	unsigned int i;

	(void)state;
	skip_without_rust();
	for (i = 0; i < 40; i++) {
		next = strlen(text);
		add_twice(text, sizeof(text), part - 2);
		part = next;
		if (i == 4)
			is_rust("_RINvC1a1bTlETB7_B7_EE",
				"a::b::<(i32,), ((i32,), (i32,))>");
	}
	strcat(text, "E");
	is_rust(text, NULL);
	is_rust("_RINvC1a1bTlB7_B7_EE", NULL);
	is_rust("_RINvC1a1bFG2zzz_EuE", NULL);
	is_rust("_RNvMINtC1a1bFGZZZZZZZZ_EuEl3foo", NULL);
	is_rust("_RINvC1a1bFG_RL0_eEuE", "a::b::<for<'a> fn(&'a str)>");
	/* and others go on */
	for (i = 0; i < 10; i++)
		is_rust(text, NULL);
	is_rust("_RNvC5krate1f", "krate::f");
}

static void matches(void **state)
{
	static const struct {
		const char *function, *want;
		bool same;
	} cases[] = {
		{ "ns::f(int, char const*)", "ns::f(int, char const*)", true },
		{ "ns::f(int, char const*)", "ns::f(int,char const *)", true },
		{ "ns::f(int, char const*)", "ns::f", true },
		{ "ns::f(int)", "f", false },
		{ "ns::f(int)", "ns::f(long)", false },
		{ "ns::f(int)", "ns::f()", false },
		{ "ns::f(int)", "ns::", false },
		{ "ns::f(int)", "", false },
		{ "A::g() const", "A::g", true },
		{ "A::g() const", "A::g()", true },
		{ "A::g() const", "A::g() const", true },
		{ "A::g() &&", "A::g", true },
		{ "void ns::t<int>(int)", "ns::t", true },
		{ "void ns::t<int>(int)", "ns::t<int>", true },
		{ "void ns::t<int>(int)", "ns::t<int>(int)", true },
		{ "void ns::t<int>(int)", "ns::t<long>", false },
		{ "std::map<int, long> ns::t<A<int> >(int)", "ns::t", true },
		{ "std::vector<int>::push_back(int&&)",
		  "std::vector<int>::push_back", true },
		{ "std::vector<int>::push_back(int&&)",
		  "std::vector::push_back", false },
		{ "(anonymous namespace)::f(int)", "(anonymous namespace)::f",
		  true },
		{ "A::operator()(int)", "A::operator()", true },
		{ "A::operator bool() const", "A::operator bool", true },
		{ "A::operator bool() const", "bool", false },
		{ "operator new(unsigned long)", "operator new", true },
		{ "operator<(A, B)", "operator<", true },
		{ "bool operator< <int>(A<int>, A<int>)", "operator< <int>",
		  true },
		{ "A::operator->() const", "A::operator->", true },
		{ "main::{lambda(int)#1}::operator()(int) const",
		  "main::{lambda(int)#1}::operator()", true },
		{ "f(void (*)(int))", "f", true },
		{ "f(int) [clone .isra.0]", "f", true },
		{ "f(int) [clone .isra.0]", "f(int)", true },
		{ "f(int) [clone .constprop.0] [clone .isra.1]", "f", true },
		{ "f(int) [clone .cold]", "f", false },
		{ "f(int) [clone .part.0]", "f", false },
		{ "non-virtual thunk to A::f()", "A::f", false },
		{ "vtable for A", "A", false },
		{ "f[abi:cxx11](int)", "f[abi:cxx11]", true },
		{ ")", "", false },
		{ "()", "", false },
		{ "(", "(", false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (tl_cxx_match(cases[i].function, cases[i].want) !=
		    cases[i].same)
			fail_msg("%s: %s", cases[i].function, cases[i].want);
}

static void rust_matches(void **state)
{
	static const char left[] =
		"_RNvXNtCscOkmjdb57Hn_4ways4pathNtB2_4LeftNtB2_3Way2go";
	static const char ask[] = "_RINvNtCscOkmjdb57Hn_4ways4path3askmEB4_";
	static const char old[] = "_ZN4ways4path3ask17h445ad26923a9a188E";

	(void)state;
	skip_without_rust();
	assert_true(tl_written_match(
		left, "<ways::path::Left as ways::path::Way>::go"));
	assert_false(tl_written_match(left, "go"));
	assert_false(tl_written_match(left,
				      "<ways::path::Left as ways::path::Way>"));
	assert_true(tl_written_match(ask, "ways::path::ask"));
	assert_true(tl_written_match(ask, "ways::path::ask::<u32>"));
	assert_false(tl_written_match(ask, "ways::path::ask::<u64>"));
	assert_false(tl_written_match(ask, "ask"));
	assert_true(tl_written_match(old, "ways::path::ask"));
	assert_false(tl_written_match(old, "ways::path"));
	assert_true(tl_written_match("_ZN2ns1fEi", "ns::f"));
	assert_false(tl_written_match("ns", "ns"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(x86),      cmocka_unit_test(arm64),
		cmocka_unit_test(one),      cmocka_unit_test(demangled),
		cmocka_unit_test(rust),     cmocka_unit_test(too_wide_for_rust),
		cmocka_unit_test(matches),  cmocka_unit_test(rust_matches),
		cmocka_unit_test(too_wide),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
