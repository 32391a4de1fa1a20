// SPDX-License-Identifier: GPL-2.0-or-later
/* execsnoop - trace exec() with arguments */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracelet.h"

#define MAX_ARGS 128
/* a probe reads a string up to PATH_MAX, its NUL included */
#define MAX_STRING 4095

/*
 * A probe takes arguments LOW to the next one's LOW, because a record must fit
 * into 4 KiB and the string behind the last argument is the first of the
 * environment: finer steps waste less.  A part is recorded only for programs
 * that have as many arguments.
 */
static const unsigned int part_low[] = { 0, 1,  2,  3,  4,       6,
					 8, 16, 32, 64, MAX_ARGS };
#define PARTS 10

static struct {
	bool times, again, failed, uid;
	unsigned int max_args;
	struct tl_regex name;
	struct tl_pairs *execs; /* by thread: struct exec */
	struct tl_pairs *seen;  /* by process: has had its row */
	struct {
		struct tl_event *ev;
		struct tl_field argc, arg[MAX_ARGS / 2];
	} part[PARTS];
	struct tl_field ppid, user, file, tried, ret, child;
} env;

static const struct tl_opt options[] = {
	{ 'a', NULL, "ARGC", "show at most ARGC arguments", TL_OPT_UINT,
	  &env.max_args, NULL, 1, 1000000 },
	{ 'r', NULL, NULL, "show programs that a process runs after its first",
	  TL_OPT_FLAG, &env.again, NULL, 0, 0 },
	{ 't', NULL, NULL, "show the time", TL_OPT_FLAG, &env.times, NULL, 0,
	  0 },
	{ 'u', "uid", NULL, "show the user id", TL_OPT_FLAG, &env.uid, NULL, 0,
	  0 },
	{ 0, "failed", NULL, "show exec() that failed too, with errno",
	  TL_OPT_FLAG, &env.failed, NULL, 0, 0 },
	{ 0 }
};

enum { TIME, UID, PID, PPID, ERR, FILE_NAME, ARGS };

static const struct tl_column columns[] = {
	[TIME] = { "TIMEs", "time", -16, TL_TIME, TL_SHOW_DATA },
	[UID] = { "UID", "uid", 6, TL_INT, TL_SHOW_DATA },
	[PID] = { "PID", "pid", 6, TL_INT, TL_SHOW_ALL },
	[PPID] = { "PPID", "ppid", 6, TL_INT, TL_SHOW_ALL },
	[ERR] = { "ERR", "error", -12, TL_STR, TL_SHOW_DATA },
	[FILE_NAME] = { "FILE", "file", 0, TL_STR, TL_SHOW_DATA },
	[ARGS] = { "ARGS", "args", 0, TL_ARGV, TL_SHOW_ALL },
	{ 0 }
};

/* What is known of an exec that is under way. */
struct exec {
	int argc; /* 0: no arguments have come */
	int ppid;
	int64_t uid; /* -1: not known */
	char *tried; /* the file, before it was opened */
	char *arg[MAX_ARGS];
};

static void free_exec(void *data)
{
	struct exec *e = data;
	int i;

	for (i = 0; i < MAX_ARGS; i++)
		free(e->arg[i]);
	free(e->tried);
}

/* ---- arguments -------------------------------------------------------- */

/*
 * The first argument is empty where the stack was not understood: 32-bit
 * programs have slots of four bytes there.
 */
static bool has_args(const struct exec *e)
{
	return e->argc > 0 && e->arg[0] && *e->arg[0];
}

static bool is_complete(const struct exec *e, int count)
{
	int i;

	if (!has_args(e) || count > MAX_ARGS)
		return false;
	for (i = 0; i < count; i++)
		if (!e->arg[i] || strlen(e->arg[i]) >= MAX_STRING)
			return false;
	return true;
}

/*
 * For what did not fit into a record, or into a probe: the process may still be
 * there.  It is the same program if the first argument is the same.
 */
