/* SPDX-License-Identifier: GPL-2.0-or-later */
/* udef.h - probes in programs as a user writes them */
#ifndef TL_PROBE_UDEF_H
#define TL_PROBE_UDEF_H

#include <stdbool.h>
#include <stdint.h>

struct tl_object;
struct tl_usdt;

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

#endif
