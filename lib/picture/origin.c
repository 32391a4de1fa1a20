// SPDX-License-Identifier: GPL-2.0-or-later
/* origin.c - what a picture says of the run that it is of */
#include "picture/origin.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/utsname.h>

#include "base/buf.h"
#include "base/message.h"
#include "base/recording.h"
#include "base/session.h"
#include "capture/cmdline.h"
#include "out/out.h"
#include "out/row.h"
#include "picture/online.h"
#include "picture/svg.h"
#include "run/loss.h"
#include "run/run.h"

enum { RUN, COMMAND, READER, NOTE = READER };

/* ---- parts ------------------------------------------------------------ */

static void add_data(struct tl_origin *o, const char *name, const char *text)
{
	tl_buf_printf(&o->data, " data-%s=\"", name);
	tl_svg_str(&o->data, text);
	tl_buf_char(&o->data, '"');
}

static void add_number(struct tl_origin *o, const char *name, uint64_t number)
{
	tl_buf_printf(&o->data, " data-%s=\"%" PRIu64 "\"", name, number);
}

/* To the line of the run; behind what is there already. */
static void add_to_run(struct tl_origin *o, const char *text)
{
	if (o->line[RUN].len)
		tl_buf_str(&o->line[RUN], ", ");
	tl_buf_str(&o->line[RUN], text);
}

static void add_both(struct tl_origin *o, const char *name, const char *text)
{
	if (!text)
		return;
	add_data(o, name, text);
	add_to_run(o, text);
}

/* ---- the machine ------------------------------------------------------ */

/* As a capture has it. */
static void kernel_text(const struct utsname *u, char *text, size_t size)
{
	snprintf(text, size, "%s %s %s", u->sysname, u->release, u->machine);
}

void tl_origin_keep(struct tl_session *s)
{
	char kernel[sizeof(struct utsname)];
	struct utsname u;

	tl_online_keep(s);
	if (uname(&u))
		return;
	kernel_text(&u, kernel, sizeof(kernel));
	tl_recording_notef(s->recording, "kernel", "%s", kernel);
	tl_recording_notef(s->recording, "host", "%s", u.nodename);
}

static void add_machine(const struct tl_session *s, struct tl_origin *o)
{
	char kernel[sizeof(struct utsname)];
	struct utsname u;

	if (tl_recording_replays(s->recording)) {
		add_both(o, "host",
			 tl_recording_text(s->recording, "host", NULL));
		add_both(o, "kernel",
			 tl_recording_text(s->recording, "kernel", NULL));
	} else if (!uname(&u)) {
		kernel_text(&u, kernel, sizeof(kernel));
		add_both(o, "host", u.nodename);
		add_both(o, "kernel", kernel);
	}
}

/* ---- times ------------------------------------------------------------ */

/* "2026-11-24 10:00:00 +01:00" of "2026-11-24T10:00:00.000000+01:00" */
static void add_date(struct tl_origin *o, const struct tl_buf *iso)
{
	struct tl_buf text = { 0 };

	if (iso->len > 26)
		tl_buf_printf(&text, "%.10s %.8s %.6s", iso->data,
			      iso->data + 11, iso->data + iso->len - 6);
	tl_buf_char(&text, '\0');
	if (!text.failed)
		add_to_run(o, text.data);
	tl_buf_free(&text);
}

static void add_time(struct tl_origin *o, const char *name, int64_t wall,
		     bool is_shown)
{
	struct tl_buf iso = { 0 };

	tl_num_iso(&iso, wall);
	tl_buf_printf(&o->data, " data-%s=\"%.*s\"", name, (int)iso.len,
		      iso.data);
	if (is_shown)
		add_date(o, &iso);
	o->data.failed |= iso.failed;
	tl_buf_free(&iso);
}

