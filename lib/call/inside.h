/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inside.h - which threads are in a function now */
#ifndef TL_CALL_INSIDE_H
#define TL_CALL_INSIDE_H

#include <stdbool.h>

#include "base/session.h"
#include "tracelet/text.h"

/** tl_inside_keep - in setup: keep the capabilities that tl_inside_warn() needs */
void tl_inside_keep(struct tl_session *s);
/**
 * tl_inside_warn - say which threads, of those asked for, are in a call that has
 * not returned, or that this is not known
 * @is_one: whether a function is meant, whose name has a compiler's suffix
 *
 * By the stacks of all threads, 20 us for each; one that runs may be missed.
 */
void tl_inside_warn(struct tl_session *s,
		    bool (*is_one)(struct tl_session *s, struct tl_str name));

#endif
