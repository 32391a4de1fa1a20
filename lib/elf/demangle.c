// SPDX-License-Identifier: GPL-2.0-or-later
/* demangle.c - names of C++ and Rust functions, as they are written */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/dynload.h"
#include "elf/object.h"
#include "elf/rust.h"
#include "tracelet/text.h"

/* Compilers write longer ones, but nobody reads them. */
#define LONGEST 4096
/* The bytes that a name may have with what it repeats; of libLLVM's names, which
 * are complicated, one in a thousand is wider. */
#define WIDEST (1 << 20)

typedef char *demangler(const char *name, char *buf, size_t *len, int *status);

static demangler *load_demangler(void)
{
	static const char *const libraries[] = { "libstdc++.so.6",
						 "libc++abi.so.1", NULL };
	static const char *const names[] = { "__cxa_demangle", NULL };
	static demangler *function;
	static bool tried;

	if (!tried)
		tl_load(libraries, names, (void **)&function);
	tried = true;
	return function;
}

/* ---- names that would become too long --------------------------------- */

#define NUMBERS 256

/*
 * A substitution, "S1_", repeats a part that came before, which may have some
 * too: 230 bytes can become 143 MB.  What it repeats was complete when it was
 * first mentioned, so that part is no wider than all in front of that place.
 */
struct width {
	uint64_t total;
	uint64_t parts[2][NUMBERS]; /* "S1_", "T1_"; 0: not mentioned */
	const char *maybe_to;       /* up to here it may be a name, or not */
};

/* Digits behind which there may be a name of that length; NULL: none are. */
static const char *skip_name(const char *p, struct width *w)
{
	unsigned long len;
	char *end;

	if (!isdigit((unsigned char)*p))
		return NULL;
	len = strtoul(p, &end, 10);
	w->total += (uint64_t)(end - p);
	if (len > strlen(end))
		return end;
	/* "Li5E", "A10_" are numbers */
	if (*end == 'E' || *end == '_') {
		if (end + len > w->maybe_to)
			w->maybe_to = end + len;
		return end;
	}
	w->total += len;
	return end + len;
}

/* "S_", "S0_", "SZ_", "S10_", and the same with T */
static const char *skip_part(const char *p, struct width *w)
{
	const char *end = p + 1 +
			  strspn(p + 1, "0123456789"
					"ABCDEFGHIJKLMNOPQRSTUVWXYZ");
	unsigned long number;
	uint64_t *part, once = w->total;

	if ((*p != 'S' && *p != 'T') || *end != '_')
		return NULL;
	number = end == p + 1 ? 0 : strtoul(p + 1, NULL, 36) + 1;
	part = number < NUMBERS ? &w->parts[*p == 'T'][number] : &once;
	if (p < w->maybe_to)
		part = &once;
	else if (!*part)
		*part = w->total;
	w->total += *part;
	return end + 1;
}

static bool is_too_wide(const char *p)
{
	struct width w = { .total = 0 };
	const char *next;

	while (*p && w.total <= WIDEST) {
		/* another function's, as an argument of a template */
		if (!strncmp(p, "_Z", 2))
			memset(w.parts[1], 0, sizeof(w.parts[1]));
		next = skip_part(p, &w) ?: skip_name(p, &w);
		w.total += !next;
		p = next ?: p + 1;
	}
	return w.total > WIDEST;
}

/* ---- */

static char *cxx_name(const char *name)
{
	demangler *demangle;
	int status;

	/* it would take "i" for a type: "int" */
	if (strncmp(name, "_Z", 2) != 0 || is_too_wide(name))
		return NULL;
	demangle = load_demangler();
	return demangle ? demangle(name, NULL, NULL, &status) : NULL;
}

char *tl_demangle(const char *name)
{
	if (*name != '_' || strlen(name) > LONGEST)
		return NULL;
	/* older names of Rust are some of C++ too, which end with a hash */
	return tl_rust_name(name) ?: cxx_name(name);
}

/* ---- comparing -------------------------------------------------------- */

static bool ends_with(struct tl_str s, const char *end)
{
	size_t len = strlen(end);

	return s.len >= len && !memcmp(s.text + s.len - len, end, len);
}

static bool cut_end(struct tl_str *s, const char *end)
{
	if (!ends_with(*s, end))
		return false;
	s->len -= strlen(end);
	return true;
}

