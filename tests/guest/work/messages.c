/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * messages COUNT SIZE...: prints its process' id, goes on after a line of input, and
 * sends itself COUNT System V messages of each SIZE: each of them is received before the
 * next one is sent.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <unistd.h>

static struct {
	long type;
	char text[8192];
} message = { .type = 1 };

static int fail(const char *what)
{
	perror(what);
	return 1;
}

int main(int argc, char **argv)
{
	int queue = msgget(IPC_PRIVATE, 0600), i;
	long count, n;
	size_t size;
	char line;

	if (argc < 3 || queue < 0)
		return fail("messages");
	count = atol(argv[1]);
	printf("%d\n", getpid());
	fflush(stdout);
	if (read(STDIN_FILENO, &line, 1) != 1)
		return fail("read");
	for (i = 2; i < argc; i++) {
		size = (size_t)atol(argv[i]);
		for (n = 0; n < count; n++)
			if (msgsnd(queue, &message, size, 0) ||
			    msgrcv(queue, &message, size, 0, 0) !=
				    (ssize_t)size)
				return fail("message");
	}
	return msgctl(queue, IPC_RMID, NULL) ? fail("msgctl") : 0;
}
