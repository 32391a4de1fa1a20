// SPDX-License-Identifier: GPL-2.0-or-later
/* child.c - a child that does not outlive its parent */
#include "base/child.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

pid_t tl_child_fork(void)
{
	const pid_t parent = getpid(), pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* it may have ended before that */
	if (getppid() != parent)
		_exit(1);
	return 0;
}

int tl_child_wait(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}
