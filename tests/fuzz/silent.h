/* SPDX-License-Identifier: GPL-2.0-or-later */
/* silent.h - for a target that prints messages; included by its only file */
#ifndef FUZZ_SILENT_H
#define FUZZ_SILENT_H

#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);

/* Messages to nowhere, by libFuzzer's own means: reports keep a stderr. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static char *with[256];
	static char silent[] = "-close_fd_mask=2";
	int i;

	if (*argc > 250)
		return 0;
	for (i = 0; i < *argc; i++)
		with[i] = (*argv)[i];
	/* before the others, which may end with files */
	memmove(with + 2, with + 1, 250 * sizeof(with[0]));
	with[1] = silent;
	++*argc;
	*argv = with;
	return 0;
}

#endif
