// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * syscallcount.c - how often system calls are made, how they end, how long they
 * take
 *
 * Calls are counted where they return: that record is less than half as long as
 * the one of the entry.  Per read of one byte on 6.12, untraced 652, in
 * instructions: 1,315 with that record, which costs us 85 to read, or 1,489
 * with a hist trigger (1,551 without our own calls).  What that has for it is
 * that no buffer can overflow.
 *
 * So what never returns needs events of its own, and forks return twice.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/part.h"
#include "count/table.h"
#include "kernel/syscall.h"
#include "record/event.h"
#include "record/task.h"
#include "tracelet/event.h"
#include "tracelet/filter.h"
#include "tracelet/kprobe.h"
#include "tracelet/message.h"
#include "tracelet/pairs.h"
#include "tracelet/syscall.h"
#include "tracelet/syscallcount.h"
#include "tracelet/tally.h"
#include "tracelet/task.h"
#include "tracelet/text.h"
#include "tracelet/trigger.h"
#include "tracelet/who.h"

#define MAX_THREADS 65536
#define TABLE_SIZE  2048
#define CACHE       32
#define NOBODY      INT64_MAX /* no record has this PID, whoever wrote it */
/* any user can make processes and names: what are more go into one row */
#define MAX_GROUPS 32768

enum { NATIVE, COMPAT, SIZES };

/* Numbers that are not what they seem, or not all there is. */
enum {
	EXIT,
	EXIT_GROUP,
	SIGRETURN,
	EXECVE,
	EXECVEAT,
	FORK,
	VFORK,
	CLONE,
	CLONE3,
	KNOWN
};
static const char *const known_names[KNOWN] = {
	[EXIT] = "exit",         [EXIT_GROUP] = "exit_group",
	[FORK] = "fork",         [SIGRETURN] = "rt_sigreturn",
	[VFORK] = "vfork",       [EXECVE] = "execve",
	[CLONE] = "clone",       [CLONE3] = "clone3",
	[EXECVEAT] = "execveat",
};

struct tally {
	struct tally *next; /* of its group */
	int64_t nr;
	bool compat;
	struct tl_syscall_sum sum;
};

/* Who is counted apart. */
struct group {
	struct tl_who who;
	struct tally *first;
	/* those seen last, by the end of their number; or &none */
	struct tally *cache[SIZES][CACHE];
};

struct thread {
	struct group *group; /* NULL: not known, or not to be counted yet */
	bool compat;
	uint64_t began;
};

struct tl_syscall_counts {
	struct tl_part part;
	const struct tl_syscall_counts_config *config;
	int known[SIZES][KNOWN];
	bool executed;           /* the command */
	struct tl_table *groups; /* struct group */
	struct tl_table *late;   /* the same, by thread; NULL: not so */
	struct tl_pairs *threads;
	struct thread *last; /* of thread last_pid; records come in runs */
	pid_t last_pid;
	struct { /* what thread pid needs for its next call */
		int64_t pid;
		struct thread *thread;
		struct tally **cache;
	} usual;
	struct tl_field nr, ret;
	struct tl_trigger *trigger[SIZES];
	struct tl_tally *seen[SIZES]; /* what these had counted before */
	bool failed;                  /* memory was short for what they had */
};

/* ---- groups and their tallies ----------------------------------------- */

static struct tally none = { .nr = INT64_MIN };

static void free_group(void *data)
{
	struct group *g = data;
	struct tally *tally;

	while ((tally = g->first)) {
		g->first = tally->next;
		free(tally);
	}
}

static void empty_cache(struct group *g)
{
	unsigned int i;

	for (i = 0; i < CACHE && !g->cache[NATIVE][i]; i++)
		g->cache[NATIVE][i] = g->cache[COMPAT][i] = &none;
}

static struct group *group_of(struct tl_session *s, struct tl_syscall_counts *c,
			      pid_t pid)
{
	struct group *g = tl_table_of(s, c->groups, pid);

	empty_cache(g);
	return g;
}

/*
 * Of a thread that ran already what it was called at its record is told by the
 * record of its next name, or of its end: /proc may be ahead.  Until then it is
 * counted apart.  NULL: as group_of() knows it.
 */
