/* SPDX-License-Identifier: GPL-2.0-or-later */
/* entry.h - calls of functions of the kernel */
#ifndef TL_CALL_ENTRY_H
#define TL_CALL_ENTRY_H

#include "base/buf.h"
#include "tracelet/event.h"

/** tl_entry_is - whether records of @ev are calls, for tl_entry_of() */
bool tl_entry_is(const struct tl_event *ev);
/**
 * tl_entry_line - append "func <-caller", with arguments "func(a=1, b=2)
 * <-caller"
 */
void tl_entry_line(struct tl_session *s, const struct tl_record *r,
		   struct tl_buf *b);

#endif
