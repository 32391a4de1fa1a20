/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expr.h - what C expressions over a function's arguments are in a probe */
#ifndef TL_PROBE_EXPR_H
#define TL_PROBE_EXPR_H

#include "probe/fetch.h"

/*
 * A value is in a register, @base, or in memory: @offset bytes from where
 * @base points to.
 */
struct tl_expr {
	struct tl_btf_type type; /* without btf: not known */
	char base[TL_FETCH_TEXT];
	long offset;
	bool in_memory, is_user;
	uint32_t bit, bits; /* of a bit field */
	bool is_cast;       /* a pointer to @target, whatever its own type */
	struct tl_btf_type target;
	char name[TL_FETCH_NAME];
};

/** A text that is read. */
struct tl_expr_input {
	const struct tl_fetch_place *place;
	const char *arg; /* all of it, for messages */
	const char *at;
	unsigned int depth;
};

/*
 * Functions of type int return 0, or -errno after a message.
 */

/** tl_expr_parse - read the expression at p->at, up to what is none of it */
int tl_expr_parse(struct tl_expr_input *p, struct tl_expr *v);
/**
 * tl_expr_member - @v becomes its member that is named at p->at, behind a
 * pointer too
 */
int tl_expr_member(struct tl_expr_input *p, struct tl_expr *v);
/** tl_expr_text - what the kernel is to fetch for @v */
int tl_expr_text(const struct tl_expr_input *p, const struct tl_expr *v,
		 char text[TL_FETCH_TEXT]);

/* Messages; these return what an error of their kind is. */
int tl_expr_too_long(const struct tl_expr_input *p);
int tl_expr_no_pointer(const struct tl_expr_input *p, const struct tl_expr *v);
int tl_expr_no_argument(const struct tl_expr_input *p, const char *name);
/**
 * tl_expr_print_member - for tl_btf_each_member(): print @name while *@ctx, an
 * unsigned int, is above 0
 */
int tl_expr_print_member(void *ctx, const char *name);

/**
 * tl_expr_name - length of the name that begins at @text; none begins with a
 * digit
 */
size_t tl_expr_name(const char *text);
/**
 * tl_expr_parameter - number of the parameter @name, or -ENOENT without a
 * message
 */
int tl_expr_parameter(const struct tl_fetch_place *place, const char *name);
/** tl_expr_has_argument - whether kernels of this architecture tell $argN */
bool tl_expr_has_argument(unsigned int n);

#endif
