/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_options.c - options and values, right and wrong */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/message.h"
#include "option/options.h"
#include "option/parse.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- values ----------------------------------------------------------- */

struct number {
	const char *text;
	int ret;
	uint64_t value;
};

static void uints(void **state)
{
	static const struct number table[] = {
		{ "5", 0, 5 },
		{ "100", 0, 100 },
		{ "007", 0, 7 },
		{ "4", -ERANGE, 0 },
		{ "101", -ERANGE, 0 },
		{ "18446744073709551615", -ERANGE, 0 },
		{ "18446744073709551616", -ERANGE, 0 },
		{ "99999999999999999999999", -ERANGE, 0 },
		{ "", -EINVAL, 0 },
		{ "5x", -EINVAL, 0 },
		{ "5 ", -EINVAL, 0 },
		{ " 5", -EINVAL, 0 },
		{ "+5", -EINVAL, 0 },
		{ "-5", -EINVAL, 0 },
		{ "0x5", -EINVAL, 0 },
		{ "5.0", -EINVAL, 0 },
		{ "99999999999999999999999x", -EINVAL, 0 },
	};
	uint64_t n;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(table); i++) {
		n = 0;
		assert_int_equal(tl_parse_uint(table[i].text, 5, 100, &n),
				 table[i].ret);
		assert_int_equal(n, table[i].value);
	}
	assert_int_equal(
		tl_parse_uint("18446744073709551615", 0, UINT64_MAX, &n), 0);
	assert_true(n == UINT64_MAX);
}

