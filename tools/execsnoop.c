// SPDX-License-Identifier: GPL-2.0-or-later
/* execsnoop - trace exec() with arguments */
#include <errno.h>

#include "tracelet.h"
#include "tracelet/execargs.h"
#include "tracelet/pairs.h"
#include "tracelet/source.h"

static struct {
	bool times, again, failed, uid;
	unsigned int max_args;
	struct tl_regex name;
	struct tl_pairs *execs; /* by thread: struct exec */
	struct tl_pairs *seen;  /* by process: has had its row */
	struct tl_exec_probe *args;
	struct tl_field ppid, user, file, tried, ret;
} env;

static const struct tl_opt options[] = {
	{ 'a', NULL, "ARGC", "show at most ARGC arguments", TL_OPT_UINT,
	  &env.max_args, NULL, 1, 1000000 },
	{ 'r', NULL, NULL, "show programs that a process runs after its first",
	  TL_OPT_FLAG, &env.again },
	{ 't', NULL, NULL, "show the time", TL_OPT_FLAG, &env.times },
	{ 'u', "uid", NULL, "show the user id", TL_OPT_FLAG, &env.uid },
	{ 0, "failed", NULL, "show exec() that failed too, with errno",
	  TL_OPT_FLAG, &env.failed },
	{ 0 }
};

enum { TIME, UID, PID, PPID, ERR, FILE_NAME, ARGS };

static const struct tl_column columns[] = {
	[TIME] = { "TIMEs", "time", -16, TL_TIME, TL_SHOW_DATA, &env.times,
		   .metric = TL_ROWS("execs", "Programs that were executed, or "
					      "with --failed could not be") },
	[UID] = { "UID", "uid", 6, TL_INT, TL_SHOW_DATA, &env.uid },
	[PID] = { "PID", "pid", 6, TL_INT, TL_SHOW_ALL },
	[PPID] = { "PPID", "ppid", 6, TL_INT, TL_SHOW_ALL },
	[ERR] = { "ERR", "error", -12, TL_STR, TL_SHOW_DATA, &env.failed,
		  .metric = TL_LABEL },
	[FILE_NAME] = { "FILE", "file", 0, TL_STR, TL_SHOW_DATA,
			.role = TL_ROLE_TITLE },
	[ARGS] = { "ARGS", "args", 0, TL_ARGV, TL_SHOW_ALL },
	{ 0 }
};

/* An exec() that is under way. */
struct exec {
	int ppid;
	int64_t uid;         /* -1: not known */
	struct tl_str tried; /* the file, before it was opened; a copy */
	struct tl_exec_args args;
};

static void free_exec(void *data)
{
	struct exec *e = data;

	tl_exec_args_free(&e->args);
	tl_str_free(&e->tried);
}

/* ---- rows ------------------------------------------------------------- */

static void print(struct tl_session *s, const struct tl_record *r,
		  struct exec *e, struct tl_str file, int ret)
{
	if (!tl_cpu_matches(s, r->cpu) ||
	    !tl_exec_args_match(&e->args, &env.name, file) ||
	    !tl_exec_args_match(&e->args, &tl_settings(s)->name, file))
		return;
	tl_put_int(s, TIME, r->ns);
	tl_put_int(s, PID, r->pid);
	if (e->ppid)
		tl_put_int(s, PPID, e->ppid);
	if (e->uid >= 0)
		tl_put_int(s, UID, e->uid);
	tl_put_text(s, ERR, tl_errno_name(-ret));
	if (file.len)
		tl_put_str(s, FILE_NAME, file);
	/* the kernel reads arguments only once it has the file */
	tl_put_exec_args(s, ARGS, &e->args, r->pid, env.max_args, file);
	tl_row(s);
}

/* The file that is tried; then that of its interpreter or loader. */
static void on_try(struct tl_session *s, const struct tl_record *r)
{
	struct exec *e = tl_pairs_get(env.execs, r->pid);

	if (!e)
		e = tl_pairs_put(env.execs, r->pid);
	if (e && !e->tried.text)
		e->tried = tl_str_copy(tl_field_str(r, &env.tried));
}

/* The old program's memory goes: from here on an exec cannot fail. */
static void on_task(struct tl_session *s, const struct tl_record *r)
{
	struct exec *e = tl_pairs_put(env.execs, r->pid);

	if (!e)
		return;
	e->ppid = tl_field_num(r, &env.ppid);
	e->uid = tl_field_num(r, &env.user);
}

