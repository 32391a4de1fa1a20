// SPDX-License-Identifier: GPL-2.0-or-later
/* threads.c - the threads of a capture, and whom its run recorded */
#include "capture/threads.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/part.h"
#include "base/recording.h"
#include "tracelet/message.h"

/* A thread that is known when recording begins, as it is in the file. */
struct kept {
	int32_t pid, process, parent;
	uint8_t wanted, compat;
	char comm[TL_COMM_LEN];
};

/* Whom the run of the capture recorded. */
struct recorded {
	struct tl_part part;
	bool some; /* not all */
	bool *had; /* that, of each who is asked for; NULL: of all */
};

static void free_recorded(void *part)
{
	struct recorded *r = part;

	free(r->had);
	free(r);
}

static const struct tl_part_ops recorded_ops = { .free = free_recorded };

/* ---- writing ---------------------------------------------------------- */

static void keep(const struct tl_task *task, struct tl_buf *tasks,
		 struct tl_buf *names)
{
	struct kept kept = {
		.pid = task->pid,
		.wanted = task->wanted,
		.compat = task->compat,
		.process = task->process,
		.parent = task->parent,
	};

	memcpy(kept.comm, task->comm, sizeof(kept.comm));
	tl_buf_add(tasks, (const char *)&kept, sizeof(kept));
	/* as in saved_cmdlines, for others that read this */
	if (task->comm[0])
		tl_buf_printf(names, "%d %.*s\n", task->pid,
			      (int)strcspn(task->comm, "\n"), task->comm);
}

void tl_threads_keep(struct tl_session *s)
{
	struct tl_buf tasks = { 0 }, names = { 0 };
	struct tl_task *task = NULL;

	while ((task = tl_task_next(s->tasks, task))) {
		tl_task_complete(s->tasks, task);
		keep(task, &tasks, &names);
	}
	tl_recording_notef(s->recording, "self", "%d", s->tasks->self);
	tl_recording_note(s->recording, "tasks", tasks.data, tasks.len, 0);
	tl_recording_note(s->recording, "names", names.data, names.len, 0);
	tl_buf_free(&tasks);
	tl_buf_free(&names);
}

/* ---- reading ---------------------------------------------------------- */

static bool is_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool is_same_list(const struct tl_pids *a, const struct tl_pids *b)
{
	return a->count == b->count &&
	       !memcmp(a->list, b->list, a->count * sizeof(*a->list));
}

/* Whether who is marked in the capture is who is asked for now, too. */
static bool marks_count(const struct tl_session *s)
{
	const struct tl_settings *set = &s->set;

	return is_same_list(&set->pid, &s->recorded.pid) &&
	       is_same_list(&set->tid, &s->recorded.tid) &&
	       is_same(set->cgroup, s->recorded.cgroup);
}

static bool take(struct tl_session *s, const struct kept *kept)
{
	struct tl_task *task = tl_task_get(s->tasks, kept->pid);

	if (!task)
		return false;
	task->process = kept->process;
	task->parent = kept->parent;
	task->wanted = kept->wanted && marks_count(s);
	task->recorded = kept->wanted;
	task->compat = kept->compat;
	tl_task_set_comm(
		task, (struct tl_str){ kept->comm,
				       strnlen(kept->comm, TL_COMM_LEN - 1) });
	return true;
}

static int take_all(struct tl_session *s)
{
	size_t len;
	const char *self = tl_recording_text(s->recording, "self", NULL);
	const char *at = tl_recording_text(s->recording, "tasks", &len);
	struct recorded *r = tl_part_new(s, &recorded_ops, sizeof(*r));
	struct kept kept;

	if (!r)
		return -ENOMEM;
	s->tasks->blind = true; /* those of this machine are others */
	s->tasks->self = self ? atoi(self) : -1;
	for (; len >= sizeof(kept); at += sizeof(kept), len -= sizeof(kept)) {
		memcpy(&kept, at, sizeof(kept));
		if (!take(s, &kept))
			return -ENOMEM;
		r->some |= kept.wanted;
	}
	s->tasks->some = r->some;
	return 0;
}

/* ---- whom it has ------------------------------------------------------ */

