/* SPDX-License-Identifier: GPL-2.0-or-later */
/* heat.c - latency heat maps: what is counted, and lines on a terminal */
#include "picture/heat.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/session.h"
#include "base/terminal.h"
#include "count/table.h"
#include "out/out.h"
#include "out/put.h"
#include "picture/origin.h"
#include "picture/svg.h"
#include "run/run.h"
#include "tracelet/heatmap.h"
#include "tracelet/message.h"
#include "tracelet/output.h"
#include "tracelet/text.h"

#define FIRST_WIDTH 50000000

#define DECADE(us)                                                      \
	1000ull * (us), 1334ull * (us), 1778ull * (us), 2371ull * (us), \
		3162ull * (us), 4217ull * (us), 5623ull * (us), 7499ull * (us)

const uint64_t tl_heat_bound[TL_HEAT_BINS + 1] = {
	DECADE(1),       DECADE(10),       DECADE(100),
	DECADE(1000),    DECADE(10000),    DECADE(100000),
	DECADE(1000000), DECADE(10000000), 100000000000,
};

static unsigned int bin_of(uint64_t latency)
{
	unsigned int bin = 0, step;

	for (step = TL_HEAT_BINS / 2; step; step /= 2)
		if (latency >= tl_heat_bound[bin + step])
			bin += step;
	return bin;
}

struct tl_heat *tl_heat_new(void)
{
	struct tl_heat *h = calloc(1, sizeof(*h));

	if (h)
		h->width = FIRST_WIDTH;
	return h;
}

void tl_heat_free(struct tl_heat *h)
{
	free(h);
}

static bool fits(const struct tl_heat *h, uint64_t place)
{
	if (place < h->first)
		return h->first + h->used - place <= TL_HEAT_COLUMNS;
	return place - h->first < TL_HEAT_COLUMNS;
}

void tl_heat_widen(struct tl_heat *h)
{
	unsigned int odd = h->first % 2, i, bin;

	for (i = 0; i < h->used; i++) {
		uint64_t *from = h->cell[i], *to = h->cell[(odd + i) / 2];

		if (from == to)
			continue;
		for (bin = 0; bin < TL_HEAT_BINS; bin++)
			to[bin] += from[bin];
		memset(from, 0, sizeof(h->cell[i]));
	}
	h->used = (odd + h->used + 1) / 2;
	h->first /= 2;
	h->width *= 2;
}

static void prepend(struct tl_heat *h, size_t columns)
{
	memmove(h->cell[columns], h->cell[0], h->used * sizeof(h->cell[0]));
	memset(h->cell[0], 0, columns * sizeof(h->cell[0]));
	h->first -= columns;
	h->used += (unsigned int)columns;
}

void tl_heat_add(struct tl_heat *h, uint64_t ns, uint64_t latency)
{
	unsigned int column;
	uint64_t place;

	/* the ends of columns must not overflow */
	if (ns > INT64_MAX)
		ns = INT64_MAX;
	if (!h->total++)
		h->first = ns / h->width;
	while (!fits(h, place = ns / h->width))
		tl_heat_widen(h);
	if (place < h->first)
		prepend(h, h->first - place);
	column = (unsigned int)(place - h->first);
	if (column >= h->used)
		h->used = column + 1;
	h->cell[column][bin_of(latency)]++;
}

/* ---- a terminal ------------------------------------------------------- */

void tl_heat_bin(struct tl_heat_bins *bins, uint64_t latency)
{
	bins->count[bin_of(latency)]++;
}

void tl_heat_scale(struct tl_buf *b)
{
	tl_buf_str(b, "1us     10us    100us   1ms     "
		      "10ms    100ms   1s      10s");
}

/* 0 for none, else 1 to 9: from 1, 3, 10, 30, ... on. */
static unsigned int density(uint64_t count)
{
	unsigned int step = 0;
	uint64_t least;

	for (least = 1; step < 9 && count >= least; least *= 10)
		step += 1 + (step < 8 && count >= 3 * least);
	return step;
}

void tl_heat_line(const struct tl_heat_bins *bins, bool colour,
		  struct tl_buf *b)
{
	/* lightness rises evenly; seen on black and on white */
	static const uint8_t shades[] = { 0,   54,  90,  125, 161,
					  167, 203, 209, 215, 221 };
	unsigned int bin, step, last = 0;

