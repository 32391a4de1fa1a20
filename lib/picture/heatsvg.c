/* SPDX-License-Identifier: GPL-2.0-or-later */
/* heatsvg.c - a heat map as a picture */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/buf.h"
#include "picture/heat.h"
#include "picture/svg.h"

#define NS_PER_SEC 1000000000
#define NS_PER_DAY (86400ll * NS_PER_SEC)

#define LEFT   80
#define TOP    100
#define WIDTH  1080
#define RIGHT  40
#define HEIGHT 448
#define BOTTOM (TOP + HEIGHT)
/* Cells are drawn in tenths, so that they stay even when they are narrow. */
#define FINE      10
#define MARGIN    2
#define EMPTY_BIN 24 /* 1 ms */
#define MAX_TICKS 10
#define SWATCH    64 /* at most */
#define LEGEND    624
#define WALL_ROOM 48
#define COLOURS   (sizeof(colours) / sizeof(colours[0]))

/*
 * The middle of "inferno": lightness falls evenly, so that it can be read with
 * any kind of colour vision, and begins where it can be seen on white.
 */
static const char *const colours[] = {
	"#f8c834", "#fca50a", "#f68615", "#ea6826", "#da4e3d", "#c33c4f",
	"#a82e5e", "#8b2368", "#6e186d", "#520f6a", "#350a5a", "#160b39",
};

/* On a dark ground, from where it can be seen there to the end: many are light. */
static const char *const dark[COLOURS] = {
	"#7c1d6d", "#932667", "#a92e5e", "#be3853", "#d24644", "#e25734",
	"#f06f20", "#f8890c", "#fca50a", "#fac62d", "#f2e661", "#fcffa4",
};

struct picture {
	struct tl_buf b;
	const struct tl_heat_text *text;
	struct tl_heat *h; /* a copy */
	int64_t wall_ns;
	uint64_t from, to;     /* time, in ns */
	unsigned int low, end; /* bins */
	uint64_t max;          /* of a cell */
	unsigned int octaves;  /* that a colour spans */
};

static int64_t wall_of(const struct picture *p, uint64_t ns, struct tm *tm)
{
	int64_t wall = (int64_t)(ns + (uint64_t)p->wall_ns);
	time_t sec = wall / NS_PER_SEC - (wall % NS_PER_SEC < 0);

	*tm = (struct tm){ 0 };
	localtime_r(&sec, tm);
	return wall;
}

/* With a date when the run is longer than a day. */
static const char *wall_text(const struct picture *p, uint64_t ns, bool with_ms,
			     char text[WALL_ROOM])
{
	bool dated = p->to - p->from > NS_PER_DAY;
	struct tm tm;
	int64_t wall = wall_of(p, ns, &tm);
	int64_t ms = (wall % NS_PER_SEC + NS_PER_SEC) % NS_PER_SEC / 1000000;
	size_t len = strftime(text, WALL_ROOM, dated ? "%m-%d %T" : "%T", &tm);

	if (with_ms)
		snprintf(text + len, WALL_ROOM - len, ".%03d", (int)ms);
	return text;
}

static unsigned int x_of(const struct picture *p, uint64_t ns)
{
	uint64_t in = ns < p->from ? 0 : ns - p->from;

	return (unsigned int)((double)in / (double)(p->to - p->from) *
			      (WIDTH * FINE));
}

static unsigned int y_of(const struct picture *p, unsigned int bin)
{
	return (p->end - bin) * HEIGHT * FINE / (p->end - p->low);
}

static unsigned int octave(uint64_t count)
{
	return 63u - (unsigned int)__builtin_clzll(count | 1);
}

/* The steps that are in use share all of the colours. */
static const char *colour_of(const struct picture *p, unsigned int step)
{
	unsigned int last = octave(p->max) / p->octaves;

	return colours[last ? step * (COLOURS - 1) / last : 0];
}

