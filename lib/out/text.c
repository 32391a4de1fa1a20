/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text.c - rows as text: what printf("%-16s %4s %s") makes of them */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "out/row.h"
#include "tracelet/output.h"
#include "tracelet/text.h"

static void text_str(struct tl_out *out, struct tl_buf *b, struct tl_str str)
{
	if (!str.len)
		tl_buf_add(b, "\"\"", 2);
	else if (out->config.raw)
		tl_buf_add(b, str.text, str.len);
	else
		tl_esc_text(b, str);
}

static void text_word(struct tl_out *out, struct tl_buf *b,
		      const struct tl_value *v)
{
	if (!v->known)
		tl_buf_add(b, "[?]", 3);
	else if (v->type == TL_STR && !out->config.raw)
		tl_esc_word(b, v->str);
	else if (v->type == TL_STR)
		tl_buf_add(b, v->str.text, v->str.len);
	else
		tl_text_value(out, b, v->type, v);
}

static void text_words(struct tl_out *out, struct tl_buf *b,
		       const struct tl_value *v)
{
	size_t i;

	for (i = 0; i < v->count; i++) {
		if (i)
			tl_buf_char(b, ' ');
		text_word(out, b, &v->list[i].value);
	}
}

/* A function; the name of one is never empty. */
static void text_frame(struct tl_out *out, struct tl_buf *b,
		       const struct tl_value *v)
{
	if (v->known)
		tl_text_value(out, b, v->type, v);
	else
		tl_buf_add(b, "[?]", 3);
}

/* In CSV; in text tl_out_row() puts them under the row. */
static void text_frames(struct tl_out *out, struct tl_buf *b,
			const struct tl_value *v)
{
	size_t i;

	for (i = 0; i < v->count; i++) {
		if (i)
			tl_buf_char(b, ';');
		text_frame(out, b, &v->list[i].value);
	}
}

static void text_known(struct tl_out *out, struct tl_buf *b, enum tl_type type,
		       const struct tl_value *v)
{
	if (v->known)
		tl_text_value(out, b, type, v);
	else
		tl_buf_char(b, '-');
}

/* A "-" that is a text, and not a value that is not known. */
static bool is_dash(const struct tl_value *v)
{
	return v->known && v->type == TL_STR && v->str.len == 1 &&
	       *v->str.text == '-';
}

static void text_field(struct tl_out *out, struct tl_buf *b,
		       const struct tl_value *v)
{
	if (is_dash(v))
		tl_buf_add(b, "\"-\"", 3);
	else
		text_known(out, b, v->type, v);
}

static void text_fields(struct tl_out *out, struct tl_buf *b,
			const struct tl_value *v)
{
	size_t i;

	for (i = 0; i < v->count; i++) {
		const struct tl_named *field = &v->list[i];

		if (i)
			tl_buf_char(b, ' ');
		text_str(out, b,
			 (struct tl_str){ field->name, strlen(field->name) });
		tl_buf_char(b, '=');
		text_field(out, b, &field->value);
	}
}

/* Apart, so that the way of text and numbers saves no registers for it. */
__attribute__((noinline)) static void text_list(struct tl_out *out,
						struct tl_buf *b,
						enum tl_type type,
						const struct tl_value *v)
{
	if (type == TL_ARGV)
		text_words(out, b, v);
	else if (type == TL_STACK)
		text_frames(out, b, v);
	else
		text_fields(out, b, v);
}

void tl_text_value(struct tl_out *out, struct tl_buf *b, enum tl_type type,
		   const struct tl_value *v)
{
	if (type == TL_STR)
		text_str(out, b, v->str);
	else if (type == TL_INT)
		tl_num_int(b, v->num);
	else if (type == TL_UINT)
		tl_num_uint(b, v->num);
	else if (type == TL_HEX)
		tl_num_hex(b, v->num);
	else if (type == TL_ADDRESS)
		tl_num_hex_unsigned(b, (uint64_t)v->num);
	else if (type == TL_TIME)
		tl_num_time(out, b, v->num);
	else if (type == TL_WALL_CLOCK)
		tl_num_clock(out, b, v->num);
	else if (type == TL_MSECS)
		tl_num_msecs(b, v->num);
	else if (type == TL_USECS)
		tl_num_usecs(b, v->num);
	else if (type == TL_NSECS)
		tl_num_nsecs(b, v->num);
	else if (type == TL_KBYTES)
		tl_num_kbytes(b, (uint64_t)v->num);
	else if (type == TL_PERCENT)
		tl_num_percent(b, v->num);
	else
		text_list(out, b, type, v);
	if (v->more)
		tl_buf_str(b, " [...]");
}

/* Code points: bytes that do not continue one. */
static size_t points(const char *text, size_t len)
{
	size_t n = 0, i;

	for (i = 0; i < len; i++)
		n += (text[i] & 0xc0) != 0x80;
	return n;
}

static size_t any_cell(struct tl_out *out, enum tl_type type,
		       const struct tl_value *v)
{
	struct tl_buf *b = &out->buf;
	size_t start = b->len;

	text_known(out, b, type, v);
	return points(b->data + start, b->len - start);
}

