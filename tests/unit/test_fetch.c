/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_fetch.c - what a probe fetches for names, in types made for it */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/cdecl.h"
#include "probe/fetch.h"
#include "sample_btf.h"

#define LITTLE (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)

static struct tl_fetch_place use, by_value, many, put_bytes, get_bytes,
	put_names;

static int setup(void **state)
{
	struct btf *b = sample_btf();

	(void)state;
	/* offsets below are of 64 bits */
	if (!b || sizeof(long) != 8)
		return 0;
	use_btf(b);
	use = (struct tl_fetch_place){ .name = "use_thing", .symbols = true };
	assert_int_equal(tl_btf_find_function(NULL, "use_thing", &use.proto),
			 0);
	by_value = (struct tl_fetch_place){ .name = "by_value" };
	tl_btf_find_function(NULL, "by_value", &by_value.proto);
	many = (struct tl_fetch_place){ .name = "many" };
	tl_btf_find_function(NULL, "many", &many.proto);
	put_bytes = (struct tl_fetch_place){ .name = "put_bytes" };
	tl_btf_find_function(NULL, "put_bytes", &put_bytes.proto);
	get_bytes = (struct tl_fetch_place){ .name = "get_bytes" };
	tl_btf_find_function(NULL, "get_bytes", &get_bytes.proto);
	put_names = (struct tl_fetch_place){ .name = "put_names" };
	tl_btf_find_function(NULL, "put_names", &put_names.proto);
	return 0;
}

static struct tl_fetches all;

static int try_at(const struct tl_fetch_place *place, const char *arg)
{
	if (!use.proto.btf)
		skip();
	all.count = 0;
	return tl_fetch_add(&all, place, arg);
}

/* @want: "name=text" */
static void expect_at(const struct tl_fetch_place *place, const char *arg,
		      const char *want)
{
	char have[128];

	assert_int_equal(try_at(place, arg), 0);
	snprintf(have, sizeof(have), "%s=%s", all.list[0].name,
		 all.list[0].text);
	assert_string_equal(have, want);
}

static void expect(const char *arg, const char *want)
{
	expect_at(&use, arg, want);
}

static void arguments(void **state)
{
	(void)state;
	expect("thing", "thing=$arg1:x64");
	expect("small", "small=$arg3:u16");
	expect("n=small", "n=$arg3:u16");
	expect("small:x8", "small=$arg3:x8");
	expect("$arg3", "small=$arg3:u16");
	expect("text:ustring", "text=+0($arg2):ustring");
	expect("$arg2:string", "text=+0($arg2):string");
	expect("text:x64", "text=$arg2:x64");
	expect("color", "color=$arg4:s32");
	assert_int_equal(all.list[0].show, TL_FETCH_ENUM);
	assert_string_equal(tl_btf_value_name(all.list[0].type, 1), "GREEN");
	assert_string_equal(tl_btf_value_name(all.list[0].type, -1), "BLUE");
	assert_null(tl_btf_value_name(all.list[0].type, 2));
	expect("text[2]", "text=+2($arg2):s8");
	expect("*text", "text=+0($arg2):s8");
}

static void expect_print(const char *want)
{
	struct tl_buf b = { 0 };

	tl_fetch_print(&all.list[0], &b);
	tl_buf_char(&b, '\0');
	assert_string_equal(b.data, want);
	tl_buf_free(&b);
}

/* Arrays of unsigned char, which may be text, of u8, and with a type. */
static void arrays_of_bytes(void **state)
{
#define PACKET "((struct packet *)text)->"
	(void)state;
	expect(PACKET "name", "name=+6($arg2):x64[5]");
	expect_print("__bytes_name=+6($arg2):x64[5]");
	expect("n=" PACKET "address", "n=+0($arg2):x16[3]");
	expect_print("__bytes_n=+0($arg2):x16[3]");
	expect(PACKET "address:u8[6]", "address=+0($arg2):u8[6]");
	expect_print("address=+0($arg2):u8[6]");
	expect(PACKET "address:string", "address=+0($arg2):string");
	expect(PACKET "address[1]", "address=+1($arg2):u8");
	expect("a_name_of_24_characters_=" PACKET "address",
	       "a_name_of_24_characters_=+0($arg2):u8[6]");
	expect_print("a_name_of_24_characters_=+0($arg2):u8[6]");
	assert_int_equal(try_at(&use, PACKET "data"), -EINVAL);
	expect("thing->bytes", "bytes=+40($arg1):u8[6]");
	expect_print("bytes=+40($arg1):u8[6]");
	assert_int_equal(try_at(&use, "__bytes_x=small"), -EINVAL);
}

