/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpus.h - processors that the user asked for: --cpu */
#ifndef TL_RECORD_CPUS_H
#define TL_RECORD_CPUS_H

#include "base/session.h"

struct tl_filter;

/**
 * tl_cpu_count - how many processors the machine has that records are of, with
 * those that are off; 0: a capture does not tell
 */
unsigned int tl_cpu_count(const struct tl_session *s);
/**
 * tl_cpus_check - whether there are those that are asked for, and a capture has
 * what happened there; 0, or -errno after a message, -EINVAL after tl_usage()
 */
int tl_cpus_check(const struct tl_session *s);
/** tl_cpus_add_filter - add that an event happens on one of them, if any is given */
void tl_cpus_add_filter(const struct tl_session *s, struct tl_filter *f);

/** tl_cpus_keep - keep in a capture that nothing was recorded on others */
void tl_cpus_keep(struct tl_session *s);

#endif
