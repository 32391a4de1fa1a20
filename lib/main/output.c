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
#include "base/session.h"
#include "capture/capture.h"
#include "main/command.h"
#include "tracelet/message.h"
#include "tracelet/output.h"
#include "tracelet/session.h"
#include "tracelet/tool.h"

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

/* ---- a file that is there when it is whole ---------------------------- */

static void free_names(struct tl_output *o)
{
	free(o->path);
	free(o->part);
	*o = (struct tl_output){ 0 };
}

/* False: it is written where it belongs, as a terminal, or cannot be at all. */
static bool find_names(struct tl_output *o, const char *path, struct stat *st)
{
	*st = (struct stat){ 0 };
	if (!stat(path, st)) {
		if (!S_ISREG(st->st_mode) ||
		    faccessat(AT_FDCWD, path, W_OK, AT_EACCESS))
			return false;
		o->path = realpath(path, NULL);
	} else if (errno == ENOENT) {
		o->path = strdup(path);
	}
	if (!o->path || asprintf(&o->part, "%s.%d.part", o->path, getpid()) < 0)
		o->part = NULL;
	return o->part;
}

/* Without a name, where files can be so: nothing is left over then. */
static int open_unnamed(const char *path)
{
	char *dir = strdup(path), *slash = dir ? strrchr(dir, '/') : NULL;
	int fd = -1;

	if (slash)
		slash[slash == dir] = '\0';
	if (dir)
		fd = open(slash ? dir : ".", O_TMPFILE | O_WRONLY | O_CLOEXEC,
			  0666);
	free(dir);
	return fd;
}

/* It becomes that of whom the one was that it replaces, and for whom. */
static void take_after(int fd, const struct stat *st)
{
	if (st->st_nlink &&
	    (fchown(fd, st->st_uid, st->st_gid) || fchmod(fd, st->st_mode)))
		fchmod(fd, st->st_mode & 0777);
}

/* -1: where no file can be made beside it, it is written at once. */
static int open_beside(struct tl_output *o, const char *path)
{
	struct stat st;
	int fd = -1;

	if (find_names(o, path, &st)) {
		fd = open_unnamed(o->path);
		o->named = fd < 0;
		if (fd < 0)
			fd = open(o->part,
				  O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
				  0666);
	}
	if (fd >= 0)
		take_after(fd, &st);
	else
		free_names(o);
	return fd;
}

/* While it is open. */
static bool give_name(struct tl_output *o)
{
	char self[32];

	snprintf(self, sizeof(self), "/proc/self/fd/%d", STDOUT_FILENO);
	if (!o->named)
		o->named = !linkat(AT_FDCWD, self, AT_FDCWD, o->part,
				   AT_SYMLINK_FOLLOW);
	return o->named;
}

static bool put_in_place(struct tl_output *o, bool good)
{
	bool is_there = !good || !rename(o->part, o->path);

	if (!is_there)
		tl_fail(errno, "--output: %s: %s", o->path, strerror(errno));
	if (o->named && !(good && is_there))
		unlink(o->part);
	return is_there;
}

/* ----------------------------------------------------------------------- */

/* The file becomes standard output; the command keeps what it had. */
int tl_output_redirect(const struct tl_session *s, struct tl_inherited *before,
		       struct tl_output *o)
{
	const struct tl_settings *set = &s->set;
	int fd = -1;

	before->output = -1;
	if (!set->output || !strcmp(set->output, "-"))
		return 0;
	if (s->tool->flags & TL_OUTPUT_WHOLE)
		fd = open_beside(o, set->output);
	if (fd < 0)
		fd = open_file(set);
	if (fd < 0)
		return fd;
	before->output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (before->output < 0 || dup2(fd, STDOUT_FILENO) < 0)
		return tl_fail(errno, "--output: %s", strerror(errno));
	close(fd);
	return 0;
}

bool tl_output_has_reader(void)
{
	struct pollfd out = { .fd = STDOUT_FILENO, .events = POLLOUT };

	return tl_poll(&out, 1, 0) >= 0 && !(out.revents & POLLERR);
}

/* What a file system of the network writes late can fail late. */
static bool is_written(const struct tl_settings *set)
{
	errno = 0;
	if (!fflush(stdout) && !ferror(stdout) &&
	    !(set->output && close(STDOUT_FILENO)))
		return true;
	/* of a pipe whose reader has gone, stdio may have been told earlier */
	if (errno == EPIPE || !tl_output_has_reader())
		return true;
	tl_fail(errno, "writing the output: %s", strerror(errno ?: EIO));
	return false;
}

bool tl_output_end(const struct tl_settings *set, struct tl_output *o,
		   bool good)
{
	bool is_whole = true;

	if (o->path && good && !give_name(o))
		is_whole = tl_fail(errno, "--output: %s: %s", o->part,
				   strerror(errno)) == 0;
	is_whole &= is_written(set);
	if (o->path)
		is_whole &= put_in_place(o, good && is_whole);
	free_names(o);
	return is_whole;
}
