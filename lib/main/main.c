// SPDX-License-Identifier: GPL-2.0-or-later
/* main.c - from the command line to the exit status */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
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
#include "option/operands.h"
#include "option/options.h"
#include "out/out.h"
#include "out/put.h"
#include "picture/origin.h"
#include "record/event.h"
#include "run/loop.h"
#include "run/loss.h"
#include "run/state.h"
#include "tracefs/file.h"
#include "tracefs/instance.h"
#include "tracelet/main.h"
#include "tracelet/message.h"
#include "tracelet/option.h"
#include "tracelet/run.h"
#include "tracelet/session.h"
#include "tracelet/source.h"
#include "tracelet/tool.h"

#define COMMON_MAX 32

struct asked {
	bool help, version, table;
	unsigned int time;
};

static const char *pid_name(const struct tl_session *s)
{
	return s->tool->pid ?: "pid";
}

/* Whether option @o is for tools without events too. */
static bool is_general(const struct tl_opt *o, const struct tl_settings *set,
		       const struct asked *asked)
{
	return o->target == &set->json || o->target == &set->csv ||
	       o->target == &set->raw || o->target == &set->output ||
	       o->target == &set->check || o->target == &asked->help ||
	       o->target == &asked->version || o->target == &asked->table;
}

static struct tl_opt *add_options(struct tl_opt *o, struct tl_session *s,
				  const struct asked *asked,
				  const struct tl_opt *all, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (!(s->tool->flags & TL_NO_EVENTS) ||
		    is_general(&all[i], &s->set, asked))
			*o++ = all[i];
	return o;
}

/* Which records, and what is made of them. */
static struct tl_opt *record_options(struct tl_opt *o, struct tl_session *s,
				     struct asked *asked)
{
	struct tl_settings *set = &s->set;
	const struct tl_opt all[] = {
		{ 'p', pid_name(s), "PID",
		  "only this process (or several: 1,2), new threads too",
		  TL_OPT_PID, &set->pid, "who", 0, 0 },
		{ 'L', "tid", "TID", "only this thread, or these: 1,2",
		  TL_OPT_PID, &set->tid, "who", 0, 0 },
		{ 'n', "name", "NAME", "only processes whose name matches",
		  TL_OPT_REGEX, &set->name, NULL, 0, 0 },
		{ 0, "cgroup", "PATH",
		  "only processes of this cgroup, and their children",
		  TL_OPT_STRING, &set->cgroup, "who", 0, 0 },
		{ 0, "follow", NULL,
		  "with a process or thread asked for: children too",
		  TL_OPT_FLAG, &set->follow, NULL, 0, 0 },
		{ 'd', "duration", "SECS", "end after SECS seconds",
		  TL_OPT_SECONDS, &set->duration, NULL, 0, 0 },
		{ 0, "time", "clock|relative|wall|iso", "how times are shown",
		  TL_OPT_WORD, &asked->time, NULL, 0, 0 },
		{ 0, "json", NULL, "one JSON object per line", TL_OPT_FLAG,
		  &set->json, "format", 0, 0 },
		{ 0, "csv", NULL, "comma separated values", TL_OPT_FLAG,
		  &set->csv, "format", 0, 0 },
		{ 0, "raw", NULL, "do not escape control characters in text",
		  TL_OPT_FLAG | TL_OPT_HERE, &set->raw, NULL, 0, 0 },
		{ 'o', "output", "FILE",
		  "write what is shown into FILE, not to standard output",
		  TL_OPT_STRING | TL_OPT_HERE, &set->output, NULL, 0, 0 },
		{ 0, "buffer", "SIZE", "size of each processor's ring buffer",
		  TL_OPT_SIZE, &set->buffer, NULL, 0, 0 },
		{ 0, "strict", NULL, "exit status 1 when anything was lost",
		  TL_OPT_FLAG, &set->strict, NULL, 0, 0 },
	};

	return add_options(o, s, asked, all, sizeof(all) / sizeof(all[0]));
}

