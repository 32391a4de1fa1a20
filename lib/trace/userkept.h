/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * userkept.h - functions of processes in captures
 *
 * While a capture is written, the address of each frame is looked up when its record comes:
 * its process may end at any time, and the reader may be on another machine.
 */
#ifndef TL_TRACE_USERKEPT_H
#define TL_TRACE_USERKEPT_H

#include "trace/stack.h"
#include "trace/usersym.h"

/** tl_user_kept_open - in setup of a run that writes a capture, or reads one; 0 or -ENOMEM */
int tl_user_kept_open(struct tl_session *s);
/**
 * tl_user_kept_see - in setup: look up all frames in records of @ev, which have @fields, where a
 * capture is written
 */
void tl_user_kept_see(struct tl_session *s, struct tl_event *ev,
		      const struct tl_stack_fields *fields);
/**
 * tl_user_kept_symbol - as tl_user_symbol(), where a capture is read; what it does not have
 * is not known
 */
void tl_user_kept_symbol(struct tl_session *s, const struct tl_user_address *a,
			 struct tl_user_symbol *sym);
/** tl_user_kept_is_walked - as tl_user_is_walked(), where a capture is read */
bool tl_user_kept_is_walked(struct tl_session *s, pid_t process, uint64_t ns);

#endif
