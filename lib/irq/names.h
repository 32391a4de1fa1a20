/* SPDX-License-Identifier: GPL-2.0-or-later */
/* names.h - interrupts and softirqs, one for each name */
#ifndef TL_IRQ_NAMES_H
#define TL_IRQ_NAMES_H

#include "tracelet/irq.h"
#include "tracelet/text.h"

/** tl_irq_pattern - take the first pattern of @list; returns the rest of it */
const char *tl_irq_pattern(const char *list, char pattern[TL_IRQ_NAME]);
/** tl_irq_matches - whether @pattern means the one with this number and name */
bool tl_irq_matches(const char *pattern, int number, const char *name);

/** struct tl_irq_names - those that were seen */
struct tl_irq_names;

/**
 * tl_irq_names_new - @only: as in struct tl_irq_config
 *
 * NULL without memory; tl_irq_names_free() it.
 */
struct tl_irq_names *tl_irq_names_new(const char *only);
void tl_irq_names_free(struct tl_irq_names *n);
/**
 * tl_irq_names_of - the one with this number and name, made when it is new
 *
 * Never NULL.  It lives as long as @n.  The first 4,096 are told apart, all others are one of name
 * "[others]".
 */
const struct tl_irq *tl_irq_names_of(struct tl_irq_names *n, bool soft,
				     int number, struct tl_str name);
/** tl_irq_names_at - the one with this id, that of another one; NULL: there is none */
const struct tl_irq *tl_irq_names_at(const struct tl_irq_names *n,
				     unsigned int id);

#endif
