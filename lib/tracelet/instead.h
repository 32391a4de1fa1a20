/* SPDX-License-Identifier: GPL-2.0-or-later */
/* instead.h - what is called instead of a function that never is */
#ifndef TRACELET_INSTEAD_H
#define TRACELET_INSTEAD_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(default)

struct tl_functions;
struct tl_session;

/**
 * tl_instead_expect - in setup: calls of function @name, or of tracepoint
 * "system:name", are asked for
 *
 * Some names are there and never called: C libraries make openat() of open().
 * The library notes those of which it knows what is called instead, unless all
 * comes from a capture; of others there is no cost.
 */
void tl_instead_expect(struct tl_session *s, const char *name);
/** tl_instead_expect_all - the same of each name among @f */
void tl_instead_expect_all(struct tl_session *s, const struct tl_functions *f);
/** tl_instead_seen - there was a call; tl_show() says so itself */
void tl_instead_seen(struct tl_session *s, const char *name);
/** tl_instead_seen_at - the same of the function at @addr */
void tl_instead_seen_at(struct tl_session *s, uint64_t addr);
/**
 * tl_instead_report - at the end: say what is called instead of those that no call
 * of was seen, if it is there on this kernel; returns whether anything was said
 */
bool tl_instead_report(struct tl_session *s);

#pragma GCC visibility pop

#endif
