// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nsroot.c - files as another process sees them
 *
 * They are below /proc/PID/root.  open(2) would follow links that begin with
 * "/" to our files; openat2(2) need not (since 5.6).
 */
#include "elf/nsroot.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

bool tl_root_same(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

static bool same_link(const char *a, const char *b)
{
	char x[64], y[64];
	ssize_t n = readlink(a, x, sizeof(x));

	return n > 0 && n == readlink(b, y, sizeof(y)) &&
	       !memcmp(x, y, (size_t)n);
}

void tl_root_find(struct tl_root *root, pid_t pid)
{
	char path[32], ns[32];

	*root = (struct tl_root){ .path = "" };
	snprintf(path, sizeof(path), "/proc/%d/root", pid);
	snprintf(ns, sizeof(ns), "/proc/%d/ns/mnt", pid);
	if (!same_link(ns, "/proc/self/ns/mnt"))
		memcpy(root->mounts, path, sizeof(path));
	if (*root->mounts || !tl_root_same(path, "/"))
		memcpy(root->path, path, sizeof(path));
}

int tl_root_open(const char *root, const char *path, int flags)
{
	struct open_how how = { .flags = (uint64_t)(O_PATH | O_CLOEXEC | flags),
				.resolve = RESOLVE_IN_ROOT };
	int dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC), fd, err;

	if (dir < 0)
		return -1;
	fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
	err = errno;
	close(dir);
	errno = err;
	return fd;
}

static char *below(const char *root, const char *path, const char *same_as)
{
	char *whole;

	if (asprintf(&whole, "%s%s", root, path) < 0)
		return NULL;
	if (tl_root_same(whole, same_as))
		return whole;
	free(whole);
	return NULL;
}

/* Links in /proc lead to a file also when their text does not. */
static char *resolve_here(const char *path)
{
	char *real = realpath(path, NULL);

	if (real && tl_root_same(real, path))
		return real;
	free(real);
	return access(path, F_OK) ? NULL : strdup(path);
}

char *tl_root_resolve(const char *root, const char *path)
{
	char link[32], real[PATH_MAX], *part, *found = NULL;
	ssize_t n;
	int fd;

	if (!*root)
		return resolve_here(path);
	fd = tl_root_open(root, path, 0);
	if (fd < 0)
		return NULL;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, real, sizeof(real) - 1);
	real[n > 0 ? n : 0] = '\0';
	found = below(root, real, link);
	/* of a chroot(2) it is the path without that */
	if (!found)
		found = below("", real, link);
	/* its root may be mounted below what is the top of its mounts */
	for (part = real; !found && part && *part; part = strchr(part + 1, '/'))
		found = below(root, part, link);
	close(fd);
	if (!found)
		errno = ENOENT;
	return found;
}
