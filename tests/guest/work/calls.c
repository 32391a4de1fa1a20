/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes a known number of known system calls:
 *	calls known		once all of the list below; prints it
 *	calls reads N		N reads of one byte from /dev/zero; prints what one
 *				took, in ns
 *	calls until		such reads until SIGTERM; prints how many
 *	calls forks N		N children by fork, clone, vfork and clone3, in turn
 *	calls threads N M	N threads that make M calls of getppid each
 *	calls sleep N		N sleeps of 20 ms
 *	calls badly N		N reads that fail
 *	calls names N		takes N names, one after the other
 *	calls old		has threads that say "here", and at a line on stdin
 *				make calls of getppid: "ends" 11, then it ends;
 *				"before" 5 and, as "after", 7, then it ends; "stays"
 *				3; then says "done", until the end of stdin
 * Without a libc's doing where it counts: the numbers are those that
 * tests/guest/syscount.sh expects.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long count;
static volatile sig_atomic_t ended;

static long long now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static void on_signal(int signal)
{
	(void)signal;
	ended = 1;
}

static int known(void)
{
	struct sigaction act = { .sa_handler = on_signal };
	int i;

	sigaction(SIGUSR1, &act, NULL);
	for (i = 0; i < 23; i++)
		syscall(SYS_getppid);
	for (i = 0; i < 7; i++)
		syscall(SYS_sched_yield);
	for (i = 0; i < 5; i++)
		syscall(SYS_close, -1);
	/* its return from the handler is a call too */
	for (i = 0; i < 3; i++)
		syscall(SYS_kill, getpid(), SIGUSR1);
	syscall(SYS_exit_group, 0);
	return 1;
}

static int reads(void)
{
	int fd = open("/dev/zero", O_RDONLY);
	long long start;
	char byte;
	long i;

	start = now();
	for (i = 0; i < count; i++)
		if (read(fd, &byte, 1) != 1)
			return 1;
	if (count)
		printf("%lld\n", (now() - start) / count);
	return 0;
}

static int until(void)
{
	struct sigaction act = { .sa_handler = on_signal };
	int fd = open("/dev/zero", O_RDONLY);
	char byte;
	long n;

	sigaction(SIGTERM, &act, NULL);
	for (n = 0; !ended; n++)
		if (read(fd, &byte, 1) != 1)
			return 1;
	printf("%ld\n", n);
	return 0;
}

static int child(void *arg)
{
	(void)arg;
	_exit(0);
}

static int forks(void)
{
	static char stack[65536] __attribute__((aligned(16)));
	struct clone_args args = { .exit_signal = SIGCHLD };
	pid_t pid;
	long i;

	for (i = 0; i < count; i++) {
		pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));
		if (!pid)
			_exit(0);
		if (pid < 0 || waitpid(pid, NULL, 0) != pid)
			return 1;
		pid = vfork();
		if (!pid)
			_exit(0);
		if (pid < 0 || waitpid(pid, NULL, 0) != pid)
			return 1;
		pid = clone(child, stack + sizeof(stack), SIGCHLD, NULL);
		if (pid < 0 || waitpid(pid, NULL, 0) != pid)
			return 1;
#ifdef SYS_fork
		pid = (pid_t)syscall(SYS_fork);
		if (!pid)
			_exit(0);
		if (pid < 0 || waitpid(pid, NULL, 0) != pid)
			return 1;
#endif
	}
	return 0;
}

static void *thread(void *arg)
{
	long i, n = *(long *)arg;

	for (i = 0; i < n; i++)
		syscall(SYS_getppid);
	syscall(SYS_exit, 0);
	return NULL;
}

static int threads(long each)
{
	pthread_t id[64];
	long i;

	for (i = 0; i < count && i < 64; i++)
		if (pthread_create(&id[i], NULL, thread, &each))
			return 1;
	while (i-- > 0)
		pthread_join(id[i], NULL);
	return 0;
}

static int sleeps(void)
{
	const struct timespec ts = { .tv_nsec = 20000000 };
	long i;

	for (i = 0; i < count; i++)
		syscall(SYS_nanosleep, &ts, NULL);
	return 0;
}

static int badly(void)
{
	char byte;
	long i;

	for (i = 0; i < count; i++)
		if (read(-1, &byte, 1) != -1 || errno != EBADF)
			return 1;
	return 0;
}

static int names(void)
{
	char name[16];
	long i;

	for (i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "n%ld", i);
		if (prctl(PR_SET_NAME, name))
			return 1;
	}
	return 0;
}

static pthread_barrier_t barrier;
static sem_t stayed;

static void getppids(int n)
{
	while (n--)
		syscall(SYS_getppid);
}

/* Waits for all with name @name, and for the line. */
static void begin(const char *name)
{
	prctl(PR_SET_NAME, name);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
}

static void *ends(void *arg)
{
	begin("ends");
	getppids(11);
	return arg;
}

static void *renamed(void *arg)
{
	begin("before");
	getppids(5);
	prctl(PR_SET_NAME, "after");
	getppids(7);
	return arg;
}

static void *stays(void *arg)
{
	begin("stays");
	getppids(3);
	sem_post(&stayed);
	pause();
	return arg;
}

/* For one byte of stdin, or its end. */
static void await(void)
{
	char byte;

	if (read(STDIN_FILENO, &byte, 1) < 0)
		exit(1);
}

static int old(void)
{
	pthread_t id[3];

	pthread_barrier_init(&barrier, NULL, 4);
	if (pthread_create(&id[0], NULL, ends, NULL) ||
	    pthread_create(&id[1], NULL, renamed, NULL) ||
	    pthread_create(&id[2], NULL, stays, NULL))
		return 1;
	pthread_barrier_wait(&barrier);
	dprintf(STDOUT_FILENO, "here\n");
	await();
	pthread_barrier_wait(&barrier);
	pthread_join(id[0], NULL);
	pthread_join(id[1], NULL);
	sem_wait(&stayed);
	dprintf(STDOUT_FILENO, "done\n");
	await();
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	count = argc > 2 ? atol(argv[2]) : 0;
	if (!strcmp(what, "known"))
		return known();
	if (!strcmp(what, "reads"))
		return reads();
	if (!strcmp(what, "until"))
		return until();
	if (!strcmp(what, "forks"))
		return forks();
	if (!strcmp(what, "threads"))
		return threads(argc > 3 ? atol(argv[3]) : 0);
	if (!strcmp(what, "sleep"))
		return sleeps();
	if (!strcmp(what, "badly"))
		return badly();
	if (!strcmp(what, "names"))
		return names();
	if (!strcmp(what, "old"))
		return old();
	return 2;
}
