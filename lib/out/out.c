/* SPDX-License-Identifier: GPL-2.0-or-later */
/* out.c - rows of columns as text, JSON or CSV */
#include "out/out.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/poll.h"
#include "out/row.h"

#define FLUSH_SIZE     65536
#define STOP_GRACE_MS  1000
#define NEVER_BLOCKING 4096 /* a pipe that is writable takes a page */

static unsigned int count_columns(const struct tl_column *columns)
{
	unsigned int n = 0;

	while (columns && columns[n].head)
		n++;
	return n;
}

static bool is_file(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode);
}

static void free_columns(struct tl_out *out)
{
	free(out->columns);
	free(out->places);
	free(out->members);
	free(out->row);
}

/* The options have been parsed by now. */
static void apply_options(struct tl_out *out)
{
	struct tl_column *c;
	unsigned int i;

	for (i = 0; i < out->count; i++) {
		c = &out->columns[i];
		if (c->option && *c->option)
			c->show = c->then;
	}
}

static int layout(struct tl_out *out)
{
	tl_text_layout(out);
	return tl_json_layout(out);
}

int tl_out_columns(struct tl_out *out, const struct tl_column *columns)
{
	free_columns(out);
	out->count = count_columns(columns);
	out->columns = calloc(out->count + 1, sizeof(*out->columns));
	out->row = calloc(out->count + 1, sizeof(*out->row));
	out->places = calloc(out->count + 1, sizeof(*out->places));
	out->members = calloc(out->count + 1, sizeof(*out->members));
	if (!out->columns || !out->row || !out->places || !out->members)
		return -ENOMEM;
	if (out->count)
		memcpy(out->columns, columns,
		       out->count * sizeof(*out->columns));
	apply_options(out);
	return layout(out);
}

struct tl_out *tl_out_new(const struct tl_out_config *config)
{
	struct tl_out *out = calloc(1, sizeof(*out));

	if (!out)
		return NULL;
	out->config = *config;
	out->config.raw &= config->format == TL_FORMAT_TEXT;
	out->may_block = config->stop_fd > 0 && !is_file(config->fd);
	out->stamp.sec = INT64_MIN;
	if (tl_out_columns(out, config->columns)) {
		tl_out_free(out);
		errno = ENOMEM;
		return NULL;
	}
	if (config->time == TL_TIME_WALL || config->time == TL_TIME_ISO)
		tzset();
	return out;
}

void tl_out_free(struct tl_out *out)
{
	if (!out)
		return;
	tl_buf_free(&out->buf);
	tl_buf_free(&out->part);
	tl_buf_free(&out->keys);
	free_columns(out);
	free(out);
}

int tl_out_find(const struct tl_out *out, const char *key)
{
	unsigned int i;

	for (i = 0; i < out->count; i++)
		if (!strcmp(out->columns[i].key, key))
			return (int)i;
	return -1;
}

void tl_out_show(struct tl_out *out, unsigned int col, enum tl_show show)
{
	out->columns[col].show = show;
	layout(out);
}

void tl_out_type(struct tl_out *out, unsigned int col, enum tl_type type)
{
	out->columns[col].type = type;
	layout(out);
}

void tl_out_epoch(struct tl_out *out, uint64_t start_ns, int64_t wall_ns)
{
	out->start_ns = start_ns;
	out->wall_ns = wall_ns;
}

int64_t tl_out_wall(const struct tl_out *out)
{
	return out->wall_ns;
}

const struct tl_column *tl_out_table(const struct tl_out *out)
{
	return out->columns;
}

struct tl_value *tl_out_cell(struct tl_out *out, unsigned int col)
{
	return &out->row[col];
}

/* ---- writing ---------------------------------------------------------- */

/* Whether a write will not wait for the reader; else sets the error. */
static bool wait_reader(struct tl_out *out)
{
	struct pollfd fds[] = {
		{ .fd = out->config.fd, .events = POLLOUT },
		{ .fd = out->config.stop_fd, .events = POLLIN },
	};
	nfds_t count = out->config.stop_fd > 0 ? 2 : 1;

	if (tl_poll(fds, count, -1) < 0) {
		out->error = -errno;
		return false;
	}
	if (fds[0].revents || tl_poll(fds, 1, STOP_GRACE_MS) > 0)
		return true;
	out->error = -ETIMEDOUT;
	return false;
}

static size_t write_some(struct tl_out *out, const char *data, size_t len)
{
	ssize_t n;

	if (out->may_block) {
		if (!wait_reader(out))
			return 0;
		len = len < NEVER_BLOCKING ? len : NEVER_BLOCKING;
	}
	n = write(out->config.fd, data, len);
	if (n > 0)
		return (size_t)n;
	if (n < 0 && errno == EAGAIN)
		wait_reader(out);
	else if (n == 0 || errno != EINTR)
		out->error = n ? -errno : -EIO;
	return 0;
}

static void write_all(struct tl_out *out)
{
	size_t done = 0;

	while (!out->error && done < out->buf.len)
		done += write_some(out, out->buf.data + done,
				   out->buf.len - done);
	out->buf.len = 0;
}

int tl_out_error(const struct tl_out *out)
{
	return out->error;
}

static inline bool has_no_memory(const struct tl_out *out)
{
	return out->buf.failed || out->part.failed || out->keys.failed;
}

int tl_out_flush(struct tl_out *out)
{
	int no_memory = has_no_memory(out) ? -ENOMEM : 0;

	write_all(out);
	if (!out->error)
		out->error = no_memory;
	return out->error;
}

/*
 * A row or line that begins at @start is complete: all of it counts, or
 * nothing.
 */
