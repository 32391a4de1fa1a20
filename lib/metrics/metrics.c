// SPDX-License-Identifier: GPL-2.0-or-later
/* metrics.c - --metrics: what a run counts, for those who watch many machines */
#include "metrics/metrics.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/resource.h>
#include <time.h>

#include "base/buf.h"
#include "base/num.h"
#include "base/part.h"
#include "base/session.h"
#include "metrics/file.h"
#include "metrics/series.h"
#include "out/out.h"
#include "run/loss.h"
#include "run/run.h"
#include "run/state.h"
#include "tracefs/instance.h"
#include "tracelet/message.h"
#include "tracelet/metrics.h"
#include "tracelet/run.h"

#define INTERVAL   5000000000
#define MAX_SERIES 100

struct metrics {
	struct tl_part part;
	struct tl_session *s;
	struct tl_out_sink sink;
	struct tl_series *series;
	struct tl_metrics_file file;
	struct tl_buf labels; /* for all */
	struct tl_buf names;  /* of these, with commas between */
	struct tl_buf text;
	bool is_new;             /* some came since they were written last */
	uint64_t lost, recorded; /* so far; they must not shrink */
	double start;            /* CLOCK_REALTIME, in seconds */
	int (*on_interval)(struct tl_session *s, uint64_t ns); /* the tool's */
};

static const struct tl_part_ops metrics_ops;

static bool is_stdout(const struct tl_session *s)
{
	return !strcmp(s->set.metrics, "-");
}

bool tl_metrics_has(const struct tl_tool *tool)
{
	const struct tl_column *c = tool->columns;

	while (c && c->head && c->metric.kind <= TL_METRIC_LABEL)
		c++;
	return c && c->head;
}

/* ---- text ------------------------------------------------------------- */

static void add_head(struct tl_buf *b, const char *name, const char *type,
		     const char *help)
{
	tl_buf_printf(b, "# HELP tracelets_%s %s.\n# TYPE tracelets_%s %s\n",
		      name, help, name, type);
}

/* What all tools have tells them apart by a label. */
static void add_name(const struct metrics *m, struct tl_buf *b,
		     const char *name, const char *more)
{
	tl_buf_printf(b, "tracelets_%s{%s%stool=\"%s\"%s} ", name,
		      m->labels.data, m->labels.len ? "," : "",
		      m->s->tool->name, more);
}

static void add_count(const struct metrics *m, struct tl_buf *b,
		      const char *name, const char *help, uint64_t count)
{
	add_head(b, name, "counter", help);
	add_name(m, b, name, "");
	tl_buf_printf(b, "%" PRIu64 "\n", count);
}

static void add_seconds(const struct metrics *m, struct tl_buf *b,
			const char *name, const char *help, int64_t ns)
{
	add_head(b, name, "counter", help);
	add_name(m, b, name, "");
	tl_num_long_seconds(b, ns);
	tl_buf_char(b, '\n');
}

static int64_t ns_of(const struct timeval *time)
{
	return time->tv_sec * 1000000000LL + time->tv_usec * 1000LL;
}

static void add_cpu(const struct metrics *m, struct tl_buf *b)
{
	struct rusage used;

	getrusage(RUSAGE_SELF, &used);
	add_seconds(m, b, "cpu_seconds_total",
		    "Time of processors that the tool took",
		    ns_of(&used.ru_utime) + ns_of(&used.ru_stime));
}

/*
 * What was counted in less time than has passed is to be divided by this.  An interval can
 * end before the end of a pause, and be written behind it.
 */
static void add_recorded(struct metrics *m, struct tl_buf *b, uint64_t ns)
{
	const uint64_t recorded = tl_run_recorded(m->s, ns);

	if (recorded > m->recorded)
		m->recorded = recorded;
	add_seconds(m, b, "recorded_seconds_total",
		    "Time in which events were recorded, less than all where "
		    "--max-cpu paused",
		    (int64_t)m->recorded);
}

static void add_run(struct metrics *m, struct tl_buf *b, uint64_t ns)
{
	const uint64_t lost =
		tl_losses_events(m->s) + tl_series_missed(m->series);

	if (lost > m->lost)
		m->lost = lost;
	add_head(b, "up", "gauge", "1 while the tool runs");
	add_name(m, b, "up", "");
	tl_buf_str(b, "1\n");
	add_head(b, "start_time_seconds", "gauge",
		 "When the tool began, since the epoch");
	add_name(m, b, "start_time_seconds", "");
	tl_buf_printf(b, "%.3f\n", m->start);
	add_cpu(m, b);
	add_recorded(m, b, ns);
	add_count(m, b, "lost_events_total",
		  "Events that are not counted as they were lost", m->lost);
	add_count(m, b, "other_rows_total",
		  "Rows that are counted as other, as there were too many "
		  "different labels",
		  tl_series_others(m->series));
	add_head(b, "build_info", "gauge", "1, with the version as a label");
	add_name(m, b, "build_info", ",version=\"" TL_VERSION "\"");
	tl_buf_str(b, "1\n");
}

