// SPDX-License-Identifier: GPL-2.0-or-later
/* rows.c - rows of a tool as events on tracks */
#include "timeline/rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/list.h"
#include "out/row.h"
#include "timeline/proto.h"
#include "timeline/track.h"

#define LANES_MAX 1024
/* what was told of lately: it is told again where it is not among these */
#define TOLD 4096

/* how many threads' last slices are kept, and of each how many */
#define RECENT_TRACKS 256
#define RECENT_SLICES 8

struct slice {
	uint64_t from, to;
};

/* The last slices of a track that are in no other. */
struct recent {
	uint64_t uuid;
	unsigned int count;
	struct slice slices[RECENT_SLICES];
};

/* Counters that have a value for an interval. */
struct counted {
	uint64_t *uuids;
	size_t count, room;
	uint64_t to; /* its end */
};

struct tl_rows {
	struct tl_rows_config config;
	uint64_t start, interval; /* 0: rows are events */
	struct counted now,
		before; /* in the last interval, and the one before */
	uint16_t id;    /* of the tool */
	uint64_t told[TOLD];
	struct recent recent[RECENT_TRACKS];
	uint64_t lanes[LANES_MAX]; /* when the last slice of each ends */
	unsigned int lane_count;
	struct tl_buf name;
	uint64_t put_in, left_out;
};

/* A row's place. */
struct place {
	uint64_t from, to;
	bool timed, slice, apart;
	struct tl_str title;
	pid_t pid, tid; /* 0: not known */
};

struct tl_rows *tl_rows_new(const struct tl_rows_config *config)
{
	struct tl_rows *rows = calloc(1, sizeof(*rows));

	if (!rows)
		return NULL;
	rows->config = *config;
	rows->id = tl_track_tool(config->tool, config->packets->sequence);
	return rows;
}

void tl_rows_free(struct tl_rows *rows)
{
	if (!rows)
		return;
	tl_buf_free(&rows->name);
	free(rows->now.uuids);
	free(rows->before.uuids);
	free(rows);
}

uint64_t tl_rows_put_in(const struct tl_rows *rows)
{
	return rows->put_in;
}

uint64_t tl_rows_left_out(const struct tl_rows *rows)
{
	return rows->left_out;
}

static bool is_list(const struct tl_column *c)
{
	return c->type == TL_ARGV || c->type == TL_STACK ||
	       c->type == TL_FIELDS;
}

static bool is_in(const char *key, const char *const *list)
{
	while (*list && strcmp(*list, key) != 0)
		list++;
	return *list;
}

/* Whether that track has been told of lately. */
static bool is_told(struct tl_rows *rows, uint64_t uuid)
{
	uint64_t *told = &rows->told[(uuid ^ uuid >> 12 ^ uuid >> 22) % TOLD];
	bool is = *told == uuid;

	*told = uuid;
	return is;
}

static struct tl_str tool_name(const struct tl_rows *rows)
{
	return (struct tl_str){ rows->config.tool, strlen(rows->config.tool) };
}

/* ---- arguments -------------------------------------------------------- */

static void put_value(struct tl_buf *b, enum tl_type type,
		      const struct tl_value *v);

static void put_members(struct tl_buf *b, const struct tl_value *v,
			enum tl_packet_field field)
{
	size_t i, at;

	for (i = 0; i < v->count; i++) {
		at = tl_proto_begin(b, field);
		if (field == TL_PACKET_DICT)
			tl_proto_text(b, TL_PACKET_NAME, v->list[i].name);
		if (v->list[i].value.known)
			put_value(b, v->list[i].value.type, &v->list[i].value);
		tl_proto_end(b, at);
	}
}

/* As in JSON, times are in seconds. */
static void put_value(struct tl_buf *b, enum tl_type type,
		      const struct tl_value *v)
{
	switch (type) {
	case TL_STR:
		tl_proto_str(b, TL_PACKET_STRING, v->str);
		break;
	case TL_INT:
	case TL_HEX:
		tl_proto_int(b, TL_PACKET_INT, v->num);
		break;
	case TL_UINT:
	case TL_KBYTES:
		tl_proto_uint(b, TL_PACKET_UINT, (uint64_t)v->num);
		break;
	case TL_ADDRESS:
		tl_proto_uint(b, TL_PACKET_POINTER, (uint64_t)v->num);
		break;
	case TL_TIME:
	case TL_WALL_CLOCK:
	case TL_MSECS:
	case TL_USECS:
	case TL_NSECS:
	case TL_PERCENT:
		tl_proto_double(b, TL_PACKET_DOUBLE, (double)v->num / 1e9);
		break;
	case TL_ARGV:
	case TL_STACK:
		put_members(b, v, TL_PACKET_ARRAY);
		break;
	case TL_FIELDS:
		put_members(b, v, TL_PACKET_DICT);
		break;
	}
}

