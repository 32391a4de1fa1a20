// SPDX-License-Identifier: GPL-2.0-or-later
/* kprobe.c - whether functions of the kernel can be probed */
#include <errno.h>

#include "fs.h"
#include "function.h"
#include "session.h"

/* Where the function tracer does it (CONFIG_KPROBES_ON_FTRACE). */
static bool begins_by_tracer(void)
{
	struct tl_symbol_search handler = { .name = "kprobe_ftrace_handler" };

	return !tl_symbol_search(&handler) && handler.count;
}

int tl_kprobes_enabled(void)
{
	return tl_tracer_is_enabled() || !begins_by_tracer()
		       ? 0
		       : tl_tracer_enabled();
}

int tl_kprobe_check(struct tl_session *s)
{
	if (tl_fs_exists(s->root, "kprobe_events"))
		return tl_kprobes_enabled();
	return tl_fail(ENOTSUP, "this kernel has no kprobes in tracefs "
				"(CONFIG_KPROBE_EVENTS)");
}
