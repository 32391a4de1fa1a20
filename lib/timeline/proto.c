// SPDX-License-Identifier: GPL-2.0-or-later
/* proto.c - messages in the wire format of protocol buffers */
#include "timeline/proto.h"

#include <string.h>

enum wire { VARINT = 0, FIXED64 = 1, BYTES = 2 };

#define VARINT_MAX 10 /* bytes of 64 bits, seven in each */

/* Seven bits in each byte, the lowest first; the eighth: there are more. */
static size_t encode(char to[VARINT_MAX], uint64_t num)
{
	size_t len = 0;

	for (; num >= 0x80; num >>= 7)
		to[len++] = (char)(num | 0x80);
	to[len++] = (char)num;
	return len;
}

static void put_varint(struct tl_buf *b, uint64_t num)
{
	char bytes[VARINT_MAX];
	const size_t len = encode(bytes, num);

	tl_buf_add(b, bytes, len);
}

static void put_tag(struct tl_buf *b, unsigned int field, enum wire wire)
{
	put_varint(b, field << 3 | wire);
}

void tl_proto_uint(struct tl_buf *b, unsigned int field, uint64_t num)
{
	put_tag(b, field, VARINT);
	put_varint(b, num);
}

void tl_proto_int(struct tl_buf *b, unsigned int field, int64_t num)
{
	tl_proto_uint(b, field, (uint64_t)num);
}

void tl_proto_double(struct tl_buf *b, unsigned int field, double num)
{
	unsigned int i;
	uint64_t bits;

	memcpy(&bits, &num, sizeof(bits));
	put_tag(b, field, FIXED64);
	for (i = 0; i < sizeof(bits); i++)
		tl_buf_char(b, (char)(bits >> 8 * i));
}

void tl_proto_str(struct tl_buf *b, unsigned int field, struct tl_str str)
{
	size_t begin;

	if (tl_esc_is_printable(str)) {
		put_tag(b, field, BYTES);
		put_varint(b, str.len);
		tl_buf_add(b, str.text, str.len);
		return;
	}
	begin = tl_proto_begin(b, field);
	tl_esc_text(b, str);
	tl_proto_end(b, begin);
}

void tl_proto_text(struct tl_buf *b, unsigned int field, const char *text)
{
	tl_proto_str(b, field, (struct tl_str){ text, strlen(text) });
}

/* Most messages are so short that one byte has their length. */
size_t tl_proto_begin(struct tl_buf *b, unsigned int field)
{
	put_tag(b, field, BYTES);
	tl_buf_char(b, 0);
	return b->len;
}

void tl_proto_end(struct tl_buf *b, size_t begin)
{
	char bytes[VARINT_MAX];
	size_t len, more;

	if (b->failed || !tl_buf_room(b, VARINT_MAX))
		return;
	len = b->len - begin;
	more = encode(bytes, len) - 1;
	if (more)
		memmove(b->data + begin + more, b->data + begin, len);
	memcpy(b->data + begin - 1, bytes, more + 1);
	b->len += more;
}
