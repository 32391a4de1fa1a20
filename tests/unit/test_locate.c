/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_locate.c - files of programs and libraries, here and in another root */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "elf/ldcache.h"
#include "elf/nsroot.h"
#include "elf/object.h"
#include "scratch.h"

/* ---- names ------------------------------------------------------------ */

static void names(void **state)
{
	static const struct {
		const char *file, *want;
		bool same;
	} cases[] = {
		{ "libc.so.6", "libc.so.6", true },
		{ "libc.so.6", "libc.so", true },
		{ "libc.so.6", "libc", true },
		{ "libc.so.6", "c", true },
		{ "libc.so.6", "c.so", true },
		{ "libc.so.6", "c.so.6", true },
		{ "libc.so.6", "lib", false },
		{ "libc.so.6", "libc.so.60", false },
		{ "libc.so.6", "libc.s", false },
		{ "libc.so.6", "", false },
		{ "libcap.so.2", "c", false },
		{ "libcap.so.2.66", "cap", true },
		{ "libstdc++.so.6", "stdc++", true },
		{ "libpython3.11.so.1.0", "python3.11", true },
		{ "libpython3.11.so.1.0", "python3", false },
		{ "ld-linux-x86-64.so.2", "ld-linux-x86-64", true },
		{ "ld-musl-x86_64.so.1", "ld-musl-x86_64", true },
		{ "ld-musl-x86_64.so.1", "libc", true },
		{ "ld-musl-aarch64.so.1", "c", true },
		{ "ld-musl-x86_64.so.1", "libc.so.6", false },
		{ "ld-linux-x86-64.so.2", "libc", false },
		{ "c.so", "c", true },
		{ "libc.sox", "c", false },
		{ "liblib.so", "lib", true },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (tl_library_matches(cases[i].file, cases[i].want) !=
		    cases[i].same)
			fail_msg("%s: %s", cases[i].file, cases[i].want);
}

/* ---- the loader's cache ----------------------------------------------- */

struct seen {
	char text[4096];
};

static void see(void *ctx, const char *name, const char *path)
{
	struct seen *seen = ctx;
	size_t len = strlen(seen->text);

	snprintf(seen->text + len, sizeof(seen->text) - len, "%s=%s ", name,
		 path);
}

static void put32(char **p, uint32_t n)
{
	memcpy(*p, &n, sizeof(n));
	*p += sizeof(n);
}

/* As ldconfig writes it for two libraries, whose texts begin at @texts. */
static char *put_cache(char *p, uint32_t texts)
{
	static const uint32_t text_at[2][2] = { { 0, 5 }, { 10, 15 } };
	unsigned int i;

	memcpy(p, "glibc-ld.so.cache1.1", 20);
	p += 20;
	put32(&p, 2);
	put32(&p, 20);
	for (i = 0; i < 5; i++)
		put32(&p, 0);
	for (i = 0; i < 2; i++) {
		put32(&p, 0x303);
		put32(&p, texts + text_at[i][0]);
		put32(&p, texts + text_at[i][1]);
		for (unsigned int k = 0; k < 3; k++)
			put32(&p, 0);
	}
	memcpy(p, "a.so\0/a/1\0b.so\0/b/2", 20);
	return p + 20;
}

static void cache(void **state)
{
	static const char want[] = "a.so=/a/1 b.so=/b/2 ";
	char data[256] = "", *p = data, *end;
	struct seen seen = { "" };
	size_t len, cut;

	(void)state;
	end = put_cache(data, 48 + 2 * 24);
	len = (size_t)(end - data);
	assert_true(tl_ldcache_parse(data, len, see, &seen));
	assert_string_equal(seen.text, want);
	/* without the end of the last text, or less */
	seen.text[0] = '\0';
	assert_true(tl_ldcache_parse(data, len - 1, see, &seen));
	assert_string_equal(seen.text, "a.so=/a/1 ");
	for (cut = 0; cut < 96; cut++)
		assert_false(tl_ldcache_parse(data, cut, see, &seen));
	assert_false(tl_ldcache_parse("nonsense", 8, see, &seen));
	/* behind a table of the old form: 16 + 12 bytes, then to 8 */
	memcpy(p, "ld.so-1.7.0\0", 12);
	p += 12;
	put32(&p, 1);
	p = data + 32;
	end = put_cache(p, 48 + 2 * 24);
	seen.text[0] = '\0';
	assert_true(tl_ldcache_parse(data, (size_t)(end - data), see, &seen));
	assert_string_equal(seen.text, want);
}

/* ---- here ------------------------------------------------------------- */

static void expect(const char *target, pid_t pid, const char *want)
{
	char *path = tl_locate(target, pid);

	assert_non_null(path);
	if (strcmp(path, want) != 0)
		fail_msg("%s: %s, not %s", target, path, want);
	free(path);
}

static void expect_none(const char *target, pid_t pid, int err)
{
	errno = 0;
	assert_null(tl_locate(target, pid));
	assert_int_equal(errno, err);
}

/* As the loader that loaded us says. */
static char *own_library(const char *name)
{
	void *handle = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
	struct link_map *map;
	char *path = NULL;

	if (handle && !dlinfo(handle, RTLD_DI_LINKMAP, &map))
		path = realpath(map->l_name, NULL);
	return path;
}

static void libraries(void **state)
{
	char *libc = own_library("libc.so.6");

	(void)state;
	if (!libc)
		skip();
	expect("libc", 0, libc);
	expect("libc.so.6", 0, libc);
	expect("c", 0, libc);
	expect("libc", getpid(), libc);
	free(libc);
}

static void programs(void **state)
{
	char *sh = realpath("/bin/sh", NULL), *self, cwd[PATH_MAX];

	(void)state;
	assert_non_null(sh);
	assert_int_equal(setenv("PATH", "/nonexistent:/bin", 1), 0);
	expect("sh", 0, sh);
	expect("/bin/sh", 0, sh);
	expect("/bin/../bin/sh", 0, sh);
	self = realpath("/proc/self/exe", NULL);
	expect(NULL, getpid(), self);
	expect("test_locate", getpid(), self);
	assert_non_null(getcwd(cwd, sizeof(cwd)));
	assert_int_equal(chdir("/bin"), 0);
	expect("./sh", 0, sh);
	assert_int_equal(chdir(cwd), 0);
	expect_none("no-such-thing", 0, ENOENT);
	expect_none("./no-such-thing", 0, ENOENT);
	expect_none("/no/such/thing", 0, ENOENT);
	expect_none("no-such-thing", getpid(), ENOENT);
	expect_none("", 0, ENOENT);
	expect_none("libc", INT32_MAX, ESRCH);
	expect_none(NULL, 2, ENOENT); /* kthreadd, or nothing */
	free(self);
	free(sh);
}

/* ---- in another root -------------------------------------------------- */

/* The fourth one after it takes the place of each. */
static char *text(const char *fmt, ...)
{
	static char result[4][512];
	static unsigned int turn;
	char *to = result[turn++ % 4];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(to, sizeof(result[0]), fmt, ap);
	va_end(ap);
	return to;
}

/* As containers do. */
static int change_mounts(void)
{
	if (unshare(CLONE_NEWNS) ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount(dir, dir, NULL, MS_BIND, NULL) || chdir(dir) ||
	    syscall(SYS_pivot_root, ".", "."))
		return -1;
	return umount2(".", MNT_DETACH);
}

/* Waits in @dir as its root until it is killed, or says that it cannot. */
static pid_t start_in_root(bool mounts)
{
	char answer = 0;
	int ends[2];
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (geteuid() && unshare(CLONE_NEWUSER))
			_exit(1);
		if ((mounts ? change_mounts() : chroot(dir)) || chdir("/") ||
		    write(ends[1], "y", 1) != 1)
			_exit(1);
		execl("/usr/bin/wait", "wait", NULL);
		_exit(1);
	}
	close(ends[1]);
	if (read(ends[0], &answer, 1) != 1)
		answer = 0;
	close(ends[0]);
	if (answer)
		return pid;
	waitpid(pid, NULL, 0);
	return 0;
}

