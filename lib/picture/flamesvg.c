/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flamesvg.c - a flame graph as a picture */
#include <errno.h>

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
#define GREY    "#c8c8c8"

struct picture {
	struct tl_buf b;
	struct tl_flame *f;
	unsigned int depth; /* of what is drawn */
	size_t narrow;      /* frames that are not */
};

static double width_of(const struct picture *p, uint64_t ns)
{
	return (double)ns * INNER / (double)p->f->root->total;
}

static bool is_drawn(const struct picture *p, const struct tl_flame_node *n)
{
	return width_of(p, n->total) >= LEAST;
}

static void measure(struct picture *p)
{
	const struct tl_flame_node *n;

	if (!p->f->root->total)
		return;
	for (n = p->f->root; n; n = tl_flame_next(n))
		if (!is_drawn(p, n))
			p->narrow += n->total > 0;
		else if (n->depth > p->depth)
			p->depth = n->depth;
}

/* ---- colours ---------------------------------------------------------- */

static uint32_t hash_text(const char *text, size_t len)
{
	uint32_t hash = 2166136261;

	while (len--)
		hash = (hash ^ (uint8_t)*text++) * 16777619;
	/* FNV's last bytes reach the upper bits only */
	return hash ^ hash >> 15;
}

/* Red, green or blue (@from 0, 8, 4) of a hue, in degrees. */
static unsigned int channel(unsigned int hue, double light, unsigned int from)
{
	double place = from + hue / 30.0, part;

	if (place >= 12)
		place -= 12;
	part = place < 6 ? place - 3 : 9 - place;
	part = part > 1 ? 1 : part < -1 ? -1 : part;
	/* of a saturation of 60 % */
	return (unsigned int)(255 * (light - .6 * (1 - light) * part) + .5);
}

/*
 * A name has the same colour in every picture.  The hue is that of the name's
 * first word, so that vfs_read and vfs_write are alike; purple is left for what
 * was searched.  Dark text can be read on all.
 */
static unsigned int hue_of_word(const struct tl_flame_node *n)
{
	unsigned int start = 0, end;

	while (start < n->len && n->name[start] == '_')
		start++;
	for (end = start; end < n->len && !strchr("_.:<(", n->name[end]);)
		end++;
	return hash_text(n->name + start, end - start) % 270;
}

/*
 * One hue for sleeps, others for those that ended them: how often a frame is behind
 * TL_FLAME_WOKEN.
 */
static unsigned int hue_of_part(const struct tl_flame_node *n,
				enum tl_flame_palette palette)
{
	static const unsigned int hues[] = { 210, 150, 90, 50, 25 };
	const size_t len = strlen(TL_FLAME_WOKEN);
	unsigned int part = palette == TL_FLAME_WAKERS;

	for (; n->parent && part + 1 < sizeof(hues) / sizeof(hues[0]);
	     n = n->parent)
		part += n->len == len && !memcmp(n->name, TL_FLAME_WOKEN, len);
	return hues[part];
}

static void add_colour(struct tl_buf *b, const struct tl_flame_node *n,
		       enum tl_flame_palette palette)
{
	unsigned int hue;
	double light;

	if (!n->parent || n->name[0] == '[') {
		tl_buf_str(b, GREY);
		return;
	}
	hue = palette == TL_FLAME_NAMES ? hue_of_word(n)
					: hue_of_part(n, palette);
	light = .68 + hash_text(n->name, n->len) % 14 / 100.0;
	tl_buf_printf(b, "#%02x%02x%02x", channel(hue, light, 0),
		      channel(hue, light, 8), channel(hue, light, 4));
}

/* ---- frames ----------------------------------------------------------- */

