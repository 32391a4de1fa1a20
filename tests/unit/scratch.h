/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scratch.h - a directory of a test's own, behind <cmocka.h> */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static char dir[] = "/tmp/tracelet.XXXXXX";

/* A command for the shell, in the directory. */
__attribute__((format(printf, 1, 2))) static bool run(const char *fmt, ...)
{
	char command[4096];
	va_list ap;
	int len = snprintf(command, sizeof(command), "cd %s && ", dir);

	va_start(ap, fmt);
	vsnprintf(command + len, sizeof(command) - (size_t)len, fmt, ap);
	va_end(ap);
	return !system(command);
}

static int make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	(void)state;
	return run("rm -rf %s", dir) ? 0 : -1;
}
