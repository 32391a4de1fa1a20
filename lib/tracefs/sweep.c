// SPDX-License-Identifier: GPL-2.0-or-later
/* sweep.c - whose an instance or a probe is, and the removal of dead ones */
#include "tracefs/sweep.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/lines.h"
#include "tracefs/file.h"

/* The prefix, letters, "_PID", and perhaps "_N": nobody else's. */
bool tl_sweep_is_ours(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz-";
	size_t len;

	if (strncmp(name, TL_PREFIX, strlen(TL_PREFIX)))
		return false;
	name += strlen(TL_PREFIX);
	len = strspn(name, letters);
	if (!len || name[len] != '_')
		return false;
	name += len + 1;
	len = strspn(name, "0123456789_");
	return len && !name[len];
}

int tl_sweep_open(int root)
{
	int fd = openat(root, "instances", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int tries;

	if (fd < 0)
		return -errno;
	/* with signals blocked: not for ever, if one is stopped there */
	for (tries = 0; flock(fd, LOCK_EX | LOCK_NB) && tries < 3000; tries++)
		tl_pause(10000000);
	return fd;
}

void tl_sweep_close(int instances)
{
	/* closing is not enough: the journal has a copy of the descriptor */
	flock(instances, LOCK_UN);
	close(instances);
}

int tl_sweep_lock(int instances, const char *name)
{
	int fd = openat(instances, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int err;

	if (fd < 0)
		return -errno;
	if (!flock(fd, LOCK_EX | LOCK_NB))
		return fd;
	err = errno;
	close(fd);
	return -err;
}

bool tl_sweep_is_alive(int instances, const char *name)
{
	int fd = tl_sweep_lock(instances, name);

	if (fd >= 0)
		close(fd);
	/* in doubt (no descriptor left, no permission) it does */
	return fd < 0 && fd != -ENOENT;
}

int tl_sweep_rmdir(int instances, const char *name)
{
	int fd = openat(instances, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	tl_fs_write((struct tl_fs_dir){ .fd = fd }, "events/enable", "0", 0);
	close(fd);
	return unlinkat(instances, name, AT_REMOVEDIR) ? -errno : 0;
}

int tl_sweep_rmdir_dead(int instances, const char *name)
{
	int fd = tl_sweep_lock(instances, name), ret;

	if (fd < 0)
		return fd == -EWOULDBLOCK ? -EBUSY : fd;
	ret = tl_sweep_rmdir(instances, name);
	close(fd);
	return ret;
}

static void sweep_instances(int instances)
{
	DIR *dir = fdopendir(openat(instances, ".", O_RDONLY | O_CLOEXEC));
	struct dirent *d;

	while (dir && (d = readdir(dir)))
		if (tl_sweep_is_ours(d->d_name))
			tl_sweep_rmdir_dead(instances, d->d_name);
	if (dir)
		closedir(dir);
}

bool tl_dynamic_parse(struct tl_dynamic *d, char *line)
{
	char *name = strchr(line, ':'), *place;

	if (!name++)
		return false;
	place = name + strcspn(name, " \t");
	if (*place)
		*place++ = '\0';
	*d = (struct tl_dynamic){ *line, name, place, "" };
	if (strchr(name, '/'))
		snprintf(d->group, sizeof(d->group), "%.*s",
			 (int)strcspn(name, "/"), name);
	return true;
}

static void sweep_probes(int root, int instances)
{
	const struct tl_fs_dir dir = { .fd = root };
	char *text = tl_fs_read(dir, "dynamic_events", NULL);
	char *next = text, *line, command[256];
	struct tl_dynamic d;

	while ((line = tl_text_line(&next))) {
		if (!tl_dynamic_parse(&d, line) || !tl_sweep_is_ours(d.group) ||
		    tl_sweep_is_alive(instances, d.group))
			continue;
		snprintf(command, sizeof(command), "-:%s", d.name);
		tl_fs_write(dir, "dynamic_events", command, O_APPEND);
	}
	free(text);
}

void tl_sweep(int root, int instances)
{
	sweep_instances(instances);
	sweep_probes(root, instances);
}
