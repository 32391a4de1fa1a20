/* SPDX-License-Identifier: GPL-2.0-or-later */
/* threads.h - threads of interrupts that were woken, and do not run yet */
#ifndef TL_IRQ_THREADS_H
#define TL_IRQ_THREADS_H

#include "irq/levels.h"
#include "tracelet/pairs.h"
#include "tracelet/text.h"

/**
 * tl_irq_threads_open - in set-up: none yet; NULL without memory
 *
 * They go at the end of the run, and wherever records were lost.
 */
struct tl_pairs *tl_irq_threads_open(struct tl_session *s);
/**
 * tl_irq_threads_wake - thread @tid, called @comm, is woken
 * @by: the handler that ended just before on this processor and woke a thread; its irq
 *      NULL: there is none
 * @runs: the thread has not left its processor yet
 *
 * It waits from the begin of that handler on, if it is that of the same interrupt.
 */
void tl_irq_threads_wake(struct tl_pairs *threads, pid_t tid,
			 struct tl_str comm, const struct tl_irq_level *by,
			 bool runs);
/**
 * tl_irq_threads_leave - thread @tid leaves its processor, although it could go on: it
 * does not wait for what woke it while it ran
 */
void tl_irq_threads_leave(struct tl_pairs *threads, pid_t tid);
/**
 * tl_irq_threads_run - thread @tid runs; returns the interrupt for which it waited since
 * @since, NULL: it did not
 */
const struct tl_irq *tl_irq_threads_run(struct tl_pairs *threads, pid_t tid,
					uint64_t *since);

#endif
