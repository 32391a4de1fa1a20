/* SPDX-License-Identifier: GPL-2.0-or-later */
/* csv.c - rows as CSV: RFC 4180, with lines that end in a newline only */
#include <string.h>

#include "base/buf.h"
#include "out/row.h"
#include "tracelet/output.h"

static bool needs_quotes(const char *text, size_t len)
{
	size_t i;

	if (len && (text[0] == ' ' || text[len - 1] == ' '))
		return true;
	for (i = 0; i < len; i++)
		if (text[i] == ',' || text[i] == '"')
			return true;
	return false;
}

static void csv_cell(struct tl_buf *b, const char *text, size_t len)
{
	size_t i;

	if (!needs_quotes(text, len)) {
		tl_buf_add(b, text, len);
		return;
	}
	tl_buf_char(b, '"');
	for (i = 0; i < len; i++) {
		if (text[i] == '"')
			tl_buf_char(b, '"');
		tl_buf_char(b, text[i]);
	}
	tl_buf_char(b, '"');
}

static void csv_value(struct tl_out *out, const struct tl_column *c)
{
	const struct tl_value *v = &out->row[c - out->columns];

	if (!v->known)
		return;
	if (c->type == TL_STR && !v->str.len && !v->more) {
		tl_buf_add(&out->buf, "\"\"", 2);
		return;
	}
	out->part.len = 0;
	if (c->type == TL_MSECS || c->type == TL_USECS || c->type == TL_PERCENT)
		tl_num_seconds(&out->part, v->num);
	else if (c->type == TL_NSECS)
		tl_num_long_seconds(&out->part, v->num);
	else /* numbers as numbers */
		tl_text_value(out, &out->part,
			      c->type == TL_HEX      ? TL_INT
			      : c->type == TL_KBYTES ? TL_UINT
						     : c->type,
			      v);
	csv_cell(&out->buf, out->part.data, out->part.len);
}

static void csv_line(struct tl_out *out, bool header)
{
	const struct tl_column *c;
	bool first = true;

	for (c = out->columns; c->head; c++) {
		if (!tl_in_data(c))
			continue;
		if (!first)
			tl_buf_char(&out->buf, ',');
		first = false;
		if (header)
			csv_cell(&out->buf, c->key, strlen(c->key));
		else
			csv_value(out, c);
	}
	tl_buf_char(&out->buf, '\n');
}

void tl_csv_header(struct tl_out *out)
{
	csv_line(out, true);
}

void tl_csv_row(struct tl_out *out)
{
	csv_line(out, false);
}