static void put_args(struct tl_rows *rows, const struct tl_column *columns,
		     const struct tl_value *row)
{
	struct tl_buf *b = &rows->config.packets->buf;
	const struct tl_column *c;
	size_t at;

	for (c = columns; c->head; c++, row++) {
		if (!tl_in_data(c) || !row->known)
			continue;
		at = tl_proto_begin(b, TL_PACKET_ARGS);
		tl_proto_text(b, TL_PACKET_NAME, c->key);
		put_value(b, c->type, row);
		tl_proto_end(b, at);
	}
}

/* ---- its place -------------------------------------------------------- */

/* What columns say of when it was; 0: none does. */
struct times {
	uint64_t time, begin, end, length;
};

static void look_at(struct place *p, const struct tl_column *c,
		    const struct tl_value *v, struct times *t)
{
	if (tl_is_length(c)) {
		t->length = (uint64_t)v->num;
		p->slice = true;
		p->apart = c->role == TL_ROLE_APART;
	} else if (c->role == TL_ROLE_BEGIN) {
		t->begin = (uint64_t)v->num;
	} else if (c->role == TL_ROLE_END) {
		t->end = (uint64_t)v->num;
		p->slice = true;
	} else if (c->type == TL_TIME && !t->time) {
		t->time = (uint64_t)v->num;
	} else if (c->role == TL_ROLE_TITLE) {
		p->title = v->str;
	} else if (c->type == TL_INT && !strcmp(c->key, "pid")) {
		p->pid = (pid_t)v->num;
	} else if (c->type == TL_INT && !strcmp(c->key, "tid")) {
		p->tid = (pid_t)v->num;
	}
}

static void set_times(struct place *p, const struct times *t)
{
	p->timed = t->time || t->begin;
	p->to = t->end ?: (t->begin ? t->begin + t->length : t->time);
	if (t->begin)
		p->from = t->begin;
	else
		p->from = t->length < p->to ? p->to - t->length : 0;
}

static struct place find_place(const struct tl_rows *rows,
			       const struct tl_column *columns,
			       const struct tl_value *row)
{
	struct place p = { .title = tool_name(rows) };
	struct times times = { 0 };
	const struct tl_column *c;

	for (c = columns; c->head; c++, row++)
		if (row->known)
			look_at(&p, c, row, &times);
	set_times(&p, &times);
	if (!p.title.len)
		p.title = tool_name(rows);
	/* of a process, as a whole: its first thread */
	if (!p.tid)
		p.tid = p.pid;
	if (!p.pid && p.tid)
		p.pid = rows->config.process(rows->config.ctx, p.tid);
	return p;
}

/* ---- its track -------------------------------------------------------- */

static uint64_t thread_track(struct tl_rows *rows, const struct place *p)
{
	uint64_t uuid =
		tl_track_of_thread(TL_TRACK_ROWS, rows->id, p->pid, p->tid);
	uint64_t thread =
		tl_track_of_thread(TL_TRACK_THREAD, 0, p->pid, p->tid);

	if (is_told(rows, uuid))
		return uuid;
	tl_packet_thread_track(rows->config.packets, thread, p->pid, p->tid);
	tl_packet_track(rows->config.packets, uuid, thread, tool_name(rows));
	return uuid;
}

/* The first lane in which nothing goes on then: rows come as they end. */
static unsigned int find_lane(struct tl_rows *rows, uint64_t from)
{
	unsigned int i;

	for (i = 0; i < rows->lane_count; i++)
		if (rows->lanes[i] <= from)
			return i;
	if (i < LANES_MAX)
		rows->lane_count++;
	else
		i--;
	return i;
}

/* The reader shows all that have the same name as one. */
static uint64_t lane_track(struct tl_rows *rows, const struct place *p)
{
	unsigned int lane = find_lane(rows, p->from);
	uint64_t uuid = tl_track(TL_TRACK_LANE, rows->id, lane);

	rows->lanes[lane] = p->to;
	if (!is_told(rows, uuid))
		tl_packet_track(rows->config.packets, uuid, 0, tool_name(rows));
	return uuid;
}