static struct tl_opt *other_options(struct tl_opt *o, struct tl_session *s,
				    struct asked *asked)
{
	struct tl_settings *set = &s->set;
	const struct tl_opt all[] = {
		{ 'w', "write", "FILE",
		  "write records into FILE, and show none (trace.dat)",
		  TL_OPT_STRING | TL_OPT_HERE, &set->write, "capture", 0, 0 },
		{ 0, "max-size", "SIZE",
		  "with -w: end with a file of that size",
		  TL_OPT_SIZE | TL_OPT_HERE, &set->max_size, NULL, 0, 0 },
		{ 0, "rotate", "N", "with --max-size: go on, and keep N files",
		  TL_OPT_UINT | TL_OPT_HERE, &set->rotate, NULL, 2, 1000 },
		{ 0, "last", "SECS",
		  "with -w: only the last SECS, at the end and at SIGUSR1",
		  TL_OPT_SECONDS | TL_OPT_HERE, &set->last, NULL, 0, 0 },
		{ 0, "trigger", "CONDITION",
		  "with --last: also when a row meets it: 'LATms > 100'",
		  TL_OPT_STRING | TL_OPT_HERE, &set->trigger, NULL, 0, 0 },
		{ 'r', "read", "FILE",
		  "show what is in FILE, as its run would have",
		  TL_OPT_STRING | TL_OPT_HERE, &set->read, "capture", 0, 0 },
		{ 0, "check", NULL,
		  "only say whether this kernel has what is needed",
		  TL_OPT_FLAG | TL_OPT_HERE, &set->check, NULL, 0, 0 },
		{ 'h', "help", NULL, "show this", TL_OPT_FLAG | TL_OPT_HERE,
		  &asked->help, NULL, 0, 0 },
		{ 'V', "version", NULL, "show the version",
		  TL_OPT_FLAG | TL_OPT_HERE, &asked->version, NULL, 0, 0 },
		/* for completion, which is made from it */
		{ 0, "option-table", NULL, NULL, TL_OPT_FLAG | TL_OPT_HERE,
		  &asked->table, NULL, 0, 0 },
	};

	return add_options(o, s, asked, all, sizeof(all) / sizeof(all[0]));
}

/* The options that every tool has; a tool's own letters and names win. */
static void common_options(struct tl_opt o[COMMON_MAX], struct tl_session *s,
			   struct asked *asked)
{
	/* the end of the table, and what is behind it, is all zeroes */
	memset(o, 0, COMMON_MAX * sizeof(*o));
	o = record_options(o, s, asked);
	other_options(o, s, asked);
}

/* Files first: a capture has what else its run was asked for. */
static int find_files(struct tl_session *s, const struct tl_opt *common,
		      struct tl_cmdline *w)
{
	const struct tl_opt *own = s->tool->options;
	int first = tl_opt_find(own, common, w->count, w->list, &s->set.write);
	struct tl_replay *r;

	if (first < 0 ||
	    tl_opt_find(own, common, w->count, w->list, &s->set.read) < 0)
		return -EINVAL;
	tl_recording_keep(s->recording, s->set.write && !s->set.read);
	if (!s->set.read || s->set.write)
		return 0;
	r = tl_replay_open(s->set.read, s->recording);
	if (!r)
		return -EIO;
	tl_replay_add(s, r);
	if (tl_cmdline_again(s->recording, w, first, s->tool))
		return -EINVAL;
	s->run->words = w->list;
	return 0;
}

/* Options first, unless they are those of a command. */
static int sort_words(const struct tl_session *s, const struct tl_opt *common,
		      struct tl_cmdline *w)
{
	int first = 0;

	if (!(s->tool->flags & TL_COMMAND) && !getenv("POSIXLY_CORRECT"))
		first = tl_opt_sort(s->tool->options, common, w->count,
				    w->list);
	return first < 0 ? first : 0;
}

/* Whom @words ask for. */
static void find_who(struct tl_session *s, const struct tl_opt *common,
		     int count, char **words)
{
	const void *who[] = { &s->set.pid, &s->set.tid, &s->set.cgroup,
			      &s->set.follow };
	unsigned int i;

	for (i = 0; i < sizeof(who) / sizeof(who[0]); i++)
		tl_opt_find(s->tool->options, common, count, words, who[i]);
}

/* Whom the capture's run was asked for, before what is typed now counts. */
static void find_recorded(struct tl_session *s, const struct tl_opt *common,
			  const struct tl_cmdline *w)
{
	if (tl_replay(s))
		find_who(s, common, w->defaults, w->list);
	s->recorded = s->set;
}

