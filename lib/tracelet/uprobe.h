/* SPDX-License-Identifier: GPL-2.0-or-later */
/* uprobe.h - probes on functions of programs and libraries */
#ifndef TRACELET_UPROBE_H
#define TRACELET_UPROBE_H

#include <stdbool.h>

#include "tracelet/event.h"

#pragma GCC visibility push(default)

struct tl_kprobe_config;
struct tl_session;

/** Functions of a program, as a user asks for them. */
struct tl_user_functions {
	const char *program; /* as FILE of tl_udefs_add() */
	char *const
		*patterns; /* names, or globs for them; C++ ones in any way */
	unsigned int count;
	const char *exclude; /* but not these, a glob; NULL: none */
	bool force;          /* also more than 200: that takes seconds */
	bool counters; /* to know how often is enough: tl_counters_read() */
};
/**
 * tl_uprobe_functions - have @handler called at each call of @f, or of those that
 * a capture (-r) was made of
 *
 * In setup.  Their events have the functions' names as tl_event_title(), those of
 * C++ as that writes them.  With @f->counters @handler is called only where the
 * kernel cannot count them for this run without records.  Returns how many there
 * are, 0 where @f->exclude leaves none, or after a message -ENOENT when a pattern
 * matches none, -E2BIG for too many without @f->force, or another -errno.
 */
int tl_uprobe_functions(struct tl_session *s, const struct tl_user_functions *f,
			tl_handler *handler);

/**
 * tl_uprobe_check - whether this kernel has such probes, and programs can be
 * read: 0, or -ENOTSUP after a message
 */
int tl_uprobe_check(struct tl_session *s);

/** tl_udef_is_one - whether @text begins as a definition, unlike a filter */
bool tl_udef_is_one(const char *text);
/**
 * tl_udefs_check - whether @count definitions can be read: 0, or -EINVAL after
 * tl_usage()
 */
int tl_udefs_check(const struct tl_session *s, int count,
		   char *const *definitions);
/**
 * tl_udefs_add - define probes in programs, as a user writes them:
 * "p:[NAME ]FILE:FUNCTION[+0xOFF] ARGS", "r:FILE:0xOFF", "u:FILE:PROVIDER:NAME"
 * @config: force: also where the file has no code, or no function begins
 *
 * FILE is a path, the name of a program in $PATH, or of a library as the loader
 * finds it: "libc.so.6", "libc", "c"; none: the program of the process that -p or
 * -L asks for.  It is what the first of those processes has under this name.
 *
 * In setup.  Static probes can be at several places, and match globs.  Of a
 * capture (-r) what its run added is added again.  Returns 0, or -errno after a
 * message.
 */
int tl_udefs_add(struct tl_session *s, int count, char *const *definitions,
		 const struct tl_kprobe_config *config);
/**
 * tl_udefs_title - what the first definition was found to be: "NAME (p:NAME
 * FILE:PLACE ARGS)"; NULL of a capture, and before one is added
 */
const char *tl_udefs_title(const struct tl_session *s);

#pragma GCC visibility pop

#endif
