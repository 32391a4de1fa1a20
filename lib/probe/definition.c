// SPDX-License-Identifier: GPL-2.0-or-later
/* definition.c - the text of a probe's definition */
#include "probe/definition.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tracelet/kprobe.h"
#include "tracelet/message.h"

#define TYPES      "prft"
#define ACTIVE_MAX 4096 /* the kernel's KRETPROBE_MAXACTIVE_MAX */

size_t tl_definition_type(const char *text, const char *types)
{
	size_t len = *text && strchr(types, *text) ? 1 : 0;

	if (len && *text == 'r')
		len += strspn(text + 1, "0123456789");
	return text[len] == ':' ? len : 0;
}

char *tl_definition_name(char *word)
{
	char *slash = strrchr(word, '/');

	return slash ? slash + 1 : word;
}

bool tl_definition_is(const char *text)
{
	return tl_definition_type(text, TYPES);
}

static int take_active(struct tl_definition *d, const char *text, size_t len)
{
	char *end;
	unsigned long n;

	if (len < 2)
		return 0;
	n = strtoul(text + 1, &end, 10);
	if (!n || n > ACTIVE_MAX || end != text + len)
		return tl_usage("\"%s\": r%.*s: not from 1 to %d", text,
				(int)len - 1, text + 1, ACTIVE_MAX);
	d->active = n;
	return 0;
}

/* Blanks in parentheses are part of a word: "((struct sock *)x)->y". */
static char *next_word(char **at)
{
	char *word = *at + strspn(*at, " \t\n"), *c;
	int depth = 0;

	for (c = word; *c; c++) {
		depth += (*c == '(') - (*c == ')');
		if (depth <= 0 && strchr(" \t\n", *c))
			break;
	}
	*at = c + (*c != '\0');
	*c = '\0';
	return *word ? word : NULL;
}

int tl_definition_parse(struct tl_definition *d, const char *text)
{
	size_t len = tl_definition_type(text, TYPES);
	char *at, *word;
	int ret;

	memset(d, 0, sizeof(*d));
	if (!len)
		return tl_usage("\"%s\" is no definition: it begins with p:, "
				"r:, f: or t:",
				text);
	ret = take_active(d, text, len);
	if (ret)
		return ret;
	d->type = *text;
	d->text = strdup(text + len);
	/* no two words are without a blank between them */
	d->words = calloc(strlen(text) / 2 + 2, sizeof(*d->words));
	if (!d->text || !d->words)
		return -ENOMEM;
	at = d->text + 1;
	d->name = *at && !strchr(" \t\n", *at) ? next_word(&at) : "";
	d->name = tl_definition_name(d->name);
	while ((word = next_word(&at)))
		d->words[d->count++] = word;
	if (!*d->name && !d->count)
		return tl_usage("\"%s\": which function?", text);
	return 0;
}

int tl_definitions_check(int count, char *const *definitions)
{
	struct tl_definition d;
	int ret = 0, i;

	for (i = 0; i < count && !ret; i++) {
		ret = tl_definition_parse(&d, definitions[i]);
		tl_definition_free(&d);
	}
	return ret;
}

void tl_definition_free(struct tl_definition *d)
{
	free(d->text);
	free(d->words);
}

/* ---- places ----------------------------------------------------------- */

static bool copy(char *to, size_t size, const char *from, size_t len)
{
	if (len >= size)
		return false;
	memcpy(to, from, len);
	to[len] = '\0';
	return true;
}

static bool is_number(const char *text)
{
	char *end;

	strtoull(text, &end, 0);
	return isdigit((unsigned char)*text) && !*end;
}

/* fnmatch() takes both, the kernel "[!" only. */
static void rewrite_sets(char *glob)
{
	while ((glob = strstr(glob, "[^")))
		glob[1] = '!';
}

/*
 * As the kernel calls modules; they can be given by the names of their files.
 */
static void rewrite_module(char *name)
{
	while ((name = strchr(name, '-')))
		*name = '_';
}

int tl_place_parse(struct tl_place *place, const char *word)
{
	static const char back[] = "%return";
	size_t len = strlen(word), symbol;
	const char *colon = strchr(word, ':');

	memset(place, 0, sizeof(*place));
	place->is_return = len >= sizeof(back) &&
			   !strcmp(word + len - sizeof(back) + 1, back);
	len -= place->is_return ? sizeof(back) - 1 : 0;
	if (colon) {
		if (!copy(place->module, sizeof(place->module), word,
			  colon - word))
			return -EINVAL;
		len -= colon + 1 - word;
		word = colon + 1;
	}
	symbol = strcspn(word, "+");
	if (symbol > len)
		symbol = len;
	if (!copy(place->symbol, sizeof(place->symbol), word, symbol) ||
	    !copy(place->offset, sizeof(place->offset), word + symbol,
		  len - symbol))
		return -EINVAL;
	place->is_address = is_number(place->symbol);
	place->is_glob = strpbrk(place->symbol, "*?[");
	for (word = place->symbol; *word; word++)
		if (!isalnum((unsigned char)*word) &&
		    !strchr("_.*?[]-^!", *word))
			return -EINVAL;
	for (word = place->module; *word; word++)
		if (!isalnum((unsigned char)*word) && !strchr("_-", *word))
			return -EINVAL;
	if (!*place->symbol || (colon && !*place->module) ||
	    (*place->offset && !is_number(place->offset + 1)))
		return -EINVAL;
	rewrite_sets(place->symbol);
	rewrite_module(place->module);
	return 0;
}
