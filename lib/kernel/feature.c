// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * feature.c - what this kernel can do: looked for, not inferred from a version
 */
#include "kernel/feature.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/part.h"
#include "base/recording.h"
#include "kernel/functions.h"
#include "tracefs/file.h"
#include "tracefs/instance.h"
#include "tracelet/feature.h"
#include "tracelet/message.h"

/* What tracefs says of itself; read when a feature is asked for. */
struct readme {
	struct tl_part part;
	char *text;
};

static void free_readme(void *part)
{
	struct readme *readme = part;

	free(readme->text);
	free(readme);
}

static const struct tl_part_ops readme_ops = { .free = free_readme };

static bool in_readme(struct tl_session *s, const char *words)
{
	struct readme *r = tl_part_get(s, &readme_ops, sizeof(*r));

	if (r && !r->text)
		r->text = tl_fs_read_long(s->instance->root, "README");
	return tl_recording_answer(s->recording,
				   r && r->text && strstr(r->text, words),
				   "README has %s", words);
}

bool tl_feature(struct tl_session *s, enum tl_feature feature)
{
	switch (feature) {
	case TL_FEATURE_RETURN_ARGS: /* 6.9 */
		return in_readme(s, "kernel return probes support: $retval, "
				    "$arg<N>");
	case TL_FEATURE_BTF_ARGS: /* 6.6 */
		return in_readme(s, "<argname>[->field");
	case TL_FEATURE_EPROBE: /* 5.15 */
		return in_readme(s, "e[:[<group>/]");
	case TL_FEATURE_FPROBE: /* 6.5 */
		return in_readme(s, "<func-name>[%return] [<args>]");
	case TL_FEATURE_TPROBE: /* 6.5 */
		return in_readme(s, "<tracepoint> [<args>]");
	case TL_FEATURE_SYMBOL_TYPE: /* 4.20 */
		return in_readme(s, ", symbol,");
	}
	return false;
}

/* ---- what can be switched off ----------------------------------------- */

bool tl_tracer_is_enabled(struct tl_session *s)
{
	FILE *f = tl_fs_stream(tl_fs_machine(s),
			       "/proc/sys/kernel/ftrace_enabled", NULL);
	int enabled = f ? fgetc(f) : '1';

	if (f)
		fclose(f);
	return enabled != '0';
}

int tl_tracer_enabled(struct tl_session *s)
{
	return tl_tracer_is_enabled(s)
		       ? 0
		       : tl_fail(EPERM, "tracing of functions is switched off "
					"here: sysctl kernel.ftrace_enabled=1");
}

/* Where the function tracer does it (CONFIG_KPROBES_ON_FTRACE). */
static bool begins_by_tracer(struct tl_session *s)
{
	return tl_symbol_is_there(s, "kprobe_ftrace_handler") == 1;
}

int tl_kprobes_enabled(struct tl_session *s)
{
	return tl_tracer_is_enabled(s) || !begins_by_tracer(s)
		       ? 0
		       : tl_tracer_enabled(s);
}

/* ---- what not every machine's kernel has ------------------------------ */

/*
 * options/userstacktrace and the event's format are there on every kernel; the
 * function only where the kernel's part for the machine has what it calls
 * (CONFIG_USER_STACKTRACE_SUPPORT): on arm64 6.12 has, 6.1 has not.  A capture has few
 * functions, and the event only if its kernel had stacks.
 */
bool tl_walks_programs(struct tl_session *s)
{
	return tl_recording_replays(s->recording) ||
	       tl_symbol_is_there(s, "stack_trace_save_user") != 0;
}