/* Only what is called exactly like a pointer on the way cannot be an argument's name. */
static void names_of_pointers(void **state)
{
	(void)state;
	expect("__at=small", "__at=$arg3:u16");
	expect("__attr=small", "__attr=$arg3:u16");
	expect("__at1=small", "__at1=$arg3:u16");
	expect("__at1_1x=small", "__at1_1x=$arg3:u16");
	expect("__at_1=small", "__at_1=$arg3:u16");
	assert_int_equal(try_at(&use, "__at1_1=small"), -EINVAL);
	assert_int_equal(try_at(&use, "__atu12_3=small"), -EINVAL);
}

/* What is not const is yet to be written. */
static void buffers(void **state)
{
	(void)state;
	expect("text", "text=$arg2:x64");
	expect("thing->title", "title=+0(+0($arg1)):string");
	expect("text:string", "text=+0($arg2):string");
	assert_true(all.list[0].may_not_end);
}

/* At return it has been, and with a length perhaps not all of it. */
static void buffers_at_return(void **state)
{
	struct tl_fetch_place place;

	(void)state;
	expect_at(&get_bytes, "buf", "buf=$arg1:x64");
	place = use;
	place.is_return = place.return_args = true;
	expect_at(&place, "text", "text=+0($arg2):string");
	place = get_bytes;
	place.is_return = place.return_args = true;
	expect_at(&place, "buf", "buf=$arg1:x64");
	/* those of a tracepoint are nobody's to fill */
	place = use;
	place.first = 1;
	expect_at(&place, "text", "text=+0($arg1):string");
}

/* The size behind a name, or a place in a file, is no length of that text. */
static void lengths(void **state)
{
	(void)state;
	expect_at(&put_names, "name", "name=+0($arg1):string");
	assert_int_equal(all.count, 1);
	expect_at(&put_names, "name:string", "name=+0($arg1):string");
	assert_int_equal(all.count, 1);
	expect_at(&put_names, "key", "key=+0($arg3):string");
	assert_int_equal(all.count, 1);
	expect_at(&put_names, "pathname", "pathname=+0($arg5):string");
	assert_int_equal(all.count, 2);
	assert_string_equal(all.list[1].text, "$arg6:u64");
}

static void expect_cut(const char *want)
{
	struct tl_buf b = { 0 };

	assert_int_equal(tl_fetch_add_cut(&all.list[0], &b), want != NULL);
	tl_buf_char(&b, '\0');
	if (want)
		assert_string_equal(b.data, want);
	tl_buf_free(&b);
}

/*
 * Bytes are as many as the argument behind them says, and need not have a NUL.
 */
static void bytes(void **state)
{
	(void)state;
	expect_at(&put_bytes, "text", "text=+0($arg1):string");
	assert_int_equal(all.count, 2);
	assert_string_equal(all.list[1].name, "__length1");
	assert_string_equal(all.list[1].text, "$arg2:u64");
	assert_true(all.list[0].may_not_end);
	expect_cut("__cut_text=+0($arg1):x64[16]");
	expect_at(&put_bytes, "name", "name=+0($arg3):string");
	assert_int_equal(all.count, 1);
	assert_false(all.list[0].may_not_end);
	expect_at(&put_bytes, "x=+u8(%si):string", "x=+u8(%si):string");
	assert_true(all.list[0].may_not_end);
	expect_cut("__cut_x=+8(%si):x64[16]");
	expect_at(&put_bytes, "x=%si:string", "x=%si:string");
	expect_cut("__cut_x=+0(%si):x64[16]");
	expect_at(&put_bytes, "x=$comm:string", "x=$comm:string");
	expect_cut(NULL);
	assert_int_equal(try_at(&put_bytes, "$arg*"), 0);
	assert_int_equal(all.count, 5);
}

