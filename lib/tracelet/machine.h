/* SPDX-License-Identifier: GPL-2.0-or-later */
/* machine.h - the machine that records are of; with -r not this one */
#ifndef TRACELET_MACHINE_H
#define TRACELET_MACHINE_H

#include <stdint.h>

#pragma GCC visibility push(default)

struct tl_session;

/** tl_page_size - in setup: bytes of a page of its memory */
uint64_t tl_page_size(struct tl_session *s);
/**
 * tl_cpu_width - characters that the number of each processor fits into, as in
 * the kernel's own graphs
 */
int tl_cpu_width(const struct tl_session *s);

#pragma GCC visibility pop

#endif
