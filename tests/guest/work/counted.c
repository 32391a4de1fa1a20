/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls getppid() a known number of times:
 *	counted N M	N threads, one of which is the main one, M times each
 *	counted wait M	prints "PROCESS OLD", the ids of itself and of a thread
 *			of it; at a line on stdin the main thread makes M calls,
 *			the old thread 2 M, a new thread 4 M, a child 8 M, a
 *			thread of the child 16 M, and a grandchild 32 M
 *	counted until	until SIGTERM; prints how many
 *	counted both M	M times, and 3 M of sched_yield()
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_barrier_t begun, gate;
static long each, old_id;
static volatile sig_atomic_t ended;

static void call(long n)
{
	while (n-- > 0)
		syscall(SYS_getppid);
}

static void *run(void *arg)
{
	call(*(long *)arg);
	return NULL;
}

static int threads(long count)
{
	pthread_t id[64];
	long i;

	for (i = 1; i < count && i < 64; i++)
		if (pthread_create(&id[i], NULL, run, &each))
			return 1;
	call(each);
	while (--i > 0)
		pthread_join(id[i], NULL);
	return 0;
}

static void *run_old(void *arg)
{
	old_id = syscall(SYS_gettid);
	pthread_barrier_wait(&begun);
	pthread_barrier_wait(&gate);
	call(2 * each);
	return arg;
}

static void in_thread(long n)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run, &n))
		exit(1);
	pthread_join(thread, NULL);
}

/* A child that does @n calls, @thread of its thread, and then has @child. */
static void in_child(long n, long thread, long child)
{
	pid_t pid = fork();

	if (!pid) {
		call(n);
		if (thread)
			in_thread(thread);
		if (child)
			in_child(child, 0, 0);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, NULL, 0) != pid)
		exit(1);
}

static int family(void)
{
	pthread_t old;
	char c;

	pthread_barrier_init(&begun, NULL, 2);
	pthread_barrier_init(&gate, NULL, 2);
	if (pthread_create(&old, NULL, run_old, NULL))
		return 1;
	pthread_barrier_wait(&begun);
	printf("%d %ld\n", getpid(), old_id);
	fflush(stdout);
	if (read(STDIN_FILENO, &c, 1) < 1)
		return 1;
	call(each);
	pthread_barrier_wait(&gate);
	pthread_join(old, NULL);
	in_thread(4 * each);
	in_child(8 * each, 16 * each, 32 * each);
	return 0;
}

static void on_signal(int signal)
{
	(void)signal;
	ended = 1;
}

static int until(void)
{
	struct sigaction act = { .sa_handler = on_signal };
	long n;

	sigaction(SIGTERM, &act, NULL);
	for (n = 0; !ended; n++)
		call(1);
	printf("%ld\n", n);
	return 0;
}

static int both(void)
{
	long i;

	call(each);
	for (i = 0; i < 3 * each; i++)
		syscall(SYS_sched_yield);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	each = argc > 2 ? atol(argv[2]) : 0;
	if (!strcmp(argv[1], "wait"))
		return family();
	if (!strcmp(argv[1], "until"))
		return until();
	if (!strcmp(argv[1], "both"))
		return both();
	return threads(atol(argv[1]));
}
