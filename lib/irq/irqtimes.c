// SPDX-License-Identifier: GPL-2.0-or-later
/* irqtimes.c - what the tools that add up times of interrupts have in common */
#include "tracelet/irqtimes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/part.h"
#include "tracelet/message.h"
#include "tracelet/run.h"
#include "tracelet/session.h"
#include "tracelet/spreads.h"
#include "tracelet/table.h"
#include "tracelet/task.h"

#define MAX_ROWS 65536

struct times {
	struct tl_part part;
	struct tl_irq_times *tool;
};

static const struct tl_part_ops times_ops;

/* Columns of the table: TL_IRQ_TIMES_COLUMNS(). */
enum { TIME, NUMBER, NAME, CPU, COUNT, TOTAL, AVERAGE, MAX };

static const struct tl_column histogram[] = {
	{ "TIMEs", "time", 0, TL_TIME, TL_SHOW_DATA },
	{ "NAME", "name", 0, TL_STR, TL_SHOW_DATA, .metric = TL_LABEL },
	{ "COUNT", "count", 0, TL_INT, TL_SHOW_DATA },
	{ "FROM", "from", 0, TL_NSECS, TL_SHOW_DATA },
	{ "TO", "to", 0, TL_NSECS, TL_SHOW_DATA,
	  .metric =
		  TL_HISTOGRAM("time_seconds", "How long each of them took") },
	{ 0 }
};

static const struct tl_column percentiles[] = {
	{ "TIME", "clock", -8, TL_WALL_CLOCK, TL_SHOW_NEVER },
	{ "TIMEs", "time", -16, TL_TIME, TL_SHOW_DATA },
	{ "NAME", "name", -28, TL_STR },
	{ "COUNT", "count", 8, TL_INT },
	TL_SPREADS_COLUMNS("us", TL_NSECS),
	{ 0 }
};

/* ---- the table -------------------------------------------------------- */

struct key {
	unsigned int id, cpu; /* with per_cpu, else 0 */
};

struct sum {
	uint64_t total, count, max; /* ns, but for the count */
	const struct tl_irq *irq;
};

static struct tl_str name_of(const struct tl_irq *irq)
{
	return (struct tl_str){ irq->name, strlen(irq->name) };
}

static void add(const struct tl_irq_times *t, const struct tl_irq_slice *slice)
{
	const struct key key = { slice->irq->id, t->per_cpu ? slice->cpu : 0 };
	struct sum *sum = tl_table_at(t->table, TL_KEY(key));

	if (!sum)
		return;
	sum->irq = slice->irq;
	sum->count++;
	sum->total += slice->own;
	if (slice->own > sum->max)
		sum->max = slice->own;
}

static void on_slice(struct tl_session *s, const struct tl_irq_slice *slice)
{
	const struct times *part = tl_part_find(s, &times_ops);
	const struct tl_irq_times *t = part->tool;

	if (t->latencies)
		tl_latencies_add_key(t->latencies, name_of(slice->irq),
				     slice->to, slice->own);
	else
		add(t, slice);
}

static int most_first(const struct tl_table_entry *a,
		      const struct tl_table_entry *b)
{
	return tl_table_by_count(b, a);
}

static void put_row(struct tl_session *s, const struct tl_table_entry *e,
		    uint64_t ns)
{
	const struct key *key = (const struct key *)e->key.text;
	const struct sum *sum = e->value;

	tl_put_int(s, TIME, (int64_t)ns);
	if (sum->irq->number >= 0)
		tl_put_int(s, NUMBER, sum->irq->number);
	tl_put_text(s, NAME, sum->irq->name);
	tl_put_int(s, CPU, (int64_t)key->cpu);
	tl_put_int(s, COUNT, (int64_t)sum->count);
	tl_put_int(s, TOTAL, (int64_t)sum->total);
	tl_put_int(s, AVERAGE, (int64_t)(sum->total / sum->count));
	tl_put_int(s, MAX, (int64_t)sum->max);
	tl_row(s);
}

static int show_table(struct tl_session *s, struct tl_irq_times *t, uint64_t ns)
{
	static const struct tl_table_view view = { .order = most_first,
						   .put = put_row,
						   .counts = "times",
						   .keys = "interrupts" };

	tl_print(s, "%s", "");
	if (t->shown.clock)
		tl_print_date(s, ns);
	tl_header(s);
	return tl_table_show(s, t->table, &view, ns);
}

static int on_interval(struct tl_session *s, uint64_t ns)
{
	const struct times *part = tl_part_find(s, &times_ops);
	struct tl_irq_times *t = part->tool;

	if (t->table)
		return show_table(s, t, ns);
	if (t->shown.percentiles && !t->has_header) {
		t->has_header = true;
		tl_header(s);
	}
	return tl_latencies_show(s, t->latencies, ns);
}

/* ---- set-up ----------------------------------------------------------- */

static bool is_table(const struct tl_irq_times *t)
{
	return !t->dist && !t->shown.percentiles && !t->shown.heatmap;
}

int tl_irq_times_args(struct tl_session *s, struct tl_irq_times *t)
{
	struct tl_latencies_config *c = &t->shown;

	if (t->dist && (c->percentiles || c->heatmap))
		return tl_usage("-d has a form of its own: not with "
				"--percentiles or --heatmap");
	if (c->nsecs && !t->dist)
		return tl_usage("-N is for histograms: only with -d");
	if (t->per_cpu && !is_table(t))
		return tl_usage("-P is for the table: not with -d, "
				"--percentiles or --heatmap");
	c->by = TL_BY_NOTHING;
	return tl_irq_only_check(t->irq.only) ?: tl_latencies_args(s, c);
}

int tl_irq_times_check(struct tl_session *s, struct tl_irq_times *t)
{
	return tl_irq_check(s, &t->irq);
}

static int open_table(struct tl_session *s, struct tl_irq_times *t)
{
	t->table = tl_table_new(sizeof(struct sum), NULL);
	if (!t->table)
		return -ENOMEM;
	tl_table_limit(t->table, MAX_ROWS);
	if (t->per_cpu)
		tl_column_show(s, CPU, TL_SHOW_ALL);
	return 0;
}

static int open_latencies(struct tl_session *s, struct tl_irq_times *t)
{
	struct tl_latencies_config *c = &t->shown;

	c->key = "name";
	c->columns = percentiles;
	if (!c->percentiles && tl_columns(s, histogram))
		return -ENOMEM;
	t->latencies = tl_latencies_open(s, c);
	return t->latencies ? 0 : -errno;
}

static void free_times(void *part)
{
	tl_table_free(((struct times *)part)->tool->table);
	free(part);
}

static const struct tl_part_ops times_ops = { .free = free_times };

int tl_irq_times_setup(struct tl_session *s, struct tl_irq_times *t)
{
	struct times *part = tl_part_new(s, &times_ops, sizeof(*part));
	int ret;

	if (!part)
		return -ENOMEM;
	part->tool = t;
	ret = is_table(t) ? open_table(s, t) : open_latencies(s, t);
	if (ret)
		return ret;
	t->irq.slice = on_slice;
	tl_banner(s, "Tracing %s%s", t->what, tl_banner_for(s));
	tl_interval(s, t->interval, t->count, on_interval);
	ret = tl_irq_open(s, &t->irq);
	tl_tasks_ignore(s);
	return ret;
}
