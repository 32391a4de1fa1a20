/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * burn MS: uses a processor for so long, by its own clock: 3 of 4 parts in hot(), 1 in
 * cold(), which work() calls; says how long each had, in nanoseconds.
 * burn MS FILE: the same in the kernel's read() of FILE.
 * burn -c N MS: N children do it, one after another.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MS 1000000LL

/* Four of them are no multiple of any sampler's period: the ticks come each 4 ms, or 1 or 10. */
#define TURN 17100000LL

static int fd = -1;

static long long used(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

/* The clock is asked seldom: what calls a function is not in its stack until that has a frame. */
#define SPIN()                                            \
	do {                                              \
		for (volatile int i = 0; i < 200000; i++) \
			;                                 \
	} while (used() < until)

static void hot(long long until)
{
	SPIN();
}

static void cold(long long until)
{
	SPIN();
}

static void in_kernel(long long until)
{
	static char buf[1 << 20];

	do {
		if (pread(fd, buf, sizeof(buf), 0) < 0)
			exit(1);
	} while (used() < until);
}

static void work(long long ms)
{
	long long at = used(), end = at + ms * MS, took[2] = { 0 };

	while (at < end) {
		if (fd < 0)
			hot(at + 3 * TURN);
		else
			in_kernel(at + 3 * TURN);
		took[0] += used() - at;
		at = used();
		if (fd < 0)
			cold(at + TURN);
		took[1] += used() - at;
		at = used();
	}
	printf("%lld %lld\n", took[0], took[1]);
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