/* Whether its run went on with what those began that it was asked for. */
static bool was_followed(const struct tl_session *s)
{
	return s->recorded.follow || s->recorded.cgroup || s->command;
}

static void mark(struct tl_session *s, const struct tl_task *task)
{
	const struct recorded *r = tl_part_find(s, &recorded_ops);
	const struct tl_pids *pid = &s->set.pid, *tid = &s->set.tid;
	unsigned int i;

	for (i = 0; r->had && i < pid->count; i++)
		r->had[i] |= pid->list[i] == task->process;
	for (i = 0; r->had && i < tid->count; i++)
		r->had[i] |= tid->list[i] == task->pid;
}

static int was_not_recorded(const struct tl_session *s, const char *what,
			    pid_t pid)
{
	const struct tl_settings *r = &s->recorded;
	const char *who = r->pid.count   ? "PID "
			  : r->tid.count ? "TID "
			  : r->cgroup    ? "cgroup "
					 : "";

	return tl_fail(ESRCH,
		       "-r: %s %d was not recorded: the capture was written "
		       "for %s%s only",
		       what, pid, who,
		       r->pid.count   ? r->pid.text
		       : r->tid.count ? r->tid.text
				      : r->cgroup
			       ?: s->command ?: "others");
}

/* @all: also of those that could begin while the capture was written */
static int find_unrecorded(const struct tl_session *s, bool all)
{
	const struct recorded *r = tl_part_find(s, &recorded_ops);
	const struct tl_pids *pid = &s->set.pid, *tid = &s->set.tid;
	unsigned int i;

	for (i = 0; r->had && i < pid->count; i++)
		if (!r->had[i] && (all || !was_followed(s)))
			return was_not_recorded(s, "process", pid->list[i]);
	all |= s->recorded.tid.count && !was_followed(s);
	for (i = 0; r->had && i < tid->count; i++)
		if (!r->had[i] && all)
			return was_not_recorded(s, "thread", tid->list[i]);
	return 0;
}

/*
 * Refuses threads that were not recorded: they would seem to have done
 * nothing.
 */
static int check(struct tl_session *s, bool in_kernel)
{
	struct recorded *r = tl_part_find(s, &recorded_ops);
	struct tl_task *task = NULL;

	if (!in_kernel || !r->some || r->had || marks_count(s))
		return 0;
	r->had = calloc(s->set.pid.count + s->set.tid.count + 1,
			sizeof(*r->had));
	if (!r->had)
		return -ENOMEM;
	while ((task = tl_task_next(s->tasks, task)))
		if (task->recorded)
			mark(s, task);
	return find_unrecorded(s, false);
}

int tl_threads_check_end(const struct tl_session *s)
{
	return find_unrecorded(s, true);
}

/* ---- who is asked for ------------------------------------------------- */

static bool is_asked(const struct tl_session *s, const struct tl_task *task)
{
	return tl_pids_has(&s->set.pid, task->process) ||
	       tl_pids_has(&s->set.tid, task->pid);
}

/* Of a cgroup only the marks tell who they are. */
static int check_cgroup(const struct tl_session *s)
{
	if (marks_count(s))
		return 0;
	return tl_fail(EINVAL,
		       "--cgroup: who is in %s is known only of a capture "
		       "that was written with this",
		       s->set.cgroup);
}

static int want(struct tl_session *s)
{
	struct tl_task *task = NULL;
	unsigned int i;

	if (s->set.cgroup)
		return check_cgroup(s);
	/* one that is not known may have records all the same */
	for (i = 0; i < s->set.tid.count; i++)
		if (!tl_task_get(s->tasks, s->set.tid.list[i]))
			return -ENOMEM;
	while ((task = tl_task_next(s->tasks, task)))
		task->wanted |= is_asked(s, task);
	return 0;
}

/* What was asked for may begin only now. */
static void begins(struct tl_session *s, struct tl_task *task,
		   const struct tl_task *parent)
{
	bool thread = task->process != task->pid;

	task->wanted |= is_asked(s, task);
	task->recorded =
		parent->recorded &&
		(was_followed(s) || (thread && !s->recorded.tid.count));
	if (task->recorded)
		mark(s, task);
}

const struct tl_tasks_ops tl_threads_kept = {
	.open = take_all, .check = check, .want = want, .begins = begins
};
