/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_perfmap.c - functions of code that is made while its program runs */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "elf/perfmap.h"
#include "scratch.h"

static size_t bytes;
static struct tl_perfmap *map;

static int new_map(void **state)
{
	bytes = 0;
	map = tl_perfmap_new(getpid(), &bytes);
	return map ? 0 : -1;
}

/* Nothing stays counted. */
static int free_map(void **state)
{
	tl_perfmap_free(map);
	return bytes ? -1 : 0;
}

static void expect(uint64_t addr, const char *name, uint64_t at)
{
	uint64_t into = 99;
	const char *found = tl_perfmap_function(map, addr, &into);

	if (!name) {
		assert_null(found);
		return;
	}
	assert_non_null(found);
	assert_string_equal(found, name);
	assert_int_equal(into, at);
}

static void add(const char *text)
{
	assert_int_equal(tl_perfmap_add(map, text, strlen(text)), strlen(text));
}

static void lines(void **state)
{
	add("7f0000001000 20 LazyCompile:*foo /x.js:3\n"
	    "0x7F0000001020 0x10 void A::b(int)+c [x] \r\n"
	    "3000\t1  one\n");
	expect(0x7f0000000fff, NULL, 0);
	expect(0x7f0000001000, "LazyCompile:*foo /x.js:3", 0);
	expect(0x7f000000101f, "LazyCompile:*foo /x.js:3", 0x1f);
	expect(0x7f0000001020, "void A::b(int)+c [x]", 0);
	expect(0x7f0000001030, NULL, 0);
	expect(0x3000, "one", 0);
	expect(0x3001, NULL, 0);
	expect(UINT64_MAX, NULL, 0);
}

static void bad_lines(void **state)
{
	static const char zero[] = "1000 10 a\0b\n";
	char longest[5000] = "1000 10 ";

	add("\n \n1000\n1000 10\n1000 10 \n1000 0 none\n10-0 10 a\n1000 1g a\n"
	    "g 10 a\n 1000 10 a\n0x 10 a\n1000 10x a\n"
	    "fffffffffffffff0 20 over\n10000000000001000 10 wide\n");
	add("1000 10000000000000010 wide\n-1000 10 a\n");
	assert_int_equal(tl_perfmap_add(map, zero, sizeof(zero) - 1),
			 sizeof(zero) - 1);
	memset(longest + 8, 'a', sizeof(longest) - 8);
	longest[sizeof(longest) - 1] = '\n';
	assert_int_equal(tl_perfmap_add(map, longest, sizeof(longest)),
			 sizeof(longest));
	assert_int_equal(bytes, 0);
	expect(0x1000, NULL, 0);
	/* what is not whole yet */
	assert_int_equal(tl_perfmap_add(map, "1000 10 a\n2000 10 b", 19), 10);
	expect(0x1000, "a", 0);
	expect(0x2000, NULL, 0);
	assert_int_equal(tl_perfmap_add(map, "", 0), 0);
}

static void later_ones_count(void **state)
{
	size_t one;

	add("1000 100 old\n");
	one = bytes;
	add("1000 100 new\n");
	assert_int_equal(bytes, one);
	expect(0x1000, "new", 0);
	add("1040 10 inner\n");
	expect(0x103f, "new", 0x3f);
	expect(0x1040, "inner", 0);
	expect(0x104f, "inner", 0xf);
	expect(0x1050, "new", 0x50);
	add("1048 80 over\n2000 10 far\n");
	expect(0x1047, "inner", 7);
	expect(0x1048, "over", 0);
	expect(0x10c7, "over", 0x7f);
	expect(0x10c8, "new", 0xc8);
	add("0 fff0 all\n");
	expect(0x1040, "all", 0x1040);
	expect(0x2000, "all", 0x2000);
	assert_int_equal(bytes, one);
}

/* As many as there is room for; what was there before stays. */
static void too_many(void **state)
{
	char line[64];
	uint64_t i;

	for (i = 1; i < 2000000; i++) {
		snprintf(line, sizeof(line), "%jx 10 f%ju\n", (uintmax_t)i * 16,
			 (uintmax_t)i);
		add(line);
	}
	assert_in_range(bytes, TL_PERFMAP_BYTES / 2, TL_PERFMAP_BYTES);
	expect(0x10, "f1", 0);
	expect((i - 1) * 16, NULL, 0);
}

/* ---- files ------------------------------------------------------------ */

static void read_it(void)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "%s/map", dir);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	tl_perfmap_read(map, fd);
	close(fd);
}