static void add_cell(struct picture *p, unsigned int column, unsigned int bin,
		     const char *when)
{
	uint64_t count = p->h->cell[column][bin];
	uint64_t start = tl_heat_start(p->h, column);
	unsigned int x = x_of(p, start), y = y_of(p, bin + 1);

	tl_buf_printf(&p->b,
		      "<rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" "
		      "fill=\"%s\"><title>%s, ",
		      x, y, x_of(p, start + p->h->width) - x, y_of(p, bin) - y,
		      colour_of(p, octave(count) / p->octaves), when);
	p->h->axis->range(&p->b, bin);
	tl_buf_str(&p->b, ": ");
	tl_svg_amount(&p->b, count, p->text->unit);
	if (p->text->cell)
		p->text->cell(p->text->ctx, &p->b, start, p->h->width, bin);
	tl_buf_str(&p->b, "</title></rect>\n");
}

/* @ns, or where the picture ends. */
static uint64_t end_of(const struct picture *p, uint64_t ns)
{
	return ns < p->to ? ns : p->to;
}

/* Bins from @low to @end of the second that @ns is in. */
static void add_outside(struct picture *p, uint64_t ns, unsigned int low,
			unsigned int end)
{
	const uint64_t in = (ns + p->h->shift) % NS_PER_SEC;
	const uint64_t start = ns > in ? ns - in : 0;
	unsigned int x = x_of(p, start), y = y_of(p, end);

	tl_buf_printf(&p->b,
		      "<rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" "
		      "class=\"outside\" fill=\"#eee\"/>\n",
		      LEFT + x / FINE, TOP + y / FINE,
		      (x_of(p, end_of(p, start + NS_PER_SEC)) - x) / FINE,
		      (y_of(p, low) - y) / FINE);
}

/*
 * Of the seconds in which the run began and ended a part is not of the run: that nothing
 * is there says nothing.  Columns of several seconds have some of each row.
 */
static bool has_outside(const struct picture *p)
{
	return p->h->axis == &tl_heat_offset && p->h->width == NS_PER_SEC;
}

static void add_both_outside(struct picture *p)
{
	const uint64_t shift = p->h->shift, bin = NS_PER_SEC / TL_HEAT_OFFSETS;
	const uint64_t start = (p->text->start_ns + shift) % NS_PER_SEC,
		       end = (p->text->end_ns + shift) % NS_PER_SEC;

	if (!has_outside(p))
		return;
	if (start >= bin)
		add_outside(p, p->text->start_ns, 0,
			    (unsigned int)(start / bin));
	if (end)
		add_outside(p, p->text->end_ns,
			    (unsigned int)((end + bin - 1) / bin),
			    TL_HEAT_OFFSETS);
}

static void add_column(struct picture *p, unsigned int column)
{
	uint64_t start = tl_heat_start(p->h, column);
	char from[WALL_ROOM], to[WALL_ROOM], when[2 * WALL_ROOM + 3];
	unsigned int bin;

	wall_text(p, start, true, from);
	wall_text(p, start + p->h->width, true, to);
	snprintf(when, sizeof(when), "%s - %s", from, to);
	for (bin = 0; bin < TL_HEAT_BINS; bin++)
		if (p->h->cell[column][bin])
			add_cell(p, column, bin, when);
}

static void add_cells(struct picture *p)
{
	unsigned int i;

	tl_buf_printf(&p->b,
		      "<g transform=\"translate(%d %d) scale(.1)\" "
		      "shape-rendering=\"crispEdges\">\n",
		      LEFT, TOP);
	for (i = 0; i < p->h->used; i++)
		add_column(p, i);
	tl_buf_str(&p->b, "</g>\n");
	if (!p->h->total)
		tl_buf_printf(&p->b,
			      "<text x=\"%d\" y=\"%d\" font-size=\"20\" "
			      "text-anchor=\"middle\">no %s</text>\n",
			      LEFT + WIDTH / 2, TOP + HEIGHT / 2,
			      p->text->unit);
}

static void add_other_axis(struct picture *p)
{
	const struct tl_heat_axis *axis = p->h->axis;
	unsigned int bin = (p->low + axis->step - 1) / axis->step * axis->step;

	for (; bin <= p->end; bin += axis->step) {
		unsigned int y = TOP + y_of(p, bin) / FINE;

		tl_buf_printf(
			&p->b,
			"<path d=\"M%d %uh%d\"/>\n<text x=\"%d\" y=\"%u\" "
			"text-anchor=\"end\">",
			LEFT - 5, y, WIDTH + 5, LEFT - 10, y + 4);
		axis->label(&p->b, bin);
		tl_buf_str(&p->b, "</text>\n");
	}
}

