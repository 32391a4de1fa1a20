// SPDX-License-Identifier: GPL-2.0-or-later
/* main.c - from the command line to the exit status */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/cap.h"
#include "base/clock.h"
#include "base/message.h"
#include "base/part.h"
#include "base/recording.h"
#include "base/terminal.h"
#include "capture/capture.h"
#include "capture/cmdline.h"
#include "capture/threads.h"
#include "main/check.h"
#include "main/command.h"
#include "main/output.h"
#include "main/parse.h"
#include "main/ready.h"
#include "metrics/metrics.h"
#include "option/parse.h"
#include "out/out.h"
#include "out/put.h"
#include "picture/heatmap.h"
#include "picture/origin.h"
#include "picture/pictured.h"
#include "record/event.h"
#include "run/loop.h"
#include "run/loss.h"
#include "run/signals.h"
#include "run/state.h"
#include "timeline/timeline.h"
#include "tracefs/file.h"
#include "tracefs/instance.h"
#include "tracefs/undo.h"
#include "tracelet/main.h"
#include "tracelet/message.h"
#include "tracelet/run.h"
#include "tracelet/session.h"
#include "tracelet/source.h"
#include "tracelet/tool.h"

static int open_output(struct tl_session *s, int signals)
{
	const struct tl_settings *set = &s->set;
	const bool trace = set->perfetto && !set->check;
	const bool metrics = set->metrics && !set->check;
	struct tl_out_config config = {
		.fd = STDOUT_FILENO,
		.stop_fd = signals,
		.format = trace || metrics ? TL_FORMAT_SINK
			  : set->json      ? TL_FORMAT_JSON
			  : set->csv       ? TL_FORMAT_CSV
					   : TL_FORMAT_TEXT,
		.sink = trace     ? tl_timeline_add(s)
			: metrics ? tl_metrics_add(s)
				  : NULL,
		.time = set->time,
		.raw = set->raw,
		.quiet = s->tool->quiet,
		.is_screen = !set->read && tl_is_terminal(STDOUT_FILENO),
		.columns = s->tool->columns,
	};

	if (config.format == TL_FORMAT_SINK && !config.sink)
		return -ENOMEM;
	s->out = tl_out_new(&config);
	return s->out ? 0 : -ENOMEM;
}

static void set_epoch(struct tl_session *s)
{
	struct timespec ts;
	int64_t wall;

	clock_gettime(CLOCK_REALTIME, &ts);
	s->run->start_ns = tl_now();
	wall = ts.tv_sec * 1000000000LL + ts.tv_nsec -
	       (int64_t)s->run->start_ns;
	tl_out_epoch(s->out, s->run->start_ns, wall);
	if (tl_recording_is_on(s->recording))
		tl_recording_notef(s->recording, "epoch",
				   "%" PRIu64 " %" PRId64, s->run->start_ns,
				   wall);
}

static void start_timer(const struct tl_session *s)
{
	uint64_t limit = s->set.duration, ns, usecs;
	struct itimerval timer = { 0 };

	/* the end of an interval ends it too, and is not to be late */
	if (s->run->interval && !s->run->sink)
		return;
	if (s->run->interval && s->run->intervals &&
	    !__builtin_mul_overflow(s->run->interval, s->run->intervals, &ns) &&
	    (!limit || ns < limit))
		limit = ns;
	usecs = limit / 1000 + (limit % 1000 != 0);
	timer.it_value.tv_sec = (time_t)(usecs / 1000000);
	timer.it_value.tv_usec = (suseconds_t)(usecs % 1000000);
	if (usecs)
		setitimer(ITIMER_REAL, &timer, NULL);
}

static void print_head(struct tl_session *s)
{
	double secs = s->set.duration / 1e9;
	const char *line, *end;

	if (s->run->banner && s->run->interval && s->run->interval != INT64_MAX)
		tl_out_line(s->out, "%s. Output every %.10g seconds.%s",
			    s->run->banner, s->run->interval / 1e9,
			    s->run->intervals || s->set.duration
				    ? ""
				    : " Ctrl-C to end.");
	else if (s->run->banner && s->set.duration)
		tl_out_line(s->out, "%s for %.10g seconds (buffered)...",
			    s->run->banner, secs);
	else if (s->run->banner)
		tl_out_line(s->out, "%s. Ctrl-C to end.", s->run->banner);
	for (line = s->run->head; line && *line; line = end + (*end == '\n')) {
		end = strchrnul(line, '\n');
		tl_out_line(s->out, "%.*s", (int)(end - line), line);
	}
	tl_out_header(s->out);
}