static void seconds(void **state)
{
	static const struct number table[] = {
		{ "1", 0, 1000000000 },
		{ "10", 0, 10000000000 },
		{ "0.5", 0, 500000000 },
		{ ".5", 0, 500000000 },
		{ "5.", 0, 5000000000 },
		{ "1.25", 0, 1250000000 },
		{ "0.000000001", 0, 1 },
		{ "1.0000000019", 0, 1000000001 },
		{ "9223372035.999999999", 0, 9223372035999999999 },
		{ "9223372036", -EOVERFLOW, 0 },
		{ "99999999999999999999999", -EOVERFLOW, 0 },
		{ "0", -ERANGE, 0 },
		{ "0.0", -ERANGE, 0 },
		{ "0.0000000009", -ERANGE, 0 },
		{ "", -EINVAL, 0 },
		{ ".", -EINVAL, 0 },
		{ "1e3", -EINVAL, 0 },
		{ "nan", -EINVAL, 0 },
		{ "inf", -EINVAL, 0 },
		{ "-1", -EINVAL, 0 },
		{ "+1", -EINVAL, 0 },
		{ " 1", -EINVAL, 0 },
		{ "1 ", -EINVAL, 0 },
		{ "1s", 0, 1000000000 },
		{ "500ms", 0, 500000000 },
		{ "0.5ms", 0, 500000 },
		{ "20us", 0, 20000 },
		{ "2m", 0, 120000000000 },
		{ "1.5m", 0, 90000000000 },
		{ ".25h", 0, 900000000000 },
		{ "2562046h", 0, 9223365600000000000 },
		{ "2562047h", -EOVERFLOW, 0 },
		{ "0ms", -ERANGE, 0 },
		{ "s", -EINVAL, 0 },
		{ ".s", -EINVAL, 0 },
		{ "1 s", -EINVAL, 0 },
		{ "1S", -EINVAL, 0 },
		{ "1sec", -EINVAL, 0 },
		{ "1ss", -EINVAL, 0 },
		{ "1m30s", -EINVAL, 0 },
		{ "1,5", -EINVAL, 0 },
		{ "1.5.5", -EINVAL, 0 },
		{ "1.5x", -EINVAL, 0 },
		{ "0x10", -EINVAL, 0 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(table); i++) {
		uint64_t ns = 0;

		assert_int_equal(tl_parse_seconds(table[i].text, &ns),
				 table[i].ret);
		assert_int_equal(ns, table[i].value);
	}
}

/* 0 is one too. */
static void usecs(void **state)
{
	static const struct number table[] = {
		{ "0", 0, 0 },
		{ "0.0004", 0, 0 },
		{ "0.25", 0, 250 },
		{ "10000", 0, 10000000 },
		{ ".5", 0, 500 },
		{ "9223372036854775", -EOVERFLOW, 0 },
		{ "99999999999999999999", -EOVERFLOW, 0 },
		{ "", -EINVAL, 0 },
		{ "-1", -EINVAL, 0 },
		{ "10us", 0, 10000 },
		{ "10ms", 0, 10000000 },
		{ "10ns", -EINVAL, 0 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(table); i++) {
		uint64_t ns = 0;

		assert_int_equal(tl_parse_usecs(table[i].text, &ns),
				 table[i].ret);
		assert_int_equal(ns, table[i].value);
	}
}

static void sizes(void **state)
{
	static const struct number table[] = {
		{ "1", 0, 1 },
		{ "4096", 0, 4096 },
		{ "64K", 0, 65536 },
		{ "3M", 0, 3145728 },
		{ "2G", 0, 2147483648 },
		{ "17179869183G", 0, 18446744072635809792u },
		{ "17179869184G", -ERANGE, 0 },
		{ "99999999999999999999999", -ERANGE, 0 },
		{ "0", -ERANGE, 0 },
		{ "0K", -ERANGE, 0 },
		{ "", -EINVAL, 0 },
		{ "K", -EINVAL, 0 },
		{ "1k", -EINVAL, 0 },
		{ "1T", -EINVAL, 0 },
		{ "1KB", -EINVAL, 0 },
		{ "1KK", -EINVAL, 0 },
		{ "1 K", -EINVAL, 0 },
		{ "1.5M", -EINVAL, 0 },
		{ "-1", -EINVAL, 0 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(table); i++) {
		uint64_t bytes = 0;

		assert_int_equal(tl_parse_size(table[i].text, &bytes),
				 table[i].ret);
		assert_true(bytes == table[i].value);
	}
}

static void percentages(void **state)
{
	static const struct {
		const char *text;
		int ret;
		unsigned int value;
	} table[] = {
		{ "1%", 0, 10000 },
		{ "1", 0, 10000 },
		{ "0.5%", 0, 5000 },
		{ ".25", 0, 2500 },
		{ "0.0001", 0, 1 },
		{ "100%", 0, 1000000 },
		{ "12.34567%", 0, 123456 },
		{ "0", -ERANGE, 0 },
		{ "0.00001%", -ERANGE, 0 },
		{ "100.0001%", -ERANGE, 0 },
		{ "101", -ERANGE, 0 },
		{ "99999999999999999999", -ERANGE, 0 },
		{ "", -EINVAL, 0 },
		{ "%", -EINVAL, 0 },
		{ ".", -EINVAL, 0 },
		{ "1%%", -EINVAL, 0 },
		{ "1 %", -EINVAL, 0 },
		{ "-1%", -EINVAL, 0 },
		{ "1e1", -EINVAL, 0 },
		{ "1%x", -EINVAL, 0 },
	};
	unsigned int got;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(table); i++) {
		got = 0;
		assert_int_equal(tl_parse_percent(table[i].text, &got),
				 table[i].ret);
		assert_int_equal(got, table[i].value);
	}
}

static void lists_of_cpus(void **state)
{
	static const struct {
		const char *text, *same;
		unsigned int count;
	} table[] = {
		{ "0", "0", 1 },
		{ "0,2-5", "0,2-5", 2 },
		{ "5,3,1", "1,3,5", 3 },
		{ "4-5,0,2-3,3", "0,2-5", 2 },
		{ "1,0", "0-1", 1 },
		{ "0-7,2,3-4", "0-7", 1 },
		{ "3-3,3", "3", 1 },
		{ "00000000000000000000000000000000000000000007", "7", 1 },
		{ "65535", "65535", 1 },
		{ "100,102,104,106,108,110,112,114,116,118,120",
		  "100,102,104,106,108,110,112,114,116,...", 11 },
	};
	static const char *const wrong[] = {
		"",      ",",     "1,",
		",1",    "1,,2",  "1, 2",
		"1;",    "x",     "1,x",
		"-1",    "1-",    "5-2",
		"1-2-3", "65536", "1 ",
		"+1",    "all",   "0x1",
		"0-1,-", "!1",    "18446744073709551616",
	};
	struct tl_cpus cpus = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(table); i++) {
		assert_int_equal(tl_parse_cpus(table[i].text, &cpus), 0);
		assert_string_equal(cpus.text, table[i].same);
		assert_int_equal(cpus.count, table[i].count);
	}
	for (i = 0; i < COUNT(wrong); i++)
		assert_int_equal(tl_parse_cpus(wrong[i], &cpus), -EINVAL);
	assert_int_equal(cpus.count, 11); /* as it was */
}

static void processors_of_a_list(void **state)
{
	char many[2 * TL_CPU_RANGES_MAX + 2];
	struct tl_cpus cpus = { 0 };
	size_t i;

	(void)state;
	assert_false(tl_cpus_has(&cpus, 0));
	assert_int_equal(tl_parse_cpus("8,2-5", &cpus), 0);
	for (i = 0; i < 10; i++)
		assert_int_equal(tl_cpus_has(&cpus, (unsigned int)i),
				 (i >= 2 && i <= 5) || i == 8);
	for (i = 0; i <= TL_CPU_RANGES_MAX; i++)
		memcpy(many + 2 * i, "7,", 2);
	many[2 * TL_CPU_RANGES_MAX + 1] = '\0';
	assert_int_equal(tl_parse_cpus(many, &cpus), -E2BIG);
	many[2 * TL_CPU_RANGES_MAX - 1] = '\0';
	assert_int_equal(tl_parse_cpus(many, &cpus), 0);
	assert_string_equal(cpus.text, "7");
}

static void lists_of_pids(void **state)
{
	static const char *const wrong[] = {
		"",    ",",   "1,",  ",1", "1,,2",       "1, 2", "1;",
		"1,0", "1,x", "1-2", "-1", "2147483648", "1 ",   "+1,2",
	};
	static const char zeroes[] =
		"000000000000000000000000000000000000000000001,2";
	char many[2 * TL_PIDS_MAX + 2];
	struct tl_pids pids = { 0 };
	size_t i;

	(void)state;
	assert_int_equal(tl_parse_pids("12,2147483647,3", &pids), 0);
	assert_int_equal(pids.count, 3);
	assert_string_equal(pids.text, "12,2147483647,3");
	assert_true(tl_pids_has(&pids, 12) && tl_pids_has(&pids, 3));
	assert_true(tl_pids_has(&pids, INT_MAX) && !tl_pids_has(&pids, 1));
	assert_false(tl_pids_has(&(struct tl_pids){ 0 }, 0));
	for (i = 0; i < COUNT(wrong); i++)
		assert_int_equal(tl_parse_pids(wrong[i], &pids), -EINVAL);
	assert_int_equal(pids.count, 3); /* as it was */
	for (i = 0; i <= TL_PIDS_MAX; i++)
		memcpy(many + 2 * i, "7,", 2);
	many[2 * TL_PIDS_MAX + 1] = '\0';
	assert_int_equal(tl_parse_pids(many, &pids), -E2BIG);
	many[2 * TL_PIDS_MAX - 1] = '\0';
	assert_int_equal(tl_parse_pids(many, &pids), 0);
	assert_int_equal(pids.count, TL_PIDS_MAX);
	assert_string_equal(pids.text,
			    "7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,...");
	assert_int_equal(tl_parse_pids(zeroes, &pids), 0);
	assert_string_equal(pids.text, ",...");
}

static bool matches(const char *re, const char *text, size_t len)
{
	struct tl_regex compiled = { 0 };
	bool found;

	assert_int_equal(tl_regex_compile(&compiled, "-n", re), 0);
	found = tl_regex_match(&compiled, text, len);
	tl_regex_free(&compiled);
	return found;
}

static void regex_match(void **state)
{
	static const struct tl_regex none = { 0 };

	(void)state;
	assert_true(tl_regex_match(&none, "x", 1));
	assert_true(tl_regex_match(&none, NULL, 0));
	assert_true(matches("as", "bash", 4));
	assert_false(matches("zsh", "bash", 4));
	/* extended */
	assert_true(matches("^(ba|z)sh$", "bash", 4));
	assert_true(matches("a+b{2}", "aabb", 4));
	/* no byte behind the length counts, nor one behind a NUL */
	assert_false(matches("h", "bash", 3));
	assert_true(matches("^bas$", "bash", 3));
	assert_true(matches("^ba$", "ba\0sh", 5));
	/* an empty text */
	assert_true(matches("^$", NULL, 0));
	assert_false(matches("x", NULL, 0));
}

static void regex_literal(void **state)
{
	static const char *const special[] = {
		".", "^a", "a$", "a*",  "a+",  "a?", "(a)", "[a]",
		"]", "a{", "}",  "a|b", "\\.", "\"", "'",
	};
	struct tl_regex re = { 0 };
	char longer[252] = { 0 };
	size_t i;

	(void)state;
	assert_null(tl_regex_literal(&re));
	re.text = "/etc/ld-so_cache,v @%:";
	assert_string_equal(tl_regex_literal(&re), "/etc/ld-so_cache,v @%:");
	for (i = 0; i < COUNT(special); i++) {
		re.text = special[i];
		assert_null(tl_regex_literal(&re));
	}
	memset(longer, 'x', 250);
	re.text = longer;
	assert_ptr_equal(tl_regex_literal(&re), longer);
	longer[250] = 'x';
	assert_null(tl_regex_literal(&re));
}

/* ---- capturing -------------------------------------------------------- */

static int saved[3];

static void capture(int fd)
{
	int file = memfd_create("captured", MFD_CLOEXEC);

	fflush(stdout);
	saved[fd] = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	assert_true(file >= 0 && saved[fd] >= 0);
	dup2(file, fd);
	close(file);
}

static void captured(int fd, char *text, size_t size)
{
	ssize_t n;

	fflush(stdout);
	n = pread(fd, text, size - 1, 0);
	dup2(saved[fd], fd);
	close(saved[fd]);
	assert_true(n >= 0);
	text[n] = '\0';
}

/* ---- parsing ---------------------------------------------------------- */

struct set {
	bool failed, json, csv, other;
	unsigned int count, plain, word, own;
	struct tl_pids pid, tid;
	uint64_t duration, buffer;
	struct tl_regex name;
	const char *cgroup;
};

static struct set set;

static const struct tl_opt own[] = {
	{ 'x', NULL, NULL, "only opens that failed", TL_OPT_FLAG, &set.failed,
	  NULL, 0, 0 },
	{ 'a', NULL, "ARGC", "how many arguments", TL_OPT_UINT, &set.count,
	  NULL, 1, 16 },
	{ 0, "plain", "N", "any number", TL_OPT_UINT, &set.plain, NULL, 0, 0 },
	/* takes a letter from the common table, not the name */
	{ 'b', "own", "N", "the tool's -b", TL_OPT_UINT, &set.own, NULL, 0, 0 },
	/* takes a name, not the letter */
	{ 'O', "other", NULL, "the tool's --other", TL_OPT_FLAG, &set.other,
	  NULL, 0, 0 },
	{ 0 },
};

static const struct tl_opt common[] = {
	{ 'p', "pid", "PID", "only this process", TL_OPT_PID, &set.pid, "who",
	  0, 0 },
	{ 'L', "tid", "TID", "only this thread", TL_OPT_PID, &set.tid, "who", 0,
	  0 },
	{ 'n', "name", "NAME", "only this name", TL_OPT_REGEX, &set.name, "who",
	  0, 0 },
	{ 0, "cgroup", "PATH", "only this cgroup", TL_OPT_STRING, &set.cgroup,
	  "who", 0, 0 },
	{ 'd', "duration", "SECS", "how long", TL_OPT_SECONDS, &set.duration,
	  NULL, 0, 0 },
	{ 'b', "buffer", "SIZE", "per processor", TL_OPT_SIZE, &set.buffer,
	  NULL, 0, 0 },
	{ 0, "time", "clock|relative|wall|iso", "how times look", TL_OPT_WORD,
	  &set.word, NULL, 0, 0 },
	{ 0, "json", NULL, "as JSON", TL_OPT_FLAG, &set.json, "format", 0, 0 },
	{ 0, "csv", NULL, "as CSV", TL_OPT_FLAG, &set.csv, "format", 0, 0 },
	{ 'o', "other", "N", "hidden name", TL_OPT_UINT, &set.own, NULL, 0, 0 },
	{ 0 },
};

#define ARGS_MAX 8

static int parse(const char *const *args, char *message, size_t size)
{
	char *argv[ARGS_MAX + 2] = { (char *)"opensnoop" };
	int argc = 1, ret;

	for (; *args; args++)
		argv[argc++] = (char *)*args;
	tl_regex_free(&set.name);
	memset(&set, 0, sizeof(set));
	tl_message_tool("opensnoop");
	capture(STDERR_FILENO);
	ret = tl_opt_parse(own, common, argc, argv);
	captured(STDERR_FILENO, message, size);
	return ret;
}

/* What @args, ended by NULL, are parsed to: where the options end. */
#define PARSE(...) parse_right((const char *[]){ __VA_ARGS__, NULL })

static int parse_right(const char *const *args)
{
	char message[1000];
	int ret = parse(args, message, sizeof(message));

	assert_string_equal(message, "");
	return ret;
}

static void every_kind(void **state)
{
	(void)state;
	assert_int_equal(PARSE("-x", "-a", "16", "-p", "12", "file"), 6);
	assert_true(set.failed && set.count == 16 && set.pid.list[0] == 12);
	assert_int_equal(PARSE("-n", "^ba", "-d", "1.5", "--buffer", "64K"), 7);
	assert_string_equal(set.name.text, "^ba");
	assert_true(tl_regex_match(&set.name, "bash", 4));
	assert_false(tl_regex_match(&set.name, "aba", 3));
	assert_true(set.duration == 1500000000 && set.buffer == 65536);
	assert_int_equal(PARSE("--time", "clock"), 3);
	assert_int_equal(set.word, 0);
	assert_int_equal(PARSE("--time=iso", "--cgroup=/a=b"), 3);
	assert_int_equal(set.word, 3);
	assert_string_equal(set.cgroup, "/a=b");
	assert_int_equal(PARSE("--plain=4294967295", "--json"), 3);
	assert_true(set.plain == 4294967295 && set.json);
	assert_int_equal(PARSE("-L", "2147483647"), 3);
	assert_int_equal(set.tid.list[0], 2147483647);
}

static void ways_to_write(void **state)
{
	(void)state;
	assert_int_equal(PARSE("-p12"), 2);
	assert_int_equal(set.pid.list[0], 12);
	assert_int_equal(PARSE("-xOp12", "-d3"), 3);
	assert_true(set.failed && set.other && set.pid.list[0] == 12);
	assert_int_equal(PARSE("-xp", "12"), 3);
	assert_int_equal(set.pid.list[0], 12);
	assert_int_equal(PARSE("--pid=12"), 2);
	assert_int_equal(set.pid.list[0], 12);
	assert_int_equal(PARSE("--pid", "12"), 3);
	assert_int_equal(set.pid.list[0], 12);
	/* the later one holds, of the same option twice */
	assert_int_equal(PARSE("-p1", "-p", "2", "--pid=3"), 5);
	assert_int_equal(set.pid.list[0], 3);
	assert_int_equal(PARSE("-n", "a", "-n", "b"), 5);
	assert_string_equal(set.name.text, "b");
	/* an argument may look like an option */
	assert_int_equal(PARSE("--cgroup", "--json"), 3);
	assert_string_equal(set.cgroup, "--json");
	assert_false(set.json);
}

static void where_options_end(void **state)
{
	char *no_args[] = { (char *)"opensnoop", NULL };

	(void)state;
	assert_int_equal(tl_opt_parse(own, common, 1, no_args), 1);
	assert_int_equal(tl_opt_parse(own, common, 0, no_args + 1), 0);
	assert_int_equal(tl_opt_parse(NULL, common, 1, no_args), 1);
	assert_int_equal(tl_opt_parse(NULL, NULL, 1, no_args), 1);
	assert_int_equal(PARSE("file", "-x"), 1);
	assert_false(set.failed);
	assert_int_equal(PARSE("--", "-x"), 2);
	assert_false(set.failed);
	assert_int_equal(PARSE("-x", "--"), 3);
	assert_int_equal(PARSE("-x", "-", "-a"), 2);
	assert_int_equal(PARSE("-x", "", "-a"), 2);
}

/*
 * @args, ended by NULL, become the words of @sorted, of which @first are
 * options.
 */
static void sort(const char *const *args, int first, const char *sorted)
{
	char *argv[ARGS_MAX + 2] = { (char *)"opensnoop" };
	char text[200] = "";
	int argc = 1, i;

	for (; *args; args++)
		argv[argc++] = (char *)*args;
	memset(&set, 0, sizeof(set));
	assert_int_equal(tl_opt_sort(own, common, argc, argv), first);
	for (i = 1; i < argc; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 " %s", argv[i]);
	assert_string_equal(text, sorted);
	assert_true(!set.failed && !set.duration);
}

#define SORT(...)                 \
	(const char *[])          \
	{                         \
		__VA_ARGS__, NULL \
	}

static void options_behind_arguments(void **state)
{
	(void)state;
	sort(SORT("a", "-x", "b", "-d", "1s", "c"), 4, " -x -d 1s a b c");
	sort(SORT("-x", "a", "--time=iso"), 3, " -x --time=iso a");
	sort(SORT("a", "--", "-x", "-d"), 2, " -- a -x -d");
	/* a value is none of these, whatever it looks like */
	sort(SORT("a", "-n", "--", "-x"), 4, " -n -- -x a");
	sort(SORT("a", "-xn", "-x", "-"), 3, " -xn -x a -");
	sort(SORT("a", "b"), 1, " a b");
	sort(SORT("-x"), 2, " -x");
}

static void own_table_first(void **state)
{
	(void)state;
	assert_int_equal(PARSE("-b", "7"), 3);
	assert_true(set.own == 7 && set.buffer == 0);
	assert_int_equal(PARSE("--buffer=7"), 2);
	assert_true(set.own == 0 && set.buffer == 7);
	assert_int_equal(PARSE("--other"), 2);
	assert_true(set.other && set.own == 0);
	assert_int_equal(PARSE("-o5"), 2);
	assert_true(!set.other && set.own == 5);
}

static void errors(void **state)
{
	static const struct {
		const char *args[ARGS_MAX];
		const char *message;
	} table[] = {
		{ { "-z" }, "-z: no such option" },
		{ { "-xz" }, "-z: no such option" },
		{ { "-\xff" }, "-\\xff: no such option" },
		{ { "--foo" }, "--foo: no such option" },
		{ { "--foo=1" }, "--foo: no such option" },
		{ { "--=1" }, "--: no such option" },
		{ { "--\n" }, "--\\n: no such option" },
		/* no abbreviations */
		{ { "--pi", "1" }, "--pi: no such option" },
		{ { "--dur=1" }, "--dur: no such option" },
		{ { "--jso" }, "--jso: no such option" },
		{ { "--jsonx" }, "--jsonx: no such option" },
		{ { "-json" }, "-j: no such option" },
		{ { "-p" }, "-p: needs an argument, PID" },
		{ { "-xp" }, "-p: needs an argument, PID" },
		{ { "--pid" }, "--pid: needs an argument, PID" },
		{ { "--json=yes" }, "--json: takes no argument, got \"yes\"" },
		{ { "--json=" }, "--json: takes no argument, got \"\"" },
		{ { "-p", "12abc" }, "-p: \"12abc\" is not a process id" },
		{ { "-p12abc" }, "-p: \"12abc\" is not a process id" },
		{ { "--pid=12abc" }, "--pid: \"12abc\" is not a process id" },
		{ { "-p", "" }, "-p: \"\" is not a process id" },
		{ { "--pid=" }, "--pid: \"\" is not a process id" },
		{ { "-p", "0" }, "-p: \"0\" is not a process id" },
		{ { "-p", "-1" }, "-p: \"-1\" is not a process id" },
		{ { "-p", "2147483648" },
		  "-p: \"2147483648\" is not a process id" },
		{ { "-p", "\33[2J" }, "-p: \"\\x1b[2J\" is not a process id" },
		{ { "-L", "x" }, "-L: \"x\" is not a thread id" },
		{ { "-p", "1,x" },
		  "-p: \"1,x\" is not a process id, or a list of these" },
		{ { "-a", "17" }, "-a: \"17\" is not a number from 1 to 16" },
		{ { "-a", "0" }, "-a: \"0\" is not a number from 1 to 16" },
		{ { "-a", "2x" }, "-a: \"2x\" is not a number from 1 to 16" },
		{ { "--plain", "4294967296" },
		  "--plain: \"4294967296\" is not a number from 0 to "
		  "4294967295" },
		{ { "-d", "0" },
		  "-d: \"0\" is not a number of seconds above 0" },
		{ { "-d", "99999999999" },
		  "-d: \"99999999999\" is above the maximum of "
		  "9223372035 seconds" },
		{ { "-d", "1,5" },
		  "-d: \"1,5\" is not a number of seconds above 0" },
		{ { "-d", "1ns" },
		  "-d: the unit of \"1ns\" is not us, ms, s, m or h" },
		{ { "-d", "1\u00b5s" },
		  "-d: the unit of \"1\u00b5s\" is not us, ms, s, m or h" },
		{ { "-d", "ms" },
		  "-d: \"ms\" is not a number of seconds above 0" },
		{ { "-d", "1.5.5ms" },
		  "-d: \"1.5.5ms\" is not a number of seconds above 0" },
		{ { "--buffer", "64k" },
		  "--buffer: \"64k\" is not a size like 65536, 64K or 1M" },
		{ { "--cgroup", "" }, "--cgroup: \"\" is empty" },
		{ { "-n", "" }, "-n: \"\" is empty" },
		/* the C library's words, and a backslash as it was typed */
		{ { "-n", "(" },
		  "-n: \"(\" is not a regular expression: "
		  "Unmatched ( or \\(" },
		{ { "--time", "utc" },
		  "--time: \"utc\" is not one of clock|relative|wall|iso" },
		{ { "--time", "cloc" },
		  "--time: \"cloc\" is not one of clock|relative|wall|iso" },
		{ { "--time", "" },
		  "--time: \"\" is not one of clock|relative|wall|iso" },
		{ { "--time", "wall|iso" },
		  "--time: \"wall|iso\" is not one of "
		  "clock|relative|wall|iso" },
		/* groups, with those of the common table */
		{ { "-p", "1", "-L", "2" },
		  "use at most one of -p, -L, -n, --cgroup" },
		{ { "-p1", "-p1", "-n", "x" },
		  "use at most one of -p, -L, -n, --cgroup" },
		{ { "--cgroup=/x", "--tid=2" },
		  "use at most one of -p, -L, -n, --cgroup" },
		{ { "--csv", "-p1", "--json" },
		  "use at most one of --json, --csv" },
	};
	char message[1000], expected[1000];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(table); i++) {
		assert_int_equal(parse(table[i].args, message, sizeof(message)),
				 -EINVAL);
		snprintf(expected, sizeof(expected),
			 "opensnoop: %s (try opensnoop -h)\n",
			 table[i].message);
		assert_string_equal(message, expected);
	}
}

