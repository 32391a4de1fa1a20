// SPDX-License-Identifier: GPL-2.0-or-later
/* perftools.c - the file that perf-tools lock each other out by */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/proc.h"
#include "leftover/find.h"
#include "tracelet/leftover.h"

#define LOCK_FILE "/var/tmp/.ftrace-lock"

/* Anybody may have made it: neither links nor FIFOs are to be waited for. */
static void read_lock(const struct stat *st, char *text, size_t size)
{
	int fd = -1;

	*text = '\0';
	if (S_ISREG(st->st_mode))
		fd = open(LOCK_FILE,
			  O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return;
	if (read(fd, text, size - 1) < 0)
		*text = '\0';
	close(fd);
	text[strcspn(text, "\n")] = '\0';
}

static bool is_pid(const char *text)
{
	size_t len = strlen(text);

	return len && len < 10 && strspn(text, "0123456789") == len;
}

/* A process that began after the file was written only has the same number. */
static bool is_held(pid_t pid, const struct stat *st)
{
	time_t age = tl_proc_age(pid);

	return age >= 0 && time(NULL) - st->st_mtime <= age + 1;
}

static void say_owner(struct tl_leftover *l, const struct stat *st)
{
	pid_t pid = (pid_t)strtol(l->text, NULL, 10);
	char comm[16];

	if (is_held(pid, st) && tl_proc_comm(pid, comm, sizeof(comm)) > 0) {
		l->pid = pid;
		tl_text_set(&l->state, "held");
		tl_text_set(&l->owner, "%s, PID %d", comm, pid);
	} else {
		tl_text_set(&l->state, "stale");
		tl_text_set(&l->owner, "PID %d, has ended", pid);
	}
}

static bool has_files(void)
{
	DIR *dir = opendir(LOCK_FILE);
	unsigned int count = 0;

	while (dir && readdir(dir))
		count++;
	if (dir)
		closedir(dir);
	return count > 2;
}

void tl_lock_find(struct tl_search *f)
{
	char text[16] = "";
	struct tl_leftover *l;
	struct stat st;

	if (lstat(LOCK_FILE, &st)) {
		tl_search_failed(f, LOCK_FILE, errno);
		return;
	}
	read_lock(&st, text, sizeof(text));
	l = tl_search_add(f, "lock", LOCK_FILE, LOCK_FILE, TL_ACT_UNLINK,
			  is_pid(text) ? text : "");
	if (is_pid(text) && l->text) {
		say_owner(l, &st);
	} else if (S_ISDIR(st.st_mode) && has_files()) {
		l->act = TL_ACT_NONE;
		tl_text_set(&l->state, "is no lock");
	} else {
		tl_text_set(&l->state, "has no PID");
	}
}

int tl_lock_remove(void)
{
	int ret = unlink(LOCK_FILE) ? -errno : 0;

	if (ret == -EISDIR)
		ret = rmdir(LOCK_FILE) ? -errno : 0;
	return ret == -ENOENT ? 0 : ret;
}

/* What else is there is nobody's to show. */
char *tl_lock_text(const struct tl_leftover *l)
{
	char *text = NULL;

	if (*l->text &&
	    !faccessat(AT_FDCWD, l->file, F_OK, AT_SYMLINK_NOFOLLOW))
		tl_text_set(&text, "%s\n", l->text);
	return text;
}
