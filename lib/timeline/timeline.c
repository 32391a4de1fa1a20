// SPDX-License-Identifier: GPL-2.0-or-later
/* timeline.c - a run as a trace that Perfetto shows */
#include "timeline/timeline.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/part.h"
#include "base/recording.h"
#include "record/event.h"
#include "record/task.h"
#include "record/tasktable.h"
#include "run/state.h"
#include "timeline/kernel.h"
#include "timeline/packet.h"
#include "timeline/rows.h"
#include "tracelet/message.h"
#include "tracelet/task.h"

#define EVENTS_MAX 16

/* An event that Perfetto understands, and who watches it beside us. */
struct watched {
	const struct tl_event *ev;
	struct tl_kernel_event known;
	tl_handler *before;
};

struct timeline {
	struct tl_part part;
	struct tl_session *s;
	struct tl_out_sink sink;
	struct tl_packets packets;
	struct tl_kernel kernel;
	struct tl_rows *rows;
	struct watched events[EVENTS_MAX];
	unsigned int count;
	bool begun;
};

static const struct tl_part_ops timeline_ops;

static struct timeline *timeline(const struct tl_session *s)
{
	return tl_part_find(s, &timeline_ops);
}

/* The output writes it, and knows whether that works. */
static void flush(struct timeline *t)
{
	struct tl_buf *b = &t->packets.buf;

	tl_out_add(t->s->out, b->data, b->len, b->failed);
	b->len = 0;
}

/* ---- rows and losses -------------------------------------------------- */

static void on_row(void *ctx, const struct tl_column *columns,
		   const struct tl_value *row)
{
	struct timeline *t = ctx;

	tl_rows_put(t->rows, columns, row);
	flush(t);
}

static void on_gap(void *ctx, unsigned int cpu, uint64_t ns)
{
	struct timeline *t = ctx;

	tl_kernel_gap(&t->kernel, cpu, ns);
	flush(t);
}

static void on_lost(void *ctx, unsigned int cpu, uint64_t ns, int64_t count)
{
	struct timeline *t = ctx;

	tl_kernel_lost(&t->kernel, cpu, ns, count);
	flush(t);
}

/* ---- threads ---------------------------------------------------------- */

static void put_thread(struct timeline *t, const struct tl_task *task,
		       uint64_t ns)
{
	tl_packet_thread(&t->packets, ns, task->pid, task->process,
			 task->parent,
			 (struct tl_str){ task->comm, task->comm_len });
	flush(t);
}

static void on_task(struct tl_session *s, void *part, pid_t tid,
		    enum tl_task_change change, uint64_t ns)
{
	struct timeline *t = part;
	const struct tl_task *task;

	if (!t->begun || (change != TL_TASK_NEW && change != TL_TASK_RENAMED))
		return;
	task = tl_task_get(s->tasks, tid);
	if (task && task->comm_len && task->process)
		put_thread(t, task, ns);
}

static void put_threads(struct tl_session *s)
{
	struct timeline *t = timeline(s);
	struct tl_task *task = NULL;

	while ((task = tl_task_next(s->tasks, task)))
		if (task->pid && task->comm_len && task->process)
			put_thread(t, task, s->run->start_ns);
}

/* ---- events that Perfetto understands --------------------------------- */

static void on_event(struct tl_session *s, const struct tl_record *r)
{
	struct timeline *t = timeline(s);
	const struct watched *w = t->events;

	while (w->ev != r->event)
		w++;
	if (w->before)
		w->before(s, r);
	tl_kernel_put(&t->kernel, &w->known, r);
	flush(t);
}

/* A capture has what its run recorded; a run records what its tool asks for. */
static struct tl_event *find_event(struct tl_session *s, const char *system,
				   const char *name)
{
	struct tl_event *ev = s->events ? tl_event_find(s, system, name) : NULL;

	if (ev || !tl_recording_replays(s->recording))
		return ev;
	return tl_event_watch(s, system, name, NULL);
}

static void watch_event(struct timeline *t, const char *system,
			const char *name)
{
	struct tl_event *ev = find_event(t->s, system, name);
	struct watched *w = &t->events[t->count];

	if (!ev || t->count == EVENTS_MAX ||
	    !tl_kernel_find(ev->tep, &w->known))
		return;
	w->ev = ev;
	w->before = ev->watcher;
	ev->watcher = on_event;
	t->count++;
}

/* Other events than those of the scheduler: each capture has its own. */
static void watch_events(struct timeline *t, bool without_sched)
{
	const char *system, *name;
	unsigned int i;

	for (i = 0; tl_kernel_name(i, &system, &name); i++)
		if (!without_sched || strcmp(system, "sched") != 0)
			watch_event(t, system, name);
}