/* A capture whose writer was killed may not have begun to say when. */
static void add_times(struct tl_session *s, struct tl_origin *o)
{
	const uint64_t stop = tl_run_end_ns(s);
	const int64_t wall = tl_out_wall(s->out);
	char text[32];

	if (tl_recording_replays(s->recording) &&
	    !tl_recording_text(s->recording, "epoch", NULL))
		return;
	add_time(o, "start", (int64_t)tl_run_start_ns(s) + wall, true);
	add_time(o, "end", (int64_t)stop + wall, false);
	snprintf(text, sizeof(text), "%.4g s",
		 (double)(stop - tl_run_start_ns(s)) / 1e9);
	add_to_run(o, text);
}

/* ---- commands --------------------------------------------------------- */

static void add_command(struct tl_origin *o, unsigned int line,
			const char *name, const char *before, const char *text)
{
	if (!text)
		return;
	add_data(o, name, text);
	tl_buf_printf(&o->line[line], "%s%s", before, text);
}

/* Who reads a capture can select of it: both commands say what it shows. */
static void add_commands(struct tl_session *s, struct tl_origin *o)
{
	char *recorded;

	if (!tl_recording_replays(s->recording)) {
		add_command(o, COMMAND, "command", "", tl_run_typed(s));
		return;
	}
	recorded = tl_cmdline_recorded(s->recording);
	add_command(o, COMMAND, "command", "recorded by: ", recorded);
	add_command(o, READER, "reader", "read by: ", tl_run_typed(s));
	free(recorded);
}

/* ---- losses ----------------------------------------------------------- */

/*
 * What the messages at the end of the run say, without who says it, and without
 * the options that would have helped.
 */
static void add_messages(struct tl_session *s, struct tl_origin *o,
			 const struct tl_buf *said)
{
	const size_t skip = strlen(s->tool->name) + strlen(": ");
	char *at = said->data, *end, *hint;

	for (; at && (end = strchr(at, '\n')); at = end + 1) {
		*end = '\0';
		hint = strstr(at, " (-");
		if (hint)
			*hint = '\0';
		if (strlen(at) > skip)
			add_to_run(o, at + skip);
	}
}

static void add_losses(struct tl_session *s, struct tl_origin *o)
{
	struct tl_buf said = { 0 }, *before;
	struct tl_losses lost = { 0 };

	if (tl_recording_replays(s->recording) &&
	    !tl_recording_text(s->recording, "overrun", NULL)) {
		add_to_run(o, "it is not known how many events were lost");
		return;
	}
	before = tl_message_keep(&said);
	if (!tl_losses_report(s, &lost))
		add_to_run(o, "0 events were lost");
	tl_message_keep(before);
	tl_buf_char(&said, '\0');
	if (!said.failed)
		add_messages(s, o, &said);
	tl_buf_free(&said);
	add_number(o, "lost", lost.events);
	add_number(o, "not-followed", lost.not_followed);
}

/* ---- all of it -------------------------------------------------------- */

void tl_origin_amount(struct tl_origin *o, const char *count, const char *unit,
		      const char *shown, const char *detail)
{
	*o = (struct tl_origin){ 0 };
	add_to_run(o, shown);
	add_data(o, "count", count);
	add_data(o, "unit", unit);
	add_to_run(o, detail);
}

static void add_count(struct tl_origin *o, uint64_t count, const char *unit)
{
	tl_svg_amount(&o->line[RUN], count, unit);
	add_number(o, "count", count);
	add_data(o, "unit", unit);
}

void tl_origin_make(struct tl_session *s, struct tl_origin *o, uint64_t count,
		    const char *unit, const char *detail)
{
	*o = (struct tl_origin){ 0 };
	add_count(o, count, unit);
	if (detail && *detail)
		add_to_run(o, detail);
	if (!s)
		return;
	add_machine(s, o);
	add_times(s, o);
	add_losses(s, o);
	add_commands(s, o);
}

void tl_origin_drawn(struct tl_session *s, struct tl_origin *o,
		     const char *note)
{
	add_command(o, COMMAND, "reader", "drawn by: ", tl_run_typed(s));
	if (note)
		tl_buf_str(&o->line[NOTE], note);
}

void tl_origin_free(struct tl_origin *o)
{
	unsigned int i;

	tl_buf_free(&o->data);
	for (i = 0; i < TL_ORIGIN_LINES; i++)
		tl_buf_free(&o->line[i]);
}