static void on_args(struct tl_session *s, const struct tl_record *r)
{
	struct exec *e = tl_pairs_get(env.execs, r->pid);

	if (e)
		tl_exec_args_take(env.args, &e->args, r);
}

static void on_exec(struct tl_session *s, const struct tl_record *r)
{
	struct exec nothing = { .uid = -1 };
	struct exec *e = tl_pairs_get(env.execs, r->pid);

	if (env.again || !tl_pairs_get(env.seen, r->pid))
		print(s, r, e ?: &nothing, tl_field_str(r, &env.file), 0);
	tl_pairs_put(env.seen, r->pid);
	tl_pairs_drop(env.execs, r->pid);
}

static void on_failure(struct tl_session *s, const struct tl_record *r)
{
	struct exec *e = tl_pairs_get(env.execs, r->pid);
	struct exec failed = { .ppid = tl_task_parent(s, r->pid), .uid = -1 };
	struct tl_str none = { "", 0 };

	print(s, r, &failed, e && e->tried.text ? e->tried : none,
	      tl_field_num(r, &env.ret));
	tl_pairs_drop(env.execs, r->pid);
}

/* ---- sources ---------------------------------------------------------- */

static const struct tl_source_field of_task[] = {
	{ "ppid", &env.ppid, "$arg1",
	  "task_struct.real_parent task_struct.tgid", "s32",
	  .by_name = "tsk->real_parent->tgid" },
	{ "uid", &env.user, "$arg1", "task_struct.cred cred.uid", "u32",
	  .by_name = "tsk->cred->uid.val" },
	{ 0 }
};

static const struct tl_source sources[] = {
	{ "exec_mm_release", on_task, of_task, .name = "task" },
	{ "sched:sched_process_exec", on_exec,
	  TL_SOURCE_FIELDS({ "filename", &env.file }) },
	{ "do_open_execat", on_try,
	  TL_SOURCE_FIELDS(
		  { "file", &env.tried, "+0(+0($arg2))", .type = "string" }),
	  .name = "try", .given = &env.failed, .limit = "--failed" },
	{ "syscalls:sys_exit_execve", on_failure,
	  TL_SOURCE_FIELDS({ "ret", &env.ret }), .filter = "ret < 0",
	  .given = &env.failed, .limit = "--failed" },
	{ "syscalls:sys_exit_execveat", on_failure,
	  TL_SOURCE_FIELDS({ "ret", &env.ret }), .filter = "ret < 0",
	  .given = &env.failed, .limit = "--failed" },
	{ 0 }
};

/* ---- set-up ----------------------------------------------------------- */

static void set_banner(struct tl_session *s)
{
	if (env.name.text)
		tl_banner(s, "Tracing exec()s issued by process name \"%s\"",
			  env.name.text);
	else
		tl_banner(s, "Tracing exec()s%s", tl_banner_who(s));
}

static int setup(struct tl_session *s)
{
	set_banner(s);
	env.execs =
		tl_pairs_open_threads(s, sizeof(struct exec), 4096, free_exec);
	/*
	 * Cleared where records were lost, and gone with the first thread of a
	 * process: a row too many is better than none.
	 */
	env.seen = tl_pairs_open_threads(s, 0, 65536, NULL);
	if (!env.execs || !env.seen)
		return -ENOMEM;
	env.args = tl_exec_args_add(s, on_args);
	return env.args ? 0 : -errno;
}

static const struct tl_tool execsnoop = {
	.name = "execsnoop",
	.summary = "trace exec() with arguments",
	.examples = {
		{ "execsnoop", "all new programs" },
		{ "execsnoop -tu --failed",
		  "with time and user, and what could not be run" },
		{ "execsnoop -rt -p $$ --follow",
		  "all that this shell and its children run" },
	},
	.options = options,
	.operands = TL_OPERANDS({ "name", TL_OPT_REGEX, &env.name }),
	.columns = columns,
	.pictured = { .unit = "programs" },
	.flags = TL_FILTERS_NAMES | TL_FILTERS_CPUS,
	.sources = sources,
	.check = tl_exec_args_check,
	.setup = setup,
};

TL_MAIN(execsnoop)
