// SPDX-License-Identifier: GPL-2.0-or-later
/* spreads.c - percentiles by key, and how they are shown */
#include <stdlib.h>
#include <string.h>

#include "base/part.h"
#include "count/table.h"
#include "tracelet/hist.h"
#include "tracelet/output.h"
#include "tracelet/spreads.h"
#include "tracelet/text.h"

struct one {
	struct tl_who who; /* of those by who */
	struct tl_spread *spread;
};

struct tl_spreads {
	struct tl_part part;
	const char *key;
	bool by_who;
	enum tl_by by;           /* then */
	struct one all;          /* without a key */
	struct tl_table *groups; /* of struct one; NULL: by no key */
	uint64_t missed;         /* values, for want of memory */
	/* while they are shown */
	struct tl_session *s;
	uint64_t ns;
	unsigned int shown;
};

static void free_spread(void *group)
{
	tl_spread_free(((struct one *)group)->spread);
}

static void free_spreads(void *part)
{
	struct tl_spreads *t = part;

	tl_table_free(t->groups);
	tl_spread_free(t->all.spread);
	free(t);
}

static const struct tl_part_ops spreads_ops = { .free = free_spreads };

static struct tl_spreads *begin(struct tl_session *s)
{
	struct tl_spreads *t = tl_part_new(s, &spreads_ops, sizeof(*t));

	if (!t)
		return NULL;
	t->all.spread = tl_spread_new();
	return t->all.spread ? t : NULL;
}

struct tl_spreads *tl_spreads_open(struct tl_session *s, const char *key)
{
	struct tl_spreads *t = begin(s);

	if (!t || !key)
		return t;
	t->key = key;
	t->groups = tl_table_named(sizeof(struct one), free_spread);
	return t->groups ? t : NULL;
}

struct tl_spreads *tl_spreads_by(struct tl_session *s, enum tl_by by)
{
	struct tl_spreads *t = begin(s);

	if (!t || by == TL_BY_NOTHING)
		return t;
	tl_show_by(s, by, TL_SHOW_ALL);
	t->by_who = true;
	t->by = by;
	t->groups =
		tl_table_by(by, sizeof(struct one), TL_NAMES_MAX, free_spread);
	return t->groups ? t : NULL;
}

static void add(struct tl_spreads *t, struct one *one, uint64_t value)
{
	if (!one->spread)
		one->spread = tl_spread_new();
	if (one->spread)
		tl_spread_add(one->spread, value);
	else
		t->missed++;
}

void tl_spreads_add(struct tl_spreads *t, struct tl_str key, uint64_t value)
{
	add(t, t->groups ? tl_table_at(t->groups, key) : &t->all, value);
}

void tl_spreads_add_who(struct tl_session *s, struct tl_spreads *t, pid_t id,
			uint64_t value)
{
	add(t, t->groups ? tl_table_who(s, t->groups, id) : &t->all, value);
}

/* ---- output ----------------------------------------------------------- */

static void put_percentiles(struct tl_session *s,
			    const struct tl_spread *spread)
{
	static const struct {
		const char *column;
		double percent;
	} all[] = { { "p50", 50 },
		    { "p90", 90 },
		    { "p99", 99 },
		    { "p999", 99.9 },
		    { "max", 100 } };
	unsigned int i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		tl_put_number(s, all[i].column,
			      (int64_t)tl_spread_at(spread, all[i].percent));
}

static void show(const struct tl_spreads *t, struct tl_str key,
		 const struct one *one)
{
	struct tl_spread *spread = one->spread;
	int col = t->key ? tl_column_find(t->s, t->key) : -1;

	tl_put_number(t->s, "clock", (int64_t)t->ns);
	tl_put_number(t->s, "time", (int64_t)t->ns);
	if (t->by_who && key.text)
		tl_put_by(t->s, t->by, &one->who);
	if (col >= 0 && key.len)
		tl_put_str(t->s, (unsigned int)col, key);
	tl_put_number(t->s, "count", (int64_t)tl_spread_count(spread));
	if (tl_spread_count(spread))
		put_percentiles(t->s, spread);
	tl_row(t->s);
	tl_spread_clear(spread);
}

static void show_used(void *ctx, struct tl_str key, void *group)
{
	const struct one *one = group;
	struct tl_spreads *t = ctx;

	/* those of other intervals stay, empty */
	if (!one->spread || !tl_spread_count(one->spread))
		return;
	t->shown++;
	show(t, key, one);
}

int tl_spreads_show(struct tl_session *s, struct tl_spreads *t, uint64_t ns)
{
	t->s = s;
	t->ns = ns;
	t->shown = 0;
	if (t->groups)
		tl_table_each(t->groups, show_used, t);
	if (!t->shown)
		show(t, (struct tl_str){ 0 }, &t->all);
	return tl_counts_missed(&t->missed);
}
