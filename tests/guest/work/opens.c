/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens what opensnoop has difficulties with, in directory /mnt/w, and prints
 * the rows that `opensnoop --errno -n '^opens$'` must show for it. Where names of
 * 4,096 bytes fit into a record, what they are cut to is to be given as MAX.
 *
 * Every name stands on a page that has not been touched before, so that it is
 * not resident when the system call begins.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DIR "/mnt/w/"

static int use_openat(const char *name)
{
	return open(name, O_RDWR | O_CREAT, 0600);
}

static int use_openat2(const char *name)
{
	struct open_how how = { .flags = O_RDWR | O_CREAT, .mode = 0600 };

	return syscall(SYS_openat2, AT_FDCWD, name, &how, sizeof(how));
}

static int use_open(const char *name)
{
#ifdef SYS_open
	return syscall(SYS_open, name, O_RDWR | O_CREAT, 0600);
#else
	return use_openat(name);
#endif
}

static int use_creat(const char *name)
{
#ifdef SYS_creat
	return syscall(SYS_creat, name, 0600);
#else
	return use_openat(name);
#endif
}

static int use_read_only(const char *name)
{
	return open(name, O_RDONLY);
}

static const struct {
	int (*use)(const char *name);
	const char *name, *shown, *error;
} cases[] = {
	{ use_openat, DIR "openat", DIR "openat", NULL },
	{ use_openat2, DIR "openat2", DIR "openat2", NULL },
	{ use_open, DIR "open", DIR "open", NULL },
	{ use_creat, DIR "creat", DIR "creat", NULL },
	{ use_read_only, DIR "missing", DIR "missing", "ENOENT" },
	{ use_read_only, DIR "openat/x", DIR "openat/x", "ENOTDIR" },
	{ use_openat, "/mnt", "/mnt", "EISDIR" },
	{ use_read_only, "", "\"\"", "ENOENT" },
	{ use_openat, DIR "a space", DIR "a space", NULL },
	{ use_openat, DIR "\x1b[31mred", DIR "\\x1b[31mred", NULL },
	{ use_openat, DIR "new\nline\ttab\rreturn",
	  DIR "new\\nline\\ttab\\rreturn", NULL },
	{ use_openat, DIR "del\x7f", DIR "del\\x7f", NULL },
	{ use_openat, DIR "\"quoted\" 'twice'", DIR "\"quoted\" 'twice'",
	  NULL },
	{ use_openat, DIR "back\\slash", DIR "back\\\\slash", NULL },
	{ use_openat, DIR "bad\xff\xfeutf", DIR "bad\\xff\\xfeutf", NULL },
	{ use_openat, DIR "cut\xc3", DIR "cut\\xc3", NULL },
	{ use_openat, DIR "\xc3\xa4\xe2\x82\xac", DIR "\xc3\xa4\xe2\x82\xac",
	  NULL },
	{ use_openat, DIR "c1\xc2\x9b", DIR "c1\\xc2\\x9b", NULL },
	{ use_openat, DIR "bidi\xe2\x80\xae", DIR "bidi\\xe2\\x80\\xae", NULL },
};

static int file;

/* @name on a page that nobody has read since it was written. */
static const char *cold(const char *name)
{
	char *page;

	if (file)
		close(file);
	file = memfd_create("names", 0);
	if (file < 0 || pwrite(file, name, strlen(name) + 1, 0) < 0)
		exit(1);
	page = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE, file, 0);
	/* do not let the page cache map the page along with another */
	madvise(page, 8192, MADV_RANDOM);
	if (dup2(file, 30) != 30)
		exit(1);
	close(file);
	file = 30;
	return page;
}

static void expect(int fd, const char *error, const char *shown)
{
	char text[16];

	snprintf(text, sizeof(text), fd < 0 ? "%d" : "0x%x", fd);
	printf("%-16s %-6d %4s %-12s %s\n", "opens", getpid(), text,
	       error ?: "-", shown);
}

/* DIR, then "./" until the name has @len bytes in all. */
static char *long_name(size_t len)
{
	char *name = calloc(1, 8192);

	strcpy(name, DIR);
	while (strlen(name) + 2 <= len - 6)
		strcat(name, "./");
	while (strlen(name) < len - 6)
		strcat(name, "/");
	strcat(name, "openat");
	return name;
}

static void open_long(size_t len, const char *error, size_t max)
{
	char *name = long_name(len);
	int fd = use_read_only(cold(name));

	if (max)
		name[max < len ? max : len] = '\0';
	expect(fd < 0 ? -1 : 3, error, max || len <= 4000 ? name : "-");
	if (fd >= 0)
		close(fd);
}

int main(int argc, char **argv)
{
	size_t i, max = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	int fd;

	for (fd = 3; fd < 40; fd++)
		close(fd);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fd = cases[i].use(cold(cases[i].name));
		expect(cases[i].error ? -1 : 3, cases[i].error, cases[i].shown);
		if (fd >= 0)
			close(fd);
	}
	open_long(300, NULL, max);
	open_long(4000, NULL, max);
	/* does not fit into a record of 4 KiB */
	open_long(4095, NULL, max);
	/* the kernel never had these names */
	use_read_only((const char *)8);
	expect(-1, "EFAULT", "-");
	open_long(4200, "ENAMETOOLONG", max);
	return 0;
}