/* What a wrong value was for keeps what it had. */
static void nothing_half_done(void **state)
{
	static const char *const twice[] = { "-n", "good", "-n", "(", NULL };
	static const char *const size[] = { "-d5", "-d0", NULL };
	char message[1000];

	(void)state;
	assert_int_equal(parse(twice, message, sizeof(message)), -EINVAL);
	assert_true(tl_regex_match(&set.name, "good", 4));
	assert_false(tl_regex_match(&set.name, "bad", 3));
	assert_int_equal(parse(size, message, sizeof(message)), -EINVAL);
	assert_true(set.duration == 5000000000);
}

/* A group of a tool whose table hides members of the common one. */
static void group_across_tables(void **state)
{
	static bool all;
	static unsigned int n;
	static const struct tl_opt mine[] = {
		{ 'A', "all", NULL, "", TL_OPT_FLAG, &all, "who", 0, 0 },
		{ 'n', "name", "N", "", TL_OPT_UINT, &n, NULL, 0, 0 },
		{ 'L', NULL, "N", "", TL_OPT_UINT, &n, NULL, 0, 0 },
		{ 0 },
	};
	char *argv[] = { (char *)"opensnoop", (char *)"-n1", (char *)"-p1",
			 (char *)"-A", NULL };
	char message[1000];

	(void)state;
	capture(STDERR_FILENO);
	assert_int_equal(tl_opt_parse(mine, common, 4, argv), -EINVAL);
	captured(STDERR_FILENO, message, sizeof(message));
	assert_string_equal(message,
			    "opensnoop: use at most one of -A, -p, --tid, "
			    "--cgroup (try opensnoop -h)\n");
}

