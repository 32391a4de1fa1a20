/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * burn MS: uses a processor for so long, by its own clock: 3 of 4 parts of what it does are in
 * hot(), 1 is in cold(), which work() calls.
 * burn MS FILE: the same in the kernel's read() of FILE.
 * burn -c N MS: N children do it, one after another.
 *
 * The parts are counted, not timed: where a machine stops for a while, a clock goes on.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PART 1000003

static int fd = -1;

static long long used(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

static void hot(void)
{
	for (volatile int i = 0; i < 3 * PART; i++)
		;
}

static void cold(void)
{
	for (volatile int i = 0; i < PART; i++)
		;
}

static void in_kernel(void)
{
	static char buf[1 << 20];
	int i;

	for (i = 0; i < 20; i++)
		if (pread(fd, buf, sizeof(buf), 0) < 0)
			exit(1);
}

static void work(long long ms)
{
	while (used() < ms) {
		if (fd >= 0) {
			in_kernel();
			continue;
		}
		hot();
		cold();
	}
}

static void children(int n, long long ms)
{
	while (n-- > 0) {
		if (!fork()) {
			work(ms);
			exit(0);
		}
		wait(NULL);
	}
}

int main(int argc, char **argv)
{
	if (argc > 3) {
		children(atoi(argv[2]), atoll(argv[3]));
		return 0;
	}
	if (argc > 2)
		fd = open(argv[2], O_RDONLY);
	work(argc > 1 ? atoll(argv[1]) : 1000);
	return 0;
}
