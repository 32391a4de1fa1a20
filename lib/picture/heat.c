/* SPDX-License-Identifier: GPL-2.0-or-later */
/* heat.c - heat maps: what is counted, and lines on a terminal */
#include "picture/heat.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

#define FIRST_WIDTH 50000000
#define SECOND      1000000000ull
#define OFFSET      (SECOND / TL_HEAT_OFFSETS)

#define DECADE(us)                                                      \
	1000ull * (us), 1334ull * (us), 1778ull * (us), 2371ull * (us), \
		3162ull * (us), 4217ull * (us), 5623ull * (us), 7499ull * (us)

const uint64_t tl_heat_bound[TL_HEAT_BINS + 1] = {
	DECADE(1),       DECADE(10),       DECADE(100),
	DECADE(1000),    DECADE(10000),    DECADE(100000),
	DECADE(1000000), DECADE(10000000), 100000000000,
};

static unsigned int bin_of(uint64_t latency)
{
	unsigned int bin = 0, step;

	for (step = TL_HEAT_BINS / 2; step; step /= 2)
		if (latency >= tl_heat_bound[bin + step])
			bin += step;
	return bin;
}

/* ---- axes ------------------------------------------------------------- */

static void add_latency(struct tl_buf *b, uint64_t ns)
{
	if (ns < 1000000)
		tl_buf_printf(b, "%.3g us", (double)ns / 1e3);
	else if (ns < SECOND)
		tl_buf_printf(b, "%.3g ms", (double)ns / 1e6);
	else
		tl_buf_printf(b, "%.3g s", (double)ns / 1e9);
}

/* What takes less than the first bound is in the first bin, too. */
static void label_latency(struct tl_buf *b, unsigned int bin)
{
	if (bin)
		add_latency(b, tl_heat_bound[bin]);
	else
		tl_buf_char(b, '0');
}

static void range_latency(struct tl_buf *b, unsigned int bin)
{
	add_latency(b, bin ? tl_heat_bound[bin] : 0);
	if (bin == TL_HEAT_BINS - 1) {
		tl_buf_str(b, " and more");
	} else {
		tl_buf_str(b, " - ");
		add_latency(b, tl_heat_bound[bin + 1]);
	}
}

static void label_offset(struct tl_buf *b, unsigned int bin)
{
	tl_buf_printf(b, "%u ms", (unsigned int)(bin * OFFSET / 1000000));
}

static void range_offset(struct tl_buf *b, unsigned int bin)
{
	label_offset(b, bin);
	tl_buf_str(b, " - ");
	label_offset(b, bin + 1);
}

static void label_share(struct tl_buf *b, unsigned int bin)
{
	tl_buf_printf(b, "%u %%", bin * 100 / TL_HEAT_SHARES);
}

static void range_share(struct tl_buf *b, unsigned int bin)
{
	label_share(b, bin);
	tl_buf_str(b, " - ");
	label_share(b, bin + 1);
}

const struct tl_heat_axis tl_heat_latency = {
	.bins = TL_HEAT_BINS,
	.step = TL_HEAT_DECADE,
	.width = FIRST_WIDTH,
	.label = label_latency,
	.range = range_latency,
};

const struct tl_heat_axis tl_heat_offset = {
	.bins = TL_HEAT_OFFSETS,
	.step = TL_HEAT_OFFSETS / 10,
	.whole = true,
	.width = SECOND,
	.label = label_offset,
	.range = range_offset,
};

const struct tl_heat_axis tl_heat_share = {
	.bins = TL_HEAT_SHARES,
	.step = TL_HEAT_SHARES / 10,
	.whole = true,
	.width = FIRST_WIDTH,
	.label = label_share,
	.range = range_share,
};

/* ---- the map ---------------------------------------------------------- */

struct tl_heat *tl_heat_new(const struct tl_heat_axis *axis, uint64_t shift)
{
	struct tl_heat *h = calloc(1, sizeof(*h));

