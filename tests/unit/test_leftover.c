/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_leftover.c - what is read of tracefs and /proc, and whose a name is */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/part.h"
#include "base/proc.h"
#include "leftover/find.h"
#include "scratch.h"
#include "tracefs/instance.h"
#include "tracefs/sweep.h"

static void expect_list(const char *text, const char *want)
{
	char *list = tl_text_list(text);

	if (want)
		assert_string_equal(list, want);
	else
		assert_null(list);
	free(list);
}

static void test_list(void **state)
{
	(void)state;
	expect_list("", NULL);
	expect_list("\n", NULL);
	expect_list("#### all functions enabled ####\n", NULL);
	expect_list("no pid\n", NULL);
	expect_list("vfs_read\n", "vfs_read");
	expect_list("# comment\nvfs_read", "vfs_read");
	expect_list("1\n\n2\n# 3\n4\n", "1, and 2 more");
}

static void expect_cpus(unsigned int cpus, const char *want)
{
	char *mask = tl_text_cpumask(cpus);

	assert_string_equal(mask, want);
	free(mask);
}

static void test_cpumask(void **state)
{
	(void)state;
	assert_null(tl_text_cpumask(0));
	expect_cpus(1, "1");
	expect_cpus(2, "3");
	expect_cpus(3, "7");
	expect_cpus(4, "f");
	expect_cpus(6, "3f");
	expect_cpus(32, "ffffffff");
	expect_cpus(33, "1,ffffffff");
	expect_cpus(40, "ff,ffffffff");
	expect_cpus(64, "ffffffff,ffffffff");
}

static void test_is_ours(void **state)
{
	(void)state;
	assert_true(tl_sweep_is_ours("tl_opensnoop_812"));
	assert_true(tl_sweep_is_ours("tl_perf-stat-hist_812_2"));
	assert_false(tl_sweep_is_ours("tl_opensnoop"));
	assert_false(tl_sweep_is_ours("tl_opensnoop_"));
	assert_false(tl_sweep_is_ours("tl_812"));
	assert_false(tl_sweep_is_ours("tl__812"));
	assert_false(tl_sweep_is_ours("tl_mine_x"));
	assert_false(tl_sweep_is_ours("mytl_opensnoop_812"));
	assert_false(tl_sweep_is_ours(""));
}

static void expect_dynamic(const char *text, char type, const char *name,
			   const char *group, const char *place)
{
	char *line = strdup(text);
	struct tl_dynamic d;

	assert_true(tl_dynamic_parse(&d, line));
	assert_int_equal(d.type, type);
	assert_string_equal(d.name, name);
	assert_string_equal(d.group, group);
	assert_string_equal(d.place, place);
	free(line);
}

static void test_dynamic(void **state)
{
	char none[] = "none";
	struct tl_dynamic d;

	(void)state;
	expect_dynamic("p:a/b vfs_read x=$arg1", 'p', "a/b", "a",
		       "vfs_read x=$arg1");
	expect_dynamic("r8:a/b vfs_read", 'r', "a/b", "a", "vfs_read");
	expect_dynamic("s:lat\tu64 lat", 's', "lat", "", "u64 lat");
	expect_dynamic("s:lat", 's', "lat", "", "");
	assert_false(tl_dynamic_parse(&d, none));
}

static void test_age(void **state)
{
	(void)state;
	assert_in_range(tl_proc_age(getpid()), 0, 3600);
	assert_int_equal(tl_proc_age(1 << 30), -1);
}

static void make_file(int at, const char *name, const char *text)
{
	int fd = openat(at, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static bool has(const struct tl_leftover *list, size_t count, const char *name)
{
	while (count--)
		if (!strcmp(list[count].name, name))
			return true;
	return false;
}

/* A tracefs of the test's own, empty. */
static struct tl_instance root(void)
{
	struct tl_instance instance = { .root_path = dir };

	instance.root.fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(instance.root.fd >= 0);
	return instance;
}

/* What cannot be read is not what this kernel has not. */
static void test_failed_read(void **state)
{
	struct tl_instance instance = root();
	struct tl_session s = { .instance = &instance };
	struct tl_leftover *list;
	size_t count;

	(void)state;
	make_file(instance.root.fd, "current_tracer", "function\n");
	make_file(instance.root.fd, "tracing_thresh", "7\n");
	mkdirat(instance.root.fd, "instances", 0700);
	mkdirat(instance.root.fd, "events", 0700);
	assert_int_equal(tl_leftover_find(&s, false, &list, &count), 0);
	tl_leftover_free(list, count);
	/* reading it is EISDIR */
	mkdirat(instance.root.fd, "set_ftrace_filter", 0700);
	assert_int_equal(tl_leftover_find(&s, false, &list, &count), 1);
	assert_true(has(list, count, "current_tracer"));
	assert_true(has(list, count, "tracing_thresh"));
	tl_leftover_free(list, count);
	tl_parts_free(&s);
	close(instance.root.fd);
	assert_true(run("rm -r *"));
}

static unsigned int shown;

static void count_shown(struct tl_session *s, const struct tl_leftover *l,
			bool before)
{
	(void)s;
	(void)l;
	shown += before ? 1 : 100;
}

/* What the tracer keeps in use comes in a second turn. */
static void test_reset(void **state)
{
	struct tl_instance instance = root();
	struct tl_session s = { .instance = &instance };
	struct tl_leftover list[] = {
		{ .file = "set_graph_function", .act = TL_ACT_WIDEN },
		{ .file = "current_tracer", .act = TL_ACT_WRITE },
		{ .file = "no/such", .act = TL_ACT_WRITE },
		{ .file = "tracing_on", .act = TL_ACT_WRITE },
	};
	size_t i;

	(void)state;
	make_file(instance.root.fd, "current_tracer", "function\n");
	make_file(instance.root.fd, "set_graph_function", "vfs_read\n");
	make_file(instance.root.fd, "tracing_on", "0\n");
	for (i = 0; i < 4; i++) {
		list[i].kind = list[i].name = "x";
		list[i].text = "nop";
		list[i].result = TL_LEFTOVER_TO_DO;
	}
	list[3].result = TL_LEFTOVER_ALONE;
	tl_leftover_reset(&s, list, 4, true, count_shown);
	assert_int_equal(list[0].result, TL_LEFTOVER_DONE);
	assert_int_equal(list[1].result, TL_LEFTOVER_DONE);
	assert_int_equal(list[2].result, -ENOENT);
	assert_int_equal(list[3].result, TL_LEFTOVER_ALONE);
	/* four files, then two, then the one that failed */
	assert_int_equal(shown, 707);
	assert_false(tl_leftover_failed(list, 2));
	assert_true(tl_leftover_failed(list, 4));
	close(instance.root.fd);
	assert_true(run("rm -r *"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_cpumask),
		cmocka_unit_test(test_is_ours),
		cmocka_unit_test(test_dynamic),
		cmocka_unit_test(test_age),
		cmocka_unit_test(test_failed_read),
		cmocka_unit_test(test_reset),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
