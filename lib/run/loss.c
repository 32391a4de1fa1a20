// SPDX-License-Identifier: GPL-2.0-or-later
/* loss.c - what was lost, and why */
#include "run/loss.h"

#include "base/part.h"
#include "run/loop.h"
#include "run/run.h"
#include "run/state.h"
#include "tracelet/message.h"

static void say_events(const struct tl_losses *l)
{
	if (l->overrun)
		tl_warn("%llu events were lost: the buffer was full "
			"(--buffer=SIZE makes it larger)",
			(unsigned long long)l->overrun);
	else if (l->too_large)
		tl_warn("%s%llu events were lost: their text, of more than "
			"4,000 bytes, did not fit into a record%s",
			l->or_own ? "up to " : "",
			(unsigned long long)l->too_large,
			l->or_own ? " (or they were of this tool itself)" : "");
	if (l->missed)
		tl_warn("up to %llu events were lost: a probe was busy",
			(unsigned long long)l->missed);
}

/* Nothing was lost by that: it is as the user asked. */
static void say_pauses(struct tl_session *s)
{
	const uint64_t end = tl_run_end_ns(s), all = end - s->run->start_ns;

	if (s->run->paused)
		tl_warn("recording was paused for %.1f of %.1f seconds, as "
			"--max-cpu asks",
			(all - tl_run_recorded(s, end)) / 1e9, all / 1e9);
}

static void count_events(struct tl_session *s, struct tl_losses *l)
{
	const struct tl_sink *sink = s->run->sink;

	l->overrun = tl_loop_overrun(s);
	tl_parts_count(s, l);
	/* who reads the capture knows what did not fit; hits are of pauses, too */
	if ((sink && !sink->counts(sink->ctx)) || s->run->paused ||
	    s->run->paused_at)
		l->too_large = 0;
	l->events = (l->overrun ?: l->too_large) + l->missed;
}

uint64_t tl_losses_events(struct tl_session *s)
{
	struct tl_losses l = { 0 };

	count_events(s, &l);
	return l.events;
}

bool tl_losses_any(struct tl_session *s)
{
	return tl_losses_events(s);
}

bool tl_losses_report(struct tl_session *s, struct tl_losses *l)
{
	l->not_followed = tl_parts_report(s);
	count_events(s, l);
	say_events(l);
	say_pauses(s);
	return l->events || l->not_followed;
}
