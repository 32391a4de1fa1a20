// SPDX-License-Identifier: GPL-2.0-or-later
/* heatmap.c - what tools call for heat maps */
#include "picture/heatmap.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/part.h"
#include "base/session.h"
#include "base/terminal.h"
#include "count/table.h"
#include "out/out.h"
#include "out/put.h"
#include "picture/heat.h"
#include "picture/online.h"
#include "picture/origin.h"
#include "picture/svg.h"
#include "picture/usage.h"
#include "run/run.h"
#include "tracelet/heatmap.h"
#include "tracelet/message.h"
#include "tracelet/output.h"
#include "tracelet/text.h"

#define NS_PER_SEC 1000000000

struct tl_heatmap {
	struct tl_part part;
	struct tl_heatmap_config config;
	int fd;                  /* of the file; -1: lines */
	struct tl_heat *run;     /* for the file, */
	struct tl_usage *usage;  /* or this, of TL_HEATMAP_USAGE */
	struct tl_table *groups; /* struct tl_heat_bins: this interval's */
	struct tl_buf line;
	bool colour, begun;
	uint64_t ns; /* end of the interval whose lines are written */
	unsigned int written;
	bool no_memory; /* something is not in it */
	struct tl_session *s;
};

static void free_heatmap(void *part)
{
	struct tl_heatmap *m = part;

	if (m->fd >= 0)
		close(m->fd);
	tl_heat_free(m->run);
	tl_usage_free(m->usage);
	tl_table_free(m->groups);
	tl_buf_free(&m->line);
	free(m);
}

static const struct tl_part_ops heatmap_ops = { .free = free_heatmap };

/* NO_COLOR is of no-color.org. */
static bool wants_colour(void)
{
	const char *no = getenv("NO_COLOR");

	return tl_is_terminal(STDOUT_FILENO) && !(no && *no);
}

static int check_write(struct tl_session *s, const char *option)
{
	if (tl_settings(s)->write)
		return tl_usage("%s is not for -w, which shows nothing: make "
				"it of the capture, with -r",
				option);
	return 0;
}

static bool is_lines(const char *path)
{
	return path && !strcmp(path, "-");
}

static int check_file(struct tl_session *s, const char *option,
		      const char *path)
{
	if (!path)
		return 0;
	return check_write(s, option) ?: tl_svg_claim(s, option, path);
}

int tl_heatmap_check(struct tl_session *s, const char *path, bool percentiles)
{
	if (!is_lines(path))
		return check_file(s, "--heatmap", path);
	if (tl_data_format(s) || percentiles)
		return tl_usage("--heatmap=- is text of its own: not with %s",
				tl_data_format(s) ?: "--percentiles");
	return check_write(s, "--heatmap");
}

int tl_heatmap_check_file(struct tl_session *s, const char *option,
			  const char *path)
{
	if (is_lines(path))
		return tl_usage("%s=-: only tools with an interval draw lines "
				"of text: name a file",
				option);
	return check_file(s, option, path);
}

static bool open_model(struct tl_heatmap *m)
{
	if (!strcmp(m->config.path, "-"))
		m->groups = tl_table_named(sizeof(struct tl_heat_bins), NULL);
	else if (m->config.kind == TL_HEATMAP_LATENCY)
		m->run = tl_heat_new(&tl_heat_latency, 0);
	else if (m->config.kind == TL_HEATMAP_USAGE)
		m->usage = tl_usage_new();
	else
		return true; /* when a second begins is known later */
	return m->groups || m->run || m->usage;
}

static int expect(void *usage, unsigned int cpu)
{
	return tl_usage_expect(usage, cpu);
}

struct tl_heatmap *tl_heatmap_open(struct tl_session *s,
				   const struct tl_heatmap_config *config)
{
	struct tl_heatmap *m = tl_part_new(s, &heatmap_ops, sizeof(*m));

	if (!m) {
		tl_fail(ENOMEM, "out of memory");
		return NULL;
	}
	m->s = s;
	m->fd = -1;
	m->config = *config;
	m->colour = wants_colour();
	if (!open_model(m) ||
	    (m->usage && tl_online_each(s, expect, m->usage))) {
		tl_fail(ENOMEM, "out of memory");
		return NULL;
	}
	if (!m->groups)
		m->fd = tl_svg_open(config->path);
	return m->fd >= 0 || m->groups ? m : NULL;
}

void tl_heatmap_add(struct tl_heatmap *m, struct tl_str key, uint64_t ns,
		    uint64_t latency)
{
	if (m->run)
		tl_heat_add(m->run, ns, latency);
	else
		tl_heat_bin(tl_table_at(m->groups, key), latency);
}

/* Seconds are those of the wall clock: its distance is known once the run begins. */
static struct tl_heat *new_offsets(const struct tl_heatmap *m)
{
	int64_t shift = tl_out_wall(m->s->out) % NS_PER_SEC;

	return tl_heat_new(&tl_heat_offset,
			   (uint64_t)(shift < 0 ? shift + NS_PER_SEC : shift));
}

void tl_heatmap_moment(struct tl_heatmap *m, uint64_t ns)
{
	if (!m->run)
		m->run = new_offsets(m);
	if (m->run)
		tl_heat_moment(m->run, ns);
	else
		m->no_memory = true;
}

void tl_heatmap_usage(struct tl_heatmap *m, unsigned int cpu, uint64_t from,
		      uint64_t to, bool busy)
{
	if (tl_usage_add(m->usage, tl_run_start_ns(m->s), cpu, from, to, busy))
		m->no_memory = true;
}

