// SPDX-License-Identifier: GPL-2.0-or-later
/* syscallset.c - which system calls: as users name them */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tracelet/message.h"
#include "tracelet/syscall.h"

#define X32_BIT ((int64_t)0x40000000)

bool tl_syscall_set_has(const struct tl_syscall_set *set, bool compat,
			int64_t nr)
{
	if (!set->given)
		return true;
	nr &= ~X32_BIT;
	return nr >= 0 && nr < TL_SYSCALLS && set->has[compat][nr];
}

static bool add(struct tl_syscall_set *set, const char *name)
{
	int size, nr, found = 0;

	for (size = 0; size < 2; size++) {
		nr = tl_syscall_number(size, name);
		if (nr < 0 || nr >= TL_SYSCALLS)
			continue;
		set->has[size][nr] = true;
		found++;
	}
	return found;
}

/* Tracepoints have other names for some: newfstat, newuname. */
static int parse(struct tl_syscall_set *set, const char *what, char *list)
{
	char *name, *rest = list;
	int ret = tl_syscall_names();

	while (!ret && (name = strsep(&rest, ", "))) {
		if (!*name)
			continue;
		set->given = true;
		if (add(set, name) ||
		    (!strncmp(name, "new", 3) && add(set, name + 3)))
			continue;
		ret = tl_usage("%s: there is no system call \"%s\"", what,
			       name);
		tl_syscall_suggest(name);
	}
	if (ret || set->given)
		return ret;
	return tl_usage("%s: no system call is named", what);
}

int tl_syscall_set_parse(struct tl_syscall_set *set, const char *what,
			 const char *text)
{
	char *list = strdup(text);
	int ret = list ? parse(set, what, list) : -ENOMEM;

	free(list);
	return ret;
}
