/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_usernames.c - names of addresses in processes, from any capture
 *
 * What is found has texts that end, of the address that was asked for.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/usertable.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void look(const struct tl_user_names *n, struct tl_user_address a)
{
	struct tl_user_symbol sym = { .offset = 0x1234 }, again = sym;

	if (!tl_user_names_find(n, &a, &sym)) {
		must(!sym.function && !sym.file && sym.offset == 0x1234);
		return;
	}
	must(!sym.function || (sym.file && strlen(sym.function) < SIZE_MAX));
	must(!sym.file || strlen(sym.file) < SIZE_MAX);
	must(tl_user_names_find(n, &a, &again));
	must(again.function == sym.function && again.offset == sym.offset);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tl_user_address a = { 0 };
	struct tl_user_names *n;

	errno = 0;
	n = tl_user_names_load((const char *)data, size);
	must(n || errno == EBADMSG);
	for (a.process = 0; n && a.process < 16; a.process++) {
		for (a.ns = 0; a.ns < 4; a.ns++) {
			tl_user_names_is_walked(n, a.process, a.ns);
			for (a.addr = 0; a.addr < 64; a.addr++) {
				a.is_return = a.addr & 1;
				look(n, a);
			}
		}
	}
	tl_user_names_free(n);
	return 0;
}
