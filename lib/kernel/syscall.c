// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * syscall.c - system calls by number, for the programs of both word sizes
 *
 * raw_syscalls:* has the number that the program used; a 32-bit program on a
 * 64-bit kernel has other numbers, and nothing in the record tells.  So it is
 * kept per process.  A program that makes calls of both kinds is not foreseen.
 *
 * On x86 exec returns with the number that execve has for the new program; on
 * arm64, for one, with that which the program before it called.  There a probe
 * tells what begins, or else the new program's process, if it is there still.
 *
 * Names are libseccomp's, which is loaded when it is needed.
 */
#include "kernel/syscall.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/capability.h>

#include "base/dynload.h"
#include "option/suggest.h"
#include "record/event.h"
#include "tracelet/event.h"
#include "tracelet/message.h"
#include "tracelet/run.h"
#include "tracelet/syscall.h"

/* The calls that execute programs. */
enum { EXECVE, EXECVEAT, EXECS };

#ifdef HAVE_SECCOMP
#include <seccomp.h>

/* x32 programs say in the number itself that it is theirs */
#define X32_BIT 0x40000000

static struct {
	uint32_t native, compat; /* compat 0: none */
	bool shared; /* numbers from 424 on are those of all architectures */
	bool told;   /* what a program is, before its exec returns */
	int exec[EXECS][2]; /* what these return with; names are slow */
} lib;

/* of libseccomp */
static struct {
	uint32_t (*native)(void);
	int (*number)(uint32_t arch, const char *name);
	char *(*name)(uint32_t arch, int nr);
} seccomp;

/*
 * What the library may be too old to know, from the kernel's uapi (7.2).  Since
 * 5.1 a new call has one number everywhere, but for alpha and mips.
 */
static const char *const newer[] = {
	[0] = "cachestat", /* 451 */
	"fchmodat2",
	"map_shadow_stack",
	"futex_wake",
	"futex_wait",
	"futex_requeue",
	"statmount",
	"listmount",
	"lsm_get_self_attr",
	"lsm_set_self_attr",
	"lsm_list_modules",
	"mseal",
	"setxattrat",
	"getxattrat",
	"listxattrat",
	"removexattrat",
	"open_tree_attr",
	"file_getattr",
	"file_setattr",
	"listns",
	"rseq_slice_yield",
};
#define NEWER_FIRST 451
#define NEWER_COUNT ((int)(sizeof(newer) / sizeof(newer[0])))

static uint32_t compat_of(uint32_t native)
{
	switch (native) {
	case SCMP_ARCH_X86_64:
		return SCMP_ARCH_X86;
	case SCMP_ARCH_AARCH64:
		return SCMP_ARCH_ARM;
	case SCMP_ARCH_PPC64:
		return SCMP_ARCH_PPC;
	case SCMP_ARCH_S390X:
		return SCMP_ARCH_S390;
	case SCMP_ARCH_MIPS64:
		return SCMP_ARCH_MIPS;
	case SCMP_ARCH_MIPSEL64:
		return SCMP_ARCH_MIPSEL;
	case SCMP_ARCH_PARISC64:
		return SCMP_ARCH_PARISC;
	}
	return 0;
}

static void know_exec(int exec, const char *name)
{
	lib.exec[exec][false] = tl_syscall_number(false, name);
	lib.exec[exec][true] = tl_syscall_number(true, name);
}

int tl_syscall_names(void)
{
	static const char *const libraries[] = { "libseccomp.so.2", NULL };
	static const char *const names[] = {
		"seccomp_arch_native", "seccomp_syscall_resolve_name_arch",
		"seccomp_syscall_resolve_num_arch", NULL
	};

	if (seccomp.name)
		return 0;
	if (tl_load(libraries, names, (void **)&seccomp))
		return tl_fail(ELIBACC, "names of system calls need "
					"libseccomp.so.2, which cannot be "
					"loaded: install libseccomp2");
	lib.native = seccomp.native();
	lib.compat = compat_of(lib.native);
	lib.shared = seccomp.number(lib.native, "clone3") == 435;
	know_exec(EXECVE, "execve");
	know_exec(EXECVEAT, tl_syscall_exec_tells() ? "execve" : "execveat");
	return 0;
}

static uint32_t arch_of(bool compat, int64_t nr)
{
	if (lib.native == SCMP_ARCH_X86_64 && nr > 0 && nr & X32_BIT)
		return SCMP_ARCH_X32;
	return compat && lib.compat ? lib.compat : lib.native;
}

