/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proto.h - messages in the wire format of protocol buffers
 *
 * A message is a row of fields: each has a tag, which is the field's number and how
 * its value is written, and the value.  A message within a message is its length and
 * its bytes.  There is no more to it that a trace needs, so no library is used: one
 * would bring a generator, a schema, and code that is generated, for six functions.
 */
#ifndef TL_TIMELINE_PROTO_H
#define TL_TIMELINE_PROTO_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "tracelet/text.h"

/* Each appends field @field of the message that is being written. */

/** tl_proto_uint - an unsigned number, bool or enum */
void tl_proto_uint(struct tl_buf *b, unsigned int field, uint64_t num);
/** tl_proto_int - int32 or int64: a negative number takes ten bytes */
void tl_proto_int(struct tl_buf *b, unsigned int field, int64_t num);
void tl_proto_double(struct tl_buf *b, unsigned int field, double num);
/**
 * tl_proto_str - a string, which is to be UTF-8: where @str is not, or has control
 * characters, it is escaped as in the text of rows
 */
void tl_proto_str(struct tl_buf *b, unsigned int field, struct tl_str str);
void tl_proto_text(struct tl_buf *b, unsigned int field, const char *text);
/**
 * tl_proto_begin - begin a message within the message: fields that follow are its own
 *
 * Returns what tl_proto_end() takes.
 */
size_t tl_proto_begin(struct tl_buf *b, unsigned int field);
void tl_proto_end(struct tl_buf *b, size_t begin);

#endif
