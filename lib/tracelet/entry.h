/* SPDX-License-Identifier: GPL-2.0-or-later */
/* entry.h - calls of functions, with their arguments */
#ifndef TRACELET_ENTRY_H
#define TRACELET_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "tracelet/event.h"

#pragma GCC visibility push(default)

struct tl_functions;
struct tl_session;

/*
 * Calls, by the function tracer, or by a probe on each function: these have
 * arguments, and stacks.  (options/func_stack_trace of the function tracer is
 * one switch for all instances, up to 6.12 at least.)
 */

/** A call of a function of the kernel. */
struct tl_entry {
	uint64_t function; /* an address in it, for tl_symbol() */
	uint64_t caller;   /* where it returns to; 0: not known */
};

/**
 * tl_entries_trace - have @handler called at each call of what
 * tl_functions_filter() was given
 */
int tl_entries_trace(struct tl_session *s, tl_handler *handler);
/**
 * tl_entries_probe - the same by probes, which heed -n too
 * @except: as tl_functions_filter() was given, which may be NULL
 * @args:   with arguments, where the kernel's BTF has them
 *
 * Functions that cannot be probed are left out, which is said, as is how many
 * have no arguments.  Returns how many are probed, or -errno after a message.
 */
int tl_entries_probe(struct tl_session *s, const struct tl_functions *except,
		     bool args, tl_handler *handler);
/** tl_entry_of - what @r is the call of */
struct tl_entry tl_entry_of(const struct tl_record *r);
/**
 * tl_put_entry_args - in column @col, of TL_FIELDS, the arguments, if they are
 * known; valid until the next record
 */
void tl_put_entry_args(struct tl_session *s, unsigned int col,
		       const struct tl_record *r);

#pragma GCC visibility pop

#endif
