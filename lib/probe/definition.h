/* SPDX-License-Identifier: GPL-2.0-or-later */
/* definition.h - the text of a probe's definition */
#ifndef TL_PROBE_DEFINITION_H
#define TL_PROBE_DEFINITION_H

#include <stdbool.h>
#include <stddef.h>

/**
 * tl_definition_type - length of the type that @text begins with, "r8" of "r8:"
 * @types: letters of types that there are
 *
 * 0 where it is no definition.  Only r has a number.
 */
size_t tl_definition_type(const char *text, const char *types);

/** tl_definition_name - NAME of "[GROUP/]NAME", in @word */
char *tl_definition_name(char *word);

/** "TYPE:[[GROUP/]NAME] WORD...", taken apart. */
struct tl_definition {
	char type;           /* p, r, f or t */
	unsigned int active; /* "r8": calls at the same time; 0: not said */
	char *name;          /* behind the colon, without the group; "" */
	char **words;        /* a NULL at the end */
	unsigned int count;
	char *text;
};

/** tl_definition_parse - 0, -EINVAL after a message, -ENOMEM; then free it */
int tl_definition_parse(struct tl_definition *d, const char *text);
void tl_definition_free(struct tl_definition *d);

/** "[MODULE:]SYMBOL[+OFFSET][%return]", or an address. */
struct tl_place {
	char module[64];
	char symbol[128];
	char offset[24]; /* "+16"; "" for the entry */
	bool is_return, is_glob, is_address;
};

/** tl_place_parse - 0, or -EINVAL, without a message, if @word cannot be one */
int tl_place_parse(struct tl_place *place, const char *word);

#endif
