/* SPDX-License-Identifier: GPL-2.0-or-later */
/* row.h - what out.c and the formats share; out.h is for everyone else */
#ifndef TL_OUT_ROW_H
#define TL_OUT_ROW_H

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

/* A column's place in a line of text; ready made, as every row passes it. */
struct tl_place {
	const struct tl_value *value;
	const char *head;
	enum tl_type type;
	size_t width; /* 0: ends where it ends */
	bool right;
};

struct tl_out {
	struct tl_out_config config;
	struct tl_buf buf;  /* rows that wait */
	struct tl_buf part; /* what has to be seen whole before it is added */
	struct tl_column *columns;
	struct tl_value *row;
	struct tl_place *places;
	unsigned int count, place_count;
	int error;
	bool may_block, has_stack;
	tl_out_watcher *holds; /* asked of each row ... */
	const void *watcher;
	bool came_true;
	bool muted; /* ... and not shown */
	uint64_t start_ns;
	int64_t wall_ns;
	struct tl_stamp stamp;
};

static inline bool tl_in_data(const struct tl_column *c)
{
	return c->show == TL_SHOW_ALL || c->show == TL_SHOW_DATA;
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
void tl_json_row(struct tl_out *out);
void tl_json_lost(struct tl_buf *b, unsigned int cpu, int64_t count);

/* csv.c */
void tl_csv_header(struct tl_out *out);
void tl_csv_row(struct tl_out *out);

#endif