static void members(void **state)
{
	(void)state;
	expect("thing->title", "title=+0(+0($arg1)):string");
	expect("thing.title", "title=+0(+0($arg1)):string");
	expect("(thing)->title", "title=+0(+0($arg1)):string");
	expect("$arg1->title", "title=+0(+0($arg1)):string");
	expect("thing->title:x64", "title=+0($arg1):x64");
	expect("thing->in.name", "name=+16($arg1):string");
	expect("thing->in.number", "number=+8($arg1):s32");
	expect("thing->in.wide", "wide=+8($arg1):u64");
	expect("thing->next->next->in.wide", "wide=+8(+32(+32($arg1))):u64");
	expect("(*thing).next", "next=+32($arg1):x64");
	expect("thing->next[1].color", "color=+524(+32($arg1)):s32");
	expect("thing->on", "on=+56($arg1):u8");
	assert_int_equal(all.list[0].show, TL_FETCH_BOOL);
	expect("thing->call", "call=+464($arg1):symbol");
	expect("thing->bytes", "bytes=+40($arg1):u8[6]");
	expect("thing->bytes[5]", "bytes=+45($arg1):u8");
	expect("thing->bytes:x8[2]", "bytes=+40($arg1):x8[2]");
	expect("thing->many[99]", "many=+456($arg1):u32");
	expect("((struct inner *)thing->next)->name",
	       "name=+8(+32($arg1)):string");
	expect("((struct pair *)text)->b", "b=+8($arg2):u64");
	expect("(struct pair *)text", "text=$arg2");
	expect("(struct pair *)text:x64", "text=$arg2:x64");
	expect("*(int *)text", "text=+0($arg2):s32");
	expect("((int *)text)[2]", "text=+8($arg2):s32");
	expect("(char *)thing->next", "next=+0(+32($arg1)):string");
	expect("(struct thing *)text:string", "text=+0($arg2):string");
}

/* In the smallest aligned container that has all of it. */
static void bit_fields(void **state)
{
	(void)state;
	expect("thing->low",
	       LITTLE ? "low=+48($arg1):b3@0/8" : "low=+48($arg1):b3@5/8");
	expect("thing->middle", LITTLE ? "middle=+48($arg1):b10@3/16"
				       : "middle=+48($arg1):b10@3/16");
	expect("thing->high", LITTLE ? "high=+48($arg1):b19@13/32"
				     : "high=+48($arg1):b19@0/32");
	assert_int_equal(try_at(&use, "thing->low:u32"), -EINVAL);
}

static void what_is_the_kernels(void **state)
{
	(void)state;
	expect("%di", "arg1=%di");
	expect("x=+0(%si):string", "x=+0(%si):string");
	expect("$comm", "arg1=$comm");
	expect("$stack0:u8", "arg1=$stack0:u8");
	expect("@jiffies:u64", "arg1=@jiffies:u64");
	expect("\\7", "arg1=\\7");
	expect("-8(%sp)", "arg1=-8(%sp)");
}

static void names(void **state)
{
	struct tl_btf_member m;

	(void)state;
	expect("small", "small=$arg3:u16");
	assert_int_equal(tl_fetch_add(&all, &use, "small"), 0);
	assert_string_equal(all.list[1].name, "small_2");
	assert_int_equal(tl_fetch_add(&all, &use, "small"), 0);
	assert_string_equal(all.list[2].name, "small_3");
	assert_int_equal(tl_fetch_add(&all, &use, "small=thing"), -EINVAL);
	assert_int_equal(tl_fetch_add(&all, &use, "common_pid=thing"), -EINVAL);
	assert_int_equal(tl_fetch_add(&all, &use,
				      "a234567890123456789012345678901=thing"),
			 0);
	assert_int_equal(tl_fetch_add(&all, &use,
				      "a2345678901234567890123456789012=thing"),
			 -EINVAL);
	assert_int_equal(try_at(&use, "$arg*"), 0);
	assert_int_equal(all.count, 4);
	assert_string_equal(all.list[3].text, "$arg4:s32");
	assert_true(tl_fetch_names(use.proto, "thing"));
	assert_false(tl_fetch_names(use.proto, "title"));
	assert_int_equal(
		tl_btf_find_member(tl_btf_returned(use.proto), "x", &m),
		-ENOENT);
}

static void roots(void **state)
{
	char name[16];

	(void)state;
	assert_true(tl_fetch_root("f=how->flags:x32", name, sizeof(name)));
	assert_string_equal(name, "how");
	assert_true(tl_fetch_root("*pos", name, sizeof(name)));
	assert_string_equal(name, "pos");
	assert_false(tl_fetch_root("%di", name, sizeof(name)));
	assert_false(tl_fetch_root("$retval", name, sizeof(name)));
	assert_false(
		tl_fetch_root("a_name_too_long_for_it", name, sizeof(name)));
}

