// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * asked.c - threads that the user asked for: -p, -L, --follow, --cgroup
 *
 * The kernel records only these, unless the tool looks at all threads itself.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/cgroup.h"
#include "record/tasktable.h"
#include "tracefs/file.h"
#include "tracefs/instance.h"
#include "tracelet/message.h"
#include "tracelet/task.h"
#include "tracelet/tool.h"
#include "tracelet/tracefs.h"

bool tl_tasks_in_kernel(const struct tl_session *s)
{
	return !(s->tool->flags & TL_FILTERS_TASKS) && !s->tasks->everyone;
}

int tl_tasks_record_all(struct tl_session *s)
{
	bool some = s->tasks->filter && tl_tasks_in_kernel(s);

	s->tasks->everyone = true;
	return some ? tl_write_file(s, "set_event_pid", "") : 0;
}

static int add_pid(struct tl_fs_dir dir, const char *file, pid_t pid)
{
	char text[16];
	int ret;

	snprintf(text, sizeof(text), "%d", pid);
	ret = tl_fs_write(dir, file, text, O_APPEND);
	return ret && ret != -ESRCH ? tl_fs_error(dir, -ret, file, text) : 0;
}

/* Of the instance that a function tracer runs in. */
static int add_function_pid(struct tl_session *s, pid_t pid)
{
	return add_pid(tl_instance_tracer_dir(s), "set_ftrace_pid", pid);
}

/* Adds a thread to those that are wanted; 1 if it is new. */
static int want(struct tl_session *s, pid_t pid)
{
	struct tl_task *task = tl_task_get(s->tasks, pid);
	int ret = 0;

	if (!task)
		return -ENOMEM;
	if (task->wanted)
		return 0;
	task->wanted = true;
	if (tl_tasks_in_kernel(s))
		ret = add_pid(s->instance->dir, "set_event_pid", pid);
	if (!ret && s->tasks->functions)
		ret = add_function_pid(s, pid);
	return ret ?: 1;
}

/* All threads of a process; new ones until no more appear. */
static int want_process(struct tl_session *s, pid_t pid)
{
	char path[64];
	struct dirent *d;
	int ret, found;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	do {
		dir = opendir(path);
		found = 0;
		ret = 0;
		while (dir && ret >= 0 && (d = readdir(dir))) {
			if (atoi(d->d_name) <= 0)
				continue;
			ret = want(s, atoi(d->d_name));
			found += ret > 0;
		}
		if (dir)
			closedir(dir);
	} while (ret >= 0 && found);
	return ret < 0 ? ret : 0;
}

static int want_of_cgroup(void *session, pid_t pid)
{
	return want_process(session, pid);
}

static int want_one(struct tl_session *s, const char *what, pid_t pid,
		    int (*add)(struct tl_session *s, pid_t pid))
{
	char path[64];
	int ret;

	snprintf(path, sizeof(path), "/proc/%d", pid);
	if (access(path, F_OK))
		return tl_fail(ESRCH, "there is no %s %d", what, pid);
	ret = add(s, pid);
	return ret < 0 ? ret : 0;
}

static int want_asked(struct tl_session *s)
{
	const struct tl_settings *set = &s->set;
	unsigned int i;
	int ret = 0;

	if (set->cgroup)
		return tl_cgroup_processes(set->cgroup, want_of_cgroup, s);
	for (i = 0; i < set->pid.count && !ret; i++)
		ret = want_one(s, "process", set->pid.list[i], want_process);
	for (i = 0; i < set->tid.count && !ret; i++)
		ret = want_one(s, "thread", set->tid.list[i], want);
	return ret;
}

/* ---- threads that have begun meanwhile -------------------------------- */

/* Takes in threads that the kernel added (event-fork) and no record told of. */
static void take_in_added(struct tl_session *s)
{
	char *text = tl_fs_read(s->instance->dir, "set_event_pid", NULL), *p,
	     *end;
	struct tl_task *task;
	pid_t pid;

	for (p = text; p && (pid = strtol(p, &end, 10)) > 0; p = end) {
		task = tl_task_get(s->tasks, pid);
		if (task && (s->set.follow || s->set.cgroup ||
			     tl_pids_has(&s->set.pid, tl_task_process(s, pid))))
			task->wanted = true;
	}
	free(text);
}

/* Threads that began while we could not see it. */
static void take_in_started(struct tl_session *s)
{
	unsigned int i;

	if (tl_tasks_in_kernel(s))
		take_in_added(s);
	else if (s->set.cgroup)
		tl_cgroup_processes(s->set.cgroup, want_of_cgroup, s);
	else
		for (i = 0; i < s->set.pid.count; i++)
			want_process(s, s->set.pid.list[i]);
}

/* ---- set-up ----------------------------------------------------------- */

#define MARK       ": tracing_mark_write: tracelet"
#define COMM_WIDTH 16

/* Of a line "COMM-PID [CPU] ... MARK"; -1 of another one. */
static pid_t pid_in(const char *text)
{
	const char *mark = strstr(text, MARK), *line = mark;
	pid_t pid;

	while (line && line > text && line[-1] != '\n')
		line--;
	if (!line || mark - line < COMM_WIDTH ||
	    sscanf(line + COMM_WIDTH, "-%d ", &pid) != 1)
		return -1;
	return pid;
}

