// SPDX-License-Identifier: GPL-2.0-or-later
/* ready.c - who has started this one may wait until it works */
#include "main/ready.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "option/parse.h"
#include "tracelet/message.h"

void tl_ready(void)
{
	const char *text = getenv("TRACELETS_READY_FD");
	uint64_t fd;

	if (!text || !*text)
		return;
	if (tl_parse_uint(text, 0, INT_MAX, &fd) ||
	    write((int)fd, "\n", 1) != 1)
		tl_warn("TRACELETS_READY_FD: \"%s\" is no descriptor that can "
			"be written to",
			text);
	else
		close((int)fd);
	unsetenv("TRACELETS_READY_FD");
}