static void returns(void **state)
{
	struct tl_fetch_place place = use;

	(void)state;
	assert_int_equal(try_at(&use, "$retval"), -EINVAL);
	place.is_return = true;
	expect_at(&place, "$retval", "arg1=$retval:s64");
	expect_at(&place, "r=$retval:x8", "r=$retval:x8");
	assert_int_equal(try_at(&place, "thing"), -ENOTSUP);
	place.return_args = true;
	expect_at(&place, "thing->on", "on=+56($arg1):u8");
	by_value.is_return = true;
	assert_int_equal(try_at(&by_value, "$retval"), -EINVAL);
	by_value.is_return = false;
}

static void wrong(void **state)
{
	static const struct {
		const char *arg;
		int ret;
	} tries[] = {
		{ "nothing", -ENOENT },
		{ "thing->nothing", -ENOENT },
		{ "small->title", -EINVAL },
		{ "*small", -EINVAL },
		{ "*thing", -EINVAL },
		{ "thing->in", -EINVAL },
		{ "thing->many", -EINVAL },
		{ "thing->many[100]", -EINVAL },
		{ "thing->many[-1]", -EINVAL },
		{ "thing->many[x]", -EINVAL },
		{ "thing->", -EINVAL },
		{ "thing-", -EINVAL },
		{ "(thing", -EINVAL },
		{ "thing)", -EINVAL },
		{ "", -EINVAL },
		{ "x=", -EINVAL },
		{ "small:", -EINVAL },
		{ "small:string", -EINVAL },
		{ "thing->in:string", -EINVAL },
		{ "$arg0", -EINVAL },
		{ "$arg5", -EINVAL },
		{ "$arg999", -EINVAL },
		{ "((struct nothing *)thing)->x", -ENOENT },
		{ "(int)small", -ENOENT },
		{ "thing->next->next->next->next->next->next->next->next->next"
		  "->next->next->next->next->next",
		  -ENAMETOOLONG },
		{ "((((((((((((((((((small))))))))))))))))))", -ENAMETOOLONG },
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(tries) / sizeof(tries[0]); i++)
		assert_int_equal(try_at(&use, tries[i].arg), tries[i].ret);
}

/* What is passed by value moves what is behind it. */
static void values(void **state)
{
	struct tl_fetch_place place = many;

	(void)state;
	expect_at(&by_value, "first", "first=$arg1:s32");
	assert_int_equal(try_at(&by_value, "pair.a"), -ENOTSUP);
	assert_int_equal(try_at(&by_value, "last"), -ENOTSUP);
#ifdef __x86_64__
	expect_at(&many, "h", "h=$arg8:s32");
#endif
	place.first = 1; /* as tracepoints have it */
	expect_at(&place, "b", "b=$arg1:s32");
	assert_int_equal(try_at(&place, "a"), -ENOENT);
	place.inside = true;
	assert_int_equal(try_at(&place, "b"), -EINVAL);
}

static void without_types(void **state)
{
	struct tl_fetch_place place = { .name = "f", .unknown = "no BTF" };

	(void)state;
	expect_at(&place, "$arg2", "arg2=$arg2");
	expect_at(&place, "$arg2:string", "arg2=+0($arg2):string");
	expect_at(&place, "((struct pair *)$arg2)->b", "b=+8($arg2):u64");
	assert_int_equal(try_at(&place, "x"), -ENOTSUP);
	assert_int_equal(try_at(&place, "$arg1->x"), -EINVAL);
}

static void expect_text(char *text, const char *want)
{
	assert_non_null(text);
	assert_string_equal(text, want);
	free(text);
}

static void declarations(void **state)
{
	struct tl_btf_type type;

	(void)state;
	if (!use.proto.btf)
		skip();
	expect_text(tl_decl(use.proto, "use_thing"),
		    "long int use_thing(struct thing *thing, char *text, "
		    "u16 small, enum color color)");
	assert_int_equal(tl_btf_find("struct inner", &type), 0);
	expect_text(tl_decl_fields(type),
		    "struct inner {\n"
		    "    union {\n"
		    "        int number;                                      "
		    "/* 0 4 */\n"
		    "        u64 wide;                                        "
		    "/* 0 8 */\n"
		    "    };                                                   "
		    "/* 0 8 */\n"
		    "    char name[16];                                       "
		    "/* 8 16 */\n"
		    "}; /* size: 24 */");
	assert_int_equal(tl_btf_find("color", &type), 0);
	expect_text(tl_decl_fields(type), "enum color {\n    RED = 0,\n    "
					  "GREEN = 1,\n    BLUE = -1,\n};");
	assert_int_equal(tl_btf_find("flag", &type), 0);
	expect_text(tl_decl_fields(type), "enum flag {\n    LOW = 1,\n    "
					  "HIGH = 2147483648,\n};");
	assert_int_equal(tl_btf_find("struct color", &type), -ENOENT);
}

