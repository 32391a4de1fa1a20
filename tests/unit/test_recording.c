/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_recording.c - what is kept for a capture comes back, and nothing else
 * does any harm
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/message.h"
#include "base/recording.h"
#include "capture/cmdline.h"

static struct tl_recording recording;

static int forget(void **state)
{
	(void)state;
	tl_recording_free(&recording);
	return 0;
}

/* What is kept so far, as another run has it. */
static void reopen(void)
{
	struct tl_buf b = { 0 };

	tl_recording_save(&recording, &b);
	assert_false(b.failed);
	tl_recording_free(&recording);
	assert_int_equal(tl_recording_load(&recording, b.data, b.len), 0);
	assert_true(tl_recording_replays(&recording));
	tl_buf_free(&b);
}

static void expect(const char *key, const char *text, size_t len, int err)
{
	size_t have;
	const char *got;

	errno = 0;
	got = tl_recording_text(&recording, key, &have);
	if (!text) {
		assert_null(got);
		assert_int_equal(errno, err);
		assert_int_equal(have, 0);
		return;
	}
	assert_non_null(got);
	assert_int_equal(have, len);
	assert_memory_equal(got, text, len);
	assert_int_equal(got[len], '\0');
}

static void texts(void **state)
{
	(void)state;
	tl_recording_keep(&recording, true);
	tl_recording_note(&recording, "b", "two\0words", 9, 0);
	tl_recording_note(&recording, "a", "first", 5, 0);
	tl_recording_note(&recording, "a", "last", 4, 0);
	tl_recording_note(&recording, "empty", "", 0, 0);
	tl_recording_note(&recording, "gone", NULL, 0, EACCES);
	tl_recording_note(&recording, "there", NULL, 0, 0);
	reopen();
	expect("a", "last", 4, 0);
	expect("b", "two\0words", 9, 0);
	expect("empty", "", 0, 0);
	expect("gone", NULL, 0, EACCES);
	expect("there", NULL, 0, ENOENT);
	expect("never", NULL, 0, ENOENT);
}

static void files(void **state)
{
	(void)state;
	tl_recording_keep(&recording, true);
	tl_recording_note_file(&recording, "@root", "README", "text", 4, 0);
	tl_recording_note_file(&recording, "@root", "absent", NULL, 0, ENOENT);
	tl_recording_note_file(&recording, "@root", "unread", NULL, 0, 0);
	tl_recording_note_file(&recording, "", "/proc/x", "y", 1, 0);
	reopen();
	assert_string_equal(
		tl_recording_file(&recording, "@root", "README", NULL), "text");
	assert_string_equal(tl_recording_file(&recording, "", "/proc/x", NULL),
			    "y");
	assert_null(tl_recording_file(&recording, "@instance", "README", NULL));
	assert_true(tl_recording_has_file(&recording, "@root", "README"));
	assert_true(tl_recording_has_file(&recording, "@root", "unread"));
	assert_false(tl_recording_has_file(&recording, "@root", "absent"));
	assert_false(tl_recording_has_file(&recording, "@root", "other"));
}

static void answers(void **state)
{
	(void)state;
	assert_int_equal(tl_recording_answer(&recording, 7, "n"),
			 7); /* nothing is kept */
	tl_recording_keep(&recording, true);
	assert_int_equal(tl_recording_answer(&recording, 0, "zero"), 0);
	assert_int_equal(tl_recording_answer(&recording, 4294967295, "large"),
			 4294967295);
	assert_int_equal(
		tl_recording_result(&recording, -EINVAL, "write %s", "x"),
		-EINVAL);
	assert_int_equal(
		tl_recording_wrote(&recording, "@root", "f", "text", -EBUSY),
		-EBUSY);
	reopen();
	assert_int_equal(tl_recording_answer(&recording, 9, "zero"), 0);
	assert_int_equal(tl_recording_answer(&recording, 9, "n"), 0);
	assert_int_equal(tl_recording_answer(&recording, 0, "large"),
			 4294967295);
	assert_int_equal(tl_recording_result(&recording, 0, "write %s", "x"),
			 -EINVAL);
	assert_int_equal(
		tl_recording_wrote(&recording, "@root", "f", "text", 0),
		-EBUSY);
}

