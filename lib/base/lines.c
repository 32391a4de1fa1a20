// SPDX-License-Identifier: GPL-2.0-or-later
/* lines.c - lines of the kernel's files */
#include "base/lines.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void tl_text_set(char **to, const char *fmt, ...)
{
	va_list ap;

	free(*to);
	va_start(ap, fmt);
	if (vasprintf(to, fmt, ap) < 0)
		*to = NULL;
	va_end(ap);
}

char *tl_text_line(char **text)
{
	char *line = *text;

	if (!line || !*line)
		return NULL;
	*text = strchrnul(line, '\n');
	if (**text)
		*(*text)++ = '\0';
	return line;
}

bool tl_text_is_said(const char *line)
{
	return *line && *line != '#' && strcmp(line, "no pid");
}

char *tl_text_list(const char *text)
{
	char *copy = strdup(text), *next = copy, *line, *list = NULL;
	const char *found = NULL;
	size_t others = 0;

	while ((line = tl_text_line(&next))) {
		if (!tl_text_is_said(line))
			continue;
		if (found)
			others++;
		else
			found = line;
	}
	if (others)
		tl_text_set(&list, "%s, and %zu more", found, others);
	else if (found)
		list = strdup(found);
	free(copy);
	return list;
}