/* Back from the bracket that ends @s to the one that it belongs to. */
static bool cut_brackets(struct tl_str *s, char open, char close)
{
	size_t i, depth = 0;

	if (!s->len || s->text[s->len - 1] != close)
		return false;
	for (i = s->len; i--;) {
		if (s->text[i] == close)
			depth++;
		else if (s->text[i] == open && !--depth)
			break;
	}
	if (depth || !i)
		return false;
	s->len = i;
	return true;
}

/*
 * Where it begins: behind the result that templates have in front.  Operators
 * have spaces and brackets of their own.
 */
static size_t name_begin(struct tl_str s)
{
	const char *op = memmem(s.text, s.len, "operator", 8);
	size_t i = op ? (size_t)(op - s.text) : s.len, depth = 0;

	for (; i; i--) {
		if (strchr(")>}]", s.text[i - 1]))
			depth++;
		else if (strchr("(<{[", s.text[i - 1]))
			depth -= depth > 0;
		else if (s.text[i - 1] == ' ' && !depth)
			break;
	}
	return i;
}

/* "f(int) const [clone .isra.0]" without all behind the parameters */
static void cut_qualifiers(struct tl_str *s)
{
	while (ends_with(*s, "]") && memmem(s->text, s->len, " [clone ", 8) &&
	       cut_brackets(s, '[', ']'))
		cut_end(s, " ");
	while (cut_end(s, " const") || cut_end(s, " volatile") ||
	       cut_end(s, " &") || cut_end(s, " &&"))
		;
}

/* The rest of a function, moved elsewhere, or what only jumps to it. */
static bool is_part(const char *function)
{
	return strstr(function, "[clone .cold") ||
	       strstr(function, "[clone .part") ||
	       strstr(function, " thunk to ");
}

bool tl_cxx_name(const char *function, struct tl_str *name)
{
	size_t begin;

	*name = (struct tl_str){ function, strlen(function) };
	if (is_part(function))
		return false;
	cut_qualifiers(name);
	if (!cut_brackets(name, '(', ')'))
		return false;
	begin = name_begin(*name);
	name->text += begin;
	name->len -= begin;
	return name->len > 0;
}

static bool same(struct tl_str a, struct tl_str b)
{
	size_t i = 0, j = 0;

	for (;; i++, j++) {
		while (i < a.len && a.text[i] == ' ')
			i++;
		while (j < b.len && b.text[j] == ' ')
			j++;
		if (i == a.len || j == b.len)
			return i == a.len && j == b.len;
		if (a.text[i] != b.text[j])
			return false;
	}
}

static struct tl_str from(const char *begin, const char *end)
{
	return (struct tl_str){ begin, (size_t)(end - begin) };
}

/* There nothing is behind the name but what fills in a generic one: "krate::f::<u32>" */
static bool rust_match(const char *function, const char *want)
{
	const struct tl_str wanted = { want, strlen(want) };
	struct tl_str name = { function, strlen(function) };

	return same(name, wanted) ||
	       (cut_brackets(&name, '<', '>') && cut_end(&name, "::") &&
		same(name, wanted));
}

bool tl_written_match(const char *name, const char *want)
{
	const bool is_known = *name == '_' && strlen(name) <= LONGEST;
	char *rust = is_known ? tl_rust_name(name) : NULL;
	char *cxx = is_known && !rust ? cxx_name(name) : NULL;
	const bool match =
		rust ? rust_match(rust, want) : cxx && tl_cxx_match(cxx, want);

	free(rust);
	free(cxx);
	return match;
}

bool tl_cxx_match(const char *function, const char *want)
{
	struct tl_str wanted = { want, strlen(want) }, name, whole;

	if (!tl_cxx_name(function, &name))
		return false;
	whole = from(function, function + strlen(function));
	if (same(whole, wanted))
		return true;
	cut_qualifiers(&whole);
	/* with parameters, with the result or not */
	if (same(whole, wanted) ||
	    same(from(name.text, whole.text + whole.len), wanted) ||
	    same(name, wanted))
		return true;
	return !memmem(name.text, name.len, "operator", 8) &&
	       cut_brackets(&name, '<', '>') && same(name, wanted);
}
