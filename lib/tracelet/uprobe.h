/* SPDX-License-Identifier: GPL-2.0-or-later */
/* uprobe.h - probes on functions of programs and libraries */
#ifndef TRACELET_UPROBE_H
#define TRACELET_UPROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "tracelet/event.h"

#pragma GCC visibility push(default)

struct tl_event;
struct tl_kprobe_config;
struct tl_object;
struct tl_session;
struct tl_usdt;

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

/** Functions of a program, as a user asks for them. */
struct tl_user_functions {
	const char *program; /* for tl_object_asked() */
	char *const
		*patterns; /* names, or globs for them; C++ ones in any way */
	unsigned int count;
	const char *exclude; /* but not these, a glob; NULL: none */
	bool force;          /* also more than 200: that takes seconds */
};
/**
 * tl_uprobe_functions - have @handler called at each call of @f, or of those that
 * a capture (-r) was made of
 *
 * In setup.  Their events have the functions' names as tl_event_title(), those of
 * C++ as that writes them.  Returns how many there are, 0 where @f->exclude leaves
 * none, or after a message -ENOENT when a pattern matches none, -E2BIG for too
 * many without @f->force, or another -errno.
 */
int tl_uprobe_functions(struct tl_session *s, const struct tl_user_functions *f,
			tl_handler *handler);

/**
 * tl_uprobe_check - whether this kernel has such probes, and programs can be
 * read: 0, or -ENOTSUP after a message
 */
int tl_uprobe_check(struct tl_session *s);

/** A probe as a user writes it. */
struct tl_udef {
	char type;          /* 'p', 'r', or 'u' for a static probe */
	const char *name;   /* NULL: none was given */
	const char *target; /* for tl_object_asked() */
	const char *symbol; /* function, or PROVIDER:NAME; NULL: none */
	uint64_t offset;    /* from the function on, or in the file */
	const char *args;   /* fetch arguments, may be empty */
	char *text;         /* where these are */
};

/** tl_udef_is_one - whether @text begins as a definition, unlike a filter */
bool tl_udef_is_one(const char *text);
/**
 * tl_udef_parse - "p:[NAME ]FILE:FUNCTION[+0xOFF] ARGS", "r:FILE:0xOFF",
 * "u:FILE:PROVIDER:NAME"; 0, or -EINVAL after tl_usage()
 */
int tl_udef_parse(struct tl_udef *d, const char *text);
void tl_udef_free(struct tl_udef *d);
/**
 * tl_udef_matches - whether @d, of type 'u', means @u; its names can be globs,
 * and that of the provider missing
 */
bool tl_udef_matches(const struct tl_udef *d, const struct tl_usdt *u);
/**
 * tl_udef_fetch - the fetch arguments of @d as the kernel takes them
 * @o: the file
 * @u: a static probe, NULL: a function
 *
 * $argN becomes the place where this machine's calling convention, or the
 * static probe, has it; a type of text is what such a pointer, or that in a
 * register, points to.  Without any all of a static probe's are fetched.
 * Returns text to free(), or NULL and errno after a message.
 */
char *tl_udef_fetch(const struct tl_udef *d, const struct tl_object *o,
		    const struct tl_usdt *u);

#pragma GCC visibility pop

#endif
