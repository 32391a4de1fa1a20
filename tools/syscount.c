// SPDX-License-Identifier: GPL-2.0-or-later
/* syscount - count system calls, by process or by call */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracelet.h"

/*
 * Calls are counted where they return: that record is less than half as long as
 * the one of the entry.  Per read of one byte on 6.12, untraced 652, in
 * instructions: 1,315 with that record, which costs us 85 to read, or 1,489
 * with a hist trigger (1,551 without our own calls).  What that has for it is
 * that no buffer can overflow: --in-kernel.
 *
 * So what never returns needs events of its own, and forks return twice.
 */
#define MAX_THREADS 65536
#define TABLE_SIZE  2048
#define CACHE       32
#define NOBODY      INT64_MAX /* no record has this PID, whoever wrote it */
/* any user can make processes and names: what are more go into one row */
#define MAX_GROUPS 32768

enum { NATIVE, COMPAT, SIZES };

/* Numbers that are not what they seem, or not all there is. */
enum { EXIT, EXIT_GROUP, SIGRETURN, EXECVE, FORK, VFORK, CLONE, CLONE3, KNOWN };
static const char *const known_names[KNOWN] = {
	[EXIT] = "exit",   [EXIT_GROUP] = "exit_group",
	[FORK] = "fork",   [SIGRETURN] = "rt_sigreturn",
	[VFORK] = "vfork", [EXECVE] = "execve",
	[CLONE] = "clone", [CLONE3] = "clone3",
};

struct tally {
	struct tally *next; /* of its group */
	int64_t nr;
	bool compat, wanted;
	uint64_t count, errors;
	uint64_t time, timed; /* ns in so many of them */
};

/* What becomes a row, or as many as there are calls. */
struct group {
	pid_t pid;
	char comm[16];
	struct tally *first;
	/* those seen last, by the end of their number; or &none */
	struct tally *cache[SIZES][CACHE];
};

struct thread {
	struct group *group; /* NULL: not known, or not to be counted yet */
	bool compat;
	uint64_t began;
};

struct row {
	const struct group *group;
	char *name;
	struct tally sum;
};

static struct {
	bool by_call, by_process, errors, time_spent, in_kernel;
	unsigned int top;
	uint64_t interval;
	const char *list, *user;
	bool wanted[SIZES][TL_SYSCALLS];
	int known[SIZES][KNOWN];
	bool executed; /* the command */
	struct tl_table *groups;
	struct group others; /* for which there was no place */
	struct tl_pairs *threads;
	struct thread *last; /* of thread last_pid; records come in runs */
	pid_t last_pid;
	struct { /* what thread pid needs for its next call */
		int64_t pid;
		struct tally **cache;
	} usual;
	bool failed; /* memory was not enough for rows */
	struct tl_field nr, ret;
	struct tl_trigger *trigger[SIZES];
	struct tl_tally *seen[SIZES]; /* what they had by the last interval */
	struct row *rows;
	size_t row_count, row_room;
} env = { .usual.pid = NOBODY };

static const struct tl_opt options[] = {
	{ 'c', "calls", NULL, "count by system call", TL_OPT_FLAG,
	  &env.by_call },
	{ 'v', "processes", NULL, "count by process: PID and name", TL_OPT_FLAG,
	  &env.by_process },
	{ 't', "top", "N", "only the N most frequent", TL_OPT_UINT, &env.top,
	  NULL, 1, 0 },
	{ 'e', "syscalls", "LIST", "only these calls, as in \"read,write\"",
	  TL_OPT_STRING, &env.list },
	{ 'i', "interval", "SECS", "print counts every SECS seconds",
	  TL_OPT_SECONDS, &env.interval },
	{ 0, "errors", NULL, "show how many failed", TL_OPT_FLAG, &env.errors },
	{ 0, "time-spent", NULL, "show the time in them, total and average",
	  TL_OPT_FLAG, &env.time_spent },
	{ 0, "in-kernel", NULL, "with -c: count in the kernel, for floods",
	  TL_OPT_FLAG, &env.in_kernel },
	{ 0, "user", "USER", "run the command as USER", TL_OPT_STRING,
	  &env.user },
	{ 0 }
};

enum { TIME, PID, COMM, SYSCALL, COUNT, ERRORS, SPENT, AVERAGE };

