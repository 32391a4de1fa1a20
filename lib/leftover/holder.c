// SPDX-License-Identifier: GPL-2.0-or-later
/* holder.c - which processes have files of tracefs open */
#include "leftover/holder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/proc.h"
#include "tracefs/sweep.h"
#include "tracefs/undo.h"

#define INSTANCES "instances/"

/* The instance that @path is in, if one of ours. */
static bool in_ours(const char *path)
{
	char name[256];

	if (strncmp(path, INSTANCES, strlen(INSTANCES)))
		return false;
	snprintf(name, sizeof(name), "%.*s",
		 (int)strcspn(path + strlen(INSTANCES), "/"),
		 path + strlen(INSTANCES));
	return tl_sweep_is_ours(name);
}

/* A link shows the path in the mount namespace of its process. */
static const char *below_root(const char *link, const char *root_path)
{
	static const char usual[] = "/tracing/";
	size_t len = strlen(root_path);
	const char *p;

	if (!strncmp(link, root_path, len) && link[len] == '/')
		return link + len + 1;
	p = strstr(link, usual);
	return p ? p + strlen(usual) : link;
}

static int add(struct tl_holders *h, pid_t pid, const char *path)
{
	struct tl_holder *list, *new;

	list = reallocarray(h->list, h->count + 1, sizeof(*list));
	if (!list)
		return -ENOMEM;
	h->list = list;
	new = &list[h->count];
	*new = (struct tl_holder){ .pid = pid, .path = strdup(path) };
	if (!new->path)
		return -ENOMEM;
	h->count++;
	tl_proc_comm(pid, new->comm, sizeof(new->comm));
	return 0;
}

/* Asks no file server, which might not answer. */
static bool is_tracefs(int fds, const char *name, dev_t dev, mode_t *type)
{
	struct statx st;

	if (statx(fds, name, AT_STATX_DONT_SYNC, STATX_TYPE, &st))
		return false;
	*type = st.stx_mode & S_IFMT;
	return makedev(st.stx_dev_major, st.stx_dev_minor) == dev;
}

static int find_of(struct tl_holders *h, pid_t pid, dev_t dev,
		   const char *root_path)
{
	char path[PATH_MAX], link[64];
	const char *below;
	struct dirent *d;
	mode_t type;
	ssize_t len;
	DIR *dir;
	int ret = 0;

	snprintf(link, sizeof(link), "/proc/%d/fd", pid);
	dir = opendir(link);
	while (dir && !ret && (d = readdir(dir))) {
		if (*d->d_name == '.' ||
		    !is_tracefs(dirfd(dir), d->d_name, dev, &type))
			continue;
		len = readlinkat(dirfd(dir), d->d_name, path, sizeof(path) - 1);
		if (len < 0)
			continue;
		path[len] = '\0';
		below = below_root(path, root_path);
		if (type == S_IFREG || in_ours(below))
			ret = add(h, pid, below);
	}
	if (dir)
		closedir(dir);
	return ret;
}

int tl_holders_add(struct tl_holders *h, pid_t pid, int root,
		   const char *root_path)
{
	struct stat st;
	size_t i;

	for (i = 0; i < h->count; i++)
		if (h->list[i].pid == pid)
			return 0;
	if (fstat(root, &st))
		return -errno;
	return find_of(h, pid, st.st_dev, root_path);
}

int tl_holders_find(struct tl_holders *h, int root, const char *root_path)
{
	DIR *proc = opendir("/proc");
	struct dirent *d;
	struct stat st;
	pid_t pid;
	int ret = 0;

	*h = (struct tl_holders){ 0 };
	if (fstat(root, &st))
		ret = -errno;
	/* without /proc nobody is known */
	while (proc && !ret && (d = readdir(proc))) {
		pid = (pid_t)strtol(d->d_name, NULL, 10);
		if (pid > 0 && pid != getpid())
			ret = find_of(h, pid, st.st_dev, root_path);
	}
	if (proc)
		closedir(proc);
	if (ret)
		tl_holders_free(h);
	return ret;
}

void tl_holders_free(struct tl_holders *h)
{
	while (h->count)
		free(h->list[--h->count].path);
	free(h->list);
	h->list = NULL;
}

const struct tl_holder *tl_holders_of(const struct tl_holders *h,
				      const char *name,
				      const struct tl_holder *last)
{
	const struct tl_holder *i = last ? last + 1 : h->list;
	size_t len = strlen(name);
	const char *path;

	for (; i < h->list + h->count; i++) {
		path = i->path + strlen(INSTANCES);
		if (!strncmp(i->path, INSTANCES, strlen(INSTANCES)) &&
		    !strncmp(path, name, len) &&
		    (path[len] == '/' || !path[len]))
			return i;
	}
	return NULL;
}

bool tl_holder_is_dir(const struct tl_holder *holder)
{
	return !strncmp(holder->path, INSTANCES, strlen(INSTANCES)) &&
	       !strchr(holder->path + strlen(INSTANCES), '/');
}

pid_t tl_holders_session(const struct tl_holders *h, const char *name,
			 pid_t preferred)
{
	const struct tl_holder *i = NULL;
	pid_t found = 0;

	while ((i = tl_holders_of(h, name, i))) {
		/* others have files in it open, the session the directory */
		if (!tl_holder_is_dir(i) || !strcmp(i->comm, TL_GUARD))
			continue;
		if (i->pid == preferred)
			return i->pid;
		found = i->pid;
	}
	return found;
}

bool tl_holder_is_ours(const struct tl_holders *h,
		       const struct tl_holder *holder)
{
	size_t i;

	for (i = 0; i < h->count; i++)
		if (h->list[i].pid == holder->pid && in_ours(h->list[i].path))
			return true;
	return false;
}
