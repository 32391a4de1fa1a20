/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes a known number of events as fast as it can and says what one cost:
 *	burst open N PATH	opens and closes PATH N times
 *	burst exec N PROGRAM	runs PROGRAM N times, one after the other
 *	burst io N DEVICE	reads 4 KiB of DEVICE N times, not from the cache
 * Under -icount one nanosecond is one instruction of the guest.
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static long long now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static int do_open(const char *path)
{
	int fd = open(path, O_RDONLY);

	return fd < 0 ? -1 : close(fd);
}

static int do_exec(const char *path)
{
	char *argv[] = { (char *)path, "one", "two", NULL };
	int status;
	pid_t pid;

	if (posix_spawn(&pid, path, NULL, NULL, argv, environ))
		return -1;
	return waitpid(pid, &status, 0) == pid && status == 0 ? 0 : -1;
}

static int do_read(const char *path)
{
	static char buf[4096] __attribute__((aligned(4096)));
	static int fd = -1;
	static off_t at;

	if (fd < 0)
		fd = open(path, O_RDONLY | O_DIRECT);
	at += sizeof(buf);
	return fd < 0 || pread(fd, buf, sizeof(buf), at) < 0 ? -1 : 0;
}

int main(int argc, char **argv)
{
	int (*act)(const char *path);
	long count, i;
	long long start;

	if (argc != 4)
		return 2;
	act = !strcmp(argv[1], "exec") ? do_exec
	      : !strcmp(argv[1], "io") ? do_read
				       : do_open;
	count = atol(argv[2]);
	start = now();
	for (i = 0; i < count; i++) {
		if (act(argv[3])) {
			perror(argv[3]);
			return 1;
		}
	}
	printf("%lld\n", (now() - start) / count);
	return 0;
}
