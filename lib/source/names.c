// SPDX-License-Identifier: GPL-2.0-or-later
/* names.c - names and texts in a table of sources */
#include "source/names.h"

#include <stdio.h>
#include <string.h>

const char *tl_source_name(const char *list, char *name, size_t size)
{
	size_t len = strcspn(list, "|");

	snprintf(name, size, "%.*s", (int)len, list);
	return list + len + (list[len] == '|');
}

void tl_source_names(const char *list, char *text, size_t size)
{
	const char *between = "";
	char name[128];
	size_t len = 0;

	*text = '\0';
	while (*list && len < size) {
		list = tl_source_name(list, name, sizeof(name));
		len += (size_t)snprintf(text + len, size - len, "%s%s", between,
					name);
		between = strchr(list, '|') ? ", " : " or ";
	}
}

/* A line is "\tfield:char comm[16];\toffset:8;\t..." */
bool tl_source_has_field(const char *format, const char *name)
{
	size_t len = strlen(name);
	const char *at = format;

	while ((at = strstr(at, name))) {
		if (at > format && at[-1] == ' ' &&
		    (at[len] == ';' || at[len] == '['))
			return true;
		at += len;
	}
	return false;
}