static const struct tl_column columns[] = {
	[TIME] = { "TIMEs", "time", 0, TL_TIME, TL_SHOW_DATA },
	[PID] = { "PID", "pid", -6, TL_INT, TL_SHOW_NEVER, &env.by_process },
	[COMM] = { "COMM", "comm", -16, TL_STR, TL_SHOW_NEVER },
	[SYSCALL] = { "SYSCALL", "syscall", -17, TL_STR, TL_SHOW_NEVER,
		      &env.by_call },
	[COUNT] = { "COUNT", "count", 8, TL_INT, TL_SHOW_ALL },
	[ERRORS] = { "ERRORS", "errors", 8, TL_INT, TL_SHOW_NEVER,
		     &env.errors },
	[SPENT] = { "TIMEms", "time_spent", 12, TL_MSECS, TL_SHOW_NEVER,
		    &env.time_spent },
	[AVERAGE] = { "AVGus", "time_average", 10, TL_USECS, TL_SHOW_NEVER,
		      &env.time_spent },
	{ 0 }
};

/* ---- groups and their tallies ------------------------------------------ */

static struct tally none = { .nr = INT64_MIN };

static void init_group(struct group *g, pid_t pid, struct tl_str comm)
{
	unsigned int i;

	for (i = 0; i < CACHE; i++)
		g->cache[NATIVE][i] = g->cache[COMPAT][i] = &none;
	g->pid = pid;
	snprintf(g->comm, sizeof(g->comm), "%.*s", (int)comm.len, comm.text);
}

static void free_group(void *data)
{
	struct group *g = data;
	struct tally *tally;

	while ((tally = g->first)) {
		g->first = tally->next;
		free(tally);
	}
}

static struct tl_table *new_groups(void)
{
	struct tl_table *g = tl_table_new(sizeof(struct group), free_group);

	if (g)
		tl_table_limit(g, MAX_GROUPS);
	return g;
}

static struct group *group_of(struct tl_session *s, pid_t pid)
{
	struct tl_str comm = { "", 0 };
	struct group *g = NULL;
	char key[64];
	int len;

	if (env.by_process || !env.by_call)
		comm = tl_task_comm(s, pid);
	pid = env.by_process ? tl_task_process(s, pid) : 0;
	len = snprintf(key, sizeof(key), "%d %.*s", pid, (int)comm.len,
		       comm.text);
	if (env.groups)
		g = tl_table_at(env.groups, (struct tl_str){ key, len });
	if (!g)
		return &env.others;
	if (!g->cache[0][0])
		init_group(g, pid, comm);
	return g;
}

static bool is_wanted(bool compat, int64_t nr)
{
	if (!env.list)
		return true;
	nr &= ~(int64_t)0x40000000; /* x32 */
	return nr >= 0 && nr < TL_SYSCALLS && env.wanted[compat][nr];
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
	tally->wanted = is_wanted(compat, nr);
	tally->next = g->first;
	return g->first = tally;
}

/* ---- threads ----------------------------------------------------------- */

static void forget_last(void *thread)
{
	if (thread == env.last)
		env.last = NULL;
}

__attribute__((noinline)) static struct thread *find_thread(pid_t pid)
{
	env.last = tl_pairs_get(env.threads, pid);
	if (!env.last)
		env.last = tl_pairs_put(env.threads, pid);
	env.last_pid = pid;
	return env.last;
}

static inline struct thread *thread_of(pid_t pid)
{
	return env.last && env.last_pid == pid ? env.last : find_thread(pid);
}

static void on_task(struct tl_session *s, pid_t pid)
{
	struct thread *t = env.threads ? tl_pairs_get(env.threads, pid) : NULL;

	(void)s;
	/* what it is in goes on: only who it is may have changed */
	if (t)
		t->group = NULL;
	env.usual.pid = NOBODY;
}

/* The start of the command, or what is known of it, may be among the lost. */
static void on_lost(struct tl_session *s, unsigned int cpu)
{
	(void)s;
	(void)cpu;
	if (env.threads)
		tl_pairs_clear(env.threads);
	env.usual.pid = NOBODY;
	env.executed = true;
}

/* Until the command has been executed, its process does what is ours. */
static bool is_ours(struct tl_session *s, pid_t pid)
{
	return !env.executed && pid == tl_command_pid(s);
}

/* ---- what is counted --------------------------------------------------- */