static const char *newer_name(int64_t nr)
{
	nr = (nr & ~(int64_t)X32_BIT) - NEWER_FIRST;
	return lib.shared && nr >= 0 && nr < NEWER_COUNT ? newer[nr] : NULL;
}

char *tl_syscall_name(bool compat, int64_t nr)
{
	char *name = nr >= 0 && nr <= INT32_MAX
			     ? seccomp.name(arch_of(compat, nr), (int)nr)
			     : NULL;

	if (!name && newer_name(nr))
		return strdup(newer_name(nr));
	if (!name && asprintf(&name, "syscall_%lld", (long long)nr) < 0)
		return NULL;
	return name;
}

int tl_syscall_number(bool compat, const char *name)
{
	int nr = seccomp.number(arch_of(compat, 0), name), i, len = 0;

	/* below: of other architectures, or parts of socketcall and ipc */
	for (i = 0; nr < 0 && lib.shared && i < NEWER_COUNT; i++)
		if (!strcmp(newer[i], name))
			nr = NEWER_FIRST + i;
	if (nr < 0 && sscanf(name, "syscall_%d%n", &i, &len) == 1 && !name[len])
		nr = i;
	return nr < 0 ? -1 : nr;
}
#else
static struct {
	uint32_t native, compat;
	bool told;
	int exec[EXECS][2];
} lib;
#define SCMP_ARCH_X86_64 1

int tl_syscall_names(void)
{
	return tl_fail(ELIBACC, "built without libseccomp, which knows the "
				"names of system calls");
}

char *tl_syscall_name(bool compat, int64_t nr)
{
	return NULL;
}

int tl_syscall_number(bool compat, const char *name)
{
	return -1;
}
#endif

/* ---- names as users give them ----------------------------------------- */

static size_t say_those_at(const char *name, size_t distance)
{
	size_t said = 0;
	char *other;
	int nr;

	for (nr = 0; nr < TL_SYSCALLS && said < TL_SUGGEST_MAX; nr++) {
		other = tl_syscall_name(false, nr);
		if (other && tl_suggest_distance(name, other) == distance) {
			tl_warn("near it: %s", other);
			said++;
		}
		free(other);
	}
	return said;
}

void tl_syscall_suggest(const char *name)
{
	size_t distance = 1;

	while (distance <= (strlen(name) + 2) / 3 &&
	       !say_those_at(name, distance))
		distance++;
}

/* ---- which processes are 32-bit --------------------------------------- */

static void on_exec(struct tl_session *s, const struct tl_record *r)
{
	tl_task_executes(s, r->pid);
}

bool tl_syscall_exec_tells(void)
{
	return lib.native == SCMP_ARCH_X86_64;
}

void tl_syscalls_are_told(void)
{
	lib.told = true;
}

/* Which of the calls that execute programs @nr is; @compat: by whose numbers. */
static int exec_of(int64_t nr, bool *compat)
{
	int i;

	for (i = 0; i < 2 * EXECS; i++) {
		*compat = i % 2;
		if (nr >= 0 && nr == lib.exec[i / 2][*compat])
			return i / 2;
	}
	return EXECS;
}

bool tl_syscall_is_compat(struct tl_session *s, pid_t pid, int64_t *nr)
{
	bool compat;
	int exec;

	if (!lib.compat)
		return false;
	/* another call's, when the one of exec was lost, tells nothing */
	exec = tl_task_has_executed(s, pid) ? exec_of(*nr, &compat) : EXECS;
	if (exec == EXECS)
		return tl_task_compat(s, pid);
	if (tl_syscall_exec_tells())
		tl_task_set_compat(s, pid, compat);
	else if (!lib.told)
		tl_task_read_compat(s, pid);
	compat = tl_task_compat(s, pid);
	*nr = lib.exec[exec][compat];
	return compat;
}

int tl_syscalls_open(struct tl_session *s)
{
	int ret = tl_syscall_names();

	if (ret || !lib.compat)
		return ret;
	tl_tasks_watch_compat(s);
	if (!tl_syscall_exec_tells())
		tl_keep_capability(s, CAP_SYS_PTRACE);
	if (tl_event_watch(s, "sched", "sched_process_exec", on_exec))
		return 0;
	return tl_fail(ENOTSUP, "this kernel has no tracepoint "
				"sched:sched_process_exec");
}

bool tl_syscall_has_compat(void)
{
	return lib.compat;
}