/* The recording ends here: all has been read that a replay needs. */
static int begin_capture(struct tl_session *s)
{
	const char *why = tl_parts_uncaptured(s);
	struct tl_capture *c = tl_capture(s);
	const struct tl_page_layout *layout;
	const unsigned int *cpus;
	unsigned int count;

	if (why)
		return tl_fail(EINVAL, "-w: %s", why);
	tl_origin_keep(s);
	if (s->set.duration)
		tl_recording_notef(s->recording, "duration", "%" PRIu64,
				   s->set.duration);
	tl_threads_keep(s);
	tl_parts_keep(s);
	tl_keep_capability(s, CAP_DAC_OVERRIDE); /* to rename it at the end */
	tl_recording_keep(s->recording, false);
	if (s->set.trigger && tl_capture_watch(c, s))
		return -EINVAL;
	tl_loop_streams(s, &layout, &cpus, &count);
	return tl_capture_begin(c, s, layout, cpus, count);
}

/* With --last; as tl_capture_end() has it. */
static const char *when_written(const struct tl_session *s)
{
	if (!s->set.trigger)
		return "at the end, and";
	return s->set.write_dir ? "when the condition is true, and"
				: "at the end, when the condition is true, and";
}

static void print_start(struct tl_session *s)
{
	if (!s->run->sink)
		print_head(s);
	else if (s->run->banner && s->set.last)
		tl_out_line(
			s->out,
			"%s. The last %.10g seconds go into %s %s at SIGUSR1. "
			"Ctrl-C to end.",
			s->run->banner, s->set.last / 1e9, s->set.write,
			when_written(s));
	else if (s->run->banner && s->set.duration)
		tl_out_line(s->out, "%s into %s for %.10g seconds...",
			    s->run->banner, s->set.write,
			    s->set.duration / 1e9);
	else if (s->run->banner)
		tl_out_line(s->out, "%s into %s.%s", s->run->banner,
			    s->set.write, s->command ? "" : " Ctrl-C to end.");
}

/*
 * What a run with -w, or --metrics, shows is about its file only, and nobody needs to
 * read that: a daemon has no standard output.
 */
static int flush(struct tl_session *s)
{
	const bool file = s->run->sink || s->run->unread;
	bool unread = file && !s->set.output;
	int ret = unread ? tl_out_flush(s->out) : tl_flush(s);

	return unread || (file && ret == -EPIPE) ? 0 : ret;
}

/* All that is to be changed back again, and the set-up of the tool. */
static int set_up(struct tl_session *s)
{
	int ret = tl_replay(s) ? tl_instance_replay(s) : tl_instance_open(s);

	if (!ret)
		ret = tl_tasks_open(s) ?: s->tool->setup(s);
	if (!ret && s->tool->sources)
		ret = tl_sources_add(s, s->tool->sources);
	return ret ?: tl_pictured_open(s) ?: tl_metrics_open(s);
}

/*
 * As set_up(), of a capture.  What is missing there its kernel may well have had:
 * it was not asked for when the capture was written.
 */
static int set_up_again(struct tl_session *s)
{
	struct tl_buf said = { 0 }, *before = tl_message_keep(&said);
	int ret = set_up(s);
	bool missing = ret == -ENOTSUP || ret == -ENOENT;
	char *recorded = missing ? tl_cmdline_recorded(s->recording) : NULL;

	tl_message_keep(before);
	/* a name that there is not may be a mistake, too */
	if (ret != -ENOTSUP)
		tl_message_print(&said);
	if (missing)
		ret = tl_fail(ENOENT,
			      "-r: the capture lacks records that this needs; "
			      "it was written by: %s",
			      recorded ?: "?");
	free(recorded);
	tl_buf_free(&said);
	return ret;
}

