/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lines.h - lines of the kernel's files */
#ifndef TL_BASE_LINES_H
#define TL_BASE_LINES_H

#include <stdbool.h>

/** tl_text_set - print into *@to, which is freed before; NULL without memory */
void tl_text_set(char **to, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * tl_text_list - the first line of @text that is neither a comment nor "no
 * pid", with the number of others; NULL when there is none; free() it
 */
char *tl_text_list(const char *text);

/** tl_text_is_said - whether a line is not one of those that mean nothing */
bool tl_text_is_said(const char *line);

/**
 * tl_text_line - the next line of @text, terminated, moves on; NULL at the end
 */
char *tl_text_line(char **text);

#endif
