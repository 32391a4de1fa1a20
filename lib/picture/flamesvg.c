/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flamesvg.c - a flame graph as a picture */
#include <errno.h>
#include <math.h>

#include "base/buf.h"
#include "picture/flame.h"
#include "picture/origin.h"
#include "picture/svg.h"
#include "tracelet/flame.h"
#include "tracelet/text.h"

#define WIDTH   1200 /* until a script knows the window */
#define SIDE    12
#define INNER   (WIDTH - 2 * SIDE)
#define TOP     120
#define BOTTOM  56
#define ROW     18
#define BASE    13 /* of the text in a row */
#define LEAST   .1
#define MIN_CUT 5 /* room for a name that does not fit */

struct picture {
	struct tl_buf *b;
	struct tl_flame *f;
	unsigned int depth; /* of what is drawn */
	size_t narrow;      /* frames that are not */
	struct tl_flame_diff diff;
};

double tl_flame_width(const struct tl_flame *f, uint64_t amount)
{
	return (double)amount * INNER / (double)f->root->total;
}

double tl_flame_least(const struct tl_flame *f)
{
	return f->look.least < 0 ? 0 : f->look.least ?: LEAST;
}

bool tl_flame_is_drawn(const struct tl_flame *f, const struct tl_flame_node *n)
{
	return n->total && tl_flame_width(f, n->total) >= tl_flame_least(f);
}

static void measure(struct picture *p)
{
	const struct tl_flame_node *n;

	if (!p->f->root->total)
		return;
	for (n = p->f->root; n; n = tl_flame_next(n))
		if (!tl_flame_is_drawn(p->f, n))
			p->narrow += n->total > 0;
		else if (n->depth > p->depth)
			p->depth = n->depth;
}

/* ---- frames ----------------------------------------------------------- */

static void add_time(struct tl_buf *b, double ns)
{
	static const struct {
		double ns;
		const char *name;
	} units[] = { { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" } };
	unsigned int i = 0;
	double value;

	if (ns < 1000) {
		tl_buf_printf(b, "%.6g ns", ns);
		return;
	}
	while (ns < units[i].ns)
		i++;
	value = ns / units[i].ns;
	tl_buf_printf(b, "%.*f %s",
		      value < 10    ? 3
		      : value < 100 ? 2
				    : 1,
		      value, units[i].name);
}

/* How many ns a unit is; 0: it is none of time. */
static double ns_of(const char *unit)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
	unsigned int i;

	if (!unit)
		return 1;
	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(unit, units[i].name))
			return units[i].ns;
	return 0;
}

void tl_flame_amount(struct tl_buf *b, const struct tl_flame *f,
		     const char *unit, uint64_t amount)
{
	const double ns = ns_of(unit);

	if (ns) {
		add_time(b, (double)amount / (double)f->parts * ns);
		return;
	}
	if (f->parts == 1)
		tl_buf_printf(b, "%llu ", (unsigned long long)amount);
	else
		tl_buf_printf(b, "%.3f ", (double)amount / (double)f->parts);
	/* the usual unit is a word whose singular is known */
	tl_buf_str(b, amount == 1 && f->parts == 1 && !strcmp(unit, "samples")
			      ? "sample"
			      : unit);
}

static void add_amount(const struct picture *p, const struct tl_flame *f,
		       uint64_t amount)
{
	struct tl_buf text = { 0 };

	tl_flame_amount(&text, f, p->f->look.unit, amount);
	tl_svg_text(p->b, tl_buf_text(&text));
	p->b->failed |= text.failed;
	tl_buf_free(&text);
}

/* "18 samples, 20.00%" of what @f has */
static void add_part(const struct picture *p, const struct tl_flame *f,
		     uint64_t amount)
{
	add_amount(p, f, amount);
	tl_buf_printf(p->b, ", %.2f%%",
		      100 * (double)amount / (double)f->root->total);
}

/* A frame's own part, where that is not all. */
static void add_parts(const struct picture *p, const struct tl_flame *f,
		      const struct tl_flame_node *n)
{
	add_part(p, f, n->total);
	if (!n->self || n->self >= n->total)
		return;
	tl_buf_str(p->b, ", self ");
	add_part(p, f, n->self);
}

/* @before: the frame that the old profile has, or NULL */
static void add_difference(const struct picture *p,
			   const struct tl_flame_node *before)
{
	const bool is_same = tl_flame_diff_is_same(&p->diff);
	const struct tl_flame *f = p->f;

	tl_buf_str(p->b, "; before: ");
	if (before && before->total)
		add_parts(p, f->old, before);
	else
		tl_buf_str(p->b, "none");
	if (!f->is_absolute) {
		/* never "-0.00" */
		tl_buf_printf(p->b, "; self %+.2f points",
			      is_same ? 0 : 100 * p->diff.grown);
		return;
	}
	if (is_same) {
		tl_buf_str(p->b, "; self the same");
		return;
	}
	tl_buf_printf(p->b, "; self %c", p->diff.grown < 0 ? '-' : '+');
	add_amount(
		p, f,
		(uint64_t)(fabs(p->diff.grown) * (double)f->root->total + .5));
}

/* The script takes the name from it: what is before the last " (". */
static void add_title(struct picture *p, const struct tl_flame_node *n,
		      const struct tl_flame_node *before)
{
	tl_buf_str(p->b, "<title>");
	tl_svg_text(p->b, tl_flame_name(p->f, n));
	tl_buf_str(p->b, " (");
	add_parts(p, p->f, n);
	if (p->f->old)
		add_difference(p, before);
	tl_buf_str(p->b, ")</title>");
}