static void grows(void **state)
{
	assert_true(run("printf '1000 10 a\\n2000 10 b' >map"));
	read_it();
	expect(0x1000, "a", 0);
	expect(0x2000, NULL, 0);
	assert_true(run("printf 'c\\n1008 8 d\\n' >>map"));
	read_it();
	expect(0x1000, "a", 0);
	expect(0x1008, "d", 0);
	expect(0x2000, "bc", 0);
	/* the end of no line */
	assert_true(run("printf '3000 10 e' >>map"));
	read_it();
	read_it();
	assert_true(run("printf '\\n' >>map"));
	read_it();
	expect(0x3000, "e", 0);
}

static void written_anew(void **state)
{
	assert_true(run("printf '1000 10 a\\n2000 10 b\\n' >map"));
	read_it();
	/* the same file, and longer */
	assert_true(run("printf '3000 10 a\\n4000 10 b\\n5000 10 c\\n' >map"));
	read_it();
	expect(0x1000, NULL, 0);
	expect(0x3000, "a", 0);
	expect(0x5000, "c", 0);
	/* and shorter */
	assert_true(run("printf '6000 10 a\\n' >map"));
	read_it();
	expect(0x3000, NULL, 0);
	expect(0x6000, "a", 0);
	/* of the same length, an hour before */
	assert_true(
		run("printf '7000 10 a\\n' >map; touch -d '1 hour ago' map"));
	read_it();
	expect(0x6000, NULL, 0);
	expect(0x7000, "a", 0);
	/* another file */
	assert_true(
		run("cp -p map new; printf '8000 10 b\\n' >>new; mv new map"));
	read_it();
	expect(0x7000, "a", 0);
	expect(0x8000, "b", 0);
}

static void large(void **state)
{
	/* a line that is longer than what is read at once */
	assert_true(run("{ printf '1000 10 a\\n2000 10 '; head -c 200000 "
			"/dev/zero | tr '\\0' x; printf '\\n3000 10 b\\n'; } "
			">map"));
	read_it();
	expect(0x1000, "a", 0);
	expect(0x2000, NULL, 0);
	expect(0x3000, "b", 0);
	/* only the end is read, from the first whole line on */
	assert_true(
		run("{ printf '1000 10 a\\n'; yes '2000 10 b' | head -n %lu;"
		    " printf '3000 10 c\\n'; } >map",
		    TL_PERFMAP_FILE));
	read_it();
	expect(0x1000, NULL, 0);
	expect(0x2000, "b", 0);
	expect(0x3000, "c", 0);
}

/* ---- whose they are --------------------------------------------------- */

static void check_open(int want)
{
	char name[32], expected[32];
	int fd = tl_perfmap_open(getpid(), name, sizeof(name));

	snprintf(expected, sizeof(expected), "perf-%d.map", getpid());
	assert_string_equal(name, expected);
	assert_int_equal(fd < 0 ? fd : 0, want);
	if (fd >= 0)
		close(fd);
}

static void trusted(void **state)
{
	char path[64], name[32];

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	check_open(-ENOENT);
	assert_true(run("echo 1000 10 a >%s", path));
	check_open(0);
	assert_true(tl_perfmap_update(map));
	expect(0x1000, "a", 0);
	assert_string_equal(tl_perfmap_name(map), path + strlen("/tmp/"));
	if (!geteuid()) {
		assert_int_equal(chown(path, 1, 1), 0);
		check_open(-EPERM);
	}
	assert_int_equal(unlink(path), 0);
	assert_true(run("echo 1000 10 a >map; ln -s $PWD/map %s", path));
	check_open(-EINVAL);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	check_open(-EINVAL);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkdir(path, 0700), 0);
	check_open(-EINVAL);
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(tl_perfmap_open(0, name, sizeof(name)), -ESRCH);
}

/* What was read is still known. */
static void ended(void **state)
{
	size_t used = 0;
	struct tl_perfmap *m = tl_perfmap_new(0, &used);
	uint64_t into;

	assert_non_null(m);
	tl_perfmap_add(m, "1000 10 a\n", 10);
	assert_false(tl_perfmap_update(m));
	assert_false(tl_perfmap_update(m));
	assert_string_equal(tl_perfmap_function(m, 0x1001, &into), "a");
	tl_perfmap_free(m);
	assert_int_equal(used, 0);
}

#define EACH(test) cmocka_unit_test_setup_teardown(test, new_map, free_map)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(lines),    EACH(bad_lines), EACH(later_ones_count),
		EACH(too_many), EACH(grows),     EACH(written_anew),
		EACH(large),    EACH(trusted),   EACH(ended),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
