// SPDX-License-Identifier: GPL-2.0-or-later
/* ftrace.c - a tracer of functions in the session's instance */
#include "call/ftrace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

int tl_tracer_set(struct tl_session *s, const char *tracer)
{
	/* tl_events_enable() switches it on, once everything is ready */
	return tl_symbols_open(s) ?:
	       tl_write_file(s, "tracing_on", "0") ?:
	       tl_tasks_functions(s) ?:
	       tl_write_file(s, "current_tracer", tracer);
}
