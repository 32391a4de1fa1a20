/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_udef.c - definitions of probes, and static probes' arguments, of any
 * text
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "elf/object.h"
#include "elf/usdt.h"
#include "probe/udef.h"
#include "silent.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fetch(const struct tl_udef *d, const struct tl_usdt *u)
{
	char *text = tl_udef_fetch(d, NULL, u);

	if (text && u && strlen(text) > 65536 + 64 * strlen(d->args))
		abort();
	free(text);
}

/* The first line is a definition, the second what a static probe's note has. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tl_usdt u = { .provider = "shop", .name = "order" };
	char *text = strndup((const char *)data, size), *args;
	struct tl_usdt_arg arg;
	struct tl_udef d;
	unsigned int n;

	args = strchrnul(text, '\n');
	if (*args)
		*args++ = '\0';
	u.args = args;
	u.machine = size % 2 ? EM_X86_64 : EM_AARCH64;
	for (n = 1; tl_usdt_arg(&u, n, &arg) != -ENOENT; n++)
		;
	if (!tl_udef_parse(&d, text)) {
		fetch(&d, d.type == 'u' ? &u : NULL);
		if (d.type == 'u')
			tl_udef_matches(&d, &u);
		tl_udef_free(&d);
	}
	free(text);
	return 0;
}