/* In ms; what follows is doubled. */
static const unsigned int tick_steps[] = {
	5,        10,       20,       50,       100,     200,     500,
	1000,     2000,     5000,     10000,    15000,   30000,   60000,
	120000,   300000,   600000,   900000,   1800000, 3600000, 7200000,
	10800000, 21600000, 43200000, 86400000,
};

static uint64_t tick_step(uint64_t range)
{
	const unsigned int *ms = tick_steps;
	uint64_t step = *ms * 1000000ull;

	while (range / step > MAX_TICKS)
		step = *ms < 86400000 ? *++ms * 1000000ull : step * 2;
	return step;
}

/* How far before @ns the last tick is: they are round in local time. */
static uint64_t since_tick(const struct picture *p, uint64_t ns, int64_t step)
{
	struct tm tm;
	int64_t wall = wall_of(p, ns, &tm) % step;

	wall += tm.tm_gmtoff * (int64_t)NS_PER_SEC % step;
	return (uint64_t)((wall % step + step) % step);
}

static void add_time_axis(struct picture *p)
{
	uint64_t step = tick_step(p->to - p->from);
	uint64_t before = since_tick(p, p->from, (int64_t)step);
	uint64_t ns = p->from + (before ? step - before : 0);
	char text[WALL_ROOM];

	for (; ns <= p->to; ns += step) {
		unsigned int x = LEFT + x_of(p, ns) / FINE;

		tl_buf_printf(
			&p->b,
			"<path d=\"M%u %dv%d\"/>\n<text x=\"%u\" y=\"%d\" "
			"text-anchor=\"middle\">%s</text>\n",
			x, TOP, HEIGHT + 5, x, BOTTOM + 20,
			wall_text(p, ns, step < NS_PER_SEC, text));
	}
}

/* What it says is in a line of its own: many colours leave no room beside them. */
static void add_legend(struct picture *p)
{
	unsigned int last = octave(p->max) / p->octaves, i, x = LEFT;
	unsigned int wide =
		last < LEGEND / SWATCH ? SWATCH : LEGEND / (last + 1);

	if (!p->max)
		return;
	for (i = 0; i <= last; i++, x += wide)
		tl_buf_printf(&p->b,
			      "<rect x=\"%u\" y=\"%d\" width=\"%u\" "
			      "height=\"14\" fill=\"%s\"/>"
			      "<text x=\"%u\" y=\"%d\">%llu</text>\n",
			      x, BOTTOM + 44, wide, colour_of(p, i), x,
			      BOTTOM + 74, 1ull << i * p->octaves);
	tl_buf_printf(&p->b,
		      "<text x=\"%u\" y=\"%d\">%s per cell, at most %llu%s"
		      "</text>\n",
		      LEFT, BOTTOM + 92, p->text->unit,
		      (unsigned long long)p->max,
		      has_outside(p) ? "; grey: not of the run" : "");
}

/* A cell has its colour as an attribute, for readers that know no style sheets. */
static void add_style(struct picture *p)
{
	size_t i;

	tl_buf_printf(&p->b,
		      "<style>.heat path{stroke:#ddd}"
		      ".heat g rect:hover{stroke:#000;stroke-width:%d}\n"
		      "@media(prefers-color-scheme:dark){"
		      ".heat{fill:#ddd;color-scheme:dark}"
		      ".heat .back{fill:#1c1c1c}.heat .minor{fill:#aaa}"
		      ".heat path{stroke:#444}.heat .outside{fill:#333}"
		      ".heat g rect:hover{stroke:#fff}\n",
		      FINE);
	for (i = 0; i < COLOURS; i++)
		tl_buf_printf(&p->b, ".heat [fill='%s']{fill:%s}\n", colours[i],
			      dark[i]);
	tl_buf_str(&p->b, "}</style>\n");
}

