/* SPDX-License-Identifier: GPL-2.0-or-later */
/* threads.h - the threads of a capture, and whom its run recorded */
#ifndef TL_CAPTURE_THREADS_H
#define TL_CAPTURE_THREADS_H

#include "base/session.h"
#include "record/tasktable.h"

/** tl_threads_keep - note all that is known now, for who reads a capture */
void tl_threads_keep(struct tl_session *s);

/** The threads that were noted. */
extern const struct tl_tasks_ops tl_threads_kept;
/**
 * tl_threads_check_end - at the end of a run with -r: 0 if all who were asked for
 * had been recorded, or -ESRCH after a message
 */
int tl_threads_check_end(const struct tl_session *s);

#endif
