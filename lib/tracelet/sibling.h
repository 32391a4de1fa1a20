/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sibling.h - another tool of this collection, as a child */
#ifndef TRACELET_SIBLING_H
#define TRACELET_SIBLING_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#pragma GCC visibility push(default)

struct tl_session;

/** A tool that this one runs. */
struct tl_sibling {
	FILE *output; /* what it writes; NULL: it could not be run */
	pid_t pid;
	char *path;
	int err; /* why it could not be run, or 0 */
};

/**
 * tl_sibling_start - run tool @name, which is beside this one
 * @argv: its arguments from argv[1] on, and a NULL; argv[0] becomes its path
 *
 * Its name ends in what this one's does: "-tl" of "tracelets-tl".  Several may run at
 * once.  They read nothing, and signals of a terminal do not reach them.  Returns 0, also
 * where it could not be run, of which tl_sibling_end() tells; -errno after a message when
 * no tool can be found.
 */
int tl_sibling_start(const struct tl_session *s, struct tl_sibling *t,
		     const char *name, char *argv[]);
/**
 * tl_sibling_end - wait until it has ended
 * @answered: its output was as it should be
 *
 * Returns whether that is so, and it did run, and ended with a status of enum
 * tl_exit other than TL_EXIT_USAGE; else that is said.
 */
bool tl_sibling_end(struct tl_sibling *t, bool answered);

/**
 * tl_sibling_run - run tool @name, which is beside this one, in the place of this one:
 * with its output, to its end
 * @argv: as of tl_sibling_start()
 *
 * It is killed when this one ends, so it is to have nothing to undo.
 *
 * Returns its status; TL_EXIT_FAILED after a message where it could not be run, or was
 * ended by a signal.
 */
int tl_sibling_run(const struct tl_session *s, const char *name, char *argv[]);
/**
 * tl_sibling_become - for main(): become tool @name, which is beside this one
 * @self: this one's name
 * @argv: as of tl_sibling_start()
 *
 * Returns TL_EXIT_FAILED after a message where that cannot be.
 */
int tl_sibling_become(const char *self, const char *name, char *argv[]);

#pragma GCC visibility pop

#endif