static void write_line(struct tl_session *s, struct tl_heatmap *m)
{
	tl_out_line_as_is(s->out, (struct tl_str){ m->line.data, m->line.len });
	m->line.len = 0;
}

/* What lines are apart for, in a column of its own. */
static void add_key(struct tl_heatmap *m, struct tl_str key)
{
	size_t width;

	if (!m->config.by)
		return;
	width = tl_esc_text(&m->line, key);
	tl_buf_printf(&m->line, "%*s", width < 8 ? (int)(9 - width) : 1, "");
}

static void line_of(void *ctx, struct tl_str key, void *data)
{
	struct tl_heatmap *m = ctx;
	struct tl_heat_bins *bins = data;
	char clock[9];

	tl_clock(m->s, m->ns, clock);
	tl_buf_printf(&m->line, "%-8s ", clock);
	add_key(m, key);
	tl_heat_line(bins, m->colour, &m->line);
	write_line(m->s, m);
	*bins = (struct tl_heat_bins){ 0 };
	m->written++;
}

static bool is_empty(const struct tl_heat_bins *bins)
{
	const struct tl_heat_bins none = { 0 };

	return !memcmp(bins, &none, sizeof(none));
}

static void line_if_any(void *ctx, struct tl_str key, void *data)
{
	if (!is_empty(data))
		line_of(ctx, key, data);
}

static void write_scale(struct tl_session *s, struct tl_heatmap *m)
{
	tl_buf_printf(&m->line, "%-8s ", "TIME");
	if (m->config.by)
		tl_buf_printf(&m->line, "%-8s ", m->config.by);
	tl_heat_scale(&m->line);
	write_line(s, m);
}

bool tl_heatmap_line(struct tl_session *s, struct tl_heatmap *m, uint64_t ns)
{
	const struct tl_str nothing = { m->config.by ? "-" : "",
					m->config.by ? 1 : 0 };
	struct tl_heat_bins none = { 0 };

	if (!m->groups)
		return false;
	if (!m->begun)
		write_scale(s, m);
	m->begun = true;
	m->ns = ns;
	m->written = 0;
	tl_table_each(m->groups, line_if_any, m);
	if (!m->written)
		line_of(m, nothing, &none);
	return true;
}

/* ---- the end ---------------------------------------------------------- */

static int write_heat(struct tl_session *s, const struct tl_heatmap *m,
		      const struct tl_heat *h, struct tl_heat_text *text,
		      const char *detail)
{
	struct tl_origin origin;
	int ret;

	text->title = m->config.title;
	text->unit = m->config.unit;
	text->start_ns = tl_run_start_ns(s);
	text->end_ns = tl_run_end_ns(s);
	text->wall_ns = tl_out_wall(s->out);
	text->origin = &origin;
	tzset();
	tl_origin_make(s, &origin, text->amount, text->unit, detail);
	ret = tl_heat_svg(h, text, m->fd);
	text->origin = NULL;
	tl_origin_free(&origin);
	return ret;
}

static int write_run(struct tl_session *s, struct tl_heatmap *m)
{
	struct tl_heat_text text = { 0 };

	if (!m->run)
		m->run = new_offsets(m);
	if (!m->run)
		return -ENOMEM;
	text.amount = m->run->total;
	return write_heat(s, m, m->run, &text, m->config.detail);
}

/* What is not known is said, or it would be taken for less load. */
static void add_unknown(struct tl_buf *b, const struct tl_usage_sum *sum)
{
	if (sum->known < sum->cpus)
		tl_buf_printf(b, "of %u on line", sum->cpus);
	if (b->len && sum->unknown)
		tl_buf_str(b, ", ");
	if (sum->unknown == 1)
		tl_buf_str(b, "1 share of a processor is not known");
	else if (sum->unknown)
		tl_buf_printf(b,
			      "%" PRIu64 " shares of processors are not known",
			      sum->unknown);
	tl_buf_char(b, '\0');
}

static int write_usage(struct tl_session *s, const struct tl_heatmap *m)
{
	const struct tl_usage_cells cells = { m->usage, tl_run_start_ns(s),
					      tl_run_end_ns(s) };
	struct tl_heat_text text = { .cell = tl_usage_cell, .ctx = &cells };
	struct tl_usage_sum sum;
	struct tl_heat *h =
		tl_usage_heat(m->usage, cells.start, cells.end, &sum);
	struct tl_buf detail = { 0 };
	int ret;

	if (!h)
		return -ENOMEM;
	add_unknown(&detail, &sum);
	text.amount = sum.known;
	ret = detail.failed ? -ENOMEM : write_heat(s, m, h, &text, detail.data);
	tl_buf_free(&detail);
	tl_heat_free(h);
	return ret;
}

static int end(struct tl_session *s, struct tl_heatmap *m)
{
	int ret;

	if (m->fd < 0)
		return 0;
	ret = m->no_memory ? -ENOMEM
	      : m->usage   ? write_usage(s, m)
			   : write_run(s, m);
	return ret ? tl_fail(-ret, "%s: %s", m->config.path, strerror(-ret))
		   : 0;
}

int tl_heatmaps_end(struct tl_session *s)
{
	struct tl_part *p;
	int ret = 0, err;

	for (p = s->parts; p; p = p->next) {
		err = p->ops == &heatmap_ops ? end(s, (void *)p) : 0;
		ret = ret ?: err;
	}
	return ret;
}
