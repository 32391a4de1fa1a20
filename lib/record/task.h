/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * task.h - names of threads, the process they are of, and whether the user
 * asked for it
 */
#ifndef TL_RECORD_TASK_H
#define TL_RECORD_TASK_H

#include "base/session.h"
#include "tracelet/text.h"

struct tl_tasks;

/**
 * tl_tasks_open - follow the names of threads, and do what -p, -L, --follow and
 * --cgroup ask for; 0, or -errno after a message
 */
int tl_tasks_open(struct tl_session *s);
/**
 * tl_tasks_watch_threads - in setup: have the names of threads that run already taken
 * in, not only those of processes, since they may end before they are asked for;
 * see tl_task_is_late()
 */
void tl_tasks_watch_threads(struct tl_session *s);
/**
 * tl_task_learn - a record of time @ns tells that thread @pid, if it is not 0, had
 * the name @comm: for the first record of a thread, which then is not asked for
 */
void tl_task_learn(struct tl_session *s, pid_t pid, struct tl_str comm,
		   uint64_t ns);
/**
 * tl_tasks_record_all - in setup: have the kernel record all threads, whoever is asked
 * for; 0, or -errno after a message
 */
int tl_tasks_record_all(struct tl_session *s);
/**
 * tl_task_has_records - whether all that thread @pid does, as far as the tool records
 * that, has a record: options, or those of a capture's run, may leave it out
 */
bool tl_task_has_records(struct tl_session *s, pid_t pid);
/** tl_tasks_scan - take in those that run already; once recording has begun */
void tl_tasks_scan(struct tl_session *s);
/**
 * tl_tasks_self - the tool's own thread id, as in records; -1 when it is not
 * known
 */
pid_t tl_tasks_self(const struct tl_session *s);
/**
 * tl_tasks_foreign - whether records count processes otherwise than /proc does: as the
 * host of this PID namespace, or as a capture's machine
 */
bool tl_tasks_foreign(const struct tl_session *s);
/** tl_tasks_in_namespace - whether this process is in a PID namespace of a container */
bool tl_tasks_in_namespace(void);
/**
 * tl_task_leave_out_self - add the tool itself to @file, of processes that are
 * not recorded; 1, 0 when it cannot be or needs not, or -errno after a message
 */
int tl_task_leave_out_self(struct tl_session *s, const char *file);
/**
 * tl_events_leave_out_self - in setup, behind the events: what this process
 * does is not recorded; what a record has no room for is not noticed then
 */
int tl_events_leave_out_self(struct tl_session *s);
/**
 * tl_tasks_functions - have function tracers heed -p, -L, --follow and --cgroup
 * too; in setup, before there is one
 */
int tl_tasks_functions(struct tl_session *s);
/** tl_tasks_lost - records were lost: what is known may be out of date */
void tl_tasks_lost(struct tl_session *s);
/**
 * tl_tasks_end_unseen - nothing was recorded for a while, until @ns: threads that are there no
 * more have ended
 */
void tl_tasks_end_unseen(struct tl_session *s, uint64_t ns);
/**
 * tl_tasks_snapshot - what is known now, to be s->tasks while old records are run
 * @all: do not forget who has ended long ago
 */
struct tl_tasks *tl_tasks_snapshot(const struct tl_session *s, bool all);
/**
 * tl_tasks_is_snapshot - whether that is so: nothing but threads is to be
 * followed
 */
bool tl_tasks_is_snapshot(const struct tl_session *s);
void tl_tasks_free(struct tl_session *s);
/** tl_tasks_watch_compat - look which processes are 32-bit; in setup */
void tl_tasks_watch_compat(struct tl_session *s);
/** tl_task_executes - process @pid executes another program from now on */
void tl_task_executes(struct tl_session *s, pid_t pid);
/** tl_task_has_executed - whether that was said since this was asked last */
bool tl_task_has_executed(struct tl_session *s, pid_t pid);
/** tl_task_compat - whether the process of thread @pid is a 32-bit program */
bool tl_task_compat(struct tl_session *s, pid_t pid);
void tl_task_set_compat(struct tl_session *s, pid_t pid, bool compat);
/**
 * tl_task_is_late - whether the name of thread @pid at its record being handled may
 * be another than tl_task_comm() has: that one is newer, or there was none to read
 *
 * TL_TASK_RENAMED, which is told before the change too, and TL_TASK_ENDED tell that
 * it has the name now that it had until then.
 */
bool tl_task_is_late(struct tl_session *s, pid_t pid);
/** tl_task_is_dead - whether thread @pid has ended; it has some records yet */
bool tl_task_is_dead(struct tl_session *s, pid_t pid);
/** tl_task_read_compat - ask the process itself, if it is there still */
void tl_task_read_compat(struct tl_session *s, pid_t pid);

#endif
