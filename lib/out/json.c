/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json.c - rows as JSON, one object per line */
#include <errno.h>
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

static void json_name(struct tl_buf *b, const char *name)
{
	json_str(b, (struct tl_str){ name, strlen(name) });
	tl_buf_char(b, ':');
}

/* What comes behind the value. */
static void json_more(struct tl_buf *b, const char *name,
		      const struct tl_value *v)
{
	if (!v->known || !v->more)
		return;
	tl_buf_str(b, ",\"");
	tl_esc_json(b, (struct tl_str){ name, strlen(name) });
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
		json_name(b, field->name);
		json_value(out, b, field->value.type, &field->value);
		json_more(b, field->name, &field->value);
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
	case TL_KBYTES:
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

int tl_json_layout(struct tl_out *out)
{
	struct tl_member *m = out->members;
	const struct tl_column *c;

	out->keys.len = 0;
	for (c = out->columns; c->head; c++) {
		if (!tl_in_data(c))
			continue;
		*m = (struct tl_member){ .value = &out->row[c - out->columns],
					 .name = c->key,
					 .type = c->type,
					 .key = out->keys.len };
		tl_buf_char(&out->keys, m == out->members ? '{' : ',');
		json_name(&out->keys, c->key);
		m->key_len = out->keys.len - m->key;
		m++;
	}
	out->member_count = (unsigned int)(m - out->members);
	return out->keys.failed ? -ENOMEM : 0;
}

void tl_json_row(struct tl_out *out)
{
	struct tl_member *m = out->members, *end = m + out->member_count;
	struct tl_buf *b = &out->buf;
	size_t start;

	if (m == end)
		tl_buf_char(b, '{');
	for (; m < end; m++) {
		if (tl_kept_is(&m->kept, m->type, m->value)) {
			tl_kept_add(&m->kept, b);
			continue;
		}
		start = b->len;
		tl_buf_add(b, out->keys.data + m->key, m->key_len);
		json_value(out, b, m->type, m->value);
		json_more(b, m->name, m->value);
		tl_kept_keep(&m->kept, m->type, m->value, b, start);
	}
	tl_buf_add(b, "}\n", 2);
}

void tl_json_lost(struct tl_buf *b, unsigned int cpu, int64_t count)
{
	if (count < 0)
		tl_buf_str(b, "{\"lost\":null,");
	else
		tl_buf_printf(b, "{\"lost\":%lld,", (long long)count);
	tl_buf_printf(b, "\"cpu\":%u}\n", cpu);
}
