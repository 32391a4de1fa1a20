/* SPDX-License-Identifier: GPL-2.0-or-later */
/* userlive.h - functions of processes by address, from what processes have mapped now */
#ifndef TL_TRACE_USERLIVE_H
#define TL_TRACE_USERLIVE_H

#include "trace/usersym.h"

/** tl_user_live_open - in setup, of no capture; 0 or -ENOMEM */
int tl_user_live_open(struct tl_session *s);
/** tl_user_live_symbol - as tl_user_symbol() */
int tl_user_live_symbol(struct tl_session *s, const struct tl_user_place *at,
			const struct tl_user_address *a,
			struct tl_user_symbol *sym);
/** tl_user_live_is_walked - as tl_user_is_walked() */
bool tl_user_live_is_walked(struct tl_session *s, pid_t process, uint64_t ns);

#endif