/* Of whom is typed now, --follow of the capture's run says nothing. */
static void forget_follow(struct tl_session *s, const struct tl_opt *common,
			  const struct tl_cmdline *w)
{
	const struct tl_settings all = s->set;
	/* where the program's name would be: a word of the capture's run */
	const int before = w->defaults - 1;
	struct tl_settings typed;

	if (!tl_replay(s))
		return;
	s->set = (struct tl_settings){ 0 };
	find_who(s, common, w->count - before, w->list + before);
	typed = s->set;
	s->set = all;
	if (tl_settings_ids(&typed))
		s->set.follow = typed.follow;
}

static int check_capture(const struct tl_session *s)
{
	if (s->set.max_size && !s->set.write)
		return tl_usage("--max-size needs -w");
	if (s->set.last && !s->set.write)
		return tl_usage("--last needs -w");
	if (s->set.trigger && !s->set.last)
		return tl_usage("--trigger needs --last");
	if (s->set.rotate && !s->set.max_size && !s->set.last)
		return tl_usage("--rotate needs --max-size or --last");
	return 0;
}

/* "-r FILE" of a tool whose own -r has no value. */
static int check_own_read(const struct tl_session *s, const char *file)
{
	const struct tl_opt *o = s->tool->options;

	while (o && (o->letter || o->name) && o->letter != 'r')
		o++;
	if (!o || o->letter != 'r' || o->kind != TL_OPT_FLAG ||
	    !*(const bool *)o->target || !tl_is_capture(s, file))
		return 0;
	return tl_usage("%s is a capture, which --read=%s shows: -r is another "
			"option here",
			file, file);
}

static int take_arguments(struct tl_session *s, int argc, char **argv)
{
	const struct tl_tool *tool = s->tool;
	int ret = argc ? check_own_read(s, argv[0]) : 0;

	if (ret)
		return ret;
	if (tool->operands)
		ret = tl_operands_take(s, tool->operands, argc, argv);
	else if (!tool->args && argc)
		ret = tl_usage("unexpected argument \"%s\"", argv[0]);
	if (!ret && tool->args)
		ret = tool->args(s, argc, argv);
	return ret;
}

/* As parse() returns it. */
static int status_of_arguments(int err)
{
	if (err == -ENOMEM)
		tl_warn("out of memory");
	if (!err)
		return 0;
	return (err == -EINVAL    ? TL_EXIT_USAGE
		: err == -ENOTSUP ? TL_EXIT_UNSUPPORTED
				  : TL_EXIT_FAILED) +
	       1;
}

/* 0 to go on, or an exit status plus one. */
static int parse(struct tl_session *s, int argc, char **argv)
{
	struct tl_cmdline words = { argc, argv, 0 };
	struct tl_opt common[COMMON_MAX];
	struct asked asked = { .time = UINT_MAX };
	int first;

	common_options(common, s, &asked);
	first = sort_words(s, common, &words) ?: find_files(s, common, &words);
	if (first)
		return (first == -EINVAL ? TL_EXIT_USAGE : TL_EXIT_FAILED) + 1;
	argc = words.count;
	argv = words.list;
	find_recorded(s, common, &words);
	first = tl_opt_parse_over(s->tool->options, common, argc, argv,
				  words.defaults);
	if (first < 0)
		return TL_EXIT_USAGE + 1;
	forget_follow(s, common, &words);
	if (s->set.write)
		tl_cmdline_keep(s->recording, &words, first, s->tool->name);
	if (asked.help || asked.table) {
		first = asked.table ? tl_opt_list(s->tool, common)
				    : tl_opt_help(s->tool, common);
		return (first ? TL_EXIT_FAILED : TL_EXIT_OK) + 1;
	}
	if (asked.version) {
		printf("%s (tracelets) %s\n", s->tool->name, TL_VERSION);
		return TL_EXIT_OK + 1;
	}
	s->set.time_given = asked.time != UINT_MAX;
	if (s->set.time_given)
		s->set.time = asked.time;
	if (s->set.follow && !s->set.pid.count && !s->set.tid.count) {
		if (s->tool->pid)
			tl_usage("--follow needs --%s or -L", s->tool->pid);
		else
			tl_usage("--follow needs -p or -L");
		return TL_EXIT_USAGE + 1;
	}
	if (check_capture(s))
		return TL_EXIT_USAGE + 1;
	if (s->set.check && first == argc)
		return 0;
	return status_of_arguments(
		take_arguments(s, argc - first, argv + first));
}

