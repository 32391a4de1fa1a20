// SPDX-License-Identifier: GPL-2.0-or-later
/* opensnoop - trace open() with file name and result */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracelet.h"

static struct {
	bool times, failed, with_errno, decimal, full_path;
	bool lost; /* records were */
	struct tl_regex file;
	/* where the values are in the events at hand */
	struct tl_field name, dfd, ret;
	struct tl_pairs
		*names; /* by thread, for kernels that need two events */
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

static const struct tl_operand operands[] = {
	{ "filename", TL_OPT_REGEX, &env.file },
	{ 0 },
};

enum { TIME, COMM, PID, TID, FD, ERR, FILE_NAME };

static const struct tl_column columns[] = {
	[TIME] = { "TIMEs", "time", -16, TL_TIME, TL_SHOW_DATA, &env.times },
	[COMM] = { "COMM", "comm", -16, TL_STR, TL_SHOW_ALL },
	[PID] = { "PID", "pid", -6, TL_INT, TL_SHOW_ALL },
	[TID] = { "TID", "tid", -6, TL_INT, TL_SHOW_DATA },
	[FD] = { "FD", "fd", 4, TL_HEX, TL_SHOW_ALL },
	[ERR] = { "ERR", "error", -12, TL_STR, TL_SHOW_DATA, &env.with_errno },
	[FILE_NAME] = { "FILE", "file", 0, TL_STR, TL_SHOW_ALL },
	{ 0 }
};

struct pending {
	char *name;
	size_t len;
	int dfd;
};

static void free_pending(void *data)
{
	free(((struct pending *)data)->name);
}

/* ---- rows ------------------------------------------------------------- */

static void print_name(struct tl_session *s, const struct tl_record *r, int ret,
		       struct tl_str name)
{
	if (env.file.text && !tl_regex_match(&env.file, name.text, name.len))
		return;
	tl_put_int(s, TIME, r->ns);
	tl_put_task(s, r->pid, COMM, PID, TID);
	tl_put_int(s, FD, ret < 0 ? -1 : ret);
	if (ret < 0 && tl_errno_name(-ret))
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
		name = tl_path_resolve(r->pid, dfd, name);
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
	struct tl_str name = tl_field_str(r, &env.name);

	(void)s;
	if (!p)
		return;
	p->name = strndup(name.text, name.len);
	p->len = p->name ? name.len : 0;
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
		print(s, r, ret, p->dfd, (struct tl_str){ p->name, p->len });
	else
		print(s, r, ret, AT_FDCWD, (struct tl_str){ "", 0 });
	tl_pairs_drop(env.names, r->pid);
}

static void on_lost(struct tl_session *s, unsigned int cpu)
{
	(void)s;
	(void)cpu;
	env.lost = true;
	if (env.names)
		tl_pairs_clear(env.names);
}

/* ---- events ----------------------------------------------------------- */

/*
 * 6.9 on: a return probe has the entry arguments.  At entry the name may be
 * on a page that is not resident yet; at return the kernel has read it.  Opens
 * can sleep (a FIFO), hence so many instances: more are counted as missed.
 */
static int setup_one_event(struct tl_session *s, struct tl_filter *f)
{
	struct tl_event *ev;

	ev = tl_probe_add(s, "r512", "open", "do_sys_openat2",
			  env.full_path
				  ? "fd=$retval:s32 file=+0($arg2):ustring "
				    "dfd=$arg1:s32"
				  : "fd=$retval:s32 file=+0($arg2):ustring",
			  on_return);
	if (!ev)
		return -errno;
	if (env.failed)
		tl_filter_and(f, "fd < 0");
	if (!env.full_path)
		tl_filter_match(f, "file", &env.file);
	return tl_event_filter(s, ev, f->text) ?:
	       tl_event_field(s, ev, "fd", &env.ret) ?:
	       tl_event_field(s, ev, "file", &env.name) ?:
	       (env.full_path ? tl_event_field(s, ev, "dfd", &env.dfd) : 0);
}

/*
 * The function that gets the kernel's copy of the name.  It also serves exec
 * (__FMODE_EXEC in the flags) and the kernel's own opens (no user pointer),
 * which no system call's end follows.
 */
static struct tl_event *add_name_probe(struct tl_session *s)
{
	static const char *const functions[] = { "do_filp_open",
						 "do_file_open" };
	const char *args = "file=+0(+0($arg2)):string user=+8($arg2):x64 "
			   "flags=+0($arg3):u32 dfd=$arg1:s32";
	struct tl_event *ev = NULL;
	unsigned int i;

