/* SPDX-License-Identifier: GPL-2.0-or-later */
/* families.h - what several programs count, as one answer */
#ifndef TL_EXPORT_FAMILIES_H
#define TL_EXPORT_FAMILIES_H

#include "base/buf.h"
#include "tracelet/text.h"

struct tl_families;

/** tl_families_new - NULL without memory */
struct tl_families *tl_families_new(void);
void tl_families_free(struct tl_families *f);

/**
 * tl_families_add - metrics in text, in blocks that begin with "# HELP NAME "; they live
 * as long as @f
 *
 * Those of a name that was there come behind them, so that each has one block.  Returns 0
 * or -ENOMEM.
 */
int tl_families_add(struct tl_families *f, struct tl_str text);
/** tl_families_print - append all to @b, in the order in which they came */
void tl_families_print(const struct tl_families *f, struct tl_buf *b);

#endif
