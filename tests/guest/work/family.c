/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process with an old thread; at a line on stdin each of these opens a file
 * of its name in /mnt/w: the main thread, the old thread, a new thread, a
 * child, a thread of the child, a grandchild.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void visit(const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/mnt/w/%s", name);
	close(open(path, O_RDONLY | O_CREAT, 0600));
}

static void *run_old(void *arg)
{
	pthread_mutex_lock(&gate);
	visit("old-thread");
	return arg;
}

static void *run_new(void *arg)
{
	visit(arg);
	return NULL;
}

static void join_new(const char *name)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run_new, (void *)name))
		exit(1);
	pthread_join(thread, NULL);
}

static void child(void)
{
	visit("child");
	join_new("child-thread");
	if (!fork()) {
		visit("grandchild");
		_exit(0);
	}
	wait(NULL);
	_exit(0);
}

int main(void)
{
	pthread_t old;
	char c;

	pthread_mutex_lock(&gate);
	if (pthread_create(&old, NULL, run_old, NULL))
		return 1;
	printf("%d\n", getpid());
	fflush(stdout);
	if (read(STDIN_FILENO, &c, 1) < 1)
		return 1;
	visit("main");
	pthread_mutex_unlock(&gate);
	pthread_join(old, NULL);
	join_new("new-thread");
	if (!fork())
		child();
	wait(NULL);
	return 0;
}
