// SPDX-License-Identifier: GPL-2.0-or-later
/* inside.c - which threads are in a function now */
#include "call/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/capability.h>

#include "base/buf.h"
#include "base/proc.h"
#include "record/task.h"
#include "tracefs/undo.h"
#include "tracelet/message.h"
#include "tracelet/run.h"
#include "tracelet/task.h"

/* The kernel shows 64 functions at most. */
#define STACK_SIZE 8192
#define NAMES_MAX  5

struct inside {
	struct tl_session *s;
	bool (*is_one)(struct tl_session *s, struct tl_str name);
	unsigned int count;
	struct tl_buf names; /* of the first ones */
};

/* "[<0>] vfs_read+0x5d/0x110": between the blank and the plus sign. */
static bool is_in(const struct inside *i, const char *stack)
{
	const char *name, *end;

	for (; *stack; stack = end + strcspn(end, "\n"), stack += *stack > 0) {
		name = stack + strcspn(stack, " \n");
		name += *name == ' ';
		end = name + strcspn(name, "+\n");
		if (i->is_one(i->s,
			      (struct tl_str){ name, (size_t)(end - name) }))
			return true;
	}
	return false;
}

static void add(struct inside *i, pid_t tid)
{
	char comm[64];

	if (tl_proc_comm(tid, comm, sizeof(comm)) < 0 ||
	    !strcmp(comm, TL_GUARD) || i->count++ >= NAMES_MAX)
		return;
	tl_buf_printf(&i->names, "%s%s (%d)", i->count > 1 ? ", " : "", comm,
		      tid);
}

static void look_at(void *ctx, int dir, pid_t tid)
{
	char path[32], stack[STACK_SIZE];
	struct inside *i = ctx;

	if (!tl_task_matches(i->s, tid))
		return;
	snprintf(path, sizeof(path), "%d/stack", tid);
	if (tl_proc_read_at(dir, path, stack, sizeof(stack)) > 0 &&
	    is_in(i, stack))
		add(i, tid);
}

/* As the kernel's proc_pid_stack() checks, and lock_trace() after that. */
void tl_inside_keep(struct tl_session *s)
{
	tl_keep_capability(s, CAP_SYS_ADMIN);
	tl_keep_capability(s, CAP_SYS_PTRACE);
}

void tl_inside_warn(struct tl_session *s,
		    bool (*is_one)(struct tl_session *s, struct tl_str name))
{
	struct inside i = { .s = s, .is_one = is_one };
	char stack[STACK_SIZE];

	tl_proc_each_thread(look_at, &i);
	if (i.count)
		tl_warn("%u thread%s still in such a call, since when is not "
			"known: %.*s%s",
			i.count, i.count == 1 ? " is" : "s are",
			(int)i.names.len, i.names.data,
			i.count > NAMES_MAX ? ", ..." : "");
	else if (tl_proc_read("/proc/self/stack", stack, sizeof(stack)) < 0)
		tl_warn("which calls have not returned is not known: "
			"/proc/PID/stack cannot be read here");
	tl_buf_free(&i.names);
}
