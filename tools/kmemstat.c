// SPDX-License-Identifier: GPL-2.0-or-later
/* kmemstat - add up what the kernel's allocator was asked for, and what it gave */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tracelet.h"
#include "tracelet/source.h"
#include "tracelet/symbol.h"
#include "tracelet/table.h"
#include "tracelet/who.h"

#define MAX_ROWS 16384 /* of an interval; what is more is "[others]" */
#define OTHERS   UINT64_MAX

#define LARGE 8192 /* bytes: what is larger is pages */

#define RECENT_BITS     10
#define FIRSTS_BITS     6
#define HASH(key, bits) ((key)*0x9e3779b97f4a7c15 >> (64 - (bits)))

enum by { BY_SITE, BY_SIZE, BY_WHO }; /* from BY_WHO on: enum tl_by */
enum order { BY_GOT, BY_ASKED, BY_WASTE, BY_COUNT };
enum kind { KMALLOC, CACHE, BOTH };

static struct {
	bool date, kmalloc, cache;
	unsigned int by, order, kind, top, count;
	uint64_t interval;
	struct tl_table *table; /* struct sum by site, size or who */
} env = { .kind = BOTH, .top = 20 };

static const struct tl_opt options[] = {
	{ 0, "by", "site|size|" TL_BY_WORDS, "a row for each (site)",
	  TL_OPT_WORD, &env.by },
	{ 0, "sort", "got|asked|waste|count", "what has most comes first (got)",
	  TL_OPT_WORD, &env.order },
	{ 0, "top", "N", "in text, only the first N (20); 0: all", TL_OPT_UINT,
	  &env.top },
	{ 'k', "kind", "kmalloc|cache",
	  "only what has any size, or is of a cache of its own", TL_OPT_WORD,
	  &env.kind },
	{ 'T', NULL, NULL, "show date and time above each table", TL_OPT_FLAG,
	  &env.date },
	{ 0 }
};

enum {
	TIME,
	COUNT,
	ASKED,
	GOT,
	WASTE,
	SHARE,
	PID,
	TID,
	COMM,
	CPU,
	CGROUP,
	SIZE,
	SITE
};

static const struct tl_column columns[] = {
	[TIME] = { "TIMEs", "time", -16, TL_TIME, TL_SHOW_DATA },
	[COUNT] = { "COUNT", "count", 10, TL_INT,
		    .metric = TL_COUNTER("allocations",
					 "Allocations of the kernel") },
	[ASKED] = { "ASKED_KB", "asked", 12, TL_KBYTES,
		    .metric = TL_COUNTER("asked_bytes",
					 "Bytes that were asked for") },
	[GOT] = { "GOT_KB", "got", 12, TL_KBYTES,
		  .metric = TL_COUNTER("got_bytes", "Bytes that were given") },
	[WASTE] = { "WASTE_KB", "waste", 12, TL_KBYTES },
	[SHARE] = { "WASTE%", "waste_share", 7, TL_PERCENT },
	TL_BY_COLUMNS,
	[SIZE] = { "SIZE", "size", 8, TL_INT, TL_SHOW_NEVER,
		   .metric = TL_LABEL },
	[SITE] = { "SITE", "site", 0, TL_STR, TL_SHOW_NEVER,
		   .metric = TL_LABEL },
	{ 0 }
};

/* ---- sums ------------------------------------------------------------- */

struct sum {
	struct tl_who who; /* of those in a table by who */
	uint64_t count, asked, got;
};

/* An event, and where the values are in its records. */
struct source {
	struct tl_event *event;
	struct tl_field site, address, asked, got;
};

static struct source kmalloc, kmalloc_node, cache, cache_node;

/* What a record says. */
struct values {
	uint64_t site, address, asked, got;
};

/* The last record of large memory, which another one of the same memory may follow. */
static struct first {
	struct values of; /* address 0: none */
	struct sum *sum;  /* NULL: that has been shown */
} firsts[1 << FIRSTS_BITS];

/*
 * The last sum that was looked for, of all keys with the same hash: to find it in the
 * table costs more than all else that is done with a record.
 */
static struct recent {
	uint64_t key;
	struct sum *sum; /* NULL: none */
} recent[1 << RECENT_BITS];

__attribute__((noinline)) static struct sum *look_up(struct recent *r,
						     uint64_t key)
{
	r->key = key;
	r->sum = tl_table_at(env.table, TL_KEY(key));
	return r->sum;
}

static inline struct sum *sum_by_number(uint64_t key)
{
	struct recent *r = &recent[HASH(key, RECENT_BITS)];

	return r->sum && r->key == key ? r->sum : look_up(r, key);
}

static struct sum *sum_by_who(struct tl_session *s, const struct tl_record *r)
{
	const enum tl_by by = env.by - BY_WHO;

	return tl_table_who(s, env.table, tl_by_id(by, r->pid, r->cpu));
}

