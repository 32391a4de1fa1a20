/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command.h - the command that a tool runs and traces */
#ifndef TL_MAIN_COMMAND_H
#define TL_MAIN_COMMAND_H

#include <fcntl.h>
#include <signal.h>

#include "base/session.h"

/** Signals and standard output as they were when the tool was called. */
struct tl_inherited {
	int output; /* -1: it is what it was */
	sigset_t mask;
	struct sigaction pipe, child;
};

/**
 * tl_command_fork - if tl_command() was called, begin a process for it, which
 * waits for tl_command_go(), and ask for it and its children, as -p --follow
 */
int tl_command_fork(struct tl_session *s, const struct tl_inherited *before);
/** tl_command_go - let it run: all is recorded from now on */
void tl_command_go(struct tl_session *s);

/**
 * tl_command_status - its exit status, as a shell has it
 * @signals: from tl_signals_open()
 *
 * Waits for its end, unless the run has done so already: then what a signal has
 * not ended is left to itself.
 */
int tl_command_status(struct tl_session *s, int signals);

#endif
