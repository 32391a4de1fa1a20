/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tally.h - how often each number came, straight from sub-buffers */
#ifndef TL_RECORD_TALLY_H
#define TL_RECORD_TALLY_H

#include "record/page.h"
#include "tracelet/event.h"
#include "tracelet/tally.h"

/** Which records are counted, and by what. */
struct tl_tallied {
	struct tl_tally *tally; /* NULL: none */
	struct tl_field by, pid;
	uint16_t id;  /* of the event */
	int32_t self; /* thread whose records are not */
};

/**
 * tl_tally_run - count record @r and those behind it that are like it
 *
 * Like it: of the same event and size, and not newer than @until.  @r is long
 * enough for both fields.  Leaves @page in front of the first other one, and
 * returns how many it took.
 */
uint64_t tl_tally_run(const struct tl_tallied *what, struct tl_page *page,
		      const struct tl_record *r, uint64_t until);

#endif
