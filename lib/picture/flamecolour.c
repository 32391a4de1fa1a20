// SPDX-License-Identifier: GPL-2.0-or-later
/* flamecolour.c - which colour a frame of a flame graph has */
#include <string.h>

#include "base/buf.h"
#include "picture/flame.h"
#include "tracelet/flame.h"
#include "tracelet/text.h"

#define GREY "#c8c8c8"

/* Hues, in degrees; purple is left for what was searched. */
enum {
	RED = 0,
	ORANGE = 30,
	YELLOW = 55,
	GREEN = 120,
	AQUA = 180,
	BLUE = 210,
	LEFT = 270,
};

/* ---- names ------------------------------------------------------------ */

char tl_flame_annotation(struct tl_str name)
{
	const char *end = name.text + name.len;

	if (name.len < 5 || memcmp(end - 4, "_[", 2) != 0 || end[-1] != ']' ||
	    !end[-2])
		return 0;
	return strchr("kjiw", end[-2]) ? end[-2] : 0;
}

static char annotation(const struct tl_flame_node *n)
{
	return tl_flame_annotation((struct tl_str){ n->name, n->len });
}

struct tl_str tl_flame_name(const struct tl_flame *f,
			    const struct tl_flame_node *n)
{
	const bool is_cut = f->look.annotated && annotation(n);

	return (struct tl_str){ n->name, n->len - (is_cut ? 4 : 0) };
}

/* ---- hues ------------------------------------------------------------- */

/* Not keyed as the tree's: a name has the same colour in every picture. */
static uint32_t hash_text(const char *text, size_t len)
{
	uint32_t hash = 2166136261;

	while (len--)
		hash = (hash ^ (uint8_t)*text++) * 16777619;
	/* FNV's last bytes reach the upper bits only */
	return hash ^ hash >> 15;
}

/* That of the name's first word, so that vfs_read and vfs_write are alike. */
static unsigned int hue_of_word(const struct tl_flame_node *n)
{
	unsigned int start = 0, end;

	while (start < n->len && n->name[start] == '_')
		start++;
	for (end = start; end < n->len && !strchr("_.:<(", n->name[end]);)
		end++;
	return hash_text(n->name + start, end - start) % LEFT;
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
	unsigned int part = palette == TL_FLAME_WAKERS || annotation(n) == 'w';

	for (; n->parent && part + 1 < sizeof(hues) / sizeof(hues[0]);
	     n = n->parent)
		part += n->len == len && !memcmp(n->name, TL_FLAME_WOKEN, len);
	return hues[part];
}

static bool has(const struct tl_flame_node *n, const char *text)
{
	return memmem(n->name, n->len, text, strlen(text));
}

/* Java's profilers have names with slashes; other names with one are paths. */
static unsigned int hue_of_language(const struct tl_flame_node *n)
{
	if (n->name[0] != '/' && has(n, "/"))
		return GREEN;
	return has(n, "::") ? YELLOW : BLUE;
}

static unsigned int hue_of_kind(const struct tl_flame_node *n,
				enum tl_flame_palette palette)
{
	switch (annotation(n)) {
	case 'k':
		return ORANGE;
	case 'j':
		return GREEN;
	case 'i':
		return AQUA;
	case 'w':
		return YELLOW;
	default:
		return palette == TL_FLAME_JAVA ? hue_of_language(n) : BLUE;
	}
}

static unsigned int hue_of(const struct tl_flame_node *n,
			   enum tl_flame_palette palette)
{
	switch (palette) {
	case TL_FLAME_KINDS:
	case TL_FLAME_JAVA:
		return hue_of_kind(n, palette);
	case TL_FLAME_HOT:
		return RED + hash_text(n->name, n->len) / 16 % YELLOW;
	case TL_FLAME_MEM:
		return GREEN;
	case TL_FLAME_IO:
		return BLUE;
	case TL_FLAME_SLEEPS:
	case TL_FLAME_WAKERS:
		return hue_of_part(n, palette);
	default:
		return hue_of_word(n);
	}
}

/* ---- colours ---------------------------------------------------------- */

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

/* What stands behind a name says more than that the name is not known. */
static bool is_of_kind(const struct tl_flame_node *n, const struct tl_flame *f)
{
	const enum tl_flame_palette palette = f->look.palette;

	return (palette == TL_FLAME_KINDS || palette == TL_FLAME_JAVA) &&
	       annotation(n);
}

void tl_flame_colour(struct tl_buf *b, const struct tl_flame *f,
		     const struct tl_flame_node *n)
{
	unsigned int hue;
	double light;

	if (!n->parent || (n->name[0] == '[' && !is_of_kind(n, f))) {
		tl_buf_str(b, GREY);
		return;
	}
	hue = hue_of(n, f->look.palette);
	light = .68 + hash_text(n->name, n->len) % 14 / 100.0;
	tl_buf_printf(b, "#%02x%02x%02x", channel(hue, light, 0),
		      channel(hue, light, 8), channel(hue, light, 4));
}