static inline void add_values(struct sum *sum, const struct values *v)
{
	sum->count++;
	sum->asked += v->asked;
	sum->got += v->got;
}

static void take_back(struct sum *sum, const struct values *v)
{
	sum->count--;
	sum->asked -= v->asked;
	sum->got -= v->got;
}

static bool is_allocator(struct tl_session *s, uint64_t site)
{
	uint64_t offset;
	const char *name = tl_symbol(s, site, &offset);

	return name && (!strncmp(name, "__kmalloc", 9) ||
			!strncmp(name, "__kvmalloc", 10));
}

/*
 * Kernels that have __kmalloc_large_node_noprof(), 6.10 on, record what is larger than
 * two pages twice, unless its size is a constant: first with a place in the allocator
 * itself, then with that of the caller.  The second one counts; where the first one has
 * been shown, neither does again.
 */
__attribute__((noinline)) static void
count_once(struct tl_session *s, const struct values *v, struct sum *sum)
{
	struct first *first = &firsts[HASH(v->address, FIRSTS_BITS)];
	const bool again = first->of.address == v->address &&
			   first->of.asked == v->asked &&
			   first->of.site != v->site;

	/* names are looked up only then: of modules that are loaded later there are none */
	if (again && is_allocator(s, first->of.site)) {
		take_back(first->sum ?: sum, &first->of);
		first->of.address = 0;
	} else {
		*first = (struct first){ *v, sum };
	}
}

static inline void add(struct tl_session *s, const struct tl_record *r,
		       const struct source *at)
{
	const struct values v = {
		.site = (uint64_t)tl_field_long(r, &at->site),
		.address = (uint64_t)tl_field_long(r, &at->address),
		.asked = (uint64_t)tl_field_long(r, &at->asked),
		.got = (uint64_t)tl_field_long(r, &at->got),
	};
	struct sum *sum;

	/* an allocation that failed gave nothing */
	if (!v.address)
		return;
	sum = env.by >= BY_WHO
		      ? sum_by_who(s, r)
		      : sum_by_number(env.by == BY_SITE ? v.site : v.got);
	add_values(sum, &v);
	if (__builtin_expect(v.got > LARGE, 0))
		count_once(s, &v, sum);
}

static void on_kmalloc(struct tl_session *s, const struct tl_record *r)
{
	add(s, r, &kmalloc);
}

static void on_kmalloc_node(struct tl_session *s, const struct tl_record *r)
{
	add(s, r, &kmalloc_node);
}

static void on_cache(struct tl_session *s, const struct tl_record *r)
{
	add(s, r, &cache);
}

static void on_cache_node(struct tl_session *s, const struct tl_record *r)
{
	add(s, r, &cache_node);
}

/* ---- rows ------------------------------------------------------------- */

static uint64_t rank(const struct sum *sum)
{
	switch (env.order) {
	case BY_ASKED:
		return sum->asked;
	case BY_WASTE:
		return sum->got - sum->asked;
	case BY_COUNT:
		return sum->count;
	default:
		return sum->got;
	}
}

static int most_first(const struct tl_table_entry *a,
		      const struct tl_table_entry *b)
{
	uint64_t x = rank(a->value), y = rank(b->value);

	return (x < y) - (x > y);
}

static const char *site_text(struct tl_session *s, uint64_t site)
{
	static char text[256];
	const char *module = tl_symbol_module(s, site) ?: "", *name;
	uint64_t offset;

	name = tl_symbol(s, site, &offset);
	if (site == OTHERS)
		return "[others]";
	if (name)
		snprintf(text, sizeof(text), "%s+0x%" PRIx64 "%s%s%s", name,
			 offset, *module ? " [" : "", module,
			 *module ? "]" : "");
	else
		snprintf(text, sizeof(text), "0x%" PRIx64, site);
	return text;
}

static void put_key(struct tl_session *s, const struct tl_table_entry *e)
{
	const struct sum *sum = e->value;
	uint64_t key;

	if (env.by >= BY_WHO) {
		tl_put_by(s, env.by - BY_WHO, &sum->who);
		return;
	}
	memcpy(&key, e->key.text, sizeof(key));
	if (env.by == BY_SITE)
		tl_put_text(s, SITE, site_text(s, key));
	else if (key != OTHERS)
		tl_put_int(s, SIZE, (int64_t)key);
}

static void put(struct tl_session *s, const struct tl_table_entry *e,
		uint64_t ns)
{
	const struct sum *sum = e->value;
	const int64_t waste = (int64_t)(sum->got - sum->asked);

	if (!sum->count)
		return;
	tl_put_int(s, TIME, (int64_t)ns);
	tl_put_int(s, COUNT, (int64_t)sum->count);
	tl_put_int(s, ASKED, (int64_t)sum->asked);
	tl_put_int(s, GOT, (int64_t)sum->got);
	tl_put_int(s, WASTE, waste);
	if (sum->got)
		tl_put_int(s, SHARE,
			   (int64_t)((double)waste / (double)sum->got * 1e9));
	put_key(s, e);
	tl_row(s);
}