static void add_time(struct tl_buf *b, uint64_t ns)
{
	static const struct {
		double ns;
		const char *name;
	} units[] = { { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" } };
	unsigned int i = 0;
	double value;

	if (ns < 1000) {
		tl_buf_printf(b, "%u ns", (unsigned int)ns);
		return;
	}
	while ((double)ns < units[i].ns)
		i++;
	value = (double)ns / units[i].ns;
	tl_buf_printf(b, "%.*f %s",
		      value < 10    ? 3
		      : value < 100 ? 2
				    : 1,
		      value, units[i].name);
}

static void add_share(const struct picture *p, struct tl_buf *b, uint64_t ns)
{
	tl_buf_printf(b, "%.2f%%",
		      100 * (double)ns / (double)p->f->root->total);
}

/* The script takes the name from it: what is before the last " (". */
static void add_title(struct picture *p, const struct tl_flame_node *n)
{
	struct tl_buf *b = &p->b;

	tl_buf_str(b, "<title>");
	tl_svg_text(b, (struct tl_str){ n->name, n->len });
	tl_buf_str(b, " (");
	add_time(b, n->total);
	tl_buf_str(b, ", ");
	add_share(p, b, n->total);
	if (n->self && n->self < n->total) {
		tl_buf_str(b, ", self ");
		add_time(b, n->self);
		tl_buf_str(b, ", ");
		add_share(p, b, n->self);
	}
	tl_buf_str(b, ")</title>");
}

/* As many bytes as surely fit: other characters than ASCII can be wider. */
static void add_label(struct tl_buf *b, const struct tl_flame_node *n, double x,
		      unsigned int y, unsigned int room)
{
	unsigned int len = n->len;

	if (len > room && room < MIN_CUT)
		return;
	if (len > room)
		for (len = room - 2; len && (n->name[len] & 0xc0) == 0x80;)
			len--;
	tl_buf_printf(b, "<text x=\"%.2f\" y=\"%u\">", x, y);
	tl_svg_text(b, (struct tl_str){ n->name, len });
	tl_buf_str(b, len < n->len ? "..</text>" : "</text>");
}

/* @start: ns to the left of it. */
static void add_frame(struct picture *p, const struct tl_flame_node *n,
		      uint64_t start)
{
	double x = SIDE + width_of(p, start), width = width_of(p, n->total);
	double room = (width - 6) / TL_SVG_CHAR;
	unsigned int y = TOP + (p->depth - n->depth) * ROW;
	struct tl_buf *b = &p->b;

	tl_buf_printf(b, "<g data-f=\"%u %llu %llu\">", n->depth,
		      (unsigned long long)start, (unsigned long long)n->total);
	add_title(p, n);
	tl_buf_printf(b,
		      "<rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\" "
		      "fill=\"",
		      x, y, width > 2 ? width - .5 : width, ROW - 1);
	add_colour(b, n, p->f->palette);
	tl_buf_str(b, "\"/>");
	if (room >= 1)
		add_label(b, n, x + 3, y + BASE, (unsigned int)room);
	tl_buf_str(b, "</g>\n");
}

/* Children stand side by side from where their parent begins. */
static void add_frames(struct picture *p)
{
	uint64_t start[TL_FLAME_DEPTH + 2] = { 0 };
	const struct tl_flame_node *n;

	tl_buf_printf(&p->b,
		      "<g class=\"frames\" data-side=\"%d\" data-narrow=\"%zu\""
		      " font-family=\"monospace\" fill=\"#111\">\n",
		      SIDE, p->narrow);
	for (n = p->f->root; n; n = tl_flame_next(n)) {
		if (is_drawn(p, n))
			add_frame(p, n, start[n->depth]);
		start[n->depth + 1] = start[n->depth];
		start[n->depth] += n->total;
	}
	tl_buf_str(&p->b, "</g>\n");
}

/* ---- the picture ------------------------------------------------------ */

static void add_head(struct picture *p, unsigned int height, const char *title,
		     const struct tl_origin *origin)
{
	tl_svg_begin(&p->b, origin, " class=\"flame\"", WIDTH, height, title);
	tl_buf_printf(&p->b,
		      "<style>\n%s</style>\n"
		      "<rect class=\"back\" width=\"100%%\" height=\"100%%\" "
		      "fill=\"#fff\"/>\n"
		      "<text x=\"%d\" y=\"28\" font-size=\"18\">",
		      tl_flame_style, SIDE);
	tl_svg_str(&p->b, title);
	tl_buf_str(&p->b, "</text>\n");
	tl_svg_lines(&p->b, origin, SIDE, 46, INNER);
}

static void add_end(struct picture *p, unsigned int height)
{
	if (!p->f->root->total)
		tl_buf_printf(&p->b,
			      "<text x=\"%d\" y=\"%d\" font-size=\"18\" "
			      "text-anchor=\"middle\">nothing was "
			      "recorded</text>\n",
			      WIDTH / 2, TOP);
	if (p->narrow)
		tl_buf_printf(&p->b,
			      "<text x=\"%d\" y=\"%u\" class=\"minor\" "
			      "fill=\"#555\">%zu frame%s too narrow to be "
			      "drawn</text>\n",
			      SIDE, height - 14, p->narrow,
			      p->narrow == 1 ? " is" : "s are");
	if (p->f->root->total)
		tl_buf_printf(&p->b, "<script><![CDATA[\n%s]]></script>\n",
			      tl_flame_script);
	tl_buf_str(&p->b, "</svg>\n");
}

int tl_flame_svg(struct tl_flame *f, const char *title,
		 const struct tl_origin *origin)
{
	struct picture p = { .f = f };
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
	err = p.b.failed ? -ENOMEM : tl_svg_write(f->fd, &p.b);
	tl_buf_free(&p.b);
	return err;
}
