/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stack.h - the stack at an event; what tools call is in tracelet/stack.h */
#ifndef TL_TRACE_STACK_H
#define TL_TRACE_STACK_H

#include "base/session.h"

/** tl_stacks_are_user - whether tl_stacks_user() was called */
bool tl_stacks_are_user(const struct tl_session *s);

#endif
