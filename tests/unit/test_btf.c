/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_btf.c - what the BTF of the kernel that runs here says */
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/recording.h"
#include "base/session.h"
#include "sample_btf.h"
#include "tracelet/btf.h"

/* The same on every kernel. */
#define PREV ((int)sizeof(void *))

static struct tl_session s;

static void need_btf(void)
{
	if (tl_btf_offset(&s, "list_head", "next"))
		skip();
}

static void offsets(void **state)
{
	(void)state;
	need_btf();
	assert_int_equal(tl_btf_offset(&s, "list_head", "prev"), PREV);
	assert_int_equal(tl_btf_offset(&s, "list_head", "nonsense"), -ENOENT);
	assert_int_equal(tl_btf_offset(&s, "no_such_struct", "prev"), -ENOENT);
	/* in a structure without a name, which is const */
	assert_int_equal(tl_btf_offset(&s, "vm_fault", "vma"), 0);
	assert_true(tl_btf_offset(&s, "vm_fault", "pgoff") > 0);
	/* in a structure in a union, both without names */
	assert_true(tl_btf_offset(&s, "iov_iter", "count") > 0);
}

static void enumerators(void **state)
{
	(void)state;
	need_btf();
	assert_int_equal(tl_btf_enumerator(&s, "pageflags", "PG_locked"), 0);
	assert_true(tl_btf_enumerator(&s, "pageflags", "PG_head") > 0);
	assert_int_equal(tl_btf_enumerator(&s, "pageflags", "nonsense"),
			 -ENOENT);
	assert_int_equal(tl_btf_enumerator(&s, "list_head", "next"), -ENOENT);
}

static void fetches(void **state)
{
	char text[64], want[64];

	(void)state;
	need_btf();
	assert_int_equal(tl_btf_fetch(&s, "$arg1", "", text, sizeof(text)), 0);
	assert_string_equal(text, "$arg1");
	assert_int_equal(tl_btf_fetch(&s, "+0($arg2)",
				      "list_head.prev list_head.next", text,
				      sizeof(text)),
			 0);
	snprintf(want, sizeof(want), "+0(+%d(+0($arg2)))", PREV);
	assert_string_equal(text, want);
	assert_int_equal(tl_btf_fetch(&s, "$arg1", "list_head.nonsense", text,
				      sizeof(text)),
			 -ENOTSUP);
	assert_int_equal(tl_btf_fetch(&s, "$arg1",
				      "list_head.nonsense|prev|next", text,
				      sizeof(text)),
			 0);
	snprintf(want, sizeof(want), "+%d($arg1)", PREV);
	assert_string_equal(text, want);
	assert_int_equal(tl_btf_fetch(&s, "$arg1", "list_head.nonsense|none",
				      text, sizeof(text)),
			 -ENOTSUP);
	assert_int_equal(tl_btf_fetch(&s, "$arg1", "list_head.prev", text, 9),
			 -ENAMETOOLONG);
	assert_int_equal(
		tl_btf_fetch(&s, "$arg1", "list_head", text, sizeof(text)),
		-EINVAL);
	assert_int_equal(tl_btf_fetch(&s, "$arg1", "", text, 5), -ENAMETOOLONG);
	assert_int_equal(tl_btf_fetch(&s, "$arg1", "", text, 6), 0);
}

/* What was answered there counts, not what this machine has. */
static void answers_of_a_capture(void **state)
{
	struct tl_recording there = { .keeps = true }, here = { 0 };
	struct tl_session replay = { .recording = &here };
	struct tl_buf saved = { 0 };
	char text[64];

	(void)state;
	tl_recording_answer(&there, 12345, "prev of list_head");
	tl_recording_answer(&there, -ENOENT, "next of list_head");
	tl_recording_answer(&there, 99, "PG_head of pageflags");
	tl_recording_answer(&there, LONG_MIN, "bad of list_head");
	tl_recording_save(&there, &saved);
	assert_int_equal(tl_recording_load(&here, saved.data, saved.len), 0);
	assert_int_equal(tl_btf_offset(&replay, "list_head", "prev"), 12345);
	assert_int_equal(tl_btf_offset(&replay, "list_head", "next"), -ENOENT);
	assert_int_equal(tl_btf_offset(&replay, "list_head", "bad"), -EBADMSG);
	assert_int_equal(tl_btf_offset(&replay, "vm_fault", "pgoff"), 0);
	assert_int_equal(tl_btf_enumerator(&replay, "pageflags", "PG_head"),
			 99);
	assert_int_equal(tl_btf_enumerator(&replay, "pageflags", "PG_lru"), 0);
	assert_int_equal(tl_btf_fetch(&replay, "$arg1",
				      "list_head.next|prev vm_fault.pgoff",
				      text, sizeof(text)),
			 0);
	assert_string_equal(text, "+0(+12345($arg1))");
	tl_recording_free(&there);
	tl_recording_free(&here);
	tl_buf_free(&saved);
}

static void types_of_a_capture(void **state)
{
	struct tl_recording there = { .keeps = true }, here = { 0 };
	struct tl_session live = { .recording = &there };
	struct tl_session replay = { .recording = &here };
	struct tl_buf saved = { 0 };

	(void)state;
	assert_true(tl_btf_is_theirs(&live));
	tl_recording_save(&there, &saved);
	assert_int_equal(tl_recording_load(&here, saved.data, saved.len), 0);
	assert_true(tl_btf_is_theirs(&replay));
	tl_recording_note(&here, "types of", "another", 7, 0);
	assert_false(tl_btf_is_theirs(&replay));
	/* of before it was kept */
	tl_recording_free(&here);
	here.replays = true;
	assert_false(tl_btf_is_theirs(&replay));
	tl_recording_free(&there);
	tl_buf_free(&saved);
}

/* More names than the index has buckets, one of them twice.  The last test: it
 * puts them into the place of the kernel's. */
static void many_names(void **state)
{
#ifdef HAVE_SAMPLE
	void *handle = open_libbpf();
	const unsigned int count = 100000;
	struct tl_btf_type type;
	struct btf *btf;
	char name[32];
	unsigned int i;

	(void)state;
	if (!handle)
		skip();
	FN(btf__new_empty);
	FN(btf__add_int);
	btf = btf__new_empty();
	for (i = 1; i <= count; i++) {
		snprintf(name, sizeof(name), i % 2 ? "%u" : "one_of_%u_names",
			 i);
		assert_int_equal(btf__add_int(btf, name, 4, 0), i);
	}
	btf__add_int(btf, "31", 4, 0);
	assert_int_equal(tl_btf_use(btf), 0);
	for (i = 1; i <= count; i++) {
		snprintf(name, sizeof(name), i % 2 ? "%u" : "one_of_%u_names",
			 i);
		assert_int_equal(tl_btf_find(name, &type), 0);
		assert_int_equal(type.id, i);
	}
	assert_int_equal(tl_btf_find("32", &type), -ENOENT);
	assert_int_equal(tl_btf_find("struct 31", &type), -ENOENT);
	assert_int_equal(tl_btf_find("", &type), -ENOENT);
#else
	(void)state;
	skip();
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(offsets),
		cmocka_unit_test(enumerators),
		cmocka_unit_test(fetches),
		cmocka_unit_test(answers_of_a_capture),
		cmocka_unit_test(types_of_a_capture),
		cmocka_unit_test(many_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
