// SPDX-License-Identifier: GPL-2.0-or-later
/* config.c - which tools count for an exporter, and how */
#include "export/config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/list.h"
#include "base/message.h"
#include "export/listen.h"
#include "metrics/series.h"
#include "option/parse.h"
#include "tracelet/message.h"

#define WORDS_MAX 256

/* A line that is being read. */
struct reader {
	struct tl_export_config *c;
	const char *text;
	unsigned int line;
	int err;
	char *words[WORDS_MAX + 1];
	size_t at[WORDS_MAX], len[WORDS_MAX]; /* where they are in the text */
	unsigned int count;
};

/* ---- messages --------------------------------------------------------- */

#define SHOWN 400 /* bytes of a line */

/* The line, and below it what is wrong; both are made safe to show, as names are. */
static void show_place(const struct reader *r, size_t at, size_t len)
{
	struct tl_buf b = { 0 };
	struct tl_str part = { r->text, at };
	size_t i, front, marks;

	if (at + len > SHOWN)
		return;
	tl_buf_str(&b, "  ");
	front = tl_esc_text(&b, part);
	part = (struct tl_str){ r->text + at, len };
	marks = tl_esc_text(&b, part);
	part.text += len;
	part.len = strnlen(part.text, SHOWN);
	tl_esc_text(&b, part);
	tl_buf_str(&b, "\n  ");
	for (i = 0; i < front; i++)
		tl_buf_char(&b, ' ');
	for (i = 0; i < (marks ?: 1); i++)
		tl_buf_char(&b, i ? '~' : '^');
	tl_buf_char(&b, '\n');
	tl_message_print(&b);
	tl_buf_free(&b);
}

static int wrong(struct reader *r, size_t at, size_t len, const char *what)
{
	tl_warn("%s:%u: %s", r->c->path, r->line, what);
	show_place(r, at, len);
	r->err = -EINVAL;
	return r->err;
}

static int wrong_word(struct reader *r, unsigned int i, const char *what)
{
	return wrong(r, r->at[i], r->len[i], what);
}

/* ---- words ------------------------------------------------------------ */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* What a backslash takes its meaning from, as a shell has it. */
static bool is_escaped(const char *p, const char *open)
{
	return *p == '\\' && p[1] &&
	       (!open || (*open == '"' && strchr("\"\\$`", p[1])));
}

/* As a shell takes off quotes; the end of the word, or NULL after a message. */
static const char *take_word(struct reader *r, const char *p, char *to)
{
	const char *open = NULL;

	for (; *p && (open || !is_blank(*p)); p++) {
		if (open && *p == *open)
			open = NULL;
		else if (!open && (*p == '"' || *p == '\''))
			open = p;
		else if (is_escaped(p, open))
			*to++ = *++p;
		else
			*to++ = *p;
	}
	*to = '\0';
	if (!open)
		return p;
	wrong(r, (size_t)(open - r->text), 1, "this quote is not closed");
	return NULL;
}

static int add_word(struct reader *r, const char **p)
{
	const char *begin = *p;
	char *word;

	if (r->count == WORDS_MAX)
		return wrong(r, (size_t)(begin - r->text), 1, "too many words");
	word = malloc(strlen(begin) + 1);
	if (!word)
		return r->err = -ENOMEM;
	*p = take_word(r, begin, word);
	if (!*p) {
		free(word);
		return r->err;
	}
	r->at[r->count] = (size_t)(begin - r->text);
	r->len[r->count] = (size_t)(*p - begin);
	r->words[r->count++] = word;
	return 0;
}

static int split(struct reader *r)
{
	const char *p = r->text;
	int ret = 0;

	r->count = 0;
	while (!ret) {
		while (is_blank(*p))
			p++;
		if (!*p || *p == '#')
			break;
		ret = add_word(r, &p);
	}
	return ret;
}

static void free_words(struct reader *r)
{
	while (r->count)
		free(r->words[--r->count]);
}

/* ---- labels ----------------------------------------------------------- */

/* Whether one of @list has this name, and, where it is told, this value. */
static bool has_label(const char *list, const char *name,
		      const struct tl_str *value)
{
	struct tl_label l;

	for (; list && *list && !tl_label_split(list, &l); list = l.next)
		if (!strcmp(l.name, name) &&
		    (!value ||
		     (l.value.len == value->len &&
		      !memcmp(l.value.text, value->text, value->len))))
			return true;
	return false;
}

