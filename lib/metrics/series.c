// SPDX-License-Identifier: GPL-2.0-or-later
/* series.c - rows, added up by their labels */
#include "metrics/series.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "count/hist.h"
#include "out/row.h"
#include "tracelet/table.h"

#define MEMBER 80         /* bytes of a label's name */
#define OTHERS "[others]" /* as tables call what found no place in them */

/* A metric: what one column becomes. */
struct family {
	const struct tl_column *column;
	char name[96];
	/* of a histogram, whose buckets have their ends in them; NULL: not known yet */
	const int64_t *points;
	unsigned int count;
};

/* What one metric counts in one series. */
struct value {
	uint64_t sum;
	double total;      /* of a histogram */
	uint64_t *buckets; /* of that; NULL: it had no value yet */
};

struct tl_series {
	const struct tl_column *columns;
	struct family *families;
	unsigned int count;     /* of these */
	struct tl_table *table; /* struct value of each family, by labels */
	unsigned int max;       /* different labels */
	struct tl_buf key;      /* labels of the row at hand */
	struct tl_buf other;    /* those of rows that find no place */
	const char *taken;      /* names of labels that all have: "tool,site" */
	char (*members)
		[MEMBER]; /* labels of a column of TL_FIELDS; NULL: not known yet */
	size_t member_count;
	uint64_t others; /* rows that found no place */
	uint64_t missed; /* rows, for want of memory */
	/* while they are printed */
	struct tl_buf *b;
	const struct family *family;
	const char *labels;
};

/* ---- points ----------------------------------------------------------- */

/* Powers of four, as tl_hist_times() has them. */
#define NUMBERS 13
static const int64_t numbers[NUMBERS] = { 1 + 1,       4 + 1,       16 + 1,
					  64 + 1,      256 + 1,     1024 + 1,
					  4096 + 1,    16384 + 1,   65536 + 1,
					  262144 + 1,  1048576 + 1, 4194304 + 1,
					  16777216 + 1 };

static bool is_ns(enum tl_type type)
{
	return type == TL_MSECS || type == TL_USECS || type == TL_NSECS;
}

static void set_points(struct family *f)
{
	if (f->points)
		return;
	f->points = numbers;
	f->count = NUMBERS;
	if (is_ns(f->column->type))
		f->points = tl_hist_times(&f->count);
}

/* ---- labels ----------------------------------------------------------- */

static void add_quoted(struct tl_buf *b, struct tl_str text)
{
	size_t i;

	for (i = 0; i < text.len; i++) {
		if (text.text[i] == '\\' || text.text[i] == '"')
			tl_buf_char(b, '\\');
		tl_buf_char(b, text.text[i]);
	}
}

static bool is_plain(struct tl_str text)
{
	size_t i = 0;

	while (i < text.len && text.text[i] >= ' ' && text.text[i] <= '~' &&
	       text.text[i] != '\\' && text.text[i] != '"')
		i++;
	return i == text.len;
}

/* As text shows it, so that it can be found there. */
static void add_escaped(struct tl_buf *b, struct tl_str value)
{
	struct tl_buf text = { 0 };

	tl_esc_text(&text, value);
	add_quoted(b, tl_buf_text(&text));
	b->failed |= text.failed;
	tl_buf_free(&text);
}

void tl_label_add(struct tl_buf *b, const char *name, struct tl_str value)
{
	if (b->len)
		tl_buf_char(b, ',');
	tl_buf_str(b, name);
	tl_buf_str(b, "=\"");
	if (is_plain(value))
		tl_buf_add(b, value.text, value.len);
	else
		add_escaped(b, value);
	tl_buf_char(b, '"');
}

static void add_number(struct tl_buf *b, enum tl_type type, int64_t num)
{
	if (type == TL_UINT)
		tl_num_uint(b, (uint64_t)num);
	else if (type == TL_ADDRESS)
		tl_num_hex_unsigned(b, (uint64_t)num);
	else if (type == TL_HEX)
		tl_num_hex(b, num);
	else
		tl_num_int(b, num);
}

static bool is_others(struct tl_str text)
{
	return text.len == strlen(OTHERS) &&
	       !memcmp(text.text, OTHERS, text.len);
}

/* What is not known has no label, which is the same as an empty one. */
static void add_label(struct tl_buf *b, const char *name, enum tl_type type,
		      const struct tl_value *v, bool is_other)
{
	const struct tl_str other = { "other", 5 };
	struct tl_buf number = { 0 };

	if (!v->known && !is_other) {
		return;
	} else if (is_other || (type == TL_STR && is_others(v->str))) {
		tl_label_add(b, name, other);
	} else if (type == TL_STR) {
		tl_label_add(b, name, v->str);
	} else {
		add_number(&number, type, v->num);
		tl_label_add(b, name, tl_buf_text(&number));
	}
	b->failed |= number.failed;
	tl_buf_free(&number);
}