/* ---- help ------------------------------------------------------------- */

static void help(void **state)
{
	static const struct tl_tool tool = {
		.name = "opensnoop",
		.summary = "trace open() with file name and result",
		.synopsis = "[filename]",
		.examples = {
			{ "opensnoop", "all of them" },
			{ "opensnoop -x --errno", "what failed" },
		},
		.options = own,
	};
	static const char expected[] =
		"opensnoop - trace open() with file name and result\n"
		"\n"
		"usage: opensnoop [options] [filename]\n"
		"\n"
		"Examples:\n"
		"  opensnoop            all of them\n"
		"  opensnoop -x --errno\n"
		"                       what failed\n"
		"\n"
		"Options:\n"
		"  -x                   only opens that failed\n"
		"  -a ARGC              how many arguments\n"
		"      --plain=N        any number\n"
		"  -b, --own=N          the tool's -b\n"
		"  -O, --other          the tool's --other\n"
		"\n"
		"Common options:\n"
		"  -p, --pid=PID        only this process\n"
		"  -L, --tid=TID        only this thread\n"
		"  -n, --name=NAME      only this name\n"
		"      --cgroup=PATH    only this cgroup\n"
		"  -d, --duration=SECS  how long\n"
		"      --buffer=SIZE    per processor\n"
		"      --time=clock|relative|wall|iso\n"
		"                       how times look\n"
		"      --json           as JSON\n"
		"      --csv            as CSV\n"
		"  -o N                 hidden name\n";
	char text[4000];

	(void)state;
	capture(STDOUT_FILENO);
	assert_int_equal(tl_opt_help(&tool, common), 0);
	captured(STDOUT_FILENO, text, sizeof(text));
	assert_string_equal(text, expected);
}