static bool is_fork(bool compat, int64_t nr)
{
	const int *known = env.known[compat];

	return nr == known[CLONE] || nr == known[FORK] || nr == known[VFORK] ||
	       nr == known[CLONE3];
}

static bool failed(const struct tl_record *r)
{
	return (uint64_t)tl_field_long(r, &env.ret) >= (uint64_t)-4095;
}

/*
 * A child returns from the call that made it, too, with 0.  The return from a
 * signal's handler has forgotten its number.
 */
static struct tally *tally_of(const struct tl_record *r, struct thread *t,
			      int64_t nr)
{
	struct tally *tally;

	if (nr == -1 && tl_field_long(r, &env.ret) != -ENOSYS)
		nr = env.known[t->compat][SIGRETURN];
	if (is_fork(t->compat, nr))
		return tl_field_long(r, &env.ret)
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

/* It begins, or has another name or program: @nr is what it returns from. */
static void know_thread(struct tl_session *s, const struct tl_record *r,
			struct thread *t, int64_t *nr)
{
	t->compat = tl_syscall_is_compat(s, r->pid, nr);
	if (is_ours(s, r->pid))
		env.executed = *nr == env.known[t->compat][EXECVE] &&
			       !tl_field_long(r, &env.ret);
	if (!is_ours(s, r->pid))
		t->group = group_of(s, r->pid);
}

static void count(const struct tl_record *r, struct thread *t,
		  struct tally *tally)
{
	tally->count++;
	if (env.errors)
		tally->errors += failed(r);
	if (t->began) {
		tally->time += r->ns - t->began;
		tally->timed++;
		t->began = 0;
	}
}

__attribute__((noinline)) static void on_other_return(struct tl_session *s,
						      const struct tl_record *r)
{
	struct thread *t = thread_of(r->pid);
	int64_t nr = tl_field_long(r, &env.nr);
	struct tally *tally;

	env.usual.pid = NOBODY;
	if (t && !t->group)
		know_thread(s, r, t, &nr);
	if (!t || !t->group)
		return;
	tally = tally_of(r, t, nr);
	if (tally)
		count(r, t, tally);
	if (env.errors || env.time_spent)
		return;
	env.usual.pid = r->pid;
	env.usual.cache = t->group->cache[t->compat];
}

/* The usual case first: a call as before, of the thread that made the last. */
static void on_return(struct tl_session *s, const struct tl_record *r)
{
	int64_t nr = tl_field_long(r, &env.nr);

	if (r->pid == env.usual.pid &&
	    env.usual.cache[nr & (CACHE - 1)]->nr == nr)
		env.usual.cache[nr & (CACHE - 1)]->count++;
	else
		on_other_return(s, r);
}

static void on_enter(struct tl_session *s, const struct tl_record *r)
{
	struct thread *t = thread_of(r->pid);

	(void)s;
	if (t)
		t->began = r->ns;
}

/* What does not return. */
static void count_end(struct tl_session *s, const struct tl_record *r,
		      unsigned int known)
{
	struct thread *t = thread_of(r->pid);
	struct tally *tally;
	int64_t nr = -1;

	if (!t || is_ours(s, r->pid))
		return;
	if (!t->group)
		know_thread(s, r, t, &nr);
	tally = search(t->group, t->compat, env.known[t->compat][known]);
	if (tally)
		tally->count++;
}

static void on_exit_call(struct tl_session *s, const struct tl_record *r)
{
	count_end(s, r, EXIT);
}

static void on_exit_group(struct tl_session *s, const struct tl_record *r)
{
	count_end(s, r, EXIT_GROUP);
}

/* ---- rows -------------------------------------------------------------- */

static int add_row(const struct group *g, const struct tally *tally)
{
	struct row *more;

	if (!tally->count || !tally->wanted)
		return 0;
	if (env.row_count == env.row_room) {
		more = realloc(env.rows,
			       (env.row_room * 2 + 64) * sizeof(*more));
		if (!more)
			return -ENOMEM;
		env.rows = more;
		env.row_room = env.row_room * 2 + 64;
	}
	more = &env.rows[env.row_count];
	*more = (struct row){ .group = g, .sum = *tally };
	if (env.by_call)
		more->name = tl_syscall_name(tally->compat, tally->nr);
	if (env.by_call && !more->name)
		return -ENOMEM;
	env.row_count++;
	return 0;
}

static void add_rows(void *ctx, struct tl_str key, void *data)
{
	const struct group *g = data;
	const struct tally *tally;
	int *ret = ctx;

	(void)key;
	for (tally = g->first; tally && !*ret; tally = tally->next)
		*ret = add_row(g, tally);
}

static int by_group(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->group->pid != y->group->pid)
		return x->group->pid < y->group->pid ? -1 : 1;
	return strcmp(x->group->comm, y->group->comm)
		       ?: strcmp(x->name ?: "", y->name ?: "");
}