/* Of a result that none has. */
static void wrong_answers(void **state)
{
	static const char *const wrong[] = { "1", "-4096", "-2147483648",
					     "99999999999999999999" };
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		tl_recording_note(&recording, "answer x", wrong[i],
				  strlen(wrong[i]), 0);
		reopen();
		assert_int_equal(tl_recording_result(&recording, 0, "x"),
				 -EBADMSG);
	}
}

static int add_key(void *ctx, const char *key, const char *text, size_t len)
{
	(void)text;
	(void)len;
	strcat(ctx, key);
	return !strcmp(key, "p/3");
}

static void by_prefix(void **state)
{
	char all[64] = "";

	(void)state;
	tl_recording_note(&recording, "p/2", "", 0, 0);
	tl_recording_note(&recording, "p/1", "", 0, 0);
	tl_recording_note(&recording, "q", "", 0, 0);
	tl_recording_note(&recording, "p/4", "", 0, 0);
	assert_int_equal(tl_recording_each(&recording, "p/", add_key, all), 0);
	assert_string_equal(all, "p/1p/2p/4");
	*all = '\0';
	tl_recording_note(&recording, "p/3", "", 0, 0);
	assert_int_equal(tl_recording_each(&recording, "p/", add_key, all), 1);
	assert_string_equal(all, "p/1p/2p/3");
}

/* ---- other bytes ------------------------------------------------------ */

struct entry {
	uint32_t key_len;
	int32_t err;
	uint64_t len;
	char bytes[16];
};

/* Of @size bytes, in memory of just that size. */
static int load(const void *bytes, size_t size)
{
	char *copy = malloc(size ?: 1);
	int ret;

	assert_non_null(copy);
	memcpy(copy, bytes, size);
	tl_recording_free(&recording);
	ret = tl_recording_load(&recording, copy, size);
	free(copy);
	return ret;
}

static void damaged(void **state)
{
	const struct entry good = { 3, 0, 4, "keytext" };
	struct entry e;
	size_t size;

	(void)state;
	assert_int_equal(load(&good, 23), 0);
	expect("key", "text", 4, 0);
	for (size = 1; size < 23; size++)
		assert_int_equal(load(&good, size), -EBADMSG);
	assert_int_equal(load(&good, 24), -EBADMSG);
	assert_int_equal(load(&good, 0), 0);
	e = good;
	e.key_len = UINT32_MAX;
	assert_int_equal(load(&e, 23), -EBADMSG);
	e.key_len = 24;
	assert_int_equal(load(&e, 23), -EBADMSG);
	e = good;
	e.len = UINT64_MAX - 1;
	assert_int_equal(load(&e, 23), -EBADMSG);
	e.len = (1ULL << 32) + 4;
	assert_int_equal(load(&e, 23), -EBADMSG);
	e.len = UINT64_MAX; /* no text */
	assert_int_equal(load(&e, 19), 0);
	expect("key", NULL, 0, ENOENT);
	e = good;
	e.err = -1;
	assert_int_equal(load(&e, 23), -EBADMSG);
	e.err = 4096;
	assert_int_equal(load(&e, 23), -EBADMSG);
	e = good;
	e.bytes[1] = '\0';
	assert_int_equal(load(&e, 23), -EBADMSG);
}

/* ---- words ------------------------------------------------------------ */

#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

static void expect_words(struct tl_cmdline *w, const char *text)
{
	char have[256] = "";
	int i;

	for (i = 1; i < w->count; i++) {
		strcat(have, w->list[i]);
		strcat(have, " ");
	}
	assert_string_equal(have, text);
}

/* @first: of @list, of which one is not an option */
static void keep_words(char **list, int count, int first)
{
	struct tl_cmdline w = { count, list, 0 };

	tl_cmdline_keep(&recording, &w, first, "tool");
	reopen();
}

static bool is_filter(const char *text)
{
	return *text == '>';
}

static const struct tl_tool tool = { .name = "tool", .selects = is_filter };

