// SPDX-License-Identifier: GPL-2.0-or-later
/* pictured.c - pictures of single events that a tool shows, for all tools */
#include "picture/pictured.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/part.h"
#include "base/session.h"
#include "out/out.h"
#include "out/row.h"
#include "run/state.h"
#include "tracelet/heatmap.h"
#include "tracelet/message.h"
#include "tracelet/output.h"
#include "tracelet/session.h"
#include "tracelet/tool.h"

struct pictured {
	struct tl_part part;
	char title[128];                  /* of the offsets */
	char detail[256];                 /* what was chosen */
	struct tl_heatmap *heat, *second; /* NULL: not asked for */
};

static const struct tl_part_ops pictured_ops = { .free = free };

int tl_pictured_args(struct tl_session *s)
{
	return tl_heatmap_check_file(s, "--heatmap", s->set.heatmap)
		       ?: tl_heatmap_check_file(s, "--subsecond",
						s->set.subsecond);
}

bool tl_pictures_asked(const struct tl_session *s)
{
	return s->set.heatmap || s->set.subsecond;
}

static void add(const struct pictured *p, uint64_t ns, uint64_t latency)
{
	if (p->heat)
		tl_heatmap_add(p->heat, (struct tl_str){ "", 0 }, ns, latency);
	if (p->second)
		tl_heatmap_moment(p->second, ns);
}

void tl_pictured(struct tl_session *s, uint64_t ns, uint64_t latency)
{
	const struct pictured *p = tl_part_find(s, &pictured_ops);

	if (p)
		add(p, ns, latency);
}

/* ---- rows ------------------------------------------------------------- */

/* What a row says of when something was. */
struct moment {
	bool began, ended, took;
	uint64_t begin, end, length;
};

static void look_at(struct moment *m, const struct tl_column *c,
		    const struct tl_value *v)
{
	if (tl_is_length(c)) {
		m->length = (uint64_t)v->num;
		m->took = true;
	} else if (c->role == TL_ROLE_BEGIN) {
		m->begin = (uint64_t)v->num;
		m->began = true;
	} else if (c->type == TL_TIME && !m->ended) {
		m->end = (uint64_t)v->num;
		m->ended = true;
	}
}

/* A row without a time is none of its own: as a stack, which is one more in text. */
static void on_row(void *ctx, const struct tl_column *columns,
		   const struct tl_value *row)
{
	const struct pictured *p = ctx;
	struct moment m = { 0 };
	const struct tl_column *c;

	for (c = columns; c->head; c++, row++)
		if (row->known)
			look_at(&m, c, row);
	if (!m.ended && m.began)
		m.end = m.begin + m.length;
	if (!m.ended && !m.began)
		return;
	if (p->second)
		tl_heatmap_moment(p->second, m.end);
	if (p->heat && m.took)
		tl_heatmap_add(p->heat, (struct tl_str){ "", 0 }, m.end,
			       m.length);
}

/* Options can make rows of something else, as of histograms. */
static int watch_rows(struct tl_session *s, struct pictured *p)
{
	const struct tl_column *c = tl_out_table(s->out);
	bool any = false, length = false;

	for (; c->head; c++) {
		any |= c->role != TL_ROLE_NONE;
		length |= tl_is_length(c);
	}
	if (!any || (s->set.heatmap && !length))
		return tl_fail(EINVAL,
			       "%s is of single %s, which are not shown with "
			       "these options",
			       s->set.heatmap ? "--heatmap" : "--subsecond",
			       s->tool->pictured.unit);
	tl_out_tap(s->out, on_row, p);
	return 0;
}

/* ---- set-up ----------------------------------------------------------- */

/*
 * As the line that a run begins with says it, without "Tracing" and the dots at its end:
 * function, threshold, who.
 */
static void find_detail(const struct tl_session *s, struct pictured *p)
{
	const char *banner = s->run->banner ?: "";
	const char *text = strchr(banner, ' ');
	size_t len;

	snprintf(p->detail, sizeof(p->detail), "%s", text ? text + 1 : "");
	for (len = strlen(p->detail); len && p->detail[len - 1] == '.';)
		p->detail[--len] = '\0';
}

static int open_heat(struct tl_session *s, struct pictured *p)
{
	const struct tl_heatmap_config config = {
		.path = s->set.heatmap,
		.title = s->tool->pictured.latency,
		.unit = s->tool->pictured.unit,
		.detail = p->detail,
	};

	if (!s->set.heatmap)
		return 0;
	p->heat = tl_heatmap_open(s, &config);
	return p->heat ? 0 : -EIO;
}

static int open_second(struct tl_session *s, struct pictured *p)
{
	const struct tl_heatmap_config config = {
		.kind = TL_HEATMAP_OFFSET,
		.path = s->set.subsecond,
		.title = p->title,
		.unit = s->tool->pictured.unit,
		.detail = p->detail,
	};

	if (!s->set.subsecond)
		return 0;
	snprintf(p->title, sizeof(p->title),
		 "%s: when in each second there were %s", s->tool->name,
		 config.unit);
	p->second = tl_heatmap_open(s, &config);
	return p->second ? 0 : -EIO;
}

int tl_pictured_open(struct tl_session *s)
{
	struct pictured *p;
	int ret = 0;

	if (!tl_pictures_asked(s))
		return 0;
	p = tl_part_new(s, &pictured_ops, sizeof(*p));
	if (!p)
		return -ENOMEM;
	if (!s->tool->pictured.told)
		ret = watch_rows(s, p);
	find_detail(s, p);
	return ret ?: open_heat(s, p) ?: open_second(s, p);
}