static void add_colour(struct picture *p, const struct tl_flame_node *n)
{
	if (p->f->old && n->parent)
		tl_flame_diff_colour(p->b, &p->diff);
	else
		tl_flame_colour(p->b, p->f, n);
}

/* As many bytes as surely fit: other characters than ASCII can be wider. */
static void add_label(struct tl_buf *b, struct tl_str name, double x,
		      unsigned int y, size_t room)
{
	size_t len = name.len;

	if (len > room && room < MIN_CUT)
		return;
	if (len > room)
		for (len = room - 2; len && (name.text[len] & 0xc0) == 0x80;)
			len--;
	tl_buf_printf(b, "<text x=\"%.2f\" y=\"%u\">", x, y);
	tl_svg_text(b, (struct tl_str){ name.text, len });
	tl_buf_str(b, len < name.len ? "..</text>" : "</text>");
}

static unsigned int row_of(const struct picture *p,
			   const struct tl_flame_node *n)
{
	return TOP +
	       (p->f->look.inverted ? n->depth : p->depth - n->depth) * ROW;
}

/* @start: what is to the left of it, as its total is counted. */
static void add_frame(struct picture *p, const struct tl_flame_node *n,
		      const struct tl_flame_node *before, uint64_t start)
{
	double x = SIDE + tl_flame_width(p->f, start);
	double width = tl_flame_width(p->f, n->total);
	double room = (width - 6) / TL_SVG_CHAR;
	unsigned int y = row_of(p, n);
	struct tl_buf *b = p->b;

	tl_buf_printf(b, "<g data-f=\"%u %llu %llu\">", n->depth,
		      (unsigned long long)start, (unsigned long long)n->total);
	add_title(p, n, before);
	tl_buf_printf(b,
		      "<rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\" "
		      "fill=\"",
		      x, y, width > 2 ? width - .5 : width, ROW - 1);
	add_colour(p, n);
	tl_buf_str(b, "\"/>");
	if (room >= 1)
		add_label(b, tl_flame_name(p->f, n), x + 3, y + BASE,
			  (size_t)room);
	tl_buf_str(b, "</g>\n");
}

/* Children stand side by side from where their parent begins. */
static void add_frames(struct picture *p)
{
	uint64_t start[TL_FLAME_DEPTH + 2] = { 0 };
	const struct tl_flame_node *n, *before = NULL;

	if (p->f->old)
		tl_flame_diff_begin(&p->diff, p->f);
	tl_buf_printf(p->b,
		      "<g class=\"frames\" data-side=\"%d\" data-narrow=\"%zu\""
		      "%s font-family=\"monospace\" fill=\"#111\">\n",
		      SIDE, p->narrow,
		      p->f->look.inverted ? " data-inverted=\"\"" : "");
	for (n = p->f->root; n; n = tl_flame_next(n)) {
		if (p->f->old)
			before = tl_flame_diff_at(&p->diff, n);
		if (tl_flame_is_drawn(p->f, n))
			add_frame(p, n, before, start[n->depth]);
		start[n->depth + 1] = start[n->depth];
		start[n->depth] += n->total;
	}
	tl_buf_str(p->b, "</g>\n");
}

/* ---- the picture ------------------------------------------------------ */

static void add_head(struct picture *p, unsigned int height, const char *title,
		     const struct tl_origin *origin)
{
	tl_svg_begin(p->b, origin, " class=\"flame\"", WIDTH, height, title);
	tl_buf_printf(p->b,
		      "<style>\n%s</style>\n"
		      "<rect class=\"back\" width=\"100%%\" height=\"100%%\" "
		      "fill=\"#fff\"/>\n"
		      "<text x=\"%d\" y=\"28\" font-size=\"18\">",
		      tl_flame_style, SIDE);
	tl_svg_str(p->b, title);
	tl_buf_str(p->b, "</text>\n");
	tl_svg_lines(p->b, origin, SIDE, 46, INNER);
}

static void add_end(struct picture *p, unsigned int height)
{
	if (!p->f->root->total)
		tl_buf_printf(p->b,
			      "<text x=\"%d\" y=\"%d\" font-size=\"18\" "
			      "text-anchor=\"middle\">nothing was "
			      "recorded</text>\n",
			      WIDTH / 2, TOP);
	if (p->narrow)
		tl_buf_printf(p->b,
			      "<text x=\"%d\" y=\"%u\" class=\"minor\" "
			      "fill=\"#555\">%zu frame%s too narrow to be "
			      "drawn</text>\n",
			      SIDE, height - 14, p->narrow,
			      p->narrow == 1 ? " is" : "s are");
	if (p->f->root->total)
		tl_buf_printf(p->b, "<script><![CDATA[\n%s]]></script>\n",
			      tl_flame_script);
	tl_buf_str(p->b, "</svg>\n");
}

int tl_flame_drawn(struct tl_flame *f, const char *title,
		   const struct tl_origin *origin, struct tl_buf *b)
{
	struct picture p = { .b = b, .f = f };
	unsigned int height;
	int err = tl_flame_sort(f);

	if (err)
		return err;
	measure(&p);
	height = TOP + (p.depth + 1) * ROW + BOTTOM;
	add_head(&p, height, title, origin);
	if (f->root->total)
		add_frames(&p);
	add_end(&p, height);
	return b->failed ? -ENOMEM : 0;
}

int tl_flame_svg(struct tl_flame *f, const char *title,
		 const struct tl_origin *origin)
{
	struct tl_buf b = { 0 };
	int err = tl_flame_drawn(f, title, origin, &b);

	if (!err)
		err = tl_svg_write(f->fd, &b);
	tl_buf_free(&b);
	return err;
}
