// SPDX-License-Identifier: GPL-2.0-or-later
/* match.c - whether a name or a number is one that was asked for */
#include <stdlib.h>
#include <string.h>

#include "tracelet/session.h"
#include "tracelet/text.h"

bool tl_pids_has(const struct tl_pids *pids, pid_t pid)
{
	unsigned int i = 0;

	while (i < pids->count && pids->list[i] != pid)
		i++;
	return i < pids->count;
}

bool tl_cpus_has(const struct tl_cpus *cpus, unsigned int cpu)
{
	unsigned int i = 0;

	while (i < cpus->count && cpus->list[i].last < cpu)
		i++;
	return i < cpus->count && cpus->list[i].first <= cpu;
}

const char *tl_regex_literal(const struct tl_regex *re)
{
	/* quotes end a text in an event filter, whose texts are below 256 */
	static const char special[] = ".^$*+?()[]{}|\\\"'";

	if (!re->text || strpbrk(re->text, special) || strlen(re->text) > 250)
		return NULL;
	return re->text;
}

#ifdef REG_STARTEND
bool tl_regex_match(const struct tl_regex *re, const char *str, size_t len)
{
	regmatch_t part = { 0 };

	if (!re->text)
		return true;
	part.rm_eo = len ? (regoff_t)strnlen(str, len) : 0;
	return !regexec(&re->re, len ? str : "", 1, &part, REG_STARTEND);
}
#else
/* A C library such as musl needs text that ends. */
bool tl_regex_match(const struct tl_regex *re, const char *str, size_t len)
{
	char *copy;
	bool found;

	if (!re->text)
		return true;
	copy = strndup(len ? str : "", len);
	/* without memory rather a row too many than one too few */
	found = !copy || !regexec(&re->re, copy, 0, NULL, 0);
	free(copy);
	return found;
}
#endif