static int by_count(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->sum.count != y->sum.count)
		return x->sum.count < y->sum.count ? -1 : 1;
	return by_group(a, b);
}

/* Calls of both word sizes have one name. */
static void merge_rows(void)
{
	size_t i, last = 0;
	struct row *a, *b;

	if (!env.row_count)
		return;
	qsort(env.rows, env.row_count, sizeof(*env.rows), by_group);
	for (i = 1; i < env.row_count; i++) {
		a = &env.rows[last];
		b = &env.rows[i];
		if (by_group(a, b)) {
			env.rows[++last] = *b;
			continue;
		}
		a->sum.count += b->sum.count;
		a->sum.errors += b->sum.errors;
		a->sum.time += b->sum.time;
		a->sum.timed += b->sum.timed;
		free(b->name);
	}
	env.row_count = last + 1;
}

static void print_row(struct tl_session *s, const struct row *row, uint64_t ns)
{
	const struct tally *sum = &row->sum;

	tl_put_int(s, TIME, (int64_t)ns);
	if (row->group->pid)
		tl_put_int(s, PID, row->group->pid);
	tl_put_text(s, COMM, row->group->comm);
	if (row->name)
		tl_put_text(s, SYSCALL, row->name);
	tl_put_int(s, COUNT, (int64_t)sum->count);
	tl_put_int(s, ERRORS, (int64_t)sum->errors);
	if (sum->timed) {
		tl_put_int(s, SPENT, (int64_t)sum->time);
		tl_put_int(s, AVERAGE, (int64_t)(sum->time / sum->timed));
	}
	tl_row(s);
}

static void print_rows(struct tl_session *s, uint64_t ns)
{
	size_t i, first = 0;

	merge_rows();
	if (env.row_count)
		qsort(env.rows, env.row_count, sizeof(*env.rows), by_count);
	if (env.top && env.row_count > env.top)
		first = env.row_count - env.top;
	if (env.interval)
		tl_print(s, "%s", "");
	tl_header(s);
	for (i = first; i < env.row_count; i++)
		print_row(s, &env.rows[i], ns);
}

static void forget_rows(void)
{
	while (env.row_count)
		free(env.rows[--env.row_count].name);
}

static void begin_again(void)
{
	struct thread *t = env.threads ? tl_pairs_oldest(env.threads) : NULL;

	for (; t; t = tl_pairs_newer(t))
		t->group = NULL;
	env.usual.pid = NOBODY;
	forget_rows();
	tl_table_free(env.groups);
	free_group(&env.others);
	env.groups = new_groups();
}

/* ---- counting in the kernel -------------------------------------------- */

static void add_calls(bool compat, uint64_t nr, uint64_t hits)
{
	struct tally *tally = search(group_of(NULL, 0), compat, (int64_t)nr);

	if (tally)
		tally->count += hits;
	else
		env.failed = true;
}

static void on_native(void *ctx, uint64_t nr, uint64_t hits)
{
	(void)ctx;
	add_calls(false, nr, hits);
}

/* The table of all calls has those of 32-bit programs too, by their numbers. */
static void on_compat(void *ctx, uint64_t nr, uint64_t hits)
{
	(void)ctx;
	add_calls(true, nr, hits);
	add_calls(false, nr, -hits);
}

static int read_triggers(void)
{
	int ret = 0;

	/* first those that are in both tables */
	if (env.trigger[COMPAT])
		ret = tl_trigger_since(env.trigger[COMPAT], env.seen[COMPAT],
				       on_compat, NULL);
	return ret
		       ?: tl_trigger_since(env.trigger[NATIVE],
					   env.seen[NATIVE], on_native, NULL);
}