static bool is_name(const char *name, size_t len)
{
	size_t i = 0;

	while (i < len && (isalnum((unsigned char)name[i]) || name[i] == '_'))
		i++;
	return len && i == len && !isdigit((unsigned char)*name) &&
	       strncmp(name, "__", 2) != 0;
}

int tl_label_split(const char *list, struct tl_label *l)
{
	const char *end = strchrnul(list, ',');
	const char *equals = memchr(list, '=', (size_t)(end - list));
	size_t len = equals ? (size_t)(equals - list) : 0;

	if (!equals)
		return -EINVAL;
	if (!is_name(list, len) || len >= sizeof(l->name))
		return -EILSEQ;
	memcpy(l->name, list, len);
	l->name[len] = '\0';
	l->value = (struct tl_str){ equals + 1, (size_t)(end - equals - 1) };
	l->next = end + (*end == ',');
	return 0;
}

bool tl_label_listed(const char *names, const char *name)
{
	const size_t len = strlen(name);
	const char *p = names;

	for (; p && *p; p += strcspn(p, ","), p += *p == ',')
		if (strcspn(p, ",") == len && !strncmp(p, name, len))
			return true;
	return false;
}

static bool is_label(const struct tl_column *c)
{
	return c->metric.kind == TL_METRIC_LABEL && tl_in_data(c);
}

/* ---- labels of values, whose names a user chose ------------------------- */

static bool is_taken(const struct tl_series *all, const char *name,
		     size_t before)
{
	size_t i;

	for (i = 0; i < before; i++)
		if (!strcmp(all->members[i], name))
			return true;
	return !strcmp(name, "le") || tl_label_listed(all->taken, name);
}

/* As "$arg1" or "sk->num": letters, digits and "_", and a letter first. */
static void name_member(struct tl_series *all, const char *text, size_t i)
{
	char *name = all->members[i], *c;
	const char *begin = text;

	while (*begin && !isalnum((unsigned char)*begin))
		begin++;
	snprintf(name, MEMBER, "%s%.60s",
		 isalpha((unsigned char)*begin) ? "" : "value_", begin);
	for (c = name; *c; c++)
		if (!isalnum((unsigned char)*c))
			*c = '_';
	if (is_taken(all, name, i))
		snprintf(c, MEMBER - (size_t)(c - name), "_%zu", i + 1);
}

/* All rows have the same. */
static bool name_members(struct tl_series *all, const struct tl_value *v)
{
	size_t i;

	if (all->members)
		return v->count <= all->member_count;
	all->members = calloc(v->count + 1, sizeof(*all->members));
	if (!all->members)
		return false;
	all->member_count = v->count;
	for (i = 0; i < v->count; i++)
		name_member(all, v->list[i].name, i);
	return true;
}

static void add_members(struct tl_series *all, struct tl_buf *b,
			const struct tl_value *v, bool is_other)
{
	size_t i;

	if (!v->known || !name_members(all, v))
		return;
	for (i = 0; i < v->count; i++)
		add_label(b, all->members[i], v->list[i].value.type,
			  &v->list[i].value, is_other);
}

/* The labels of @row, in @b; @is_other: with "other" as the value of each. */
static void make_key(struct tl_series *all, struct tl_buf *b,
		     const struct tl_value *row, bool is_other)
{
	const struct tl_column *c;

	b->len = 0;
	for (c = all->columns; c->head; c++, row++) {
		if (!is_label(c))
			continue;
		if (c->type == TL_FIELDS)
			add_members(all, b, row, is_other);
		else
			add_label(b, c->key, c->type, row, is_other);
	}
}

bool tl_label_is_column(const struct tl_column *columns, const char *name)
{
	const struct tl_column *c;

	for (c = columns; c->head; c++)
		if (is_label(c) && !strcmp(c->key, name))
			return true;
	return false;
}

/* ---- adding ----------------------------------------------------------- */

/* NULL without memory: the row is not counted then. */
static struct value *values_of(struct tl_series *all,
			       const struct tl_value *row)
{
	struct value *values;

	make_key(all, &all->key, row, false);
	values = tl_table_at(all->table, tl_buf_text(&all->key));
	if (values)
		return values;
	/* there is one place for these, so they have the same labels always */
	if (!all->other.len)
		make_key(all, &all->other, row, true);
	tl_table_limit(all->table, all->max + 1);
	values = tl_table_at(all->table, tl_buf_text(&all->other));
	tl_table_limit(all->table, all->max);
	all->others++;
	return values;
}