static void help_without_what_is_hidden(void **state)
{
	static const struct tl_opt hidden[] = {
		{ 0, "a-very-long-hidden-name", NULL, NULL, TL_OPT_FLAG,
		  &set.json, NULL, 0, 0 },
		{ 'x', NULL, NULL, "do it", TL_OPT_FLAG, &set.csv, NULL, 0, 0 },
		{ 0 },
	};
	static const struct tl_tool tool = {
		.name = "x",
		.summary = "do x",
		.options = hidden,
	};
	char text[4000];

	(void)state;
	capture(STDOUT_FILENO);
	assert_int_equal(tl_opt_help(&tool, NULL), 0);
	captured(STDOUT_FILENO, text, sizeof(text));
	assert_string_equal(text, "x - do x\n\nusage: x [options]\n\n"
				  "Options:\n  -x  do it\n");
}

static void tables_as_lines(void **state)
{
	static const struct tl_opt lines[] = {
		{ 'x', NULL, NULL, "only x", TL_OPT_FLAG, &set.csv, "what", 0,
		  0 },
		{ 0, "time", "a|b", "the tool's", TL_OPT_WORD, &set.word, NULL,
		  0, 0 },
		{ 'p', "target", "PID", "the tool's -p", TL_OPT_PID, &set.pid,
		  NULL, 0, 0 },
		{ 0, "hidden", NULL, NULL, TL_OPT_FLAG, &set.json, NULL, 0, 0 },
		{ 0 },
	};
	static const struct tl_tool tool = {
		.name = "x",
		.summary = "do x",
		.synopsis = "[this [that]]",
		.options = lines,
	};
	static const char expected[] =
		"tool\tx\tdo x\t[this [that]]\n"
		"option\tx\t\t\tflag\twhat\tonly x\n"
		"option\t\ttime\ta|b\tword\t\tthe tool's\n"
		"option\tp\ttarget\tPID\tpid\t\tthe tool's -p\n"
		"option\t\tpid\tPID\tpid\twho\tonly this process\n"
		"option\tL\ttid\tTID\tpid\twho\tonly this thread\n"
		"option\tn\tname\tNAME\tregex\twho\tonly this name\n"
		"option\t\tcgroup\tPATH\tstring\twho\tonly this cgroup\n"
		"option\td\tduration\tSECS\tseconds\t\thow long\n"
		"option\tb\tbuffer\tSIZE\tsize\t\tper processor\n"
		"option\t\tjson\t\tflag\tformat\tas JSON\n"
		"option\t\tcsv\t\tflag\tformat\tas CSV\n"
		"option\to\tother\tN\tuint\t\thidden name\n";
	char text[4000];

	(void)state;
	capture(STDOUT_FILENO);
	assert_int_equal(tl_opt_list(&tool, common), 0);
	captured(STDOUT_FILENO, text, sizeof(text));
	assert_string_equal(text, expected);
}