/* The exec is done when its program is the one that it shall be. */
static void wait_for_exec(pid_t pid)
{
	int tries;

	for (tries = 0; tries < 500; tries++) {
		if (tl_root_same(text("/proc/%d/exe", pid),
				 text("%s/usr/bin/wait", dir)))
			return;
		usleep(10000);
	}
	fail_msg("the child runs nothing");
}

/* @root is where its files are from here. */
static void check_root(pid_t pid, const char *root)
{
	char *real = text("%s/usr/bin/wait", root);

	expect("/usr/bin/wait", pid, real);
	/* a link that leads to our files if it is followed from here */
	expect("/bin/waiter", pid, real);
	expect("wait", pid, real);
	expect("libplaces", pid, text("%s/usr/lib/libplaces.so.1.0", root));
	expect_none("/bin/sh", pid, ENOENT);
	expect_none("libc", pid, ENOENT);
}

static void expect_secret(const char *path)
{
	struct tl_object *o = tl_object_open(path);
	uint64_t offset = 0;

	assert_non_null(o);
	assert_int_equal(tl_object_symbol(o, "secret", &offset), 0);
	assert_true(offset > 0);
	tl_object_close(o);
}

/* Symbols are where that root has them, by build id and by name. */
static void check_debug(const char *root)
{
	expect_secret(text("%s/usr/lib/libplaces.so.1.0", root));
	expect_secret(text("%s/usr/lib/libother.so", root));
	/* a link that leads to our files */
	assert_null(tl_object_open(text("%s/usr/lib/libplaces.so.1", root)));
}

