/* SPDX-License-Identifier: GPL-2.0-or-later */
/* exposition.h - what counts now and then, as it comes through a pipe */
#ifndef TL_EXPORT_EXPOSITION_H
#define TL_EXPORT_EXPOSITION_H

#include "base/buf.h"

#define TL_EXPOSITION_END "# EOF\n"

/** Texts, each of which ends in a line "# EOF"; as {0} there has been none. */
struct tl_exposition {
	struct tl_buf read;  /* what has come of the next one */
	struct tl_buf whole; /* the last one, without its end */
};

/**
 * tl_exposition_read - read what there is, at most once
 * @max: bytes of a text
 *
 * Returns 1 where a text has become whole, 0 where none has, -EPIPE at the end, -EFBIG
 * where there is no end of a text in sight, or another -errno; without a message.
 */
int tl_exposition_read(struct tl_exposition *e, int fd, size_t max);
/** tl_exposition_free - also where more is read into it later */
void tl_exposition_free(struct tl_exposition *e);

#endif