static void help_of_a_plain_tool(void **state)
{
	static const struct tl_tool tool = {
		.name = "x",
		.summary = "do x",
	};
	char text[4000];

	(void)state;
	capture(STDOUT_FILENO);
	assert_int_equal(tl_opt_help(&tool, NULL), 0);
	captured(STDOUT_FILENO, text, sizeof(text));
	assert_string_equal(text, "x - do x\n\nusage: x [options]\n");
}

static void help_of_80_columns(void **state)
{
	static const struct tl_opt wide[] = {
		{ 'x', "list", "ITEM[,ITEM...]",
		  "one two three four five six seven eight nine ten eleven 12",
		  TL_OPT_FLAG, &set.csv, NULL, 0, 0 },
		{ 'y', NULL, NULL,
		  "a-word-of-more-than-sixty-characters-can-be-broken-nowhere-"
		  "at-all "
		  "next",
		  TL_OPT_FLAG, &set.json, NULL, 0, 0 },
		{ 0 },
	};
	static const struct tl_tool tool = {
		.name = "x",
		.summary = "do x",
		.synopsis = "this | x that [options] | x what-is-long-too "
			    "[options] [something...]",
		.options = wide,
	};
	char text[4000];

	(void)state;
	capture(STDOUT_FILENO);
	assert_int_equal(tl_opt_help(&tool, NULL), 0);
	captured(STDOUT_FILENO, text, sizeof(text));
	assert_string_equal(
		text,
		"x - do x\n\n"
		"usage: x [options] this | x that [options] | x "
		"what-is-long-too [options]\n"
		"       [something...]\n\n"
		"Options:\n"
		"  -x, --list  one two three four five six seven eight nine "
		"ten eleven 12\n"
		"  -y          a-word-of-more-than-sixty-characters-can-be-"
		"broken-nowhere-at-all\n"
		"              next\n");
}