/* ---- the part --------------------------------------------------------- */

static void put_system(struct timeline *t)
{
	struct utsname u;

	if (!uname(&u))
		tl_packet_system(&t->packets, u.release, u.version, u.machine);
}

/* "Linux RELEASE MACHINE" of a capture's machine. */
static void put_recorded_system(struct timeline *t, const char *text)
{
	char release[65] = "", machine[65] = "";

	if (sscanf(text, "%*s %64s %64s", release, machine) == 2)
		tl_packet_system(&t->packets, release, "", machine);
}

/*
 * What who puts traces together says of this one, words with commas between: "rows", the
 * scheduler's records are in another one; "no-clocks", so is what time it was, which must
 * not go back.
 */
static bool is_said(const char *word)
{
	const char *text = getenv("TRACELETS_PERFETTO");
	size_t len;

	for (; text && *text; text += len + (text[len] == ',')) {
		len = strcspn(text, ",");
		if (len == strlen(word) && !strncmp(text, word, len))
			return true;
	}
	return false;
}

static void put_head(struct tl_session *s)
{
	struct timeline *t = timeline(s);
	const char *kept = tl_recording_text(s->recording, "kernel", NULL);

	if (!is_said("no-clocks"))
		tl_packet_clocks(&t->packets, s->run->start_ns,
				 tl_out_wall(s->out));
	if (!tl_recording_replays(s->recording))
		put_system(t);
	else if (kept)
		put_recorded_system(t, kept);
	flush(t);
}

void tl_timeline_begin(struct tl_session *s)
{
	struct timeline *t = timeline(s);

	if (!t)
		return;
	put_head(s);
	if (s->run->interval)
		tl_rows_intervals(t->rows, s->run->start_ns, s->run->interval);
	put_threads(s);
	watch_events(t, is_said("rows"));
	t->begun = true;
}

static void end(struct tl_session *s, void *part)
{
	struct timeline *t = part;

	tl_rows_end(t->rows);
	tl_kernel_end(&t->kernel);
	flush(t);
}

static uint64_t report(struct tl_session *s, void *part)
{
	const struct timeline *t = part;
	unsigned long long put_in = tl_rows_put_in(t->rows);
	unsigned long long left_out = tl_rows_left_out(t->rows);

	if (!put_in && !left_out)
		tl_warn("--perfetto: there were no rows for the trace");
	else if (!put_in)
		tl_warn("--perfetto: the rows are not in the trace: they are "
			"sums, which have no place in time");
	else if (left_out)
		tl_warn("--perfetto: %llu row%s not in the trace: sums have no "
			"place in time",
			left_out, left_out == 1 ? " is" : "s are");
	return 0;
}

static bool has_records(void *ctx, pid_t tid)
{
	return tl_task_has_records(ctx, tid);
}

static pid_t process_of(void *ctx, pid_t tid)
{
	return tl_task_process(ctx, tid);
}

static void free_timeline(void *part)
{
	struct timeline *t = part;

	tl_rows_free(t->rows);
	tl_kernel_free(&t->kernel);
	tl_buf_free(&t->packets.buf);
	free(t);
}

static const struct tl_part_ops timeline_ops = {
	.task = on_task, .flush = end, .report = report, .free = free_timeline
};

/* That of "capture=2" among the words that is_said() looks for. */
static uint32_t capture_number(void)
{
	const char *text = getenv("TRACELETS_PERFETTO");
	const char *found = text ? strstr(text, "capture=") : NULL;
	unsigned int number;

	if (!found || sscanf(found, "capture=%9u", &number) != 1 || !number)
		return 1;
	return number;
}

const struct tl_out_sink *tl_timeline_add(struct tl_session *s)
{
	struct timeline *t = tl_part_new(s, &timeline_ops, sizeof(*t));

	if (!t)
		return NULL;
	t->s = s;
	t->packets.sequence = capture_number();
	t->kernel.packets = &t->packets;
	t->kernel.tool = s->tool->name;
	t->kernel.ctx = s;
	t->kernel.has_records = has_records;
	t->rows = tl_rows_new(
		&(const struct tl_rows_config){ .packets = &t->packets,
						.tool = s->tool->name,
						.ctx = s,
						.process = process_of });
	t->sink = (struct tl_out_sink){
		.ctx = t, .row = on_row, .gap = on_gap, .lost = on_lost
	};
	return t->rows ? &t->sink : NULL;
}
