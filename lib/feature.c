// SPDX-License-Identifier: GPL-2.0-or-later
/* feature.c - what this kernel can do: looked for, not inferred from a version */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fs.h"
#include "session.h"

static bool in_readme(struct tl_session *s, const char *words)
{
	if (!s->readme)
		s->readme = tl_fs_read(s->root, "README", NULL);
	return s->readme && strstr(s->readme, words);
}

bool tl_feature(struct tl_session *s, enum tl_feature feature)
{
	switch (feature) {
	case TL_FEATURE_RETURN_ARGS: /* 6.9 */
		return in_readme(s, "kernel return probes support: $retval, "
				    "$arg<N>");
	case TL_FEATURE_BTF_ARGS: /* 6.6 */
		return in_readme(s, "<argname>[->field");
	}
	return false;
}

bool tl_function_exists(struct tl_session *s, const char *name)
{
	int fd = openat(s->root, "available_filter_functions",
			O_RDONLY | O_CLOEXEC);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	char *line = NULL;
	size_t size = 0;
	bool found = false;

	while (f && !found && getline(&line, &size, f) > 0)
		found = !strncmp(line, name, strlen(name)) &&
			line[strlen(name)] == '\n';
	free(line);
	if (f)
		fclose(f);
	return found;
}
