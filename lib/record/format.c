// SPDX-License-Identifier: GPL-2.0-or-later
/* format.c - whether the format of an event is one that can be worked with */
#include "record/format.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS_MAX 512
#define TEXT_MAX   256
#define DEPTH_MAX  64
#define WIDTH_MAX  3 /* digits */

/* ---- fields ----------------------------------------------------------- */

static const char *skip_word(const char *at, const char *word)
{
	size_t len = strlen(word);

	return at && !strncmp(at, word, len) ? at + len : NULL;
}

/* Skips a number up to @max, and @end behind it. */
static const char *skip_number(const char *at, unsigned long max,
			       const char *end)
{
	char *behind;

	if (!at || !isdigit((unsigned char)*at) ||
	    strtoul(at, &behind, 10) > max)
		return NULL;
	return skip_word(behind, end);
}

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/*
 * "__data_loc char[] name", "const char * name", and on 5.10 "char name[30+1]"
 * and "u8 name[sizeof(struct sockaddr_in6)]"
 */
static const char *skip_declaration(const char *at)
{
	size_t len = strcspn(at, ";\n");
	const char *end = at + len, *name = end, *p;
	unsigned int open = 0;

	if (!len || len >= TEXT_MAX || *end != ';')
		return NULL;
	for (p = at; p < end; p++) {
		if (!is_name(*p) && !strchr(open ? " *[]+()" : " *[]", *p))
			return NULL;
		open += *p == '[';
		open -= *p == ']';
		if (open > 1)
			return NULL;
	}
	/* the name and its brackets */
	if (name[-1] == ']')
		while (name > at && name[-1] != '[')
			name--;
	if (name < end)
		name--;
	for (p = name; p > at && is_name(p[-1]);)
		p--;
	if (open || p == name || isdigit((unsigned char)*p) || p - at < 2 ||
	    is_name(p[-1]) || p[-1] == ']' || !is_name(*at))
		return NULL;
	return end + 1;
}

/* NULL: it is none; a line that ends otherwise is @at itself */
static const char *skip_field(const char *at)
{
	const char *p = skip_word(at, "\tfield:");

	if (!p)
		return at;
	p = skip_declaration(p);
	p = skip_number(skip_word(p, "\toffset:"), UINT16_MAX, ";");
	p = skip_number(skip_word(p, "\tsize:"), UINT16_MAX, ";");
	return skip_number(skip_word(p, "\tsigned:"), 1, ";\n");
}

/* Up to the empty line behind them. */
static const char *skip_fields(const char *at)
{
	const char *behind;
	unsigned int count;

	for (count = 0; at; at = behind, count++) {
		behind = skip_field(at);
		if (behind == at || count > FIELDS_MAX)
			break;
	}
	return count && count <= FIELDS_MAX ? skip_word(at, "\n") : NULL;
}

bool tl_format_fields(const char *text, const char **print)
{
	const char *at = skip_word(text, "name: ");
	size_t len = at ? strcspn(at, "\n") : 0;

	if (!len || len >= TEXT_MAX ||
	    strspn(at, "abcdefghijklmnopqrstuvwxyz"
		       "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
		       "0123456789_-.") != len)
		return false;
	at = skip_number(skip_word(at + len, "\nID: "), UINT16_MAX, "\n");
	at = skip_fields(skip_word(at, "format:\n"));
	/* an event without fields of its own has an empty line all the same */
	if (at && *at != '\n' && *at != 'p')
		at = skip_fields(at);
	else if (at && *at == '\n')
		at++;
	at = skip_word(at, "print fmt: ");
	*print = at;
	/* two bytes at least: an empty text */
	return at && at[0] && at[1];
}

/* ---- print fmt -------------------------------------------------------- */

struct scan {
	const char *at;
	const char *fields;
	unsigned int depth; /* of brackets */
};

static bool take(struct scan *s, const char *word)
{
	const char *behind;

	s->at += strspn(s->at, " \t");
	behind = skip_word(s->at, word);
	if (behind)
		s->at = behind;
	return behind;
}

static size_t take_name(struct scan *s, const char **name)
{
	s->at += strspn(s->at, " \t");
	*name = s->at;
	if (!isdigit((unsigned char)*s->at))
		while (is_name(*s->at))
			s->at++;
	return (size_t)(s->at - *name);
}

/* Whether @name is what is declared in the line at @field. */
static bool declares(const char *field, const char *name, size_t len)
{
	const char *end = field + strcspn(field, ";\n"), *at;

	for (at = field + 1; at + len <= end; at++)
		if (!memcmp(at, name, len) && !is_name(at[-1]) &&
		    (at[len] == ';' || at[len] == '['))
			return true;
	return false;
}

/* The name of a field that there is. */
static bool field(struct scan *s)
{
	const char *name, *at = s->fields;
	size_t len = take_name(s, &name);

	while (len && (at = strstr(at, "\tfield:"))) {
		at += strlen("\tfield:");
		if (declares(at, name, len))
			return true;
	}
	return false;
}

static bool is_word(const char *name, size_t len, const char *word)
{
	return len == strlen(word) && !memcmp(name, word, len);
}