static struct group *late_group(struct tl_session *s,
				struct tl_syscall_counts *c, pid_t tid)
{
	struct group *g = NULL;

	if (c->late && tl_task_is_late(s, tid))
		g = tl_table_at(c->late, TL_KEY(tid));
	/* by another name than it has now */
	if (!g || *g->who.comm)
		return NULL;
	empty_cache(g);
	return g;
}

static void name_group(struct tl_session *s, struct group *g, pid_t tid)
{
	struct tl_str comm;

	if (*g->who.comm)
		return;
	comm = tl_task_comm(s, tid);
	snprintf(g->who.comm, sizeof(g->who.comm), "%.*s", (int)comm.len,
		 comm.text);
}

static void name_late(void *ctx, struct tl_str key, void *value)
{
	name_group(ctx, value, *(const pid_t *)(const void *)key.text);
}

static void name_all_late(struct tl_session *s, struct tl_syscall_counts *c)
{
	if (c->late)
		tl_table_each(c->late, name_late, s);
}

/* By its number, where it has to be looked for; NULL without memory. */
static struct tally *search(struct group *g, bool compat, int64_t nr)
{
	struct tally *tally = g->first;

	while (tally && (tally->nr != nr || tally->compat != compat))
		tally = tally->next;
	if (tally)
		return tally;
	tally = calloc(1, sizeof(*tally));
	if (!tally)
		return NULL;
	tally->nr = nr;
	tally->compat = compat;
	tally->next = g->first;
	return g->first = tally;
}

/* ---- threads ---------------------------------------------------------- */

__attribute__((noinline)) static struct thread *
find_thread(struct tl_syscall_counts *c, pid_t pid)
{
	c->last = tl_pairs_get(c->threads, pid);
	if (!c->last)
		c->last = tl_pairs_put(c->threads, pid);
	c->last_pid = pid;
	/* that one may have had this place until now */
	c->usual.pid = NOBODY;
	return c->last;
}

/*
 * A thread goes only when another takes its place, and that is the last one
 * then.
 */
static inline struct thread *thread_of(struct tl_syscall_counts *c, pid_t pid)
{
	return c->last && c->last_pid == pid ? c->last : find_thread(c, pid);
}

static void on_task(struct tl_session *s, void *part, pid_t tid,
		    enum tl_task_change change, uint64_t ns)
{
	struct tl_syscall_counts *c = part;
	struct thread *t = tl_pairs_get(c->threads, tid);

	if (c->late && t && t->group)
		name_group(s, t->group, tid);
	/* what it is in goes on: only who it is may have changed */
	if (t)
		t->group = NULL;
	tl_table_forget(c->groups);
	c->usual.pid = NOBODY;
}

/* The start of the command, or what is known of it, may be among the lost. */
static void on_lost(struct tl_session *s, void *part, unsigned int cpu)
{
	struct tl_syscall_counts *c = part;

	/* by what is known of before: a number may be another thread's then */
	name_all_late(s, c);
	tl_pairs_clear(c->threads);
	tl_table_forget(c->groups);
	c->last = NULL;
	c->usual.pid = NOBODY;
	c->executed = true;
}

static void free_counts(void *part)
{
	struct tl_syscall_counts *c = part;

	tl_table_free(c->groups);
	tl_table_free(c->late);
	tl_pairs_free(c->threads);
	tl_tally_free(c->seen[NATIVE]);
	tl_tally_free(c->seen[COMPAT]);
	free(c);
}

static const struct tl_part_ops counts_ops = { .lost = on_lost,
					       .task = on_task,
					       .free = free_counts };

static struct tl_syscall_counts *counts_of(struct tl_session *s)
{
	return tl_part_find(s, &counts_ops);
}

/* Until the command has been executed, its process does what is ours. */
static bool is_ours(struct tl_session *s, const struct tl_syscall_counts *c,
		    pid_t pid)
{
	return !c->executed && c->config->command &&
	       pid == c->config->command(s);
}

/* ---- what is counted -------------------------------------------------- */

