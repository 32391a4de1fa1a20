// SPDX-License-Identifier: GPL-2.0-or-later
/* file.c - a file that is always whole, and goes with the run */
#include "metrics/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
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

static int open_parent(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *dir = strndup(path, slash ? (size_t)(slash - path) : 0);
	int fd;

	if (!dir)
		return -1;
	fd = open(slash == path ? "/"
		  : slash       ? dir
				: ".",
		  O_PATH | O_DIRECTORY | O_CLOEXEC);
	free(dir);
	return fd;
}

bool tl_metrics_file_is_others(const char *path)
{
	struct stat st;
	int fd = open_parent(path);
	bool mine = fd < 0 || (!fstat(fd, &st) && st.st_uid == geteuid() &&
			       st.st_mode & S_IWUSR);

	if (fd >= 0)
		close(fd);
	return !mine;
}

static int open_dir(struct tl_metrics_file *f)
{
	const char *slash = strrchr(f->path, '/');

	f->name = slash ? slash + 1 : f->path;
	f->dir = open_parent(f->path);
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

/* FNV-1a, of 64 bits */
static uint64_t hash_of(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3;
	return hash;
}

/*
 * Whoever ends first would remove the other's.  There is no file to lock, as each is
 * replaced by the next one, so it is an abstract socket of the same name: it goes with
 * the last process that has it, which is the guard.
 */
static int lock(const struct tl_metrics_file *f, struct tl_undo *undo)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	struct stat st;
	int fd, len, ret;

	if (fstat(f->dir, &st))
		return tl_fail(errno, "--metrics: %s: %s", f->path,
			       strerror(errno));
	len = snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1,
		       "tracelets-metrics-%" PRIx64 "-%" PRIx64 "-%" PRIx64,
		       (uint64_t)st.st_dev, (uint64_t)st.st_ino,
		       hash_of(f->name));
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return tl_fail(errno, "--metrics: %s", strerror(errno));
	if (bind(fd, (struct sockaddr *)&name,
		 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			     (size_t)len)))
		ret = tl_fail(errno, "--metrics: %s: %s", f->path,
			      errno == EADDRINUSE ? "another run writes it"
						  : strerror(errno));
	else
		ret = tl_undo_hold(undo, fd);
	close(fd);
	return ret;
}

int tl_metrics_file_open(struct tl_metrics_file *f, struct tl_undo *undo,
			 const char *path)
{
	int ret;

	f->path = path;
	ret = open_dir(f) ?: lock(f, undo) ?: check_old(f);
	return ret ?: tl_undo_unlink(undo, f->dir, f->name)
		   ?: tl_undo_unlink(undo, f->dir, f->part);
}

static int write_part(const struct tl_metrics_file *f, const struct tl_buf *b)
{
	ssize_t n = 0;
	size_t done;
	int fd, err;

	/* of a process of this number, which could not */
	unlinkat(f->dir, f->part, 0);
	fd = openat(f->dir, f->part,
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	err = fd < 0 ? errno : 0;

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
