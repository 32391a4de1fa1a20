/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program that ends as soon as it has begun; with -w it waits for a signal.
 */
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "-w"))
		pause();
	return 0;
}
