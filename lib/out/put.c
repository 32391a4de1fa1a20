// SPDX-License-Identifier: GPL-2.0-or-later
/* put.c - what tools call to fill columns, and to show other lines */
#include "out/put.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/session.h"
#include "out/out.h"
#include "tracelet/message.h"
#include "tracelet/output.h"
#include "tracelet/text.h"

void tl_header(struct tl_session *s)
{
	tl_out_table_header(s->out);
}

bool tl_is_listed(const char *pattern, const char *name)
{
	if (!pattern)
		return true;
	return strpbrk(pattern, "*?[") ? !fnmatch(pattern, name, 0)
				       : strstr(name, pattern) != NULL;
}

void tl_list(struct tl_session *s, const char *text)
{
	struct tl_buf b = { 0 };

	if (s->set.raw)
		tl_buf_str(&b, text);
	else
		tl_esc_text_but(&b, (struct tl_str){ text, strlen(text) }, '\t',
				"\t");
	tl_buf_char(&b, '\n');
	fwrite(b.data, 1, b.len, stdout);
	tl_buf_free(&b);
}

void tl_print(struct tl_session *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tl_out_vline(s->out, fmt, ap);
	va_end(ap);
}

void tl_clock(struct tl_session *s, uint64_t ns, char text[9])
{
	tl_out_clock(s->out, ns, text);
}

int tl_columns(struct tl_session *s, const struct tl_column *columns)
{
	return tl_out_columns(s->out, columns);
}

int tl_column_find(const struct tl_session *s, const char *key)
{
	return tl_out_find(s->out, key);
}

void tl_column_show(struct tl_session *s, unsigned int col, enum tl_show show)
{
	tl_out_show(s->out, col, show);
}

void tl_show_time(struct tl_session *s, unsigned int clock, unsigned int time)
{
	if (!s->set.time_given)
		return;
	tl_column_show(s, clock, TL_SHOW_NEVER);
	tl_column_show(s, time, TL_SHOW_ALL);
}

void tl_column_type(struct tl_session *s, unsigned int col, enum tl_type type)
{
	tl_out_type(s->out, col, type);
}

void tl_put_int(struct tl_session *s, unsigned int col, int64_t num)
{
	struct tl_value *v = tl_out_cell(s->out, col);

	v->known = true;
	v->num = num;
}

void tl_put_str(struct tl_session *s, unsigned int col, struct tl_str str)
{
	struct tl_value *v = tl_out_cell(s->out, col);

	v->known = true;
	v->str = str;
}

void tl_put_text(struct tl_session *s, unsigned int col, const char *text)
{
	if (text)
		tl_put_str(s, col, (struct tl_str){ text, strlen(text) });
}

void tl_put_time(struct tl_session *s, unsigned int col, uint64_t ns)
{
	tl_put_int(s, col, (int64_t)ns);
	tl_put_int(s, col + 1, (int64_t)ns);
}

void tl_put_list(struct tl_session *s, unsigned int col,
		 const struct tl_named *list, size_t count, bool more)
{
	struct tl_value *v = tl_out_cell(s->out, col);

	v->known = true;
	v->list = list;
	v->count = count;
	v->more = more;
}

void tl_row(struct tl_session *s)
{
	tl_out_row(s->out);
}

int tl_flush(struct tl_session *s)
{
	int err = -tl_out_flush(s->out);

	if (!err || err == EPIPE)
		return -err;
	if (err == ETIMEDOUT)
		return tl_fail(err, "the reader of the output does not read: "
				    "waiting output is dropped");
	return tl_fail(err, "writing the output: %s", strerror(err));
}
