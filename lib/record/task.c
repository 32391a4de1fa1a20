// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * task.c - names of threads, and the process they are of
 *
 * Records carry a thread id only.  Three rare events (new task, rename, exit)
 * keep a table right at the time of each record; who ran before is read from
 * /proc.  A name in each record would cost 755 instructions more per probe hit
 * ($comm, 6.12).
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
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
#include "record/tasktable.h"
#include "tracefs/file.h"
#include "tracefs/instance.h"
#include "tracelet/event.h"
#include "tracelet/message.h"
#include "tracelet/session.h"
#include "tracelet/task.h"
#include "tracelet/text.h"
#include "tracelet/tool.h"
#include "tracelet/tracefs.h"

#define CLONE_PARENT 0x8000
#define CLONE_THREAD 0x10000

/* ---- the table -------------------------------------------------------- */

static struct tl_task **slot(struct tl_tasks *t, pid_t pid)
{
	struct tl_task **p = &t->buckets[(uint32_t)pid % t->size];

	while (*p && (*p)->pid != pid)
		p = &(*p)->next;
	return p;
}

static void grow(struct tl_tasks *t)
{
	size_t i, size = t->size * 4;
	struct tl_task **buckets = calloc(size, sizeof(*buckets)), *task;

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

static struct tl_task *find_or_add(struct tl_tasks *t, pid_t pid)
{
	struct tl_task **p = slot(t, pid);

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
static inline struct tl_task *last_of(const struct tl_tasks *t, pid_t pid)
{
	return t->last && t->last->pid == pid ? t->last : NULL;
}

/* The thread's entry, made when there is none; NULL without memory. */
static inline struct tl_task *get(struct tl_tasks *t, pid_t pid)
{
	return last_of(t, pid) ?: find_or_add(t, pid);
}

struct tl_task *tl_task_get(struct tl_tasks *t, pid_t pid)
{
	return get(t, pid);
}

struct tl_task *tl_task_next(const struct tl_tasks *t,
			     const struct tl_task *task)
{
	struct tl_task *next = task ? task->next : NULL;
	size_t i = task ? (uint32_t)task->pid % t->size + 1 : 0;

	while (!next && i < t->size)
		next = t->buckets[i++];
	return next;
}

static void forget(struct tl_session *s, pid_t pid)
{
	struct tl_tasks *t = s->tasks;
	struct tl_task **p = slot(t, pid), *task = *p;

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
	struct tl_task *task;
	size_t i;

	for (i = 0; t->buckets && i < t->size; i++) {
		while ((task = t->buckets[i])) {
			t->buckets[i] = task->next;
			free(task);
		}
	}
	free(t->buckets);
	free(t);
}

void tl_tasks_free(struct tl_session *s)
{
	if (s->tasks)
		free_table(s->tasks);
	s->tasks = NULL;
}

void tl_task_set_comm(struct tl_task *task, struct tl_str comm)
{
	size_t len = comm.len < TL_COMM_LEN ? comm.len : TL_COMM_LEN - 1;

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

/* @n: what reading it returned */
static void take_comm(const struct tl_tasks *t, struct tl_task *task,
		      const char *comm, ssize_t n)
{
	task->gone = n < 0;
	task->late = t->scanned;
	if (n > 0)
		tl_task_set_comm(
			task,
			(struct tl_str){ comm, own_name(task->pid, comm, n) });
}

/* A thread that has ended is not asked for again at each of its records. */
static void read_comm(const struct tl_tasks *t, struct tl_task *task)
{
	char comm[64];

	if (!task->gone)
		take_comm(t, task, comm,
			  tl_proc_comm(task->pid, comm, sizeof(comm)));
}

static void read_status(struct tl_task *task)
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
static void read_compat(struct tl_task *task)
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

static void look_again(struct tl_session *s)
{
	if (s->tasks->filter && s->tasks->ops->look_again)
		s->tasks->ops->look_again(s);
}

void tl_tasks_lost(struct tl_session *s)
{
	s->tasks->epoch++;
	look_again(s);
}

/* Names and processes may have changed in a gap of lost records. */
static void refresh(struct tl_tasks *t, struct tl_task *task)
{
	if (task->epoch == t->epoch || t->blind)
		return;
	task->epoch = t->epoch;
	task->gone = false;
	read_comm(t, task);
	read_status(task);
	task->executed = false;
	task->cgroup = 0;
	if (t->watch_compat)
		read_compat(task);
}

void tl_task_complete(struct tl_tasks *t, struct tl_task *task)
{
	refresh(t, task);
	/* what the return of exec tells is not looked at by who only records */
	if (task->executed && t->watch_compat)
		read_compat(task);
	if (!task->process || !task->parent)
		read_status(task);
}

/*
 * Through the directory, whose entries the kernel has made by then; those of
 * /proc/TID are others.
 */
static void scan_threads(struct tl_tasks *t, pid_t process)
{
	struct dirent *d;
	struct tl_task *task;
	char path[64], comm[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", process);
	dir = opendir(path);
	while (dir && (d = readdir(dir))) {
		task = atoi(d->d_name) > 0 ? get(t, atoi(d->d_name)) : NULL;
		if (!task || task->comm[0])
			continue;
		task->process = process;
		snprintf(path, sizeof(path), "%d/comm", task->pid);
		take_comm(
			t, task, comm,
			tl_proc_read_at(dirfd(dir), path, comm, sizeof(comm)));
	}
	if (dir)
		closedir(dir);
}

void tl_tasks_scan(struct tl_session *s)
{
	const bool known = s->tasks->blind || s->tasks->ignored;
	DIR *dir = known ? NULL : opendir("/proc");
	struct dirent *d;
	struct tl_task *task;
	pid_t pid;

	while (dir && (d = readdir(dir))) {
		pid = atoi(d->d_name);
		task = pid > 0 ? get(s->tasks, pid) : NULL;
		if (!task || task->comm[0])
			continue;
		task->process = pid;
		read_comm(s->tasks, task);
		if (s->tasks->watch_compat)
			read_compat(task);
		/* of a thread that has ended nothing tells that it was 32-bit */
		if (s->tasks->threads || task->compat)
			scan_threads(s->tasks, pid);
	}
	if (dir)
		closedir(dir);
	s->tasks->scanned = true;
	look_again(s);
}

/* ---- what begins, changes and ends ------------------------------------ */

/*
 * Parts keep things by this id: it is another thread, or has another name,
 * now.
 */
static void tell(struct tl_session *s, pid_t pid, enum tl_task_change change,
		 uint64_t ns)
{
	if (!s->tasks->past)
		tl_parts_task(s, pid, change, ns);
}

static void on_new(struct tl_session *s, const struct tl_record *r)
{
	struct tl_tasks *t = s->tasks;
	struct tl_task *task, *parent;
	pid_t pid = tl_field_num(r, &t->new_pid);
	uint64_t flags = tl_field_num(r, &t->new_flags);
	bool thread = flags & CLONE_THREAD;

	task = get(t, pid);
	parent = get(t, r->pid);
	if (!task || !parent)
		return;
	task->dead = task->gone = task->late = false;
	task->epoch = t->epoch;
	/* not the parent's, if what it became was read before */
	if (!t->all || !task->comm[0])
		tl_task_set_comm(task, tl_field_str(r, &t->new_comm));
	task->process = thread ? tl_task_process(s, r->pid) : pid;
	task->parent = flags & (CLONE_THREAD | CLONE_PARENT)
			       ? tl_task_parent(s, r->pid)
			       : tl_task_process(s, r->pid);
	task->wanted = parent->wanted && (s->set.follow || s->set.cgroup ||
					  (thread && !s->set.tid.count));
	if (t->ops->begins)
		t->ops->begins(s, task, parent);
	task->compat = tl_task_compat(s, r->pid);
	task->executed = false;
	task->cgroup = parent->cgroup;
	tell(s, pid, TL_TASK_NEW, r->ns);
}

/* Its records so far were made under this name; true if that is news. */
static bool know_name(struct tl_task *task, struct tl_str comm)
{
	if (task->comm_len && !task->late)
		return false;
	tl_task_set_comm(task, comm);
	task->late = false;
	return true;
}

void tl_task_learn(struct tl_session *s, pid_t pid, struct tl_str comm,
		   uint64_t ns)
{
	struct tl_task *task =
		pid && !s->tasks->ignored ? get(s->tasks, pid) : NULL;

	if (task && know_name(task, comm))
		tell(s, pid, TL_TASK_RENAMED, ns);
}

static void on_rename(struct tl_session *s, const struct tl_record *r)
{
	struct tl_tasks *t = s->tasks;
	struct tl_task *task = get(t, tl_field_num(r, &t->rename_pid));

	if (!task)
		return;
	/* exec in a thread takes the id of the leader, who has just ended */
	if (task->dead && !t->past)
		tl_parts_task(s, task->pid, TL_TASK_REPLACED, r->ns);
	task->dead = task->gone = false;
	task->cgroup = 0; /* who starts a service moves it, and executes it */
	task->epoch = t->epoch;
	know_name(task, tl_field_str(r, &t->rename_old));
	tell(s, task->pid, TL_TASK_RENAMED, r->ns);
	tl_task_set_comm(task, tl_field_str(r, &t->rename_comm));
	tell(s, task->pid, TL_TASK_RENAMED, r->ns);
}

static void end(struct tl_session *s, struct tl_task *task, uint64_t ns)
{
	struct tl_tasks *t = s->tasks;
	const pid_t pid = task->pid;

	task->dead = true;
	forget(s, t->dead[t->next_dead]);
	t->dead[t->next_dead] = pid;
	t->next_dead = (t->next_dead + 1) % TL_KEEP_DEAD;
	tell(s, pid, TL_TASK_ENDED, ns);
}

static void on_exit_(struct tl_session *s, const struct tl_record *r)
{
	struct tl_tasks *t = s->tasks;
	struct tl_task *task = get(t, tl_field_num(r, &t->exit_pid));

	if (!task)
		return;
	know_name(task, tl_field_str(r, &t->exit_comm));
	end(s, task, r->ns);
}

/* A process that nobody has waited for is still there, until the next look. */
static bool has_ended(const struct tl_task *task)
{
	return task->pid > 0 && !task->dead && kill(task->pid, 0) &&
	       errno == ESRCH;
}

void tl_tasks_end_unseen(struct tl_session *s, uint64_t ns)
{
	struct tl_tasks *t = s->tasks;
	pid_t *ended = t->blind ? NULL : calloc(t->count + 1, sizeof(*ended));
	struct tl_task *task = NULL;
	size_t count = 0, i;

	/* an end can have another one forgotten */
	while (ended && (task = tl_task_next(t, task)))
		if (has_ended(task))
			ended[count++] = task->pid;
	for (i = 0; i < count; i++)
		if ((task = *slot(t, ended[i])))
			end(s, task, ns);
	free(ended);
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
	       tl_event_field(s, rename, "oldcomm", &t->rename_old) ?:
	       tl_event_field(s, rename, "newcomm", &t->rename_comm) ?:
	       tl_event_field(s, exit, "pid", &t->exit_pid) ?:
	       tl_event_field(s, exit, "comm", &t->exit_comm);
}

/* ---- as they were some time ago --------------------------------------- */

struct tl_tasks *tl_tasks_snapshot(const struct tl_session *s, bool all)
{
	const struct tl_tasks *t = s->tasks;
	struct tl_tasks *copy = malloc(sizeof(*copy));
	struct tl_task *task = NULL, *other, *next;

	if (!copy)
		return NULL;
	*copy = *t;
	copy->past = true;
	copy->all = all;
	copy->last = NULL;
	copy->count = 0;
	copy->buckets = calloc(t->size, sizeof(*t->buckets));
	while (copy->buckets && (task = tl_task_next(t, task))) {
		other = get(copy, task->pid);
		if (!other)
			return copy; /* without some names */
		next = other->next;
		*other = *task;
		other->next = next;
	}
	if (copy->buckets)
		return copy;
	free(copy);
	return NULL;
}

void tl_tasks_watch_threads(struct tl_session *s)
{
	s->tasks->threads = true;
}

/* A capture may be shown in other ways. */
void tl_tasks_ignore(struct tl_session *s)
{
	struct tl_event *ev;

	if (tl_tasks_filtered(s) || s->set.write)
		return;
	s->tasks->ignored = true;
	for (ev = s->events->first; ev; ev = ev->next)
		if (!ev->handler &&
		    (ev->watcher == on_new || ev->watcher == on_rename ||
		     ev->watcher == on_exit_))
			ev->on_demand = true;
}

bool tl_tasks_is_snapshot(const struct tl_session *s)
{
	return s->tasks->past;
}

int tl_tasks_open(struct tl_session *s)
{
	struct tl_tasks *t = calloc(1, sizeof(*t));

	s->tasks = t;
	if (!t)
		return -ENOMEM;
	t->size = 256;
	/* later they may have ended */
	t->threads = s->set.name.text || s->set.write;
	t->self = getpid();
	t->buckets = calloc(t->size, sizeof(*t->buckets));
	if (!t->buckets)
		return -ENOMEM;
	t->ops = s->threads ?: &tl_tasks_here;
	return t->ops->open(s) ?: watch(s) ?: tl_tasks_ask(s);
}

/* Apart, so that the usual case is short. */
__attribute__((noinline)) static bool is_asked(struct tl_session *s, pid_t pid)
{
	struct tl_tasks *t = s->tasks;
	struct tl_task *task = t->filter ? *slot(t, pid) : NULL;
	struct tl_str comm;

	if (t->filter && (!task || !task->wanted))
		return false;
	if (!s->set.name.text || s->tool->flags & TL_FILTERS_NAMES)
		return true;
	comm = tl_task_comm(s, pid);
	return tl_regex_match(&s->set.name, comm.text, comm.len);
}

bool tl_task_has_records(struct tl_session *s, pid_t pid)
{
	const bool kept = tl_recording_replays(s->recording);
	const struct tl_task *task;

	if (!tl_tasks_in_kernel(s) ||
	    !(kept ? s->tasks->some : s->tasks->filter))
		return true;
	task = *slot(s->tasks, pid);
	return task && (kept ? task->recorded : task->wanted);
}

bool tl_tasks_filtered(const struct tl_session *s)
{
	return s->tasks->filter || s->set.name.text;
}

pid_t tl_tasks_self(const struct tl_session *s)
{
	return s->tasks->self;
}

bool tl_tasks_foreign(const struct tl_session *s)
{
	return s->tasks->blind;
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
	struct tl_task *task;

	if (!pid)
		return (struct tl_str){ "<idle>", 6 };
	task = get(t, pid);
	if (task)
		refresh(t, task);
	if (task && !task->comm_len && !t->blind)
		read_comm(t, task);
	if (!task || !task->comm_len)
		return (struct tl_str){ "<...>", 5 };
	return (struct tl_str){ task->comm, task->comm_len };
}

struct tl_str tl_task_comm(struct tl_session *s, pid_t pid)
{
	struct tl_tasks *t = s->tasks;
	const struct tl_task *last = last_of(t, pid);

	if (last && last->epoch == t->epoch && last->comm_len)
		return (struct tl_str){ last->comm, last->comm_len };
	return find_comm(t, pid);
}

__attribute__((noinline)) static pid_t find_process(struct tl_tasks *t,
						    pid_t pid)
{
	/* the idle ones are of none */
	struct tl_task *task = pid ? get(t, pid) : NULL;

	if (task && !task->process && !t->blind)
		read_status(task);
	return task ? task->process : 0;
}

pid_t tl_task_process(struct tl_session *s, pid_t pid)
{
	const struct tl_task *last = last_of(s->tasks, pid);

	return last && last->process ? last->process
				     : find_process(s->tasks, pid);
}

pid_t tl_task_parent(struct tl_session *s, pid_t pid)
{
	struct tl_task *task = get(s->tasks, pid);

	if (task && !task->parent && !s->tasks->blind)
		read_status(task);
	return task ? task->parent : 0;
}

bool tl_task_is_late(struct tl_session *s, pid_t pid)
{
	struct tl_task *task = get(s->tasks, pid);

	if (task)
		find_comm(s->tasks, pid);
	return task && (task->late || !task->comm_len);
}

bool tl_task_is_dead(struct tl_session *s, pid_t pid)
{
	struct tl_task *task = get(s->tasks, pid);

	return task && task->dead;
}

void tl_tasks_watch_compat(struct tl_session *s)
{
	s->tasks->watch_compat = true;
}

void tl_task_executes(struct tl_session *s, pid_t pid)
{
	struct tl_task *task = get(s->tasks, pid);

	if (task)
		task->executed = true;
}

bool tl_task_has_executed(struct tl_session *s, pid_t pid)
{
	struct tl_task *task = get(s->tasks, pid);
	bool executed = task && task->executed;

	if (executed)
		task->executed = false;
	return executed;
}

void tl_task_set_compat(struct tl_session *s, pid_t pid, bool compat)
{
	struct tl_task *task = get(s->tasks, pid);

	if (task)
		task->compat = compat;
}

void tl_task_read_compat(struct tl_session *s, pid_t pid)
{
	struct tl_task *task = get(s->tasks, pid);

	if (task && !s->tasks->blind)
		read_compat(task);
}

bool tl_task_compat(struct tl_session *s, pid_t pid)
{
	struct tl_task *task = get(s->tasks, tl_task_process(s, pid));

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
