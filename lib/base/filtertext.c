// SPDX-License-Identifier: GPL-2.0-or-later
/* filtertext.c - the text of an event filter */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tracelet/filter.h"

/* What does not fit is cut off, so the text is as long as can be. */
void tl_filter_and(struct tl_filter *f, const char *fmt, ...)
{
	size_t len = strlen(f->text);
	va_list ap;

	if (len)
		len += snprintf(f->text + len, sizeof(f->text) - len, " && ");
	va_start(ap, fmt);
	if (len < sizeof(f->text))
		vsnprintf(f->text + len, sizeof(f->text) - len, fmt, ap);
	va_end(ap);
}