/* @list is in word @i; 0, or -EINVAL after a message. */
static int check_labels(struct reader *r, unsigned int i, const char *list)
{
	struct tl_label l;

	for (; *list; list = l.next) {
		if (tl_label_split(list, &l))
			return wrong_word(r, i,
					  "not NAME=VALUE,...; a name has "
					  "letters, digits and \"_\"");
		if (tl_label_listed("le,tool,version", l.name))
			return wrong_word(r, i,
					  "le, tool and version are labels of "
					  "the tools' own");
		if (has_label(l.next, l.name, NULL))
			return wrong_word(r, i, "a label is there twice");
	}
	return 0;
}

/* Whether @b has all labels of @a that have a value: others are none to Prometheus. */
static bool has_all(const char *a, const char *b)
{
	struct tl_label l;

	for (; a && *a && !tl_label_split(a, &l); a = l.next)
		if (l.value.len && !has_label(b, l.name, &l.value))
			return false;
	return true;
}

/* Those of a command, and of the file, which may stand behind it. */
static int check_common(const struct tl_export_config *c)
{
	const struct tl_export_command *cmd;
	struct tl_label l;
	const char *list;
	int ret = 0;

	for (cmd = c->commands; cmd < c->commands + c->count; cmd++)
		for (list = cmd->labels; list && *list; list = l.next) {
			if (tl_label_split(list, &l))
				return -EINVAL;
			if (has_label(c->labels, l.name, NULL))
				ret = tl_fail(EINVAL,
					      "%s:%u: \"%s\" is one of the "
					      "file's labels, too",
					      c->path, cmd->line, l.name);
		}
	return ret;
}

/* ---- settings --------------------------------------------------------- */

static int set_text(struct reader *r, char **to)
{
	if (*to)
		return wrong_word(r, 0, "this was set above");
	*to = strdup(r->words[1]);
	return *to ? 0 : (r->err = -ENOMEM);
}

static int set_listen(struct reader *r)
{
	const char *what = tl_listen_parse(r->words[1]);

	if (what)
		return wrong_word(r, 1, what);
	return set_text(r, &r->c->listen);
}

static int set_labels(struct reader *r)
{
	return check_labels(r, 1, r->words[1]) ?: set_text(r, &r->c->labels);
}

static int set_max_series(struct reader *r)
{
	uint64_t n;

	if (r->c->max_series)
		return wrong_word(r, 0, "this was set above");
	if (tl_parse_uint(r->words[1], 1, 100000, &n))
		return wrong_word(r, 1, "not a number from 1 to 100000");
	r->c->max_series = (unsigned int)n;
	return 0;
}

static int set_max_cpu(struct reader *r)
{
	unsigned int millionths;

	if (tl_parse_percent(r->words[1], &millionths))
		return wrong_word(r, 1, "not a percentage like 1% or 0.5%");
	return set_text(r, &r->c->max_cpu);
}

static const struct {
	const char *name;
	int (*set)(struct reader *r);
} settings[] = {
	{ "listen", set_listen },
	{ "labels", set_labels },
	{ "max-series", set_max_series },
	{ "max-cpu", set_max_cpu },
};

static int take_setting(struct reader *r, size_t i)
{
	if (r->count < 2)
		return wrong_word(r, 0, "this needs a value");
	if (r->count > 2)
		return wrong_word(r, 2, "one value is enough");
	return settings[i].set(r);
}

/* ---- commands --------------------------------------------------------- */

/* @words become its own. */
static int add_command(struct tl_export_config *c, unsigned int line,
		       char *const words[], unsigned int count,
		       const char *labels)
{
	struct tl_export_command *more, *new;

	more = tl_list_room(c->commands, c->count, &c->room, sizeof(*more));
	if (!more)
		return -ENOMEM;
	c->commands = more;
	new = &more[c->count];
	*new = (struct tl_export_command){ .line = line,
					   .count = count,
					   .labels = labels };
	new->words = calloc(count + 1, sizeof(*new->words));
	if (!new->words)
		return -ENOMEM;
	memcpy(new->words, words, count * sizeof(*new->words));
	c->count++;
	return 0;
}

int tl_export_config_add(struct tl_export_config *c, const char *tool)
{
	char *word = strdup(tool);

	if (word && !add_command(c, 0, &word, 1, NULL))
		return 0;
	free(word);
	return -ENOMEM;
}

