// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dynload.c - libraries that are loaded only when a tool asks for what they
 * know
 */
#include "base/dynload.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>

int tl_load(const char *const *libraries, const char *const *names,
	    void **functions)
{
	void *handle = NULL;
	size_t i;

	for (i = 0; libraries[i] && !handle; i++)
		handle = dlopen(libraries[i], RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		return -ELIBACC;
	for (i = 0; names[i]; i++) {
		functions[i] = dlsym(handle, names[i]);
		if (functions[i])
			continue;
		while (i)
			functions[--i] = NULL;
		dlclose(handle);
		return -ELIBACC;
	}
	return 0;
}
