// SPDX-License-Identifier: GPL-2.0-or-later
/* opensnoop - trace open() with file name and result */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>

#include "tracelet.h"
#include "tracelet/pairs.h"
#include "tracelet/proc.h"
#include "tracelet/source.h"

static struct {
	bool times, failed, with_errno, decimal, full_path;
	bool lost;       /* records were */
	bool has_result; /* the event that tells the name */
	struct tl_regex file;
	/* where the values are in the events at hand */
	struct tl_field name, dfd, ret;
	struct tl_pairs *names; /* by thread, where that takes two events */
} env;

static const struct tl_opt options[] = {
	{ 't', NULL, NULL, "show the time of completion", TL_OPT_FLAG,
	  &env.times },
	{ 'x', NULL, NULL, "only opens that failed, with their errno",
	  TL_OPT_FLAG, &env.failed },
	{ 0, "errno", NULL, "show the errno of opens that failed", TL_OPT_FLAG,
	  &env.with_errno },
	{ 0, "decimal-fd", NULL, "show file descriptors in decimal",
	  TL_OPT_FLAG, &env.decimal },
	{ 0, "full-path", NULL, "resolve relative names", TL_OPT_FLAG,
	  &env.full_path },
	{ 0 }
};

enum { TIME, COMM, PID, TID, FD, ERR, FILE_NAME };

static const struct tl_column columns[] = {
	[TIME] = { "TIMEs", "time", -16, TL_TIME, TL_SHOW_DATA, &env.times,
		   .metric =
			   TL_ROWS("opens",
				   "Files that programs opened, or tried to") },
	[COMM] = { "COMM", "comm", -16, TL_STR, TL_SHOW_ALL },
	[PID] = { "PID", "pid", -6, TL_INT, TL_SHOW_ALL },
	[TID] = { "TID", "tid", -6, TL_INT, TL_SHOW_DATA },
	[FD] = { "FD", "fd", 4, TL_HEX, TL_SHOW_ALL },
	[ERR] = { "ERR", "error", -12, TL_STR, TL_SHOW_DATA, &env.with_errno,
		  .metric = TL_LABEL },
	[FILE_NAME] = { "FILE", "file", 0, TL_STR, TL_SHOW_ALL,
			.role = TL_ROLE_TITLE },
	{ 0 }
};

struct pending {
	struct tl_str name; /* a copy */
	int dfd;
};

static void free_pending(void *data)
{
	tl_str_free(&((struct pending *)data)->name);
}

/* ---- rows ------------------------------------------------------------- */

static void print_name(struct tl_session *s, const struct tl_record *r, int ret,
		       struct tl_str name)
{
	if (!tl_cpu_matches(s, r->cpu) ||
	    (env.file.text && !tl_regex_match(&env.file, name.text, name.len)))
		return;
	tl_put_int(s, TIME, r->ns);
	tl_put_task(s, r->pid, COMM, PID, TID);
	tl_put_int(s, FD, ret < 0 ? -1 : ret);
	tl_put_text(s, ERR, tl_errno_name(-ret));
	/* an empty name fails with ENOENT, as does one that was lost */
	if (name.len || (ret == -ENOENT && !env.lost))
		tl_put_str(s, FILE_NAME, name);
	tl_row(s);
}

static void print(struct tl_session *s, const struct tl_record *r, int ret,
		  int dfd, struct tl_str name)
{
	if (env.failed && ret >= 0)
		return;
	if (env.full_path)
		name = tl_path_resolve(s, r->pid, dfd, name);
	print_name(s, r, ret, name);
}

/* Result and name, as user memory has it at return, in one event. */
static void on_return(struct tl_session *s, const struct tl_record *r)
{
	int dfd = env.full_path ? tl_field_num(r, &env.dfd) : AT_FDCWD;

	print(s, r, tl_field_num(r, &env.ret), dfd, tl_field_str(r, &env.name));
}

/* The kernel's copy of the name, before the result is known. */
static void on_name(struct tl_session *s, const struct tl_record *r)
{
	struct pending *p = tl_pairs_put(env.names, r->pid);

	if (!p)
		return;
	p->name = tl_str_copy(tl_field_str(r, &env.name));
	p->dfd = tl_field_num(r, &env.dfd);
}

static void on_exit_(struct tl_session *s, const struct tl_record *r)
{
	struct pending *p = tl_pairs_get(env.names, r->pid);
	int ret = tl_field_num(r, &env.ret);

	/*
	 * EFAULT: the kernel never had a name, so that one is not of this open
	 */
	if (p && ret != -EFAULT)
		print(s, r, ret, p->dfd, p->name);
	else
		print(s, r, ret, AT_FDCWD, (struct tl_str){ "", 0 });
	tl_pairs_drop(env.names, r->pid);
}

static void on_lost(struct tl_session *s, unsigned int cpu)
{
	env.lost = true;
}

/* ---- sources ---------------------------------------------------------- */

static void filter_returns(struct tl_session *s, const struct tl_event *ev,
			   struct tl_filter *f)
{
	tl_filter_match(s, f, "comm", &tl_settings(s)->name);
	if (env.failed)
		tl_filter_and(f, "fd < 0");
	if (!env.full_path)
		tl_filter_match(s, f, "file", &env.file);
}

