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

#include "event.h"
#include "fs.h"

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
	unsigned int epoch; /* what is known of it is from then */
	char comm[COMM_LEN];
};

struct tl_tasks {
	struct task **buckets;
	struct task *last; /* that was asked for */
	size_t size, count;
	bool filter;
	bool blind; /* /proc counts processes of another PID namespace */
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

/* The thread's entry, made when there is none; NULL without memory. */
static inline struct task *get(struct tl_tasks *t, pid_t pid)
{
	/* records come in runs of one thread */
	if (t->last && t->last->pid == pid)
		return t->last;
	return find_or_add(t, pid);
}

static void forget(struct tl_tasks *t, pid_t pid)
{
	struct task **p = slot(t, pid), *task = *p;

	if (!task || !task->dead)
		return;
	*p = task->next;
	if (t->last == task)
		t->last = NULL;
	free(task);
	t->count--;
}

void tl_tasks_free(struct tl_session *s)
{
	struct tl_tasks *t = s->tasks;
	struct task *task;
	size_t i;

	if (!t)
		return;
	for (i = 0; i < t->size; i++) {
		while ((task = t->buckets[i])) {
			t->buckets[i] = task->next;
			free(task);
		}
	}
	free(t->buckets);
	free(t);
	s->tasks = NULL;
}

static void set_comm(struct task *task, struct tl_str comm)
{
	size_t len = comm.len < COMM_LEN ? comm.len : COMM_LEN - 1;

	memcpy(task->comm, comm.text, len);
	task->comm[len] = '\0';
}

/* ---- what runs already ------------------------------------------------ */

/* A small file of /proc, without the newline at its end; its length or -1. */
static ssize_t read_proc(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, buf, size - 1);

	if (fd >= 0)
		close(fd);
	if (n > 0 && buf[n - 1] == '\n')
		n--;
	buf[n > 0 ? n : 0] = '\0';
	return n;
}