static struct tl_str read_cmdline(struct tl_session *s, pid_t pid,
				  const char *first)
{
	char path[64], *text = NULL, *more;
	size_t len = 0;
	ssize_t n = 1;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	/* the processes of a capture are none of this machine's */
	fd = tl_settings(s)->read ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && n > 0 && (more = realloc(text, len + 65537))) {
		text = more;
		n = read(fd, text + len, 65536);
		len += n > 0 ? n : 0;
		text[len] = '\0';
	}
	if (fd >= 0)
		close(fd);
	if (len && (!first || !strcmp(text, first)))
		return (struct tl_str){ text, len };
	free(text);
	return (struct tl_str){ NULL, 0 };
}

static void set(struct tl_named *item, const char *text)
{
	item->value.type = TL_STR;
	item->value.known = text;
	item->value.str = (struct tl_str){ text, text ? strlen(text) : 0 };
}

static int list_cmdline(struct tl_named *list, int max, struct tl_str cmdline)
{
	const char *p = cmdline.text;
	int n;

	for (n = 0; n < max && p < cmdline.text + cmdline.len; n++) {
		set(&list[n], p);
		p += strlen(p) + 1;
	}
	return n;
}

static int list_records(struct tl_named *list, int max, const struct exec *e)
{
	int n;

	for (n = 0; n < max && n < MAX_ARGS; n++) {
		set(&list[n], e->arg[n]);
		list[n].value.more = list[n].value.str.len >= MAX_STRING;
	}
	return n;
}

static int count_args(struct tl_str cmdline)
{
	int count = 0;
	size_t i;

	for (i = 0; i < cmdline.len; i++)
		count += !cmdline.text[i];
	return count;
}

static void print_args(struct tl_session *s, const struct exec *e, pid_t pid,
		       struct tl_str file, bool failed)
{
	int argc = has_args(e) ? e->argc : 0, max = env.max_args, n;
	struct tl_str cmdline = { NULL, 0 };
	struct tl_named *list;

	if (!failed && !is_complete(e, max && max < argc ? max : argc))
		cmdline = read_cmdline(s, pid, argc ? e->arg[0] : NULL);
	if (!argc)
		argc = count_args(cmdline) ?: 2; /* the file, and [?] */
	if (!max || max > argc)
		max = argc;
	if (!cmdline.text && max > MAX_ARGS)
		max = MAX_ARGS;
	list = calloc(max, sizeof(*list));
	if (list) {
		if (cmdline.text)
			n = list_cmdline(list, max, cmdline);
		else
			n = list_records(list, max, e);
		if (!has_args(e) && !cmdline.text)
			list[0].value = (struct tl_value){ .type = TL_STR,
							   .known = file.len,
							   .str = file };
		tl_put_list(s, ARGS, list, n, n < argc);
	}
	tl_row(s);
	free(list);
	free((char *)cmdline.text);
}

/* ---- rows ------------------------------------------------------------- */

/* The new program's name: that of its file, or how it was called. */
static bool is_wanted(const struct tl_regex *re, struct tl_str file,
		      const char *first)
{
	const char *base = memrchr(file.text, '/', file.len);

	base = base ? base + 1 : file.text;
	return tl_regex_match(re, base, file.text + file.len - base) ||
	       (first && tl_regex_match(re, first, strlen(first)));
}

static void print(struct tl_session *s, const struct tl_record *r,
		  const struct exec *e, struct tl_str file, int ret)
{
	if (!is_wanted(&env.name, file, e->arg[0]) ||
	    !is_wanted(&tl_settings(s)->name, file, e->arg[0]))
		return;
	tl_put_int(s, TIME, r->ns);
	tl_put_int(s, PID, r->pid);
	if (e->ppid)
		tl_put_int(s, PPID, e->ppid);
	if (e->uid >= 0)
		tl_put_int(s, UID, e->uid);
	if (ret < 0 && tl_errno_name(-ret))
		tl_put_text(s, ERR, tl_errno_name(-ret));
	if (file.len)
		tl_put_str(s, FILE_NAME, file);
	/* the kernel reads arguments only once it has the file */
	print_args(s, e, r->pid, file, ret < 0);
}