static const struct tl_source_field of_return[] = {
	{ "fd", &env.ret, "$retval", .type = "s32" },
	{ "file", &env.name, "+0($arg2)", .type = "ustring" },
	{ "dfd", &env.dfd, "$arg1", .type = "s32", .given = &env.full_path },
	{ 0 }
};

static void filter_names(struct tl_session *s, const struct tl_event *ev,
			 struct tl_filter *f)
{
	tl_filter_match(s, f, "comm", &tl_settings(s)->name);
	tl_filter_and(f, "user != 0 && !(flags & 0x20)");
}

static void filter_exits(struct tl_session *s, const struct tl_event *ev,
			 struct tl_filter *f)
{
	tl_filter_match(s, f, "comm", &tl_settings(s)->name);
	if (env.failed)
		tl_filter_and(f, "ret < 0");
}

static const struct tl_source_field of_name[] = {
	{ "file", &env.name, "+0(+0($arg2))", .type = "string" },
	{ "user", NULL, "+8($arg2)", .type = "x64" },
	{ "flags", NULL, "+0($arg3)", .type = "u32" },
	{ "dfd", &env.dfd, "$arg1", .type = "s32" },
	{ 0 }
};

static const struct tl_source_field of_exit[] = {
	{ "ret", &env.ret },
	{ 0 },
};

#define NO_EVENTS                                                     \
	"this kernel lets none of do_sys_openat2 (with arguments at " \
	"return), or do_filp_open or do_file_open and "               \
	"syscalls:sys_exit_openat (CONFIG_FTRACE_SYSCALLS), be traced"
#define NO_COMPAT                                                         \
	"their opens are not shown: this kernel has no arguments at the " \
	"return of a function (6.9 on)"

static const struct tl_source sources[] = {
	/*
	 * 6.9 on: a return probe has the entry arguments.  At entry the name may
	 * be on a page that is not resident yet; at return the kernel has read
	 * it.  Opens can sleep (a FIFO), hence so many instances: more are
	 * counted as missed.
	 */
	{ "do_sys_openat2", on_return, of_return, .type = "r512",
	  .name = "open", .add_filter = filter_returns,
	  .found = &env.has_result,
	  .flags = TL_SOURCE_OPTIONAL | TL_SOURCE_RETURN_ARGS,
	  .limit = sizeof(long) == 4 ? NULL : "32-bit programs",
	  .missing = NO_COMPAT },
	/*
	 * Else two events.  The function that gets the kernel's copy of the name
	 * also serves exec (__FMODE_EXEC in the flags) and the kernel's own opens
	 * (no user pointer), which no system call's end follows.
	 */
	{ "do_filp_open|do_file_open", on_name, of_name, .name = "name",
	  .add_filter = filter_names, .unless = &env.has_result,
	  .missing = NO_EVENTS },
	{ "syscalls:sys_exit_openat", on_exit_, of_exit,
	  .add_filter = filter_exits, .unless = &env.has_result,
	  .missing = NO_EVENTS },
	/* not every architecture has them all */
	{ "syscalls:sys_exit_open", on_exit_, of_exit,
	  .add_filter = filter_exits, .unless = &env.has_result,
	  .flags = TL_SOURCE_OPTIONAL },
	{ "syscalls:sys_exit_openat2", on_exit_, of_exit,
	  .add_filter = filter_exits, .unless = &env.has_result,
	  .flags = TL_SOURCE_OPTIONAL },
	{ "syscalls:sys_exit_creat", on_exit_, of_exit,
	  .add_filter = filter_exits, .unless = &env.has_result,
	  .flags = TL_SOURCE_OPTIONAL },
	{ 0 }
};

static int setup(struct tl_session *s)
{
	tl_banner(s, "Tracing open()s%s%s%s%s", tl_banner_who(s),
		  env.file.text ? " for filenames containing \"" : "",
		  env.file.text ?: "", env.file.text ? "\"" : "");
	if (env.failed)
		tl_column_show(s, ERR, TL_SHOW_ALL);
	if (env.decimal)
		tl_column_type(s, FD, TL_INT);
	if (env.full_path)
		tl_keep_capability(s, CAP_SYS_PTRACE);
	env.names =
		tl_pairs_open(s, sizeof(struct pending), 4096, free_pending);
	return env.names ? 0 : -ENOMEM;
}

static const struct tl_tool opensnoop = {
	.name = "opensnoop",
	.summary = "trace open() with file name and result",
	.examples = {
		{ "opensnoop", "who opens which files" },
		{ "opensnoop -x",
		  "what is looked for in vain, with the error" },
		{ "opensnoop -tx -n '^nginx$' '\\.conf$'",
		  "only of one program, and files named so" },
	},
	.options = options,
	.operands = TL_OPERANDS({ "filename", TL_OPT_REGEX, &env.file }),
	.columns = columns,
	.pictured = { .unit = "opens" },
	.flags = TL_FILTERS_CPUS,
	.sources = sources,
	.setup = setup,
	.lost = on_lost,
};

TL_MAIN(opensnoop)
