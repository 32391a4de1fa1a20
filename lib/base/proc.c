// SPDX-License-Identifier: GPL-2.0-or-later
/* proc.c - what /proc says of a process */
#include "base/proc.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/recording.h"
#include "base/session.h"
#include "tracelet/proc.h"
#include "tracelet/text.h"

#define FIELD_STATE 3
#define FIELD_FLAGS 9
#define FIELD_START 22
#define FIELD_CPU   39

#define PF_KTHREAD 0x200000

ssize_t tl_proc_read_at(int dir, const char *path, char *buf, size_t size)
{
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, buf, size - 1);

	if (fd >= 0)
		close(fd);
	if (n > 0 && buf[n - 1] == '\n')
		n--;
	buf[n > 0 ? n : 0] = '\0';
	return n;
}

ssize_t tl_proc_read(const char *path, char *buf, size_t size)
{
	return tl_proc_read_at(AT_FDCWD, path, buf, size);
}

static int64_t bytes_of(const char *text, const char *name)
{
	const char *line = text;
	size_t len = strlen(name);
	int64_t kb;

	while (line && (strncmp(line, name, len) || line[len] != ':')) {
		line = strchr(line, '\n');
		line += line ? 1 : 0;
	}
	if (!line || sscanf(line + len, ": %" SCNd64 " kB", &kb) != 1)
		return -1;
	return kb * 1024;
}

void tl_proc_bytes(const struct tl_session *s, const char *path,
		   const char *const names[], int64_t bytes[], size_t count)
{
	char text[8192] = "";
	size_t i;

	/* the memory of a capture's machine is none of this one's */
	if (!tl_recording_replays(s->recording))
		tl_proc_read(path, text, sizeof(text));
	for (i = 0; i < count; i++)
		bytes[i] = bytes_of(text, names[i]);
}

struct tl_str tl_path_resolve(const struct tl_session *s, pid_t pid, int dfd,
			      struct tl_str name)
{
	static char buf[2 * PATH_MAX];
	const size_t size = sizeof(buf);
	char link[64];
	ssize_t n;

	if (!name.len || name.text[0] == '/' || name.len > size - 2 ||
	    tl_recording_replays(s->recording))
		return name;
	if (dfd == AT_FDCWD)
		snprintf(link, sizeof(link), "/proc/%d/cwd", pid);
	else
		snprintf(link, sizeof(link), "/proc/%d/fd/%d", pid, dfd);
	n = readlink(link, buf, size - name.len - 2);
	if (n <= 0)
		return name; /* it is gone, or not ours to see */
	if (buf[n - 1] != '/')
		buf[n++] = '/';
	memcpy(buf + n, name.text, name.len);
	return (struct tl_str){ buf, (size_t)n + name.len };
}

ssize_t tl_proc_comm(pid_t pid, char *comm, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	return tl_proc_read(path, comm, size);
}

/* A field of a stat file, which are numbered from 1; NULL: there is none. */
static const char *field_in(const char *stat, int wanted)
{
	/* the name, in parentheses, may have any characters in it */
	const char *p = strrchr(stat, ')');
	int field;

	for (field = FIELD_STATE - 1; p && field < wanted; field++) {
		p = strchr(p, ' ');
		p += p ? 1 : 0;
	}
	return p;
}

/* The number in a field of its stat file behind the name, or -1. */
static long long stat_field(pid_t pid, int wanted)
{
	char path[64], stat[1024];
	const char *p;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	if (tl_proc_read(path, stat, sizeof(stat)) <= 0)
		return -1;
	p = field_in(stat, wanted);
	return p ? strtoll(p, NULL, 10) : -1;
}

char tl_proc_state(int dir, pid_t tid, unsigned int *cpu)
{
	char path[32], stat[1024];
	const char *state, *last;

	snprintf(path, sizeof(path), "%d/stat", tid);
	if (tl_proc_read_at(dir, path, stat, sizeof(stat)) <= 0)
		return 0;
	state = field_in(stat, FIELD_STATE);
	last = field_in(stat, FIELD_CPU);
	if (!last)
		return 0;
	*cpu = (unsigned int)strtoul(last, NULL, 10);
	return *state;
}

bool tl_proc_is_kernels(pid_t pid)
{
	long long flags = stat_field(pid, FIELD_FLAGS);

	return flags >= 0 && flags & PF_KTHREAD;
}

time_t tl_proc_age(pid_t pid)
{
	long long start = stat_field(pid, FIELD_START);
	struct timespec now;

	if (start < 0 || clock_gettime(CLOCK_BOOTTIME, &now))
		return -1;
	return now.tv_sec - start / sysconf(_SC_CLK_TCK);
}

static void each_of(const char *process,
		    void (*fn)(void *ctx, int dir, pid_t tid), void *ctx)
{
	struct dirent *d;
	char path[300];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%s/task", process);
	dir = opendir(path);
	while (dir && (d = readdir(dir)))
		if (atoi(d->d_name) > 0)
			fn(ctx, dirfd(dir), atoi(d->d_name));
	if (dir)
		closedir(dir);
}

void tl_proc_each_thread(void (*fn)(void *ctx, int dir, pid_t tid), void *ctx)
{
	DIR *dir = opendir("/proc");
	struct dirent *d;

	while (dir && (d = readdir(dir)))
		if (atoi(d->d_name) > 0)
			each_of(d->d_name, fn, ctx);
	if (dir)
		closedir(dir);
}
