// SPDX-License-Identifier: GPL-2.0-or-later
/* part.c - what hangs on a run besides its core */
#include "base/part.h"

#include <stdlib.h>

void tl_part_add(struct tl_session *s, const struct tl_part_ops *ops,
		 void *part)
{
	struct tl_part *p = part, **end = &s->parts;

	while (*end)
		end = &(*end)->next;
	*end = p;
	p->ops = ops;
	p->next = NULL;
}

void *tl_part_new(struct tl_session *s, const struct tl_part_ops *ops,
		  size_t size)
{
	void *part = calloc(1, size);

	if (part)
		tl_part_add(s, ops, part);
	return part;
}

void *tl_part_get(struct tl_session *s, const struct tl_part_ops *ops,
		  size_t size)
{
	return tl_part_find(s, ops) ?: tl_part_new(s, ops, size);
}

int tl_parts_prepare(struct tl_session *s)
{
	struct tl_part *p;
	int ret = 0;

	for (p = s->parts; p && !ret; p = p->next)
		if (p->ops->prepare)
			ret = p->ops->prepare(s, p);
	return ret;
}

int tl_parts_start(struct tl_session *s)
{
	struct tl_part *p;
	int ret = 0;

	for (p = s->parts; p && !ret; p = p->next)
		if (p->ops->start)
			ret = p->ops->start(s, p);
	return ret;
}

void tl_parts_stop(struct tl_session *s)
{
	struct tl_part *p;

	for (p = s->parts; p; p = p->next)
		if (p->ops->stop)
			p->ops->stop(s, p);
}

void tl_parts_lost(struct tl_session *s, unsigned int cpu)
{
	struct tl_part *p;

	for (p = s->parts; p; p = p->next)
		if (p->ops->lost)
			p->ops->lost(s, p, cpu);
}

void tl_parts_task(struct tl_session *s, pid_t tid, enum tl_task_change change,
		   uint64_t ns)
{
	struct tl_part *p;

	for (p = s->parts; p; p = p->next)
		if (p->ops->task)
			p->ops->task(s, p, tid, change, ns);
}

void tl_parts_pass(struct tl_session *s, uint64_t ns)
{
	struct tl_part *p;

	for (p = s->parts; p; p = p->next)
		if (p->ops->pass)
			p->ops->pass(s, p, ns);
}

void tl_parts_keep(struct tl_session *s)
{
	struct tl_part *p;

	for (p = s->parts; p; p = p->next)
		if (p->ops->keep)
			p->ops->keep(s, p);
}

void tl_parts_keep_end(struct tl_session *s)
{
	struct tl_part *p;

	for (p = s->parts; p; p = p->next)
		if (p->ops->keep_end)
			p->ops->keep_end(s, p);
}

void tl_parts_keep_file(struct tl_session *s, uint64_t since, struct tl_buf *to)
{
	struct tl_part *p;

	for (p = s->parts; p; p = p->next)
		if (p->ops->keep_file)
			p->ops->keep_file(s, p, since, to);
}

void tl_parts_flush(struct tl_session *s)
{
	struct tl_part *p;

	for (p = s->parts; p; p = p->next)
		if (p->ops->flush)
			p->ops->flush(s, p);
}

void tl_parts_close(struct tl_session *s)
{
	struct tl_part *p;

	for (p = s->parts; p; p = p->next)
		if (p->ops->close)
			p->ops->close(s, p);
}

int tl_parts_undo(struct tl_session *s)
{
	struct tl_part *p;
	int ret, last = 0;

	for (p = s->parts; p; p = p->next) {
		ret = p->ops->undo ? p->ops->undo(s, p) : 0;
		if (ret)
			last = ret;
	}
	return last;
}

void tl_parts_count(struct tl_session *s, struct tl_losses *l)
{
	struct tl_part *p;

	for (p = s->parts; p; p = p->next)
		if (p->ops->count)
			p->ops->count(s, p, l);
}

uint64_t tl_parts_report(struct tl_session *s)
{
	uint64_t sum = 0;
	struct tl_part *p;

	for (p = s->parts; p; p = p->next)
		if (p->ops->report)
			sum += p->ops->report(s, p);
	return sum;
}

const char *tl_parts_uncaptured(const struct tl_session *s)
{
	const char *why = NULL;
	struct tl_part *p;

	for (p = s->parts; p && !why; p = p->next)
		if (p->ops->uncaptured)
			why = p->ops->uncaptured(p);
	return why;
}

void tl_parts_free(struct tl_session *s)
{
	struct tl_part *p;

	while ((p = s->parts)) {
		s->parts = p->next;
		p->ops->free(p);
	}
}