static void call_member(void **state)
{
	struct tl_btf_member m;
	struct tl_btf_type type;

	(void)state;
	if (!use.proto.btf)
		skip();
	assert_int_equal(tl_btf_find("thing", &type), 0);
	assert_int_equal(tl_btf_find_member(type, "call", &m), 0);
	expect_text(tl_decl(m.type, m.name), "int (*call)(struct thing *)");
	assert_int_equal(tl_btf_find_member(type, "title", &m), 0);
	expect_text(tl_decl(m.type, m.name), "const char *title");
}

static void expect_pointers(const char *args, bool is_user, const char *want)
{
	char *have = tl_fetch_pointers(args, is_user);

	assert_string_equal(have, want);
	free(have);
}

/* What a number is read through, from the outside in; of a text the kernel tells. */
static void pointers(void **state)
{
	(void)state;
	expect_pointers("", false, "");
	expect_pointers("a=$arg1:u64 b=%di c=@jiffies:u64", false,
			"a=$arg1:u64 b=%di c=@jiffies:u64");
	expect_pointers(
		"a=+8($arg1):u64 b=-4(%di):s32", false,
		"a=+8($arg1):u64 __at1_1=$arg1 b=-4(%di):s32 __at1_2=%di");
	expect_pointers(
		"a=+0(+16($arg1)):x8[4] b=$arg2", false,
		"a=+0(+16($arg1)):x8[4] __at1_1=+16($arg1) __at1_2=$arg1 "
		"b=$arg2");
	expect_pointers(
		"a=+u0(+16($arg1)):u64", false,
		"a=+u0(+16($arg1)):u64 __atu1_1=+16($arg1) __at1_2=$arg1");
	expect_pointers("a=+8(%si):u64", true, "a=+8(%si):u64 __atu1_1=%si");
	expect_pointers("a=+0($arg1):string b=+0(+8($arg2)):ustring", false,
			"a=+0($arg1):string b=+0(+8($arg2)):ustring");
	expect_pointers("a=+8(+0(%di)):u64 b=+16(+0(%di)):s32 c=+0(%di):u8",
			false,
			"a=+8(+0(%di)):u64 b=+16(+0(%di)):s32 __at2_1=+0(%di) "
			"__at2_2=%di c=+0(%di):u8 __at1_3=%di");
	expect_pointers("a=+8(%di):u64 b=%di c=+8(%di):u64 d=+u8(%di):u8",
			false,
			"a=+8(%di):u64 __at1_1=%di b=%di c=+8(%di):u64 "
			"__at1_2=%di d=+u8(%di):u8 __atu1_3=%di");
}

/* With the pointers, there are no more than a probe fetches. */
static void too_many_pointers(void **state)
{
	char args[4096] = "", *have;
	unsigned int i;

	(void)state;
	for (i = 0; i < 127; i++)
		strcat(args, "+8($arg1) ");
	have = tl_fetch_pointers(args, false);
	assert_non_null(have);
	assert_non_null(strstr(have, " __at127_1=$arg1"));
	free(have);
	strcat(args, "+8($arg1)");
	assert_null(tl_fetch_pointers(args, false));
	assert_int_equal(errno, E2BIG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arguments),
		cmocka_unit_test(buffers),
		cmocka_unit_test(arrays_of_bytes),
		cmocka_unit_test(names_of_pointers),
		cmocka_unit_test(buffers_at_return),
		cmocka_unit_test(lengths),
		cmocka_unit_test(bytes),
		cmocka_unit_test(members),
		cmocka_unit_test(bit_fields),
		cmocka_unit_test(what_is_the_kernels),
		cmocka_unit_test(names),
		cmocka_unit_test(roots),
		cmocka_unit_test(returns),
		cmocka_unit_test(wrong),
		cmocka_unit_test(values),
		cmocka_unit_test(without_types),
		cmocka_unit_test(declarations),
		cmocka_unit_test(call_member),
		cmocka_unit_test(pointers),
		cmocka_unit_test(too_many_pointers),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