static bool build_root(void)
{
	return run("mkdir -p usr/bin usr/lib etc && ln -s usr/bin bin && "
		   "ln -s usr/lib lib && ln -s /usr/bin/wait bin/waiter && "
		   /* waits for a signal and needs nothing else */
		   "echo 'int pause(void); int main(void) { return pause(); }' "
		   ">wait.c && cc -static -o usr/bin/wait wait.c && "
		   "cc -shared -nostdlib -fPIC "
		   "-Wl,--build-id=0xabcdef012345aaaa "
		   "-o usr/lib/libplaces.so.1.0 " TL_FIXTURES "/places.c && "
		   "ln -s /usr/lib/libplaces.so.1.0 usr/lib/libplaces.so.1") &&
	       run("cc -shared -nostdlib -fPIC -Wl,--build-id=none "
		   "-o usr/lib/libother.so " TL_FIXTURES "/places.c && "
		   "debug=usr/lib/debug && "
		   "mkdir -p $debug/.build-id/ab $debug/usr/lib && cd usr/lib "
		   "&&"
		   "objcopy --only-keep-debug libplaces.so.1.0 "
		   "debug/.build-id/ab/cdef012345aaaa.debug && "
		   "objcopy --only-keep-debug libother.so "
		   "debug/usr/lib/other.debug && "
		   "strip libplaces.so.1.0 libother.so && objcopy "
		   "--add-gnu-debuglink=debug/usr/lib/other.debug libother.so");
}

/* What is mapped is no longer where it was. */
static void expect_mapped(const char *target, pid_t pid)
{
	char *path = tl_locate(target, pid);

	assert_non_null(path);
	assert_ptr_equal(strstr(path, "/map_files/"),
			 path + strlen(text("/proc/%d", pid)));
	assert_true(tl_root_same(path, text("/proc/%d/exe", pid)));
	free(path);
}

static void other_root(bool mounts)
{
	pid_t pid;

	if (!build_root())
		skip();
	pid = start_in_root(mounts);
	if (!pid)
		skip();
	wait_for_exec(pid);
	if (mounts) {
		check_debug(text("/proc/%d/root", pid));
		/* as a user may give it */
		expect(text("/proc/%d/root/usr/bin/wait", pid), 0,
		       text("/proc/%d/root/usr/bin/wait", pid));
	}
	check_root(pid, mounts ? text("/proc/%d/root", pid) : dir);
	/* a new one in its place: the process still has the old one */
	assert_true(run("cp usr/bin/wait new && mv new usr/bin/wait"));
	expect(NULL, pid, text("/proc/%d/exe", pid));
	expect_mapped("wait", pid);
	expect(text("/proc/%d/exe", pid), 0, text("/proc/%d/exe", pid));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void changed_root(void **state)
{
	(void)state;
	other_root(false);
}

static void changed_mounts(void **state)
{
	(void)state;
	assert_true(run("rm -rf *"));
	other_root(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(cache),
		cmocka_unit_test(libraries),
		cmocka_unit_test(changed_root),
		cmocka_unit_test(changed_mounts),
		cmocka_unit_test(programs), /* changes $PATH */
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