/* As start(), of a capture. */
static int start_replay(struct tl_session *s)
{
	const char *epoch = tl_recording_text(s->recording, "epoch", NULL);
	const char *banner = tl_recording_text(s->recording, "banner", NULL);
	int64_t wall = 0;
	int ret = set_up_again(s);

	if (ret)
		return ret;
	if (!s->run->banner && banner && !s->run->no_banner)
		s->run->banner = strdup(banner);
	if (epoch)
		sscanf(epoch, "%" SCNu64 " %" SCNd64, &s->run->start_ns, &wall);
	tl_out_epoch(s->out, s->run->start_ns, wall);
	print_head(s);
	tl_timeline_begin(s);
	return tl_flush(s);
}

/*
 * What is left to do needs open descriptors and /proc/PID/comm, which anybody may read.
 * Who is not root got into tracefs by CAP_DAC_OVERRIDE, and reads the counters there at
 * the end.
 */
static int drop_capabilities(const struct tl_session *s)
{
	return tl_cap_drop(s->run->keep_caps |
			   (geteuid() ? 1ULL << CAP_DAC_OVERRIDE : 0));
}

static int start(struct tl_session *s, const struct tl_inherited *before)
{
	struct tl_capture *capture = NULL;
	int ret;

	/* as rows that have all columns */
	s->set.json |= s->set.trigger != NULL;
	ret = tl_command_fork(s, before) ?: set_up(s);
	if (!ret && s->set.write) {
		capture = tl_capture_create(&s->set);
		if (!capture)
			return -ENOMEM;
		ret = tl_capture_add(s, capture);
	}
	if (!ret)
		ret = tl_loop_open(s) ?: tl_events_enable(s);
	if (ret)
		return ret;
	set_epoch(s);
	tl_tasks_scan(s);
	if (capture)
		ret = begin_capture(s);
	ret = ret ?: drop_capabilities(s);
	if (ret)
		return ret;
	print_start(s);
	tl_timeline_begin(s);
	ret = flush(s);
	if (!ret) {
		start_timer(s);
		tl_ready();
		tl_command_go(s);
	}
	return ret;
}

/*
 * With --last the data is in memory only: it is written in spite of error
 * @err.
 */
static int end_capture(struct tl_session *s, int err)
{
	struct tl_capture *c = tl_capture(s);
	int ret = err && !s->set.last ? err : tl_capture_end(c);

	if (!ret)
		tl_capture_report(c);
	return err ?: ret;
}

/* The reader has gone, or something failed: nobody knows what was after the last pass. */
static void end_early(struct tl_session *s)
{
	const uint64_t read = s->run->read_ns ?: s->run->start_ns;

	if (!s->run->stop_ns || read < s->run->stop_ns)
		s->run->stop_ns = read;
}

/* Records to their handlers, or where else they go. */
static int run_records(struct tl_session *s, int signals, int *status)
{
	int ret = tl_replay(s) ? tl_replay_run(s) : tl_loop_run(s, signals);

	if (s->run->sink)
		return end_capture(s, ret);
	if (ret)
		end_early(s);
	tl_parts_flush(s);
	if ((s->tool->end && s->tool->end(s)) || s->run->failed)
		*status = TL_EXIT_FAILED;
	tl_metrics_end(s);
	if (tl_heatmaps_end(s))
		*status = TL_EXIT_FAILED;
	if (tl_replay(s) && tl_threads_check_end(s))
		*status = TL_EXIT_FAILED;
	return ret;
}

#define UNDOING \
	"process " TL_GUARD " still undoes what was changed, then it ends"

static int run(struct tl_session *s, int signals,
	       const struct tl_inherited *before)
{
	int ret = tl_replay(s) ? start_replay(s) : start(s, before);
	int status = TL_EXIT_OK;
	struct tl_losses losses = { 0 };
	bool lost;

	if (!tl_replay(s)) {
		tl_signals_left(
			"ended at once: not all is written, and " UNDOING);
		tl_signals_catch();
	}
	if (!ret)
		ret = run_records(s, signals, &status);
	if (ret == -ENOMEM)
		tl_warn("out of memory");
	if (ret == -EPIPE || ret == -ECANCELED)
		return status; /* the reader has what it wanted */
	if (ret)
		return ret == -ENOTSUP ? TL_EXIT_UNSUPPORTED : TL_EXIT_FAILED;
	if (s->run->banner && !s->run->sink) {
		tl_out_line(s->out, "%s", "");
		tl_out_line(s->out, "Ending tracing...");
	}
	ret = flush(s);
	lost = tl_losses_report(s, &losses);
	if (ret && ret != -EPIPE)
		return TL_EXIT_FAILED;
	return lost && s->set.strict ? TL_EXIT_FAILED : status;
}

