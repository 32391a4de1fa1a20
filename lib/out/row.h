/* SPDX-License-Identifier: GPL-2.0-or-later */
/* row.h - what out.c and the formats share; out.h is for everyone else */
#ifndef TL_OUT_ROW_H
#define TL_OUT_ROW_H

#include <string.h>

#include "base/buf.h"
#include "base/num.h"
#include "out/out.h"
#include "tracelet/output.h"

/* The second that the last time was in: localtime_r() is slow. */
struct tl_stamp {
	int64_t sec;
	size_t len;
	char text[40];
	char zone[8]; /* "+00:00", empty when it is not shown */
};

/*
 * A cell as it was written last, which the next row often has too: of the same
 * thread, with no error.  To copy it takes a third of the time of writing it.
 */
#define TL_KEPT_TEXT 48
#define TL_KEPT_FROM 16
struct tl_kept {
	bool known;
	uint8_t len, from_len; /* of the text, 0: none; and of a string */
	uint8_t others;        /* cells since the last one that was the same */
	int64_t num;
	char from[TL_KEPT_FROM];
	char text[TL_KEPT_TEXT];
};

/* A column's place in a line of text; ready made, as every row passes it. */
struct tl_place {
	const struct tl_value *value;
	const char *head;
	enum tl_type type;
	size_t width; /* 0: ends where it ends */
	bool right;
	struct tl_kept kept;
};

/* A column in JSON. */
struct tl_member {
	const struct tl_value *value;
	const char *name;
	enum tl_type type;
	size_t key,
		key_len; /* what comes before the value, in the output's keys */
	struct tl_kept kept;
};

struct tl_out {
	struct tl_out_config config;
	struct tl_buf buf;  /* rows that wait */
	struct tl_buf part; /* what has to be seen whole before it is added */
	struct tl_column *columns;
	struct tl_value *row;
	struct tl_place *places;
	struct tl_member *members;
	struct tl_buf keys;
	unsigned int count, place_count, member_count;
	int error;
	bool may_block, has_stack;
	tl_out_watcher *holds; /* asked of each row ... */
	const void *watcher;
	bool came_true;
	bool muted; /* ... and not shown */
	void (*tap)(void *ctx, const struct tl_column *columns,
		    const struct tl_value *row); /* gets each row, too */
	void *tapped;
	uint64_t start_ns;
	int64_t wall_ns;
	struct tl_stamp stamp;
};

static inline bool tl_in_data(const struct tl_column *c)
{
	return c->show == TL_SHOW_ALL || c->show == TL_SHOW_DATA;
}

static inline bool tl_is_length(const struct tl_column *c)
{
	return c->role == TL_ROLE_LENGTH || c->role == TL_ROLE_APART;
}

/* Of up to TL_KEPT_FROM bytes, for which a call of memcmp() is long. */
static inline bool tl_kept_same(const char *a, const char *b, size_t len)
{
	uint64_t x[2], y[2];
	size_t i;

	if (len >= 8) {
		memcpy(&x[0], a, 8);
		memcpy(&y[0], b, 8);
		memcpy(&x[1], a + len - 8, 8);
		memcpy(&y[1], b + len - 8, 8);
		return x[0] == y[0] && x[1] == y[1];
	}
	for (i = 0; i < len && a[i] == b[i]; i++)
		;
	return i == len;
}

/* Whether the cell that is kept is that of @v, a value of type @type. */
static inline bool tl_kept_is(const struct tl_kept *k, enum tl_type type,
			      const struct tl_value *v)
{
	if (!k->len || v->known != k->known || v->more)
		return false;
	if (type != TL_STR || !v->known)
		return v->num == k->num || !v->known;
	return v->str.len == k->from_len &&
	       tl_kept_same(v->str.text, k->from, k->from_len);
}

/* Append it. */
static inline void tl_kept_add(struct tl_kept *k, struct tl_buf *b)
{
	if (!tl_buf_fits(b, TL_KEPT_TEXT))
		return;
	memcpy(b->data + b->len, k->text, TL_KEPT_TEXT);
	b->len += k->len;
	k->others = 0;
}

/*
 * Keep what was added to @b from @start on, if it is short enough, and hangs on
 * nothing but the value; of what is never the same, some.
 */
static inline void tl_kept_keep(struct tl_kept *k, enum tl_type type,
				const struct tl_value *v,
				const struct tl_buf *b, size_t start)
{
	const size_t len = b->len - start;
	const bool is_num = type == TL_INT || type == TL_UINT || type == TL_HEX;
	unsigned int i;

	if (!is_num && type != TL_STR)
		return;
	k->len = 0;
	if ((++k->others > 32 && k->others % 32) || v->more ||
	    len > TL_KEPT_TEXT || b->size - start < TL_KEPT_TEXT)
		return;
	if (!is_num && v->known) {
		if (v->str.len > TL_KEPT_FROM)
			return;
		k->from_len = (uint8_t)v->str.len;
		for (i = 0; i < v->str.len; i++)
			k->from[i] = v->str.text[i];
	}
	k->len = (uint8_t)len;
	k->known = v->known;
	k->num = v->num;
	memcpy(k->text, b->data + start, TL_KEPT_TEXT);
}

/* stamp.c */
/** tl_num_time - as the output's --time asks */
void tl_num_time(struct tl_out *out, struct tl_buf *b, int64_t ns);
/** tl_num_clock - "HH:MM:SS" of the wall clock at @ns of CLOCK_MONOTONIC */
void tl_num_clock(struct tl_out *out, struct tl_buf *b, int64_t ns);
/** tl_num_iso - CLOCK_REALTIME in ns as --time=iso has it */
void tl_num_iso(struct tl_buf *b, int64_t wall_ns);
/** tl_num_is_number - whether times are numbers, not calendar text */
bool tl_num_is_number(const struct tl_out *out);

/* text.c */
/** tl_text_layout - to be called when columns have changed */
void tl_text_layout(struct tl_out *out);
/** tl_text_value - a known value, without padding */
void tl_text_value(struct tl_out *out, struct tl_buf *b, enum tl_type type,
		   const struct tl_value *v);
void tl_text_header(struct tl_out *out);
void tl_text_row(struct tl_out *out);
void tl_text_lost(struct tl_buf *b, unsigned int cpu, int64_t count);

/* json.c */
/** tl_json_layout - to be called when columns have changed; 0 or -ENOMEM */
int tl_json_layout(struct tl_out *out);
void tl_json_row(struct tl_out *out);
void tl_json_lost(struct tl_buf *b, unsigned int cpu, int64_t count);

/* csv.c */
void tl_csv_header(struct tl_out *out);
void tl_csv_row(struct tl_out *out);

#endif
