/* SPDX-License-Identifier: GPL-2.0-or-later */
/* err.h - who speaks in messages; what is said is in tracelet.h */
#ifndef TL_ERR_H
#define TL_ERR_H

#include "tracelet.h"

/**
 * tl_err_tool - name that messages begin with; not copied
 *
 * Until then it is the program's own.
 */
void tl_err_tool(const char *name);

#endif
