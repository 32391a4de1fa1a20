/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fetch.h - fetch arguments of probes, by the names that C has for them */
#ifndef TL_PROBE_FETCH_H
#define TL_PROBE_FETCH_H

#include "base/buf.h"
#include "kernel/btf.h"
#include "probe/probe.h"

#define TL_FETCH_NAME 32 /* what the kernel takes, with the NUL */
#define TL_FETCH_TEXT 64 /* the same, of what is behind "NAME=" */

/** Where a probe is, for the names in its arguments. */
struct tl_fetch_place {
	const char *name;         /* of the function, for messages */
	struct tl_btf_type proto; /* unknown: no names */
	const char *unknown;      /* why it is */
	unsigned int first; /* parameter that is the kernel's $arg1, from 0 */
	bool is_return;
	bool inside;      /* not at the entry: the arguments are gone */
	bool return_args; /* the kernel has those of the entry at return */
	bool symbols;     /* it has type "symbol" */
	bool numbers;     /* pointers are refused */
};

/** How a value is shown, other than the kernel does. */
enum tl_fetch_show { TL_FETCH_AS_IS, TL_FETCH_BOOL, TL_FETCH_ENUM };

struct tl_fetch {
	char name[TL_FETCH_NAME];
	char text[TL_FETCH_TEXT]; /* "+0($arg2):string" */
	enum tl_fetch_show show;
	struct tl_btf_type type; /* of TL_FETCH_ENUM */
	bool may_not_end;        /* a text that need not have a NUL */
	bool is_bytes;           /* an array of bytes, perhaps a text */
};

/** All arguments of a probe. */
struct tl_fetches {
	unsigned int count;
	struct tl_fetch list[TL_PROBE_ARGS];
};

/*
 * Fields with these names are for who shows the argument before them, which is
 * bytes: how many there are; the first of them as numbers, for where all of the
 * text does not fit into a record; and all bytes of an array, as numbers.
 */
#define TL_FETCH_LENGTH   "__length"
#define TL_FETCH_CUT      "__cut_"
#define TL_FETCH_CUT_TYPE "x64[16]"
#define TL_FETCH_BYTES    "__bytes_"

/*
 * The pointers that a number, or an array of them, is read through: the kernel leaves
 * what was in the buffer before where it cannot follow one, and says nothing.  Behind
 * this stands of how many arguments before it that is one, and a number of its own:
 * "__at2_7".
 */
#define TL_FETCH_AT      "__at"
#define TL_FETCH_AT_USER "__atu" /* into the memory of a program */

/**
 * tl_fetch_pointer_span - how many arguments before field @name are read through it; 0:
 * it is none of these pointers
 * @is_user: becomes whether it leads into the memory of a program
 */
unsigned int tl_fetch_pointer_span(const char *name, bool *is_user);
/**
 * tl_fetch_check_name - whether a user may call @arg @name: 0, or -EINVAL after a message
 * where one of these fields is called so
 */
int tl_fetch_check_name(const char *arg, const char *name);
/**
 * tl_fetch_add - translate "[NAME=]EXPRESSION[:TYPE]", or "$arg*"
 *
 * An expression is C: an argument's name, $argN or $retval, with ->, ., [N], *
 * and casts.  What it is not, as %di or +0(%si), goes to the kernel as it is.
 * A text is what a char * points to, unless it is a parameter that is not const,
 * which the function is yet to fill.  An array of unsigned char is bytes, which
 * tl_args shows as a text where they are one.
 * Returns 0, or after a message -ENOENT for a name that is none, -EINVAL,
 * -ENOTSUP for what this kernel cannot do, or another -errno.
 */
int tl_fetch_add(struct tl_fetches *all, const struct tl_fetch_place *place,
		 const char *arg);

/**
 * tl_fetch_print - append @f as the kernel takes it, "NAME=+0($arg2):string"
 */
void tl_fetch_print(const struct tl_fetch *f, struct tl_buf *b);
/**
 * tl_fetch_add_cut - append how @f is fetched as the first of its bytes; false:
 * it is no text, or cannot be
 */
bool tl_fetch_add_cut(const struct tl_fetch *f, struct tl_buf *b);
/**
 * tl_fetch_pointers - @args as the kernel takes them, and behind those that are read
 * through the same pointers these, as arguments of their own
 * @is_user: they are a program's in any case
 *
 * free() it; NULL and errno, E2BIG for more than a probe fetches.
 */
char *tl_fetch_pointers(const char *args, bool is_user);
/**
 * tl_fetch_pointers_failed - say which limit those of a probe on @place are above, where
 * @err, an errno, is that; -err
 */
int tl_fetch_pointers_failed(const char *place, int err);
/**
 * tl_fetch_has_type - whether types are needed for @arg; else it is the
 * kernel's own, or has one
 */
bool tl_fetch_has_type(const char *arg);
/**
 * tl_fetch_root - the name that @arg begins with: "how" of "f=how->flags";
 * false if it is not by name
 */
bool tl_fetch_root(const char *arg, char *name, size_t size);

/** tl_fetch_names - whether the function has a parameter @name */
bool tl_fetch_names(struct tl_btf_type proto, const char *name);

#endif
