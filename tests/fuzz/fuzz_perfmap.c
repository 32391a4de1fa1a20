/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_perfmap.c - functions of code that is made at run time, from any text
 *
 * It is the same in two pieces, and what comes last is what is found.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf/perfmap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* Addresses that short texts have. */
static void compare(const struct tl_perfmap *a, const struct tl_perfmap *b)
{
	uint64_t addr, x = 0, y = 0;
	const char *in_a, *in_b;

	for (addr = 0; addr < 0x200; addr++) {
		in_a = tl_perfmap_function(a, addr, &x);
		in_b = tl_perfmap_function(b, addr, &y);
		must(!in_a == !in_b);
		must(!in_a || (!strcmp(in_a, in_b) && x == y && x <= addr));
		must(!in_a || (*in_a && !strchr(in_a, '\n')));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char last[] = "\n80 10 last\n";
	const char *text = (const char *)data;
	size_t bytes = 0, first, into;
	struct tl_perfmap *a = tl_perfmap_new(0, &bytes),
			  *b = tl_perfmap_new(0, &bytes);

	first = tl_perfmap_add(b, text, size / 2);
	must(first <= size / 2);
	must(first + tl_perfmap_add(b, text + first, size - first) ==
	     tl_perfmap_add(a, text, size));
	compare(a, b);
	tl_perfmap_add(a, last, sizeof(last) - 1);
	must(!strcmp(tl_perfmap_function(a, 0x8f, &into), "last") &&
	     into == 0xf);
	tl_perfmap_free(a);
	tl_perfmap_free(b);
	must(!bytes);
	return 0;
}
