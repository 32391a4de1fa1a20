/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flame.h - flame graphs */
#ifndef TRACELET_FLAME_H
#define TRACELET_FLAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)

struct tl_session;
struct tl_str;

/** How frames are coloured. */
enum tl_flame_palette {
	TL_FLAME_NAMES, /* by their names' first words */
	TL_FLAME_SLEEPS, /* blue, and who ended the sleep, behind TL_FLAME_WOKEN, green */
	TL_FLAME_WAKERS, /* green */
	/* by what stands behind names: kernel "_[k]", JIT "_[j]", inlined "_[i]",
	 * waker "_[w]", else of the program */
	TL_FLAME_KINDS,
	TL_FLAME_JAVA, /* the same, and names of Java and C++ by how they look */
	TL_FLAME_HOT,  /* from red to yellow, by names */
	TL_FLAME_MEM,  /* green */
	TL_FLAME_IO,   /* blue */
};

/** struct tl_flame_look - how a picture is drawn; what tools trace is as zeroes */
struct tl_flame_look {
	enum tl_flame_palette palette;
	/* Of what is added up: "samples".  Those of time (ns, us, ms, s) are shown as
	 * in "12.35 ms".  NULL: ns. */
	const char *unit;
	/* Pixels of the narrowest frame that is drawn, in a picture that is 1200
	 * wide; 0: a tenth, negative: all are */
	double least;
	bool inverted; /* the root on top */
	/* What stands behind names, as in TL_FLAME_KINDS, is not shown. */
	bool annotated;
};
/** The frame between a stack and that of who woke its thread. */
#define TL_FLAME_WOKEN "--"

/** struct tl_flame - stacks, and the time spent in each, added up */
struct tl_flame;

/**
 * tl_flame_check - in args: whether @path, of --flamegraph, is for the picture alone;
 * 0, or -errno after a message
 */
int tl_flame_check(struct tl_session *s, const char *path);
/**
 * tl_flame_open - in setup
 * @path: of an SVG file, which is created now and written at the end; NULL:
 *        none, for tl_flame_folded() alone
 *
 * Takes 50 MiB at most, enough for 200,000 different stacks of a kernel: a frame
 * that finds no place becomes "[...]", with all that it called.  So does what is
 * deeper than 511 frames.  NULL after a message.
 */
struct tl_flame *tl_flame_open(struct tl_session *s, const char *path);

/**
 * tl_flame_add - add time to a stack
 * @frames: names, the outermost first, which are copied; "[?]" for an empty one
 * @self:   ns in the last of them, without what it called
 *
 * Fastest when a stack begins like the last one.  Returns 0 or -ENOMEM, without
 * a message.
 */
int tl_flame_add(struct tl_flame *f, const struct tl_str *frames,
		 unsigned int depth, uint64_t self);

/**
 * tl_flame_folded - write lines "outer;inner;innermost TIME", in text output
 * @unit: ns that TIME is counted in, rounded
 *
 * In the order of the frames' names.  It is the time in the last frame itself:
 * a stack with none has no line.  It stands behind the line's last blank, as
 * names can have some; a semicolon in one is "\x3b", and more is escaped as
 * in rows, unless --raw.  Returns 0, or -ENOMEM after a message.
 */
int tl_flame_folded(struct tl_session *s, struct tl_flame *f, uint64_t unit);

/** tl_flame_room - let frames take so many bytes, in front of the first one */
void tl_flame_room(struct tl_flame *f, size_t bytes);
/** tl_flame_look - draw it like that; its unit lives as long as @f */
void tl_flame_look(struct tl_flame *f, const struct tl_flame_look *look);

/**
 * tl_flame_end - write the file, if there is one, and free @f
 * @count: how many @unit ("calls") the picture is of
 *
 * Above it stands the same as with tl_heatmap_end().
 */
int tl_flame_end(struct tl_session *s, struct tl_flame *f, const char *title,
		 uint64_t count, const char *unit);

/**
 * tl_flame_cut - the share, 0 to 1, of the stacks that end in a "[...]", since they
 * were too deep or found no place
 */
double tl_flame_cut(const struct tl_flame *f);

/** What only the old one of two profiles has. */
struct tl_flame_gone {
	/* that only the old one has, or are too narrow to be drawn in the new one,
	 * but not in the old one */
	uint64_t frames;
	double share; /* of its samples that were in these themselves, 0 to 1 */
};

/**
 * tl_flame_compare - colour by what is different from another profile
 * @old:         lives as long as @f, and is not changed
 * @is_absolute: not the shares of both are compared, but amounts, as they are
 *
 * Behind the last tl_flame_add() and tl_flame_look().  Red is a frame whose own share,
 * without what it called, has grown, blue one whose share has shrunk, the stronger the
 * more.
 * What only the old one has is not drawn, but told in @gone.
 */
void tl_flame_compare(struct tl_flame *f, const struct tl_flame *old,
		      bool is_absolute, struct tl_flame_gone *gone);

/** What stands above a picture of what somebody else has recorded. */
struct tl_flame_text {
	const char *title;
	const char *unit;    /* "samples" */
	const char *made_of; /* behind how many there are: which files */
	const char *note;    /* on a line of its own; NULL: nothing */
};

/**
 * tl_flame_draw - write the picture into its file, or to standard output without one
 *
 * Of the machine, times and losses, which it does not know, it says nothing.  Returns
 * 0 or -errno after a message.  Does not free @f.
 */
int tl_flame_draw(struct tl_session *s, struct tl_flame *f,
		  const struct tl_flame_text *text);

/** tl_flame_free - free @f, NULL or not yet ended, and leave the file as it is */
void tl_flame_free(struct tl_flame *f);

#pragma GCC visibility pop

#endif