static uint64_t *buckets_of(const struct family *f, struct value *v)
{
	if (!v->buckets)
		v->buckets = calloc(f->count + 1, sizeof(*v->buckets));
	return v->buckets;
}

static void observe(struct tl_series *all, struct family *f, struct value *v,
		    int64_t number)
{
	unsigned int i = 0;

	set_points(f);
	if (!buckets_of(f, v)) {
		all->missed++;
		return;
	}
	while (i < f->count && number >= f->points[i])
		i++;
	v->buckets[i]++;
	v->total += (double)number;
}

static uint64_t amount_of(const struct tl_column *c, const struct tl_value *v)
{
	if (c->metric.kind == TL_METRIC_ROWS ||
	    (c->metric.kind == TL_METRIC_EVENTS && !v->known))
		return 1;
	return v->known && v->num > 0 ? (uint64_t)v->num : 0;
}

void tl_series_add(struct tl_series *all, const struct tl_value *row)
{
	struct value *values = values_of(all, row);
	const struct tl_value *v;
	struct family *f;
	unsigned int i;

	for (i = 0; values && i < all->count; i++) {
		f = &all->families[i];
		v = &row[f->column - all->columns];
		if (f->column->metric.kind != TL_METRIC_HISTOGRAM)
			values[i].sum += amount_of(f->column, v);
		else if (v->known)
			observe(all, f, &values[i], v->num);
	}
	all->missed += !values;
}

static void add_histogram(struct tl_series *all, struct family *f,
			  struct value *v, const struct tl_histogram *h)
{
	unsigned int i;

	if (!f->points) {
		f->points = h->points;
		f->count = h->count;
	}
	if (f->points != h->points || !buckets_of(f, v)) {
		all->missed++;
		return;
	}
	for (i = 0; i <= f->count; i++)
		v->buckets[i] += h->counts[i];
	v->total += h->sum;
}

void tl_series_add_histogram(struct tl_series *all, const struct tl_value *row,
			     const struct tl_histogram *h)
{
	struct value *values = values_of(all, row);
	unsigned int i;

	for (i = 0; values && i < all->count; i++)
		if (all->families[i].column->metric.kind == TL_METRIC_HISTOGRAM)
			add_histogram(all, &all->families[i], &values[i], h);
	all->missed += !values;
}

/* ---- begin and end ---------------------------------------------------- */

static bool is_metric(const struct tl_column *c)
{
	return c->metric.kind > TL_METRIC_LABEL &&
	       (tl_in_data(c) || c->metric.kind == TL_METRIC_EVENTS);
}

static void name_family(struct family *f, const char *tool)
{
	char *c;

	snprintf(f->name, sizeof(f->name), "tracelets_%s_%s", tool,
		 f->column->metric.name);
	for (c = f->name; *c; c++)
		if (*c == '-')
			*c = '_';
}

/* A counter without labels is there from the start, as 0: rate() needs that. */
static void begin(struct tl_series *all)
{
	const struct tl_column *c = all->columns;

	while (c->head && !is_label(c))
		c++;
	if (!c->head)
		tl_table_at(all->table, (struct tl_str){ "", 0 });
}

struct tl_series *tl_series_new(const char *tool,
				const struct tl_column *columns,
				unsigned int max, const char *taken)
{
	struct tl_series *all = calloc(1, sizeof(*all));
	const struct tl_column *c;

	if (!all)
		return NULL;
	all->columns = columns;
	all->max = max;
	all->taken = taken;
	for (c = columns; c->head; c++)
		all->count += is_metric(c);
	all->families = calloc(all->count + 1, sizeof(*all->families));
	all->table = tl_table_new(all->count * sizeof(struct value), NULL);
	if (!all->families || !all->table) {
		tl_series_free(all);
		return NULL;
	}
	all->count = 0;
	for (c = columns; c->head; c++)
		if (is_metric(c)) {
			all->families[all->count].column = c;
			name_family(&all->families[all->count++], tool);
		}
	tl_table_limit(all->table, max);
	begin(all);
	return all;
}

static void free_values(void *ctx, struct tl_str key, void *values)
{
	const struct tl_series *all = ctx;
	unsigned int i;

	for (i = 0; i < all->count; i++)
		free(((struct value *)values)[i].buckets);
}

