// SPDX-License-Identifier: GPL-2.0-or-later
/* udef.c - probes in programs as a user writes them */
#include "probe/udef.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf/usdt.h"
#include "probe/definition.h"
#include "tracelet/message.h"
#include "tracelet/uprobe.h"

/* ---- the definition --------------------------------------------------- */

static char *skip_blanks(char *p)
{
	return p + strspn(p, " \t");
}

static char *end_of_word(char *p)
{
	return p + strcspn(p, " \t");
}

static bool ends_with(const char *text, const char *end, const char *what)
{
	size_t len = strlen(what);

	return (size_t)(end - text) >= len && !memcmp(end - len, what, len);
}

/* A word that follows the parameters of a member function. */
static char *skip_const(char *p)
{
	char *word = skip_blanks(p), *end = end_of_word(word);

	return p[-1] == ')' && end - word == 5 && !memcmp(word, "const", 5)
		       ? end
		       : p;
}

static bool is_operator(const char *text, const char *end)
{
	const char *begin = end - strlen("operator");

	return ends_with(text, end, "operator") &&
	       (begin == text || begin[-1] == ':');
}

/*
 * The end of a function's name, which may be "ns::f(int, char*) const",
 * "operator new(unsigned long)" or "X::operator<<(std::ostream&, Y<int>)".
 */
static char *end_of_symbol(char *text)
{
	char *p = text;
	int depth = 0;
	size_t n;

	while (*p && (depth || !isblank(*p) || is_operator(text, p))) {
		n = 1;
		if (is_operator(text, p) && *p == '(')
			n = strlen("()");
		else if (is_operator(text, p) && !isblank(*p))
			n = strspn(p, "<>=-!+*/%&|^~,[]");
		else if (strchr("(<[", *p))
			depth++;
		else if (strchr(")>]", *p) && depth)
			depth--;
		p += strnlen(p, n ?: 1);
	}
	return p > text ? skip_const(p) : p;
}

/* "SYMBOL+0x10", "0x1234": what is behind is cut off. */
static bool take_offset(struct tl_udef *d)
{
	char *plus = strrchr(d->symbol, '+'), *end;
	const char *number = d->symbol;

	if (plus && plus > d->symbol && isdigit(plus[1]))
		number = plus + 1;
	if (!isdigit(*number))
		return true;
	errno = 0;
	d->offset = strtoull(number, &end, 0);
	if (*end || errno)
		return false;
	if (number == d->symbol)
		d->symbol = NULL;
	else
		*plus = '\0';
	return true;
}

/* A path can have blanks in it, a name in front of it has no colon. */
static char *take_name(struct tl_udef *d, char *p)
{
	char *end = end_of_word(p);

	if (*p == '/' || !*end || memchr(p, ':', end - p))
		return p;
	*end = '\0';
	d->name = tl_definition_name(p);
	return skip_blanks(end + 1);
}

static bool parse(struct tl_udef *d)
{
	char *p = take_name(d, skip_blanks(d->text + 2)), *end;

	d->target = p;
	p = strchr(p, ':');
	if (!p)
		return false;
	*p++ = '\0';
	d->symbol = p;
	end = d->type == 'u' ? end_of_word(p) : end_of_symbol(p);
	d->args = skip_blanks(end);
	*end = '\0';
	return *d->symbol && (d->type == 'u' || take_offset(d));
}

bool tl_udef_is_one(const char *text)
{
	return tl_definition_type(text, "pru") == 1;
}

int tl_udef_parse(struct tl_udef *d, const char *text)
{
	bool good, inside;

	*d = (struct tl_udef){ .type = *text };
	if (!tl_udef_is_one(text))
		return tl_usage("\"%s\": a probe begins with p:, r: or u:",
				text);
	d->text = strdup(text);
	if (!d->text)
		return -ENOMEM;
	good = parse(d);
	inside = good && d->type == 'r' && d->symbol && d->offset;
	if (good && !inside)
		return 0;
	tl_udef_free(d);
	/* the kernel would take, and overwrite, what is no return address */
	if (inside)
		return tl_usage("\"%s\": a return is probed where its function "
				"begins, without an offset",
				text);
	return tl_usage(*text == 'u'
				? "\"%s\": not u:[NAME ]FILE:PROVIDER:NAME "
				  "and arguments"
				: "\"%s\": not %c:[NAME ]FILE:FUNCTION or "
				  "FILE:0xOFFSET and arguments",
			text, *text);
}

void tl_udef_free(struct tl_udef *d)
{
	free(d->text);
	d->text = NULL;
}

bool tl_udef_matches(const struct tl_udef *d, const struct tl_usdt *u)
{
	const char *colon = strchr(d->symbol, ':');
	char provider[256] = "*";

	if (colon)
		snprintf(provider, sizeof(provider), "%.*s",
			 (int)(colon - d->symbol), d->symbol);
	return !fnmatch(provider, u->provider, 0) &&
	       !fnmatch(colon ? colon + 1 : d->symbol, u->name, 0);
}
