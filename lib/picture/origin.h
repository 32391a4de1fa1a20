/* SPDX-License-Identifier: GPL-2.0-or-later */
/* origin.h - what a picture says of the run that it is of */
#ifndef TL_PICTURE_ORIGIN_H
#define TL_PICTURE_ORIGIN_H

#include <stdint.h>

#include "base/buf.h"

struct tl_session;

#define TL_ORIGIN_LINES 3

/**
 * Who reads a picture a month later asks of which machine it is, of when, by
 * which command, and whether it is of all that happened.
 *
 * For programs these are attributes data-NAME of the root element, which SVG 2
 * has for such data: they need no vocabulary of our own, as RDF in <metadata>
 * would, one XPath gets them ("//@data-host"), and they stay with a
 * picture that is put into a page.
 */
struct tl_origin {
	struct tl_buf data; /* the attributes, as XML */
	/* What stands under the title, as text: of the run, its command, and
	 * the one that read its capture.  Some may be empty. */
	struct tl_buf line[TL_ORIGIN_LINES];
};

/**
 * tl_origin_make - what there is to say when the run has ended
 * @s:      of a capture all is that of its run; NULL: there was none
 * @count:  how many @unit the picture is made of
 * @detail: what it was restricted to; NULL or empty: nothing
 *
 * What an old capture does not tell is left out.  Where memory ends, one of
 * the buffers has failed.  End with tl_origin_free().
 */
void tl_origin_make(struct tl_session *s, struct tl_origin *o, uint64_t count,
		    const char *unit, const char *detail);
/**
 * tl_origin_amount - the same, of what somebody else has recorded
 * @count: how many @unit, for programs: it may have a fraction
 * @shown: the same for people: "12.35 ms"
 */
void tl_origin_amount(struct tl_origin *o, const char *count, const char *unit,
		      const char *shown, const char *detail);
/**
 * tl_origin_drawn - add who has drawn it, of what somebody else has recorded
 * @note: for a line of its own; NULL: none
 */
void tl_origin_drawn(struct tl_session *s, struct tl_origin *o,
		     const char *note);
void tl_origin_free(struct tl_origin *o);

/** tl_origin_keep - note the machine, for who reads the capture */
void tl_origin_keep(struct tl_session *s);

#endif
