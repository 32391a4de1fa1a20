/* SPDX-License-Identifier: GPL-2.0-or-later */
/* signals.h - the signals that end a run, and what the second one does */
#ifndef TL_RUN_SIGNALS_H
#define TL_RUN_SIGNALS_H

#include <signal.h>

/**
 * tl_signals_open - hold these signals back, until tl_signals_catch()
 * @before: becomes the mask as it was
 *
 * Returns a descriptor, or -1 and errno: the first of them is read there, as a
 * siginfo_t.  SIGALRM, the end of the duration, is one.
 */
int tl_signals_open(sigset_t *before);

/**
 * tl_signals_catch - take them: the first becomes readable, and a later SIGINT,
 * SIGTERM or SIGQUIT ends the process at once, 0.2 s behind it or more
 *
 * Until then others can be forked, which are not to have the handler.
 */
void tl_signals_catch(void);

/**
 * tl_signals_ending - the end has begun, by a signal or not: what comes from now on
 * is a later one
 */
void tl_signals_ending(void);

/**
 * tl_signals_left - what such an end leaves to others, for the message
 * @text: stays valid
 */
void tl_signals_left(const char *text);

/**
 * tl_signals_again - what comes is the first once more: it ends a wait for the
 * command
 */
void tl_signals_again(void);

#endif