static bool is_fork(const struct tl_syscall_counts *c, bool compat, int64_t nr)
{
	const int *known = c->known[compat];

	return nr == known[CLONE] || nr == known[FORK] || nr == known[VFORK] ||
	       nr == known[CLONE3];
}

static bool failed(const struct tl_syscall_counts *c, const struct tl_record *r)
{
	return (uint64_t)tl_field_long(r, &c->ret) >= (uint64_t)-4095;
}

/*
 * A child returns from the call that made it, too, with 0.  The return from a
 * signal's handler has forgotten its number.
 */
static struct tally *tally_of(const struct tl_syscall_counts *c,
			      const struct tl_record *r, struct thread *t,
			      int64_t nr)
{
	struct tally *tally;

	if (nr == -1 && tl_field_long(r, &c->ret) != -ENOSYS)
		nr = c->known[t->compat][SIGRETURN];
	if (is_fork(c, t->compat, nr))
		return tl_field_long(r, &c->ret)
			       ? search(t->group, t->compat, nr)
			       : NULL;
	tally = t->group->cache[t->compat][nr & (CACHE - 1)];
	if (tally->nr == nr)
		return tally;
	tally = search(t->group, t->compat, nr);
	if (tally)
		t->group->cache[t->compat][nr & (CACHE - 1)] = tally;
	return tally;
}

/*
 * A thread begins, or has another name or program: @nr is the call it returns
 * from.
 */
static void know_thread(struct tl_session *s, struct tl_syscall_counts *c,
			const struct tl_record *r, struct thread *t,
			int64_t *nr)
{
	t->compat = tl_syscall_is_compat(s, r->pid, nr);
	if (is_ours(s, c, r->pid))
		c->executed = *nr == c->known[t->compat][EXECVE] &&
			      !tl_field_long(r, &c->ret);
	if (!is_ours(s, c, r->pid))
		t->group = late_group(s, c, r->pid) ?: group_of(s, c, r->pid);
}

/* Of those that are not asked for, some have records: they tell who is who. */
static void tell(struct tl_session *s, const struct tl_syscall_counts *c,
		 const struct tally *tally, uint64_t ns, uint64_t latency)
{
	if (tl_syscall_set_has(c->config->only, tally->compat, tally->nr))
		c->config->took(s, ns, latency);
}

static void count(struct tl_session *s, const struct tl_syscall_counts *c,
		  const struct tl_record *r, struct thread *t,
		  struct tally *tally)
{
	struct tl_syscall_sum *sum = &tally->sum;

	sum->count++;
	if (c->config->errors)
		sum->errors += failed(c, r);
	if (t->began) {
		sum->time += r->ns - t->began;
		sum->timed++;
		if (c->config->took)
			tell(s, c, tally, r->ns, r->ns - t->began);
		t->began = 0;
	}
}

__attribute__((noinline)) static void on_other_return(struct tl_session *s,
						      const struct tl_record *r)
{
	struct tl_syscall_counts *c = r->event->ctx;
	struct thread *t = thread_of(c, r->pid);
	int64_t nr = tl_field_long(r, &c->nr);
	struct tally *tally;

	c->usual.pid = NOBODY;
	if (t && !t->group)
		know_thread(s, c, r, t, &nr);
	if (!t || !t->group)
		return;
	tally = tl_cpu_matches(s, r->cpu) ? tally_of(c, r, t, nr) : NULL;
	if (tally)
		count(s, c, r, t, tally);
	/* with --cpu the next call may be elsewhere: none is usual */
	if (tl_settings(s)->cpu.count)
		return;
	c->usual.pid = r->pid;
	c->usual.thread = t;
	c->usual.cache = t->group->cache[t->compat];
}

/* A call as before, of the thread that made the last: the usual case. */
static inline struct tally *usual_tally(const struct tl_syscall_counts *c,
					const struct tl_record *r)
{
	int64_t nr = tl_field_long(r, &c->nr);
	struct tally *tally;

	if (r->pid != c->usual.pid)
		return NULL;
	tally = c->usual.cache[nr & (CACHE - 1)];
	return tally->nr == nr ? tally : NULL;
}