static struct recent *recent_of(struct tl_rows *rows, uint64_t uuid)
{
	struct recent *r =
		&rows->recent[(uuid ^ uuid >> 12 ^ uuid >> 22) % RECENT_TRACKS];

	if (r->uuid != uuid)
		*r = (struct recent){ .uuid = uuid };
	return r;
}

static void add_recent(struct recent *r, const struct place *p)
{
	if (r->count == RECENT_SLICES)
		memmove(r->slices, r->slices + 1,
			--r->count * sizeof(*r->slices));
	r->slices[r->count++] = (struct slice){ p->from, p->to };
}

/*
 * A thread does one thing within another.  Where a begin was reckoned from how long it
 * took, by another clock than that of its end, it can be in the midst of what was before,
 * or of what is within: it becomes the end of that, or is before its begin, whichever is
 * nearer.
 */
static void nest(struct tl_rows *rows, struct place *p, uint64_t uuid)
{
	struct recent *r = recent_of(rows, uuid);
	const struct slice *last;

	while (r->count && r->slices[r->count - 1].from > p->from)
		r->count--;
	last = r->count ? &r->slices[r->count - 1] : NULL;
	if (last && last->to > p->from && last->to < p->to) {
		if (last->to - p->from < p->from - last->from) {
			p->from = last->to;
		} else {
			p->from = last->from ? last->from - 1 : 0;
			r->count--;
		}
	}
	add_recent(r, p);
}

static void put_event(struct tl_rows *rows, const struct tl_column *columns,
		      const struct tl_value *row)
{
	struct place p = find_place(rows, columns, row);
	struct tl_packet at;
	const bool own = p.pid > 0 && p.tid > 0 && !p.apart;
	uint64_t uuid;

	if (!p.timed) {
		rows->left_out++;
		return;
	}
	rows->put_in++;
	uuid = own ? thread_track(rows, &p) : lane_track(rows, &p);
	if (own && p.slice)
		nest(rows, &p, uuid);
	at = tl_packet_event(rows->config.packets, p.from, uuid,
			     p.slice ? TL_PACKET_BEGIN : TL_PACKET_INSTANT,
			     rows->config.tool, p.title);
	put_args(rows, columns, row);
	tl_packet_event_end(rows->config.packets, &at);
	if (!p.slice)
		return;
	at = tl_packet_event(rows->config.packets, p.to, uuid, TL_PACKET_END,
			     NULL, (struct tl_str){ "", 0 });
	tl_packet_event_end(rows->config.packets, &at);
}

/* ---- counters --------------------------------------------------------- */

/* Numbers that say of what a row is. */
static bool is_id(const struct tl_column *c)
{
	static const char *const ids[] = { "pid",   "tid",   "ppid", "uid",
					   "major", "minor", "cpu",  NULL };

	return is_in(c->key, ids);
}

static bool is_number(const struct tl_column *c)
{
	return c->type != TL_STR && c->type != TL_TIME &&
	       c->type != TL_WALL_CLOCK && c->type != TL_ADDRESS &&
	       !is_list(c) && !is_id(c);
}

/*
 * A bucket of a histogram, or what a stack has, is not one of a few numbers.  Members of a
 * list, as of those that had a part in them, are left out.
 */
static bool can_count(const struct tl_column *columns,
		      const struct tl_value *row)
{
	const struct tl_column *c;

	for (c = columns; c->head; c++, row++)
		if (row->known && c->type != TL_FIELDS &&
		    (is_list(c) || !strcmp(c->key, "from")))
			return false;
	return true;
}

static void add_word(struct tl_buf *b, struct tl_str word)
{
	if (b->len)
		tl_buf_char(b, ' ');
	tl_buf_add(b, word.text, word.len);
}

static void make_name(struct tl_rows *rows, const struct tl_column *columns,
		      const struct tl_value *row)
{
	struct tl_buf *b = &rows->name;
	const struct tl_column *c;

	b->len = 0;
	add_word(b, tool_name(rows));
	for (c = columns; c->head; c++, row++)
		if (!tl_in_data(c) || !row->known)
			continue;
		else if (c->type == TL_STR && row->str.len)
			add_word(b, row->str);
		else if (is_id(c))
			tl_buf_printf(b, " %s %lld", c->key,
				      (long long)row->num);
}

