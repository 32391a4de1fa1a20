/* SPDX-License-Identifier: GPL-2.0-or-later */
/* svg.h - what all pictures need: text in XML, and a file to be replaced */
#ifndef TL_PICTURE_SVG_H
#define TL_PICTURE_SVG_H

#include <stdint.h>

#include "base/buf.h"
#include "tracelet/text.h"

/**
 * tl_svg_text - append text of any bytes, for an element or an attribute
 *
 * Line breaks and tabs become blanks; what XML forbids, is no UTF-8, or moves
 * a cursor becomes U+FFFD.
 */
void tl_svg_text(struct tl_buf *b, struct tl_str text);
/** tl_svg_str - the same of a string; NULL: nothing */
void tl_svg_str(struct tl_buf *b, const char *text);

/** tl_svg_amount - append how many, as people say it: "1 call" of @unit "calls" */
void tl_svg_amount(struct tl_buf *b, uint64_t count, const char *unit);

struct tl_origin;

/**
 * tl_svg_begin - append all down to the title: root, title, description
 * @attributes: more of them, of the root; "" for none
 */
void tl_svg_begin(struct tl_buf *b, const struct tl_origin *o,
		  const char *attributes, unsigned int width,
		  unsigned int height, const char *title);

/**
 * tl_svg_lines - append what is to stand under the title
 * @x, @y:  of the first line
 * @width:  that they have; what is longer is cut, and ends with ".."
 *
 * The whole text is in each line's <title>, which browsers show as a tooltip.
 */
void tl_svg_lines(struct tl_buf *b, const struct tl_origin *o, unsigned int x,
		  unsigned int y, unsigned int width);

/** Between lines of it. */
#define TL_SVG_PITCH 14
/** Of a character of a monospaced font of 12 px; some are less wide. */
#define TL_SVG_CHAR 7.25

struct tl_session;

/**
 * tl_svg_claim - in args: note that @option writes a picture to @path
 *
 * Nothing else of the run may be written there or read from there: not another
 * picture, the output, or the capture, by whatever names.  Nothing is created.
 * Returns 0, -EINVAL after tl_usage(), or -ENOMEM after a message.
 */
int tl_svg_claim(struct tl_session *s, const char *option, const char *path);

/**
 * tl_svg_check - for --check: whether all that were noted can be opened, without that
 *
 * Returns 0, or -errno after a message.
 */
int tl_svg_check(const struct tl_session *s);

/**
 * tl_svg_open - open the file that a picture is to be written to at the end
 *
 * It is created, and must be a regular one, but is not emptied: until then what
 * was there is better than nothing.  Returns a descriptor, or -errno after a
 * message.
 */
int tl_svg_open(const char *path);

/**
 * tl_svg_write - replace what is in @fd
 * @fd: a regular file, open for writing, without O_APPEND
 *
 * What fails leaves nothing: neither half a picture nor the rest of another.
 * Returns 0 or -errno, without a message.
 */
int tl_svg_write(int fd, const struct tl_buf *b);

#endif