static void read_comm(struct task *task)
{
	char path[64], comm[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/comm", task->pid);
	n = read_proc(path, comm, sizeof(comm));
	if (n > 0)
		set_comm(task, (struct tl_str){ comm, n });
}

static void read_status(struct task *task)
{
	char path[64], status[4096], *p;

	snprintf(path, sizeof(path), "/proc/%d/status", task->pid);
	if (read_proc(path, status, sizeof(status)) <= 0)
		return;
	p = strstr(status, "\nTgid:");
	if (p)
		task->process = atoi(p + strlen("\nTgid:"));
	p = strstr(status, "\nPPid:");
	if (p)
		task->parent = atoi(p + strlen("\nPPid:"));
}

/* Whether the kernel records wanted threads only, or we drop the others. */
static bool in_kernel(const struct tl_session *s)
{
	return !(s->tool->without & TL_OWN_WHO);
}

/* Adds a thread to those that are wanted; 1 if it is new. */
static int want(struct tl_session *s, pid_t pid)
{
	struct task *task = get(s->tasks, pid);
	char text[16];
	int ret;

	if (!task)
		return -ENOMEM;
	if (task->wanted)
		return 0;
	task->wanted = true;
	if (!in_kernel(s))
		return 1;
	snprintf(text, sizeof(text), "%d", pid);
	ret = tl_fs_write(s->dir, "set_event_pid", text, O_APPEND);
	if (ret && ret != -ESRCH)
		return tl_fs_error(s->dir, -ret, "set_event_pid", text);
	return 1;
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

static int want_cgroup(struct tl_session *s, const char *path)
{
	char file[4096];
	FILE *f;
	int pid, found = 0, ret = 0;

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

/* What the kernel added by itself (event-fork) while we could not see it. */
static void take_in_added(struct tl_session *s)
{
	char *text = tl_fs_read(s->dir, "set_event_pid", NULL), *p, *end;
	struct task *task;
	pid_t pid;

	for (p = text; p && (pid = strtol(p, &end, 10)) > 0; p = end) {
		task = get(s->tasks, pid);
		if (task &&
		    (s->set.follow || s->set.cgroup ||
		     (s->set.pid && tl_task_process(s, pid) == s->set.pid)))
			task->wanted = true;
	}
	free(text);
}

/* Threads that began while we could not see it. */
static void take_in_started(struct tl_session *s)
{
	if (in_kernel(s))
		take_in_added(s);
	else if (s->set.pid)
		want_process(s, s->set.pid);
	else if (s->set.cgroup)
		want_cgroup(s, s->set.cgroup);
}

void tl_tasks_lost(struct tl_session *s)
{
	s->tasks->epoch++;
	if (s->tasks->filter)
		take_in_started(s);
}

/* What was learnt before records were lost may have changed in the gap. */
static void refresh(struct tl_tasks *t, struct task *task)
{
	if (task->epoch == t->epoch || t->blind)
		return;
	task->epoch = t->epoch;
	read_comm(task);
	read_status(task);
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
	}
	if (dir)
		closedir(dir);
	if (s->tasks->filter)
		take_in_started(s);
}

/* ---- what begins, changes and ends ------------------------------------- */

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
	task->dead = false;
	task->epoch = t->epoch;
	set_comm(task, tl_field_str(r, &t->new_comm));
	task->process = thread ? tl_task_process(s, r->pid) : pid;
	task->parent = flags & (CLONE_THREAD | CLONE_PARENT)
			       ? tl_task_parent(s, r->pid)
			       : tl_task_process(s, r->pid);
	task->wanted = parent->wanted && (s->set.follow || s->set.cgroup ||
					  (thread && !s->set.tid));
}

static void on_rename(struct tl_session *s, const struct tl_record *r)
{
	struct tl_tasks *t = s->tasks;
	struct task *task = get(t, tl_field_num(r, &t->rename_pid));

	if (!task)
		return;
	/* exec in a thread takes the id of the leader, who has just ended */
	task->dead = false;
	task->epoch = t->epoch;
	set_comm(task, tl_field_str(r, &t->rename_comm));
}

static void on_exit_(struct tl_session *s, const struct tl_record *r)
{
	struct tl_tasks *t = s->tasks;
	pid_t pid = tl_field_num(r, &t->exit_pid);
	struct task *task = get(t, pid);

	if (!task)
		return;
	task->dead = true;
	forget(t, t->dead[t->next_dead]);
	t->dead[t->next_dead] = pid;
	t->next_dead = (t->next_dead + 1) % KEEP_DEAD;
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
	if (access(path, F_OK))
		return tl_fail(ESRCH, "there is no %s %d", what, pid);
	ret = add(s, pid);
	return ret < 0 ? ret : 0;
}

static int want_asked(struct tl_session *s)
{
	const struct tl_settings *set = &s->set;

	if (set->pid)
		return want_one(s, "process", set->pid, want_process);
	if (set->tid)
		return want_one(s, "thread", set->tid, want);
	return want_cgroup(s, set->cgroup);
}

static int set_filter(struct tl_session *s)
{
	const struct tl_settings *set = &s->set;
	int ret = 0;

	if (!set->pid && !set->tid && !set->cgroup)
		return 0;
	if (s->tasks->blind)
		return tl_fail(EINVAL, "-p, -L and --cgroup need the host's "
				       "PID namespace (docker run --pid=host)");
	s->tasks->filter = true;
	/* what a recorded thread starts is recorded too; sorted out in on_new() */
	if (in_kernel(s) && (!set->tid || set->follow))
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

int tl_tasks_open(struct tl_session *s)
{
	struct tl_tasks *t = calloc(1, sizeof(*t));

	s->tasks = t;
	if (!t)
		return -ENOMEM;
	t->size = 256;
	t->self = getpid();
	t->buckets = calloc(t->size, sizeof(*t->buckets));
	if (!t->buckets)
		return -ENOMEM;
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
	if (!s->set.name.text || s->tool->without & TL_OWN_NAME)
		return true;
	comm = tl_task_comm(s, pid);
	return tl_regex_match(&s->set.name, comm.text, comm.len);
}

/* A tool does not trace itself. */
bool tl_task_wanted(struct tl_session *s, pid_t pid)
{
	if (pid == s->tasks->self)
		return false;
	return (!s->tasks->filter && !s->set.name.text) || is_asked(s, pid);
}

struct tl_str tl_task_comm(struct tl_session *s, pid_t pid)
{
	struct task *task;

	if (!pid)
		return (struct tl_str){ "<idle>", 6 };
	task = get(s->tasks, pid);
	if (task)
		refresh(s->tasks, task);
	if (task && !task->comm[0] && !s->tasks->blind)
		read_comm(task);
	if (!task || !task->comm[0])
		return (struct tl_str){ "<...>", 5 };
	return (struct tl_str){ task->comm, strlen(task->comm) };
}

pid_t tl_task_process(struct tl_session *s, pid_t pid)
{
	struct task *task = get(s->tasks, pid);

	if (task && !task->process && !s->tasks->blind)
		read_status(task);
	return task ? task->process : 0;
}

pid_t tl_task_parent(struct tl_session *s, pid_t pid)
{
	struct task *task = get(s->tasks, pid);

	if (task && !task->parent && !s->tasks->blind)
		read_status(task);
	return task ? task->parent : 0;
}
