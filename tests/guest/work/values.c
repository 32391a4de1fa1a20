/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes system calls with known values, by names of acts, one after the other:
 *	reads N SIZE	N times SIZE bytes from /dev/zero, by pread64()
 *	failing N	N that fail with EBADF
 *	huge		two that fail, of 2^63 and of 2^64 - 1 bytes
 *	sweep FROM N	FROM, FROM + 1, ... bytes, N in all
 *	seeks		lseek() to values at the edges of each width
 *	slowly N MS	N times a byte, MS milliseconds apart
 *	threads N	seven bytes in each of N threads
 *	name NAME	gives this task another name
 *	sleep MS
 *	takes N NUMBER	N calls of take() with it, and with a pointer to ten times as
 *			much, which is NULL where it is below 0; returns one more
 *	takes1 FROM N	a call with FROM, FROM + 1, ..., N in all
 *	cost N SIZE	N times read(); prints the ns that each took, and of CPU time
 */
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int zero;
static char buffer[1 << 20];

static long long now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static void nap(long ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&ts, NULL);
}

/* By system calls that shells and loaders do without. */
static long get(int fd, size_t size)
{
	return syscall(SYS_pread64, fd, buffer, size, 0L);
}

static void reads(long count, long size)
{
	while (count-- > 0)
		get(zero, size);
}

static void *one_read(void *arg)
{
	reads(1, 7);
	return arg;
}

static void threads(long count)
{
	pthread_t thread;

	while (count-- > 0)
		if (!pthread_create(&thread, NULL, one_read, NULL))
			pthread_join(thread, NULL);
}

static void seeks(void)
{
	static const long long values[] = {
		0,        1,         127,       128,       255,      256,
		32767,    32768,     65535,     65536,     INT_MAX,  1LL << 31,
		UINT_MAX, 1LL << 32, INT64_MAX, INT64_MIN, -1 - 127, -1,
	};
	unsigned int i;

	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		syscall(SYS_lseek, -1, values[i], SEEK_SET);
}

struct given {
	long before, number;
};

int take(int number, const char *text, const struct given *given);

/* For probes: what it is called with, and what it returns. */
__attribute__((noinline)) int take(int number, const char *text,
				   const struct given *given)
{
	__asm__ volatile("" : : "r"(text), "r"(given) : "memory");
	return number + 1;
}

static volatile int taken;

static void takes(long count, long number)
{
	const struct given given = { .number = number * 10 };
	char text[32];

	snprintf(text, sizeof(text), "number %ld", number);
	while (count-- > 0)
		taken = take((int)number, text, number < 0 ? NULL : &given);
}

static void cost(long count, long size)
{
	long i;
	long long start = now(CLOCK_MONOTONIC);
	long long cpu = now(CLOCK_PROCESS_CPUTIME_ID);

	for (i = 0; i < count; i++)
		syscall(SYS_read, zero, buffer, size);
	cpu = now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	printf("%lld %lld\n", (now(CLOCK_MONOTONIC) - start) / count,
	       cpu / count);
}

/* Returns the number of its arguments, -1 for none of these acts. */
static int act(const char *name, long a, long b)
{
	long i;

	if (!strcmp(name, "reads")) {
		reads(a, b);
	} else if (!strcmp(name, "failing")) {
		for (i = 0; i < a; i++)
			get(-1, 1);
		return 1;
	} else if (!strcmp(name, "huge")) {
		get(-1, 1ULL << 63);
		get(-1, SIZE_MAX);
		return 0;
	} else if (!strcmp(name, "sweep")) {
		for (i = 0; i < b; i++)
			reads(1, a + i);
	} else if (!strcmp(name, "seeks")) {
		seeks();
		return 0;
	} else if (!strcmp(name, "slowly")) {
		for (i = 0; i < a; i++) {
			reads(1, 1);
			nap(b);
		}
	} else if (!strcmp(name, "cost")) {
		cost(a, b);
	} else if (!strcmp(name, "threads")) {
		threads(a);
		return 1;
	} else if (!strcmp(name, "takes")) {
		takes(a, b);
	} else if (!strcmp(name, "takes1")) {
		for (i = 0; i < b; i++)
			takes(1, a + i);
	} else if (!strcmp(name, "sleep")) {
		nap(a);
		return 1;
	} else {
		return -1;
	}
	return 2;
}

int main(int argc, char **argv)
{
	int i, used;

	zero = open("/dev/zero", O_RDONLY);
	for (i = 1; i < argc; i += 1 + used) {
		long a = i + 1 < argc ? atol(argv[i + 1]) : 0;
		long b = i + 2 < argc ? atol(argv[i + 2]) : 0;

		used = strcmp(argv[i], "name") ? act(argv[i], a, b) : 1;
		if (used < 0 || i + used >= argc)
			return 2;
		if (!strcmp(argv[i], "name"))
			prctl(PR_SET_NAME, argv[i + 1]);
	}
	return 0;
}
