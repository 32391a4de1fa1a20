// SPDX-License-Identifier: GPL-2.0-or-later
/* run.c - how a run goes: what tools say of it, and subjects ask */
#include "run/run.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/recording.h"
#include "out/out.h"
#include "run/loop.h"
#include "run/state.h"
#include "tracelet/output.h"
#include "tracelet/run.h"
#include "tracelet/session.h"

/* ---- what tools call -------------------------------------------------- */

void tl_banner(struct tl_session *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&s->run->banner, fmt, ap) < 0)
		s->run->banner = NULL;
	va_end(ap);
	if (s->run->banner && tl_recording_is_on(s->recording))
		tl_recording_notef(s->recording, "banner", "%s",
				   s->run->banner);
}

void tl_banner_none(struct tl_session *s)
{
	s->run->no_banner = true;
}

void tl_banner_as(struct tl_session *s, const char *what, const char *fmt, ...)
{
	va_list ap;

	/* not noted: with -r there is the line of the tool's own */
	if (s->set.write) {
		s->run->banner = strdup(what);
		return;
	}
	va_start(ap, fmt);
	tl_out_vline(s->out, fmt, ap);
	va_end(ap);
}

void tl_banner_top(struct tl_session *s, unsigned int top, const char *fmt, ...)
{
	uint64_t duration = s->set.duration;
	char length[40] = "", only[40] = "", *rest, *what = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&rest, fmt, ap) < 0)
		rest = NULL;
	va_end(ap);
	if (asprintf(&what, "Tracing%s", rest ?: "") < 0)
		what = NULL;
	if (duration)
		snprintf(length, sizeof(length), " for %.10g seconds",
			 (double)duration / 1e9);
	if (top)
		snprintf(only, sizeof(only), ". Top %u only", top);
	tl_banner_as(s, what ?: "Tracing", "%s%s%s...%s", what ?: "Tracing",
		     length, only,
		     duration || s->command ? "" : " Ctrl-C to end.");
	free(rest);
	free(what);
}

void tl_print_date(struct tl_session *s, uint64_t ns)
{
	int64_t wall = (int64_t)(ns + (uint64_t)tl_out_wall(s->out));
	time_t when = (time_t)(wall / 1000000000);
	struct tm tm;
	char text[64];

	if (localtime_r(&when, &tm) &&
	    strftime(text, sizeof(text), "%a %b %e %H:%M:%S %Z %Y", &tm))
		tl_print(s, "%s", text);
}

static const char *who(struct tl_session *s, const char *issued)
{
	const struct tl_settings *set = &s->set;
	const char *name = set->name.text, *kind = "", *ids = "";
	const char *cpus = set->cpu.count ? set->cpu.text : NULL;

	if (set->pid.count) {
		kind = " PID ";
		ids = set->pid.text;
	} else if (set->tid.count) {
		kind = " TID ";
		ids = set->tid.text;
	} else if (set->cgroup) {
		issued = " issued";
		kind = " in cgroup ";
		ids = set->cgroup;
	}
	free(s->run->who);
	if (asprintf(&s->run->who, "%s%s%s%s%s%s%s%s", *kind ? issued : "",
		     kind, ids, name ? " issued by process name \"" : "",
		     name ?: "", name ? "\"" : "", cpus ? " on CPU " : "",
		     cpus ?: "") < 0)
		s->run->who = NULL;
	return s->run->who ?: "";
}

const char *tl_banner_who(struct tl_session *s)
{
	return who(s, " issued by");
}

const char *tl_banner_for(struct tl_session *s)
{
	return who(s, " for");
}

const char *tl_banner_words(struct tl_session *s, char *const words[],
			    unsigned int count)
{
	struct tl_buf b = { 0 };
	unsigned int i;

	for (i = 0; i < count; i++)
		tl_buf_printf(&b, "%s%s", i ? " " : "", words[i]);
	free(s->run->what);
	s->run->what = b.failed ? NULL : b.data;
	if (b.failed)
		tl_buf_free(&b);
	return s->run->what ?: "";
}

void tl_interval(struct tl_session *s, uint64_t interval, unsigned int count,
		 int (*fn)(struct tl_session *s, uint64_t ns))
{
	s->run->interval = interval ?: INT64_MAX;
	s->run->intervals = count;
	s->run->on_interval = fn;
}

void tl_head(struct tl_session *s, const char *lines)
{
	s->run->head = lines;
}

void tl_keep_capability(struct tl_session *s, int cap)
{
	s->run->keep_caps |= 1ULL << cap;
}

/* ---- what subjects ask ------------------------------------------------ */

uint64_t tl_run_start_ns(const struct tl_session *s)
{
	return s->run->start_ns;
}

bool tl_is_paused(const struct tl_session *s)
{
	return s->run->paused_at;
}

bool tl_run_ends_at(const struct tl_session *s, uint64_t ns)
{
	return s->run->intervals == 1 ||
	       (s->run->stop_ns && ns >= s->run->stop_ns) ||
	       !tl_loop_next_boundary(s, ns);
}

uint64_t tl_run_end_ns(const struct tl_session *s)
{
	return s->run->stop_ns ?: tl_now();
}

uint64_t tl_run_recorded(const struct tl_session *s, uint64_t ns)
{
	const struct tl_run *run = s->run;
	const uint64_t until = run->paused_at ?: ns,
		       before = run->start_ns + run->paused;

	return until > before ? until - before : 0;
}

bool tl_run_is_cut_short(const struct tl_session *s)
{
	return s->run->cut_short;
}

bool tl_run_in_gap(const struct tl_session *s)
{
	return s->run->gaps;
}

int tl_run_add_stream(struct tl_session *s, const struct tl_stream *stream)
{
	struct tl_run *run = s->run;
	struct tl_stream *more =
		reallocarray(run->streams, run->others + 1, sizeof(*more));

	if (!more)
		return -ENOMEM;
	run->streams = more;
	more[run->others++] = *stream;
	return 0;
}

void tl_run_no_wakeups(struct tl_session *s)
{
	s->run->no_wakeups = true;
}

void tl_run_look(struct tl_session *s)
{
	s->run->looks = true;
}

const char *tl_run_typed(const struct tl_session *s)
{
	return s->run->typed;
}
