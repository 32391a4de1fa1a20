/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text.h - text, and expressions that it is matched by */
#ifndef TRACELET_TEXT_H
#define TRACELET_TEXT_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(default)

/** A piece of text that is not terminated; may hold any byte. */
struct tl_str {
	const char *text;
	size_t len;
};

/**
 * tl_str_copy - a copy up to the first zero byte, for tl_str_free(); without memory
 * its text is NULL
 */
struct tl_str tl_str_copy(struct tl_str str);
/** tl_str_free - free a copy, whose text is NULL then; it may be before */
void tl_str_free(struct tl_str *str);

/** tl_has_prefix - whether @text begins with @prefix */
bool tl_has_prefix(const char *text, const char *prefix);

/** A compiled regular expression; matches everything while @text is NULL. */
struct tl_regex {
	const char *text;
	regex_t re;
};

/** tl_regex_match - whether @str, up to @len bytes of it, matches @re */
bool tl_regex_match(const struct tl_regex *re, const char *str, size_t len);

/**
 * tl_regex_literal - the words of @re where it has no special character
 *
 * Such an expression is a plain substring search, which an event filter can do
 * in the kernel.  Returns NULL when it is more than that or was not given.
 */
const char *tl_regex_literal(const struct tl_regex *re);

#pragma GCC visibility pop

#endif
