// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main.c - calls sleep(0), fopen() of what is not there and is, and then each
 * function for 0, 1, ... COUNT-1
 *
 * usage: PROGRAM COUNT [wait | exec PROGRAM ARG... | ITEM]
 *
 * With "wait" it says so, begins after a line of input, says so again and ends
 * after another one; an ITEM is ordered instead of the usual ones.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shop.h"

static void wait_for_line(void)
{
	int c;

	puts("waiting");
	fflush(stdout);
	do {
		c = getchar();
	} while (c != '\n' && c != EOF);
}

static void use_libc(void)
{
	FILE *f;

	sleep(0);
	f = fopen("/nonexistent/file", "r");
	if (!f)
		f = fopen("/dev/null", "r");
	if (f)
		fclose(f);
}

int main(int argc, char **argv)
{
	const char *item = argc == 3 ? argv[2] : NULL;
	int count = argc > 1 ? atoi(argv[1]) : 1, wait, i;

	wait = item && !strcmp(item, "wait");
	if (wait)
		wait_for_line();
	use_libc();
	for (i = 0; i < count; i++) {
		shop_order(i, item && !wait ? item : shop_item(i));
		shop_sum(i, 2, 3, 4, 5, 6, 7, 8);
		shop_visit(i);
	}
	if (wait)
		wait_for_line();
	if (argc > 3)
		execv(argv[3], argv + 3);
	return argc > 3;
}
