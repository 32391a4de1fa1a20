// SPDX-License-Identifier: GPL-2.0-or-later
/* output.c - standard output: given, or a file of -o */
#include "main/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/poll.h"
#include "capture/capture.h"
#include "main/command.h"
#include "tracelet/message.h"
#include "tracelet/session.h"

void tl_output_fill(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDONLY);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/* A file that has just been created; a link to it stays. */
static void remove_new(const char *path)
{
	char *name = realpath(path, NULL);

	if (name)
		unlink(name);
	free(name);
}

/* As a shell's ">", but what is read or captured is not written over. */
static int open_file(const struct tl_settings *set)
{
	const char *path = set->output;
	struct stat st;
	bool is_new = stat(path, &st) && errno == ENOENT;
	int fd = open(path, O_WRONLY | O_CREAT | O_NOCTTY | O_CLOEXEC, 0666);
	bool is_open = fd >= 0 && !fstat(fd, &st);
	bool is_capture = is_open && tl_capture_is(set, &st);
	int err;

	if (is_capture && is_new)
		remove_new(path);
	if (is_capture)
		err = tl_fail(EINVAL, "--output: %s is a file of the capture",
			      path);
	else if (is_open && (!S_ISREG(st.st_mode) || !ftruncate(fd, 0)))
		return fd;
	else
		err = tl_fail(errno, "--output: %s: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return err;
}

/* The file becomes standard output; the command keeps what it had. */
int tl_output_redirect(const struct tl_settings *set,
		       struct tl_inherited *before)
{
	int fd;

	before->output = -1;
	if (!set->output || !strcmp(set->output, "-"))
		return 0;
	fd = open_file(set);
	if (fd < 0)
		return fd;
	before->output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (before->output < 0 || dup2(fd, STDOUT_FILENO) < 0)
		return tl_fail(errno, "--output: %s", strerror(errno));
	close(fd);
	return 0;
}

/* Of a pipe whose reader has gone, stdio may have been told earlier. */
static bool has_reader(void)
{
	struct pollfd out = { .fd = STDOUT_FILENO, .events = POLLOUT };

	return tl_poll(&out, 1, 0) >= 0 && !(out.revents & POLLERR);
}

/*
 * Whether all that was printed has been written, or nobody wants it.  What a file
 * system of the network writes late can fail late.
 */
bool tl_output_end(const struct tl_settings *set)
{
	errno = 0;
	if (!fflush(stdout) && !ferror(stdout) &&
	    !(set->output && close(STDOUT_FILENO)))
		return true;
	if (errno == EPIPE || !has_reader())
		return true;
	tl_fail(errno, "writing the output: %s", strerror(errno ?: EIO));
	return false;
}
