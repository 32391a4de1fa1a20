/* SPDX-License-Identifier: GPL-2.0-or-later */
/* opt.c - option tables */
#include "opt.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "esc.h"
#include "value.h"

/* ---- setting targets --------------------------------------------------- */

typedef int setter(const struct tl_opt *o, const char *what, const char *value);

static int set_flag(const struct tl_opt *o, const char *what, const char *value)
{
	(void)what;
	(void)value;
	*(bool *)o->target = true;
	return 0;
}

static int set_string(const struct tl_opt *o, const char *what,
		      const char *value)
{
	if (!*value)
		return tl_usage("%s: \"\" is empty", what);
	*(const char **)o->target = value;
	return 0;
}

static int set_uint(const struct tl_opt *o, const char *what, const char *value)
{
	unsigned int max = o->max ? o->max : UINT_MAX;
	uint64_t n;

	if (tl_parse_uint(value, o->min, max, &n))
		return tl_usage("%s: \"%s\" is not a number from %u to %u",
				what, value, o->min, max);
	*(unsigned int *)o->target = (unsigned int)n;
	return 0;
}

static int set_pid(const struct tl_opt *o, const char *what, const char *value)
{
	bool thread = o->arg && !strcmp(o->arg, "TID");
	uint64_t n;

	if (tl_parse_uint(value, 1, INT_MAX, &n))
		return tl_usage("%s: \"%s\" is not a %s id", what, value,
				thread ? "thread" : "process");
	*(pid_t *)o->target = (pid_t)n;
	return 0;
}

static int set_seconds(const struct tl_opt *o, const char *what,
		       const char *value)
{
	return tl_arg_seconds(what, value, o->target);
}

static int set_msecs(const struct tl_opt *o, const char *what,
		     const char *value)
{
	if (tl_parse_msecs(value, o->target))
		return tl_usage("%s: \"%s\" is not a number of milliseconds "
				"above 0",
				what, value);
	return 0;
}

static int set_size(const struct tl_opt *o, const char *what, const char *value)
{
	if (tl_parse_size(value, o->target))
		return tl_usage(
			"%s: \"%s\" is not a size like 65536, 64K or 1M", what,
			value);
	return 0;
}

static int set_regex(const struct tl_opt *o, const char *what,
		     const char *value)
{
	return tl_regex_compile(o->target, what, value);
}

static int set_word(const struct tl_opt *o, const char *what, const char *value)
{
	const char *word = o->arg;
	unsigned int place = 0;
	size_t len;

	for (;; word += len + 1, place++) {
		len = strcspn(word, "|");
		if (len && len == strlen(value) && !memcmp(word, value, len))
			break;
		if (!word[len])
			return tl_usage("%s: \"%s\" is not one of %s", what,
					value, o->arg);
	}
	*(unsigned int *)o->target = place;
	return 0;
}

static setter *const setters[] = {
	[TL_OPT_FLAG] = set_flag,       [TL_OPT_STRING] = set_string,
	[TL_OPT_UINT] = set_uint,       [TL_OPT_PID] = set_pid,
	[TL_OPT_SECONDS] = set_seconds, [TL_OPT_MSECS] = set_msecs,
	[TL_OPT_SIZE] = set_size,       [TL_OPT_REGEX] = set_regex,
	[TL_OPT_WORD] = set_word,
};

/* ---- tables ------------------------------------------------------------ */

static bool is_end(const struct tl_opt *o)
{
	return !o || (!o->letter && !o->name);
}

static const struct tl_opt *by_letter(const struct tl_opt *o, char letter)
{
	for (; letter && !is_end(o); o++)
		if (o->letter == letter)
			return o;
	return NULL;
}

static const struct tl_opt *by_name(const struct tl_opt *o, const char *name,
				    size_t len)
{
	for (; name && !is_end(o); o++)
		if (o->name && strlen(o->name) == len &&
		    !memcmp(o->name, name, len))
			return o;
	return NULL;
}

/* Common option @o without the letter and name that @own has taken. */
static struct tl_opt what_is_left(const struct tl_opt *o,
				  const struct tl_opt *own)
{
	struct tl_opt left = *o;

	if (by_letter(own, o->letter))
		left.letter = 0;
	if (o->name && by_name(own, o->name, strlen(o->name)))
		left.name = NULL;
	return left;
}

/* ---- parsing ----------------------------------------------------------- */

struct parse {
	const struct tl_opt *own, *common;
	const struct tl_opt **given; /* those that are in a group */
	size_t count;
	int argc, next;
	char **argv;
};

/*
 * Not getopt_long(): it takes abbreviations, so that a new option can change
 * what an old command line means, and it has a global state.
 */

static void add_to_list(struct tl_buf *list, const struct tl_opt *o,
			const char *group)
{
	if (is_end(o) || !o->group || strcmp(o->group, group) != 0)
		return;
	if (list->len)
		tl_buf_str(list, ", ");
	if (o->letter)
		tl_buf_printf(list, "-%c", o->letter);
	else
		tl_buf_printf(list, "--%s", o->name);
}

static int say_group(const struct parse *p, const char *group)
{
	struct tl_buf list = { 0 };
	const struct tl_opt *o;

	for (o = p->own; !is_end(o); o++)
		add_to_list(&list, o, group);
	for (o = p->common; !is_end(o); o++) {
		struct tl_opt left = what_is_left(o, p->own);

		add_to_list(&list, &left, group);
	}
	tl_usage("use at most one of %.*s", (int)list.len, list.data);
	tl_buf_free(&list);
	return -EINVAL;
}

