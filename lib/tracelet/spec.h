/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spec.h - events, functions of the kernel and of programs, as a user names any of them */
#ifndef TRACELET_SPEC_H
#define TRACELET_SPEC_H

#include <stdbool.h>

#pragma GCC visibility push(default)

struct tl_kprobe_config;
struct tl_session;

enum tl_spec_kind {
	TL_SPEC_TRACEPOINT,
	TL_SPEC_FUNCTION, /* of the kernel */
	TL_SPEC_PROGRAM,  /* a function of a program */
};

/**
 * What "SYSTEM:NAME", "FUNCTION" or "FILE:FUNCTION" means, each with globs; "t:", "p:" and
 * "u:" in front say which.
 */
struct tl_spec {
	char *name; /* behind what is in front */
	enum tl_spec_kind kind;
	bool is_return; /* of a function, not its call */
};

/**
 * tl_spec_check - in args: whether @text can be one: 0, or -EINVAL after tl_usage()
 * @returns: "r:" may be in front of all, too: the return of a function
 */
int tl_spec_check(const char *text, bool returns);
/**
 * tl_spec_find - in setup: what @text, which has been checked, means on this kernel; it is to
 * live as long as @spec
 */
void tl_spec_find(struct tl_session *s, struct tl_spec *spec, char *text,
		  bool returns);
/**
 * tl_spec_add - in setup: add the events that @spec means
 * @args:   of functions, what to fetch, as tl_kprobes_add() and tl_udefs_add() take it; "":
 *	    nothing
 * @config: its .added is called for each, but for functions of programs without @args
 *
 * Of a glob, tracepoints that .added fails for with -ENOENT or -EINVAL are left out, which
 * is said; unless all are.
 * Returns 0, or -errno after a message.
 */
int tl_spec_add(struct tl_session *s, const struct tl_spec *spec,
		const char *args, const struct tl_kprobe_config *config);

#pragma GCC visibility pop

#endif