/* Where it is enough to know how many. */
static void on_return(struct tl_session *s, const struct tl_record *r)
{
	struct tally *tally = usual_tally(r->event->ctx, r);

	if (tally)
		tally->sum.count++;
	else
		on_other_return(s, r);
}

static void on_return_of_more(struct tl_session *s, const struct tl_record *r)
{
	const struct tl_syscall_counts *c = r->event->ctx;
	struct tally *tally = usual_tally(c, r);

	if (tally)
		count(s, c, r, c->usual.thread, tally);
	else
		on_other_return(s, r);
}

static void on_enter(struct tl_session *s, const struct tl_record *r)
{
	struct thread *t = thread_of(r->event->ctx, r->pid);

	if (t)
		t->began = r->ns;
}

/* What does not return. */
static void count_end(struct tl_session *s, const struct tl_record *r,
		      unsigned int known)
{
	struct tl_syscall_counts *c = counts_of(s);
	struct thread *t = thread_of(c, r->pid);
	struct tally *tally;
	int64_t nr = -1;

	if (!t || is_ours(s, c, r->pid) || !tl_cpu_matches(s, r->cpu))
		return;
	if (!t->group)
		know_thread(s, c, r, t, &nr);
	tally = search(t->group, t->compat, c->known[t->compat][known]);
	if (tally)
		tally->sum.count++;
}

static void on_exit_call(struct tl_session *s, const struct tl_record *r)
{
	count_end(s, r, EXIT);
}

static void on_exit_group(struct tl_session *s, const struct tl_record *r)
{
	count_end(s, r, EXIT_GROUP);
}

/* ---- in the kernel ---------------------------------------------------- */

/* Session and counts, for what a trigger had. */
struct reading {
	struct tl_session *s;
	struct tl_syscall_counts *c;
};

static void add_calls(const struct reading *reading, bool compat, uint64_t nr,
		      uint64_t hits)
{
	struct group *g = group_of(reading->s, reading->c, 0);
	struct tally *tally = search(g, compat, (int64_t)nr);

	if (tally)
		tally->sum.count += hits;
	else
		reading->c->failed = true;
}

static void on_native(void *ctx, uint64_t nr, uint64_t hits)
{
	add_calls(ctx, false, nr, hits);
}

/* The table of all calls has those of 32-bit programs too, by their numbers. */
static void on_compat(void *ctx, uint64_t nr, uint64_t hits)
{
	add_calls(ctx, true, nr, hits);
	add_calls(ctx, false, nr, -hits);
}

static int read_triggers(struct tl_session *s, struct tl_syscall_counts *c)
{
	struct reading reading = { s, c };
	int ret = 0;

	/* first those that are in both tables */
	if (c->trigger[COMPAT])
		ret = tl_trigger_since(c->trigger[COMPAT], c->seen[COMPAT],
				       on_compat, &reading);
	if (!ret && c->trigger[NATIVE])
		ret = tl_trigger_since(c->trigger[NATIVE], c->seen[NATIVE],
				       on_native, &reading);
	return ret;
}

/* ---- what there was --------------------------------------------------- */

/* Rows that are made of groups. */
struct rows {
	const struct tl_syscall_counts_config *config;
	struct tl_table *table; /* struct tl_syscall_sum, by tl_syscall_key */
	bool failed;            /* memory was short */
};

/* Calls of both word sizes have one name. */
static struct tl_syscall_sum *row_of(const struct rows *rows,
				     const struct group *g,
				     const struct tally *tally)
{
	struct tl_syscall_key key = { .who = g->who };
	char *name;

	if (rows->config->by_call) {
		name = tl_syscall_name(tally->compat, tally->nr);
		if (!name)
			return NULL;
		snprintf(key.name, sizeof(key.name), "%s", name);
		free(name);
	}
	return tl_table_at(rows->table, TL_KEY(key));
}

static void add_tally(struct rows *rows, const struct group *g,
		      const struct tally *tally)
{
	struct tl_syscall_sum *row = row_of(rows, g, tally);

	if (!row) {
		rows->failed = true;
		return;
	}
	row->count += tally->sum.count;
	row->errors += tally->sum.errors;
	row->time += tally->sum.time;
	row->timed += tally->sum.timed;
}

