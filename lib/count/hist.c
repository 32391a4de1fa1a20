// SPDX-License-Identifier: GPL-2.0-or-later
/* hist.c - histograms and percentiles */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "count/hist.h"
#include "tracelet/message.h"

struct tl_hist {
	const int64_t *points;
	unsigned int buckets; /* one more than points */
	double sum;           /* of the values; it cannot overflow */
	uint64_t count[];
};

struct tl_hist *tl_hist_new(const int64_t *points, unsigned int count)
{
	struct tl_hist *h;

	h = calloc(1, sizeof(*h) + (count + 1) * sizeof(h->count[0]));
	if (!h)
		return NULL;
	h->points = points;
	h->buckets = count + 1;
	return h;
}

void tl_hist_free(struct tl_hist *h)
{
	free(h);
}

void tl_hist_clear(struct tl_hist *h)
{
	memset(h->count, 0, h->buckets * sizeof(h->count[0]));
	h->sum = 0;
}

/* There are few points, and most values lie in the first buckets. */
void tl_hist_add(struct tl_hist *h, int64_t value, uint64_t times)
{
	unsigned int i = 0;

	while (i < h->buckets - 1 && value >= h->points[i])
		i++;
	h->count[i] += times;
	h->sum += (double)value * (double)times;
}

void tl_hist_add_number(struct tl_hist *h, uint64_t number, bool is_signed,
			uint64_t times)
{
	int64_t value = (int64_t)number;

	if (value < 0 && !is_signed)
		value = INT64_MAX;
	tl_hist_add(h, value, times);
}

struct tl_histogram tl_hist_view(const struct tl_hist *h)
{
	return (struct tl_histogram){ .points = h->points,
				      .count = h->buckets - 1,
				      .counts = h->count,
				      .sum = h->sum };
}

const int64_t *tl_hist_times(unsigned int *count)
{
	static const int64_t times[] = {
		1000 + 1,       4000 + 1,      16000 + 1,      64000 + 1,
		256000 + 1,     1024000 + 1,   4096000 + 1,    16384000 + 1,
		65536000 + 1,   262144000 + 1, 1048576000 + 1, 4194304000 + 1,
		16777216000 + 1
	};

	*count = sizeof(times) / sizeof(times[0]);
	return times;
}

uint64_t tl_hist_count(const struct tl_hist *h, unsigned int bucket)
{
	return h->count[bucket];
}

unsigned int tl_hist_used(const struct tl_hist *h)
{
	unsigned int used = h->buckets;

	while (used && !h->count[used - 1])
		used--;
	return used;
}

const char *tl_hist_bar(const struct tl_hist *h, unsigned int bucket)
{
	static const char bar[TL_HIST_BAR + 1] =
		"######################################";
	uint64_t largest = 1;
	unsigned int i, len;

	for (i = 0; i < h->buckets; i++)
		if (h->count[i] > largest)
			largest = h->count[i];
	/* a double: the product may not fit into 64 bits */
	len = (unsigned int)((double)h->count[bucket] * TL_HIST_BAR /
			     (double)largest);
	if (!len && h->count[bucket])
		len = 1;
	return bar + TL_HIST_BAR - len;
}

static int add_point(int64_t **points, unsigned int *count, int64_t point)
{
	int64_t *more = realloc(*points, (*count + 1) * sizeof(**points));

	if (!more)
		return -ENOMEM;
	*points = more;
	more[(*count)++] = point;
	/* nothing is below the least number there is */
	if (point == INT64_MIN)
		return -EINVAL;
	return *count > 1 && point <= more[*count - 2] ? -ERANGE : 0;
}

int tl_hist_points(const char *what, const char *text, int64_t **points,
		   unsigned int *count)
{
	static const char between[] = " \t,";
	const char *p = text + strspn(text, between);
	char *end;
	int ret = *p ? 0 : -EINVAL;

	*points = NULL;
	for (*count = 0; *p && !ret; p = end + strspn(end, between)) {
		errno = 0;
		ret = add_point(points, count, strtoll(p, &end, 10));
		if (end == p || errno || (*end && !strchr(between, *end)))
			ret = -EINVAL;
	}
	if (!ret)
		return 0;
	free(*points);
	*points = NULL;
	if (ret == -ERANGE)
		return tl_usage("%s: \"%s\": the numbers must increase", what,
				text);
	return tl_usage("%s: \"%s\" is not a list of numbers like \"1 8 64\"",
			what, text);
}

int tl_hist_powers(unsigned int power, uint64_t max, int64_t **points,
		   unsigned int *count)
{
	const uint64_t limit = max < INT64_MAX ? max : INT64_MAX;
	uint64_t point = 1;
	int ret;

	*points = NULL;
	*count = 0;
	ret = add_point(points, count, 0);
	while (!ret && point <= limit) {
		ret = add_point(points, count, (int64_t)point);
		/* the next one may not fit */
		point = point > limit / power ? UINT64_MAX : point * power;
	}
	return ret;
}

/* ---- percentiles ------------------------------------------------------ */

/*
 * Values below EXACT are counted exactly, above that in PARTS equal parts
 * of each power of two.
 */
#define PART_BITS 7
#define PARTS     (1U << PART_BITS)
#define EXACT     (2U << PART_BITS)
#define CELLS     ((64 - PART_BITS + 1) * PARTS)

struct tl_spread {
	uint64_t count, largest;
	uint64_t cells[CELLS];
};

struct tl_spread *tl_spread_new(void)
{
	return calloc(1, sizeof(struct tl_spread));
}

void tl_spread_free(struct tl_spread *d)
{
	free(d);
}

void tl_spread_clear(struct tl_spread *d)
{
	memset(d, 0, sizeof(*d));
}

static unsigned int cell_of(uint64_t value)
{
	unsigned int shift;

	if (value < EXACT)
		return (unsigned int)value;
	shift = 63 - PART_BITS - (unsigned int)__builtin_clzll(value);
	return (shift << PART_BITS) + (unsigned int)(value >> shift);
}

/* The largest value of a cell. */
static uint64_t value_of(unsigned int cell)
{
	unsigned int shift;

	if (cell < EXACT)
		return cell;
	shift = (cell >> PART_BITS) - 1;
	return (((uint64_t)(cell & (PARTS - 1)) + PARTS + 1) << shift) - 1;
}

void tl_spread_add(struct tl_spread *d, uint64_t value)
{
	d->count++;
	if (value > d->largest)
		d->largest = value;
	d->cells[cell_of(value)]++;
}

uint64_t tl_spread_count(const struct tl_spread *d)
{
	return d->count;
}

uint64_t tl_spread_at(const struct tl_spread *d, double percent)
{
	double rank = (double)d->count * percent / 100;
	uint64_t seen = 0, value;
	unsigned int i;

	for (i = 0; i < CELLS; i++) {
		seen += d->cells[i];
		if (d->cells[i] && (double)seen >= rank)
			break;
	}
	if (i == CELLS)
		return d->largest;
	value = value_of(i);
	return value < d->largest ? value : d->largest;
}
