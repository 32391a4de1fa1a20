/* SPDX-License-Identifier: GPL-2.0-or-later */
/* operands.h - arguments behind the options, by a table */
#ifndef TL_OPTION_OPERANDS_H
#define TL_OPTION_OPERANDS_H

#include "base/buf.h"
#include "tracelet/option.h"

/**
 * tl_operands_take - set what a tool's table of operands names, in its order
 *
 * Returns 0 or -EINVAL after tl_usage(), also for one too many.
 */
int tl_operands_take(struct tl_session *s, const struct tl_operand *table,
		     int argc, char **argv);

/** tl_operands_text - add them to @text as a synopsis: "[interval [count]]" */
void tl_operands_text(const struct tl_operand *table, struct tl_buf *text);

#endif
