/* SPDX-License-Identifier: GPL-2.0-or-later */
/* child.h - a child that does not outlive its parent */
#ifndef TL_BASE_CHILD_H
#define TL_BASE_CHILD_H

#include <sys/types.h>

/**
 * tl_child_fork - fork(), of a child that is killed when this process ends
 *
 * So it is to have nothing to undo.  A program with capabilities of its own, which it
 * may call, is not killed.
 */
pid_t tl_child_fork(void);
/** tl_child_wait - wait until it has ended; returns its status as waitpid() has it */
int tl_child_wait(pid_t pid);

#endif
