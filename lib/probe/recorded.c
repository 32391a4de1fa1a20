// SPDX-License-Identifier: GPL-2.0-or-later
/* recorded.c - probes of a capture */
#include "probe/recorded.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/message.h"
#include "base/recording.h"
#include "probe/probe.h"
#include "record/event.h"
#include "tracelet/message.h"
#include "tracelet/probe.h"

/* Definitions come in the same order. */
static void key_of(char key[64], const struct tl_probes *p, const char *what,
		   unsigned int probe)
{
	snprintf(key, 64, "definition %u %s %u", p->definitions, what, probe);
}

/* ---- keeping ---------------------------------------------------------- */

static void add_word(struct tl_buf *b, const char *word)
{
	tl_buf_add(b, word, strlen(word) + 1);
}

/* "ARGUMENT" for true and false, "ARGUMENT" and "VALUE NAME"s for an enum */
static void keep_values(struct tl_recording *r, const char *key,
			const struct tl_fetch *f)
{
	struct tl_btf_info info = tl_btf_info(f->type);
	struct tl_buf b = { 0 };
	struct tl_btf_value v;
	unsigned int i;

	add_word(&b, f->name);
	for (i = 0; f->show == TL_FETCH_ENUM && info.kind == TL_BTF_ENUM &&
		    tl_btf_value(info.bare, i, &v);
	     i++) {
		tl_buf_printf(&b, "%" PRId64 " %s", v.value, v.name);
		tl_buf_char(&b, '\0');
	}
	tl_recording_note(r, key, b.data, b.len, 0);
	tl_buf_free(&b);
}

void tl_recorded_probe_keep(struct tl_session *s,
			    const struct tl_recorded_probe *p,
			    const struct tl_fetches *values)
{
	struct tl_probes *all = tl_probes_get(s);
	struct tl_buf b = { 0 };
	char key[64], value_key[96];
	unsigned int i;

	if (!all || !tl_recording_is_on(s->recording))
		return;
	add_word(&b, p->type);
	add_word(&b, p->name);
	add_word(&b, p->place);
	add_word(&b, p->args);
	add_word(&b, p->with_args ? "1" : "");
	add_word(&b, p->cut_of ?: "");
	key_of(key, all, "probe", all->defined);
	tl_recording_note(s->recording, key, b.data, b.len, 0);
	tl_buf_free(&b);
	key_of(key, all, "values", all->defined++);
	for (i = 0; i < values->count; i++) {
		snprintf(value_key, sizeof(value_key), "%s %u", key, i);
		if (values->list[i].show != TL_FETCH_AS_IS)
			keep_values(s->recording, value_key, &values->list[i]);
	}
}

void tl_recorded_probe_end(struct tl_session *s, int ret)
{
	struct tl_probes *all = tl_probes_get(s);

	if (!all)
		return;
	tl_recording_result(s->recording, ret, "definition %u",
			    all->definitions++);
	all->defined = 0;
}

/* ---- and back --------------------------------------------------------- */

/* The next of several words, each with a NUL; NULL behind the last one. */
static const char *next_word(const char **at, const char *end)
{
	const char *word = *at;

	if (!word || word >= end)
		return NULL;
	*at += strlen(word) + 1;
	return word;
}

const char *tl_bool_name(const void *ctx, int64_t value)
{
	return value ? "true" : "false";
}

/* @ctx: the words of the entry, of which an empty one is the last */
static const char *kept_name(const void *ctx, int64_t value)
{
	const char *word = ctx;
	char *name;

	for (; *word; word += strlen(word) + 1)
		if (strtoll(word, &name, 10) == value && *name == ' ')
			return name + 1;
	return NULL;
}

struct naming {
	struct tl_session *s;
	struct tl_event *ev;
};

/*
 * What the recording has is terminated, which makes an empty word behind the
 * last.
 */
static int name_values(void *ctx, const char *key, const char *text, size_t len)
{
	const struct naming *n = ctx;
	const char *at = text;
	const char *field = next_word(&at, text + len);
	int ret;

	if (!field || (len && text[len - 1]))
		return -EBADMSG;
	ret = tl_event_name_values(n->s, n->ev, field,
				   at < text + len ? kept_name : tl_bool_name,
				   at);
	return ret == -ENOENT ? 0 : ret;
}

static int add(struct tl_session *s, const struct tl_kprobe_config *config,
	       const struct tl_recorded_probe *p, struct tl_event **added)
{
	struct naming n = { .s = s };
	char key[64];

	n.ev = tl_probe_add(s, p->type, p->name, p->place, p->args,
			    config->handler);
	if (!n.ev)
		return -errno;
	*added = n.ev;
	tl_probe_of(n.ev)->with_args = p->with_args;
	key_of(key, tl_probes_get(s), "values", tl_probes_get(s)->defined);
	strcat(key, " ");
	return tl_recording_each(s->recording, key, name_values, &n)
		       ?: config->added(s, n.ev, *p->cut_of ? NULL : p->name);
}

static int add_kept(struct tl_session *s, const struct tl_kprobe_config *config,
		    const struct tl_recorded_probe *p, struct tl_event **cut)
{
	struct tl_event *ev = NULL;
	struct tl_buf said = { 0 }, *before;
	int ret;

	if (!*p->cut_of) {
		ret = add(s, config, p, &ev);
		if (ev && *cut)
			tl_event_cut(*cut, ev);
		*cut = NULL;
		return ret;
	}
	before = tl_message_keep(&said);
	ret = add(s, config, p, cut);
	tl_message_keep(before);
	tl_buf_free(&said);
	return *cut ? tl_event_is_cut(*cut, p->cut_of, ret) : ret;
}

int tl_recorded_probe_all(struct tl_session *s,
			  const struct tl_kprobe_config *config, size_t *count)
{
	struct tl_probes *all = tl_probes_get(s);
	struct tl_recorded_probe p;
	struct tl_event *cut = NULL;
	const char *at, *end, *with;
	size_t cuts = 0;
	char key[64];
	size_t len;
	int ret = 0;

	if (!all)
		return -ENOMEM;
	for (all->defined = 0; !ret; all->defined++) {
		key_of(key, all, "probe", all->defined);
		at = tl_recording_text(s->recording, key, &len);
		if (!at)
			break;
		end = at + len;
		p.type = next_word(&at, end);
		p.name = next_word(&at, end);
		p.place = next_word(&at, end);
		p.args = next_word(&at, end);
		with = next_word(&at, end);
		if (!with)
			return tl_fail(EBADMSG, "the capture is damaged");
		p.with_args = *with;
		/* a capture may be of before there was this word */
		p.cut_of = next_word(&at, end) ?: "";
		cuts += *p.cut_of != '\0';
		ret = add_kept(s, config, &p, &cut);
	}
	*count = all->defined - cuts;
	all->defined = 0;
	return ret
		       ?: tl_recording_result(s->recording, 0, "definition %u",
					      all->definitions++);
}