/* ---- over those of an earlier run ------------------------------------- */

static bool here;

static const struct tl_opt with_here[] = {
	{ 'H', "here", NULL, "", TL_OPT_FLAG | TL_OPT_HERE, &here, NULL, 0, 0 },
	{ 'W', "write", "FILE", "", TL_OPT_STRING | TL_OPT_HERE, &set.cgroup,
	  NULL, 0, 0 },
	{ 'u', NULL, "N", "", TL_OPT_UINT, &set.count, NULL, 0, 0 },
	{ 0 },
};

/* @args: "earlier" ends what an earlier run had */
static int parse_over(const char *const *args, char *message, size_t size)
{
	char *argv[ARGS_MAX + 2] = { (char *)"opensnoop" };
	int argc = 1, earlier = 0, ret;

	for (; *args; args++)
		if (!strcmp(*args, "earlier"))
			earlier = argc;
		else
			argv[argc++] = (char *)*args;
	tl_regex_free(&set.name);
	memset(&set, 0, sizeof(set));
	here = false;
	capture(STDERR_FILENO);
	ret = tl_opt_parse_over(with_here, common, argc, argv, earlier);
	captured(STDERR_FILENO, message, size);
	return ret;
}

#define OVER(...) over((const char *[]){ __VA_ARGS__, NULL })
#define BAD(...)  over_wrong((const char *[]){ __VA_ARGS__, NULL })