/* Takes this thread as the host counts it, as a record of its own has it. */
static int take_self_of_host(struct tl_session *s)
{
	static const char *const options[] = { "context-info",
					       "markers",
					       "nolatency-format",
					       "nosym-offset",
					       "nosym-addr",
					       "nobin",
					       "nohex",
					       "noraw",
					       "nofields",
					       "noprintk-msg-only" };
	struct tl_fs_dir dir = s->instance->dir;
	char *text;
	size_t i;
	int ret;

	s->tasks->self = -1;
	/* a new instance inherits the top level's; not all kernels know all */
	for (i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		tl_fs_write(dir, "trace_options", options[i], O_APPEND);
	if (tl_fs_write(dir, "trace_marker", "tracelet", O_APPEND))
		return 0;
	text = tl_fs_read(dir, "trace", NULL);
	if (text)
		s->tasks->self = pid_in(text);
	free(text);
	/* the mark is nobody's record */
	ret = tl_fs_write(dir, "trace", "", O_TRUNC);
	return ret ? tl_fail(-ret, "trace: %s", tl_fs_explain(-ret)) : 0;
}

bool tl_tasks_in_namespace(void)
{
	const ino_t host = 0xeffffffc; /* PROC_PID_INIT_INO */
	struct stat st;

	return !stat("/proc/self/ns/pid", &st) && st.st_ino != host;
}

/* Records count processes as the host does. */
static int look_at_namespace(struct tl_session *s)
{
	struct tl_tasks *t = s->tasks;

	if (!tl_tasks_in_namespace())
		return 0;
	t->blind = true;
	tl_warn("in a PID namespace: process ids are the host's, and what ran "
		"before has no name");
	return take_self_of_host(s);
}

static int needs_host(struct tl_session *s, bool kernel)
{
	if (!s->tasks->blind)
		return 0;
	return tl_fail(EINVAL, "asking for a process, thread or cgroup needs "
			       "the host's PID namespace (docker run "
			       "--pid=host)");
}

const struct tl_tasks_ops tl_tasks_here = { .open = look_at_namespace,
					    .check = needs_host,
					    .want = want_asked,
					    .look_again = take_in_started };

int tl_tasks_ask(struct tl_session *s)
{
	const struct tl_settings *set = &s->set;
	int ret;

	if (!tl_settings_ids(set))
		return 0;
	s->tasks->filter = true;
	ret = s->tasks->ops->check(s, tl_tasks_in_kernel(s));
	/*
	 * what a recorded thread starts is recorded too; sorted out in task.c
	 */
	if (!ret && tl_tasks_in_kernel(s) && (!set->tid.count || set->follow))
		ret = tl_write_file(s, "options/event-fork", "1");
	return ret ?: s->tasks->ops->want(s);
}

/* ---- function tracers ------------------------------------------------- */

static bool lists_pid(const char *text, pid_t pid)
{
	char *end;

	for (; text && *text; text = end + (*end == '\n'))
		if (strtol(text, &end, 10) == pid)
			return true;
		else if (end == text)
			break;
	return false;
}

/*
 * Adds what set_event_pid has and function tracers miss; how many, or -errno.
 */
static int add_missing(struct tl_session *s)
{
	char *events = tl_fs_read(s->instance->dir, "set_event_pid", NULL);
	char *functions =
		tl_fs_read(tl_instance_tracer_dir(s), "set_ftrace_pid", NULL);
	int ret = 0, count = 0;
	char *p, *end;
	pid_t pid;

	for (p = events; p && !ret && (pid = strtol(p, &end, 10)) > 0; p = end)
		if (!lists_pid(functions, pid)) {
			ret = add_function_pid(s, pid);
			count++;
		}
	free(events);
	free(functions);
	return ret ?: count;
}

/*
 * What was started between event-fork and function-fork; and while those were
 * added that had started it.
 */
static int take_over_forks(struct tl_session *s)
{
	int ret, tries = 100;

	do {
		ret = add_missing(s);
	} while (ret > 0 && --tries);
	return ret < 0 ? ret : 0;
}

/* Threads asked for so far come first, then those that have begun meanwhile. */
int tl_tasks_functions(struct tl_session *s)
{
	bool fork = !s->set.tid.count || s->set.follow;
	struct tl_tasks *t = s->tasks;
	struct tl_task *task = NULL;
	int ret = 0;

	t->functions = t->filter;
	if (!t->filter)
		return 0;
	ret = t->ops->check(s, true);
	if (fork && !ret)
		ret = tl_fs_write(tl_instance_tracer_dir(s),
				  "options/function-fork", "1", O_TRUNC);
	while (!ret && (task = tl_task_next(t, task)))
		if (task->wanted)
			ret = add_function_pid(s, task->pid);
	if (!ret)
		ret = t->ops->want(s);
	return ret ?: fork && tl_tasks_in_kernel(s) ? take_over_forks(s) : 0;
}