/* The reader may have gone: it has what it wanted. */
static int end_query(struct tl_session *s, int status)
{
	int ret = tl_flush(s);

	return ret && ret != -EPIPE ? TL_EXIT_FAILED : status;
}

static int serve(struct tl_session *s, int signals,
		 const struct tl_inherited *before)
{
	int ret = -1;

	if (signals < 0) {
		tl_warn("signals cannot be waited for: %s", strerror(errno));
		return TL_EXIT_FAILED;
	}
	if (open_output(s, signals))
		return TL_EXIT_FAILED;
	if (!s->set.check && !tl_replay(s) &&
	    !(s->tool->flags & TL_NO_TRACEFS)) {
		s->instance->root.fd = tl_fs_root(&s->instance->root_path);
		if (s->instance->root.fd < 0)
			return TL_EXIT_FAILED;
	}
	/* there is no instance that a signal would leave behind */
	if (s->tool->flags & TL_NO_EVENTS || tl_replay(s))
		sigprocmask(SIG_SETMASK, &before->mask, NULL);
	if (s->set.check)
		return tl_check(s);
	if (s->tool->flags & TL_NO_EVENTS)
		tl_out_header(s->out);
	if (s->tool->query && !tl_replay(s))
		ret = s->tool->query(s);
	if (ret >= 0)
		return end_query(s, ret);
	ret = run(s, signals, before);
	tl_signals_ending();
	tl_signals_left("ended at once: " UNDOING);
	tl_loop_close(s);
	if (tl_instance_close(s) && ret == TL_EXIT_OK)
		ret = TL_EXIT_FAILED;
	tl_signals_left("ended at once");
	/* of a capture's run it has ended */
	if (tl_replay(s) || !s->command || ret != TL_EXIT_OK)
		return ret;
	tl_signals_again();
	tl_signals_left("ended at once: the command goes on");
	return tl_command_status(s, signals);
}

static void free_session(struct tl_session *s)
{
	tl_parts_free(s);
	tl_tasks_free(s);
	tl_events_free(s);
	tl_out_free(s->out);
	free(s->run->banner);
	free(s->run->who);
	free(s->run->what);
	free(s->run->words);
	free(s->run->typed);
	free(s->run->streams);
	tl_recording_free(s->recording);
	if (s->set.name.text)
		regfree(&s->set.name.re);
	tl_instance_free(s->instance);
}

static int open_signals(struct tl_inherited *before)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN },
			       usual = { .sa_handler = SIG_DFL };

	sigaction(SIGPIPE, &ignore, &before->pipe);
	/* ignored, there would be no status of the command and the guard */
	sigaction(SIGCHLD, &usual, &before->child);
	return tl_signals_open(&before->mask);
}

int tl_main(const struct tl_tool *tool, int argc, char **argv)
{
	struct tl_run run = { .child_fd = -1 };
	struct tl_recording recording = { 0 };
	struct tl_instance instance;
	struct tl_session s = { .tool = tool,
				.recording = &recording,
				.instance = &instance,
				.run = &run };
	struct tl_inherited before;
	struct tl_output output = { 0 };
	int status;

	tl_instance_init(&instance, &recording);
	tl_output_fill();
	tl_message_tool(tool->name);
	run.typed = tl_cmdline_text(argc, argv);
	status = tl_main_parse(&s, argc, argv);
	if (!status && tl_output_redirect(&s, &before, &output))
		status = TL_EXIT_FAILED + 1;
	else if (!status)
		status = serve(&s, open_signals(&before), &before) + 1;
	if (!tl_output_end(&s.set, &output, status == TL_EXIT_OK + 1) &&
	    status == TL_EXIT_OK + 1)
		status = TL_EXIT_FAILED + 1;
	free_session(&s);
	return status - 1;
}
