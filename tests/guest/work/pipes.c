/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pipes COUNT: prints its process' id, goes on after a line of input, and makes a pipe
 * COUNT times 1 MiB large and 64 KiB again.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int ends[2];
	long count;
	char line;

	if (argc != 2 || pipe(ends))
		return 1;
	count = atol(argv[1]);
	printf("%d\n", getpid());
	fflush(stdout);
	if (read(STDIN_FILENO, &line, 1) != 1)
		return 1;
	for (; count; count--)
		if (fcntl(ends[0], F_SETPIPE_SZ, 1 << 20) < 0 ||
		    fcntl(ends[0], F_SETPIPE_SZ, 1 << 16) < 0) {
			perror("F_SETPIPE_SZ");
			return 1;
		}
	return 0;
}
