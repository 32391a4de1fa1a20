/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check.h - --check */
#ifndef TL_MAIN_CHECK_H
#define TL_MAIN_CHECK_H

#include "base/session.h"

/** tl_check - do --check and say the result; returns an exit status */
int tl_check(struct tl_session *s);

#endif
