/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kprobe.h - probes on functions of the kernel */
#ifndef TRACELET_KPROBE_H
#define TRACELET_KPROBE_H

#include <stdbool.h>

#include "tracelet/event.h"

#pragma GCC visibility push(default)

struct tl_event;
struct tl_session;

/** How tl_kprobe_add() adds. */
struct tl_kprobe_config {
	bool force; /* also a module that is not loaded, and globs for many */
	tl_handler *handler;
	/**
	 * Called for each event, with its name as the user has it, NULL for
	 * one that stands in for the next one where that has no record; 0, or
	 * -errno after a message.
	 */
	int (*added)(struct tl_session *s, struct tl_event *ev,
		     const char *name);
};

/**
 * tl_kprobe_add - define a probe on the kernel, or one for each function that a
 * glob matches, as a user writes it: "p:NAME FUNCTION ARGUMENT..."
 *
 * In setup.  Arguments are C, or what the kernel itself takes.  Returns 0, or
 * after a message -ENOTSUP for what this kernel cannot do, or another -errno.
 */
int tl_kprobe_add(struct tl_session *s, const char *definition,
		  const struct tl_kprobe_config *config);
/**
 * tl_kprobe_check - for a tool's check function: 0, or -ENOTSUP or another
 * -errno after a message
 */
int tl_kprobe_check(struct tl_session *s);
/**
 * tl_definition_is - whether @text begins like a definition: "p:", "r8:" ...
 */
bool tl_definition_is(const char *text);
/**
 * tl_definition_check - whether it can be read at all: 0, or -EINVAL after a
 * message on the wrong use
 */
int tl_definition_check(const char *text);
/**
 * tl_function_declare - prototype of function "[MODULE:]NAME"; free() it; NULL,
 * errno, after a message
 */
char *tl_function_declare(struct tl_session *s, const char *name);

#pragma GCC visibility pop

#endif
