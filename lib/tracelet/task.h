/* SPDX-License-Identifier: GPL-2.0-or-later */
/* task.h - threads and processes that records are of */
#ifndef TRACELET_TASK_H
#define TRACELET_TASK_H

#include <stdbool.h>
#include <sys/types.h>

#include "tracelet/text.h"

#pragma GCC visibility push(default)

struct tl_session;

/**
 * tl_task_comm - the name of thread @pid at the time of the record being
 * handled; "<...>" when unknown
 */
struct tl_str tl_task_comm(struct tl_session *s, pid_t pid);

#define TL_TASK_LABEL 32
/**
 * tl_task_label - thread @pid as "bash-1234", with its name at the time of the record
 * being handled; of one below 0, which is not known, "?"
 */
void tl_task_label(struct tl_session *s, pid_t pid, char text[TL_TASK_LABEL]);

/**
 * tl_task_matches - whether the options of TL_FILTERS_TASKS, and -n, ask for thread
 * @pid; never for the tool itself
 */
bool tl_task_matches(struct tl_session *s, pid_t pid);

/** tl_tasks_filtered - in setup and later: whether not all threads are asked for */
bool tl_tasks_filtered(const struct tl_session *s);

/**
 * tl_tasks_ignore - in setup, behind the events: names and processes of threads are
 * not needed, so do not follow them, unless the user asks for some threads only, or
 * writes a capture
 */
void tl_tasks_ignore(struct tl_session *s);

/** tl_task_process - process that thread @pid belongs to, 0 when unknown */
pid_t tl_task_process(struct tl_session *s, pid_t pid);

/**
 * tl_put_task - fill columns with the name of @thread, its process, and its id
 *
 * Where the process is not known its column stays empty; that of thread 0, which
 * is idle, is 0.
 */
void tl_put_task(struct tl_session *s, pid_t thread, unsigned int comm,
		 unsigned int pid, unsigned int tid);

/**
 * tl_task_parent - process that began the process of thread @pid, 0 when
 * unknown
 */
pid_t tl_task_parent(struct tl_session *s, pid_t pid);

#pragma GCC visibility pop

#endif
