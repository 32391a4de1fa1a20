// SPDX-License-Identifier: GPL-2.0-or-later
/* offcpu.c - what the tools for off-CPU time by stack have in common */
#include "tracelet/offcpu.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/part.h"
#include "run/run.h"
#include "tracelet/heatmap.h"
#include "tracelet/run.h"
#include "tracelet/session.h"

struct offcpu {
	struct tl_part part;
	struct tl_offcpu *tool;
};

static const struct tl_part_ops offcpu_ops = { .free = free };

bool tl_offcpu_wants(const struct tl_offcpu *o, uint64_t ns, char letter)
{
	return ns >= o->min && (!o->max || ns <= o->max) &&
	       (!o->letters || strchr(o->letters, letter));
}

/* How long a time is that goes on is known at the end of the run only. */
bool tl_offcpu_counts(const struct tl_offcpu *o,
		      const struct tl_sched_slice *slice, uint64_t *ns)
{
	const bool limited = o->min || o->max;

	*ns = slice->to - (limited ? slice->since : slice->from);
	if (!slice->began && slice->since == slice->to)
		return false; /* when it began is not known at all */
	return (!limited || slice->ended || o->last) &&
	       tl_offcpu_wants(o, *ns, slice->letter);
}

void tl_offcpu_pictured(struct tl_session *s,
			const struct tl_sched_slice *slice)
{
	if (slice->began && slice->ended)
		tl_pictured(s, slice->to, slice->to - slice->since);
}

static void fill_in(struct tl_session *s, struct tl_offcpu *o)
{
	o->sched.kinds = TL_SCHED_OFF;
	o->sched.asleep = o->asleep || tl_settings_who(tl_settings(s));
	o->sched.letters = o->letters;
	o->sched.stacks = tl_stack_sums_kinds(&o->shown);
}

int tl_offcpu_args(struct tl_session *s, struct tl_offcpu *o)
{
	fill_in(s, o);
	return tl_sched_letters_check(o->letters)
		       ?: tl_stack_sums_args(s, &o->shown);
}

int tl_offcpu_check(struct tl_session *s, struct tl_offcpu *o)
{
	fill_in(s, o);
	return tl_sched_check(s, &o->sched);
}

static int on_interval(struct tl_session *s, uint64_t ns)
{
	const struct offcpu *part = tl_part_find(s, &offcpu_ops);
	struct tl_offcpu *o = part->tool;

	o->last = tl_run_ends_at(s, ns);
	tl_sched_cut(s, ns);
	return tl_stack_sums_show(s, o->sums, ns);
}

int tl_offcpu_setup(struct tl_session *s, struct tl_offcpu *o)
{
	struct offcpu *part = tl_part_new(s, &offcpu_ops, sizeof(*part));

	if (!part)
		return -ENOMEM;
	part->tool = o;
	o->sums = tl_stack_sums_open(s, &o->shown);
	if (!o->sums)
		return -errno;
	tl_interval(s, o->interval, o->count, on_interval);
	return tl_sched_open(s, &o->sched);
}
