// SPDX-License-Identifier: GPL-2.0-or-later
/* killsnoop - trace signals that processes send, with result */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tracelet.h"
#include "tracelet/pairs.h"
#include "tracelet/signal.h"
#include "tracelet/source.h"

static struct {
	bool times, names, failed, with_errno, with_call, all;
	struct tl_pids target;
	struct tl_signals signals;
	struct tl_pairs *calls; /* by thread */
	struct tl_field ret;
	/* of signal:signal_generate */
	struct tl_field sig, code, pid, comm, group, result, flags;
} env;

static const struct tl_opt options[] = {
	{ 'p', "target", "PID",
	  "only signals sent to this process, or these: 1,2", TL_OPT_PID,
	  &env.target },
	{ 's', NULL, NULL, "show names of signals", TL_OPT_FLAG, &env.names },
	{ 't', NULL, NULL, "show the time of completion", TL_OPT_FLAG,
	  &env.times },
	{ 0, "signal", "LIST",
	  "only these: names or numbers, as in TERM,9; !LIST: all others",
	  TL_OPT_SIGNALS, &env.signals },
	{ 0, "failed", NULL, "only calls that failed, with their errno",
	  TL_OPT_FLAG, &env.failed, "what" },
	{ 0, "all", NULL, "signals that the kernel itself sends, too",
	  TL_OPT_FLAG | TL_OPT_RECORDED, &env.all, "what" },
	{ 0, "errno", NULL, "show the errno of calls that failed", TL_OPT_FLAG,
	  &env.with_errno },
	{ 0, "call", NULL, "show the system call and the target's thread",
	  TL_OPT_FLAG, &env.with_call },
	{ 0 }
};

enum {
	TIME,
	COMM,
	PID,
	TID,
	TPID,
	TTID,
	TCOMM,
	SIGNAL,
	NAME,
	RETURN,
	ERR,
	CALL,
	CODE,
	RESULT
};

static const struct tl_column columns[] = {
	[TIME] = { "TIMEs", "time", -16, TL_TIME, TL_SHOW_DATA, &env.times,
		   .metric = TL_ROWS("signals", "Signals that were sent") },
	[COMM] = { "COMM", "comm", -16, TL_STR, TL_SHOW_ALL },
	[PID] = { "PID", "pid", -6, TL_INT, TL_SHOW_ALL },
	[TID] = { "TID", "tid", -6, TL_INT, TL_SHOW_DATA },
	[TPID] = { "TPID", "tpid", -8, TL_INT, TL_SHOW_ALL },
	[TTID] = { "TTID", "ttid", -8, TL_INT, TL_SHOW_DATA, &env.with_call },
	[TCOMM] = { "TCOMM", "tcomm", -16, TL_STR, TL_SHOW_DATA },
	[SIGNAL] = { "SIGNAL", "signal", -10, TL_INT, TL_SHOW_ALL, &env.names,
		     TL_SHOW_DATA },
	[NAME] = { "SIGNAL", "signal_name", -10, TL_STR, TL_SHOW_DATA,
		   &env.names, .role = TL_ROLE_TITLE, .metric = TL_LABEL },
	[RETURN] = { "RETURN", "return", -6, TL_INT, TL_SHOW_ALL },
	[ERR] = { "ERR", "error", -8, TL_STR, TL_SHOW_DATA, &env.with_errno,
		  .metric = TL_LABEL },
	[CALL] = { "CALL", "call", -17, TL_STR, TL_SHOW_DATA, &env.with_call },
	[CODE] = { "CODE", "code", -14, TL_STR, TL_SHOW_DATA, &env.all },
	[RESULT] = { "RESULT", "result", -15, TL_STR, TL_SHOW_DATA, &env.all },
	{ 0 }
};

/* A system call, and what tells the target; of size 0: it has no such field. */
static struct kind {
	struct tl_event *enter;
	struct tl_field sig, process, thread, flags;
} kinds[6];

static const char *name_of(const struct kind *k)
{
	return tl_event_name(k->enter) + strlen("sys_enter_");
}

/* The kernel's answer to a signal. */
struct generated {
	pid_t thread; /* that was found for it */
	bool group;   /* it is for any thread of the process */
	int sig, code;
	int result;
	char comm[16];
};

/* A call that has not returned; ids as the caller gave them. */
struct call {
	const struct kind *kind;
	int sig, process, thread;
	bool many;          /* to a process group, or to all */
	bool reached;       /* the target that -p asks for */
	unsigned int count; /* of signals generated */
	struct generated last;
};

/* ---- rows ------------------------------------------------------------- */

static void put_generated(struct tl_session *s, const struct generated *g,
			  pid_t process)
{
	if (process)
		tl_put_int(s, TPID, process);
	if (!g->group)
		tl_put_int(s, TTID, g->thread);
	tl_put_str(s, TCOMM, (struct tl_str){ g->comm, strnlen(g->comm, 16) });
	tl_put_text(s, RESULT, tl_signal_result(g->result));
}

