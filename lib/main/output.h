/* SPDX-License-Identifier: GPL-2.0-or-later */
/* output.h - standard output */
#ifndef TL_MAIN_OUTPUT_H
#define TL_MAIN_OUTPUT_H

#include <stdbool.h>

#include "base/session.h"

struct tl_inherited;

/** A file of -o that is not there yet, of a tool with TL_OUTPUT_WHOLE. */
struct tl_output {
	char *path; /* its name then; NULL: the output is written where it belongs */
	char *part; /* another one beside it */
	bool named; /* it has that by now */
};

/**
 * tl_output_fill - open what is closed of the standard descriptors
 *
 * A descriptor of ours must not become standard output in place of a closed one,
 * and what is written there has to fail: nobody would see it.
 */
void tl_output_fill(void);
/**
 * tl_output_redirect - have standard output be the file of -o, if there is one, and
 * keep in @before what it was, for a command; 0, or -errno after a message
 */
int tl_output_redirect(const struct tl_session *s, struct tl_inherited *before,
		       struct tl_output *o);
/**
 * tl_output_end - whether all that was printed has been written, or nobody wants it;
 * false after a message
 * @good: the run was
 */
bool tl_output_end(const struct tl_settings *set, struct tl_output *o,
		   bool good);

#endif
