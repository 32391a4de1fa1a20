/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pictured.h - pictures of single events that a tool shows, for all tools */
#ifndef TL_PICTURE_PICTURED_H
#define TL_PICTURE_PICTURED_H

struct tl_session;

/** tl_pictured_args - in args: 0, or -EINVAL after tl_usage() */
int tl_pictured_args(struct tl_session *s);
/** tl_pictured_open - behind the tool's setup; 0, or -errno after a message */
int tl_pictured_open(struct tl_session *s);

#endif