static void add_group(void *ctx, struct tl_str key, void *value)
{
	const struct group *g = value;
	struct rows *rows = ctx;
	const struct tally *tally;

	for (tally = g->first; tally; tally = tally->next)
		if (tally->sum.count &&
		    tl_syscall_set_has(rows->config->only, tally->compat,
				       tally->nr))
			add_tally(rows, g, tally);
}

static int by_count(const struct tl_table_entry *a,
		    const struct tl_table_entry *b)
{
	const void *x = a->key.text, *y = b->key.text;
	const struct tl_syscall_key *p = x, *q = y;

	return tl_table_by_count(a, b)
		       ?: tl_who_compare(&p->who, &q->who)
		       ?: strcmp(p->name, q->name);
}

static void begin_again(struct tl_syscall_counts *c)
{
	struct thread *t = tl_pairs_oldest(c->threads);

	for (; t; t = tl_pairs_newer(t))
		t->group = NULL;
	c->usual.pid = NOBODY;
	tl_table_clear(c->groups);
	if (c->late)
		tl_table_clear(c->late);
}

/* What was counted is rows then, as many as memory holds. */
static void make_rows(struct tl_session *s, struct tl_syscall_counts *c,
		      struct rows *rows)
{
	name_all_late(s, c);
	rows->config = c->config;
	rows->table = tl_table_new(sizeof(struct tl_syscall_sum), NULL);
	rows->failed = c->failed || !rows->table;
	if (rows->table)
		tl_table_each(c->groups, add_group, rows);
	if (rows->table && c->late)
		tl_table_each(c->late, add_group, rows);
	c->failed = false;
	begin_again(c);
}

int tl_syscall_counts_show(struct tl_session *s, unsigned int top,
			   void (*put)(struct tl_session *s,
				       const struct tl_table_entry *e,
				       uint64_t ns),
			   uint64_t ns)
{
	const struct tl_table_view view = {
		.order = by_count, .top = top, .most_last = true, .put = put
	};
	struct tl_syscall_counts *c = counts_of(s);
	struct rows rows;
	int ret = read_triggers(s, c);

	/* what could not be read is counted with the next interval's */
	if (ret)
		return ret;
	make_rows(s, c, &rows);
	if (rows.failed)
		tl_fail(ENOMEM, "counts are not complete: %s",
			strerror(ENOMEM));
	if (rows.table)
		ret = tl_table_show(s, rows.table, &view, ns);
	tl_table_free(rows.table);
	return rows.failed ? -ENOMEM : ret;
}

/* ---- set-up ----------------------------------------------------------- */

/* Where exec tells, execveat returns as execve. */
static bool is_exec(const struct tl_syscall_counts *c, int nr)
{
	unsigned int size;

	for (size = 0; size < SIZES; size++)
		if (nr == c->known[size][EXECVE] ||
		    (!tl_syscall_exec_tells() &&
		     nr == c->known[size][EXECVEAT]))
			return true;
	return false;
}

/*
 * The numbers wanted, of both word sizes, and what tells of which one a program
 * is; empty when they are too many.
 */
static void make_filter(const struct tl_syscall_counts *c, struct tl_filter *f)
{
	const struct tl_syscall_set *only = c->config->only;
	const size_t most = sizeof(f->text) - 32;
	size_t len = 0;
	int nr;

	f->text[0] = '\0';
	if (!only->given)
		return;
	for (nr = 0; nr < TL_SYSCALLS && len < most; nr++)
		if (only->has[NATIVE][nr] || only->has[COMPAT][nr] ||
		    is_exec(c, nr))
			len += snprintf(f->text + len, sizeof(f->text) - len,
					"%sid == %d", len ? " || " : "", nr);
	if (tl_syscall_set_has(only, NATIVE, c->known[NATIVE][SIGRETURN]) &&
	    len < most)
		len += snprintf(f->text + len, sizeof(f->text) - len,
				" || id == -1");
	if (len >= most)
		f->text[0] = '\0';
}

static int no_tracepoint(const char *name)
{
	return tl_fail(ENOTSUP, "this kernel has no tracepoint raw_syscalls:%s",
		       name);
}

