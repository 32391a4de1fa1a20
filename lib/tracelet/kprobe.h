/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kprobe.h - probes on functions of the kernel */
#ifndef TRACELET_KPROBE_H
#define TRACELET_KPROBE_H

#include <stdbool.h>

#include "tracelet/event.h"

#pragma GCC visibility push(default)

struct tl_event;
struct tl_session;

/** How tl_kprobes_add() adds. */
struct tl_kprobe_config {
	bool force; /* also a module that is not loaded, and globs for many */
	/* tl_instead_expect() calls, not those of a glob for several functions */
	bool expect;
	/* for stacks: record who called the functions that p probes begin */
	bool callers;
	/* a probe at each function that a glob matches, and not one for all of them, in
	 * whose stacks the tracer has functions of its own */
	bool each;
	bool numbers; /* arguments are to be added up: no pointers */
	bool faults; /* tell numbers apart that no pointer leads to: they are not known */
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
 * tl_kprobes_add - define probes on the kernel, for each definition one, or one for
 * each function that its glob matches, as a user writes it: "p:NAME FUNCTION
 * ARGUMENT..."
 *
 * In setup.  Arguments are C, or what the kernel itself takes.  Returns 0, or
 * after a message -ENOTSUP for what this kernel cannot do, or another -errno.
 */
int tl_kprobes_add(struct tl_session *s, int count, char *const *definitions,
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
 * tl_definitions_check - whether @count definitions can be read: 0, or -EINVAL
 * after tl_usage()
 */
int tl_definitions_check(int count, char *const *definitions);
/**
 * tl_function_declare - prototype of function "[MODULE:]NAME"; free() it; NULL,
 * errno, after a message
 */
char *tl_function_declare(struct tl_session *s, const char *name);

#pragma GCC visibility pop

#endif
