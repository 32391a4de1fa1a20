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
#include "record/event.h"
#include "run/loss.h"
#include "trace/line.h"

enum { TIME, COMM, TID, CPU, EVENT, PLACE, FIELDS, LINE, STACK };

const struct tl_column tl_show_columns[] = {
	[TIME] = { "TIMEs", "time", 0, TL_TIME, TL_SHOW_DATA },
	[COMM] = { "COMM", "comm", 0, TL_STR, TL_SHOW_DATA },
	[TID] = { "TID", "tid", 0, TL_INT, TL_SHOW_DATA },
	[CPU] = { "CPU", "cpu", 0, TL_INT, TL_SHOW_DATA },
	[EVENT] = { "EVENT", "event", 0, TL_STR, TL_SHOW_DATA },
	[PLACE] = { "PLACE", "place", 0, TL_STR, TL_SHOW_NEVER },
	[FIELDS] = { "FIELDS", "fields", 0, TL_FIELDS, TL_SHOW_DATA },
	[LINE] = { "LINE", "line", 0, TL_STR, TL_SHOW_TEXT },
	[STACK] = { "STACK", "stack", 0, TL_STACK, TL_SHOW_ALL },
	{ 0 }
};

/* What is shown in a run. */
struct shown {
	struct tl_part part;
	bool any;
	bool stacks; /* each row waits for its stack */
};

static const struct tl_part_ops shown_ops = { .free = free };

/* As the kernel does: the stack is a row of its own. */
static void print_text(struct tl_session *s, const struct tl_record *r,
		       const struct tl_record *stack)
{
	tl_put_str(s, LINE, tl_line(s, r));
	tl_row(s);
	if (!stack)
		return;
	tl_put_str(s, LINE, tl_line_stack(s, stack));
	tl_put_stack(s, STACK, stack);
	tl_row(s);
}

static void print_data(struct tl_session *s, const struct tl_record *r,
		       const struct tl_record *stack)
{
	const struct tl_event *ev = r->event;
	const struct tl_named *values;
	struct tl_buf place = { 0 };
	size_t count;
	char name[256];

	snprintf(name, sizeof(name), "%s:%s", ev->system, ev->name);
	values = tl_event_values(s, r, &count);
	tl_put_int(s, TIME, r->ns);
	tl_put_str(s, COMM, tl_task_comm(s, r->pid));
	tl_put_int(s, TID, r->pid);
	tl_put_int(s, CPU, r->cpu);
	/* the group of a probe is none of the user's */
	tl_put_text(s, EVENT, ev->shown ?: name);
	if (ev->args) {
		tl_args_place(s, r, &place);
		tl_put_str(s, PLACE, (struct tl_str){ place.data, place.len });
	}
	tl_put_list(s, FIELDS, values, count, false);
	if (stack)
		tl_put_stack(s, STACK, stack);
	tl_row(s);
	tl_buf_free(&place);
}

static bool is_data(const struct tl_session *s)
{
	return s->set.json || s->set.csv;
}

static void print(struct tl_session *s, const struct tl_record *r,
		  const struct tl_record *stack, int tag)
{
	(void)tag;
	if (is_data(s))
		print_data(s, r, stack);
	else
		print_text(s, r, stack);
}

void tl_show(struct tl_session *s, const struct tl_record *r)
{
	struct shown *shown = tl_part_find(s, &shown_ops);

	shown->any = true;
	tl_instead_seen_event(s, r->event);
	if (shown->stacks)
		tl_stacks_hold(s, r, 0);
	else
		print(s, r, NULL, 0);
}

bool tl_show_any(struct tl_session *s)
{
	const struct shown *shown = tl_part_find(s, &shown_ops);

	return (shown && shown->any) || tl_losses_any(s);
}

int tl_show_format(struct tl_session *s, const struct tl_event *ev)
{
	char *text = tl_event_format(s, ev->system, ev->name);
	char *line, *end;

	if (!text)
		return tl_fail(errno, "format of %s: %s", ev->shown ?: ev->name,
			       strerror(errno));
	/* in the kernel a probe has a name that no other can have */
	printf("name: %s\n", ev->shown ?: ev->name);
	for (line = strchr(text, '\n'); line && *++line; line = end) {
		end = strchr(line, '\n');
		if (end)
			*end = '\0';
		/*
		 * the kernel's own has tabs, that of a capture may have
		 * anything
		 */
		if (tl_recording_replays())
			tl_list(s, line);
		else
			puts(line);
	}
	free(text);
	return 0;
}

int tl_show_open(struct tl_session *s, bool head, bool stacks)
{
	struct shown *shown = tl_part_new(s, &shown_ops, sizeof(*shown));
	struct tl_event *ev;
	int ret = shown ? 0 : -ENOMEM;

	for (ev = s->events->first; ev && !ret; ev = ev->next) {
		if (ev->handler != tl_show)
			continue;
		if (!ev->shown) {
			ret = is_data(s) ? tl_event_kinds(ev) : 0;
			continue;
		}
		tl_column_show(s, PLACE, TL_SHOW_DATA);
		if (!ev->args)
			ret = tl_args_find(s, ev);
	}
	if (!ret && stacks) {
		shown->stacks = true;
		ret = tl_stacks_open(s, print);
	}
	return ret ?: tl_line_open(s, head);
}
