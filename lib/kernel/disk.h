/* SPDX-License-Identifier: GPL-2.0-or-later */
/* disk.h - block devices by name, path and number; all from /sys */
#ifndef TL_KERNEL_DISK_H
#define TL_KERNEL_DISK_H

#include <stdint.h>

struct tl_session;

/** A disk, or a partition of it. */
struct tl_device {
	uint32_t disk;         /* number of the whole disk */
	uint64_t first, count; /* sectors; count is 0 for a whole disk */
};

/**
 * tl_device_find - what the user means by @name
 *
 * "8,0", "8:0", "sda1", "/dev/disk/by-id/...", or a file, for the device that
 * it is stored on; in a capture "8,0", or a name that was there when it was
 * written, also as "/dev/NAME".  Returns 0 or -ENODEV after a message with what there is.
 */
int tl_device_find(struct tl_session *s, const char *name,
		   struct tl_device *device);

/** tl_disks_keep - note all that there are, for who reads a capture */
void tl_disks_keep(struct tl_session *s);

/** tl_disk_of - the disk that partition @dev is of; @dev for a disk */
uint32_t tl_disk_of(struct tl_session *s, uint32_t dev);

#endif
