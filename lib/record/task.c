// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * task.c - names of threads, the process they are of, and whether the user
 * asked for it
 *
 * Records carry a thread id only.  Three rare events (new task, rename, exit)
 * keep a table right at the time of each record; who ran before is read from
 * /proc.  A name in each record would cost 755 instructions more per probe hit
 * ($comm, 6.12).
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/part.h"
#include "base/proc.h"
#include "base/recording.h"
#include "record/event.h"
#include "tracefs/file.h"
#include "tracefs/instance.h"
#include "tracelet/event.h"
#include "tracelet/message.h"
#include "tracelet/session.h"
#include "tracelet/task.h"
#include "tracelet/text.h"
#include "tracelet/tool.h"
#include "tracelet/tracefs.h"

#define COMM_LEN     16
#define CLONE_PARENT 0x8000
#define CLONE_THREAD 0x10000
/* an exiting thread has records after its exit event: keep the last ones */
#define KEEP_DEAD 1024

struct task {
	struct task *next;
	pid_t pid;
	pid_t process, parent; /* 0: not known */
	bool wanted, dead;
	bool recorded;      /* of a capture: its run recorded what this does */
	bool gone;          /* /proc has it no more */
	bool compat;        /* of a process: it is a 32-bit program */
	bool executed;      /* and whether it still is, is not known yet */
	unsigned int epoch; /* what is known of it is from then */
	size_t comm_len;
	char comm[COMM_LEN];
};

struct tl_tasks {
	struct task **buckets;
	struct task *last; /* that was asked for */
	size_t size, count;
	bool filter;
	bool functions; /* it is for function tracers too */
	bool watch_compat;
	bool threads; /* all are taken in at the start */
	bool blind;   /* /proc counts processes of another PID namespace */
	bool past;    /* these are as they were some time ago */
	bool all;     /* also those that have ended */
	bool marked;  /* of a capture: its run recorded some only */
	bool *had;    /* that, of each who is asked for; NULL: of all */
	unsigned int epoch; /* losses so far */
	pid_t self;
	pid_t dead[KEEP_DEAD];
	unsigned int next_dead;
	struct tl_field new_pid, new_comm, new_flags;
	struct tl_field rename_pid, rename_comm;
	struct tl_field exit_pid;
};

/* ---- the table -------------------------------------------------------- */

static struct task **slot(struct tl_tasks *t, pid_t pid)
{
	struct task **p = &t->buckets[(uint32_t)pid % t->size];

	while (*p && (*p)->pid != pid)
		p = &(*p)->next;
	return p;
}

static void grow(struct tl_tasks *t)
{
	size_t i, size = t->size * 4;
	struct task **buckets = calloc(size, sizeof(*buckets)), *task;

	if (!buckets)
		return; /* only slower */
	for (i = 0; i < t->size; i++) {
		while ((task = t->buckets[i])) {
			t->buckets[i] = task->next;
			task->next = buckets[(uint32_t)task->pid % size];
			buckets[(uint32_t)task->pid % size] = task;
		}
	}
	free(t->buckets);
	t->buckets = buckets;
	t->size = size;
}

static struct task *find_or_add(struct tl_tasks *t, pid_t pid)
{
	struct task **p = slot(t, pid);

	if (*p)
		return t->last = *p;
	if (t->count >= t->size * 2) {
		grow(t);
		p = slot(t, pid);
	}
	*p = calloc(1, sizeof(**p));
	if (*p) {
		(*p)->pid = pid;
		(*p)->epoch = t->epoch;
		t->count++;
	}
	return *p;
}

/* The thread's entry if it was asked for last: records come in runs of one. */
static inline struct task *last_of(const struct tl_tasks *t, pid_t pid)
{
	return t->last && t->last->pid == pid ? t->last : NULL;
}

/* The thread's entry, made when there is none; NULL without memory. */
static inline struct task *get(struct tl_tasks *t, pid_t pid)
{
	return last_of(t, pid) ?: find_or_add(t, pid);
}

