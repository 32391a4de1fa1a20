/* SPDX-License-Identifier: GPL-2.0-or-later */
/* num.h - numbers as text */
#ifndef TL_BASE_NUM_H
#define TL_BASE_NUM_H

#include <stdint.h>

#include "base/buf.h"

void tl_num_int(struct tl_buf *b, int64_t num);
void tl_num_uint(struct tl_buf *b, uint64_t num);
/**
 * tl_num_filled - with @fill in front of it up to @width, which is at most 20
 */
void tl_num_filled(struct tl_buf *b, uint64_t n, unsigned int width, char fill);
/** tl_num_hex_unsigned - "0x" and all of it */
void tl_num_hex_unsigned(struct tl_buf *b, uint64_t n);
void tl_num_hex(struct tl_buf *b, int64_t num);
/** tl_num_seconds - with six decimals */
void tl_num_seconds(struct tl_buf *b, int64_t ns);
/** tl_num_long_seconds - with nine decimals */
void tl_num_long_seconds(struct tl_buf *b, int64_t ns);
/** tl_num_msecs - with two decimals */
void tl_num_msecs(struct tl_buf *b, int64_t ns);
/** tl_num_kbytes - KB of 1,024 bytes, with two decimals */
void tl_num_kbytes(struct tl_buf *b, uint64_t bytes);
void tl_num_usecs(struct tl_buf *b, int64_t ns);
/** tl_num_nsecs - us with three decimals */
void tl_num_nsecs(struct tl_buf *b, int64_t ns);
/** tl_num_percent - with one decimal, and "%" */
void tl_num_percent(struct tl_buf *b, int64_t parts);
/**
 * tl_num_fraction - "." and the six digits of @usec, which is less than a
 * second
 */
void tl_num_fraction(struct tl_buf *b, uint64_t usec);

/* Rounds down for times before the epoch too. */
static inline int64_t tl_floor_div(int64_t n, int64_t by)
{
	return n / by - (n % by < 0);
}

static inline int64_t tl_usec_of(int64_t ns)
{
	return tl_floor_div(ns, 1000) +
	       (ns - tl_floor_div(ns, 1000) * 1000 >= 500);
}

#endif
