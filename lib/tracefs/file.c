// SPDX-License-Identifier: GPL-2.0-or-later
/* file.c - files of tracefs, and what their errors mean */
#include "tracefs/file.h"

#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "base/permit.h"
#include "base/recording.h"
#include "base/session.h"
#include "tracelet/message.h"

#define TRACEFS "/sys/kernel/tracing"

/*
 * A mount of type @type; where there are several the usual place is preferred.
 */
static char *find_mount(const char *type, const char *usual)
{
	FILE *f = setmntent("/proc/self/mounts", "r");
	char *found = NULL;
	struct mntent *m;

	if (!f)
		return NULL;
	while ((m = getmntent(f))) {
		if (strcmp(m->mnt_type, type))
			continue;
		if (found && strcmp(m->mnt_dir, usual))
			continue;
		free(found);
		found = strdup(m->mnt_dir);
	}
	endmntent(f);
	return found;
}

/* Mounts where only this process sees it: no trace of it is left behind. */
static char *mount_private(void)
{
	if (unshare(CLONE_NEWNS) ||
	    mount("none", "/", NULL, MS_REC | MS_SLAVE, NULL) ||
	    mount("tracefs", TRACEFS, "tracefs",
		  MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL))
		return NULL;
	return strdup(TRACEFS);
}

/* What debugfs mounts there when it is opened, it may not in a user namespace. */
static bool can_be_opened(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static char *find_root(void)
{
	char *path = find_mount("tracefs", TRACEFS);
	char *debugfs;

	if (path)
		return path;
	debugfs = find_mount("debugfs", "/sys/kernel/debug");
	if (debugfs && asprintf(&path, "%s/tracing", debugfs) < 0)
		path = NULL;
	free(debugfs);
	if (path && can_be_opened(path))
		return path;
	free(path);
	return mount_private();
}

static int not_mounted(int err)
{
	return tl_fail(err,
		       "tracefs is not mounted and cannot be mounted "
		       "(mount -t tracefs tracefs " TRACEFS "): %s",
		       err == EPERM || err == EACCES ? tl_refused_mount(err)
						     : strerror(err));
}

/* In a lockdown that came after the mount files are there, but not for us. */
static int open_root(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), file;

	if (fd < 0) {
		tl_fail(errno, "%s: %s", path, tl_fs_explain(errno));
		return -EACCES;
	}
	file = openat(fd, "README", O_RDONLY | O_CLOEXEC);
	if (file >= 0) {
		close(file);
		return fd;
	}
	if (errno == ENOENT)
		tl_fail(errno, "%s %s", path, tl_refused_all());
	else
		tl_fail(errno, "%s/README: %s", path, tl_fs_explain(errno));
	close(fd);
	return -EACCES;
}

int tl_fs_root(char **path)
{
	int fd;

	*path = find_root();
	if (!*path)
		return not_mounted(errno ?: ENOMEM);
	fd = open_root(*path);
	if (fd < 0) {
		free(*path);
		*path = NULL;
	}
	return fd;
}

struct tl_fs_dir tl_fs_machine(const struct tl_session *s)
{
	return (struct tl_fs_dir){ AT_FDCWD, "", s->recording };
}

char *tl_fs_get(int fd, size_t *len)
{
	size_t size = 4096, used = 0;
	char *text = NULL, *more;
	ssize_t n = 0;

	do {
		used += n;
		if (!text || size - used < 2)
			more = realloc(text, size *= 2);
		else
			more = text;
		if (!more) {
			n = -1;
			break;
		}
		text = more;
		n = read(fd, text + used, size - used - 1);
	} while (n > 0 || (n < 0 && errno == EINTR && !(n = 0)));
	if (n < 0) {
		free(text);
		return NULL;
	}
	text[used] = '\0';
	if (len)
		*len = used;
	return text;
}

static char *kept_copy(struct tl_fs_dir dir, const char *path, size_t *len)
{
	size_t kept_len;
	const char *kept =
		tl_recording_file(dir.recording, dir.name, path, &kept_len);
	char *text = kept ? malloc(kept_len + 1) : NULL;

	if (text)
		memcpy(text, kept, kept_len + 1);
	if (len)
		*len = kept_len;
	return text;
}

char *tl_fs_read(struct tl_fs_dir dir, const char *path, size_t *len)
{
	size_t size = 0;
	char *text;
	int fd, err;

	if (tl_recording_replays(dir.recording))
		return kept_copy(dir, path, len);
	fd = openat(dir.fd, path, O_RDONLY | O_CLOEXEC);
	text = fd < 0 ? NULL : tl_fs_get(fd, &size);
	err = errno;
	if (fd >= 0)
		close(fd);
	tl_recording_note_file(dir.recording, dir.name, path, text, size,
			       text ? 0 : err);
	if (len)
		*len = size;
	errno = err;
	return text;
}