static inline void added(struct tl_out *out, size_t start)
{
	if (has_no_memory(out) || out->error || out->muted)
		out->buf.len = start;
	else if (out->buf.len >= FLUSH_SIZE)
		write_all(out);
}

/* ---- who watches ------------------------------------------------------ */

void tl_out_watch(struct tl_out *out, tl_out_watcher *holds, const void *ctx)
{
	out->holds = holds;
	out->watcher = ctx;
}

bool tl_out_came_true(struct tl_out *out)
{
	bool came_true = out->came_true;

	out->came_true = false;
	return came_true;
}

void tl_out_tap(struct tl_out *out,
		void (*row)(void *ctx, const struct tl_column *columns,
			    const struct tl_value *row),
		void *ctx)
{
	out->tap = row;
	out->tapped = ctx;
}

void tl_out_mute(struct tl_out *out, bool muted)
{
	out->muted = muted;
}

/* ---- the stream ------------------------------------------------------- */

/* It adds to the output by itself, which may be written then. */
static void sink_row(struct tl_out *out, size_t *start)
{
	const struct tl_out_sink *sink = out->config.sink;

	sink->row(sink->ctx, out->columns, out->row);
	*start = out->buf.len;
}

static inline void clear_row(struct tl_out *out)
{
	struct tl_value *v, *end = out->row + out->count;

	for (v = out->row; v < end; v++)
		v->known = v->more = false;
}

void tl_out_row(struct tl_out *out)
{
	size_t start = out->buf.len;

	if (out->holds)
		out->came_true |= out->holds(out->watcher, out->row);
	if (out->tap)
		out->tap(out->tapped, out->columns, out->row);
	if (out->muted)
		;
	else if (out->config.format == TL_FORMAT_JSON)
		tl_json_row(out);
	else if (out->config.format == TL_FORMAT_CSV)
		tl_csv_row(out);
	else if (out->config.format == TL_FORMAT_SINK)
		sink_row(out, &start);
	else
		tl_text_row(out);
	clear_row(out);
	added(out, start);
}

bool tl_out_takes_histograms(const struct tl_out *out)
{
	return out->config.format == TL_FORMAT_SINK &&
	       out->config.sink->histogram;
}

void tl_out_histogram(struct tl_out *out, const struct tl_histogram *h)
{
	const struct tl_out_sink *sink = out->config.sink;

	sink->histogram(sink->ctx, out->columns, out->row, h);
	clear_row(out);
}

void tl_out_header(struct tl_out *out)
{
	size_t start = out->buf.len;

	if (out->config.format == TL_FORMAT_CSV)
		tl_csv_header(out);
	else if (out->config.format == TL_FORMAT_TEXT && !out->config.quiet)
		tl_text_header(out);
	added(out, start);
}

void tl_out_table_header(struct tl_out *out)
{
	size_t start = out->buf.len;

	if (out->config.format == TL_FORMAT_TEXT)
		tl_text_header(out);
	added(out, start);
}

void tl_out_vline(struct tl_out *out, const char *fmt, va_list ap)
{
	size_t start = out->buf.len;

	if (out->config.format != TL_FORMAT_TEXT)
		return;
	out->part.len = 0;
	tl_buf_vprintf(&out->part, fmt, ap);
	if (out->config.raw)
		tl_buf_add(&out->buf, out->part.data, out->part.len);
	else
		tl_esc_text(&out->buf,
			    (struct tl_str){ out->part.data, out->part.len });
	tl_buf_char(&out->buf, '\n');
	added(out, start);
}

void tl_out_line(struct tl_out *out, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tl_out_vline(out, fmt, ap);
	va_end(ap);
}

void tl_out_clear(struct tl_out *out)
{
	static const char clear[] = "\033[H\033[2J";
	size_t start = out->buf.len;

	if (out->config.format != TL_FORMAT_TEXT)
		return;
	tl_buf_str(&out->buf, out->config.is_screen ? clear : "\n");
	added(out, start);
}

void tl_out_line_as_is(struct tl_out *out, struct tl_str text)
{
	size_t start = out->buf.len;

	if (out->config.format != TL_FORMAT_TEXT)
		return;
	tl_buf_add(&out->buf, text.text, text.len);
	tl_buf_char(&out->buf, '\n');
	added(out, start);
}

void tl_out_clock(struct tl_out *out, uint64_t ns, char text[9])
{
	time_t when = (time_t)(((int64_t)ns + out->wall_ns) / 1000000000);
	struct tm tm;

	text[0] = '\0';
	if (localtime_r(&when, &tm))
		strftime(text, 9, "%T", &tm);
}

void tl_out_gap(struct tl_out *out, unsigned int cpu, uint64_t ns)
{
	if (out->config.format == TL_FORMAT_SINK && out->config.sink->gap)
		out->config.sink->gap(out->config.sink->ctx, cpu, ns);
}

void tl_out_lost(struct tl_out *out, unsigned int cpu, uint64_t ns,
		 int64_t count)
{
	size_t start = out->buf.len;

	if (out->config.format == TL_FORMAT_SINK) {
		if (out->config.sink->lost)
			out->config.sink->lost(out->config.sink->ctx, cpu, ns,
					       count);
		return;
	}
	if (out->config.format == TL_FORMAT_JSON)
		tl_json_lost(&out->buf, cpu, count);
	else if (out->config.format == TL_FORMAT_TEXT)
		tl_text_lost(&out->buf, cpu, count);
	added(out, start);
}

void tl_out_add(struct tl_out *out, const char *data, size_t len, bool failed)
{
	size_t start = out->buf.len;

	out->buf.failed |= failed;
	tl_buf_add(&out->buf, data, len);
	added(out, start);
}