static void forget(struct tl_session *s, pid_t pid)
{
	struct tl_tasks *t = s->tasks;
	struct task **p = slot(t, pid), *task = *p;

	if (!task || !task->dead || t->all)
		return;
	if (!t->past)
		tl_parts_task(s, pid, TL_TASK_FORGOTTEN, 0);
	*p = task->next;
	if (t->last == task)
		t->last = NULL;
	free(task);
	t->count--;
}

static void free_table(struct tl_tasks *t)
{
	struct task *task;
	size_t i;

	for (i = 0; t->buckets && i < t->size; i++) {
		while ((task = t->buckets[i])) {
			t->buckets[i] = task->next;
			free(task);
		}
	}
	free(t->buckets);
	free(t->had);
	free(t);
}

void tl_tasks_free(struct tl_session *s)
{
	if (s->tasks)
		free_table(s->tasks);
	s->tasks = NULL;
}

static void set_comm(struct task *task, struct tl_str comm)
{
	size_t len = comm.len < COMM_LEN ? comm.len : COMM_LEN - 1;

	memcpy(task->comm, comm.text, len);
	task->comm[len] = '\0';
	task->comm_len = len;
}

/* ---- what runs already ------------------------------------------------ */

/*
 * The kernel adds to a worker's name in /proc what it works at, or did last:
 * "kworker/0:1H-kblockd".  Its name, which records have, is what is before that.
 */
static size_t own_name(pid_t pid, const char *comm, size_t len)
{
	static const char worker[] = "kworker/";
	const char *p = comm + strlen(worker);

	if (strncmp(comm, worker, strlen(worker)) != 0)
		return len;
	p += strspn(p, "u0123456789");
	if (*p != ':' || !tl_proc_is_kernels(pid))
		return len;
	return (size_t)(p - comm) + strcspn(p, "+-");
}

/* A thread that has ended is not asked for again at each of its records. */
static void read_comm(struct task *task)
{
	char comm[64];
	ssize_t n;

	if (task->gone)
		return;
	n = tl_proc_comm(task->pid, comm, sizeof(comm));
	task->gone = n < 0;
	if (n > 0)
		set_comm(task,
			 (struct tl_str){ comm, own_name(task->pid, comm, n) });
}

static void read_status(struct task *task)
{
	char path[64], status[4096], *p;

	if (task->gone)
		return;
	snprintf(path, sizeof(path), "/proc/%d/status", task->pid);
	task->gone = tl_proc_read(path, status, sizeof(status)) < 0;
	p = strstr(status, "\nTgid:");
	if (p)
		task->process = atoi(p + strlen("\nTgid:"));
	p = strstr(status, "\nPPid:");
	if (p)
		task->parent = atoi(p + strlen("\nPPid:"));
}

/*
 * The first type in a program's auxiliary vector is a small number, in one
 * word; of a 32-bit program the value shares these eight bytes.  Not the ELF
 * header, whose file can be on a server that does not answer.
 */
static void read_compat(struct task *task)
{
	char path[64];
	uint64_t first;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/auxv", task->pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, &first, sizeof(first));
	if (fd >= 0)
		close(fd);
	if (n == sizeof(first))
		task->compat = first > UINT16_MAX;
}

/* Whether the kernel records wanted threads only, or we drop the others. */
static bool in_kernel(const struct tl_session *s)
{
	return !(s->tool->without & TL_FILTERS_TASKS);
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
	struct task *task = get(s->tasks, pid);
	int ret = 0;

	if (!task)
		return -ENOMEM;
	if (task->wanted)
		return 0;
	task->wanted = true;
	if (in_kernel(s))
		ret = add_pid(s->instance->dir, "set_event_pid", pid);
	if (!ret && s->tasks->functions)
		ret = add_function_pid(s, pid);
	return ret ?: 1;
}

/* Takes the threads of @process from the capture. */
static int want_kept(struct tl_session *s, pid_t process)
{
	struct tl_tasks *t = s->tasks;
	struct task *task;
	size_t i;

	for (i = 0; i < t->size; i++)
		for (task = t->buckets[i]; task; task = task->next)
			task->wanted |= task->process == process;
	return 0;
}

