// SPDX-License-Identifier: GPL-2.0-or-later
/* taskrow.c - threads in rows */
#include <stdio.h>
#include <string.h>

#include "out/out.h"
#include "record/task.h"
#include "tracelet/output.h"
#include "tracelet/task.h"

void tl_put_task(struct tl_session *s, pid_t thread, unsigned int comm,
		 unsigned int pid, unsigned int tid)
{
	/* thread 0, which is idle, is of no process but known */
	pid_t process = thread ? tl_task_process(s, thread) : 0;

	tl_put_str(s, comm, tl_task_comm(s, thread));
	if (process || !thread)
		tl_put_int(s, pid, process);
	tl_put_int(s, tid, thread);
}

void tl_task_label(struct tl_session *s, pid_t pid, char text[TL_TASK_LABEL])
{
	struct tl_str comm;

	if (pid < 0) {
		strcpy(text, "?");
		return;
	}
	comm = tl_task_comm(s, pid);
	snprintf(text, TL_TASK_LABEL, "%.*s-%d", (int)comm.len, comm.text, pid);
}