void tl_series_free(struct tl_series *all)
{
	if (!all)
		return;
	if (all->table)
		tl_table_each(all->table, free_values, all);
	tl_table_free(all->table);
	tl_buf_free(&all->key);
	tl_buf_free(&all->other);
	free(all->members);
	free(all->families);
	free(all);
}

unsigned int tl_series_metrics(const struct tl_series *all)
{
	return all->count;
}

uint64_t tl_series_others(const struct tl_series *all)
{
	return all->others;
}

uint64_t tl_series_missed(const struct tl_series *all)
{
	return all->missed;
}

/* ---- text ------------------------------------------------------------- */

/* Where a label of its own follows, as le: with a comma behind the others. */
static void print_labels(const struct tl_series *all, struct tl_str key,
			 const char *own)
{
	const char *comma = "";

	if (!*all->labels && !key.len && !*own)
		return;
	tl_buf_char(all->b, '{');
	tl_buf_str(all->b, all->labels);
	if (*all->labels)
		comma = ",";
	if (key.len) {
		tl_buf_str(all->b, comma);
		tl_buf_add(all->b, key.text, key.len);
		comma = ",";
	}
	if (*own) {
		tl_buf_str(all->b, comma);
		tl_buf_str(all->b, own);
	}
	tl_buf_char(all->b, '}');
}

static void print_name(const struct tl_series *all, const char *suffix,
		       struct tl_str key, const char *own)
{
	tl_buf_str(all->b, all->family->name);
	tl_buf_str(all->b, suffix);
	print_labels(all, key, own);
	tl_buf_char(all->b, ' ');
}

static void print_line(const struct tl_series *all, const char *suffix,
		       struct tl_str key, const char *own, uint64_t number)
{
	print_name(all, suffix, key, own);
	tl_num_uint(all->b, number);
	tl_buf_char(all->b, '\n');
}

/* A label is text: all machines have the same for the same end. */
static void print_end(const struct family *f, unsigned int bucket, char le[40])
{
	const int64_t end = bucket < f->count ? f->points[bucket] - 1 : 0;

	if (bucket == f->count)
		snprintf(le, 40, "le=\"+Inf\"");
	else if (is_ns(f->column->type))
		snprintf(le, 40, "le=\"%.15g\"", (double)end / 1e9);
	else
		snprintf(le, 40, "le=\"%" PRId64 "\"", end);
}

static void print_sum(const struct tl_series *all, struct tl_str key,
		      double sum)
{
	const bool ns = is_ns(all->family->column->type);

	print_name(all, "_sum", key, "");
	/* so far all digits of a double are right */
	if (ns && sum < 9e15 && sum > -9e15)
		tl_num_long_seconds(all->b, (int64_t)sum);
	else
		tl_buf_printf(all->b, "%.17g", ns ? sum / 1e9 : sum);
	tl_buf_char(all->b, '\n');
}

static void print_histogram(const struct tl_series *all, struct tl_str key,
			    const struct value *v)
{
	const struct family *f = all->family;
	uint64_t below = 0;
	unsigned int i;
	char le[40];

	for (i = 0; i <= f->count; i++) {
		below += v->buckets[i];
		print_end(f, i, le);
		print_line(all, "_bucket", key, le, below);
	}
	print_sum(all, key, v->total);
	print_line(all, "_count", key, "", below);
}

static void print_one(void *ctx, struct tl_str key, void *values)
{
	const struct tl_series *all = ctx;
	const struct value *v =
		&((const struct value *)values)[all->family - all->families];

	if (v->buckets) {
		print_histogram(all, key, v);
	} else if (all->family->column->metric.kind == TL_METRIC_HISTOGRAM) {
		return;
	} else if (is_ns(all->family->column->type)) {
		print_name(all, "", key, "");
		tl_num_long_seconds(all->b, (int64_t)v->sum);
		tl_buf_char(all->b, '\n');
	} else {
		print_line(all, "", key, "", v->sum);
	}
}

void tl_series_print(struct tl_series *all, struct tl_buf *b,
		     const char *labels)
{
	const struct tl_metric *m;
	unsigned int i;

	all->b = b;
	all->labels = labels;
	for (i = 0; i < all->count; i++) {
		all->family = &all->families[i];
		m = &all->family->column->metric;
		tl_buf_printf(b, "# HELP %s %s.\n# TYPE %s %s\n",
			      all->family->name, m->help, all->family->name,
			      m->kind == TL_METRIC_HISTOGRAM ? "histogram"
							     : "counter");
		tl_table_each(all->table, print_one, all);
	}
}
