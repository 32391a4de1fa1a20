/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * num.c - numbers and times as digits; printf() costs more than all else in a
 * row
 */
#include "base/num.h"

#include "base/buf.h"

#define USEC_PER_SEC 1000000

/* Room for any number and what stands around it. */
#define DIGITS 24

static inline unsigned int count_digits(uint64_t n)
{
	unsigned int count = 1;

	for (; n >= 10000; n /= 10000)
		count += 4;
	return count + (n >= 10) + (n >= 100) + (n >= 1000);
}

static const char pairs[] = "00010203040506070809"
			    "10111213141516171819"
			    "20212223242526272829"
			    "30313233343536373839"
			    "40414243444546474849"
			    "50515253545556575859"
			    "60616263646566676869"
			    "70717273747576777879"
			    "80818283848586878889"
			    "90919293949596979899";

static inline void put_pair(char *to, uint64_t n)
{
	memcpy(to, pairs + n * 2, 2);
}

/* Two digits at a time, ending before @end. */
static inline void put_digits(char *end, uint64_t n)
{
	for (; n >= 100; n /= 100) {
		end -= 2;
		put_pair(end, n % 100);
	}
	if (n >= 10)
		put_pair(end - 2, n);
	else
		end[-1] = (char)('0' + n);
}

/* Up to four, as most numbers have; returns how many. */
static inline unsigned int put_few(char *to, unsigned int n)
{
	if (n >= 1000) {
		put_pair(to, n / 100);
		put_pair(to + 2, n % 100);
		return 4;
	}
	if (n >= 100) {
		*to = (char)('0' + n / 100);
		put_pair(to + 1, n % 100);
		return 3;
	}
	if (n >= 10) {
		put_pair(to, n);
		return 2;
	}
	*to = (char)('0' + n);
	return 1;
}

/* Apart, so that those of few digits save no registers for it. */
__attribute__((noinline)) static void add_many(struct tl_buf *b, uint64_t num)
{
	unsigned int len = count_digits(num);
	char *to = tl_buf_room(b, DIGITS);

	if (!to)
		return;
	put_digits(to + len, num);
	b->len += len;
}

void tl_num_uint(struct tl_buf *b, uint64_t num)
{
	if (num < 10000 && b->size - b->len >= DIGITS)
		b->len += put_few(b->data + b->len, (unsigned int)num);
	else
		add_many(b, num);
}

void tl_num_int(struct tl_buf *b, int64_t num)
{
	if (num < 0)
		tl_buf_char(b, '-');
	tl_num_uint(b, num < 0 ? -(uint64_t)num : (uint64_t)num);
}

void tl_num_filled(struct tl_buf *b, uint64_t n, unsigned int width, char fill)
{
	char text[DIGITS], *end = text + sizeof(text);
	unsigned int len = count_digits(n);

	put_digits(end, n);
	for (; len < width && len < sizeof(text); len++)
		*(end - len - 1) = fill;
	tl_buf_add(b, end - len, len);
}

void tl_num_hex_unsigned(struct tl_buf *b, uint64_t n)
{
	size_t len = (67 - (size_t)__builtin_clzll(n | 1)) / 4, i;
	char *to = tl_buf_room(b, len + 2);

	if (!to)
		return;
	to[0] = '0';
	to[1] = 'x';
	for (i = len + 1; i > 1; i--, n >>= 4)
		to[i] = "0123456789abcdef"[n & 15];
	b->len += len + 2;
}

void tl_num_hex(struct tl_buf *b, int64_t num)
{
	if (num < 0)
		tl_num_int(b, num);
	else
		tl_num_hex_unsigned(b, (uint64_t)num);
}

void tl_num_fraction(struct tl_buf *b, uint64_t usec)
{
	char *to = tl_buf_room(b, 7), *p;

	if (!to)
		return;
	for (p = to + 6; p > to; p--, usec /= 10)
		*p = (char)('0' + usec % 10);
	*to = '.';
	b->len += 7;
}

static void add_seconds(struct tl_buf *b, int64_t ns)
{
	int64_t usec = tl_usec_of(ns);
	uint64_t n = usec < 0 ? -(uint64_t)usec : (uint64_t)usec;

	if (usec < 0)
		tl_buf_char(b, '-');
	tl_num_int(b, (int64_t)(n / USEC_PER_SEC));
	tl_num_fraction(b, n % USEC_PER_SEC);
}

void tl_num_seconds(struct tl_buf *b, int64_t ns)
{
	add_seconds(b, ns);
}

static void put_hundredths(struct tl_buf *b, bool is_negative, uint64_t n)
{
	unsigned int len;
	char *to = tl_buf_room(b, DIGITS);

	if (!to)
		return;
	len = is_negative + count_digits(n / 100);
	*to = '-';
	put_digits(to + len, n / 100);
	to[len] = '.';
	to[len + 1] = (char)('0' + n / 10 % 10);
	to[len + 2] = (char)('0' + n % 10);
	b->len += len + 3;
}

void tl_num_msecs(struct tl_buf *b, int64_t ns)
{
	uint64_t n = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;

	put_hundredths(b, ns < 0, (n + 5000) / 10000);
}

void tl_num_kbytes(struct tl_buf *b, uint64_t bytes)
{
	put_hundredths(b, false,
		       bytes / 1024 * 100 + (bytes % 1024 * 100 + 512) / 1024);
}

void tl_num_usecs(struct tl_buf *b, int64_t ns)
{
	tl_num_int(b, tl_usec_of(ns));
}

/* @n in units of which @per make one, with @digits decimals. */
static void add_decimal(struct tl_buf *b, int64_t n, uint64_t per,
			unsigned int digits)
{
	uint64_t all = n < 0 ? -(uint64_t)n : (uint64_t)n;

	if (n < 0)
		tl_buf_char(b, '-');
	tl_num_uint(b, all / per);
	tl_buf_char(b, '.');
	tl_num_filled(b, all % per, digits, '0');
}

void tl_num_nsecs(struct tl_buf *b, int64_t ns)
{
	add_decimal(b, ns, 1000, 3);
}

void tl_num_long_seconds(struct tl_buf *b, int64_t ns)
{
	add_decimal(b, ns, 1000000000, 9);
}

void tl_num_percent(struct tl_buf *b, int64_t parts)
{
	int64_t tenths = (parts + 500000) / 1000000;

	tl_num_int(b, tenths / 10);
	tl_buf_char(b, '.');
	tl_num_int(b, tenths % 10);
	tl_buf_char(b, '%');
}
