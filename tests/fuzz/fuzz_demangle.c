/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_demangle.c - names of functions, of any text
 *
 * They take neither much time nor much memory (-malloc_limit_mb).
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "elf/object.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demangle(const char *begin, const uint8_t *data, size_t size)
{
	char text[4096];
	const size_t len = strlen(begin);

	memcpy(text, begin, len);
	if (size > sizeof(text) - len - 1)
		size = sizeof(text) - len - 1;
	memcpy(text + len, data, size);
	text[len + size] = '\0';
	free(tl_demangle(text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	demangle("_RINvC1a1b", data, size);
	demangle("_RNv", data, size);
	demangle("_ZN", data, size);
	demangle("", data, size);
	return 0;
}
