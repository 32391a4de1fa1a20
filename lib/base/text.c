// SPDX-License-Identifier: GPL-2.0-or-later
/* text.c - copies of text */
#include <stdlib.h>
#include <string.h>

#include "tracelet/text.h"

struct tl_str tl_str_copy(struct tl_str str)
{
	char *text = strndup(str.len ? str.text : "", str.len);

	return text ? (struct tl_str){ text, strlen(text) }
		    : (struct tl_str){ 0 };
}

void tl_str_free(struct tl_str *str)
{
	/* of a copy, which nothing else has */
	free((void *)str->text);
	*str = (struct tl_str){ 0 };
}

bool tl_has_prefix(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}