char *tl_fs_read_long(struct tl_fs_dir dir, const char *path)
{
	char *text;
	int fd, err;

	if (tl_recording_replays(dir.recording))
		return strdup("");
	fd = openat(dir.fd, path, O_RDONLY | O_CLOEXEC);
	text = fd < 0 ? NULL : tl_fs_get(fd, NULL);
	err = errno;
	if (fd >= 0)
		close(fd);
	errno = err;
	return text;
}

bool tl_fs_exists(struct tl_fs_dir dir, const char *path)
{
	if (tl_recording_replays(dir.recording))
		return tl_recording_has_file(dir.recording, dir.name, path);
	if (faccessat(dir.fd, path, F_OK, AT_EACCESS)) {
		tl_recording_note_file(dir.recording, dir.name, path, NULL, 0,
				       errno);
		return false;
	}
	/* without its text, which is kept when it is read */
	if (!tl_recording_has_file(dir.recording, dir.name, path))
		tl_recording_note_file(dir.recording, dir.name, path, NULL, 0,
				       0);
	return true;
}

int tl_fs_open(struct tl_fs_dir dir, const char *path, int flags, int *fd)
{
	*fd = -1;
	if (tl_recording_replays(dir.recording))
		return 0;
	*fd = openat(dir.fd, path, flags | O_CLOEXEC);
	return *fd < 0 ? -errno : 0;
}

static FILE *open_stream(struct tl_fs_dir dir, const char *path, char *buffer)
{
	int fd = openat(dir.fd, path, O_RDONLY | O_CLOEXEC);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");

	if (f && buffer)
		setvbuf(f, buffer, _IOFBF, TL_FS_STREAM);
	if (fd >= 0 && !f)
		close(fd);
	return f;
}

FILE *tl_fs_stream(struct tl_fs_dir dir, const char *path, char *buffer)
{
	const char *kept;
	size_t len;

	if (!tl_recording_replays(dir.recording))
		return open_stream(dir, path, buffer);
	kept = tl_recording_file(dir.recording, dir.name, path, &len);
	return kept && len ? fmemopen((void *)kept, len, "r") : NULL;
}

int tl_fs_put(int fd, const char *text)
{
	size_t len = strlen(text), done = 0;
	char *line;
	ssize_t n;
	int ret = 0;

	if (asprintf(&line, "%s\n", text) < 0)
		return -ENOMEM;
	while (done <= len) {
		n = write(fd, line + done, len + 1 - done);
		if (n > 0) {
			done += n;
		} else if (!n || errno != EINTR) {
			ret = n ? -errno : -EIO;
			break;
		}
	}
	free(line);
	return ret;
}

int tl_fs_write(struct tl_fs_dir dir, const char *path, const char *text,
		int mode)
{
	int fd, ret = tl_fs_open(dir, path, O_WRONLY | mode, &fd);

	if (fd >= 0)
		ret = tl_fs_put(fd, text);
	if (fd >= 0 && close(fd) && !ret)
		ret = -errno;
	return tl_recording_wrote(dir.recording, dir.name, path, text, ret);
}

/* The kernel's copy has no spaces at the end. */
static size_t trimmed(const char *text)
{
	size_t len = strlen(text);

	while (len && text[len - 1] == ' ')
		len--;
	return len;
}

/*
 * An entry of error_log is "[time] place: error: words", "  Command: text" and
 * a line with the caret; the newest entry is the last.
 */
char *tl_fs_log(struct tl_fs_dir dir, const char *text)
{
	char *log = tl_fs_read(dir, "error_log", NULL);
	char *last = NULL, *p, *command;

	for (p = log; p && *p; p = strchr(p, '\n'), p = p ? p + 1 : NULL)
		if (*p == '[')
			last = p;
	command = last ? strstr(last, "Command: ") : NULL;
	p = last ? strstr(last, ": error: ") : NULL;
	if (!command || !p ||
	    strncmp(command + strlen("Command: "), text, trimmed(text))) {
		free(log);
		return NULL;
	}
	p += strlen(": error: ");
	memmove(log, p, strlen(p) + 1);
	p = log + strlen(log);
	while (p > log && p[-1] == '\n')
		*--p = '\0';
	return log;
}

const char *tl_fs_explain(int err)
{
	switch (err) {
	case EACCES:
	case EPERM:
		return tl_refused(err);
	case EROFS:
		return "tracefs is mounted read-only: mount -o remount,rw "
		       "it first";
	case EBUSY:
		return "in use by somebody else";
	default:
		return strerror(err);
	}
}

void tl_fs_say(int err, const char *what, const char *log)
{
	const char *end;

	if (!log) {
		tl_fail(err, "%s: %s", what, tl_fs_explain(err));
		return;
	}
	/* the kernel's words, the text and the caret below it: a line each */
	end = strchrnul(log, '\n');
	tl_fail(err, "%s: %.*s", what, (int)(end - log), log);
	while (*end) {
		log = end + 1;
		end = strchrnul(log, '\n');
		tl_warn("%.*s", (int)(end - log), log);
	}
}

int tl_fs_error(struct tl_fs_dir dir, int err, const char *what,
		const char *text)
{
	char *log = tl_fs_log(dir, text);

	tl_fs_say(err, what, log);
	free(log);
	return -err;
}
