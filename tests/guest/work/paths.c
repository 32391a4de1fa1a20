/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * paths: goes 10,000 ways of four steps, each to one of ten functions, and at their ends
 * calls write(): of way N (its digits are the functions, the last one first) 1 + N % 3
 * times, of 1 + N % 100 bytes each.  Before that deep() is begun 10 times with each number
 * from 1 to 4, and calls itself until there are so many of it.  Says how many calls of write()
 * and bytes there were, and ends with its input: while it is there its functions can be named.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static unsigned long calls, bytes;
static int fd;

long leaf(unsigned long size);

__attribute__((noinline)) long leaf(unsigned long size)
{
	static const char text[100];

	calls++;
	bytes += size;
	return syscall(SYS_write, fd, text, size);
}

void deep(unsigned int more);

__attribute__((noinline)) void deep(unsigned int more)
{
	if (more > 1)
		deep(more - 1);
	__asm__ volatile("" : : "r"(more));
}

static void end(unsigned int way)
{
	unsigned int i;

	for (i = 0; i < 1 + way % 3; i++)
		leaf(1 + way % 100);
}

/* None of them is like another: the compiler would make one function of two. */
#define STEP(name, number, next)                                              \
	__attribute__((noinline)) static void name##number(unsigned int way,  \
							   unsigned int rest) \
	{                                                                     \
		next;                                                         \
		__asm__ volatile("" : : "i"(number), "r"(way), "r"(rest));    \
	}
#define STEPS(name, next)                                           \
	STEP(name, 0, next)                                         \
	STEP(name, 1, next)                                         \
	STEP(name, 2, next)                                         \
	STEP(name, 3, next)                                         \
	STEP(name, 4, next)                                         \
	STEP(name, 5, next)                                         \
	STEP(name, 6, next)                                         \
	STEP(name, 7, next)                                         \
	STEP(name, 8, next)                                         \
	STEP(name, 9, next)                                         \
	static void (*const name[])(unsigned int, unsigned int) = { \
		name##0, name##1, name##2, name##3, name##4,        \
		name##5, name##6, name##7, name##8, name##9,        \
	};

STEPS(d, end(way))
STEPS(c, d[rest % 10](way, rest / 10))
STEPS(b, c[rest % 10](way, rest / 10))
STEPS(a, b[rest % 10](way, rest / 10))

int main(void)
{
	unsigned int way;
	char rest;

	fd = open("/dev/null", O_WRONLY);
	for (way = 0; way < 40; way++)
		deep(1 + way % 4);
	for (way = 0; way < 10000; way++)
		a[way % 10](way, way / 10);
	printf("%lu %lu\n", calls, bytes);
	fflush(stdout);
	while (read(STDIN_FILENO, &rest, 1) > 0)
		;
	return fd < 0;
}
