// SPDX-License-Identifier: GPL-2.0-or-later
/* show.c - events as they are, for tools that take any */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/part.h"
#include "base/recording.h"
#include "probe/args.h"
#include "probe/instead.h"
#include "probe/probe.h"
#include "record/event.h"
#include "run/loss.h"
#include "trace/line.h"
#include "tracelet/event.h"
#include "tracelet/message.h"
#include "tracelet/output.h"
#include "tracelet/show.h"
#include "tracelet/stack.h"
#include "tracelet/task.h"
#include "tracelet/text.h"

enum { TIME, COMM, TID, CPU, EVENT, PLACE, FIELDS, LINE, STACK };

const struct tl_column tl_show_columns[] = {
	[TIME] = { "TIMEs", "time", 0, TL_TIME, TL_SHOW_DATA },
	[COMM] = { "COMM", "comm", 0, TL_STR, TL_SHOW_DATA },
	[TID] = { "TID", "tid", 0, TL_INT, TL_SHOW_DATA },
	[CPU] = { "CPU", "cpu", 0, TL_INT, TL_SHOW_DATA },
	[EVENT] = { "EVENT", "event", 0, TL_STR, TL_SHOW_DATA,
		    .role = TL_ROLE_TITLE },
	[PLACE] = { "PLACE", "place", 0, TL_STR, TL_SHOW_NEVER },
	[FIELDS] = { "FIELDS", "fields", 0, TL_FIELDS, TL_SHOW_DATA },
	[LINE] = { "LINE", "line", 0, TL_STR, TL_SHOW_TEXT },
	[STACK] = { "STACK", "stack", 0, TL_STACK, TL_SHOW_ALL },
	{ 0 }
};

/* The events that are shown in a run. */
struct shown {
	struct tl_part part;
	struct tl_show_config config;
	bool stacks; /* were asked for */
	bool any;
	/* Text of a row, until that is written. */
	char name[256];
	struct tl_buf place;
};

static void free_shown(void *part)
{
	struct shown *shown = part;

	tl_buf_free(&shown->place);
	free(shown);
}

static const struct tl_part_ops shown_ops = { .free = free_shown };

/* As the kernel does: the stack is a row of its own. */
static void print_text(struct tl_session *s, const struct tl_record *r,
		       const struct tl_record *stack,
		       const struct tl_show_config *config)
{
	tl_put_str(s, config->line, tl_line(s, r));
	tl_put_int(s, config->time, (int64_t)r->ns);
	tl_row(s);
	if (!stack)
		return;
	tl_put_str(s, config->line, tl_line_stack(s, stack));
	tl_put_stack(s, config->stack, stack);
	tl_row(s);
}

static void put_place(struct tl_session *s, const struct tl_record *r,
		      struct tl_buf *place)
{
	place->len = 0;
	tl_args_place(s, r, place);
	tl_put_str(s, PLACE, (struct tl_str){ place->data, place->len });
}

static void put_event(struct tl_session *s, const struct tl_record *r)
{
	struct shown *shown = tl_part_find(s, &shown_ops);
	const struct tl_event *ev = r->event;
	const struct tl_named *values;
	size_t count;

	values = tl_event_values(s, r, &count);
	tl_put_int(s, TIME, r->ns);
	tl_put_str(s, COMM, tl_task_comm(s, r->pid));
	tl_put_int(s, TID, r->pid);
	tl_put_int(s, CPU, r->cpu);
	/* the group of a probe is none of the user's */
	if (!ev->title)
		snprintf(shown->name, sizeof(shown->name), "%s:%s", ev->system,
			 ev->name);
	tl_put_text(s, EVENT, ev->title ?: shown->name);
	if (tl_args_of(ev))
		put_place(s, r, &shown->place);
	tl_put_list(s, FIELDS, values, count, false);
}

static bool is_data(const struct tl_session *s)
{
	return tl_data_format(s);
}

static void print(struct tl_session *s, const struct tl_record *r,
		  const struct tl_record *stack,
		  const struct tl_show_config *config)
{
	if (!is_data(s)) {
		print_text(s, r, stack, config);
		return;
	}
	config->put(s, r);
	if (stack)
		tl_put_stack(s, config->stack, stack);
	tl_row(s);
}

static void on_stack(struct tl_session *s, const struct tl_record *r,
		     const struct tl_record *stack, int tag)
{
	const struct shown *shown = tl_part_find(s, &shown_ops);

	print(s, r, stack, &shown->config);
}

void tl_show(struct tl_session *s, const struct tl_record *r)
{
	struct shown *shown = tl_part_find(s, &shown_ops);

	shown->any = true;
	tl_instead_seen_event(s, r->event);
	if (shown->stacks)
		tl_stacks_hold(s, r, 0);
	else
		print(s, r, NULL, &shown->config);
}

bool tl_show_any(struct tl_session *s)
{
	const struct shown *shown = tl_part_find(s, &shown_ops);

	return (shown && shown->any) || tl_losses_any(s);
}

int tl_show_format(struct tl_session *s, const struct tl_event *ev)
{
	char *text = tl_event_own_format(s, ev->system, ev->name);
	char *line, *end;

	if (!text)
		return tl_fail(errno, "format of %s: %s", ev->title ?: ev->name,
			       strerror(errno));
	/* in the kernel a probe has a name that no other can have */
	printf("name: %s\n", ev->title ?: ev->name);
	for (line = strchr(text, '\n'); line && *++line; line = end) {
		end = strchr(line, '\n');
		if (end)
			*end = '\0';
		/*
		 * the kernel's own has tabs, that of a capture may have
		 * anything
		 */
		if (tl_recording_replays(s->recording))
			tl_list(s, line);
		else
			puts(line);
	}
	free(text);
	return 0;
}

/* Rows of probes, which users named, have a place in JSON. */
static int know_fields(struct tl_session *s, struct tl_event *ev)
{
	if (!tl_probe_of(ev))
		return is_data(s) ? tl_event_kinds(ev) : 0;
	tl_column_show(s, PLACE, TL_SHOW_DATA);
	return tl_args_find(s, ev);
}

int tl_show_open(struct tl_session *s, const struct tl_show_asked *asked)
{
	const struct tl_show_config config = {
		.time = TIME,
		.line = LINE,
		.stack = STACK,
		.put = put_event,
	};
	struct tl_event *ev;
	int ret = 0;

	for (ev = s->events->first; ev && !ret; ev = ev->next)
		if (ev->handler == tl_show)
			ret = know_fields(s, ev);
	return ret ?: tl_show_open_as(s, asked, &config);
}

int tl_show_open_as(struct tl_session *s, const struct tl_show_asked *asked,
		    const struct tl_show_config *config)
{
	struct shown *shown = tl_part_new(s, &shown_ops, sizeof(*shown));
	int ret = 0;

	if (!shown)
		return -ENOMEM;
	shown->config = *config;
	shown->stacks = asked->stacks;
	if (asked->stacks)
		ret = tl_stacks_open(s, on_stack);
	return ret ?: tl_line_open(s, asked->head);
}
