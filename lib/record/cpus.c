// SPDX-License-Identifier: GPL-2.0-or-later
/* cpus.c - processors that the user asked for: --cpu */
#include "record/cpus.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/recording.h"
#include "tracelet/event.h"
#include "tracelet/filter.h"
#include "tracelet/message.h"

/* In a capture: the kernel recorded the tool's events on these only. */
#define ONLY "recorded on processors"

bool tl_cpu_matches(const struct tl_session *s, unsigned int cpu)
{
	return !s->set.cpu.count || tl_cpus_has(&s->set.cpu, cpu);
}

unsigned int tl_cpu_count(const struct tl_session *s)
{
	const char *there = tl_recording_text(s->recording, "processors", NULL);
	long n = there ? strtol(there, NULL, 10)
		 : tl_recording_replays(s->recording)
			 ? 0
			 : sysconf(_SC_NPROCESSORS_CONF);

	return n > 0 ? (unsigned int)n : 0;
}

static int check_machine(const struct tl_session *s, unsigned int last)
{
	const char *whose = tl_recording_replays(s->recording)
				    ? "the capture is of a machine with"
				    : "this machine has";
	unsigned int count = tl_cpu_count(s);

	if (!count || last < count)
		return 0;
	if (count == 1)
		return tl_usage("--cpu: %u: %s processor 0 only", last, whose);
	return tl_usage("--cpu: %u: %s processors 0-%u", last, whose,
			count - 1);
}

/* Whether all of @some are among @all. */
static bool has_all(const struct tl_cpus *all, const struct tl_cpus *some)
{
	const struct tl_cpu_range *r = some->list, *end = r + some->count;
	unsigned int i;

	for (; r < end; r++) {
		for (i = 0; i < all->count && all->list[i].last < r->last;)
			i++;
		if (i == all->count || all->list[i].first > r->first)
			return false;
	}
	return true;
}

/* On others nothing would seem to have happened. */
static int check_capture(const struct tl_session *s)
{
	const struct tl_cpus *had = &s->recorded.cpu;

	if (!tl_recording_replays(s->recording) ||
	    !tl_recording_text(s->recording, ONLY, NULL) ||
	    has_all(had, &s->set.cpu))
		return 0;
	return tl_fail(ENOENT,
		       "--cpu: %s: the capture was written with --cpu=%s, and "
		       "has no other processors",
		       s->set.cpu.text, had->text);
}

int tl_cpus_check(const struct tl_session *s)
{
	const struct tl_cpus *cpus = &s->set.cpu;

	if (!cpus->count)
		return 0;
	return check_machine(s, cpus->list[cpus->count - 1].last)
		       ?: check_capture(s);
}

void tl_cpus_keep(struct tl_session *s)
{
	tl_recording_notef(s->recording, ONLY, "%s", s->set.cpu.text);
}

#define RANGE_TEXT sizeof(" || (CPU >= 65535 && CPU <= 65535)")

/* Writes what a filter has for @r, behind others if @more; its length. */
static size_t range_text(const struct tl_cpu_range *r, bool more,
			 char text[RANGE_TEXT])
{
	const char * or = more ? " || " : "";

	if (r->first == r->last)
		return (size_t)sprintf(text, "%sCPU == %u", or, r->first);
	return (size_t)sprintf(text, "%s(CPU >= %u && CPU <= %u)", or, r->first,
			       r->last);
}

/* By the kernel's own field of all events, whatever fields these have. */
void tl_cpus_add_filter(const struct tl_session *s, struct tl_filter *f)
{
	char any[TL_CPU_RANGES_MAX * RANGE_TEXT];
	const struct tl_cpus *cpus = &s->set.cpu;
	size_t len = 0;
	unsigned int i;

	for (i = 0; i < cpus->count; i++)
		len += range_text(&cpus->list[i], i, any + len);
	if (cpus->count)
		tl_filter_and(f, "(%s)", any);
}