static char *copy(struct tl_str str)
{
	return strndup(str.text, str.len);
}

/* The file that is tried; then that of its interpreter or loader. */
static void on_try(struct tl_session *s, const struct tl_record *r)
{
	struct exec *e = tl_pairs_get(env.execs, r->pid);

	(void)s;
	if (!e)
		e = tl_pairs_put(env.execs, r->pid);
	if (e && !e->tried)
		e->tried = copy(tl_field_str(r, &env.tried));
}

/* The old program's memory goes: from here on an exec cannot fail. */
static void on_task(struct tl_session *s, const struct tl_record *r)
{
	struct exec *e = tl_pairs_put(env.execs, r->pid);

	(void)s;
	if (!e)
		return;
	e->ppid = tl_field_num(r, &env.ppid);
	e->uid = tl_field_num(r, &env.user);
}

static void on_args(struct tl_session *s, const struct tl_record *r)
{
	struct exec *e = tl_pairs_get(env.execs, r->pid);
	unsigned int part = 0, i;

	(void)s;
	while (part < PARTS && env.part[part].ev != r->event)
		part++;
	if (!e || part == PARTS)
		return;
	e->argc = tl_field_num(r, &env.part[part].argc);
	for (i = part_low[part]; i < part_low[part + 1]; i++) {
		if ((int)i >= e->argc)
			break; /* what follows is the environment */
		free(e->arg[i]);
		e->arg[i] = copy(tl_field_str(
			r, &env.part[part].arg[i - part_low[part]]));
	}
}

static void on_exec(struct tl_session *s, const struct tl_record *r)
{
	static const struct exec nothing = { .uid = -1 };
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
	struct tl_str file = { "", 0 };

	if (e && e->tried)
		file = (struct tl_str){ e->tried, strlen(e->tried) };
	print(s, r, &failed, file, tl_field_num(r, &env.ret));
	tl_pairs_drop(env.execs, r->pid);
}

/* A new process, which may have the PID of an old one. */
static void on_new(struct tl_session *s, const struct tl_record *r)
{
	(void)s;
	tl_pairs_drop(env.seen, tl_field_num(r, &env.child));
	tl_pairs_drop(env.execs, tl_field_num(r, &env.child));
}

static void on_lost(struct tl_session *s, unsigned int cpu)
{
	(void)s;
	(void)cpu;
	tl_pairs_clear(env.execs);
	/* a row too many is better than none */
	tl_pairs_clear(env.seen);
}

/* ---- events ----------------------------------------------------------- */

/* Fetch arguments: by name where the kernel knows names, else by offset. */
static struct {
	char argc[64], stack[64], ppid[64], user[64];
} fetch;

static int resolve_offsets(struct tl_session *s)
{
	const char *const need[][2] = {
		{ "linux_binprm", "argc" },       { "linux_binprm", "p" },
		{ "task_struct", "real_parent" }, { "task_struct", "tgid" },
		{ "task_struct", "cred" },        { "cred", "uid" },
	};
	int at[6], i;

	if (tl_feature(s, TL_FEATURE_BTF_ARGS)) {
		strcpy(fetch.argc, "bprm->argc");
		strcpy(fetch.stack, "bprm->p");
		strcpy(fetch.ppid, "tsk->real_parent->tgid");
		strcpy(fetch.user, "tsk->cred->uid.val");
		return 0;
	}
	for (i = 0; i < 6; i++) {
		at[i] = tl_btf_offset(need[i][0], need[i][1]);
		if (at[i] == -ELIBACC)
			return tl_fail(ENOTSUP, "this kernel's probes take no "
						"names, so libbpf is needed: "
						"install libbpf1 or libbpf0");
		if (at[i] < 0)
			return tl_fail(
				ENOTSUP, "this kernel's BTF has no %s.%s (%s)",
				need[i][0], need[i][1], strerror(-at[i]));
	}
	snprintf(fetch.argc, sizeof(fetch.argc), "+%d($arg1)", at[0]);
	snprintf(fetch.stack, sizeof(fetch.stack), "+%d($arg1)", at[1]);
	snprintf(fetch.ppid, sizeof(fetch.ppid), "+%d(+%d($arg1))", at[3],
		 at[2]);
	snprintf(fetch.user, sizeof(fetch.user), "+%d(+%d($arg1))", at[5],
		 at[4]);
	return 0;
}

