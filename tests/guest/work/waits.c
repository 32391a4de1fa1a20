/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * waits FIFO: a thread that does what is written to FIFO, a line each, and sleeps in
 * read(2) of it before, between and after these. It says "TID" first, and after each
 * line how long that took, in nanoseconds.
 *	sleep N MS	sleeps N times
 *	burn MS		runs until it has used that much of a processor
 *	pass N		passes a byte to a child and back, N times
 *	name NAME	is called so from now on
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long clock_of(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static void do_sleep(int count, int ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000L };

	while (count--)
		clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL);
}

static void do_burn(int ms)
{
	long long end = clock_of(CLOCK_THREAD_CPUTIME_ID) + ms * 1000000LL;

	while (clock_of(CLOCK_THREAD_CPUTIME_ID) < end)
		;
}

static void do_pass(int count)
{
	int there[2], back[2];
	char byte = 0;
	pid_t pid;

	if (pipe(there) || pipe(back))
		exit(1);
	pid = fork();
	if (!pid) {
		close(there[1]);
		while (read(there[0], &byte, 1) == 1 &&
		       write(back[1], &byte, 1) == 1)
			;
		_exit(0);
	}
	while (count--)
		if (write(there[1], &byte, 1) != 1 ||
		    read(back[0], &byte, 1) != 1)
			exit(1);
	close(there[0]);
	close(there[1]);
	close(back[0]);
	close(back[1]);
	waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
	char line[64], name[17];
	long long start;
	int fd, n, ms;
	ssize_t len;

	/* for writing too: there is no end of it */
	fd = argc == 2 ? open(argv[1], O_RDWR) : -1;
	if (fd < 0)
		return 2;
	printf("%d\n", (int)getpid());
	fflush(stdout);
	while ((len = read(fd, line, sizeof(line) - 1)) > 0) {
		line[len] = '\0';
		start = clock_of(CLOCK_MONOTONIC);
		if (sscanf(line, "sleep %d %d", &n, &ms) == 2)
			do_sleep(n, ms);
		else if (sscanf(line, "burn %d", &ms) == 1)
			do_burn(ms);
		else if (sscanf(line, "pass %d", &n) == 1)
			do_pass(n);
		else if (sscanf(line, "name %16s", name) == 1)
			prctl(PR_SET_NAME, name);
		else
			return 2;
		printf("%lld\n", clock_of(CLOCK_MONOTONIC) - start);
		fflush(stdout);
	}
	return 1;
}
