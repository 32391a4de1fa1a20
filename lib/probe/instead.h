/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * instead.h - names that are there, but never called; what tools call is in
 * tracelet/instead.h
 */
#ifndef TL_PROBE_INSTEAD_H
#define TL_PROBE_INSTEAD_H

#include "base/session.h"

struct tl_event;

/** tl_instead_expect_event - tl_instead_expect() the place of probe @ev */
void tl_instead_expect_event(struct tl_session *s, const struct tl_event *ev);
/** tl_instead_seen_event - as tl_instead_seen(), of a record of @ev */
void tl_instead_seen_event(struct tl_session *s, const struct tl_event *ev);

#endif