#define METRICS "--metrics"
#define LABELS  "--metric-labels"

/*
 * What goes elsewhere, ends at once, or is a command that would write into the counts;
 * letters are those of all tools.
 */
static bool is_not_counting(const char *word)
{
	static const char *const options[] = { "--output",  "--write",
					       "--read",    "--help",
					       "--version", "--check" };
	size_t i, len = strcspn(word, "=");

	for (i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (len == strlen(options[i]) &&
		    !strncmp(word, options[i], len))
			return true;
	return !strcmp(word, "--") ||
	       (word[0] == '-' && word[1] && strchr("ow", word[1]));
}

/* Options that the exporter has to know; 0, or -EINVAL after a message. */
static int check_word(struct reader *r, unsigned int i, const char **labels)
{
	const char *word = r->words[i];

	if (!strncmp(word, METRICS, strlen(METRICS)) &&
	    strchr("=", word[strlen(METRICS)]))
		return wrong_word(r, i,
				  "leave this out: the exporter sees to it");
	if (is_not_counting(word))
		return wrong_word(r, i, "with this a tool does not count here");
	if (!strcmp(word, LABELS))
		return wrong_word(r, i, "write " LABELS "=NAME=VALUE");
	if (strncmp(word, LABELS "=", strlen(LABELS "=")) != 0)
		return 0;
	if (*labels)
		return wrong_word(r, i, "one of these is enough");
	*labels = word + strlen(LABELS "=");
	return check_labels(r, i, *labels);
}

/* Two runs that cannot be told apart would have the same series. */
static int check_others(struct reader *r, const char *labels)
{
	const struct tl_export_command *other = r->c->commands;
	char text[128];
	size_t i;

	for (i = 0; i < r->c->count; i++, other++) {
		if (strcmp(other->words[0], r->words[0]) != 0 ||
		    !has_all(other->labels, labels) ||
		    !has_all(labels, other->labels))
			continue;
		snprintf(text, sizeof(text),
			 "line %u has this tool, too: give each " LABELS
			 "=NAME=VALUE of its own",
			 other->line);
		return wrong_word(r, 0, text);
	}
	return 0;
}

static int take_command(struct reader *r)
{
	const char *labels = NULL;
	unsigned int i;
	int ret = 0;

	for (i = 1; i < r->count && !ret; i++)
		ret = check_word(r, i, &labels);
	ret = ret ?: check_others(r, labels);
	if (ret)
		return ret;
	ret = add_command(r->c, r->line, r->words, r->count, labels);
	if (ret)
		r->err = ret;
	else
		r->count = 0; /* the words are its own */
	return ret;
}

static int take_line(struct reader *r, bool (*is_tool)(const char *name))
{
	size_t i;

	if (!r->count)
		return 0;
	for (i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		if (!strcmp(r->words[0], settings[i].name))
			return take_setting(r, i);
	if (is_tool(r->words[0]))
		return take_command(r);
	return wrong_word(r, 0, "neither a tool nor a setting");
}

int tl_export_config_read(struct tl_export_config *c, const char *path,
			  bool (*is_tool)(const char *name))
{
	struct reader r = { .c = c };
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;
	ssize_t len;

	c->path = path;
	if (!f)
		return tl_fail(errno, "%s: %s", path, strerror(errno));
	while ((len = getline(&line, &size, f)) > 0 && r.err != -ENOMEM) {
		if (line[len - 1] == '\n')
			line[--len] = '\0';
		r.text = line;
		r.line++;
		if (strlen(line) < (size_t)len)
			wrong(&r, strlen(line), 1, "a byte 0 is no text");
		else if (!split(&r))
			take_line(&r, is_tool);
		free_words(&r);
	}
	if (ferror(f))
		r.err = tl_fail(errno, "%s: %s", path, strerror(errno));
	free(line);
	fclose(f);
	if (!r.err && !c->count)
		r.err = tl_fail(EINVAL, "%s: there is no line with a tool",
				path);
	return r.err ?: check_common(c);
}

void tl_export_config_free(struct tl_export_config *c)
{
	size_t i;
	char **word;

	for (i = 0; i < c->count; i++) {
		for (word = c->commands[i].words; *word; word++)
			free(*word);
		free(c->commands[i].words);
	}
	free(c->commands);
	free(c->listen);
	free(c->labels);
	free(c->max_cpu);
}