static int open_output(struct tl_session *s, int signals)
{
	struct tl_out_config config = {
		.fd = STDOUT_FILENO,
		.stop_fd = signals,
		.format = s->set.json  ? TL_FORMAT_JSON
			  : s->set.csv ? TL_FORMAT_CSV
				       : TL_FORMAT_TEXT,
		.time = s->set.time,
		.raw = s->set.raw,
		.quiet = s->tool->quiet,
		.is_screen = !s->set.read && tl_is_terminal(STDOUT_FILENO),
		.columns = s->tool->columns,
	};

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

/* For who waits until events are recorded: a byte to this descriptor. */
static void say_ready(void)
{
	const char *text = getenv("TRACELETS_READY_FD");
	unsigned int fd;
	char end;

	if (text && sscanf(text, "%u%c", &fd, &end) == 1 &&
	    write((int)fd, "\n", 1) == 1)
		close((int)fd);
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

static void print_start(struct tl_session *s)
{
	if (!s->run->sink)
		print_head(s);
	else if (s->run->banner && s->set.last)
		tl_out_line(s->out,
			    "%s. The last %.10g seconds go into %s at the end, "
			    "%s at SIGUSR1. Ctrl-C to end.",
			    s->run->banner, s->set.last / 1e9, s->set.write,
			    s->set.trigger ? "when that is true, and" : "and");
	else if (s->run->banner && s->set.duration)
		tl_out_line(s->out, "%s into %s for %.10g seconds...",
			    s->run->banner, s->set.write,
			    s->set.duration / 1e9);
	else if (s->run->banner)
		tl_out_line(s->out, "%s into %s. Ctrl-C to end.",
			    s->run->banner, s->set.write);
}

/*
 * What a run with -w shows is about the capture only, and nobody needs to read
 * that: a daemon has no standard output.
 */
static int flush(struct tl_session *s)
{
	bool unread = s->run->sink && !s->set.output;
	int ret = unread ? tl_out_flush(s->out) : tl_flush(s);

	return unread || (s->run->sink && ret == -EPIPE) ? 0 : ret;
}

/* All that is to be changed back again, and the set-up of the tool. */
static int set_up(struct tl_session *s)
{
	int ret = tl_replay(s) ? tl_instance_replay(s) : tl_instance_open(s);

	if (!ret)
		ret = tl_tasks_open(s) ?: s->tool->setup(s);
	if (!ret && s->tool->sources)
		ret = tl_sources_add(s, s->tool->sources);
	return ret;
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
	if (!s->run->banner && banner)
		s->run->banner = strdup(banner);
	if (epoch)
		sscanf(epoch, "%" SCNu64 " %" SCNd64, &s->run->start_ns, &wall);
	tl_out_epoch(s->out, s->run->start_ns, wall);
	print_head(s);
	return tl_flush(s);
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
		tl_capture_add(s, capture);
	}
	if (!ret)
		ret = tl_loop_open(s) ?: tl_events_enable(s);
	if (ret)
		return ret;
	set_epoch(s);
	tl_tasks_scan(s);
	if (capture)
		ret = begin_capture(s);
	ret = ret ?: tl_cap_drop(s->run->keep_caps);
	if (ret)
		return ret;
	print_start(s);
	ret = flush(s);
	if (!ret) {
		start_timer(s);
		say_ready();
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

/* Records to their handlers, or where else they go. */
static int run_records(struct tl_session *s, int signals, int *status)
{
	int ret = tl_replay(s) ? tl_replay_run(s) : tl_loop_run(s, signals);

	if (s->run->sink)
		return end_capture(s, ret);
	tl_parts_flush(s);
	if ((s->tool->end && s->tool->end(s)) || s->run->failed)
		*status = TL_EXIT_FAILED;
	if (tl_replay(s) && tl_threads_check_end(s))
		*status = TL_EXIT_FAILED;
	return ret;
}

static int run(struct tl_session *s, int signals,
	       const struct tl_inherited *before)
{
	int ret = tl_replay(s) ? start_replay(s) : start(s, before);
	int status = TL_EXIT_OK;
	struct tl_losses losses = { 0 };
	bool lost;

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
	tl_loop_close(s);
	if (tl_instance_close(s) && ret == TL_EXIT_OK)
		ret = TL_EXIT_FAILED;
	/* of a capture's run it has ended */
	if (tl_replay(s) || !s->command || ret != TL_EXIT_OK)
		return ret;
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
	tl_recording_free(s->recording);
	if (s->set.name.text)
		regfree(&s->set.name.re);
	tl_instance_free(s->instance);
}

/*
 * Signals that end a run are read from a descriptor: there is no handler, and
 * no call is interrupted.
 */
static int open_signals(struct tl_inherited *before)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN },
			       usual = { .sa_handler = SIG_DFL };
	struct sigaction hangup;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGALRM); /* the end of the duration */
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGQUIT);
	/* nohup: blocked, an ignored signal would arrive after all */
	if (!sigaction(SIGHUP, NULL, &hangup) && hangup.sa_handler != SIG_IGN)
		sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, &before->mask);
	sigaction(SIGPIPE, &ignore, &before->pipe);
	/* ignored, there would be no status of the command and the guard */
	sigaction(SIGCHLD, &usual, &before->child);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/*
 * A descriptor of ours must not become standard output in place of a closed one,
 * and what is written there has to fail: nobody would see it.
 */
