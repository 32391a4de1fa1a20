/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_btf.c - what the BTF of the kernel that runs here says */
#include <errno.h>
#include <limits.h>
#include <linux/btf.h>
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
#include "kernel/btffile.h"
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

/* What the kernel's own file has is what libbpf reads there, type by type. */
static void as_by_libbpf(void **state)
{
#ifdef HAVE_SAMPLE
	static const char path[] = "/sys/kernel/btf/vmlinux";
	struct tl_btf_file *file;
	void *handle = open_libbpf();
	const struct btf_type *theirs, *ours;
	struct btf *btf;
	const char *name;
	uint32_t id;

	(void)state;
	need_btf();
	if (!handle)
		skip();
	FN(btf__parse_raw);
	FN(btf__type_by_id);
	FN(btf__name_by_offset);
	FN(btf__free);
	btf = btf__parse_raw(path);
	assert_int_equal(tl_btf_file_open(path, NULL, &file), 0);
	/* from the end: pages are read in another order than they are in */
	id = tl_btf_file_end(file);
	assert_null(tl_btf_file_type(file, id));
	assert_null(btf__type_by_id(btf, id));
	while (id--) {
		theirs = btf__type_by_id(btf, id);
		ours = tl_btf_file_type(file, id);
		assert_memory_equal(theirs, ours,
				    btf_is_composite(theirs)
					    ? sizeof(*ours) +
						      btf_vlen(theirs) * 12
					    : sizeof(*ours));
		name = btf__name_by_offset(btf, theirs->name_off);
		assert_string_equal(tl_btf_file_string(file, ours->name_off),
				    name);
		if (id % 1000 == 1 && *name)
			assert_int_equal(tl_btf_file_find(file, name, id), id);
	}
	assert_int_equal(tl_btf_file_find(file, "no such type", 1), 0);
	assert_string_equal(tl_btf_file_string(file, UINT32_MAX), "");
	tl_btf_file_close(file);
	btf__free(btf);
#else
	(void)state;
	skip();
#endif
}

/* A file with two types. */
static const struct blob {
	struct {
		uint16_t magic;
		uint8_t version, flags;
		uint32_t hdr_len, type_off, type_len, str_off, str_len,
			layout[2]; /* from 7.1 on */
	} head;
	struct btf_type types[2];
	char strings[16];
} small = {
	.head = { .magic = BTF_MAGIC,
		  .version = BTF_VERSION,
		  .hdr_len = sizeof(small.head),
		  .type_len = sizeof(small.types),
		  .str_off = sizeof(small.types),
		  .str_len = sizeof(small.strings) },
	.types = { { .name_off = 1, .info = BTF_KIND_FWD << 24 },
		   { .name_off = 5, .info = BTF_KIND_FWD << 24 } },
	.strings = "\0one\0two\0three",
};

/*
 * A module's types go on from the kernel's, as do its strings; one of the kernel's may
 * be among these once more.
 */
static void of_a_module(void **state)
{
	struct blob all = small;
	int base_fd = memfd_create("base", 0), fd = memfd_create("split", 0);
	struct tl_btf_file *base, *split;
	char path[64];

	(void)state;
	assert_int_equal(write(base_fd, &all, sizeof(all)), sizeof(all));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", base_fd);
	assert_int_equal(tl_btf_file_open(path, NULL, &base), 0);
	/* "four" without a NUL before it, and "two" of its own */
	memcpy(all.strings, "four\0two\0", sizeof("four\0two\0"));
	all.types[0].name_off = sizeof(all.strings);
	all.types[1].name_off = sizeof(all.strings) + 5;
	assert_int_equal(write(fd, &all, sizeof(all)), sizeof(all));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(tl_btf_file_open(path, base, &split), 0);
	/* as when it goes: all has been read */
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(tl_btf_file_end(base), 3);
	assert_int_equal(tl_btf_file_end(split), 5);
	assert_int_equal(tl_btf_file_find(base, "one", 0), 1);
	assert_int_equal(tl_btf_file_find(base, "one", 2), 0);
	assert_int_equal(tl_btf_file_find(base, "four", 1), 0);
	assert_int_equal(tl_btf_file_find(split, "one", 1), 1);
	assert_int_equal(tl_btf_file_find(split, "one", 3), 0);
	assert_int_equal(tl_btf_file_find(split, "two", 1), 2);
	assert_int_equal(tl_btf_file_find(split, "two", 3), 4);
	assert_int_equal(tl_btf_file_find(split, "four", 1), 3);
	assert_int_equal(tl_btf_file_find(split, "three", 1), 0);
	assert_int_equal(tl_btf_file_type(split, 3)->name_off,
			 sizeof(all.strings));
	assert_string_equal(tl_btf_file_string(split, sizeof(all.strings)),
			    "four");
	assert_string_equal(tl_btf_file_string(split, 1), "one");
	assert_string_equal(tl_btf_file_string(split, 1000), "");
	tl_btf_file_close(split);
	tl_btf_file_close(base);
	close(base_fd);
	close(fd);
}

/* What a newer kernel may have, and what is no BTF, or not all of it. */
static void not_understood(void **state)
{
	struct blob all = small;
	struct tl_btf_type type;

	(void)state;
	assert_int_equal(use_bytes(&all, sizeof(all)), 0);
	assert_int_equal(tl_btf_find("list_head", &type), -ENOENT);
	all.head.str_len = 3; /* its end is no NUL */
	assert_int_equal(use_bytes(&all, sizeof(all)), -EBADMSG);
	all.head.str_len = 300;
	assert_int_equal(use_bytes(&all, sizeof(all)), -EBADMSG);
	all.head.str_len = sizeof(all.strings);
	all.types[1].info = BTF_KIND_ARRAY << 24; /* longer than there is */
	assert_int_equal(use_bytes(&all, sizeof(all)), -EBADMSG);
	all.types[1].info = 0x7fU << 24; /* a kind that is not there yet */
	assert_int_equal(use_bytes(&all, sizeof(all)), -EBADMSG);
	assert_int_equal(tl_btf_find("list_head", &type), -EBADMSG);
	all.head.magic = 1;
	assert_int_equal(use_bytes(&all, sizeof(all)), -EBADMSG);
	assert_int_equal(use_bytes(&all, 10), -EBADMSG);
	assert_int_equal(use_bytes(&all, 0), -ENODEV);
	assert_int_equal(tl_btf_use("/sys/kernel/btf/vmlinux") &&
				 !access("/sys/kernel/btf/vmlinux", R_OK),
			 0);
}

/*
 * More than is looked through at once, one name twice.  The last test: it puts
 * them into the place of the kernel's.
 */
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
	assert_int_equal(use_btf(btf), 0);
	for (i = 31; i <= count; i += 123) {
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
		cmocka_unit_test(as_by_libbpf),
		cmocka_unit_test(of_a_module),
		cmocka_unit_test(not_understood),
		cmocka_unit_test(many_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
