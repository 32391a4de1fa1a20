/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * made FIFO [memfd]: has code in memory that no file's symbols are of, as compilers make it
 * at run time: made_outer(), which calls made_nap().  It says "PID OUTER SIZE NAP SIZE"
 * first, of itself and where both functions are, in hexadecimal; then it does what is
 * written to FIFO, a line each, and says "done" after each.
 *	nap N		N sleeps of 20 ms in made_nap(), called by made_outer()
 *	reach		made_outer() calls reached()
 *	clock MS	reads a clock for so long
 *
 * With memfd that code is in a file that has no name and no symbols.  All functions have
 * frames.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

typedef long callee(const struct timespec *ts);
typedef long caller(callee *fn, const struct timespec *ts);

/* In a section of their own, which is copied: they call nothing by its place. */
#define MADE __attribute__((section("made_code"), noinline, used))

extern const char __start_made_code[], __stop_made_code[];

MADE static long made_nap(const struct timespec *ts)
{
#if defined(__x86_64__)
	register long rem __asm__("r10") = 0;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(SYS_clock_nanosleep), "D"(CLOCK_MONOTONIC),
			   "S"(0L), "d"(ts), "r"(rem)
			 : "rcx", "r11", "memory");
	return ret;
#elif defined(__aarch64__)
	register long number __asm__("x8") = SYS_clock_nanosleep;
	register long ret __asm__("x0") = CLOCK_MONOTONIC;
	register long flags __asm__("x1") = 0;
	register const struct timespec *wanted __asm__("x2") = ts;
	register long rem __asm__("x3") = 0;

	__asm__ volatile("svc #0"
			 : "+r"(ret)
			 : "r"(number), "r"(flags), "r"(wanted), "r"(rem)
			 : "memory");
	return ret;
#else
	return (long)ts;
#endif
}

MADE static long made_outer(callee *fn, const struct timespec *ts)
{
	return fn(ts) + 1;
}

static __attribute__((noinline)) long reached(const struct timespec *ts)
{
	return ts->tv_nsec;
}

static const char *copy_of(const char *code, const void *function)
{
	return code + ((const char *)function - __start_made_code);
}

static const char *make(const char *kind)
{
	const size_t size = (size_t)(__stop_made_code - __start_made_code);
	const int prot = PROT_READ | PROT_WRITE | PROT_EXEC;
	char *code;
	int fd = -1;

	if (kind)
		fd = memfd_create("made", 0);
	if (kind && (fd < 0 || ftruncate(fd, (off_t)size)))
		exit(1);
	code = mmap(NULL, size, prot,
		    fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, fd, 0);
	if (code == MAP_FAILED)
		exit(1);
	memcpy(code, __start_made_code, size);
	__builtin___clear_cache(code, code + size);
	return code;
}

static void read_clock(int ms)
{
	struct timespec start, ts;

	clock_gettime(CLOCK_MONOTONIC, &start);
	do
		clock_gettime(CLOCK_MONOTONIC, &ts);
	while ((ts.tv_sec - start.tv_sec) * 1000 +
		       (ts.tv_nsec - start.tv_nsec) / 1000000 <
	       ms);
}

static int do_line(const char *line, caller *outer, callee *nap)
{
	const struct timespec ts = { .tv_nsec = 20000000 };
	int n;

	if (!strcmp(line, "reach\n"))
		outer(reached, &ts);
	else if (sscanf(line, "clock %d", &n) == 1)
		read_clock(n);
	else if (sscanf(line, "nap %d", &n) == 1)
		while (n--)
			outer(nap, &ts);
	else
		return -1;
	printf("done\n");
	return 0;
}

int main(int argc, char **argv)
{
	const char *code, *outer, *nap;
	char line[64];
	ssize_t len;
	int fd;

	/* for writing too: there is no end of it */
	fd = argc > 1 ? open(argv[1], O_RDWR) : -1;
	if (fd < 0)
		return 2;
	code = make(argv[2]);
	outer = copy_of(code, (const void *)made_outer);
	nap = copy_of(code, (const void *)made_nap);
	/* the compiler has them in either order */
	printf("%d %lx %zx %lx %zx\n", (int)getpid(), (unsigned long)outer,
	       outer < nap ? (size_t)(nap - outer)
			   : 4096 - (size_t)(outer - code),
	       (unsigned long)nap,
	       nap < outer ? (size_t)(outer - nap)
			   : 4096 - (size_t)(nap - code));
	fflush(stdout);
	while ((len = read(fd, line, sizeof(line) - 1)) > 0) {
		line[len] = '\0';
		if (do_line(line, (caller *)outer, (callee *)nap))
			return 2;
		fflush(stdout);
	}
	return 1;
}
