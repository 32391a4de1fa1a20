/* SPDX-License-Identifier: GPL-2.0-or-later */
/* collectors.h - tools that count, and what each of them has counted last */
#ifndef TL_EXPORT_COLLECTORS_H
#define TL_EXPORT_COLLECTORS_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "export/config.h"

struct tl_session;
struct tl_collectors;

/** tl_collectors_new - one of each command of @config, which outlives them; or NULL */
struct tl_collectors *tl_collectors_new(const struct tl_session *s,
					const struct tl_export_config *config);
/** tl_collectors_free - end all, and wait until they have undone what they did */
void tl_collectors_free(struct tl_collectors *c);
/**
 * tl_collectors_check - whether each of them works here, as its --check has it, and has
 * metrics; false after messages
 */
bool tl_collectors_check(struct tl_collectors *c);
/** tl_collectors_start - run them */
void tl_collectors_start(struct tl_collectors *c);

/**
 * tl_collectors_poll - what to wait for before tl_collectors_step()
 * @fds: one for each of them
 *
 * Returns after how many ms that is to be called in any case, -1: never.
 */
int tl_collectors_poll(const struct tl_collectors *c, struct pollfd *fds);
/**
 * tl_collectors_step - read what they have counted, and run those again that have ended:
 * after a second, then after 2, 4, ... up to a minute; not where they were used in a wrong
 * way, or this kernel cannot do it
 *
 * One that ran, and of which nothing has come for long, is killed: what it has counted
 * is no longer so.  Returns whether what tl_collectors_print() has is new.
 */
bool tl_collectors_step(struct tl_collectors *c);
/**
 * tl_collectors_print - append all that they count
 *
 * Of one that does not run there is nothing but tracelets_export_up, which is 0.
 * Returns 0 or -ENOMEM.
 */
int tl_collectors_print(const struct tl_collectors *c, struct tl_buf *b);

#endif