static int no_function(const char *name)
{
	return tl_fail(ENOTSUP, "this kernel has no function %s", name);
}

static int no_tracepoint(const char *system, const char *name)
{
	return tl_fail(
		ENOTSUP, "this kernel has no tracepoint %s:%s%s", system, name,
		strcmp(system, "syscalls") ? "" : " (CONFIG_FTRACE_SYSCALLS)");
}

static struct tl_event *probe(struct tl_session *s, const char *name,
			      const char *function, const char *fetch_args,
			      tl_handler *handler)
{
	struct tl_event *ev =
		tl_probe_add(s, "p", name, function, fetch_args, handler);

	if (!ev && errno == ENOENT)
		errno = -no_function(function);
	return ev;
}

/*
 * At finalize_exec() the new stack is complete and resident: argc is where the
 * stack pointer is, and the pointers to the arguments follow it.
 */
static int add_part(struct tl_session *s, unsigned int part)
{
	unsigned int low = part_low[part], high = part_low[part + 1], i;
	char text[4096], name[16];
	struct tl_filter f = { "" };
	struct tl_event *ev;
	int len, ret;

	len = snprintf(text, sizeof(text), "argc=%s:s32", fetch.argc);
	for (i = low; i < high; i++)
		len += snprintf(text + len, sizeof(text) - len,
				" a%u=+u0(+u%zu(%s)):ustring", i,
				(i + 1) * sizeof(long), fetch.stack);
	snprintf(name, sizeof(name), "args%u", low);
	ev = probe(s, name, "finalize_exec", text, on_args);
	if (!ev)
		return -errno;
	env.part[part].ev = ev;
	tl_filter_and(&f, "argc > %u", low);
	ret = tl_event_filter(s, ev, f.text)
		      ?: tl_event_field(s, ev, "argc", &env.part[part].argc);
	for (i = low; !ret && i < high; i++) {
		snprintf(name, sizeof(name), "a%u", i);
		ret = tl_event_field(s, ev, name, &env.part[part].arg[i - low]);
	}
	return ret;
}

/*
 * Few programs have many arguments, and to fetch what is not there costs most:
 * the upper parts wait for the first program that has as many.  Of the probes
 * at a place the one defined last runs first, so it can wake the others in time
 * for the same program.
 */
static int add_parts(struct tl_session *s)
{
	unsigned int part, count = PARTS;
	char condition[32];
	int ret = 0;

	while (env.max_args && part_low[count - 1] >= env.max_args)
		count--;
	for (part = count; part-- > 0 && !ret;)
		ret = add_part(s, part);
	for (part = 1; part < count && !ret; part++) {
		if (part_low[part] < 8)
			continue;
		snprintf(condition, sizeof(condition), "argc > %u",
			 part_low[part]);
		ret = tl_event_on_demand(s, env.part[part].ev, env.part[0].ev,
					 condition);
	}
	return ret;
}

static int add_task(struct tl_session *s)
{
	struct tl_event *ev;
	char text[256];

	snprintf(text, sizeof(text), "ppid=%s:s32 uid=%s:u32", fetch.ppid,
		 fetch.user);
	ev = probe(s, "task", "exec_mm_release", text, on_task);
	if (!ev)
		return -errno;
	return tl_event_field(s, ev, "ppid", &env.ppid)
		       ?: tl_event_field(s, ev, "uid", &env.user);
}

static int add_tracepoint(struct tl_session *s, const char *system,
			  const char *name, tl_handler *handler,
			  const char *field_name, struct tl_field *field)
{
	struct tl_event *ev = tl_event_add(s, system, name, handler);

	if (!ev)
		return no_tracepoint(system, name);
	return tl_event_field(s, ev, field_name, field);
}

