/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flame.h - stacks with the time spent in them, as a tree */
#ifndef TL_PICTURE_FLAME_H
#define TL_PICTURE_FLAME_H

#include "base/buf.h"
#include "tracelet/flame.h"

/** Frames of a stack: of a deeper one the last of so many is a "[...]". */
#define TL_FLAME_DEPTH 512

struct tl_origin;

/** A frame, by the stack that it ends. */
struct tl_flame_node {
	struct tl_flame_node *parent;
	struct tl_flame_node *child, *next; /* the first one's, and siblings */
	struct tl_flame_node *chain;        /* in its bucket */
	uint64_t hash;
	uint64_t self, total; /* ns, or what its unit is */
	unsigned int depth;   /* 0: the root */
	unsigned int len;
	bool is_rest; /* "[...]", for what has no place */
	char name[];
};

struct tl_flame {
	struct tl_flame_node *root;
	struct tl_flame_node **bucket;
	size_t buckets; /* a power of two */
	size_t count;   /* of nodes, without the root */
	size_t used;    /* bytes for them */
	size_t max;     /* of that; beyond, a node only gets a "[...]" */
	uint64_t
		cut; /* amount of stacks that end in one, as there was no place */
	/* The stack that was added last: the next one mostly shares most of
	 * it. */
	struct tl_flame_node *last[TL_FLAME_DEPTH + 1];
	unsigned int depth; /* of that */
	struct tl_flame_look look;
	uint64_t
		parts; /* what is added up is counted in such parts of the unit */
	const struct tl_flame
		*old;     /* what it is compared with; NULL: nothing */
	bool is_absolute; /* amounts are, not shares */
	int fd;           /* of the picture; -1: none */
	const char *path;
};

/**
 * tl_flame_sort - put siblings in the order of their names, by bytes
 *
 * Returns 0 or -ENOMEM.  Stacks can still be added, and undo it.
 */
int tl_flame_sort(struct tl_flame *f);

/**
 * tl_flame_next - the node behind @n when parents come before their children;
 * NULL at the end
 */
struct tl_flame_node *tl_flame_next(const struct tl_flame_node *n);

/** tl_flame_find - the child of @parent that has the name of @n, maybe of another tree */
const struct tl_flame_node *tl_flame_find(const struct tl_flame *f,
					  const struct tl_flame_node *parent,
					  const struct tl_flame_node *n);

/**
 * tl_flame_svg - replace what is in f->fd by a picture of the tree
 *
 * The file stands alone: nothing is loaded.  With scripts it fills the window
 * and can be searched and zoomed; without it is a plain picture, and tooltips
 * tell what a frame stands for.  A frame that would have less than a tenth of a
 * pixel is counted but not drawn.
 *
 * Returns 0 or -errno: after -ENOMEM the file is as it was, else it is empty.
 */
int tl_flame_svg(struct tl_flame *f, const char *title,
		 const struct tl_origin *origin);

/**
 * tl_flame_drawn - the same, appended to @b
 *
 * Returns 0 or -ENOMEM; then what is in @b is not all.
 */
int tl_flame_drawn(struct tl_flame *f, const char *title,
		   const struct tl_origin *origin, struct tl_buf *b);

/** tl_flame_width - pixels of an amount; what was counted is not 0 */
double tl_flame_width(const struct tl_flame *f, uint64_t amount);
/** tl_flame_least - pixels of the narrowest frame that is drawn, 0: of all */
double tl_flame_least(const struct tl_flame *f);
/** tl_flame_is_drawn - or too narrow, or without any time */
bool tl_flame_is_drawn(const struct tl_flame *f, const struct tl_flame_node *n);
/**
 * tl_flame_amount - append "12.35 ms" or "18 samples", as plain text
 * @amount: as @f counts, of @unit
 */
void tl_flame_amount(struct tl_buf *b, const struct tl_flame *f,
		     const char *unit, uint64_t amount);

/* ---- flamecolour.c ---------------------------------------------------- */

/** tl_flame_annotation - the letter in "_[k]" behind a name; 0: there is none */
char tl_flame_annotation(struct tl_str name);
/** tl_flame_name - what is shown of its name */
struct tl_str tl_flame_name(const struct tl_flame *f,
			    const struct tl_flame_node *n);
/** tl_flame_colour - append "#rrggbb", on which dark text can be read */
void tl_flame_colour(struct tl_buf *b, const struct tl_flame *f,
		     const struct tl_flame_node *n);

/* ---- flamediff.c ------------------------------------------------------ */

/** How frames differ from those of f->old, one after the other. */
struct tl_flame_diff {
	const struct tl_flame *f;
	double grown; /* the own share of the frame that was asked for last */
	double most;  /* of all, without its sign; or a hundredth */
	const struct tl_flame_node *at[TL_FLAME_DEPTH + 2];
};

void tl_flame_diff_begin(struct tl_flame_diff *d, const struct tl_flame *f);
/**
 * tl_flame_diff_at - the frame of f->old that has the same stack, or NULL
 *
 * All of them are to be asked for, in the order of tl_flame_next().
 */
const struct tl_flame_node *tl_flame_diff_at(struct tl_flame_diff *d,
					     const struct tl_flame_node *n);
/** tl_flame_diff_is_same - no difference is to be seen, in colours or in points */
bool tl_flame_diff_is_same(const struct tl_flame_diff *d);
/** tl_flame_diff_colour - append red or blue by d->grown, or what is between them */
void tl_flame_diff_colour(struct tl_buf *b, const struct tl_flame_diff *d);

/* ---- flamescript.c ---------------------------------------------------- */

/** Style and script of the picture; without "]]>". */
extern const char tl_flame_style[], tl_flame_script[];

#endif