static int over(const char *const *args)
{
	char message[1000];
	int ret = parse_over(args, message, sizeof(message));

	assert_string_equal(message, "");
	return ret;
}

static void over_wrong(const char *const *args)
{
	char message[1000];

	assert_int_equal(parse_over(args, message, sizeof(message)), -EINVAL);
	assert_string_not_equal(message, "");
}

static void over_an_earlier_run(void **state)
{
	(void)state;
	/* the later one counts, and one of a group replaces another */
	assert_int_equal(OVER("-u", "1", "earlier", "-u", "2", "file"), 5);
	assert_int_equal(set.count, 2);
	assert_int_equal(OVER("-u", "1", "earlier", "--", "file"), 4);
	assert_int_equal(set.count, 1);
	OVER("-p", "1", "earlier", "-L", "2");
	assert_true(set.pid.count == 0 && set.tid.list[0] == 2);
	OVER("-p", "1", "earlier", "-p", "2");
	assert_int_equal(set.pid.list[0], 2);
	/* what was the end of its options is none now */
	assert_int_equal(OVER("-u1", "--", "earlier", "-u2", "file"), 4);
	assert_int_equal(set.count, 2);
	/* but within a run there is one of a group */
	BAD("-p", "1", "-L", "2", "earlier");
	BAD("earlier", "-p", "1", "-L", "2");
	BAD("-p", "1", "earlier", "-p", "2", "-L", "3");
	BAD("-p", "1", "earlier", "-L", "2", "-p", "3");
}

static void here_only(void **state)
{
	(void)state;
	OVER("-H", "--write=x", "-W", "y", "-Wz", "-u1", "earlier");
	assert_true(!here && !set.cgroup && set.count == 1);
	OVER("-H", "-Wx", "earlier", "-H", "-Wy");
	assert_true(here);
	assert_string_equal(set.cgroup, "y");
	OVER("-Hu1", "earlier");
	assert_true(!here && set.count == 1);
}

/* Nothing that is typed now is its value, or its argument. */
static void ends_with_its_run(void **state)
{
	(void)state;
	BAD("-u", "earlier", "1");
	BAD("-W", "earlier", "file");
	BAD("--write", "earlier", "file");
	BAD("file", "earlier", "-u1");
	BAD("-", "earlier", "-u1");
	BAD("", "earlier", "-u1");
}

static void find_one(void **state)
{
	char *argv[] = { (char *)"opensnoop",  (char *)"-u",
			 (char *)"wrong",      (char *)"-p1",
			 (char *)"-L2",        (char *)"--cgroup",
			 (char *)"x",          (char *)"file",
			 (char *)"--cgroup=y", NULL };

	(void)state;
	memset(&set, 0, sizeof(set));
	/* of the others neither values nor groups matter */
	assert_int_equal(tl_opt_find(with_here, common, 9, argv, &set.cgroup),
			 7);
	assert_string_equal(set.cgroup, "x");
	assert_true(!set.pid.count && !set.tid.count && !set.count);
}

static int forget(void **state)
{
	(void)state;
	tl_regex_free(&set.name);
	return 0;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(uints),
		cmocka_unit_test(seconds),
		cmocka_unit_test(usecs),
		cmocka_unit_test(sizes),
		cmocka_unit_test(lists_of_pids),
		cmocka_unit_test(percentages),
		cmocka_unit_test(lists_of_cpus),
		cmocka_unit_test(processors_of_a_list),
		cmocka_unit_test(regex_match),
		cmocka_unit_test(regex_literal),
		cmocka_unit_test(every_kind),
		cmocka_unit_test(ways_to_write),
		cmocka_unit_test(where_options_end),
		cmocka_unit_test(options_behind_arguments),
		cmocka_unit_test(own_table_first),
		cmocka_unit_test(errors),
		cmocka_unit_test(nothing_half_done),
		cmocka_unit_test(group_across_tables),
		cmocka_unit_test(help),
		cmocka_unit_test(help_of_a_plain_tool),
		cmocka_unit_test(help_without_what_is_hidden),
		cmocka_unit_test(tables_as_lines),
		cmocka_unit_test(help_of_80_columns),
		cmocka_unit_test(over_an_earlier_run),
		cmocka_unit_test(here_only),
		cmocka_unit_test(ends_with_its_run),
		cmocka_unit_test(find_one),
	};

	return cmocka_run_group_tests(tests, NULL, forget);
}