static int add_failures(struct tl_session *s)
{
	static const char *const exits[] = { "sys_exit_execve",
					     "sys_exit_execveat" };
	struct tl_event *ev;
	unsigned int i;
	int ret;

	ev = probe(s, "try", "do_open_execat", "file=+0(+0($arg2)):string",
		   on_try);
	if (!ev)
		return -errno;
	ret = tl_event_field(s, ev, "file", &env.tried);
	for (i = 0; i < 2 && !ret; i++) {
		ev = tl_event_add(s, "syscalls", exits[i], on_failure);
		if (!ev)
			return no_tracepoint("syscalls", exits[i]);
		ret = tl_event_field(s, ev, "ret", &env.ret)
			      ?: tl_event_filter(s, ev, "ret < 0");
	}
	return ret;
}

static void set_banner(struct tl_session *s)
{
	char who[256];

	tl_banner_who(s, who, sizeof(who));
	if (env.name.text)
		tl_banner(s, "Tracing exec()s issued by process name \"%s\"",
			  env.name.text);
	else
		tl_banner(s, "Tracing exec()s%s", who);
}

static int setup(struct tl_session *s)
{
	int ret;

	set_banner(s);
	if (env.times)
		tl_column_show(s, TIME, TL_SHOW_ALL);
	if (env.uid)
		tl_column_show(s, UID, TL_SHOW_ALL);
	if (env.failed)
		tl_column_show(s, ERR, TL_SHOW_ALL);
	env.execs = tl_pairs_new(sizeof(struct exec), 4096, free_exec);
	env.seen = tl_pairs_new(0, 65536, NULL);
	if (!env.execs || !env.seen)
		return -ENOMEM;
	ret = resolve_offsets(s);
	if (!ret)
		ret = add_task(s);
	if (!ret)
		ret = add_parts(s);
	if (!ret && env.failed)
		ret = add_failures(s);
	return ret ?: add_tracepoint(s, "sched", "sched_process_exec", on_exec,
				     "filename", &env.file) ?:
	       add_tracepoint(s, "task", "task_newtask", on_new, "pid",
			      &env.child);
}

static int check_function(struct tl_session *s, const char *name)
{
	return tl_function_exists(s, name) ? 0 : no_function(name);
}

static int check_event(struct tl_session *s, const char *system,
		       const char *name)
{
	return tl_event_exists(s, system, name) ? 0
						: no_tracepoint(system, name);
}

static int check_failed(struct tl_session *s)
{
	return check_function(s, "do_open_execat") ?:
	       check_event(s, "syscalls", "sys_exit_execve") ?:
	       check_event(s, "syscalls", "sys_exit_execveat");
}

static int check(struct tl_session *s)
{
	return tl_kprobe_check(s) ?:
	       check_function(s, "exec_mm_release") ?:
	       check_function(s, "finalize_exec") ?:
	       check_event(s, "sched", "sched_process_exec") ?:
	       check_event(s, "task", "task_newtask") ?:
	       resolve_offsets(s) ?:
	       tl_limit(s, "--failed", env.failed, check_failed);
}

static int args(struct tl_session *s, int argc, char **argv)
{
	if (argc > 1)
		return tl_usage("unexpected argument \"%s\"", argv[1]);
	if (argc && env.again && !tl_settings(s)->read &&
	    tl_is_capture(argv[0]))
		return tl_usage("%s is a capture, which --read=%s shows: -r is "
				"another option here",
				argv[0], argv[0]);
	return argc ? tl_regex_compile(&env.name, "name", argv[0]) : 0;
}

static const struct tl_tool execsnoop = {
	.name = "execsnoop",
	.summary = "trace exec() with arguments",
	.synopsis = "[name]",
	.examples = {
		{ "execsnoop", "all new programs" },
		{ "execsnoop -tu --failed",
		  "with time and user, and what could not be run" },
		{ "execsnoop -rt -p $$ --follow",
		  "all that this shell and its children run" },
	},
	.options = options,
	.columns = columns,
	.without = TL_OWN_NAME,
	.args = args,
	.check = check,
	.setup = setup,
	.lost = on_lost,
};

TL_MAIN(execsnoop)
