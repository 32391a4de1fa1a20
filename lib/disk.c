// SPDX-License-Identifier: GPL-2.0-or-later
/* disk.c - block devices by name, path and number */
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

#include "disk.h"
#include "fs.h"
#include "session.h"
#include "view.h"

#define BY_NUMBER "/sys/dev/block"
#define BY_NAME   "/sys/class/block"

/* devices are few; a number can come to mean another one */
#define KNOWN     64
#define KNOWN_FOR 1000000000 /* ns */

struct disk {
	uint64_t until;
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
static int64_t attribute(uint32_t dev, const char *file)
{
	char path[128], *text;
	int64_t n = -1;

	snprintf(path, sizeof(path), BY_NUMBER "/%u:%u/%s", TL_DEV_MAJOR(dev),
		 TL_DEV_MINOR(dev), file);
	text = tl_fs_read(AT_FDCWD, path, NULL);
	if (text)
		n = strtoll(text, NULL, 10);
	free(text);
	return n;
}

/* A file "dev" has "MAJOR:MINOR"; 0 when there is none. */
static uint32_t read_number(const char *path)
{
	char *text = tl_fs_read(AT_FDCWD, path, NULL);
	unsigned int major, minor;
	uint32_t dev = 0;

	if (text && sscanf(text, "%u:%u", &major, &minor) == 2)
		dev = number(major, minor);
	free(text);
	return dev;
}

/* A partition's directory is in that of its disk. */
static uint32_t whole(uint32_t dev)
{
	char path[128];

	if (attribute(dev, "partition") < 0)
		return dev;
	snprintf(path, sizeof(path), BY_NUMBER "/%u:%u/../dev",
		 TL_DEV_MAJOR(dev), TL_DEV_MINOR(dev));
	return read_number(path) ?: dev;
}

/* ---- numbers to names --------------------------------------------------- */

/* "NAME NUMBER-OF-THE-WHOLE" */
static bool look_up_kept(struct disk *d, const char *key)
{
	const char *text = tl_view_text(key, NULL);

	return text && sscanf(text, "%63s %u", d->name, &d->whole) == 2;
}

static void look_up_here(struct disk *d)
{
	char path[128], target[256], *name;
	ssize_t len;

	snprintf(path, sizeof(path), BY_NUMBER "/%u:%u", TL_DEV_MAJOR(d->dev),
		 TL_DEV_MINOR(d->dev));
	len = tl_view_replays() ? 0
				: readlink(path, target, sizeof(target) - 1);
	target[len > 0 ? len : 0] = '\0';
	name = strrchr(target, '/');
	if (name)
		snprintf(d->name, sizeof(d->name), "%.63s", name + 1);
	else
		snprintf(d->name, sizeof(d->name), "%u,%u",
			 TL_DEV_MAJOR(d->dev), TL_DEV_MINOR(d->dev));
	d->whole = whole(d->dev);
}

static void look_up(struct disk *d)
{
	char key[64];

	snprintf(key, sizeof(key), "disk %u", d->dev);
	if (tl_view_replays() && look_up_kept(d, key))
		return;
	look_up_here(d);
	if (tl_view_is_kept())
		tl_view_notef(key, "%s %u", d->name, d->whole);
}

/* Those that come later have a number only. */
void tl_disks_keep(struct tl_session *s)
{
	struct dirent *entry;
	struct disk d = { 0 };
	DIR *dir = s->blocks ? opendir(BY_NUMBER) : NULL;
	unsigned int major, minor;

	while (dir && (entry = readdir(dir)))
		if (sscanf(entry->d_name, "%u:%u", &major, &minor) == 2) {
			d.dev = number(major, minor);
			look_up(&d);
		}
	if (dir)
		closedir(dir);
}

static struct disk *get(struct tl_session *s, uint32_t dev)
{
	uint64_t now = tl_now();
	struct disk *d;

	if (!s->disks)
		s->disks = calloc(1, sizeof(*s->disks));
	if (!s->disks)
		return NULL;
	/* minors of disks are 16 apart, or 1 */
	d = &s->disks->known[dev * 0x9e3779b1U >> 26];
	if (d->dev != dev || d->until < now) {
		d->dev = dev;
		d->until = now + KNOWN_FOR;
		look_up(d);
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

void tl_disks_free(struct tl_session *s)
{
	free(s->disks);
}

/* ---- names to numbers --------------------------------------------------- */

static uint32_t of_path(const char *path)
{
	struct stat st;
	dev_t dev;

	if (tl_view_replays() || stat(path, &st))
		return (uint32_t)tl_view_answer(0, "device of %s", path);
	dev = S_ISBLK(st.st_mode) ? st.st_rdev : st.st_dev;
	return (uint32_t)tl_view_answer(number(major(dev), minor(dev)),
					"device of %s", path);
}

static uint32_t of_name(const char *name)
{
	unsigned int major, minor;
	char path[4096], rest;

	if (sscanf(name, "%u%*1[,:]%u%c", &major, &minor, &rest) == 2)
		return number(major, minor);
	if (strchr(name, '/'))
		return of_path(name);
	snprintf(path, sizeof(path), BY_NAME "/%s/dev", name);
	return read_number(path);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int no_device(const char *name)
{
	struct dirent **list;
	char text[1024] = "";
	size_t len = 0;
	int n, i;

	n = scandir(BY_NAME, &list, NULL, by_name);
	for (i = 0; i < n; i++) {
		if (list[i]->d_name[0] != '.' && len < sizeof(text))
			len += (size_t)snprintf(text + len, sizeof(text) - len,
						" %s", list[i]->d_name);
		free(list[i]);
	}
	if (n >= 0)
		free(list);
	return tl_fail(ENODEV, "\"%s\" is no block device; there are:%s", name,
		       *text ? text : " none");
}

int tl_device_find(const char *name, struct tl_device *device)
{
	uint32_t dev = of_name(name);
	int64_t first;

	if (!dev || attribute(dev, "size") < 0)
		return no_device(name);
	*device = (struct tl_device){ .disk = whole(dev) };
	first = attribute(dev, "start");
	if (device->disk != dev && first >= 0) {
		device->first = (uint64_t)first;
		device->count = (uint64_t)attribute(dev, "size");
	}
	return 0;
}