	if (!h)
		return NULL;
	h->axis = axis;
	h->shift = shift;
	h->width = axis->width;
	return h;
}

void tl_heat_free(struct tl_heat *h)
{
	free(h);
}

static bool fits(const struct tl_heat *h, uint64_t place)
{
	if (place < h->first)
		return h->first + h->used - place <= TL_HEAT_COLUMNS;
	return place - h->first < TL_HEAT_COLUMNS;
}

void tl_heat_widen(struct tl_heat *h)
{
	unsigned int odd = h->first % 2, i, bin;

	for (i = 0; i < h->used; i++) {
		uint64_t *from = h->cell[i], *to = h->cell[(odd + i) / 2];

		if (from == to)
			continue;
		for (bin = 0; bin < TL_HEAT_BINS; bin++)
			to[bin] += from[bin];
		memset(from, 0, sizeof(h->cell[i]));
	}
	h->used = (odd + h->used + 1) / 2;
	h->first /= 2;
	h->width *= 2;
}

static void prepend(struct tl_heat *h, size_t columns)
{
	memmove(h->cell[columns], h->cell[0], h->used * sizeof(h->cell[0]));
	memset(h->cell[0], 0, columns * sizeof(h->cell[0]));
	h->first -= columns;
	h->used += (unsigned int)columns;
}

uint64_t tl_heat_start(const struct tl_heat *h, unsigned int column)
{
	uint64_t start = (h->first + column) * h->width;

	return start > h->shift ? start - h->shift : 0;
}

void tl_heat_count(struct tl_heat *h, uint64_t ns, unsigned int bin)
{
	unsigned int column;
	uint64_t place;

	/* the ends of columns must not overflow */
	if (ns > INT64_MAX)
		ns = INT64_MAX;
	ns += h->shift;
	if (!h->total++)
		h->first = ns / h->width;
	while (!fits(h, place = ns / h->width))
		tl_heat_widen(h);
	if (place < h->first)
		prepend(h, h->first - place);
	column = (unsigned int)(place - h->first);
	if (column >= h->used)
		h->used = column + 1;
	h->cell[column][bin]++;
}

void tl_heat_add(struct tl_heat *h, uint64_t ns, uint64_t latency)
{
	tl_heat_count(h, ns, bin_of(latency));
}

void tl_heat_moment(struct tl_heat *h, uint64_t ns)
{
	tl_heat_count(h, ns, (unsigned int)((ns + h->shift) % SECOND / OFFSET));
}

/* ---- a terminal ------------------------------------------------------- */

void tl_heat_bin(struct tl_heat_bins *bins, uint64_t latency)
{
	bins->count[bin_of(latency)]++;
}

void tl_heat_scale(struct tl_buf *b)
{
	tl_buf_str(b, "1us     10us    100us   1ms     "
		      "10ms    100ms   1s      10s");
}

/* 0 for none, else 1 to 9: from 1, 3, 10, 30, ... on. */
static unsigned int density(uint64_t count)
{
	unsigned int step = 0;
	uint64_t least;

	for (least = 1; step < 9 && count >= least; least *= 10)
		step += 1 + (step < 8 && count >= 3 * least);
	return step;
}

void tl_heat_line(const struct tl_heat_bins *bins, bool colour,
		  struct tl_buf *b)
{
	/* lightness rises evenly; seen on black and on white */
	static const uint8_t shades[] = { 0,   54,  90,  125, 161,
					  167, 203, 209, 215, 221 };
	unsigned int bin, step, last = 0;

	for (bin = 0; bin < TL_HEAT_BINS; bin++) {
		step = density(bins->count[bin]);
		if (colour && step != last)
			tl_buf_printf(b, step ? "\33[48;5;%dm" : "\33[0m",
				      shades[step]);
		last = step;
		if (!step && bin % TL_HEAT_DECADE == 0)
			tl_buf_char(b, '|');
		else
			tl_buf_char(b, colour ? ' ' : " .:-=+*#%@"[step]);
	}
	if (colour && last)
		tl_buf_str(b, "\33[0m");
}
