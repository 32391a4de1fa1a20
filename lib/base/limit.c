// SPDX-License-Identifier: GPL-2.0-or-later
/* limit.c - what a tool cannot do on this kernel, for --check */
#include "base/limit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/message.h"
#include "base/part.h"
#include "tracelet/tool.h"

static void free_limits(void *part)
{
	struct tl_limits *l = part;

	while (l->count)
		tl_buf_free(&l->list[--l->count].reason);
	free(l->list);
	free(l);
}

static const struct tl_part_ops limits_ops = { .free = free_limits };

struct tl_limits *tl_limits(const struct tl_session *s)
{
	return tl_part_find(s, &limits_ops);
}

struct tl_limits *tl_limits_new(struct tl_session *s)
{
	return tl_part_new(s, &limits_ops, sizeof(struct tl_limits));
}

void tl_limit_join(struct tl_buf *to, const char *tool,
		   const struct tl_buf *said)
{
	const char *line = said->data, *end = line + said->len, *next;
	size_t skip = strlen(tool) + strlen(": ");

	for (; line < end; line = next + 1) {
		next = memchr(line, '\n', (size_t)(end - line)) ?: end;
		if (to->len)
			tl_buf_str(to, "; ");
		if ((size_t)(next - line) > skip)
			tl_buf_add(to, line + skip,
				   (size_t)(next - line) - skip);
	}
	to->failed |= said->failed;
}

static int add_limit(struct tl_session *s, const char *option,
		     const struct tl_buf *said)
{
	struct tl_limits *l = tl_limits(s);
	struct tl_limit *more =
		reallocarray(l->list, l->count + 1, sizeof(*more));

	if (!more)
		return -ENOMEM;
	l->list = more;
	more += l->count++;
	*more = (struct tl_limit){ .option = option };
	tl_limit_join(&more->reason, s->tool->name, said);
	return more->reason.failed ? -ENOMEM : 0;
}

int tl_limit_of(struct tl_session *s, const char *option, bool given,
		int (*check)(struct tl_session *s, void *data), void *data)
{
	struct tl_buf said = { 0 }, *before;
	int ret;

	if (given || !tl_limits(s))
		return given ? check(s, data) : 0;
	before = tl_message_keep(&said);
	ret = check(s, data);
	tl_message_keep(before);
	ret = ret == -ENOMEM ? ret : ret ? add_limit(s, option, &said) : 0;
	tl_buf_free(&said);
	return ret;
}

struct plain {
	int (*check)(struct tl_session *s);
};

static int call(struct tl_session *s, void *data)
{
	const struct plain *p = data;

	return p->check(s);
}

int tl_limit(struct tl_session *s, const char *option, bool given,
	     int (*check)(struct tl_session *s))
{
	struct plain p = { check };

	return tl_limit_of(s, option, given, call, &p);
}