/* All threads of a process; new ones until no more appear. */
static int want_process(struct tl_session *s, pid_t pid)
{
	char path[64];
	struct dirent *d;
	int ret, found;
	DIR *dir;

	if (tl_recording_replays(s->recording))
		return want_kept(s, pid);
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

/* ---- whom a capture has ------------------------------------------------- */

/* Whether its run went on with what those began that it was asked for. */
static bool was_followed(const struct tl_session *s)
{
	return s->recorded.follow || s->recorded.cgroup || s->command;
}

static void mark_recorded(struct tl_session *s, const struct task *task)
{
	const struct tl_pids *pid = &s->set.pid, *tid = &s->set.tid;
	unsigned int i;

	for (i = 0; s->tasks->had && i < pid->count; i++)
		s->tasks->had[i] |= pid->list[i] == task->process;
	for (i = 0; s->tasks->had && i < tid->count; i++)
		s->tasks->had[i] |= tid->list[i] == task->pid;
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
	const struct tl_pids *pid = &s->set.pid, *tid = &s->set.tid;
	const bool *had = s->tasks->had;
	unsigned int i;

	for (i = 0; had && i < pid->count; i++)
		if (!had[i] && (all || !was_followed(s)))
			return was_not_recorded(s, "process", pid->list[i]);
	all |= s->recorded.tid.count && !was_followed(s);
	for (i = 0; had && i < tid->count; i++)
		if (!had[i] && all)
			return was_not_recorded(s, "thread", tid->list[i]);
	return 0;
}

/*
 * Refuses threads that were not recorded: they would seem to have done
 * nothing.
 */
static int check_recorded(struct tl_session *s)
{
	struct tl_tasks *t = s->tasks;
	struct task *task;
	size_t i;

	if (!tl_recording_replays(s->recording) || !t->marked || t->had ||
	    marks_count(s))
		return 0;
	t->had = calloc(s->set.pid.count + s->set.tid.count + 1,
			sizeof(*t->had));
	if (!t->had)
		return -ENOMEM;
	for (i = 0; i < t->size; i++)
		for (task = t->buckets[i]; task; task = task->next)
			if (task->recorded)
				mark_recorded(s, task);
	return find_unrecorded(s, false);
}

int tl_tasks_end(const struct tl_session *s)
{
	return find_unrecorded(s, true);
}

static int want_cgroup(struct tl_session *s, const char *path)
{
	char file[4096];
	FILE *f;
	int pid, found = 0, ret = 0;

	if (tl_recording_replays(s->recording))
		return marks_count(s) ? 0
				      : tl_fail(EINVAL,
						"--cgroup: who is in %s is "
						"known only of a capture that "
						"was written with this",
						path);
	snprintf(file, sizeof(file), "%s%s/cgroup.procs",
		 *path == '/' ? "" : "/sys/fs/cgroup/", path);
	f = fopen(file, "re");
	if (!f)
		return tl_fail(errno, "--cgroup: %s: %s", file,
			       strerror(errno));
	while (!ret && fscanf(f, "%d", &pid) == 1) {
		ret = want_process(s, pid);
		found++;
	}
	fclose(f);
	if (!ret && !found)
		return tl_fail(ESRCH, "--cgroup: %s: no process in it", path);
	return ret;
}

/* Takes in threads that the kernel added (event-fork) and no record told of. */
static void take_in_added(struct tl_session *s)
{
	char *text = tl_fs_read(s->instance->dir, "set_event_pid", NULL), *p,
	     *end;
	struct task *task;
	pid_t pid;

	for (p = text; p && (pid = strtol(p, &end, 10)) > 0; p = end) {
		task = get(s->tasks, pid);
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

	if (tl_recording_replays(s->recording))
		return;
	if (in_kernel(s))
		take_in_added(s);
	else if (s->set.cgroup)
		want_cgroup(s, s->set.cgroup);
	else
		for (i = 0; i < s->set.pid.count; i++)
			want_process(s, s->set.pid.list[i]);
}

void tl_tasks_lost(struct tl_session *s)
{
	s->tasks->epoch++;
	if (s->tasks->filter)
		take_in_started(s);
}

/* Names and processes may have changed in a gap of lost records. */
static void refresh(struct tl_tasks *t, struct task *task)
{
	if (task->epoch == t->epoch || t->blind)
		return;
	task->epoch = t->epoch;
	task->gone = false;
	read_comm(task);
	read_status(task);
	task->executed = false;
	if (t->watch_compat)
		read_compat(task);
}

static void scan_threads(struct tl_tasks *t, pid_t process)
{
	struct dirent *d;
	struct task *task;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", process);
	dir = opendir(path);
	while (dir && (d = readdir(dir))) {
		task = atoi(d->d_name) > 0 ? get(t, atoi(d->d_name)) : NULL;
		if (!task || task->comm[0])
			continue;
		task->process = process;
		read_comm(task);
	}
	if (dir)
		closedir(dir);
}

void tl_tasks_scan(struct tl_session *s)
{
	DIR *dir = s->tasks->blind ? NULL : opendir("/proc");
	struct dirent *d;
	struct task *task;
	pid_t pid;

	while (dir && (d = readdir(dir))) {
		pid = atoi(d->d_name);
		task = pid > 0 ? get(s->tasks, pid) : NULL;
		if (!task || task->comm[0])
			continue;
		task->process = pid;
		read_comm(task);
		if (s->tasks->watch_compat)
			read_compat(task);
		if (s->tasks->threads)
			scan_threads(s->tasks, pid);
	}
	if (dir)
		closedir(dir);
	if (s->tasks->filter)
		take_in_started(s);
}

/* ---- what begins, changes and ends ------------------------------------- */

/*
 * Parts keep things by this id: it is another thread, or has another name,
 * now.
 */
static void tell(struct tl_session *s, pid_t pid, enum tl_task_change change,
		 uint64_t ns)
{
	if (s->tasks->past)
		return;
	tl_parts_task(s, pid, change, ns);
	if (s->tool->task)
		s->tool->task(s, pid);
}

/* In a capture what was asked for may begin only now. */
static bool begins_asked(const struct tl_session *s, const struct task *task)
{
	return tl_recording_replays(s->recording) &&
	       (tl_pids_has(&s->set.pid, task->process) ||
		tl_pids_has(&s->set.tid, task->pid));
}

static void on_new(struct tl_session *s, const struct tl_record *r)
{
	struct tl_tasks *t = s->tasks;
	struct task *task, *parent;
	pid_t pid = tl_field_num(r, &t->new_pid);
	uint64_t flags = tl_field_num(r, &t->new_flags);
	bool thread = flags & CLONE_THREAD;

	task = get(t, pid);
	parent = get(t, r->pid);
	if (!task || !parent)
		return;
	task->dead = task->gone = false;
	task->epoch = t->epoch;
	/* not the parent's, if what it became was read before */
	if (!t->all || !task->comm[0])
		set_comm(task, tl_field_str(r, &t->new_comm));
	task->process = thread ? tl_task_process(s, r->pid) : pid;
	task->parent = flags & (CLONE_THREAD | CLONE_PARENT)
			       ? tl_task_parent(s, r->pid)
			       : tl_task_process(s, r->pid);
	task->wanted = parent->wanted && (s->set.follow || s->set.cgroup ||
					  (thread && !s->set.tid.count));
	task->wanted |= begins_asked(s, task);
	task->recorded =
		parent->recorded &&
		(was_followed(s) || (thread && !s->recorded.tid.count));
	if (task->recorded)
		mark_recorded(s, task);
	task->compat = tl_task_compat(s, r->pid);
	task->executed = false;
	tell(s, pid, TL_TASK_NEW, r->ns);
}

static void on_rename(struct tl_session *s, const struct tl_record *r)
{
	struct tl_tasks *t = s->tasks;
	struct task *task = get(t, tl_field_num(r, &t->rename_pid));

	if (!task)
		return;
	/* exec in a thread takes the id of the leader, who has just ended */
	if (task->dead && !t->past)
		tl_parts_task(s, task->pid, TL_TASK_FORGOTTEN, r->ns);
	task->dead = task->gone = false;
	task->epoch = t->epoch;
	set_comm(task, tl_field_str(r, &t->rename_comm));
	tell(s, task->pid, TL_TASK_RENAMED, r->ns);
}

static void on_exit_(struct tl_session *s, const struct tl_record *r)
{
	struct tl_tasks *t = s->tasks;
	pid_t pid = tl_field_num(r, &t->exit_pid);
	struct task *task = get(t, pid);

	if (!task)
		return;
	task->dead = true;
	forget(s, t->dead[t->next_dead]);
	t->dead[t->next_dead] = pid;
	t->next_dead = (t->next_dead + 1) % KEEP_DEAD;
	tell(s, pid, TL_TASK_ENDED, r->ns);
}

static int watch(struct tl_session *s)
{
	struct tl_tasks *t = s->tasks;
	struct tl_event *new, *rename, *exit;

	new = tl_event_watch(s, "task", "task_newtask", on_new);
	rename = tl_event_watch(s, "task", "task_rename", on_rename);
	exit = tl_event_watch(s, "sched", "sched_process_exit", on_exit_);
	if (!new || !rename || !exit)
		return tl_fail(
			ENOTSUP,
			"this kernel has no tracepoints task:task_newtask, "
			"task:task_rename and sched:sched_process_exit");
	return tl_event_field(s, new, "pid", &t->new_pid) ?:
	       tl_event_field(s, new, "comm", &t->new_comm) ?:
	       tl_event_field(s, new, "clone_flags", &t->new_flags) ?:
	       tl_event_field(s, rename, "pid", &t->rename_pid) ?:
	       tl_event_field(s, rename, "newcomm", &t->rename_comm) ?:
	       tl_event_field(s, exit, "pid", &t->exit_pid);
}

/* ---- -p, -L, --follow, --cgroup ---------------------------------------- */

static int want_one(struct tl_session *s, const char *what, pid_t pid,
		    int (*add)(struct tl_session *s, pid_t pid))
{
	char path[64];
	int ret;

	snprintf(path, sizeof(path), "/proc/%d", pid);
	/* in a capture it may begin later */
	if (!tl_recording_replays(s->recording) && access(path, F_OK))
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
		return want_cgroup(s, set->cgroup);
	for (i = 0; i < set->pid.count && !ret; i++)
		ret = want_one(s, "process", set->pid.list[i], want_process);
	for (i = 0; i < set->tid.count && !ret; i++)
		ret = want_one(s, "thread", set->tid.list[i], want);
	return ret;
}

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
	struct task *task;
	int ret = 0;
	size_t i;

	t->functions = t->filter;
	if (!t->filter)
		return 0;
	ret = check_recorded(s);
	if (fork && !ret)
		ret = tl_fs_write(tl_instance_tracer_dir(s),
				  "options/function-fork", "1", O_TRUNC);
	for (i = 0; i < t->size; i++)
		for (task = t->buckets[i]; task && !ret; task = task->next)
			if (task->wanted)
				ret = add_function_pid(s, task->pid);
	if (!ret)
		ret = want_asked(s);
	return ret ?: fork && in_kernel(s) ? take_over_forks(s) : 0;
}

static int set_filter(struct tl_session *s)
{
	const struct tl_settings *set = &s->set;
	int ret = 0;

	if (!set->pid.count && !set->tid.count && !set->cgroup)
		return 0;
	if (s->tasks->blind && !tl_recording_replays(s->recording))
		return tl_fail(EINVAL,
			       "asking for a process, thread or cgroup needs "
			       "the host's PID namespace (docker run "
			       "--pid=host)");
	s->tasks->filter = true;
	if (in_kernel(s))
		ret = check_recorded(s);
	/*
	 * what a recorded thread starts is recorded too; sorted out in on_new()
	 */
	if (!ret && in_kernel(s) && (!set->tid.count || set->follow))
		ret = tl_write_file(s, "options/event-fork", "1");
	return ret ?: want_asked(s);
}

/* Records count processes as the host does. */
static void look_at_namespace(struct tl_tasks *t)
{
	const ino_t host = 0xeffffffc; /* PROC_PID_INIT_INO */
	struct stat st;

	if (stat("/proc/self/ns/pid", &st) || st.st_ino == host)
		return;
	t->blind = true;
	t->self = -1;
	tl_warn("in a PID namespace: process ids are the host's, and what ran "
		"before has no name");
}

/* ---- in a capture ------------------------------------------------------ */

/* A thread that is known when recording begins. */
struct kept {
	int32_t pid, process, parent;
	uint8_t wanted, compat;
	char comm[COMM_LEN];
};

static void keep_task(struct tl_tasks *t, struct task *task,
		      struct tl_buf *tasks, struct tl_buf *names)
{
	struct kept kept;

	refresh(t, task);
	/* what the return of exec tells is not looked at by who only records */
	if (task->executed && t->watch_compat)
		read_compat(task);
	if (!task->process || !task->parent)
		read_status(task);
	kept = (struct kept){
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

void tl_tasks_keep(struct tl_session *s)
{
	struct tl_buf tasks = { 0 }, names = { 0 };
	struct tl_tasks *t = s->tasks;
	struct task *task;
	size_t i;

	for (i = 0; i < t->size; i++)
		for (task = t->buckets[i]; task; task = task->next)
			keep_task(t, task, &tasks, &names);
	tl_recording_notef(s->recording, "self", "%d", t->self);
	tl_recording_note(s->recording, "tasks", tasks.data, tasks.len, 0);
	tl_recording_note(s->recording, "names", names.data, names.len, 0);
	tl_buf_free(&tasks);
	tl_buf_free(&names);
}

/* ---- as they were some time ago ---------------------------------------- */

struct tl_tasks *tl_tasks_snapshot(const struct tl_session *s, bool all)
{
	const struct tl_tasks *t = s->tasks;
	struct tl_tasks *copy = malloc(sizeof(*copy));
	struct task *task, *other, *next;
	size_t i;

	if (!copy)
		return NULL;
	*copy = *t;
	copy->past = true;
	copy->had = NULL;
	copy->all = all;
	copy->last = NULL;
	copy->count = 0;
	copy->buckets = calloc(t->size, sizeof(*t->buckets));
	for (i = 0; copy->buckets && i < t->size; i++) {
		for (task = t->buckets[i]; task; task = task->next) {
			other = get(copy, task->pid);
			if (!other)
				return copy; /* without some names */
			next = other->next;
			*other = *task;
			other->next = next;
		}
	}
	if (copy->buckets)
		return copy;
	free(copy);
	return NULL;
}

bool tl_tasks_is_snapshot(const struct tl_session *s)
{
	return s->tasks->past;
}

static void take_kept(struct tl_session *s)
{
	size_t len;
	const char *self = tl_recording_text(s->recording, "self", NULL);
	const char *at = tl_recording_text(s->recording, "tasks", &len);
	struct tl_tasks *t = s->tasks;
	struct kept kept;
	struct task *task;

	t->blind = true; /* those of this machine are others */
	t->self = self ? atoi(self) : -1;
	for (; len >= sizeof(kept); at += sizeof(kept), len -= sizeof(kept)) {
		memcpy(&kept, at, sizeof(kept));
		task = get(t, kept.pid);
		if (!task)
			return;
		task->process = kept.process;
		task->parent = kept.parent;
		task->wanted = kept.wanted && marks_count(s);
		task->recorded = kept.wanted;
		t->marked |= kept.wanted;
		task->compat = kept.compat;
		set_comm(task,
			 (struct tl_str){ kept.comm,
					  strnlen(kept.comm, COMM_LEN - 1) });
	}
}

int tl_tasks_open(struct tl_session *s)
{
	struct tl_tasks *t = calloc(1, sizeof(*t));

	s->tasks = t;
	if (!t)
		return -ENOMEM;
	t->size = 256;
	/* later they may have ended */
	t->threads = s->set.name.text || s->tool->task || s->set.write;
	t->self = getpid();
	t->buckets = calloc(t->size, sizeof(*t->buckets));
	if (!t->buckets)
		return -ENOMEM;
	if (tl_recording_replays(s->recording))
		take_kept(s);
	else
		look_at_namespace(t);
	return watch(s) ?: set_filter(s);
}

/* Apart, so that the usual case is short. */
__attribute__((noinline)) static bool is_asked(struct tl_session *s, pid_t pid)
{
	struct tl_tasks *t = s->tasks;
	struct task *task = t->filter ? *slot(t, pid) : NULL;
	struct tl_str comm;

	if (t->filter && (!task || !task->wanted))
		return false;
	if (!s->set.name.text || s->tool->without & TL_FILTERS_NAMES)
		return true;
	comm = tl_task_comm(s, pid);
	return tl_regex_match(&s->set.name, comm.text, comm.len);
}

bool tl_tasks_filtered(const struct tl_session *s)
{
	return s->tasks->filter || s->set.name.text;
}

pid_t tl_tasks_self(const struct tl_session *s)
{
	return s->tasks->self;
}

/* A tool does not trace itself. */
bool tl_task_matches(struct tl_session *s, pid_t pid)
{
	return pid != s->tasks->self &&
	       (!tl_tasks_filtered(s) || is_asked(s, pid));
}

/* Apart, so that what is known of the last thread saves no registers for it. */
__attribute__((noinline)) static struct tl_str find_comm(struct tl_tasks *t,
							 pid_t pid)
{
	struct task *task;

	if (!pid)
		return (struct tl_str){ "<idle>", 6 };
	task = get(t, pid);
	if (task)
		refresh(t, task);
	if (task && !task->comm_len && !t->blind)
		read_comm(task);
	if (!task || !task->comm_len)
		return (struct tl_str){ "<...>", 5 };
	return (struct tl_str){ task->comm, task->comm_len };
}

struct tl_str tl_task_comm(struct tl_session *s, pid_t pid)
{
	struct tl_tasks *t = s->tasks;
	const struct task *last = last_of(t, pid);

	if (last && last->epoch == t->epoch && last->comm_len)
		return (struct tl_str){ last->comm, last->comm_len };
	return find_comm(t, pid);
}

__attribute__((noinline)) static pid_t find_process(struct tl_tasks *t,
						    pid_t pid)
{
	/* the idle ones are of none */
	struct task *task = pid ? get(t, pid) : NULL;

	if (task && !task->process && !t->blind)
		read_status(task);
	return task ? task->process : 0;
}

pid_t tl_task_process(struct tl_session *s, pid_t pid)
{
	const struct task *last = last_of(s->tasks, pid);

	return last && last->process ? last->process
				     : find_process(s->tasks, pid);
}

pid_t tl_task_parent(struct tl_session *s, pid_t pid)
{
	struct task *task = get(s->tasks, pid);

	if (task && !task->parent && !s->tasks->blind)
		read_status(task);
	return task ? task->parent : 0;
}

bool tl_task_is_dead(struct tl_session *s, pid_t pid)
{
	struct task *task = get(s->tasks, pid);

	return task && task->dead;
}

void tl_tasks_watch_compat(struct tl_session *s)
{
	s->tasks->watch_compat = true;
}

void tl_task_executes(struct tl_session *s, pid_t pid)
{
	struct task *task = get(s->tasks, pid);

	if (task)
		task->executed = true;
}

bool tl_task_has_executed(struct tl_session *s, pid_t pid)
{
	struct task *task = get(s->tasks, pid);
	bool executed = task && task->executed;

	if (executed)
		task->executed = false;
	return executed;
}

void tl_task_set_compat(struct tl_session *s, pid_t pid, bool compat)
{
	struct task *task = get(s->tasks, pid);

	if (task)
		task->compat = compat;
}

void tl_task_read_compat(struct tl_session *s, pid_t pid)
{
	struct task *task = get(s->tasks, pid);

	if (task && !s->tasks->blind)
		read_compat(task);
}

bool tl_task_compat(struct tl_session *s, pid_t pid)
{
	struct task *task = get(s->tasks, tl_task_process(s, pid));

	if (task)
		refresh(s->tasks, task);
	return task && task->compat;
}

int tl_task_leave_out_self(struct tl_session *s, const char *file)
{
	pid_t self = tl_tasks_self(s);
	char text[16];
	int ret;

	if (self <= 0)
		return 0;
	snprintf(text, sizeof(text), "%d", self);
	ret = tl_fs_write(s->instance->dir, file, text, O_APPEND);
	if (ret == -ENOENT)
		return 0;
	return ret ? tl_fs_error(s->instance->dir, -ret, file, text) : 1;
}

int tl_events_leave_out_self(struct tl_session *s)
{
	/* not there before 5.7 */
	int ret = tl_task_leave_out_self(s, "set_event_notrace_pid");

	s->events->self_left_out = ret > 0;
	return ret < 0 ? ret : 0;
}