static void on_interval(struct tl_session *s, uint64_t ns)
{
	static const struct tl_str key;
	int ret = env.groups ? 0 : -ENOMEM;

	if (!ret && env.trigger[NATIVE])
		ret = read_triggers();
	if (!ret)
		tl_table_each(env.groups, add_rows, &ret);
	if (!ret)
		add_rows(&ret, key, &env.others);
	if (!ret)
		print_rows(s, ns);
	else if (!env.failed)
		tl_warn("counts cannot be shown: %s", strerror(-ret));
	env.failed |= ret;
	begin_again();
}

static int on_end(struct tl_session *s)
{
	(void)s;
	tl_table_free(env.groups);
	tl_pairs_free(env.threads);
	free_group(&env.others);
	tl_tally_free(env.seen[NATIVE]);
	tl_tally_free(env.seen[COMPAT]);
	free(env.rows);
	return env.failed ? -ENOMEM : 0;
}

/* ---- set-up ------------------------------------------------------------ */

/*
 * The numbers wanted, of both word sizes, and what tells of which one a program
 * is; empty when they are too many.
 */
static void make_filter(struct tl_filter *f)
{
	const size_t most = sizeof(f->text) - 32;
	size_t len = 0;
	int nr;

	f->text[0] = '\0';
	if (!env.list)
		return;
	for (nr = 0; nr < TL_SYSCALLS && len < most; nr++)
		if (env.wanted[NATIVE][nr] || env.wanted[COMPAT][nr] ||
		    nr == env.known[NATIVE][EXECVE] ||
		    nr == env.known[COMPAT][EXECVE])
			len += snprintf(f->text + len, sizeof(f->text) - len,
					"%sid == %d", len ? " || " : "", nr);
	if (is_wanted(NATIVE, env.known[NATIVE][SIGRETURN]) && len < most)
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

static int add_event(struct tl_session *s, const char *name,
		     tl_handler *handler, struct tl_event **ev)
{
	*ev = tl_event_add(s, "raw_syscalls", name, handler);
	if (*ev)
		return 0;
	return errno == ENOENT ? no_tracepoint(name) : -errno;
}

static int count_returns(struct tl_session *s)
{
	struct tl_filter filter;
	struct tl_event *ev;
	int ret = add_event(s, "sys_exit", on_return, &ev);

	if (ret)
		return ret;
	make_filter(&filter);
	ret = tl_event_long_field(s, ev, "id", &env.nr) ?:
	      tl_event_long_field(s, ev, "ret", &env.ret) ?:
	      tl_event_filter(s, ev, filter.text);
	if (!ret && env.time_spent)
		ret = add_event(s, "sys_enter", on_enter, &ev)
			      ?: tl_event_filter(s, ev, filter.text);
	return ret ?: tl_syscall_ends(s, on_exit_call, on_exit_group);
}

static int count_in_kernel(struct tl_session *s)
{
	static const char advice[] = "which is a fault of this tool";
	struct tl_event *ev;
	int ret = add_event(s, "sys_enter", NULL, &ev);

	if (ret)
		return ret;
	env.seen[NATIVE] = tl_tally_new();
	env.seen[COMPAT] = tl_tally_new();
	if (!env.seen[NATIVE] || !env.seen[COMPAT])
		return -ENOMEM;
	env.trigger[NATIVE] =
		tl_trigger_hist(s, ev, "keys=id", TABLE_SIZE, "", advice);
	if (!env.trigger[NATIVE])
		return -errno;
	ev = tl_syscall_compat(s);
	if (!ev)
		return errno == ENOENT ? 0 : -errno;
	env.trigger[COMPAT] =
		tl_trigger_hist(s, ev, "keys=nr", TABLE_SIZE, "", advice);
	return env.trigger[COMPAT] ? 0 : -errno;
}

static void print_banner(struct tl_session *s)
{
	const struct tl_settings *set = tl_settings(s);
	const char *user = tl_command_user(s);
	char who[256], top[32] = "", length[40] = "";
	const char *command = tl_command_text(s);

	tl_banner_who(s, who, sizeof(who));
	if (set->pid.count)
		snprintf(who, sizeof(who), " PID %s", set->pid.text);
	if (set->duration)
		snprintf(length, sizeof(length), " for %.10g seconds",
			 (double)set->duration / 1e9);
	if (env.top)
		snprintf(top, sizeof(top), ". Top %u only", env.top);
	if (command)
		tl_print(s, "Tracing while running: \"%s\"%s%s%s...", command,
			 user ? " as " : "", user ?: "", top);
	else
		tl_print(s, "Tracing%s%s%s...%s", who, length, top,
			 set->duration ? "" : " Ctrl-C to end.");
}

static void know_numbers(void)
{
	unsigned int size, i;

	for (size = 0; size < SIZES; size++)
		for (i = 0; i < KNOWN; i++)
			env.known[size][i] =
				tl_syscall_number(size, known_names[i]);
}

static int setup(struct tl_session *s)
{
	int ret = env.in_kernel ? tl_syscall_names() : tl_syscalls_open(s);

	if (ret)
		return ret;
	know_numbers();
	init_group(&env.others, 0, (struct tl_str){ "[others]", 8 });
	env.groups = new_groups();
	env.threads =
		tl_pairs_new(sizeof(struct thread), MAX_THREADS, forget_last);
	if (!env.groups || !env.threads)
		return -ENOMEM;
	if (env.by_process || !env.by_call)
		tl_column_show(s, COMM, TL_SHOW_ALL);
	print_banner(s);
	/* at the end, if not before */
	tl_interval(s, env.interval ?: INT64_MAX, 0, on_interval);
	return env.in_kernel ? count_in_kernel(s) : count_returns(s);
}

/* ---- arguments --------------------------------------------------------- */

static bool want(const char *name)
{
	int size, nr, found = 0;

	for (size = 0; size < SIZES; size++) {
		nr = tl_syscall_number(size, name);
		if (nr < 0 || nr >= TL_SYSCALLS)
			continue;
		env.wanted[size][nr] = true;
		found++;
	}
	return found;
}

/* Tracepoints have other names for some: newfstat, newuname. */
static int parse_list(char *list)
{
	char *name, *rest = list;
	int ret = tl_syscall_names(), found = 0;

	while (!ret && (name = strsep(&rest, ", "))) {
		if (!*name)
			continue;
		found++;
		if (want(name) || (!strncmp(name, "new", 3) && want(name + 3)))
			continue;
		ret = tl_usage("-e: there is no system call \"%s\"", name);
		tl_syscall_suggest(name);
	}
	return ret || found ? ret : tl_usage("-e: no system call is named");
}

static int args(struct tl_session *s, int argc, char **argv)
{
	const struct tl_settings *set = tl_settings(s);
	const bool some = set->pid.count || set->tid.count || set->cgroup ||
			  set->name.text || argc;
	char *list;
	int ret = 0;

	if (env.in_kernel && (!env.by_call || env.by_process || some ||
			      env.errors || env.time_spent || env.list))
		return tl_usage(
			"--in-kernel counts all calls, by call: with -c "
			"and without other choices");
	if (env.user && !argc)
		return tl_usage("--user is for a command, and there is none");
	if (env.list) {
		list = strdup(env.list);
		ret = list ? parse_list(list) : -ENOMEM;
		free(list);
	}
	if (!ret && argc)
		ret = tl_command(s, argv, env.user);
	return ret;
}

static int check(struct tl_session *s)
{
	static const char *const need[] = { "sys_exit", "sys_enter" };
	unsigned int i;

	for (i = 0; i < 2; i++)
		if (!tl_event_exists(s, "raw_syscalls", need[i]))
			return no_tracepoint(need[i]);
	/* calls that do not return are counted by probes */
	return tl_kprobe_check(s) ?:
	       tl_syscall_names() ?:
	       tl_limit(s, "--in-kernel", env.in_kernel,
				   tl_trigger_check);
}

static const struct tl_tool syscount = {
	.name = "syscount",
	.summary = "count system calls",
	.synopsis = "[command [argument...]]",
	.examples = {
		{ "syscount -cd 5 -t 10", "the ten calls that are made most" },
		{ "syscount -c --time-spent ls -l /",
		  "what a command does, and how long" },
		{ "syscount -cv --errors --time-spent -d 5",
		  "who calls what, how much fails, how long it takes" },
	},
	.options = options,
	.columns = columns,
	.without = TL_COMMAND,
	.buffer_kb = 8192,
	.quiet = true,
	.args = args,
	.check = check,
	.setup = setup,
	.lost = on_lost,
	.task = on_task,
	.end = on_end,
};

TL_MAIN(syscount)
