// SPDX-License-Identifier: GPL-2.0-or-later
/* syscallprobe.c - what is to be known of system calls by probes of its own */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "kernel/syscall.h"
#include "record/event.h"
#include "record/task.h"
#include "tracelet/btf.h"
#include "tracelet/event.h"
#include "tracelet/message.h"
#include "tracelet/probe.h"
#include "tracelet/syscallcount.h"

/*
 * What the kernel's functions for system calls begin with: native and 32-bit.
 */
static const char *const prefixes[][2] = {
	{ "__x64_sys_", "__ia32_sys_" },
	{ "__arm64_sys_", NULL },
	{ "__riscv_sys_", NULL },
	{ "__s390x_sys_", "__s390_sys_" },
	{ "sys_", NULL },
};
#define PREFIXES (sizeof(prefixes) / sizeof(prefixes[0]))

static int probe_call(struct tl_session *s, const char *prefix,
		      const char *call, tl_handler *handler)
{
	char name[32], place[64];

	snprintf(name, sizeof(name), "%s%s",
		 strstr(prefix, "_ia32_") || strstr(prefix, "_s390_")
			 ? "compat_"
			 : "",
		 call);
	snprintf(place, sizeof(place), "%s%s", prefix, call);
	return tl_probe_add(s, "p", name, place, "", handler) ? 0 : -errno;
}

static int probe_both(struct tl_session *s, const char *prefix,
		      tl_handler *exit, tl_handler *exit_group)
{
	return probe_call(s, prefix, "exit_group", exit_group)
		       ?: probe_call(s, prefix, "exit", exit);
}

int tl_syscall_ends(struct tl_session *s, tl_handler *exit,
		    tl_handler *exit_group)
{
	unsigned int i;
	int ret = -ENOENT;

	for (i = 0; i < PREFIXES && ret == -ENOENT; i++)
		ret = probe_both(s, prefixes[i][0], exit, exit_group);
	if (!ret && prefixes[i - 1][1])
		ret = probe_both(s, prefixes[i - 1][1], exit, exit_group);
	else if (ret == -ENOENT)
		tl_warn("exit and exit_group cannot be probed on this kernel: "
			"they are not counted");
	return ret == -ENOENT ? 0 : ret;
}

/*
 * What the kernel has for calls of 32-bit programs only, and where their number
 * is: x86, if it has no table of functions any more (6.1.y, 6.9); arm64, whose
 * program has it in r7.
 */
static const struct compat_call {
	const char *function, *number;
} compat_on_x86 = { "ia32_sys_call", "nr=$arg2:s32" },
  compat_on_arm = { "do_el0_svc_compat", "nr=+56($arg1):s32" };

struct tl_event *tl_syscall_compat(struct tl_session *s)
{
	/* exec tells where there are two tables of calls: on x86 */
	const struct compat_call *call =
		tl_syscall_exec_tells() ? &compat_on_x86 : &compat_on_arm;
	struct tl_event *ev = tl_probe_add(s, "p", "compat", call->function,
					   call->number, NULL);

	if (!ev && errno == ENOENT && tl_syscall_has_compat())
		tl_warn("this kernel does not let calls of 32-bit programs be "
			"told apart: they count under 64-bit names");
	return ev;
}

/* ---- programs that begin ------------------------------------------------- */

static void on_program(struct tl_session *s, const struct tl_record *r)
{
	tl_task_set_compat(s, r->pid,
			   tl_field_num(r, r->event->ctx) == ELFCLASS32);
}

/*
 * Here the thread that executes a program has become the process, and the kernel
 * has read the first bytes of the file: of the interpreter, for a script.
 */
int tl_syscall_programs(struct tl_session *s)
{
	static struct tl_field class;
	struct tl_event *ev;
	char arg[48];
	int at;

	if (!tl_syscall_has_compat() || tl_syscall_exec_tells())
		return 0;
	at = tl_btf_offset(s, "linux_binprm", "buf");
	if (at < 0)
		return 0;
	snprintf(arg, sizeof(arg), "class=+%d($arg1):u8", at + EI_CLASS);
	ev = tl_probe_add(s, "p", "program", "finalize_exec", arg, NULL);
	if (!ev)
		return errno == ENOENT ? 0 : -errno;
	ev->watcher = on_program;
	ev->ctx = &class;
	tl_syscalls_are_told();
	return tl_event_field(s, ev, "class", &class);
}
