// SPDX-License-Identifier: GPL-2.0-or-later
/* netns.c - a network namespace that a user names */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/nsfs.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/recording.h"
#include "base/session.h"
#include "option/parse.h"
#include "tracelet/message.h"
#include "tracelet/socket.h"

/*
 * Above PID_MAX_LIMIT, so no process has it; that of the first namespace is 0xeffffff9 on
 * 7.2, below PROC_DYNAMIC_FIRST (include/linux/proc_ns.h).
 */
#define FIRST_NUMBER 0x400001u

static bool is_number(const char *text)
{
	return text[strspn(text, "0123456789")] == '\0';
}

static void path_of(const char *text, char *path, size_t size)
{
	if (is_number(text))
		snprintf(path, size, "/proc/%s/ns/net", text);
	else
		snprintf(path, size, "%s%s",
			 strchr(text, '/') ? "" : "/run/netns/", text);
}

static int not_found(struct tl_session *s, const char *text, const char *path,
		     int err)
{
	if (tl_recording_replays(s->recording))
		return tl_fail(EINVAL,
			       "--netns %s: the capture does not tell which "
			       "one that is; give its number",
			       text);
	if (err == EMEDIUMTYPE)
		return tl_fail(EINVAL, "--netns %s: %s is no network namespace",
			       text, path);
	if (err == ENOENT && is_number(text))
		return tl_fail(ESRCH, "--netns %s: no such process", text);
	return tl_fail(err, "--netns %s: %s: %s", text, path, strerror(err));
}

static bool is_netns(int fd)
{
	return ioctl(fd, NS_GET_NSTYPE) == CLONE_NEWNET;
}

/* 0, and errno, where there is none. */
static uint32_t number_here(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	bool is_one;

	if (fd < 0)
		return 0;
	is_one = !fstat(fd, &st) && is_netns(fd);
	close(fd);
	if (!is_one)
		errno = EMEDIUMTYPE;
	return is_one ? (uint32_t)st.st_ino : 0;
}

int tl_netns_find(struct tl_session *s, struct tl_netns *ns)
{
	char path[PATH_MAX];
	uint64_t number;
	uint32_t here = 0;
	int err = 0;

	if (!ns->text || ns->number)
		return 0;
	if (!tl_parse_uint(ns->text, FIRST_NUMBER, UINT32_MAX, &number)) {
		ns->number = (uint32_t)number;
		return 0;
	}
	path_of(ns->text, path, sizeof(path));
	if (!tl_recording_replays(s->recording)) {
		here = number_here(path);
		err = errno;
	}
	ns->number = (uint32_t)tl_recording_answer(
		s->recording, here, "network namespace %s", ns->text);
	return ns->number ? 0 : not_found(s, ns->text, path, err);
}
