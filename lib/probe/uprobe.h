/* SPDX-License-Identifier: GPL-2.0-or-later */
/* uprobe.h - probes in programs and libraries */
#ifndef TL_PROBE_UPROBE_H
#define TL_PROBE_UPROBE_H

#include "base/session.h"
#include "elf/object.h"
#include "tracelet/event.h"

struct tl_kprobe_config;

/**
 * tl_uprobe_add - define a probe in a program or library for this session and
 * add its event
 * @type:      "p"; "r" for the return of the function that begins at @offset
 * @name:      of the event, within the session's own group
 * @o:         the file; lives as long as the session
 * @semaphore: what the kernel adds 1 to while the probe is enabled; 0: nothing
 * @args:      fetch arguments as the kernel takes them, may be empty
 *
 * Returns NULL and sets errno after a message.
 */
struct tl_event *tl_uprobe_add(struct tl_session *s, const char *type,
			       const char *name, struct tl_object *o,
			       uint64_t offset, uint64_t semaphore,
			       const char *args, tl_handler *handler);

/** tl_uprobe_count - the same without records: tl_counters_add() */
int tl_uprobe_count(struct tl_session *s, const char *name, struct tl_object *o,
		    uint64_t offset);

/**
 * tl_uprobes_define - in setup: have @add add the probes, once it is known that
 * the kernel has such
 * @again: of a capture (-r), whose files are those of another machine: how what
 *         its run added is added again, in that order; @add is not called
 *
 * 0, or -errno after a message.
 */
int tl_uprobes_define(struct tl_session *s,
		      const struct tl_kprobe_config *again,
		      int (*add)(struct tl_session *s, void *ctx), void *ctx);

/**
 * tl_uprobe_callers - before the probes: record who called the functions that
 * they are at; 0 or -ENOMEM
 */
int tl_uprobe_callers(struct tl_session *s);
/** tl_uprobe_place - where the probe is that made @r; all 0: none did */
struct tl_user_place tl_uprobe_place(const struct tl_record *r);

#endif
