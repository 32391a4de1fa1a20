// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * iosize.c - how large block I/O is, where nothing else of it is asked for
 *
 * Sizes are in the event of the issue, so no I/O needs to be followed to its end.
 * But a request that its driver gives back is issued again.  The event of that comes
 * for requests as well that were not issued yet, so a probe at its place says more.
 * What it saves is in bitesize(8).
 */
#include <errno.h>

#include "base/buf.h"
#include "base/message.h"
#include "trace/block.h"
#include "tracelet/event.h"
#include "tracelet/feature.h"
#include "tracelet/probe.h"
#include "tracelet/tally.h"
#include "tracelet/task.h"

/* As the kernel says it of a request that its driver does not have. */
#define MQ_RQ_IDLE 0

/* It was counted, and will be once more. */
static void on_requeue(struct tl_session *s, const struct tl_record *r)
{
	const struct tl_blocks *b = r->event->ctx;

	if (tl_field_u32(r, &b->state) != MQ_RQ_IDLE)
		tl_tally_add(b->config->again,
			     tl_field_u32(r, &b->of[REQUEUE].bytes), 1);
}

/* A capture may be shown in other ways. */
bool tl_io_only_sizes(struct tl_session *s, const struct tl_io_config *config)
{
	return config->sizes && !config->device && !config->type &&
	       !s->set.write && !tl_tasks_filtered(s) && !s->set.cpu.count &&
	       tl_feature(s, TL_FEATURE_TPROBE) &&
	       tl_feature(s, TL_FEATURE_BTF_ARGS);
}

static int tally_issues(struct tl_session *s, struct tl_tally *sizes)
{
	struct tl_event *ev = tl_event_add(s, "block", "block_rq_issue", NULL);

	return ev ? tl_event_tally(s, ev, "bytes", sizes) : -errno;
}

/*
 * Nothing is said where the kernel refuses it, since I/O can be followed as well:
 * 6.12 takes one such probe at a tracepoint, so one of somebody else is enough.
 */
static struct tl_event *add_probe(struct tl_session *s)
{
	static const char args[] =
		"bytes=rq->__data_len:u32 state=rq->state:u32";
	struct tl_buf said = { 0 };
	struct tl_buf *before = tl_message_keep(&said);
	struct tl_event *ev = tl_probe_add(
		s, "t", "requeue", "block_rq_requeue", args, on_requeue);

	tl_message_keep(before);
	tl_buf_free(&said);
	return ev;
}

int tl_io_count_sizes(struct tl_session *s, struct tl_blocks *b)
{
	struct tl_event *ev = add_probe(s);

	if (!ev)
		return -ENOENT;
	ev->ctx = b;
	/* all threads are asked for, but not this tool's */
	s->events->unasked = false;
	return tl_event_field(s, ev, "bytes", &b->of[REQUEUE].bytes) ?:
	       tl_event_field(s, ev, "state", &b->state) ?:
	       tally_issues(s, b->config->sizes);
}