static int add_event(struct tl_session *s, struct tl_syscall_counts *c,
		     const char *name, tl_handler *handler,
		     struct tl_event **ev)
{
	*ev = tl_event_add(s, "raw_syscalls", name, handler);
	if (!*ev)
		return errno == ENOENT ? no_tracepoint(name) : -errno;
	(*ev)->ctx = c;
	return 0;
}

static int count_returns(struct tl_session *s, struct tl_syscall_counts *c)
{
	struct tl_filter filter;
	struct tl_event *ev;
	const bool more = c->config->errors || c->config->times;
	int ret = add_event(s, c, "sys_exit",
			    more ? on_return_of_more : on_return, &ev);

	if (ret)
		return ret;
	make_filter(c, &filter);
	ret = tl_event_long_field(s, ev, "id", &c->nr) ?:
	      tl_event_long_field(s, ev, "ret", &c->ret) ?:
	      tl_event_filter(s, ev, filter.text);
	if (!ret && c->config->times)
		ret = add_event(s, c, "sys_enter", on_enter, &ev)
			      ?: tl_event_filter(s, ev, filter.text);
	return ret ?: tl_syscall_ends(s, on_exit_call, on_exit_group);
}

static int count_in_kernel(struct tl_session *s, struct tl_syscall_counts *c)
{
	static const char advice[] = "please report this bug";
	struct tl_event *ev;
	int ret = add_event(s, c, "sys_enter", NULL, &ev);

	if (ret)
		return ret;
	c->seen[NATIVE] = tl_tally_new();
	c->seen[COMPAT] = tl_tally_new();
	if (!c->seen[NATIVE] || !c->seen[COMPAT])
		return -ENOMEM;
	c->trigger[NATIVE] =
		tl_trigger_hist(s, ev, "keys=id", TABLE_SIZE, "", advice);
	if (!c->trigger[NATIVE])
		return -errno;
	ev = tl_syscall_compat(s);
	if (!ev)
		return errno == ENOENT ? 0 : -errno;
	c->trigger[COMPAT] =
		tl_trigger_hist(s, ev, "keys=nr", TABLE_SIZE, "", advice);
	return c->trigger[COMPAT] ? 0 : -errno;
}

static void know_numbers(struct tl_syscall_counts *c)
{
	unsigned int size, i;

	for (size = 0; size < SIZES; size++)
		for (i = 0; i < KNOWN; i++)
			c->known[size][i] =
				tl_syscall_number(size, known_names[i]);
}

int tl_syscall_counts_open(struct tl_session *s,
			   const struct tl_syscall_counts_config *config)
{
	struct tl_syscall_counts *c = tl_part_new(s, &counts_ops, sizeof(*c));
	int ret = config->in_kernel ? tl_syscall_names()
				    : tl_syscalls_open(s)
					      ?: tl_syscall_programs(s);

	if (!c || ret)
		return ret ?: -ENOMEM;
	c->config = config;
	c->usual.pid = NOBODY;
	/* the record of a thread's end has its name, but not its process */
	if (config->by == TL_BY_NAME)
		c->late = tl_table_new(sizeof(struct group), free_group);
	else if (config->by != TL_BY_NOTHING)
		tl_tasks_watch_threads(s);
	if (c->late)
		tl_table_limit(c->late, MAX_GROUPS);
	know_numbers(c);
	c->groups = tl_table_by(config->by, sizeof(struct group), MAX_GROUPS,
				free_group);
	c->threads = tl_pairs_new(sizeof(struct thread), MAX_THREADS, NULL);
	if (!c->groups || !c->threads || (config->by == TL_BY_NAME && !c->late))
		return -ENOMEM;
	return config->in_kernel ? count_in_kernel(s, c) : count_returns(s, c);
}

int tl_syscall_counts_check(struct tl_session *s)
{
	static const char *const need[] = { "sys_exit", "sys_enter" };
	unsigned int i;

	for (i = 0; i < 2; i++)
		if (!tl_event_exists(s, "raw_syscalls", need[i]))
			return no_tracepoint(need[i]);
	/* calls that do not return are counted by probes */
	return tl_kprobe_check(s) ?: tl_syscall_names();
}
