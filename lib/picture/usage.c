// SPDX-License-Identifier: GPL-2.0-or-later
/* usage.c - how much of the time processors were busy, in columns of a heat map */
#include "picture/usage.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "picture/heat.h"

#define UNKNOWN UINT_MAX

/* Of a column, in ns. */
struct share {
	uint64_t busy, known;
};

struct tl_usage {
	bool begun;
	uint64_t base;  /* ns: nothing before is taken */
	uint64_t width; /* of a column */
	uint64_t first; /* place of column 0 in the grid */
	unsigned int count;
	struct share **cpus; /* TL_HEAT_COLUMNS each; NULL: nothing of it yet */
};

struct tl_usage *tl_usage_new(void)
{
	struct tl_usage *u = calloc(1, sizeof(*u));

	if (u)
		u->width = tl_heat_share.width;
	return u;
}

void tl_usage_free(struct tl_usage *u)
{
	unsigned int cpu;

	for (cpu = 0; u && cpu < u->count; cpu++)
		free(u->cpus[cpu]);
	if (u)
		free(u->cpus);
	free(u);
}

static struct share *cpu_of(struct tl_usage *u, unsigned int cpu)
{
	struct share **more;

	if (cpu >= u->count) {
		more = reallocarray(u->cpus, cpu + 1ul, sizeof(*more));
		if (!more)
			return NULL;
		memset(more + u->count, 0,
		       (cpu + 1ul - u->count) * sizeof(*more));
		u->cpus = more;
		u->count = cpu + 1;
	}
	if (!u->cpus[cpu])
		u->cpus[cpu] = calloc(TL_HEAT_COLUMNS, sizeof(struct share));
	return u->cpus[cpu];
}

int tl_usage_expect(struct tl_usage *u, unsigned int cpu)
{
	return cpu_of(u, cpu) ? 0 : -ENOMEM;
}

static void widen_cpu(struct share *shares, unsigned int odd)
{
	unsigned int i, to;

	for (i = 0; i < TL_HEAT_COLUMNS; i++) {
		const struct share was = shares[i];

		to = (odd + i) / 2;
		shares[i] = (struct share){ 0 };
		shares[to].busy += was.busy;
		shares[to].known += was.known;
	}
}

/* Even with odd, whatever is the first: as tl_heat_widen(). */
static void widen(struct tl_usage *u)
{
	unsigned int cpu;

	for (cpu = 0; cpu < u->count; cpu++)
		if (u->cpus[cpu])
			widen_cpu(u->cpus[cpu], u->first % 2);
	u->first /= 2;
	u->width *= 2;
}

static void begin(struct tl_usage *u, uint64_t start)
{
	if (u->begun)
		return;
	u->begun = true;
	u->base = start;
	u->first = start / u->width;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Have a column for all that is before @to, which is behind the base. */
static void make_room(struct tl_usage *u, uint64_t to)
{
	while ((to - 1) / u->width - u->first >= TL_HEAT_COLUMNS)
		widen(u);
}

int tl_usage_add(struct tl_usage *u, uint64_t start, unsigned int cpu,
		 uint64_t from, uint64_t to, bool busy)
{
	struct share *shares;
	uint64_t place, end;

	/* the ends of columns must not overflow */
	to = earlier(to, INT64_MAX);
	begin(u, start);
	from = later(from, u->base);
	if (from >= to)
		return 0;
	make_room(u, to);
	shares = cpu_of(u, cpu);
	if (!shares)
		return -ENOMEM;
	for (; from < to; from = end) {
		place = from / u->width;
		end = earlier((place + 1) * u->width, to);
		shares[place - u->first].known += end - from;
		shares[place - u->first].busy += busy ? end - from : 0;
	}
	return 0;
}

/* The bin of a share, or UNKNOWN; @ns: how much of the column the run had. */
static unsigned int bin_of(const struct share *share, uint64_t ns)
{
	unsigned int bin;

	if (!share->known || share->known < ns - ns / 100)
		return UNKNOWN;
	bin = (unsigned int)((double)share->busy / (double)share->known *
			     TL_HEAT_SHARES);
	return bin < TL_HEAT_SHARES ? bin : TL_HEAT_SHARES - 1;
}

/* How much of the column that begins at @ns was in the run. */
static uint64_t part_of(const struct tl_usage *u, uint64_t ns, uint64_t start,
			uint64_t end)
{
	uint64_t from = later(ns, start), to = earlier(ns + u->width, end);

	return to > from ? to - from : 0;
}

/* All processors in the column that begins at @ns. */
static void count_column(const struct tl_usage *u, struct tl_heat *h,
			 unsigned int column, uint64_t part,
			 struct tl_usage_sum *sum)
{
	uint64_t ns = (u->first + column) * u->width;
	unsigned int cpu, bin;

	for (cpu = 0; cpu < u->count; cpu++) {
		if (!u->cpus[cpu])
			continue;
		bin = bin_of(&u->cpus[cpu][column], part);
		if (bin == UNKNOWN)
			sum->unknown++;
		else
			tl_heat_count(h, ns, bin);
	}
}

static bool is_known(const struct share shares[])
{
	unsigned int i;

	for (i = 0; i < TL_HEAT_COLUMNS; i++)
		if (shares[i].known)
			return true;
	return false;
}

static void count_cpus(const struct tl_usage *u, struct tl_usage_sum *sum)
{
	unsigned int cpu;

	*sum = (struct tl_usage_sum){ 0 };
	for (cpu = 0; cpu < u->count; cpu++)
		if (u->cpus[cpu]) {
			sum->cpus++;
			sum->known += is_known(u->cpus[cpu]);
		}
}

struct tl_heat *tl_usage_heat(struct tl_usage *u, uint64_t start, uint64_t end,
			      struct tl_usage_sum *sum)
{
	struct tl_heat *h = tl_heat_new(&tl_heat_share, 0);
	unsigned int column;
	uint64_t part;

	count_cpus(u, sum);
	if (!h)
		return NULL;
	end = earlier(end, INT64_MAX);
	begin(u, start);
	if (end > u->base)
		make_room(u, end);
	h->width = u->width;
	for (column = 0; column < TL_HEAT_COLUMNS; column++) {
		part = part_of(u, (u->first + column) * u->width, start, end);
		if (part)
			count_column(u, h, column, part, sum);
	}
	return h;
}

/* ---- tooltips --------------------------------------------------------- */

static bool is_in(const struct tl_usage *u, unsigned int cpu,
		  unsigned int column, uint64_t part, unsigned int bin)
{
	return cpu < u->count && u->cpus[cpu] &&
	       bin_of(&u->cpus[cpu][column], part) == bin;
}

void tl_usage_cell(const void *ctx, struct tl_buf *b, uint64_t ns,
		   uint64_t width, unsigned int bin)
{
	const struct tl_usage_cells *cells = ctx;
	const struct tl_usage *u = cells->usage;
	unsigned int column = (unsigned int)(ns / u->width - u->first);
	uint64_t part = part_of(u, ns, cells->start, cells->end);
	const char *before = " (CPU ";
	unsigned int cpu, last;

	/* columns were made wider: there are several of ours in one */
	if (width != u->width || column >= TL_HEAT_COLUMNS)
		return;
	for (cpu = 0; cpu < u->count; cpu = last + 1) {
		last = cpu;
		if (!is_in(u, cpu, column, part, bin))
			continue;
		while (is_in(u, last + 1, column, part, bin))
			last++;
		tl_buf_printf(b, "%s%u", before, cpu);
		if (last > cpu)
			tl_buf_printf(b, "-%u", last);
		before = ",";
	}
	tl_buf_char(b, ')');
}