/* As of @ns.  An output that cannot be written ends the run, a file of metrics does not. */
static void write_all(struct metrics *m, uint64_t ns)
{
	struct tl_buf *b = &m->text;

	b->len = 0;
	b->failed = false; /* it may have been last time */
	m->is_new = false;
	tl_series_print(m->series, b, m->labels.data);
	add_run(m, b, ns);
	if (!is_stdout(m->s)) {
		tl_metrics_file_write(&m->file, b);
		return;
	}
	tl_buf_str(b, "# EOF\n");
	tl_out_add(m->s->out, b->data, b->len, b->failed);
}

/* ---- the run ---------------------------------------------------------- */

static void on_row(void *ctx, const struct tl_column *columns,
		   const struct tl_value *row)
{
	struct metrics *m = ctx;

	m->is_new = true;
	tl_series_add(m->series, row);
}

static void on_histogram(void *ctx, const struct tl_column *columns,
			 const struct tl_value *row,
			 const struct tl_histogram *h)
{
	struct metrics *m = ctx;

	m->is_new = true;
	tl_series_add_histogram(m->series, row, h);
}

static int on_interval(struct tl_session *s, uint64_t ns)
{
	struct metrics *m = tl_part_find(s, &metrics_ops);
	int ret = m->on_interval ? m->on_interval(s, ns) : 0;

	write_all(m, ns);
	return ret;
}

void tl_metrics_end(struct tl_session *s)
{
	struct metrics *m = tl_part_find(s, &metrics_ops);

	if (m && m->is_new && is_stdout(s))
		write_all(m, tl_run_end_ns(s));
}

static int start(struct tl_session *s, void *part)
{
	struct metrics *m = part;

	if (s->set.read)
		return 0;
	write_all(m, s->run->start_ns);
	if (is_stdout(s))
		return 0;
	if (!tl_metrics_file_is_there(&m->file))
		return -EIO;
	m->text.len = 0;
	tl_buf_str(&m->text, "Metrics go into ");
	tl_esc_text(&m->text,
		    (struct tl_str){ s->set.metrics, strlen(s->set.metrics) });
	tl_buf_printf(&m->text,
		      " every %.10g seconds, until the end of this run.%s\n",
		      (double)s->run->interval / 1e9,
		      s->set.duration || s->command ? "" : " Ctrl-C to end.");
	tl_out_add(s->out, m->text.data, m->text.len, m->text.failed);
	return 0;
}

static void free_metrics(void *part)
{
	struct metrics *m = part;

	tl_series_free(m->series);
	tl_metrics_file_close(&m->file);
	tl_buf_free(&m->labels);
	tl_buf_free(&m->names);
	tl_buf_free(&m->text);
	free(m);
}

static const struct tl_part_ops metrics_ops = { .start = start,
						.free = free_metrics };

/* ---- labels for all --------------------------------------------------- */

/* As a string, which more can be added to. */
static void terminate(struct tl_buf *b)
{
	tl_buf_char(b, '\0');
	b->len -= !b->failed;
}

static void add_label(struct metrics *m, const char *name, struct tl_str value)
{
	tl_label_add(&m->labels, name, value);
	tl_buf_printf(&m->names, "%s%s", m->names.len ? "," : "", name);
	terminate(&m->names);
}

void tl_metric_label(struct tl_session *s, const char *name, const char *value)
{
	struct metrics *m = tl_part_find(s, &metrics_ops);

	if (m)
		add_label(m, name, (struct tl_str){ value, strlen(value) });
}

/* One of the user's, that @text begins with; 0, or -EINVAL after a message. */
static int split_label(const char *text, struct tl_label *l)
{
	const int ret = tl_label_split(text, l);

	if (ret == -EINVAL)
		return tl_usage("--metric-labels: \"%.*s\" is not NAME=VALUE",
				(int)strcspn(text, ","), text);
	return !ret ? 0
		    : tl_usage("--metric-labels: \"%.*s\" is no name of a "
			       "label: letters, digits and \"_\"",
			       (int)strcspn(text, "="), text);
}

