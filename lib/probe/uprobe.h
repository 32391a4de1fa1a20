/* SPDX-License-Identifier: GPL-2.0-or-later */
/* uprobe.h - probes in programs and libraries */
#ifndef TL_PROBE_UPROBE_H
#define TL_PROBE_UPROBE_H

#include "base/session.h"
#include "elf/object.h"
#include "tracelet/event.h"

/**
 * tl_uprobe_callers - before the probes: record who called the functions that
 * they are at; 0 or -ENOMEM
 */
int tl_uprobe_callers(struct tl_session *s);
/** tl_uprobe_place - where the probe is that made @r; all 0: none did */
struct tl_user_place tl_uprobe_place(const struct tl_record *r);
/**
 * tl_uprobe_caller - who called the function that begins there; 0: not known,
 * or none does
 */
uint64_t tl_uprobe_caller(const struct tl_record *r);

#endif
