// SPDX-License-Identifier: GPL-2.0-or-later
/* stamp.c - times of rows, as --time asks */
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "base/buf.h"
#include "out/out.h"
#include "out/row.h"
#include "tracelet/output.h"
#include "tracelet/session.h"

#define USEC_PER_SEC 1000000

static void format_zone(char *to, long offset)
{
	long minutes = labs(offset) / 60;

	to[0] = offset < 0 ? '-' : '+';
	to[1] = (char)('0' + minutes / 600 % 10);
	to[2] = (char)('0' + minutes / 60 % 10);
	to[3] = ':';
	to[4] = (char)('0' + minutes % 60 / 10);
	to[5] = (char)('0' + minutes % 10);
	to[6] = '\0';
}

static void set_stamp(struct tl_stamp *stamp, int64_t sec, enum tl_time time)
{
	time_t when = (time_t)sec;
	struct tm tm;

	stamp->sec = sec;
	stamp->len = 0;
	stamp->zone[0] = '\0';
	if (!localtime_r(&when, &tm))
		return;
	if (time == TL_TIME_ISO) {
		stamp->len = strftime(stamp->text, sizeof(stamp->text),
				      "%Y-%m-%dT%T", &tm);
		format_zone(stamp->zone, tm.tm_gmtoff);
	} else {
		stamp->len =
			strftime(stamp->text, sizeof(stamp->text), "%T", &tm);
	}
}

/* @stamp: has the last second that was written */
static void add_wall(struct tl_buf *b, struct tl_stamp *stamp,
		     enum tl_time time, int64_t wall_ns)
{
	int64_t usec = tl_usec_of(wall_ns);
	int64_t sec = tl_floor_div(usec, USEC_PER_SEC);

	if (sec != stamp->sec)
		set_stamp(stamp, sec, time);
	tl_buf_add(b, stamp->text, stamp->len);
	tl_num_fraction(b, (uint64_t)(usec - sec * USEC_PER_SEC));
	tl_buf_str(b, stamp->zone);
}

void tl_num_iso(struct tl_buf *b, int64_t wall_ns)
{
	struct tl_stamp stamp = { .sec = INT64_MIN };

	add_wall(b, &stamp, TL_TIME_ISO, wall_ns);
}

void tl_num_clock(struct tl_out *out, struct tl_buf *b, int64_t ns)
{
	char text[9];

	tl_out_clock(out, (uint64_t)ns, text);
	tl_buf_str(b, text);
}

bool tl_num_is_number(const struct tl_out *out)
{
	return out->config.time == TL_TIME_CLOCK ||
	       out->config.time == TL_TIME_RELATIVE;
}

unsigned int tl_time_width(enum tl_time time)
{
	if (time == TL_TIME_ISO)
		return sizeof("2026-11-20T23:11:19.123456+00:00") - 1;
	return time == TL_TIME_WALL ? sizeof("23:11:19.123456") - 1 : 0;
}

void tl_num_time(struct tl_out *out, struct tl_buf *b, int64_t ns)
{
	if (out->config.time == TL_TIME_RELATIVE)
		tl_num_seconds(b, ns - (int64_t)out->start_ns);
	else if (out->config.time == TL_TIME_CLOCK)
		tl_num_seconds(b, ns);
	else
		add_wall(b, &out->stamp, out->config.time, ns + out->wall_ns);
}