static int check_group(struct parse *p, const struct tl_opt *o)
{
	size_t i;

	if (!o->group)
		return 0;
	for (i = 0; i < p->count; i++) {
		if (p->given[i] == o)
			return 0;
		if (!strcmp(p->given[i]->group, o->group))
			return say_group(p, o->group);
	}
	p->given[p->count++] = o;
	return 0;
}

/* @value: what is in the same word, NULL: the next word has it. */
static int take(struct parse *p, const struct tl_opt *o, const char *what,
		const char *value)
{
	int err = check_group(p, o);

	if (err)
		return err;
	if (!value && o->kind != TL_OPT_FLAG) {
		if (p->next >= p->argc)
			return tl_usage("%s: needs an argument, %s", what,
					o->arg);
		value = p->argv[p->next++];
	}
	return setters[o->kind](o, what, value);
}

static int take_long(struct parse *p, const char *name)
{
	size_t len = strcspn(name, "=");
	const char *value = name[len] ? name + len + 1 : NULL;
	const struct tl_opt *o = by_name(p->own, name, len);
	char what[64];

	if (!o)
		o = by_name(p->common, name, len);
	if (!o)
		return tl_usage("--%.*s: no such option", (int)len, name);
	snprintf(what, sizeof(what), "--%s", o->name);
	if (value && o->kind == TL_OPT_FLAG)
		return tl_usage("%s: takes no argument, got \"%s\"", what,
				value);
	return take(p, o, what, value);
}

static int take_letters(struct parse *p, const char *letters)
{
	int err = 0;

	for (; !err && *letters; letters++) {
		char what[] = { '-', *letters, '\0' };
		const struct tl_opt *o = by_letter(p->own, *letters);

		if (!o)
			o = by_letter(p->common, *letters);
		if (!o)
			return tl_usage("%s: no such option", what);
		if (o->kind != TL_OPT_FLAG)
			return take(p, o, what,
				    letters[1] ? letters + 1 : NULL);
		err = take(p, o, what, NULL);
	}
	return err;
}

static int parse_all(struct parse *p)
{
	int err = 0;

	while (!err && p->next < p->argc) {
		const char *arg = p->argv[p->next];

		if (arg[0] != '-' || !arg[1])
			break;
		p->next++;
		if (!strcmp(arg, "--"))
			break;
		if (arg[1] == '-')
			err = take_long(p, arg + 2);
		else
			err = take_letters(p, arg + 1);
	}
	return err ? err : p->next;
}

static size_t table_len(const struct tl_opt *o)
{
	size_t len = 0;

	for (; !is_end(o); o++)
		len++;
	return len;
}

int tl_opt_parse(const struct tl_opt *own, const struct tl_opt *common,
		 int argc, char **argv)
{
	struct parse p = {
		.own = own,
		.common = common,
		.argc = argc,
		.next = argc > 0,
		.argv = argv,
	};
	size_t count = table_len(own) + table_len(common);
	int ret;

	p.given = calloc(count + 1, sizeof(const struct tl_opt *));
	if (!p.given)
		return tl_fail(ENOMEM, "no memory for options");
	ret = parse_all(&p);
	free(p.given);
	return ret;
}

/* ---- help -------------------------------------------------------------- */

/* The widest option text that others are aligned to. */
#define HELP_COLUMN 30

static int option_text(const struct tl_opt *o, char *to, size_t size)
{
	const char *arg = o->kind == TL_OPT_FLAG ? "" : o->arg;
	char letter[3] = "  ";

	if (o->letter)
		snprintf(letter, sizeof(letter), "-%c", o->letter);
	if (o->name)
		return snprintf(to, size, "  %s%c --%s%s%s", letter,
				o->letter ? ',' : ' ', o->name, *arg ? "=" : "",
				arg);
	/* cppcheck-suppress nullPointer ; no size, no place */
	return snprintf(to, size, "  %s%s%s", letter, *arg ? " " : "", arg);
}

static int widest(const struct tl_opt *o, const struct tl_opt *own, int width)
{
	for (; !is_end(o); o++) {
		struct tl_opt left = what_is_left(o, own);
		int len = option_text(&left, NULL, 0);

		if (!is_end(&left) && len <= HELP_COLUMN && len > width)
			width = len;
	}
	return width;
}

static void help_table(struct tl_buf *b, const struct tl_opt *o,
		       const struct tl_opt *own, int width)
{
	char text[256];

	for (; !is_end(o); o++) {
		struct tl_opt left = what_is_left(o, own);

		if (is_end(&left))
			continue;
		if (option_text(&left, text, sizeof(text)) > width)
			tl_buf_printf(b, "%s\n%*s  %s\n", text, width, "",
				      o->help);
		else
			tl_buf_printf(b, "%-*s  %s\n", width, text, o->help);
	}
}

static int print_help(const struct tl_buf *b)
{
	if (b->failed)
		return -ENOMEM;
	if (fwrite(b->data, 1, b->len, stdout) != b->len || fflush(stdout))
		return -errno;
	return 0;
}

int tl_opt_help(const struct tl_tool *tool, const struct tl_opt *common)
{
	const struct tl_opt *own = tool->options;
	int width = widest(common, own, widest(own, NULL, 0));
	const char *synopsis = tool->synopsis ? tool->synopsis : "";
	struct tl_buf b = { 0 };
	int err;

	tl_buf_printf(&b, "%s - %s\n\n", tool->name, tool->summary);
	tl_buf_printf(&b, "usage: %s [options]%s%s\n", tool->name,
		      *synopsis ? " " : "", synopsis);
	if (!is_end(own))
		tl_buf_str(&b, "\nOptions:\n");
	help_table(&b, own, NULL, width);
	if (!is_end(common))
		tl_buf_str(&b, "\nCommon options:\n");
	help_table(&b, common, own, width);
	err = print_help(&b);
	tl_buf_free(&b);
	return err;
}