static void add_head(struct picture *p)
{
	const struct tl_heat_text *text = p->text;

	tl_svg_begin(&p->b, text->origin, " class=\"heat\"",
		     LEFT + WIDTH + RIGHT, BOTTOM + 106, text->title);
	add_style(p);
	tl_buf_printf(&p->b,
		      "<rect width=\"100%%\" height=\"100%%\" class=\"back\" "
		      "fill=\"#fff\"/>\n"
		      "<text x=\"%d\" y=\"32\" font-size=\"20\">",
		      LEFT);
	tl_svg_str(&p->b, text->title);
	tl_buf_str(&p->b, "</text>\n");
	tl_svg_lines(&p->b, text->origin, LEFT, 52, WIDTH + RIGHT);
}

/* On the right, below the map: what it is made of, and of which day. */
static void add_sum(struct picture *p)
{
	char day[WALL_ROOM] = "";
	struct tm tm;

	wall_of(p, p->from, &tm);
	strftime(day, sizeof(day), "%F, UTC%z", &tm);
	tl_buf_printf(&p->b, "<g text-anchor=\"end\"><text x=\"%d\" y=\"%d\">",
		      LEFT + WIDTH, BOTTOM + 56);
	tl_svg_amount(&p->b, p->text->amount, p->text->unit);
	tl_buf_printf(&p->b,
		      ", columns of %g s</text>\n"
		      "<text x=\"%d\" y=\"%d\">%s</text></g>\n</svg>\n",
		      (double)p->h->width / NS_PER_SEC, LEFT + WIDTH,
		      BOTTOM + 74, day);
}

/* All, or the bins in use and some more, at least two decades. */
static void find_bins(struct picture *p)
{
	unsigned int column, bin;

	p->low = TL_HEAT_BINS;
	for (column = 0; column < p->h->used; column++)
		for (bin = 0; bin < TL_HEAT_BINS; bin++) {
			uint64_t count = p->h->cell[column][bin];

			if (count && bin < p->low)
				p->low = bin;
			if (count && bin >= p->end)
				p->end = bin + 1;
			if (count > p->max)
				p->max = count;
		}
	p->octaves = octave(p->max) / COLOURS + 1;
	if (p->h->axis->whole) {
		p->low = 0;
		p->end = p->h->axis->bins;
		return;
	}
	if (!p->max)
		p->low = p->end = EMPTY_BIN;
	p->low -= p->low < MARGIN ? p->low : MARGIN;
	p->end +=
		TL_HEAT_BINS - p->end < MARGIN ? TL_HEAT_BINS - p->end : MARGIN;
	while (p->end - p->low < 2 * TL_HEAT_DECADE) {
		p->low -= p->low > 0;
		p->end += p->end < TL_HEAT_BINS;
	}
}

static void find_times(struct picture *p, const struct tl_heat_text *text)
{
	const struct tl_heat *h = p->h;

	p->from = text->start_ns;
	p->to = text->end_ns;
	if (h->used && tl_heat_start(h, 0) < p->from)
		p->from = tl_heat_start(h, 0);
	if (h->used && tl_heat_start(h, h->used) > p->to)
		p->to = tl_heat_start(h, h->used);
	if (p->to < p->from + h->width)
		p->to = p->from + h->width;
}

/* A short burst in a long run would be too narrow to be seen. */
static void find_width(struct picture *p, const struct tl_heat_text *text)
{
	find_times(p, text);
	while ((p->to - p->from) / p->h->width > TL_HEAT_COLUMNS) {
		tl_heat_widen(p->h);
		find_times(p, text);
	}
}

int tl_heat_svg(const struct tl_heat *h, const struct tl_heat_text *text,
		int fd)
{
	struct picture p = { .wall_ns = text->wall_ns, .text = text };
	int err = -ENOMEM;

	p.h = malloc(sizeof(*h));
	if (!p.h)
		return err;
	*p.h = *h;
	find_width(&p, text);
	find_bins(&p);
	add_head(&p);
	add_both_outside(&p);
	add_other_axis(&p);
	add_time_axis(&p);
	add_cells(&p);
	add_legend(&p);
	add_sum(&p);
	if (!p.b.failed)
		err = tl_svg_write(fd, &p.b);
	tl_buf_free(&p.b);
	free(p.h);
	return err;
}
