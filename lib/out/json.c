/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json.c - rows as JSON, one object per line */
#include <string.h>

#include "base/buf.h"
#include "out/row.h"
#include "tracelet/output.h"
#include "tracelet/text.h"

static void json_value(struct tl_out *out, struct tl_buf *b, enum tl_type type,
		       const struct tl_value *v);

static void json_str(struct tl_buf *b, struct tl_str str)
{
	tl_buf_char(b, '"');
	tl_esc_json(b, str);
	tl_buf_char(b, '"');
}

static void json_time(struct tl_out *out, struct tl_buf *b, int64_t ns)
{
	bool quote = !tl_num_is_number(out);

	if (quote)
		tl_buf_char(b, '"');
	tl_num_time(out, b, ns);
	if (quote)
		tl_buf_char(b, '"');
}

static void json_array(struct tl_out *out, struct tl_buf *b,
		       const struct tl_value *v)
{
	size_t i;

	tl_buf_char(b, '[');
	for (i = 0; i < v->count; i++) {
		if (i)
			tl_buf_char(b, ',');
		json_value(out, b, v->list[i].value.type, &v->list[i].value);
	}
	tl_buf_char(b, ']');
}

static void json_member(struct tl_out *out, struct tl_buf *b, const char *name,
			enum tl_type type, const struct tl_value *v)
{
	struct tl_str key = { name, strlen(name) };

	json_str(b, key);
	tl_buf_char(b, ':');
	json_value(out, b, type, v);
	if (!v->known || !v->more)
		return;
	tl_buf_str(b, ",\"");
	tl_esc_json(b, key);
	tl_buf_str(b, "_truncated\":true");
}

static void json_object(struct tl_out *out, struct tl_buf *b,
			const struct tl_value *v)
{
	size_t i;

	tl_buf_char(b, '{');
	for (i = 0; i < v->count; i++) {
		const struct tl_named *field = &v->list[i];

		if (i)
			tl_buf_char(b, ',');
		json_member(out, b, field->name, field->value.type,
			    &field->value);
	}
	tl_buf_char(b, '}');
}

static void json_known(struct tl_out *out, struct tl_buf *b, enum tl_type type,
		       const struct tl_value *v)
{
	switch (type) {
	case TL_STR:
		json_str(b, v->str);
		break;
	case TL_INT:
	case TL_HEX:
		tl_num_int(b, v->num);
		break;
	case TL_UINT:
		tl_num_uint(b, v->num);
		break;
	case TL_ADDRESS:
		tl_buf_char(b, '"');
		tl_num_hex_unsigned(b, (uint64_t)v->num);
		tl_buf_char(b, '"');
		break;
	case TL_TIME:
		json_time(out, b, v->num);
		break;
	case TL_WALL_CLOCK:
		tl_buf_char(b, '"');
		tl_num_clock(out, b, v->num);
		tl_buf_char(b, '"');
		break;
	case TL_MSECS:
	case TL_USECS:
	case TL_PERCENT:
		tl_num_seconds(b, v->num);
		break;
	case TL_NSECS:
		tl_num_long_seconds(b, v->num);
		break;
	case TL_ARGV:
	case TL_STACK:
		json_array(out, b, v);
		break;
	case TL_FIELDS:
		json_object(out, b, v);
		break;
	}
}

static void json_value(struct tl_out *out, struct tl_buf *b, enum tl_type type,
		       const struct tl_value *v)
{
	if (v->known)
		json_known(out, b, type, v);
	else
		tl_buf_add(b, "null", 4);
}

void tl_json_row(struct tl_out *out)
{
	const struct tl_column *c;
	char before = '{';

	for (c = out->columns; c->head; c++) {
		if (!tl_in_data(c))
			continue;
		tl_buf_char(&out->buf, before);
		json_member(out, &out->buf, c->key, c->type,
			    &out->row[c - out->columns]);
		before = ',';
	}
	if (before == '{')
		tl_buf_char(&out->buf, '{');
	tl_buf_add(&out->buf, "}\n", 2);
}

void tl_json_lost(struct tl_buf *b, unsigned int cpu, int64_t count)
{
	if (count < 0)
		tl_buf_str(b, "{\"lost\":null,");
	else
		tl_buf_printf(b, "{\"lost\":%lld,", (long long)count);
	tl_buf_printf(b, "\"cpu\":%u}\n", cpu);
}
