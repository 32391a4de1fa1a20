/* SPDX-License-Identifier: GPL-2.0-or-later */
/* system.h - the system that a report is of */
#ifndef TRACELET_SYSTEM_H
#define TRACELET_SYSTEM_H

#pragma GCC visibility push(default)

struct tl_session;

/**
 * tl_system - call @fn for each thing that a report on this system begins with,
 * @value NULL where it is not known
 */
void tl_system(struct tl_session *s,
	       void (*fn)(struct tl_session *s, const char *name,
			  const char *value));

#pragma GCC visibility pop

#endif
