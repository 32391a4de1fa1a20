// SPDX-License-Identifier: GPL-2.0-or-later
/* parse.c - the command line: what all tools have, and what a capture adds */
#include "main/parse.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/recording.h"
#include "capture/capture.h"
#include "capture/cmdline.h"
#include "capture/spool.h"
#include "metrics/metrics.h"
#include "option/operands.h"
#include "option/options.h"
#include "picture/pictured.h"
#include "record/cpus.h"
#include "run/state.h"
#include "tracelet/message.h"
#include "tracelet/option.h"
#include "tracelet/session.h"
#include "tracelet/tool.h"

#define COMMON_MAX 40

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

/* Whether option @o, of pictures, is for a tool without these. */
static bool is_no_picture(const struct tl_session *s, const struct tl_opt *o)
{
	const struct tl_pictured *of = &s->tool->pictured;

	return (o->target == &s->set.heatmap && !of->latency) ||
	       (o->target == &s->set.subsecond && !of->unit);
}

/* Whether option @o, of metrics, is for a tool that has none. */
static bool is_no_metric(const struct tl_session *s, const struct tl_opt *o)
{
	return (o->target == &s->set.metrics ||
		o->target == &s->set.metric_labels ||
		o->target == &s->set.max_series ||
		o->target == &s->set.max_cpu) &&
	       !tl_metrics_has(s->tool);
}

static struct tl_opt *add_options(struct tl_opt *o, struct tl_session *s,
				  const struct asked *asked,
				  const struct tl_opt *all, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if ((!(s->tool->flags & TL_NO_EVENTS) ||
		     is_general(&all[i], &s->set, asked)) &&
		    !is_no_picture(s, &all[i]) && !is_no_metric(s, &all[i]))
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
		  "with a process or thread asked for: its children too",
		  TL_OPT_FLAG, &set->follow, NULL, 0, 0 },
		{ 0, "cpu", "LIST",
		  "only what happens on these processors, as in 0,2-5",
		  TL_OPT_CPUS, &set->cpu, NULL, 0, 0 },
		{ 'd', "duration", "SECS", "end after SECS seconds",
		  TL_OPT_SECONDS, &set->duration, NULL, 0, 0 },
		{ 0, "time", "clock|relative|wall|iso", "how times are shown",
		  TL_OPT_WORD, &asked->time, NULL, 0, 0 },
		{ 0, "json", NULL, "one JSON object per line", TL_OPT_FLAG,
		  &set->json, "format", 0, 0 },
		{ 0, "csv", NULL, "comma separated values", TL_OPT_FLAG,
		  &set->csv, "format", 0, 0 },
		{ 0, "perfetto", NULL,
		  "a trace, to be opened in Perfetto's UI (ui.perfetto.dev)",
		  TL_OPT_FLAG | TL_OPT_HERE, &set->perfetto, "format", 0, 0 },
	};

	return add_options(o, s, asked, all, sizeof(all) / sizeof(all[0]));
}

static struct tl_opt *metric_options(struct tl_opt *o, struct tl_session *s,
				     struct asked *asked)
{
	struct tl_settings *set = &s->set;
	const struct tl_opt all[] = {
		{ 0, "metrics", "FILE",
		  "keep counts in FILE, for Prometheus, instead of rows",
		  TL_OPT_STRING | TL_OPT_HERE, &set->metrics, "format", 0, 0 },
		{ 0, "metric-labels", "LIST",
		  "with --metrics: labels for all: NAME=VALUE,...",
		  TL_OPT_STRING | TL_OPT_HERE, &set->metric_labels, NULL, 0,
		  0 },
		{ 0, "max-series", "N",
		  "with --metrics: at most N of each, others as \"other\" "
		  "(100)",
		  TL_OPT_UINT | TL_OPT_HERE, &set->max_series, NULL, 1,
		  100000 },
		{ 0, "max-cpu", "PERCENT",
		  "with --metrics: record less where the tool takes more, as "
		  "1%",
		  TL_OPT_PERCENT | TL_OPT_HERE, &set->max_cpu, NULL, 0, 0 },
	};

