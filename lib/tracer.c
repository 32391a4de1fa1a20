// SPDX-License-Identifier: GPL-2.0-or-later
/* tracer.c - whether functions are traced at all */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include "fs.h"
#include "session.h"

bool tl_tracer_is_enabled(void)
{
	FILE *f = tl_fs_stream(AT_FDCWD, "/proc/sys/kernel/ftrace_enabled");
	int enabled = f ? fgetc(f) : '1';

	if (f)
		fclose(f);
	return enabled != '0';
}

int tl_tracer_enabled(void)
{
	return tl_tracer_is_enabled()
		       ? 0
		       : tl_fail(EPERM, "tracing of functions is switched off "
					"here: sysctl kernel.ftrace_enabled=1");
}