static void words(void **state)
{
	char *then[] = { "tool", "-x", "-n", "a b", "file" };
	char *now[] = { "tool", "-r", "cap" };
	char *other[] = { "tool", "-r", "cap", "--", "else", "too" };
	struct tl_cmdline w = { COUNT(now), now, 0 };

	(void)state;
	keep_words(then, COUNT(then), 4);
	assert_int_equal(tl_cmdline_again(&recording, &w, COUNT(now), &tool),
			 0);
	assert_int_equal(w.defaults, 4);
	expect_words(&w, "-x -n a b -r cap -- file ");
	free(w.list);
	/* arguments that are given now count instead */
	w = (struct tl_cmdline){ COUNT(other), other, 0 };
	assert_int_equal(tl_cmdline_again(&recording, &w, 4, &tool), 0);
	expect_words(&w, "-x -n a b -r cap -- else too ");
	free(w.list);
}

static void expect_with_filter(char **then, int count, const char *text)
{
	char *now[] = { "tool", "-r", "cap", ">2" };
	char *both[] = { "tool", "-r", "cap", "file", ">2" };
	struct tl_cmdline w = { COUNT(now), now, 0 };

	keep_words(then, count, 2);
	assert_int_equal(tl_cmdline_again(&recording, &w, 3, &tool), 0);
	expect_words(&w, text);
	free(w.list);
	w = (struct tl_cmdline){ COUNT(both), both, 0 };
	assert_int_equal(tl_cmdline_again(&recording, &w, 3, &tool), 0);
	expect_words(&w, "-x -r cap -- file >2 ");
	free(w.list);
}

/* A filter alone is one of what was traced. */
static void filter_alone(void **state)
{
	char *none[] = { "tool", "-x" };
	char *one[] = { "tool", "-x", "file", "else" };
	char *filtered[] = { "tool", "-x", "file", ">1" };

	(void)state;
	expect_with_filter(none, COUNT(none), "-x -r cap -- >2 ");
	expect_with_filter(one, COUNT(one), "-x -r cap -- file else >2 ");
	expect_with_filter(filtered, COUNT(filtered), "-x -r cap -- file >2 ");
}

static void no_words(void **state)
{
	char *now[] = { "tool", "-r", "cap" };
	struct tl_cmdline w = { COUNT(now), now, 0 };
	struct tl_buf said = { 0 };

	(void)state;
	tl_message_keep(&said);
	assert_int_equal(tl_cmdline_again(&recording, &w, COUNT(now), &tool),
			 -EINVAL);
	tl_recording_note(&recording, "tool", "other", 5, 0);
	assert_int_equal(tl_cmdline_again(&recording, &w, COUNT(now), &tool),
			 -EINVAL);
	tl_message_keep(NULL);
	assert_non_null(memmem(said.data, said.len, "capture of other", 16));
	tl_buf_free(&said);
	/* neither options nor arguments, and no NUL at their end */
	tl_recording_note(&recording, "tool", "tool", 4, 0);
	assert_int_equal(tl_cmdline_again(&recording, &w, COUNT(now), &tool),
			 0);
	assert_int_equal(w.defaults, 1);
	expect_words(&w, "-r cap -- ");
	free(w.list);
	w = (struct tl_cmdline){ COUNT(now), now, 0 };
	tl_recording_note(&recording, "options", "-x\0-y", 5, 0);
	tl_recording_note(&recording, "arguments", NULL, 0, EIO);
	assert_int_equal(tl_cmdline_again(&recording, &w, COUNT(now), &tool),
			 0);
	expect_words(&w, "-x -r cap -- ");
	free(w.list);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(texts, forget),
		cmocka_unit_test_teardown(files, forget),
		cmocka_unit_test_teardown(answers, forget),
		cmocka_unit_test_teardown(wrong_answers, forget),
		cmocka_unit_test_teardown(by_prefix, forget),
		cmocka_unit_test_teardown(damaged, forget),
		cmocka_unit_test_teardown(words, forget),
		cmocka_unit_test_teardown(filter_alone, forget),
		cmocka_unit_test_teardown(no_words, forget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
