/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source.h - what a tool records, as a table */
#ifndef TRACELET_SOURCE_H
#define TRACELET_SOURCE_H

#include <stdbool.h>

#include "tracelet/event.h"

#pragma GCC visibility push(default)

struct tl_ends_filter;
struct tl_event;
struct tl_filter;
struct tl_session;

/*
 * What a tool records can be a table: tracepoints and probes, with what they
 * fetch.  Set-up, --check and what is said of a kernel that lacks one of them all
 * come from it, so that they agree.
 */

/** A value that the records of a source have; a table ends with no name. */
struct tl_source_field {
	const char *name;       /* of the field */
	struct tl_field *field; /* becomes where it is; NULL: filters name it */
	/* a probe fetches it: */
	/* a fetch argument: "$arg1", "+0($arg2)"; of type "e" "$FIELD" of its event */
	const char *from;
	const char *path; /* what is behind that, as for tl_btf_fetch(); NULL */
	const char *type; /* "s32"; NULL: the kernel's unsigned long */
	/* "tsk->cred->uid": instead of @from and @path, which are needed too,
	 * on kernels that have TL_FEATURE_BTF_ARGS; or NULL */
	const char *by_name;
	bool *found; /* becomes whether there is one; NULL: it is needed */
	const bool *given; /* only where this is true; NULL: always */
};

/** TL_SOURCE_FIELDS - a table of fields in its place: each one in braces */
#define TL_SOURCE_FIELDS(...) \
	((const struct tl_source_field[]){ __VA_ARGS__, { 0 } })

enum tl_source_flags {
	/* the tool can do without it, also where it lacks a field or a value */
	TL_SOURCE_OPTIONAL = 1 << 0,
	/* only where the kernel lacks the source before it; of such alternatives
	 * the last one's TL_SOURCE_OPTIONAL, given, unless, limit and missing
	 * count for all */
	TL_SOURCE_ELSE = 1 << 1,
	/* missing where the return of a function has no entry arguments */
	TL_SOURCE_RETURN_ARGS = 1 << 2,
	/* all that it reads through pointers is there, as what .socket reads is: see
	 * tl_probe_reads_safely() */
	TL_SOURCE_READABLE = 1 << 3,
};

/** A tracepoint or a probe; a table of them ends with no place. */
struct tl_source {
	/* tracepoint "system:name", also of a probe of type "e", for kernels that
	 * have TL_FEATURE_EPROBE; or the function to probe, of "new|old" the first
	 * that is there */
	const char *place;
	tl_handler *handler;
	const struct tl_source_field *fields; /* NULL: none */
	/* of a probe, as for tl_probe_add(); NULL: "p", and the function */
	const char *type, *name;
	/*
	 * Its records have a connection, for tl_socket_ends(): a probe that of
	 * struct sock @sock, with fields skaddr, state and the ends, named as
	 * those of tracepoints
	 */
	bool socket;
	const char *sock; /* a fetch argument; NULL: "$arg1" */
	/*
	 * With it: what the kernel can filter of this, ports of a tracepoint, the
	 * network namespace of a probe, and finds the latter; or NULL
	 */
	struct tl_ends_filter *wanted;
	const char *filter; /* condition in the kernel; NULL: none */
	/** Adds conditions; may be NULL. */
	void (*add_filter)(struct tl_session *s, const struct tl_event *ev,
			   struct tl_filter *f);
	/* becomes the event, NULL where it is not recorded; not by --check */
	struct tl_event **added;
	/* becomes whether this source is used, false where @limit was told
	 * before; or NULL */
	bool *found;
	unsigned int flags; /* enum tl_source_flags */
	/* only where this is true, an option or what a source before it has
	 * @found; NULL: always */
	const bool *given;
	const bool *unless; /* only where this is not; NULL: always */
	/*
	 * What an optional one, or one of an option that is not given, is for:
	 * "DIRTIES", "--failed": a limit of the tool for --check where the kernel
	 * lacks it, which is told once; NULL: nothing that is told
	 */
	const char *limit;
	const char *missing; /* sentence; NULL: that the kernel lacks it */
};

/**
 * tl_sources_add - add all sources of @table
 *
 * In setup; or in check, where nothing is defined and it is only looked whether
 * all is there.  Returns 0, or after a message -ENOTSUP for what this kernel
 * lacks, or another -errno.
 */
int tl_sources_add(struct tl_session *s, const struct tl_source *table);

#pragma GCC visibility pop

#endif