static void put_signal(struct tl_session *s, int sig)
{
	tl_put_int(s, SIGNAL, sig);
	tl_put_text(s, NAME, tl_signal_name(sig));
}

/*
 * Of the thread that the kernel has sent it to.  That holds for calls by pidfd
 * too, and for those from a PID namespace, which has other ids.
 */
static pid_t process_of(struct tl_session *s, const struct call *c,
			const struct generated *g)
{
	int given = c->kind->thread.size ? c->thread : c->process;
	pid_t process = tl_task_process(s, g->thread);

	return process ?: given == g->thread ? c->process : 0;
}

static void put_target(struct tl_session *s, const struct call *c)
{
	if (c->count && !c->many) {
		put_generated(s, &c->last, process_of(s, c, &c->last));
		return;
	}
	if (c->kind->process.size)
		tl_put_int(s, TPID, c->process);
	if (c->kind->thread.size)
		tl_put_int(s, TTID, c->thread);
}

static void print_call(struct tl_session *s, const struct tl_record *r,
		       const struct call *c, int ret)
{
	tl_put_int(s, TIME, r->ns);
	tl_put_task(s, r->pid, COMM, PID, TID);
	put_target(s, c);
	put_signal(s, c->sig);
	tl_put_int(s, RETURN, ret < 0 ? -1 : ret);
	tl_put_text(s, ERR, tl_errno_name(-ret));
	tl_put_text(s, CALL, name_of(c->kind));
	if (c->count)
		tl_put_text(s, CODE, tl_signal_code(c->last.sig, c->last.code));
	tl_row(s);
}

/* In an interrupt, a timer's for instance, the running thread is anyone. */
static bool in_interrupt(const struct tl_record *r)
{
	const int nmi = 0x40, softirq = 0x10, hardirq = 0x08;

	return tl_field_num(r, &env.flags) & (nmi | softirq | hardirq);
}

/*
 * A timer's is of no sender, whoever ran; our own timer is nobody's business.
 */
static bool is_other_wanted(struct tl_session *s, const struct tl_record *r,
			    pid_t process)
{
	if (env.target.count && !tl_pids_has(&env.target, process))
		return false;
	if (!in_interrupt(r))
		return tl_task_matches(s, r->pid);
	return process != getpid() && !tl_tasks_filtered(s);
}

/* A signal that is of no call. */
static void print_other(struct tl_session *s, const struct tl_record *r,
			const struct generated *g)
{
	pid_t process = tl_task_process(s, g->thread);

	if (!tl_cpu_matches(s, r->cpu) ||
	    !tl_signals_match(&env.signals, g->sig) ||
	    !is_other_wanted(s, r, process))
		return;
	tl_put_int(s, TIME, r->ns);
	if (!in_interrupt(r))
		tl_put_task(s, r->pid, COMM, PID, TID);
	put_generated(s, g, process);
	put_signal(s, g->sig);
	tl_put_text(s, CODE, tl_signal_code(g->sig, g->code));
	tl_row(s);
}

/* ---- events ----------------------------------------------------------- */

static const struct kind *kind_of(const struct tl_event *enter)
{
	const struct kind *k = kinds;

	while (k->enter != enter)
		k++;
	return k;
}

/* Registers are wider than the kernel's int and pid_t. */
static int int_of(const struct tl_record *r, const struct tl_field *f)
{
	return (int)tl_field_num(r, f);
}

static void on_enter(struct tl_session *s, const struct tl_record *r)
{
	const int to_process_group = 4; /* PIDFD_SIGNAL_PROCESS_GROUP, 6.9 */
	const struct kind *k = kind_of(r->event);
	int sig = int_of(r, &k->sig);
	struct call *c;

	tl_pairs_drop(env.calls, r->pid);
	if (!tl_signals_match(&env.signals, sig) || !tl_task_matches(s, r->pid))
		return;
	c = tl_pairs_put(env.calls, r->pid);
	if (!c)
		return;
	c->kind = k;
	c->sig = sig;
	if (k->process.size)
		c->process = int_of(r, &k->process);
	if (k->thread.size)
		c->thread = int_of(r, &k->thread);
	if (k->flags.size)
		c->many = int_of(r, &k->flags) & to_process_group;
	else
		c->many = !k->thread.size && c->process <= 0;
}

static struct generated generated_of(const struct tl_record *r)
{
	struct generated g = {
		.thread = int_of(r, &env.pid),
		.group = int_of(r, &env.group),
		.sig = int_of(r, &env.sig),
		.code = int_of(r, &env.code),
		.result = int_of(r, &env.result),
	};
	struct tl_str comm = tl_field_str(r, &env.comm);

	memcpy(g.comm, comm.text, comm.len < 16 ? comm.len : 16);
	return g;
}

static void on_generate(struct tl_session *s, const struct tl_record *r)
{
	struct call *c =
		in_interrupt(r) ? NULL : tl_pairs_get(env.calls, r->pid);
	struct generated g = generated_of(r);

	if (!c || c->sig != g.sig) {
		if (env.all)
			print_other(s, r, &g);
		return;
	}
	c->last = g;
	c->count++;
	if (tl_pids_has(&env.target, process_of(s, c, &g)))
		c->reached = true;
}

