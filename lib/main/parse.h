/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parse.h - the command line */
#ifndef TL_MAIN_PARSE_H
#define TL_MAIN_PARSE_H

#include "base/session.h"

/**
 * tl_main_parse - take options and arguments, and those of a capture's run before
 *
 * Returns 0 to go on, or an exit status plus one: what was asked for (-h) is done, or
 * something was wrong, after a message.
 */
int tl_main_parse(struct tl_session *s, int argc, char **argv);

#endif
