// SPDX-License-Identifier: GPL-2.0-or-later
/* cmdline.c - a command line, and that of the run that wrote a capture */
#include "capture/cmdline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/recording.h"
#include "base/session.h"
#include "tracelet/capture.h"
#include "tracelet/message.h"
#include "tracelet/text.h"

/* In a capture each is followed by NUL. */
static void keep(struct tl_recording *r, const char *key, char **words,
		 int count)
{
	struct tl_buf b = { 0 };
	int i;

	for (i = 0; i < count; i++)
		tl_buf_add(&b, words[i], strlen(words[i]) + 1);
	tl_recording_note(r, key, b.data ?: "", b.len, 0);
	tl_buf_free(&b);
}

void tl_cmdline_keep(struct tl_recording *r, const struct tl_cmdline *w,
		     int first, const char *tool)
{
	tl_recording_notef(r, "tool", "%s", tool);
	keep(r, "options", w->list + 1, first - 1);
	keep(r, "arguments", w->list + first, w->count - first);
}

static int count(const struct tl_recording *r, const char *key)
{
	size_t len, i;
	const char *text = tl_recording_text(r, key, &len);
	int n = 0;

	for (i = 0; i < len; i++)
		n += !text[i];
	return n;
}

/*
 * Puts the words that are kept as @key at @to; the text is always terminated.
 */
static char **put(const struct tl_recording *r, char **to, const char *key)
{
	size_t len;
	const char *text = tl_recording_text(r, key, &len);
	int n = count(r, key);

	for (; n; n--, text += strlen(text) + 1)
		*to++ = (char *)text;
	return to;
}

/* Whether the one argument only says what is shown of what is traced. */
static bool only_selects(const struct tl_cmdline *w, int first,
			 const struct tl_tool *tool)
{
	return first == w->count - 1 && tool->selects &&
	       tool->selects(w->list[first]);
}

/*
 * Puts the kept arguments that count at @to: none, all, or all but the
 * filter.
 */
static char **put_arguments(const struct tl_recording *r, char **to,
			    const struct tl_cmdline *w, int first,
			    const struct tl_tool *tool)
{
	char **end = to;
	bool selects = only_selects(w, first, tool);

	if (first == w->count || selects)
		end = put(r, to, "arguments");
	return end - (selects && end > to && tool->selects(end[-1]));
}

int tl_cmdline_again(const struct tl_recording *r, struct tl_cmdline *w,
		     int first, const struct tl_tool *tool)
{
	const char *kept = tl_recording_text(r, "tool", NULL);
	char **list, **to;
	size_t n;
	int i;

	if (!kept || strcmp(kept, tool->name) != 0)
		return tl_usage("-r: this is a capture of %s",
				kept ?: "another tool");
	n = (size_t)w->count + 2;
	n += (size_t)count(r, "options") + (size_t)count(r, "arguments");
	list = calloc(n, sizeof(*list));
	if (!list)
		return tl_fail(ENOMEM, "%s", strerror(ENOMEM));
	*list = *w->list;
	to = put(r, list + 1, "options");
	w->defaults = (int)(to - list);
	for (i = 1; i < first; i++)
		*to++ = w->list[i];
	if (first == 1 || strcmp(w->list[first - 1], "--") != 0)
		*to++ = "--";
	to = put_arguments(r, to, w, first, tool);
	for (; i < w->count; i++)
		*to++ = w->list[i];
	w->count = (int)(to - list);
	w->list = list;
	return 0;
}

static void add_word(struct tl_buf *b, const char *word)
{
	if (b->len)
		tl_buf_char(b, ' ');
	tl_esc_word(b, (struct tl_str){ word, strlen(word) });
}

/* The text, which takes the buffer's place. */
static char *finish(struct tl_buf *b)
{
	tl_buf_char(b, '\0');
	if (!b->failed)
		return b->data;
	tl_buf_free(b);
	return NULL;
}

char *tl_cmdline_text(int count, char **list)
{
	struct tl_buf b = { 0 };
	int i;

	for (i = 0; i < count; i++)
		add_word(&b, list[i]);
	return finish(&b);
}

static void add_kept(const struct tl_recording *r, struct tl_buf *b,
		     const char *key)
{
	const char *text = tl_recording_text(r, key, NULL);
	int n;

	for (n = count(r, key); n; n--, text += strlen(text) + 1)
		add_word(b, text);
}

char *tl_cmdline_recorded(const struct tl_recording *r)
{
	const char *tool = tl_recording_text(r, "tool", NULL);
	struct tl_buf b = { 0 };

	if (!tool)
		return NULL;
	add_word(&b, tool);
	add_kept(r, &b, "options");
	add_kept(r, &b, "arguments");
	return finish(&b);
}

int tl_args_recorded(const struct tl_session *s, int argc, char **argv,
		     bool (*is_one)(const char *text))
{
	const char *kept = tl_recording_text(s->recording, "arguments", NULL);
	int n = count(s->recording, "arguments"), i;

	if (!tl_recording_replays(s->recording) || !kept)
		return 0;
	for (i = 0; i < n && (!is_one || is_one(kept)); i++) {
		if (i >= argc || strcmp(kept, argv[i]) != 0)
			break;
		kept += strlen(kept) + 1;
	}
	if (i == argc && (i == n || (is_one && !is_one(kept))))
		return 0;
	return tl_fail(EINVAL,
		       "-r: what to trace was decided when the capture "
		       "was written: leave out \"%s\"",
		       argv[i < argc ? i : argc - 1]);
}
