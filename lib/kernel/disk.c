// SPDX-License-Identifier: GPL-2.0-or-later
/* disk.c - block devices by name, path and number */
#include "kernel/disk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/part.h"
#include "base/recording.h"
#include "tracefs/file.h"
#include "tracelet/disk.h"
#include "tracelet/message.h"

#define BY_NUMBER "/sys/dev/block"
#define BY_NAME   "/sys/class/block"

/* in a capture, with the number behind it */
#define KEPT "disk "

/* devices are few; a number can come to mean another one */
#define KNOWN     64
#define KNOWN_FOR 1000000000 /* ns */

struct disk {
	uint64_t until;
	uint64_t first, count; /* sectors of a partition; count is 0 for none */
	uint32_t dev, whole;
	char name[64];
};

struct tl_disks {
	struct disk known[KNOWN];
};

static uint32_t number(unsigned int major, unsigned int minor)
{
	return major << 20 | minor;
}

/* A number in @file of the device's directory; -1 when there is none. */
static int64_t attribute(const struct tl_session *s, uint32_t dev,
			 const char *file)
{
	char path[128], *text;
	int64_t n = -1;

	snprintf(path, sizeof(path), BY_NUMBER "/%u:%u/%s", TL_DEV_MAJOR(dev),
		 TL_DEV_MINOR(dev), file);
	text = tl_fs_read(tl_fs_machine(s), path, NULL);
	if (text)
		n = strtoll(text, NULL, 10);
	free(text);
	return n;
}

/* A file "dev" has "MAJOR:MINOR"; 0 when there is none. */
static uint32_t read_number(const struct tl_session *s, const char *path)
{
	char *text = tl_fs_read(tl_fs_machine(s), path, NULL);
	unsigned int major, minor;
	uint32_t dev = 0;

	if (text && sscanf(text, "%u:%u", &major, &minor) == 2)
		dev = number(major, minor);
	free(text);
	return dev;
}

/* A partition's directory is in that of its disk. */
static uint32_t whole(const struct tl_session *s, uint32_t dev)
{
	char path[128];

	if (attribute(s, dev, "partition") < 0)
		return dev;
	snprintf(path, sizeof(path), BY_NUMBER "/%u:%u/../dev",
		 TL_DEV_MAJOR(dev), TL_DEV_MINOR(dev));
	return read_number(s, path) ?: dev;
}

/* ---- numbers to names ------------------------------------------------- */

/* "NAME NUMBER-OF-THE-WHOLE FIRST COUNT"; the last two not in old captures */
static bool parse_kept(struct disk *d, const char *text)
{
	d->first = d->count = 0;
	return text && sscanf(text, "%63s %u %" SCNu64 " %" SCNu64, d->name,
			      &d->whole, &d->first, &d->count) >= 2;
}

static void look_up_here(const struct tl_session *s, struct disk *d)
{
	char path[128], target[256], *name;
	int64_t first, count;
	ssize_t len;

	snprintf(path, sizeof(path), BY_NUMBER "/%u:%u", TL_DEV_MAJOR(d->dev),
		 TL_DEV_MINOR(d->dev));
	len = tl_recording_replays(s->recording)
		      ? 0
		      : readlink(path, target, sizeof(target) - 1);
	target[len > 0 ? len : 0] = '\0';
	name = strrchr(target, '/');
	if (name)
		snprintf(d->name, sizeof(d->name), "%.63s", name + 1);
	else
		snprintf(d->name, sizeof(d->name), "%u,%u",
			 TL_DEV_MAJOR(d->dev), TL_DEV_MINOR(d->dev));
	d->whole = whole(s, d->dev);
	first = d->whole == d->dev ? -1 : attribute(s, d->dev, "start");
	count = first < 0 ? -1 : attribute(s, d->dev, "size");
	d->first = first < 0 ? 0 : (uint64_t)first;
	d->count = count < 0 ? 0 : (uint64_t)count;
}

static void look_up(const struct tl_session *s, struct disk *d)
{
	char key[64];

	snprintf(key, sizeof(key), KEPT "%u", d->dev);
	if (tl_recording_replays(s->recording) &&
	    parse_kept(d, tl_recording_text(s->recording, key, NULL)))
		return;
	look_up_here(s, d);
	if (tl_recording_is_on(s->recording))
		tl_recording_notef(s->recording, key,
				   "%s %u %" PRIu64 " %" PRIu64, d->name,
				   d->whole, d->first, d->count);
}

/* Disks that come later have a number only. */
void tl_disks_keep(struct tl_session *s)
{
	struct dirent *entry;
	struct disk d = { 0 };
	DIR *dir = opendir(BY_NUMBER);
	unsigned int major, minor;

	while (dir && (entry = readdir(dir)))
		if (sscanf(entry->d_name, "%u:%u", &major, &minor) == 2) {
			d.dev = number(major, minor);
			look_up(s, &d);
		}
	if (dir)
		closedir(dir);
}