/* A text between quotes, or several. */
static bool strings(struct scan *s)
{
	if (!take(s, "\""))
		return false;
	do {
		for (; *s->at != '"'; s->at++) {
			if (*s->at == '\\')
				s->at++;
			if (!isprint((unsigned char)*s->at))
				return false;
		}
		s->at++;
	} while (take(s, "\""));
	return true;
}

static bool number(struct scan *s)
{
	char *end;

	s->at += strspn(s->at, " \t");
	if (!isdigit((unsigned char)*s->at))
		return false;
	strtoull(s->at, &end, 0);
	s->at = end + strspn(end, "uUlL");
	return !is_name(*s->at);
}

static bool expression(struct scan *s);

/* "{ NUMBER, TEXT }"s behind commas */
static bool lists(struct scan *s)
{
	while (take(s, ","))
		if (!take(s, "{") || !expression(s) || !take(s, ",") ||
		    !strings(s) || !take(s, "}"))
			return false;
	return true;
}

/* What has no length of its own, or one that is of its place. */
static bool call(struct scan *s, const char *name, size_t len)
{
	static const char *const of_field[] = { "__get_str", "__get_rel_str",
						"__get_dynamic_array_len" };
	unsigned int i;

	if (is_word(name, len, "__print_symbolic"))
		return expression(s) && lists(s) && take(s, ")");
	if (is_word(name, len, "__print_flags"))
		return expression(s) && take(s, ",") && strings(s) &&
		       lists(s) && take(s, ")");
	for (i = 0; i < sizeof(of_field) / sizeof(of_field[0]); i++)
		if (is_word(name, len, of_field[i]))
			return field(s) && take(s, ")");
	return false;
}

static bool unary(struct scan *s);

/* Behind "(": a type and what is of it, or an expression. */
static bool bracketed(struct scan *s)
{
	struct scan before = *s;
	const char *name;
	size_t len = take_name(s, &name);

	if (!len || is_word(name, len, "REC") || take(s, "(")) {
		*s = before;
		return expression(s) && take(s, ")");
	}
	while (take_name(s, &name) || take(s, "*"))
		;
	return take(s, ")") && unary(s);
}

/* Of an array in the record, at a place that is not far behind it. */
static bool element(struct scan *s)
{
	size_t digits;

	if (!take(s, "["))
		return true;
	digits = strspn(s->at, "0123456789");
	s->at += digits;
	return digits && digits <= WIDTH_MAX && take(s, "]");
}

/* A name alone is a constant that libtraceevent takes for 0. */
static bool primary(struct scan *s)
{
	const char *name;
	size_t len;

	if (take(s, "("))
		return bracketed(s);
	if (number(s))
		return true;
	len = take_name(s, &name);
	if (!len)
		return strings(s);
	if (is_word(name, len, "REC"))
		return take(s, "->") && field(s) && element(s);
	return !take(s, "(") || call(s, name, len);
}

static bool unary(struct scan *s)
{
	bool ok;

	if (++s->depth > DEPTH_MAX)
		return false;
	if (take(s, "!") || take(s, "~") || take(s, "-"))
		ok = unary(s);
	else
		ok = primary(s);
	s->depth--;
	return ok;
}

static bool operator(struct scan *s)
{
	static const char *const all[] = { "<<", ">>", "<=", ">=", "==", "!=",
					   "&&", "||", "<",  ">",  "&",  "|",
					   "^",  "+",  "-",  "*" };
	unsigned int i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (take(s, all[i]))
			return true;
	return false;
}

/*
 * A number that is there to be seen, and is not zero.  Of what has the same
 * priority libtraceevent (1.7) makes "a / (10 * b)".
 */
static bool divisor(struct scan *s)
{
	s->at += strspn(s->at, " \t");
	if (*s->at < '1' || *s->at > '9' || !number(s))
		return false;
	return strchr("),}:+-\n", s->at[strspn(s->at, " \t")]);
}

static bool expression(struct scan *s)
{
	bool ok = true;

	if (++s->depth > DEPTH_MAX || !unary(s))
		return false;
	do {
		if (take(s, "/") || take(s, "%"))
			ok = divisor(s);
		else if (operator(s))
			ok = unary(s);
		else
			break;
	} while (ok);
	if (!ok)
		return false;
	ok = !take(s, "?") || (expression(s) && take(s, ":") && expression(s));
	s->depth--;
	return ok;
}

/* A width that is an argument is as large as a record makes it. */
static bool conversions(const char *at, const char *end)
{
	while ((at = memchr(at, '%', (size_t)(end - at)))) {
		at++;
		at += strspn(at, "#-+ 0");
		if (strspn(at, "0123456789") > WIDTH_MAX)
			return false;
		at += strspn(at, "0123456789");
		if (!strncmp(at, ".*s", 3))
			at += 2;
		if (*at == '.')
			at++;
		if (strspn(at, "0123456789") > WIDTH_MAX)
			return false;
		at += strspn(at, "0123456789");
		at += strspn(at, "hlzLq");
		if (!*at || !strchr("diuxXocsp%", *at))
			return false;
		at++;
	}
	return true;
}

bool tl_format_prints(const char *text, const char *print)
{
	struct scan s = { .at = print, .fields = text };

	if (!strings(&s) || !conversions(print, s.at))
		return false;
	while (take(&s, ","))
		if (!expression(&s))
			return false;
	return !s.at[strspn(s.at, " \t\n")];
}