	for (bin = 0; bin < TL_HEAT_BINS; bin++) {
		step = density(bins->count[bin]);
		if (colour && step != last)
			tl_buf_printf(b, step ? "\33[48;5;%dm" : "\33[0m",
				      shades[step]);
		last = step;
		if (!step && bin % TL_HEAT_DECADE == 0)
			tl_buf_char(b, '|');
		else
			tl_buf_char(b, colour ? ' ' : " .:-=+*#%@"[step]);
	}
	if (colour && last)
		tl_buf_str(b, "\33[0m");
}

/* ---- what tools call -------------------------------------------------- */

struct tl_heatmap {
	int fd; /* of the file; -1: lines */
	const char *path;
	struct tl_heat *run;     /* for the file */
	const char *by;          /* what lines are apart for, or NULL */
	struct tl_table *groups; /* struct tl_heat_bins: this interval's */
	struct tl_buf line;
	bool colour, begun;
	uint64_t ns; /* end of the interval whose lines are written */
	unsigned int written;
	struct tl_session *s;
};

static void free_heatmap(struct tl_heatmap *m)
{
	if (m->fd >= 0)
		close(m->fd);
	tl_heat_free(m->run);
	tl_table_free(m->groups);
	tl_buf_free(&m->line);
	free(m);
}

/* NO_COLOR is of no-color.org. */
static bool wants_colour(void)
{
	const char *no = getenv("NO_COLOR");

	return tl_is_terminal(STDOUT_FILENO) && !(no && *no);
}

int tl_heatmap_check(struct tl_session *s, const char *path, bool percentiles)
{
	const struct tl_settings *set = tl_settings(s);

	if (path && !strcmp(path, "-") && (tl_data_format(s) || percentiles))
		return tl_usage("--heatmap=- is text of its own: not with %s",
				tl_data_format(s) ?: "--percentiles");
	if (path && set->write)
		return tl_usage("--heatmap is not for -w, which shows nothing: "
				"make it of the capture, with -r");
	return 0;
}

struct tl_heatmap *tl_heatmap_open(struct tl_session *s, const char *path,
				   const char *by)
{
	struct tl_heatmap *m = calloc(1, sizeof(*m));
	bool lines = !strcmp(path, "-");

	if (!m) {
		tl_fail(ENOMEM, "out of memory");
		return NULL;
	}
	m->s = s;
	m->fd = -1;
	m->path = path;
	m->by = by;
	m->colour = wants_colour();
	if (lines)
		m->groups = tl_table_named(sizeof(struct tl_heat_bins), NULL);
	else
		m->run = tl_heat_new();
	if (!m->run && !m->groups)
		tl_fail(ENOMEM, "out of memory");
	else if (!lines)
		m->fd = tl_svg_open(path);
	if (m->fd >= 0 || m->groups)
		return m;
	free_heatmap(m);
	return NULL;
}

void tl_heatmap_add(struct tl_heatmap *m, struct tl_str key, uint64_t ns,
		    uint64_t latency)
{
	if (m->run)
		tl_heat_add(m->run, ns, latency);
	else
		tl_heat_bin(tl_table_at(m->groups, key), latency);
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

	if (!m->by)
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
	if (m->by)
		tl_buf_printf(&m->line, "%-8s ", m->by);
	tl_heat_scale(&m->line);
	write_line(s, m);
}

bool tl_heatmap_line(struct tl_session *s, struct tl_heatmap *m, uint64_t ns)
{
	const struct tl_str nothing = { m->by ? "-" : "", m->by ? 1 : 0 };
	struct tl_heat_bins none = { 0 };

	if (m->run)
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

static int write_picture(struct tl_session *s, struct tl_heatmap *m,
			 const char *title, const char *detail)
{
	struct tl_origin origin;
	const struct tl_heat_text text = {
		.title = title,
		.origin = &origin,
		.start_ns = tl_run_start_ns(s),
		.end_ns = tl_run_end_ns(s),
		.wall_ns = tl_out_wall(s->out),
	};
	int ret;

	tzset();
	tl_origin_make(s, &origin, m->run->total, "I/O", detail);
	ret = tl_heat_svg(m->run, &text, m->fd);
	tl_origin_free(&origin);
	return ret ? tl_fail(-ret, "%s: %s", m->path, strerror(-ret)) : 0;
}

int tl_heatmap_end(struct tl_session *s, struct tl_heatmap *m,
		   const char *title, const char *detail)
{
	int ret = m->run ? write_picture(s, m, title, detail) : 0;

	free_heatmap(m);
	return ret;
}
