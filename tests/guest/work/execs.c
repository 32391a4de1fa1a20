/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * execs NOTHING: runs program NOTHING in ways that execsnoop has difficulties
 * with, and prints the rows that `execsnoop -r --failed` must show for it.
 * NOTHING ends at once: nothing about it can be looked up afterwards.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *program;

static void expect(pid_t pid, const char *error, const char *args)
{
	printf("%6d %6d %-12s %s\n", pid, getpid(), error, args);
	fflush(stdout);
}

/* Runs @file with @argv in a child; the row is to show @args. */
static void run(const char *file, char **argv, const char *error,
		const char *args)
{
	pid_t pid = fork();

	if (!pid) {
		execv(file, argv);
		_exit(127);
	}
	waitpid(pid, NULL, 0);
	expect(pid, error, args);
}

static void run_odd(void)
{
	char text[512];
	char *argv[] = {
		(char *)program,   "plain",    "",   "two  words", "it's",
		"\x1b[1m\n\t\x7f", "\xff\xc3", "\\", "$HOME",      NULL
	};

	snprintf(text, sizeof(text),
		 "%s plain '' 'two  words' $'it\\'s' $'\\x1b[1m\\n\\t\\x7f' "
		 "$'\\xff\\xc3' '\\' '$HOME'",
		 program);
	run(program, argv, "-", text);
}

/* @count arguments of @len bytes behind the first. */
static void run_many(int count, size_t len)
{
	char **argv = calloc(count + 2, sizeof(*argv));
	char *text = malloc((count + 1) * (len + 2) + 256);
	int i;

	argv[0] = (char *)program;
	strcpy(text, program);
	for (i = 1; i <= count; i++) {
		argv[i] = malloc(len + 1);
		memset(argv[i], 'a' + i % 26, len);
		argv[i][len] = '\0';
		strcat(text, " ");
		strcat(text, argv[i]);
	}
	run(program, argv, "-", text);
}

/* A name of its own, by descriptor: execveat() with an empty path. */
static void run_by_descriptor(void)
{
	char *argv[] = { "by-descriptor", "x", NULL };
	int fd = open(program, O_RDONLY);
	pid_t pid = fork();

	if (!pid) {
		syscall(SYS_execveat, fd, "", argv, NULL, 0x1000);
		_exit(127);
	}
	waitpid(pid, NULL, 0);
	expect(pid, "-", "by-descriptor x");
	close(fd);
}

/* Itself, as @first, and then the program with argument @second: see main(). */
static void run_twice(const char *self, const char *first, const char *second)
{
	char *argv[] = { (char *)self, (char *)first, (char *)program, NULL };
	char text[256];
	pid_t pid = fork();

	if (!pid) {
		execv(self, argv);
		_exit(127);
	}
	waitpid(pid, NULL, 0);
	snprintf(text, sizeof(text), "%s %s %s", self, first, program);
	expect(pid, "-", text);
	snprintf(text, sizeof(text), "%s %s", program, second);
	expect(pid, "-", text);
}

static void *exec_in_thread(void *arg)
{
	char *argv[] = { (char *)program, arg, NULL };

	execv(program, argv);
	return arg;
}

/* The thread becomes the process. */
static void become(const char *arg)
{
	pthread_t thread;

	pthread_create(&thread, NULL, exec_in_thread, (void *)arg);
	pause();
}

/* The row has the process' id. */
static void run_from_thread(void)
{
	char text[256];
	pid_t pid = fork();

	if (!pid)
		become("thread");
	waitpid(pid, NULL, 0);
	snprintf(text, sizeof(text), "%s thread", program);
	expect(pid, "-", text);
}

static void run_failing(void)
{
	char *argv[] = { "x", "unread", NULL };

	run("/nonexistent/program", argv, "ENOENT", "/nonexistent/program [?]");
	run("/etc/passwd", argv, "EACCES", "/etc/passwd [?]");
	run("/", argv, "EACCES", "/ [?]");
}

/* An old PID for a new process, which runs a program again. */
static void run_reused(void)
{
	char *argv[] = { (char *)program, "first", NULL };
	char text[256];
	pid_t pid = fork();
	FILE *f;

	if (!pid) {
		execv(program, argv);
		_exit(127);
	}
	waitpid(pid, NULL, 0);
	snprintf(text, sizeof(text), "%s first", program);
	expect(pid, "-", text);
	f = fopen("/proc/sys/kernel/ns_last_pid", "w");
	if (!f || fprintf(f, "%d", pid - 1) < 0 || fclose(f))
		exit(1);
	argv[1] = "reused";
	snprintf(text, sizeof(text), "%s reused", program);
	run(program, argv, "-", text);
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "replaced")) {
		program = argv[2];
		become("third");
	} else if (argc == 3) {
		argv[0] = argv[2];
		argv[1] = "second";
		argv[2] = NULL;
		return execv(argv[0], argv);
	}
	program = argv[1];
	run_odd();
	run_many(94, 2);
	run_many(127, 1);
	run_many(3, 3900);
	run_by_descriptor();
	run_twice(argv[0], "again", "second");
	run_twice(argv[0], "replaced", "third");
	run_from_thread();
	run_failing();
	run_reused();
	return 0;
}
