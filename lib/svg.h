/* SPDX-License-Identifier: GPL-2.0-or-later */
/* svg.h - what all pictures need: text in XML, and a file to be replaced */
#ifndef TL_SVG_H
#define TL_SVG_H

#include "esc.h"

/**
 * tl_svg_text - append text of any bytes, for an element or an attribute
 *
 * Line breaks and tabs become blanks; what XML forbids, is no UTF-8, or moves
 * a cursor becomes U+FFFD.
 */
void tl_svg_text(struct tl_buf *b, struct tl_str text);
/** tl_svg_str - the same of a string; NULL: nothing */
void tl_svg_str(struct tl_buf *b, const char *text);

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
