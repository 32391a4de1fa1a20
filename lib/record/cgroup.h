/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cgroup.h - the cgroup that a thread is in, and the processes of one */
#ifndef TL_RECORD_CGROUP_H
#define TL_RECORD_CGROUP_H

#include <sys/types.h>

struct tl_session;

/**
 * tl_task_cgroup - the number, from 1 on, of the cgroup that thread @tid is in, as seen
 * when it was asked for first, or after its process has executed another program
 *
 * A new thread is in that of its parent, until it executes a program.  Where that is
 * not known it is the number of "-"; 0 with -r, or without memory.
 */
unsigned int tl_task_cgroup(struct tl_session *s, pid_t tid);
/**
 * tl_cgroup_path - its path as /proc/PID/cgroup has it, so from the root of the tool's
 * cgroup namespace; "-" for 0
 */
const char *tl_cgroup_path(const struct tl_session *s, unsigned int number);
/**
 * tl_cgroup_processes - call @fn for each process that is in the cgroup which --cgroup
 * calls @path, until it returns other than 0, which is returned; -errno after a message
 * where there is no such cgroup, or no process in it
 */
int tl_cgroup_processes(const char *path, int (*fn)(void *ctx, pid_t pid),
			void *ctx);

#endif
