/* SPDX-License-Identifier: GPL-2.0-or-later */
/* disk.h - disks */
#ifndef TRACELET_DISK_H
#define TRACELET_DISK_H

#include <stdint.h>

#pragma GCC visibility push(default)

struct tl_session;

/**
 * tl_disk_name - "sda"; "8,0" for one that is not there any more; valid until
 * the next call
 */
const char *tl_disk_name(struct tl_session *s, uint32_t dev);

#define TL_DEV_MAJOR(dev) ((dev) >> 20)
#define TL_DEV_MINOR(dev) ((dev)&0xfffff)

#pragma GCC visibility pop

#endif
