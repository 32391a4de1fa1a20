// SPDX-License-Identifier: GPL-2.0-or-later
/* threads.c - threads of interrupts that were woken, and do not run yet */
#include "irq/threads.h"

#include <stdio.h>

#define MAX_THREADS 65536

struct waiting {
	const struct tl_irq *irq;
	uint64_t since;
	bool ran; /* when it was woken */
};

struct tl_pairs *tl_irq_threads_open(struct tl_session *s)
{
	return tl_pairs_open_threads(s, sizeof(struct waiting), MAX_THREADS,
				     NULL);
}

/* The number of the line of thread "irq/24-name"; -1: it is another thread. */
static int line_of(struct tl_str comm)
{
	char text[16];
	int line;

	snprintf(text, sizeof(text), "%.*s", (int)comm.len, comm.text);
	return sscanf(text, "irq/%d-", &line) == 1 ? line : -1;
}

void tl_irq_threads_wake(struct tl_pairs *threads, pid_t tid,
			 struct tl_str comm, const struct tl_irq_level *by,
			 bool runs)
{
	struct waiting *w;

	/* what it was woken for before is done: it slept since, or still runs */
	tl_pairs_drop(threads, tid);
	if (!by->irq || line_of(comm) != by->code)
		return;
	w = tl_pairs_put(threads, tid);
	if (w)
		*w = (struct waiting){ by->irq, by->since, runs };
}

void tl_irq_threads_leave(struct tl_pairs *threads, pid_t tid)
{
	struct waiting *w = tl_pairs_get(threads, tid);

	if (w && w->ran)
		tl_pairs_remove(threads, w);
}

const struct tl_irq *tl_irq_threads_run(struct tl_pairs *threads, pid_t tid,
					uint64_t *since)
{
	struct waiting *w = tl_pairs_get(threads, tid);
	const struct tl_irq *irq;

	if (!w)
		return NULL;
	irq = w->irq;
	*since = w->since;
	tl_pairs_remove(threads, w);
	return irq;
}
