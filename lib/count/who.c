// SPDX-License-Identifier: GPL-2.0-or-later
/* who.c - who a record belongs to, and values by that */
#include <endian.h>
#include <stdio.h>
#include <string.h>

#include "count/table.h"
#include "tracelet/output.h"
#include "tracelet/task.h"
#include "tracelet/text.h"
#include "tracelet/who.h"

/* Who the record being handled, of thread @tid, belongs to. */
static struct tl_who who_of(struct tl_session *s, pid_t tid, enum tl_by by)
{
	struct tl_who who = { 0 };
	struct tl_str comm;

	if (by == TL_BY_NOTHING)
		return who;
	if (by == TL_BY_TID)
		who.pid = tid;
	else if (by != TL_BY_NAME)
		who.pid = tl_task_process(s, tid);
	comm = tl_task_comm(s, by == TL_BY_PID && who.pid ? who.pid : tid);
	snprintf(who.comm, sizeof(who.comm), "%.*s", (int)comm.len, comm.text);
	return who;
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

void tl_show_who(struct tl_session *s, enum tl_by by, unsigned int pid,
		 unsigned int comm)
{
	if (by == TL_BY_NOTHING)
		return;
	if (by != TL_BY_NAME)
		tl_column_show(s, pid, TL_SHOW_ALL);
	tl_column_show(s, comm, TL_SHOW_ALL);
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

void *tl_table_who(struct tl_session *s, struct tl_table *t, pid_t tid)
{
	struct tl_who who = who_of(s, tid, t->by), key = key_of(t, &who);
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