	return add_options(o, s, asked, all, sizeof(all) / sizeof(all[0]));
}

static struct tl_opt *output_options(struct tl_opt *o, struct tl_session *s,
				     struct asked *asked)
{
	struct tl_settings *set = &s->set;
	const struct tl_opt all[] = {
		{ 0, "heatmap", "FILE.svg",
		  "at the end, draw time against latency",
		  TL_OPT_STRING | TL_OPT_HERE, &set->heatmap, NULL, 0, 0 },
		{ 0, "subsecond", "FILE.svg",
		  "at the end, draw when in each second it was",
		  TL_OPT_STRING | TL_OPT_HERE, &set->subsecond, NULL, 0, 0 },
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
		  "write records into FILE (trace.dat), and show none",
		  TL_OPT_STRING | TL_OPT_HERE, &set->write, "capture", 0, 0 },
		{ 0, "max-size", "SIZE",
		  "with -w: end with a file of that size",
		  TL_OPT_SIZE | TL_OPT_HERE, &set->max_size, NULL, 0, 0 },
		{ 0, "rotate", "N", "with --max-size: go on, and keep N files",
		  TL_OPT_UINT | TL_OPT_HERE, &set->rotate, NULL, 2, 1000 },
		{ 0, "max-total", "SIZE",
		  "with -w DIRECTORY: at most so much in it (1G)",
		  TL_OPT_SIZE | TL_OPT_HERE, &set->max_total, NULL, 0, 0 },
		{ 0, "last", "SECS",
		  "with -w: only the last SECS, at the end and at SIGUSR1",
		  TL_OPT_SECONDS | TL_OPT_HERE, &set->last, NULL, 0, 0 },
		{ 0, "trigger", "CONDITION",
		  "with --last: also when a row meets it: 'LATms > 100'",
		  TL_OPT_STRING | TL_OPT_HERE, &set->trigger, NULL, 0, 0 },
		{ 'r', "read", "FILE",
		  "show the records in FILE, as the run that wrote it",
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
	o = metric_options(o, s, asked);
	o = output_options(o, s, asked);
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
			      &s->set.follow, &s->set.cpu };
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
	if (s->set.write_dir && !s->set.last)
		return tl_usage("-w: %s is a directory, which needs --last",
				s->set.write);
	if (s->set.max_total && !s->set.write_dir)
		return tl_usage("--max-total needs a directory for -w");
	if (s->set.rotate && !s->set.max_size && !s->set.last)
		return tl_usage("--rotate needs --max-size or --last");
	return 0;
}

/* Of a trace, rows have what they have in CSV. */
static int check_perfetto(struct tl_session *s)
{
	struct tl_settings *set = &s->set;

	if (!set->perfetto)
		return 0;
	if (set->write)
		return tl_usage("--perfetto: a capture becomes a trace later: "
				"-r %s --perfetto",
				set->write);
	if (!set->output && isatty(STDOUT_FILENO))
		return tl_usage("--perfetto: a trace is no text for a "
				"terminal: -o FILE");
	set->json = false;
	set->csv = true;
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

/* As tl_main_parse() returns it. */
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

int tl_main_parse(struct tl_session *s, int argc, char **argv)
{
	struct tl_cmdline words = { argc, argv, 0 };
	struct tl_opt common[COMMON_MAX];
	struct asked asked = { .time = UINT_MAX };
	int first, ret;

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
	s->set.write_dir = s->set.write && tl_spool_is(s->set.write);
	if (check_capture(s) || check_perfetto(s) || tl_metrics_args(s) ||
	    tl_pictured_args(s))
		return TL_EXIT_USAGE + 1;
	ret = tl_cpus_check(s);
	if (ret || (s->set.check && first == argc))
		return status_of_arguments(ret);
	return status_of_arguments(
		take_arguments(s, argc - first, argv + first));
}
