// SPDX-License-Identifier: GPL-2.0-or-later
/* history.c - what ran on a processor */
#include "sched/history.h"

#include <stdlib.h>

#define RUNS 1024

struct run {
	uint64_t since;
	pid_t tid;
};

struct tl_history {
	unsigned int next;  /* place in the ring */
	unsigned int count; /* of runs that it has */
	struct run ring[RUNS];
};

struct tl_history *tl_history_new(void)
{
	return calloc(1, sizeof(struct tl_history));
}

void tl_history_note(struct tl_history *h, pid_t tid, uint64_t since)
{
	h->ring[h->next] = (struct run){ since, tid };
	h->next = (h->next + 1) % RUNS;
	h->count += h->count < RUNS;
}

void tl_history_clear(struct tl_history *h)
{
	h->count = 0;
}

/* What @tid, which ran from @since to @end, had of the part. */
static void add(struct tl_history_part *part, pid_t tid, uint64_t since,
		uint64_t end)
{
	uint64_t from = since > part->from ? since : part->from;
	uint64_t to = end < part->to ? end : part->to;

	if (from < to && part->count < part->max)
		part->list[part->count++] =
			(struct tl_sched_runner){ tid, to - from };
}

void tl_history_ran(const struct tl_history *h, pid_t running, uint64_t since,
		    struct tl_history_part *part)
{
	uint64_t end = UINT64_MAX;
	const struct run *run;
	unsigned int i;

	if (running != -1) {
		add(part, running, since, end);
		end = since;
	}
	for (i = 1; i <= h->count && end > part->from; i++) {
		run = &h->ring[(h->next + RUNS - i) % RUNS];
		add(part, run->tid, run->since, end);
		end = run->since;
	}
	add(part, -1, part->from, end);
}
