// SPDX-License-Identifier: GPL-2.0-or-later
/* permit.c - what this kernel, and who runs the tool, permit */
#include "permit.h"

#include <stdio.h>
#include <string.h>

void tl_first_line(const char *path, char *text, size_t size)
{
	FILE *f = fopen(path, "re");

	if (!f || !fgets(text, (int)size, f))
		*text = '\0';
	text[strcspn(text, "\n")] = '\0';
	if (f)
		fclose(f);
}

/* "none [integrity] confidentiality" */
void tl_lockdown(char *text, size_t size)
{
	char line[128], *open, *end;

	tl_first_line("/sys/kernel/security/lockdown", line, sizeof(line));
	open = strchr(line, '[');
	end = open ? strchr(open, ']') : NULL;
	snprintf(text, size, "%.*s", end ? (int)(end - open - 1) : 0,
		 end ? open + 1 : "");
}
