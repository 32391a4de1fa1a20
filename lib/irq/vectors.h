/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vectors.h - interrupts that are no lines, where the kernel has events of each */
#ifndef TL_IRQ_VECTORS_H
#define TL_IRQ_VECTORS_H

#include "irq/names.h"
#include "tracelet/event.h"

/** An interrupt with events of its own; the ctx of both. */
struct tl_irq_vector {
	void *ctx; /* that of struct tl_irq_vectors */
	const struct tl_irq *irq;
};

/** All of them, and what handles their records; the first four are the caller's. */
struct tl_irq_vectors {
	struct tl_irq_names *names;
	tl_handler *begin, *end;
	void *ctx;
	struct tl_irq_vector *list;
	size_t count, room;
};

/**
 * tl_irq_vectors_add - in set-up: record the events of all, "irq_vectors:*"
 *
 * A kernel without any has none.  Returns 0, or -errno after a message.
 */
int tl_irq_vectors_add(struct tl_session *s, struct tl_irq_vectors *v);
/** tl_irq_vectors_free - @v itself is the caller's */
void tl_irq_vectors_free(struct tl_irq_vectors *v);

#endif