static bool is_wanted(const struct call *c, int ret)
{
	if (env.failed && ret >= 0)
		return false;
	return !env.target.count || c->reached ||
	       (!c->count && tl_pids_has(&env.target, c->process));
}

static void on_exit_(struct tl_session *s, const struct tl_record *r)
{
	const struct call *c = tl_pairs_get(env.calls, r->pid);
	int ret = int_of(r, &env.ret);

	if (c && is_wanted(c, ret) && tl_cpu_matches(s, r->cpu))
		print_call(s, r, c, ret);
	tl_pairs_drop(env.calls, r->pid);
}

/* ---- sources ---------------------------------------------------------- */

/* A call's has a code of at most 0 (SI_USER), or, to itself only, any code. */
static void filter_generated(struct tl_session *s, const struct tl_event *ev,
			     struct tl_filter *f)
{
	if (!env.all)
		tl_filter_and(f, "code <= 0");
	tl_filter_signals(f, "sig", &env.sig, &env.signals);
}

static void filter_call(struct tl_session *s, const struct tl_event *enter,
			struct tl_filter *f)
{
	tl_filter_signals(f, "sig", &kind_of(enter)->sig, &env.signals);
}

static const struct tl_source_field of_generate[] = {
	{ "sig", &env.sig },
	{ "code", &env.code },
	{ "comm", &env.comm },
	{ "pid", &env.pid },
	{ "group", &env.group },
	{ "result", &env.result },
	{ "common_flags", &env.flags },
	{ 0 },
};

/* Call @k, and its fields behind the signal. */
#define SYSTEM_CALL(k, call, how, ...)                                      \
	{ "syscalls:sys_exit_" call, on_exit_,                              \
	  TL_SOURCE_FIELDS({ "ret", &env.ret }), .flags = how },            \
	{                                                                   \
		"syscalls:sys_enter_" call, on_enter,                       \
			TL_SOURCE_FIELDS({ "sig", &(k).sig }, __VA_ARGS__), \
			.add_filter = filter_call, .added = &(k).enter,     \
			.flags = how                                        \
	}

/* Each kernel has kill(), and not each all others. */
static const struct tl_source sources[] = {
	SYSTEM_CALL(kinds[0], "kill", 0, { "pid", &kinds[0].process }),
	SYSTEM_CALL(kinds[1], "tkill", TL_SOURCE_OPTIONAL,
		    { "pid", &kinds[1].thread }),
	SYSTEM_CALL(kinds[2], "tgkill", TL_SOURCE_OPTIONAL,
		    { "tgid", &kinds[2].process }, { "pid", &kinds[2].thread }),
	SYSTEM_CALL(kinds[3], "rt_sigqueueinfo", TL_SOURCE_OPTIONAL,
		    { "pid", &kinds[3].process }),
	SYSTEM_CALL(kinds[4], "rt_tgsigqueueinfo", TL_SOURCE_OPTIONAL,
		    { "tgid", &kinds[4].process }, { "pid", &kinds[4].thread }),
	SYSTEM_CALL(kinds[5], "pidfd_send_signal", TL_SOURCE_OPTIONAL,
		    { "flags", &kinds[5].flags }),
	{ "signal:signal_generate", on_generate, of_generate,
	  .add_filter = filter_generated },
	{ 0 }
};

/* ---- set-up ----------------------------------------------------------- */

static void set_banner(struct tl_session *s)
{
	const char *list = env.signals.text;
	char target[64] = "";

	if (env.target.count)
		snprintf(target, sizeof(target), " issued to PID %s",
			 env.target.text);
	tl_banner(s, "Tracing %s%s%s%s%s%s", env.all ? "signals" : "kill()s",
		  list ? " (" : "", list ?: "", list ? ")" : "", target,
		  tl_banner_who(s));
}

static int setup(struct tl_session *s)
{
	set_banner(s);
	if (env.failed)
		tl_column_show(s, ERR, TL_SHOW_ALL);
	env.calls = tl_pairs_open(s, sizeof(struct call), 4096, NULL);
	return env.calls ? 0 : -ENOMEM;
}

static const struct tl_tool killsnoop = {
	.name = "killsnoop",
	.summary = "trace signals that processes send, with result",
	.examples = {
		{ "killsnoop -s", "who sends which signal to whom" },
		{ "killsnoop -s --failed", "which could not be sent" },
		{ "killsnoop -st --all --signal=TERM,KILL,SEGV,ABRT",
		  "what ends processes, the kernel included" },
	},
	.options = options,
	.columns = columns,
	.pictured = { .unit = "signals" },
	.pid = "sender",
	/* interrupts happen in any thread, us too */
	.flags = TL_FILTERS_TASKS | TL_FILTERS_CPUS,
	.sources = sources,
	.setup = setup,
};

TL_MAIN(killsnoop)
