/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_opt.c - any command line is parsed or refused, nothing else */
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "option/options.h"
#include "option/parse.h"
#include "silent.h"
#include "tracelet/signal.h"

#define ARGS_MAX 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct {
	bool flag, other;
	unsigned int number, place;
	struct tl_pids pid, tid;
	struct tl_cpus cpu;
	uint64_t ns, bytes;
	struct tl_regex name;
	struct tl_signals signals;
	const char *path;
} set;

static const struct tl_opt own[] = {
	{ 'x', NULL, NULL, "", TL_OPT_FLAG, &set.flag, NULL, 0, 0 },
	{ 'a', "args", "N", "", TL_OPT_UINT, &set.number, NULL, 1, 16 },
	{ 'b', NULL, "N", "", TL_OPT_UINT, &set.number, NULL, 1, 16 },
	{ 'n', "name", "NAME", "", TL_OPT_REGEX, &set.name, "who", 0, 0 },
	{ 's', "signal", "LIST", "", TL_OPT_SIGNALS, &set.signals, NULL, 0, 0 },
	{ 0 },
};

static const struct tl_opt common[] = {
	{ 'p', "pid", "PID", "", TL_OPT_PID, &set.pid, "who", 0, 0 },
	{ 'L', "tid", "TID", "", TL_OPT_PID, &set.tid, "who", 0, 0 },
	{ 0, "cgroup", "PATH", "", TL_OPT_STRING, &set.path, "who", 0, 0 },
	{ 0, "cpu", "LIST", "", TL_OPT_CPUS, &set.cpu, NULL, 0, 0 },
	{ 'd', "duration", "SECS", "", TL_OPT_SECONDS, &set.ns, NULL, 0, 0 },
	{ 'b', "buffer", "SIZE", "", TL_OPT_SIZE, &set.bytes, NULL, 0, 0 },
	{ 0, "time", "clock|wall|iso", "", TL_OPT_WORD, &set.place, NULL, 0,
	  0 },
	{ 0, "json", NULL, "", TL_OPT_FLAG, &set.other, "format", 0, 0 },
	{ 0, "csv", NULL, "", TL_OPT_FLAG, &set.other, "format", 0, 0 },
	{ 0 },
};

static int split(char *text, size_t size, char **argv)
{
	size_t at = 0;
	int argc = 0;

	argv[argc++] = (char *)"fuzz";
	for (; at < size && argc < ARGS_MAX; at += strlen(text + at) + 1)
		argv[argc++] = text + at;
	argv[argc] = NULL;
	return argc;
}

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* What was accepted is within its bounds. */
static void check(int ret, int argc)
{
	must(ret == -EINVAL || (ret >= 1 && ret <= argc));
	must(set.number <= 16 && set.place <= 2);
	must(set.ns < INT64_MAX);
	must(set.cpu.count <= TL_CPU_RANGES_MAX);
	must(!set.path || *set.path);
	must(!set.name.text || *set.name.text);
	if (ret > 0)
		must((set.pid.count > 0) + (set.tid.count > 0) + !!set.path +
			     !!set.name.text <=
		     1);
	tl_regex_match(&set.name, "bash", 4);
	tl_regex_literal(&set.name);
}

/*
 * glibc's regcomp() copies what + and {} repeat, so that each of a++++ doubles
 * it: who traces may spend memory on that, a fuzzer finds nothing else.
 */
static bool is_greedy(const uint8_t *data, size_t size)
{
	size_t count = 0, i;

	for (i = 0; i < size; i++)
		count += data[i] == '{' ? 9 : data[i] == '+';
	return count > 8;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *argv[ARGS_MAX + 1], *text;
	int argc;

	if (size > 200 || is_greedy(data, size))
		return 0;
	text = calloc(1, size + 1);
	if (!text)
		return 0;
	memcpy(text, data, size);
	argc = split(text, size, argv);
	check(tl_opt_parse(own, common, argc, argv), argc);
	tl_regex_free(&set.name);
	memset(&set, 0, sizeof(set));
	free(text);
	return 0;
}
