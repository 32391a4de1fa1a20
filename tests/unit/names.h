/* SPDX-License-Identifier: GPL-2.0-or-later */
/* names.h - names that a test writes as one text */
#include <string.h>

#include "tracelet/text.h"

/* Of "a;b": sets @names, and returns how many there are. */
static size_t split(const char *text, struct tl_str names[])
{
	size_t count = 0;

	for (; *text; text += *text == ';') {
		names[count] = (struct tl_str){ text, strcspn(text, ";") };
		text += names[count++].len;
	}
	return count;
}