static void forget_sums(void)
{
	size_t i;

	memset(recent, 0, sizeof(recent));
	for (i = 0; i < sizeof(firsts) / sizeof(firsts[0]); i++)
		firsts[i].sum = NULL;
}

static int on_interval(struct tl_session *s, uint64_t ns)
{
	const struct tl_table_view view = {
		.order = most_first,
		.top = tl_data_format(s) ? 0 : env.top,
		.put = put,
	};

	tl_print(s, "%s", "");
	if (env.date)
		tl_print_date(s, ns);
	tl_header(s);
	forget_sums();
	return tl_table_show(s, env.table, &view, ns);
}

/* ---- set-up ----------------------------------------------------------- */

#define SOURCE(name, at, function, option, how)                             \
	{                                                                   \
		.place = "kmem:" name, .handler = (function),               \
		.fields = TL_SOURCE_FIELDS({ "call_site", &(at).site },     \
					   { "ptr", &(at).address },        \
					   { "bytes_req", &(at).asked },    \
					   { "bytes_alloc", &(at).got }),   \
		.added = &(at).event, .flags = (how), .given = &env.option, \
	}

/* Linux 6.1 has one event for both: those of nodes are gone. */
static const struct tl_source sources[] = {
	SOURCE("kmalloc", kmalloc, on_kmalloc, kmalloc, 0),
	SOURCE("kmalloc_node", kmalloc_node, on_kmalloc_node, kmalloc,
	       TL_SOURCE_OPTIONAL),
	SOURCE("kmem_cache_alloc", cache, on_cache, cache, 0),
	SOURCE("kmem_cache_alloc_node", cache_node, on_cache_node, cache,
	       TL_SOURCE_OPTIONAL),
	{ 0 }
};

/* Fields that all records have, tl_field_long() reads without a look at their size. */
static int require_fields(struct tl_session *s)
{
	const struct tl_source *src;
	const struct tl_source_field *f;
	int ret = 0;

	for (src = sources; src->place; src++)
		for (f = src->fields; *src->added && f->name && !ret; f++)
			ret = tl_event_long_field(s, *src->added, f->name,
						  f->field);
	return ret;
}

static struct tl_table *new_table(void)
{
	static const uint64_t others = OTHERS;

	if (env.by >= BY_WHO)
		return tl_table_by(env.by - BY_WHO, sizeof(struct sum),
				   MAX_ROWS, NULL);
	return tl_table_bounded(sizeof(struct sum), NULL, MAX_ROWS,
				TL_KEY(others));
}

static void show_key(struct tl_session *s)
{
	if (env.by >= BY_WHO)
		tl_show_by(s, env.by - BY_WHO, TL_SHOW_ALL);
	else
		tl_column_show(s, env.by == BY_SITE ? SITE : SIZE, TL_SHOW_ALL);
}

/* The second record of an allocation may be missing. */
static void on_lost(struct tl_session *s, unsigned int cpu)
{
	memset(firsts, 0, sizeof(firsts));
}

static int setup(struct tl_session *s)
{
	int ret = tl_symbols_open(s);

	env.table = new_table();
	if (!env.table)
		return -ENOMEM;
	show_key(s);
	tl_banner(s, "Tracing allocations of the kernel%s", tl_banner_for(s));
	tl_interval(s, env.interval, env.count, on_interval);
	ret = ret ?: tl_sources_add(s, sources) ?: require_fields(s);
	if (env.by < BY_WHO)
		tl_tasks_ignore(s);
	return ret;
}

static int check(struct tl_session *s)
{
	return tl_sources_add(s, sources);
}

static int args(struct tl_session *s, int argc, char **argv)
{
	env.kmalloc = env.kind != CACHE;
	env.cache = env.kind != KMALLOC;
	return env.by >= BY_WHO ? tl_by_check(s, env.by - BY_WHO) : 0;
}

static const struct tl_tool kmemstat = {
	.name = "kmemstat",
	.summary =
		"add up what the kernel's allocator was asked for and gave",
	.examples = {
		{ "kmemstat", "by place in the kernel, at Ctrl-C" },
		{ "kmemstat --by=size --sort=waste -k kmalloc 10 1",
		  "which sizes waste most, for 10 seconds" },
		{ "kmemstat -p 1234 5",
		  "what the kernel allocates for a process, every 5 s" },
	},
	.options = options,
	.operands = TL_OPERANDS_INTERVAL(env.interval, env.count),
	.columns = columns,
	.buffer_kb = 8192,
	.quiet = true,
	.args = args,
	.check = check,
	.setup = setup,
	.lost = on_lost,
};

TL_MAIN(kmemstat)
