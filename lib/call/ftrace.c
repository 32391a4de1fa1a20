// SPDX-License-Identifier: GPL-2.0-or-later
/* ftrace.c - a tracer of functions in the session's instance */
#include "call/ftrace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/permit.h"
#include "base/recording.h"
#include "base/session.h"
#include "kernel/feature.h"
#include "kernel/functions.h"
#include "kernel/kallsyms.h"
#include "record/task.h"
#include "tracefs/file.h"
#include "tracefs/instance.h"
#include "tracelet/message.h"
#include "tracelet/symbol.h"
#include "tracelet/tracefs.h"
#include "tracelet/tracer.h"

static bool lists(struct tl_fs_dir dir, const char *tracer)
{
	char *text = tl_fs_read(dir, "available_tracers", NULL);
	char *next = text, *word;
	bool found = false;

	while (!found && (word = strsep(&next, " \n")))
		found = !strcmp(word, tracer);
	free(text);
	return found;
}

bool tl_tracer_private(struct tl_session *s, const char *tracer)
{
	return lists(s->instance->dir, tracer);
}

int tl_tracer_check(struct tl_session *s, const char *tracer)
{
	if (!lists(s->instance->root, tracer))
		return tl_fail(
			ENOTSUP,
			"this kernel has no tracer %s (CONFIG_%s_TRACER)",
			tracer,
			strcmp(tracer, "function") ? "FUNCTION_GRAPH"
						   : "FUNCTION");
	return tl_tracer_enabled(s) ?: tl_symbols_check(s);
}

int tl_tracer_leave_out_self(struct tl_session *s)
{
	/* not there before 5.8 */
	int ret = tl_task_leave_out_self(s, "set_ftrace_notrace_pid");

	return ret < 0 ? ret : 0;
}

/* ---- the clock of records --------------------------------------------- */

#define CLOCK "/sys/devices/system/clocksource/clocksource0/current_clocksource"

/*
 * What is called to read a clock of arm64, of RISC-V and of x86, where it can be
 * traced; that of the TSC cannot.  To find it otherwise, at the end of some pointers
 * in the kernel's memory, would take longer than all else that is set up.
 */
static const struct {
	const char *clock, *function;
} clocks[] = {
	{ "arch_sys_counter", "arch_counter_read" },
	{ "riscv_clocksource", "riscv_clocksource_rdtime" },
	{ "hpet", "read_hpet" },
	{ "acpi_pm", "acpi_pm_read" },
	{ "kvm-clock", "kvm_clock_get_cycles" },
	{ "kvm-clock", "kvm_clock_read" },
	{ "xen", "xen_clocksource_get_cycles" },
	{ "xen", "xen_clocksource_read" },
};

static bool names(const struct tl_functions *f, const char *name)
{
	unsigned int i;

	for (i = 0; i < f->count; i++)
		if (!strcmp(f->list[i], name))
			return true;
	return false;
}

/* 1; 0: it is none that can be traced; or -errno after a message */
static int leave_out(struct tl_session *s, const char *name, bool asked)
{
	int ret = tl_fs_write(tl_instance_tracer_dir(s), "set_ftrace_notrace",
			      name, O_APPEND);

	if (ret == -EINVAL)
		return 0;
	if (ret)
		return tl_fail(-ret, "set_ftrace_notrace: %s: %s", name,
			       tl_fs_explain(-ret));
	if (asked)
		tl_warn("without %s, which each record calls for its time "
			"(give its name to trace it)",
			name);
	return 1;
}

/* What users ask for, and how many of that have been left out. */
struct asking {
	const struct tl_functions *asked, *except;
	bool all;
	int left_out;
};

static bool is_asked(const struct asking *a, const char *name)
{
	return tl_functions_match(a->asked, name, "") &&
	       !(a->except && tl_functions_match(a->except, name, ""));
}

/*
 * 1: without it there would be no filter, and all would be traced; 0, or -errno after a
 * message
 */
static int is_last(struct tl_session *s, const struct asking *a)
{
	int number = a->all ? 0 : tl_functions_number(s, a->except);

	return number < 0 ? number : number == a->left_out + 1;
}

static int leave_out_one(struct tl_session *s, struct asking *a,
			 const char *name)
{
	bool asked = is_asked(a, name);
	int ret;

	if (!asked && !a->all)
		return 0;
	ret = asked && names(a->asked, name) ? 1 : is_last(s, a);
	if (ret < 0)
		return ret;
	if (!ret) {
		ret = leave_out(s, name, asked);
		a->left_out += asked && ret > 0;
		return ret < 0 ? ret : 0;
	}
	tl_warn("each record calls %s for its time: these calls are among "
		"those of others",
		name);
	return 0;
}

/* The next function from *I on that reads CLOCK; NULL behind the last */
static const char *next_reader(const char *clock, size_t *i)
{
	for (; *i < sizeof(clocks) / sizeof(clocks[0]); ++*i)
		if (!strcmp(clock, clocks[*i].clock))
			return clocks[(*i)++].function;
	return NULL;
}

bool tl_tracer_reads_clock(void)
{
	char clock[64];
	size_t i = 0;

	tl_first_line(CLOCK, clock, sizeof(clock));
	return next_reader(clock, &i);
}

int tl_tracer_leave_out_clock(struct tl_session *s,
			      const struct tl_functions *asked,
			      const struct tl_functions *except, bool all)
{
	struct asking a = { .asked = asked, .except = except, .all = all };
	const char *function;
	char clock[64];
	int ret = 0;
	size_t i = 0;

	if (tl_recording_replays(s->recording))
		return 0;
	tl_first_line(CLOCK, clock, sizeof(clock));
	while (!ret && (function = next_reader(clock, &i)))
		ret = leave_out_one(s, &a, function);
	return ret;
}

/* ---- tracers ---------------------------------------------------------- */

int tl_tracer_set(struct tl_session *s, const char *tracer)
{
	/* tl_events_enable() switches it on, once everything is ready */
	return tl_symbols_open(s) ?:
	       tl_write_file(s, "tracing_on", "0") ?:
	       tl_tasks_functions(s) ?:
	       tl_write_file(s, "current_tracer", tracer);
}