static void fill_standard_descriptors(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDONLY);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/* What has just been created; a link to it stays. */
static void remove_new(const char *path)
{
	char *name = realpath(path, NULL);

	if (name)
		unlink(name);
	free(name);
}

/* As a shell's ">", but what is read or captured is not written over. */
static int open_file(const struct tl_settings *set)
{
	const char *path = set->output;
	struct stat st;
	bool is_new = stat(path, &st) && errno == ENOENT;
	int fd = open(path, O_WRONLY | O_CREAT | O_NOCTTY | O_CLOEXEC, 0666);
	bool is_open = fd >= 0 && !fstat(fd, &st);
	bool is_capture = is_open && tl_capture_is(set, &st);
	int err;

	if (is_capture && is_new)
		remove_new(path);
	if (is_capture)
		err = tl_fail(EINVAL, "--output: %s is a file of the capture",
			      path);
	else if (is_open && (!S_ISREG(st.st_mode) || !ftruncate(fd, 0)))
		return fd;
	else
		err = tl_fail(errno, "--output: %s: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return err;
}

/* The file becomes standard output; the command keeps what it had. */
static int redirect_output(const struct tl_settings *set,
			   struct tl_inherited *before)
{
	int fd;

	before->output = -1;
	if (!set->output || !strcmp(set->output, "-"))
		return 0;
	fd = open_file(set);
	if (fd < 0)
		return fd;
	before->output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (before->output < 0 || dup2(fd, STDOUT_FILENO) < 0)
		return tl_fail(errno, "--output: %s", strerror(errno));
	close(fd);
	return 0;
}

/* Of a pipe whose reader has gone, stdio may have been told earlier. */
static bool has_reader(void)
{
	struct pollfd out = { .fd = STDOUT_FILENO, .events = POLLOUT };

	return poll(&out, 1, 0) >= 0 && !(out.revents & POLLERR);
}

/*
 * Whether all that was printed has been written, or nobody wants it.  What a file
 * system of the network writes late can fail late.
 */
static bool end_output(const struct tl_settings *set)
{
	errno = 0;
	if (!fflush(stdout) && !ferror(stdout) &&
	    !(set->output && close(STDOUT_FILENO)))
		return true;
	if (errno == EPIPE || !has_reader())
		return true;
	tl_fail(errno, "writing the output: %s", strerror(errno ?: EIO));
	return false;
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
	int status;

	tl_instance_init(&instance, &recording);
	fill_standard_descriptors();
	tl_message_tool(tool->name);
	run.typed = tl_cmdline_text(argc, argv);
	status = parse(&s, argc, argv);
	if (!status && redirect_output(&s.set, &before))
		status = TL_EXIT_FAILED + 1;
	else if (!status)
		status = serve(&s, open_signals(&before), &before) + 1;
	if (!end_output(&s.set) && status == TL_EXIT_OK + 1)
		status = TL_EXIT_FAILED + 1;
	free_session(&s);
	return status - 1;
}
