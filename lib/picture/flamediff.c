// SPDX-License-Identifier: GPL-2.0-or-later
/* flamediff.c - two flame graphs, compared frame by frame */
#include <math.h>

#include "base/buf.h"
#include "picture/flame.h"
#include "tracelet/flame.h"

/* Each of red, green and blue of what is the same. */
#define SAME 228
/* Of all: where no share has changed more, no colour is as strong as it can be. */
#define LEAST_MOST .01

/* The frame of the same stack, which is asked for in the order of tl_flame_next(). */
static const struct tl_flame_node *counterpart(const struct tl_flame *other,
					       const struct tl_flame_node **at,
					       const struct tl_flame_node *n)
{
	const struct tl_flame_node *parent =
		n->parent ? at[n->depth - 1] : NULL;

	if (!n->parent)
		at[0] = other->root;
	else
		at[n->depth] = parent ? tl_flame_find(other, parent, n) : NULL;
	return at[n->depth];
}

/* Of all that was counted; where amounts are compared, of what is now. */
static double own_share(const struct tl_flame *f, const struct tl_flame *all,
			const struct tl_flame_node *n)
{
	if (!n || !all->root->total)
		return 0;
	return (double)n->self / (double)f->parts * (double)all->parts /
	       (double)all->root->total;
}

const struct tl_flame_node *tl_flame_diff_at(struct tl_flame_diff *d,
					     const struct tl_flame_node *n)
{
	const struct tl_flame *old = d->f->old;
	const struct tl_flame_node *before = counterpart(old, d->at, n);

	d->grown = own_share(d->f, d->f, n) -
		   own_share(old, d->f->is_absolute ? d->f : old, before);
	return before;
}

void tl_flame_diff_begin(struct tl_flame_diff *d, const struct tl_flame *f)
{
	const struct tl_flame_node *n;

	*d = (struct tl_flame_diff){ .f = f, .most = LEAST_MOST };
	for (n = f->root; n; n = tl_flame_next(n)) {
		tl_flame_diff_at(d, n);
		if (fabs(d->grown) > d->most)
			d->most = fabs(d->grown);
	}
}

bool tl_flame_diff_is_same(const struct tl_flame_diff *d)
{
	return fabs(d->grown) < .00005;
}

/* From what is the same to @most. */
static unsigned int towards(int most, double part)
{
	return (unsigned int)(SAME + (most - SAME) * part + .5);
}

void tl_flame_diff_colour(struct tl_buf *b, const struct tl_flame_diff *d)
{
	const double part =
		tl_flame_diff_is_same(d) ? 0 : fabs(d->grown) / d->most;

	if (d->grown > 0)
		tl_buf_printf(b, "#%02x%02x%02x", towards(255, part),
			      towards(110, part), towards(110, part));
	else
		tl_buf_printf(b, "#%02x%02x%02x", towards(110, part),
			      towards(182, part), towards(255, part));
}

/* In a picture of @old that is as that of @f. */
static bool is_drawn_in(const struct tl_flame *old, const struct tl_flame *f,
			const struct tl_flame_node *n)
{
	return tl_flame_width(old, n->total) >= tl_flame_least(f);
}

void tl_flame_compare(struct tl_flame *f, const struct tl_flame *old,
		      bool is_absolute, struct tl_flame_gone *gone)
{
	const struct tl_flame_node *at[TL_FLAME_DEPTH + 2], *now, *n;
	const uint64_t total = old->root->total;
	uint64_t self = 0;

	f->old = old;
	f->is_absolute = is_absolute;
	*gone = (struct tl_flame_gone){ 0 };
	for (n = old->root; n; n = tl_flame_next(n)) {
		now = counterpart(f, at, n);
		if (!n->total || (now && tl_flame_is_drawn(f, now)))
			continue;
		/* nobody would have seen it in a picture of the old one either */
		if (now && now->total && !is_drawn_in(old, f, n))
			continue;
		gone->frames++;
		self += n->self;
	}
	if (total)
		gone->share = (double)self / (double)total;
}
