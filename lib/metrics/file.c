// SPDX-License-Identifier: GPL-2.0-or-later
/* file.c - a file that is always whole, and goes with the run */
#include "metrics/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "tracefs/undo.h"
#include "tracelet/message.h"

#define BEGIN "# HELP tracelets_"

/* Anything else that has this name is not ours to replace, and remove at the end. */
static int check_old(const struct tl_metrics_file *f)
{
	char begin[sizeof(BEGIN)] = "";
	struct stat st;
	bool ours = false;
	int fd;

	if (fstatat(f->dir, f->name, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0
				       : tl_fail(errno, "--metrics: %s: %s",
						 f->path, strerror(errno));
	fd = S_ISREG(st.st_mode)
		     ? openat(f->dir, f->name,
			      O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
		     : -1;
	if (fd >= 0) {
		ours = read(fd, begin, strlen(BEGIN)) ==
			       (ssize_t)strlen(BEGIN) &&
		       !strcmp(begin, BEGIN);
		close(fd);
	}
	return ours ? 0
		    : tl_fail(EEXIST,
			      "--metrics: %s is there, and is no file of "
			      "metrics that a run has left: not replaced",
			      f->path);
}

static int open_dir(struct tl_metrics_file *f)
{
	const char *slash = strrchr(f->path, '/');
	char *dir = strndup(f->path, slash ? (size_t)(slash - f->path) : 0);

	if (!dir)
		return -ENOMEM;
	f->name = slash ? slash + 1 : f->path;
	f->dir = open(slash == f->path ? "/"
		      : slash          ? dir
				       : ".",
		      O_PATH | O_DIRECTORY | O_CLOEXEC);
	free(dir);
	if (f->dir < 0)
		return tl_fail(errno, "--metrics: %s: %s", f->path,
			       strerror(errno));
	if (!*f->name)
		return tl_fail(EISDIR, "--metrics: %s: %s", f->path,
			       strerror(EISDIR));
	if (asprintf(&f->part, "%s.%d.part", f->name, getpid()) < 0) {
		f->part = NULL;
		return -ENOMEM;
	}
	return 0;
}

int tl_metrics_file_open(struct tl_metrics_file *f, struct tl_undo *undo,
			 const char *path)
{
	int ret;

	f->path = path;
	ret = open_dir(f) ?: check_old(f);
	return ret ?: tl_undo_unlink(undo, f->dir, f->name)
		   ?: tl_undo_unlink(undo, f->dir, f->part);
}

static int write_part(const struct tl_metrics_file *f, const struct tl_buf *b)
{
	int fd = openat(f->dir, f->part,
			O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			0644);
	ssize_t n = 0;
	size_t done;
	int err = fd < 0 ? errno : 0;

	for (done = 0; !err && done < b->len; done += (size_t)n) {
		n = write(fd, b->data + done, b->len - done);
		if (n <= 0)
			err = n ? errno : EIO;
	}
	if (!err && fchmod(fd, 0644))
		err = errno;
	if (fd >= 0 && close(fd) && !err)
		err = errno;
	return err;
}

static int replace(const struct tl_metrics_file *f, const struct tl_buf *b)
{
	int err = b->failed ? ENOMEM : write_part(f, b);

	if (!err && renameat(f->dir, f->part, f->dir, f->name))
		err = errno;
	if (err)
		unlinkat(f->dir, f->part, 0);
	return err;
}

void tl_metrics_file_write(struct tl_metrics_file *f, const struct tl_buf *b)
{
	int err = replace(f, b);

	/* on a full disk there may be room for one, but not for two */
	if (err == ENOSPC || err == EDQUOT) {
		unlinkat(f->dir, f->name, 0);
		err = replace(f, b);
	}
	if (err) {
		unlinkat(f->dir, f->name, 0);
		if (!f->failed)
			tl_warn("--metrics: %s: %s: there is none until it "
				"can be written again",
				f->path, strerror(err));
	} else if (f->failed) {
		tl_warn("--metrics: %s is written again", f->path);
	}
	f->failed = err;
}

bool tl_metrics_file_is_there(const struct tl_metrics_file *f)
{
	return !f->failed;
}

void tl_metrics_file_close(struct tl_metrics_file *f)
{
	if (f->path && f->dir >= 0)
		close(f->dir);
	free(f->part);
}