	for (i = 0; i < 2 && !ev; i++) {
		errno = 0;
		ev = tl_probe_add(s, "p", "name", functions[i], args, on_name);
		if (!ev && errno != ENOENT)
			break;
	}
	return ev;
}

static int add_exits(struct tl_session *s, const struct tl_filter *common)
{
	static const char *const exits[] = { "sys_exit_open", "sys_exit_openat",
					     "sys_exit_openat2",
					     "sys_exit_creat" };
	struct tl_filter f = *common;
	struct tl_event *ev;
	unsigned int i, found = 0;
	int ret = 0;

	if (env.failed)
		tl_filter_and(&f, "ret < 0");
	for (i = 0; i < 4 && !ret; i++) {
		/* not every architecture has them all */
		ev = tl_event_add(s, "syscalls", exits[i], on_exit_);
		if (!ev)
			continue;
		found++;
		ret = tl_event_filter(s, ev, f.text)
			      ?: tl_event_field(s, ev, "ret", &env.ret);
	}
	return ret || found ? ret : -ENOENT;
}

static int no_events(void)
{
	return tl_fail(ENOTSUP,
		       "this kernel lets none of do_sys_openat2 (with "
		       "arguments at return), or do_filp_open or do_file_open "
		       "and syscalls:sys_exit_openat (CONFIG_FTRACE_SYSCALLS), "
		       "be traced");
}

static int setup_two_events(struct tl_session *s, struct tl_filter *f)
{
	struct tl_event *name = add_name_probe(s);
	int ret = name ? add_exits(s, f) : -errno;

	if (ret)
		return ret == -ENOENT ? no_events() : ret;
	env.names = tl_pairs_new(sizeof(struct pending), 4096, free_pending);
	if (!env.names)
		return -ENOMEM;
	tl_filter_and(f, "user != 0 && !(flags & 0x20)");
	return tl_event_filter(s, name, f->text) ?:
	       tl_event_field(s, name, "file", &env.name) ?:
	       tl_event_field(s, name, "dfd", &env.dfd);
}

static int setup(struct tl_session *s)
{
	struct tl_filter f = { "" };
	char who[128];
	int ret = -ENOENT;

	tl_banner_who(s, who, sizeof(who));
	tl_banner(s, "Tracing open()s%s%s%s%s", who,
		  env.file.text ? " for filenames containing \"" : "",
		  env.file.text ?: "", env.file.text ? "\"" : "");
	if (env.failed)
		tl_column_show(s, ERR, TL_SHOW_ALL);
	if (env.decimal)
		tl_column_type(s, FD, TL_INT);
	if (env.full_path)
		tl_keep_capability(s, CAP_SYS_PTRACE);
	tl_filter_match(&f, "comm", &tl_settings(s)->name);
	if (tl_feature(s, TL_FEATURE_RETURN_ARGS))
		ret = setup_one_event(s, &f);
	return ret == -ENOENT ? setup_two_events(s, &f) : ret;
}

static int no_compat(struct tl_session *s)
{
	(void)s;
	return tl_fail(ENOTSUP, "their opens are not shown: this kernel has no "
				"arguments at the return of a function (6.9 "
				"on)");
}

static int check(struct tl_session *s)
{
	int ret = tl_kprobe_check(s);

	if (ret || (tl_feature(s, TL_FEATURE_RETURN_ARGS) &&
		    tl_function_exists(s, "do_sys_openat2")))
		return ret;
	if ((!tl_function_exists(s, "do_filp_open") &&
	     !tl_function_exists(s, "do_file_open")) ||
	    !tl_event_exists(s, "syscalls", "sys_exit_openat"))
		return no_events();
	return sizeof(long) == 8
		       ? tl_limit(s, "32-bit programs", false, no_compat)
		       : 0;
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
	.operands = operands,
	.columns = columns,
	.check = check,
	.setup = setup,
	.lost = on_lost,
};

TL_MAIN(opensnoop)
