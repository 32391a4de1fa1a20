// SPDX-License-Identifier: GPL-2.0-or-later
/* who.c - who a record belongs to, and values by that */
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/session.h"
#include "count/table.h"
#include "record/cgroup.h"
#include "record/task.h"
#include "tracelet/message.h"
#include "tracelet/output.h"
#include "tracelet/task.h"
#include "tracelet/text.h"
#include "tracelet/who.h"

static void take_name(struct tl_session *s, struct tl_who *who, pid_t tid)
{
	struct tl_str comm = tl_task_comm(s, tid);
	size_t len = strnlen(comm.text, comm.len);

	if (len >= sizeof(who->comm))
		len = sizeof(who->comm) - 1;
	memcpy(who->comm, comm.text, len);
}

struct tl_who tl_who_of(struct tl_session *s, pid_t id, enum tl_by by)
{
	struct tl_who who = { 0 };

	switch (by) {
	case TL_BY_NAME:
		take_name(s, &who, id);
		break;
	case TL_BY_PID:
		who.pid = tl_task_process(s, id);
		take_name(s, &who, who.pid ?: id);
		break;
	case TL_BY_BOTH:
		who.pid = tl_task_process(s, id);
		take_name(s, &who, id);
		break;
	case TL_BY_TID:
		who.pid = id;
		take_name(s, &who, id);
		break;
	case TL_BY_CPU:
		who.pid = id;
		break;
	case TL_BY_CGROUP:
		who.pid = (pid_t)tl_task_cgroup(s, id);
		break;
	case TL_BY_NOTHING:
		break;
	}
	return who;
}

struct tl_owner tl_owner_of(struct tl_session *s, pid_t tid)
{
	return (struct tl_owner){ tl_who_of(s, tid, TL_BY_BOTH), tid,
				  tl_task_matches(s, tid) };
}

void tl_put_owner(struct tl_session *s, const struct tl_owner *o,
		  unsigned int comm, unsigned int pid, unsigned int tid)
{
	if (!o->tid)
		return;
	tl_put_who(s, &o->who, pid, comm);
	tl_put_int(s, tid, o->tid);
}

int tl_who_compare(const struct tl_who *a, const struct tl_who *b)
{
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return strcmp(a->comm, b->comm);
}

void tl_put_who(struct tl_session *s, const struct tl_who *who,
		unsigned int pid, unsigned int comm)
{
	if (who->pid)
		tl_put_int(s, pid, who->pid);
	tl_put_text(s, comm, who->comm);
}

/* In metrics a name is a label only where it is what was asked for. */
static bool has_name(const struct tl_session *s, enum tl_by by)
{
	return by == TL_BY_NAME || !s->set.metrics;
}

void tl_show_who(struct tl_session *s, enum tl_by by, unsigned int pid,
		 unsigned int comm)
{
	if (by == TL_BY_NOTHING)
		return;
	if (by != TL_BY_NAME)
		tl_column_show(s, pid, TL_SHOW_ALL);
	if (has_name(s, by))
		tl_column_show(s, comm, TL_SHOW_ALL);
}

static void show(struct tl_session *s, const char *key, enum tl_show how)
{
	int col = tl_column_find(s, key);

	if (col >= 0)
		tl_column_show(s, (unsigned int)col, how);
}

/* What tells apart, and the name beside it; NULL: there is none. */
static const struct {
	const char *id, *name;
} keys[] = {
	[TL_BY_NAME] = { NULL, "comm" },  [TL_BY_PID] = { "pid", "comm" },
	[TL_BY_TID] = { "tid", "comm" },  [TL_BY_CPU] = { "cpu", NULL },
	[TL_BY_CGROUP] = { NULL, NULL },  [TL_BY_NOTHING] = { NULL, NULL },
	[TL_BY_BOTH] = { "pid", "comm" },
};

const char *tl_by_key(enum tl_by by)
{
	return by == TL_BY_CGROUP ? "cgroup" : keys[by].id ?: keys[by].name;
}

void tl_show_by(struct tl_session *s, enum tl_by by, enum tl_show how)
{
	const char *key = tl_by_key(by);

	if (key)
		show(s, key, how);
	if (!keys[by].name)
		return;
	if (has_name(s, by))
		show(s, keys[by].name, how);
	tl_tasks_watch_threads(s);
}

void tl_put_number(struct tl_session *s, const char *key, int64_t num)
{
	int col = tl_column_find(s, key);

	if (col >= 0)
		tl_put_int(s, (unsigned int)col, num);
}

static void put_text(struct tl_session *s, const char *key, const char *text)
{
	int col = tl_column_find(s, key);

	if (col >= 0)
		tl_put_text(s, (unsigned int)col, text);
}

const char *tl_who_cgroup(struct tl_session *s, const struct tl_who *who)
{
	return *who->comm ? who->comm
			  : tl_cgroup_path(s, (unsigned int)who->pid);
}

void tl_put_by(struct tl_session *s, enum tl_by by, const struct tl_who *who)
{
	const bool others = !who->pid && *who->comm;

	if (keys[by].id && (who->pid || (by == TL_BY_CPU && !others)))
		tl_put_number(s, keys[by].id, who->pid);
	if (by == TL_BY_CGROUP)
		put_text(s, "cgroup", tl_who_cgroup(s, who));
	else if (keys[by].name)
		put_text(s, keys[by].name, who->comm);
}

int tl_by_check(struct tl_session *s, enum tl_by by)
{
	if (by == TL_BY_CGROUP &&
	    (tl_settings(s)->read || tl_settings(s)->write))
		return tl_usage("--by=cgroup is not for -w and -r: a capture "
				"does not say which cgroup a process was in");
	if (by == TL_BY_CGROUP && access("/proc/self/cgroup", F_OK))
		return tl_fail(ENOTSUP,
			       "--by=cgroup: this kernel has no cgroups "
			       "(/proc/self/cgroup)");
	return 0;
}

struct tl_table *tl_table_by(enum tl_by by, size_t size, size_t max,
			     void (*drop)(void *value))
{
	const struct tl_who others = { 0, "[others]" };
	struct tl_table *t = tl_table_bounded(size, drop, max, TL_KEY(others));

	if (t)
		t->by = by;
	return t;
}

/*
 * One that is known is the same under another name.  In the order of bytes keys
 * come in that of tl_who_compare().
 */
static struct tl_who key_of(const struct tl_table *t, const struct tl_who *who)
{
	struct tl_who key = *who;

	if ((t->by == TL_BY_PID || t->by == TL_BY_TID) && key.pid)
		memset(key.comm, 0, sizeof(key.comm));
	key.pid = (pid_t)htobe32((uint32_t)key.pid);
	return key;
}

void *tl_table_who(struct tl_session *s, struct tl_table *t, pid_t id)
{
	struct tl_who who = tl_who_of(s, id, t->by), key = key_of(t, &who);
	uint64_t refused = t->refused;
	struct tl_who *value = tl_table_at(t, TL_KEY(key));

	*value = t->refused == refused ? who : (struct tl_who){ 0, "[others]" };
	return value;
}

__attribute__((noinline)) static void *find(struct tl_session *s,
					    struct tl_table *t, pid_t tid)
{
	t->who = tl_table_who(s, t, tid);
	t->tid = tid;
	return t->who;
}

void *tl_table_of(struct tl_session *s, struct tl_table *t, pid_t tid)
{
	return t->who && t->tid == tid ? t->who : find(s, t, tid);
}

void tl_table_forget(struct tl_table *t)
{
	t->who = NULL;
}