static int check_user_labels(const char *text)
{
	struct tl_buf names = { 0 };
	struct tl_label l = { 0 };
	int ret = 0;

	tl_buf_str(&names, "le,tool,version");
	for (; text && *text && !ret; text = l.next) {
		ret = split_label(text, &l);
		if (ret)
			break;
		terminate(&names);
		if (tl_label_listed(names.data, l.name))
			ret = tl_usage("--metric-labels: metrics have a label "
				       "\"%s\" already",
				       l.name);
		tl_buf_printf(&names, ",%s", l.name);
	}
	tl_buf_free(&names);
	return ret;
}

/* Those of the tool's own are known only now. */
static int add_user_labels(struct metrics *m)
{
	const struct tl_column *columns = tl_out_table(m->s->out);
	const char *text = m->s->set.metric_labels;
	struct tl_label l = { 0 };

	for (; text && *text; text = l.next) {
		if (split_label(text, &l))
			return -EINVAL;
		if (tl_label_listed(m->names.data, l.name) ||
		    tl_label_is_column(columns, l.name))
			return tl_fail(EINVAL,
				       "--metric-labels: these metrics have a "
				       "label \"%s\" already",
				       l.name);
		add_label(m, l.name, l.value);
	}
	return 0;
}

/* ---- set-up ----------------------------------------------------------- */

const struct tl_out_sink *tl_metrics_add(struct tl_session *s)
{
	struct metrics *m = tl_part_new(s, &metrics_ops, sizeof(*m));

	if (!m)
		return NULL;
	m->s = s;
	m->sink = (struct tl_out_sink){ .ctx = m,
					.row = on_row,
					.histogram = on_histogram };
	if (!is_stdout(s) && tl_metrics_file_is_others(s->set.metrics))
		s->instance->guard_caps = 1ULL << CAP_DAC_OVERRIDE;
	return &m->sink;
}

int tl_metrics_args(struct tl_session *s)
{
	struct tl_settings *set = &s->set;

	if (!set->metrics && set->metric_labels)
		return tl_usage("--metric-labels needs --metrics");
	if (!set->metrics && set->max_series)
		return tl_usage("--max-series needs --metrics");
	if (!set->metrics && set->max_cpu)
		return tl_usage("--max-cpu needs --metrics");
	if (!set->metrics)
		return 0;
	if (set->write)
		return tl_usage("--metrics: not with -w, which counts nothing");
	if (set->read && !is_stdout(s))
		return tl_usage(
			"--metrics: those of a capture are no file that "
			"is kept up to date: --metrics=-");
	if (set->read && set->max_cpu)
		return tl_usage(
			"--max-cpu: not with -r, which records nothing");
	set->max_series = set->max_series ?: MAX_SERIES;
	set->json = false;
	set->csv = true;
	return check_user_labels(set->metric_labels);
}

static int open_series(struct metrics *m)
{
	struct tl_session *s = m->s;
	int ret = add_user_labels(m);

	if (ret)
		return ret;
	terminate(&m->labels);
	terminate(&m->names); /* of none, too */
	if (m->labels.failed || m->names.failed)
		return -ENOMEM;
	m->series = tl_series_new(s->tool->name, tl_out_table(s->out),
				  s->set.max_series, m->names.data);
	if (!m->series)
		return -ENOMEM;
	if (!tl_series_metrics(m->series))
		return tl_fail(EINVAL, "--metrics: what these options show is "
				       "not counted: leave them out");
	return 0;
}

static void set_interval(struct metrics *m)
{
	struct tl_run *run = m->s->run;

	if (run->interval)
		m->on_interval = run->on_interval;
	if (!run->interval || run->interval == INT64_MAX)
		run->interval = INTERVAL;
	run->on_interval = on_interval;
}

int tl_metrics_open(struct tl_session *s)
{
	struct metrics *m = tl_part_find(s, &metrics_ops);
	struct timespec now;
	int ret;

	if (!m)
		return 0;
	clock_gettime(CLOCK_REALTIME, &now);
	m->start = (double)now.tv_sec + (double)now.tv_nsec / 1e9;
	set_interval(m);
	ret = open_series(m);
	if (ret || is_stdout(s))
		return ret;
	s->run->unread = true;
	if (s->instance->guard_caps)
		tl_keep_capability(s, CAP_DAC_OVERRIDE);
	return tl_metrics_file_open(&m->file, s->instance->undo,
				    s->set.metrics);
}