/* Returns how wide it is; what most cells are is dealt with here. */
static inline size_t text_cell(struct tl_out *out, enum tl_type type,
			       const struct tl_value *v)
{
	struct tl_buf *b = &out->buf;
	size_t start = b->len;

	if (!v->known)
		tl_buf_char(b, '-');
	else if (type == TL_STR && v->str.len && !v->more && !out->config.raw)
		return tl_esc_text(b, v->str);
	else if (type == TL_INT)
		tl_num_int(b, v->num);
	else if (type == TL_HEX)
		tl_num_hex(b, v->num);
	else
		return any_cell(out, type, v);
	return b->len - start;
}

/* Of most cells, and of their padding: a size that needs no call to copy. */
#define CELL 16

/* At least one. */
static inline void spaces_behind(struct tl_buf *b, size_t count)
{
	size_t i = 0;
	char *to;

	if (!tl_buf_fits(b, count + CELL))
		return;
	to = b->data + b->len;
	do {
		memset(to + i, ' ', CELL);
		i += CELL;
	} while (i < count);
	b->len += count;
}

static inline void spaces_before(struct tl_buf *b, size_t start, size_t count)
{
	size_t len = b->len - start;
	char *at, cell[CELL];

	if (!tl_buf_fits(b, count + CELL))
		return;
	at = b->data + start;
	b->len += count;
	if (len > CELL || count > CELL) {
		memmove(at + count, at, len);
		memset(at, ' ', count);
		return;
	}
	memcpy(cell, at, CELL);
	memset(at, ' ', CELL);
	memcpy(at + count, cell, CELL);
}

/*
 * As printf's width does to what was added from @start on, and the space between
 * two of them.
 */
static inline void pad(struct tl_buf *b, const struct tl_place *p, size_t start,
		       size_t have)
{
	size_t count = have < p->width ? p->width - have : 0;

	if (count && p->right) {
		spaces_before(b, start, count);
		count = 0;
	}
	spaces_behind(b, count + 1);
}

/* The space behind the last place becomes the end of the line. */
static void end_line(struct tl_buf *b, size_t line)
{
	b->len -= b->len > line;
	tl_buf_char(b, '\n');
}

static bool in_text(const struct tl_column *c)
{
	return c->show == TL_SHOW_ALL || c->show == TL_SHOW_TEXT;
}

/* As its table says, or as its times need. */
static size_t width_of(const struct tl_out *out, const struct tl_column *c)
{
	size_t width = (size_t)abs(c->width);
	size_t least = c->type == TL_TIME && width
			       ? tl_time_width(out->config.time)
			       : 0;

	return width < least ? least : width;
}

void tl_text_layout(struct tl_out *out)
{
	struct tl_place *p = out->places;
	const struct tl_column *c;

	out->has_stack = false;
	for (c = out->columns; c->head; c++) {
		if (!in_text(c))
			continue;
		if (c->type == TL_STACK) {
			out->has_stack = true;
			continue;
		}
		*p++ = (struct tl_place){
			.value = &out->row[c - out->columns],
			.head = c->head,
			.type = c->type,
			.width = width_of(out, c),
			.right = c->width > 0,
		};
	}
	out->place_count = (unsigned int)(p - out->places);
	if (p > out->places && !p[-1].right)
		p[-1].width = 0;
}

void tl_text_header(struct tl_out *out)
{
	const struct tl_place *p, *end = out->places + out->place_count;
	struct tl_buf *b = &out->buf;
	size_t line = b->len;

	if (!out->place_count)
		return;
	for (p = out->places; p < end; p++) {
		size_t start = b->len;

		tl_buf_str(b, p->head);
		pad(b, p, start, b->len - start);
	}
	end_line(b, line);
}

static inline void text_line(struct tl_out *out)
{
	struct tl_place *p, *end = out->places + out->place_count;
	struct tl_buf *b = &out->buf;
	size_t line = b->len, start;

	for (p = out->places; p < end; p++) {
		if (tl_kept_is(&p->kept, p->type, p->value)) {
			tl_kept_add(&p->kept, b);
			continue;
		}
		start = b->len;
		pad(b, p, start, text_cell(out, p->type, p->value));
		tl_kept_keep(&p->kept, p->type, p->value, b, start);
	}
	end_line(b, line);
}

static void text_stack(struct tl_out *out, const struct tl_value *v)
{
	size_t i;

	for (i = 0; v->known && i < v->count; i++) {
		tl_buf_str(&out->buf, " => ");
		text_frame(out, &out->buf, &v->list[i].value);
		tl_buf_char(&out->buf, '\n');
	}
}

static void text_stacks(struct tl_out *out)
{
	const struct tl_column *c;

	for (c = out->columns; c->head; c++)
		if (c->type == TL_STACK && in_text(c))
			text_stack(out, &out->row[c - out->columns]);
}

void tl_text_row(struct tl_out *out)
{
	if (out->place_count)
		text_line(out);
	if (out->has_stack)
		text_stacks(out);
}

void tl_text_lost(struct tl_buf *b, unsigned int cpu, int64_t count)
{
	if (count < 0)
		tl_buf_str(b, "[LOST EVENTS");
	else
		tl_buf_printf(b, "[LOST %lld EVENTS", (long long)count);
	tl_buf_printf(b, " on CPU %u]\n", cpu);
}