static const struct tl_part_ops disks_ops = { .free = free };

static struct disk *get(struct tl_session *s, uint32_t dev)
{
	struct tl_disks *disks = tl_part_get(s, &disks_ops, sizeof(*disks));
	uint64_t now = tl_now();
	struct disk *d;

	if (!disks)
		return NULL;
	/* minors of disks are 16 apart, or 1 */
	d = &disks->known[dev * 0x9e3779b1U >> 26];
	if (d->dev != dev || d->until < now) {
		d->dev = dev;
		d->until = now + KNOWN_FOR;
		look_up(s, d);
	}
	return d;
}

const char *tl_disk_name(struct tl_session *s, uint32_t dev)
{
	struct disk *d = get(s, dev);

	return d ? d->name : "-";
}

uint32_t tl_disk_of(struct tl_session *s, uint32_t dev)
{
	struct disk *d = get(s, dev);

	return d ? d->whole : dev;
}

/* ---- names to numbers ------------------------------------------------- */

/* A search among the disks of a capture. */
struct search {
	const char *name; /* NULL: the names of all are wanted */
	struct tl_buf names;
	uint32_t dev;
};

static int compare_kept(void *ctx, const char *key, const char *text,
			size_t len)
{
	struct search *search = ctx;
	struct disk d;

	if (!parse_kept(&d, text))
		return 0;
	if (!search->name)
		tl_buf_printf(&search->names, " %s", d.name);
	else if (!strcmp(d.name, search->name))
		search->dev = (uint32_t)strtoul(key + strlen(KEPT), NULL, 10);
	return search->dev != 0;
}

static uint32_t of_kept(const struct tl_session *s, const char *name)
{
	struct search search = { .name = name };

	if (!strncmp(name, "/dev/", 5))
		search.name += 5;
	tl_recording_each(s->recording, KEPT, compare_kept, &search);
	/* what its own run was asked for, whatever that is */
	return search.dev
		       ?: (uint32_t)tl_recording_answer(s->recording, 0,
							"device of %s", name);
}

static uint32_t of_path(const struct tl_session *s, const char *path)
{
	struct stat st;
	dev_t dev;

	if (stat(path, &st))
		return 0;
	dev = S_ISBLK(st.st_mode) ? st.st_rdev : st.st_dev;
	return (uint32_t)tl_recording_answer(s->recording,
					     number(major(dev), minor(dev)),
					     "device of %s", path);
}

static uint32_t of_name(const struct tl_session *s, const char *name)
{
	unsigned int major, minor;
	char path[4096], rest;

	if (sscanf(name, "%u%*1[,:]%u%c", &major, &minor, &rest) == 2)
		return number(major, minor);
	if (tl_recording_replays(s->recording))
		return of_kept(s, name);
	if (strchr(name, '/'))
		return of_path(s, name);
	snprintf(path, sizeof(path), BY_NAME "/%s/dev", name);
	return read_number(s, path);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void list_here(struct tl_buf *names)
{
	struct dirent **list;
	int n, i;

	n = scandir(BY_NAME, &list, NULL, by_name);
	for (i = 0; i < n; i++) {
		if (list[i]->d_name[0] != '.')
			tl_buf_printf(names, " %s", list[i]->d_name);
		free(list[i]);
	}
	if (n >= 0)
		free(list);
}

static int no_device(const struct tl_session *s, const char *name)
{
	const bool kept = tl_recording_replays(s->recording);
	struct search all = { 0 };

	if (kept)
		tl_recording_each(s->recording, KEPT, compare_kept, &all);
	else
		list_here(&all.names);
	tl_fail(ENODEV, "\"%s\" is no block device%s; there are:%.*s", name,
		kept ? " of the capture, which knows them by name or number"
		     : "",
		all.names.len ? (int)all.names.len : 5,
		all.names.len ? all.names.data : " none");
	tl_buf_free(&all.names);
	return -ENODEV;
}

int tl_device_find(struct tl_session *s, const char *name,
		   struct tl_device *device)
{
	struct disk d = { .dev = of_name(s, name) };

	/*
	 * of a capture a number is taken as it is: a disk can have come later
	 */
	if (!d.dev || (!tl_recording_replays(s->recording) &&
		       attribute(s, d.dev, "size") < 0))
		return no_device(s, name);
	look_up(s, &d);
	if (d.whole != d.dev && !d.count)
		return tl_fail(ENODEV,
			       "%s: it is not known where this "
			       "partition is on its disk",
			       name);
	*device = (struct tl_device){ d.whole, d.first, d.count };
	return 0;
}