static enum tl_packet_unit unit_of(const struct tl_column *c)
{
	static const char *const bytes[] = { "bytes", "buffers", "cached",
					     NULL };

	if (c->type == TL_MSECS || c->type == TL_USECS || c->type == TL_NSECS)
		return TL_PACKET_NS;
	return c->type == TL_KBYTES || is_in(c->key, bytes) ? TL_PACKET_BYTES
							    : TL_PACKET_NO_UNIT;
}

static double number_of(const struct tl_column *c, const struct tl_value *v)
{
	if (c->type == TL_PERCENT)
		return (double)v->num / 1e9;
	return c->type == TL_UINT ? (double)(uint64_t)v->num : (double)v->num;
}

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void sort(struct counted *c)
{
	if (c->count)
		qsort(c->uuids, c->count, sizeof(*c->uuids), compare);
}

static bool has(const struct counted *c, uint64_t uuid)
{
	return c->count &&
	       bsearch(&uuid, c->uuids, c->count, sizeof(*c->uuids), compare);
}

/* A reader has a value go on: those of @c end, unless they are in @next, too. */
static void end_counted(struct tl_rows *rows, struct counted *c,
			const struct counted *next)
{
	size_t i;

	for (i = 0; i < c->count; i++)
		if (!next || !has(next, c->uuids[i]))
			tl_packet_count(rows->config.packets, c->to,
					c->uuids[i], 0);
	c->count = 0;
}

/* What is to come is of the interval that ends at @to. */
static void begin_interval(struct tl_rows *rows, uint64_t from, uint64_t to)
{
	const struct counted before = rows->before;

	if (rows->now.to == to)
		return;
	sort(&rows->now);
	end_counted(rows, &rows->before, &rows->now);
	rows->before = rows->now;
	rows->now = before;
	rows->now.count = 0;
	rows->now.to = to;
	/* there were intervals without any */
	if (rows->before.to != from)
		end_counted(rows, &rows->before, NULL);
}

static void note_counted(struct tl_rows *rows, uint64_t uuid)
{
	struct counted *c = &rows->now;
	uint64_t *uuids =
		tl_list_room(c->uuids, c->count, &c->room, sizeof(*uuids));

	if (!uuids) {
		rows->config.packets->buf.failed = true;
		return;
	}
	c->uuids = uuids;
	c->uuids[c->count++] = uuid;
}

static void put_counter(struct tl_rows *rows, const struct tl_column *c,
			const struct tl_value *v, uint64_t ns)
{
	struct tl_buf *b = &rows->name;
	const size_t len = b->len;
	uint64_t uuid;

	add_word(b, (struct tl_str){ c->key, strlen(c->key) });
	uuid = tl_track(TL_TRACK_COUNTER, rows->id,
			tl_track_hash(0, tl_buf_text(b)));
	if (!is_told(rows, uuid))
		tl_packet_counter_track(rows->config.packets, uuid,
					tl_buf_text(b), unit_of(c));
	tl_packet_count(rows->config.packets, ns, uuid, number_of(c, v));
	note_counted(rows, uuid);
	b->len = len;
}

static void put_counters(struct tl_rows *rows, const struct tl_column *columns,
			 const struct tl_value *row)
{
	struct place p = find_place(rows, columns, row);
	const struct tl_column *c;
	uint64_t from;

	if (!p.timed || !can_count(columns, row)) {
		rows->left_out++;
		return;
	}
	rows->put_in++;
	/* the last interval may be shorter */
	from = p.to > rows->start
		       ? p.to - 1 - (p.to - 1 - rows->start) % rows->interval
		       : p.to;
	begin_interval(rows, from, p.to);
	make_name(rows, columns, row);
	for (c = columns; c->head; c++, row++)
		if (tl_in_data(c) && row->known && is_number(c))
			put_counter(rows, c, row, from);
}

void tl_rows_intervals(struct tl_rows *rows, uint64_t start, uint64_t interval)
{
	rows->start = start;
	rows->interval = interval;
}

void tl_rows_put(struct tl_rows *rows, const struct tl_column *columns,
		 const struct tl_value *row)
{
	if (rows->interval)
		put_counters(rows, columns, row);
	else
		put_event(rows, columns, row);
}

void tl_rows_end(struct tl_rows *rows)
{
	sort(&rows->now);
	end_counted(rows, &rows->before, &rows->now);
	end_counted(rows, &rows->now, NULL);
}
