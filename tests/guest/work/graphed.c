/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls functions of the kernel as often as is known, for funcgraph:
 *	graphed writes N	N writes of 5 bytes to /dev/null
 *	graphed until		one each millisecond until SIGTERM
 *	graphed flood		all the time until SIGTERM
 *	graphed threads N M	N threads of M such writes each, at the same time
 *	graphed forks N		N children of one such write each
 *	graphed sleeps N MS	N sleeps of as many milliseconds
 *	graphed sleepers N MS	N threads with one such sleep each
 *	graphed read SIZE	one read of as many bytes from /dev/zero
 *	graphed wait ARGS...	the same as ARGS, but begins at SIGUSR1
 * It writes nothing else.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int null;
static long each;
static volatile sig_atomic_t ended;

static void on_signal(int signal)
{
	(void)signal;
	ended = 1;
}

static void writes(long count)
{
	while (count--)
		if (write(null, "five\n", 5) != 5)
			exit(1);
}

static void do_sleep(long ms)
{
	const struct timespec ts = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&ts, NULL);
}

static void *write_in_thread(void *arg)
{
	writes(each);
	return arg;
}

static void *sleep_in_thread(void *arg)
{
	do_sleep(each);
	return arg;
}

static int threads(long count, void *(*fn)(void *))
{
	pthread_t thread[64];
	long i;

	for (i = 0; i < count; i++)
		if (pthread_create(&thread[i], NULL, fn, NULL))
			return 1;
	for (i = 0; i < count; i++)
		pthread_join(thread[i], NULL);
	return 0;
}

static int forks(long count)
{
	while (count--) {
		if (!fork()) {
			writes(1);
			_exit(0);
		}
		wait(NULL);
	}
	return 0;
}

static int read_once(size_t size)
{
	int zero = open("/dev/zero", O_RDONLY);
	void *to = mmap(NULL, size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	return to == MAP_FAILED || read(zero, to, size) != (ssize_t)size;
}

static int until(long ms)
{
	struct sigaction act = { .sa_handler = on_signal };

	sigaction(SIGTERM, &act, NULL);
	while (!ended) {
		writes(1);
		if (ms)
			do_sleep(ms);
	}
	return 0;
}

static int run(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	long n = argc > 2 ? atol(argv[2]) : 0;

	each = argc > 3 ? atol(argv[3]) : 0;
	if (!strcmp(what, "writes"))
		writes(n);
	else if (!strcmp(what, "until"))
		return until(1);
	else if (!strcmp(what, "flood"))
		return until(0);
	else if (!strcmp(what, "threads") && n <= 64)
		return threads(n, write_in_thread);
	else if (!strcmp(what, "sleepers") && n <= 64)
		return threads(n, sleep_in_thread);
	else if (!strcmp(what, "forks"))
		return forks(n);
	else if (!strcmp(what, "sleeps"))
		while (n--)
			do_sleep(each);
	else if (!strcmp(what, "read"))
		return read_once((size_t)n);
	else
		return 2;
	return 0;
}

/* Whoever sends it can see in /proc that there is a handler. */
static void wait_for_signal(void)
{
	const struct sigaction act = { .sa_handler = on_signal };
	sigset_t set, before;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, &before);
	sigaction(SIGUSR1, &act, NULL);
	sigsuspend(&before);
	ended = 0;
}

int main(int argc, char **argv)
{
	null = open("/dev/null", O_WRONLY);
	if (argc > 2 && !strcmp(argv[1], "wait")) {
		wait_for_signal();
		argc--;
		argv++;
	}
	return run(argc, argv);
}
