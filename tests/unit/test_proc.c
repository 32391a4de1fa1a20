/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_proc.c - what /proc says */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/proc.h"
#include "base/session.h"
#include "scratch.h"
#include "tracelet/proc.h"
#include "tracelet/text.h"

static const struct tl_session live;

static int64_t bytes_of(const char *path, const char *name)
{
	int64_t bytes;

	tl_proc_bytes(&live, path, &name, &bytes, 1);
	return bytes;
}

static void bytes(void **state)
{
	static const char *const both[] = { "Cached", "MemTotal" };
	int64_t of_both[2];
	static const struct {
		const char *name;
		int64_t bytes;
	} cases[] = {
		{ "MemTotal", 2048 }, { "Cached", 4096 }, { "SwapCached", 0 },
		{ "Pages", 7168 },    { "NoNumber", -1 }, { "Cache", -1 },
		{ "ed", -1 },         { "", -1 },         { "HugePages", -1 },
	};
	char path[64];
	size_t i;

	(void)state;
	assert_true(run("printf 'MemTotal:   2 kB\\nSwapCached: 0 kB\\n"
			"Cached:\t4 kB\\nNoNumber: x kB\\nPages: 7 kB' >f"));
	snprintf(path, sizeof(path), "%s/f", dir);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(bytes_of(path, cases[i].name), cases[i].bytes);
	tl_proc_bytes(&live, path, both, of_both, 2);
	assert_int_equal(of_both[0], 4096);
	assert_int_equal(of_both[1], 2048);
	assert_int_equal(bytes_of("/nonsense", "Cached"), -1);
}

static void resolved(void **state)
{
	char want[64], here[4096];
	struct tl_str r;
	int fd = open(dir, O_RDONLY | O_DIRECTORY);

	(void)state;
	assert_true(fd >= 0);
	r = tl_path_resolve(&live, getpid(), fd, (struct tl_str){ "a/b", 3 });
	snprintf(want, sizeof(want), "%s/a/b", dir);
	assert_int_equal(r.len, strlen(want));
	assert_memory_equal(r.text, want, r.len);
	close(fd);
	assert_non_null(getcwd(here, sizeof(here)));
	r = tl_path_resolve(&live, getpid(), AT_FDCWD,
			    (struct tl_str){ "x", 1 });
	assert_int_equal(r.len, strlen(here) + 2);
	assert_memory_equal(r.text, here, strlen(here));
	r = tl_path_resolve(&live, getpid(), -1, (struct tl_str){ "/x", 2 });
	assert_int_equal(r.len, 2);
	r = tl_path_resolve(&live, getpid(), -1, (struct tl_str){ "y", 1 });
	assert_int_equal(r.len, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes),
		cmocka_unit_test(resolved),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
