// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rust.c - names of Rust functions, as they are written
 *
 * By libiberty, which is linked with: there is no shared library of it, and libstdc++ knows
 * names of C++ alone.
 */
#include "elf/rust.h"

#include <stddef.h>

#ifdef HAVE_IBERTY
#include <ctype.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

#define WIDEST    65536 /* bytes: nobody reads as many */
#define TOO_LONG  1000  /* names of which some memory may be lost */
#define LIFETIMES 2     /* digits of how many of them a type has */

/* A name that is being written. */
struct written {
	struct tl_buf text;
	jmp_buf too_long;
};

/*
 * A part may repeat others, "B4_": a few bytes can become as much as fits into no memory.
 * libiberty has no other way to stop before that, and loses what it has of a part then.
 */
static void add(const char *data, size_t len, void *opaque)
{
	struct written *w = opaque;

	if (len > WIDEST - w->text.len)
		longjmp(w->too_long, 1);
	tl_buf_add(&w->text, data, len);
}

static bool write_name(struct written *w, const char *name)
{
	static unsigned int too_long;

	if (too_long == TOO_LONG)
		return false;
	if (!setjmp(w->too_long))
		return rust_demangle_callback(name, DMGL_NO_OPTS, add, w);
	too_long++;
	return false;
}

/*
 * "FG2zzz_" is a function's type that begins with half a million lifetimes.  Where types are
 * left out libiberty counts them all and writes nothing.
 */
static bool has_many_lifetimes(const char *name)
{
	const char *g = name, *end;

	while ((g = strchr(g + 1, 'G'))) {
		for (end = g + 1; isalnum((unsigned char)*end); end++)
			;
		if ((g[-1] == 'F' || g[-1] == 'D') && *end == '_' &&
		    end - g - 1 > LIFETIMES)
			return true;
	}
	return false;
}

char *tl_rust_name(const char *name)
{
	struct written w = { .text = { 0 } };
	bool done;

	if (strncmp(name, "_R", 2) != 0 && strncmp(name, "_ZN", 3) != 0)
		return NULL;
	done = !has_many_lifetimes(name) && write_name(&w, name);
	tl_buf_char(&w.text, '\0');
	if (done && !w.text.failed)
		return w.text.data;
	tl_buf_free(&w.text);
	return NULL;
}
#else
char *tl_rust_name(const char *name)
{
	return NULL;
}
#endif
