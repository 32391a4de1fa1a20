/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options.c - option tables */
#include "option/options.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "option/operands.h"
#include "option/parse.h"
#include "tracelet/inet.h"
#include "tracelet/message.h"
#include "tracelet/session.h"
#include "tracelet/signal.h"

/* ---- setting targets -------------------------------------------------- */

typedef int setter(const struct tl_opt *o, const char *what, const char *value);

static int set_flag(const struct tl_opt *o, const char *what, const char *value)
{
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
	int err = tl_parse_pids(value, o->target);

	if (err == -E2BIG)
		return tl_usage("%s: more than %d ids", what, TL_PIDS_MAX);
	if (err)
		return tl_usage("%s: \"%s\" is not a %s id%s", what, value,
				thread ? "thread" : "process",
				strchr(value, ',') ? ", or a list of these"
						   : "");
	return 0;
}

static int set_cpus(const struct tl_opt *o, const char *what, const char *value)
{
	int err = tl_parse_cpus(value, o->target);

	if (err == -E2BIG)
		return tl_usage("%s: more than %d processors or ranges", what,
				TL_CPU_RANGES_MAX);
	if (err)
		return tl_usage("%s: \"%s\" is not a list of processors like "
				"0,2-5",
				what, value);
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
	return tl_arg_msecs(what, value, o->target);
}

static int set_usecs(const struct tl_opt *o, const char *what,
		     const char *value)
{
	return tl_arg_usecs(what, value, o->target);
}

static int set_size(const struct tl_opt *o, const char *what, const char *value)
{
	if (tl_parse_size(value, o->target))
		return tl_usage(
			"%s: \"%s\" is not a size like 65536, 64K or 1M", what,
			value);
	return 0;
}

static int set_percent(const struct tl_opt *o, const char *what,
		       const char *value)
{
	int err = tl_parse_percent(value, o->target);

	if (err == -ERANGE)
		return tl_usage("%s: \"%s\" is not between 0.0001%% and 100%%",
				what, value);
	if (err)
		return tl_usage("%s: \"%s\" is not a percentage like 1%% or "
				"0.5%%",
				what, value);
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

static int set_count(const struct tl_opt *o, const char *what,
		     const char *value)
{
	return tl_arg_uint(what, value, o->target);
}

static int set_glob(const struct tl_opt *o, const char *what, const char *value)
{
	int ret = tl_arg_glob(what, value);

	return ret ?: set_string(o, what, value);
}

static int set_interval(const struct tl_opt *o, const char *what,
			const char *value)
{
	uint64_t ns;

	if (tl_arg_seconds(what, value, &ns))
		return -EINVAL;
	if (ns < 1000000)
		return tl_usage("%s: \"%s\" is below a millisecond", what,
				value);
	*(uint64_t *)o->target = ns;
	return 0;
}

static int set_signals(const struct tl_opt *o, const char *what,
		       const char *value)
{
	return tl_signals_parse(o->target, what, value);
}

static int set_network(const struct tl_opt *o, const char *what,
		       const char *value)
{
	if (tl_parse_network(value, o->target))
		return tl_usage("%s: \"%s\" is not an IP address, with /BITS "
				"behind it for a network",
				what, value);
	return 0;
}

static int set_ports(const struct tl_opt *o, const char *what,
		     const char *value)
{
	int err = tl_parse_ports(value, o->target);

	if (err == -E2BIG)
		return tl_usage("%s: \"%s\" has more than %d ports or ranges",
				what, value, TL_PORTS_MAX);
	if (err)
		return tl_usage("%s: \"%s\" is not a list of ports like "
				"80,8000-8080",
				what, value);
	return 0;
}

static setter *const setters[] = {
	[TL_OPT_FLAG] = set_flag,         [TL_OPT_STRING] = set_string,
	[TL_OPT_UINT] = set_uint,         [TL_OPT_PID] = set_pid,
	[TL_OPT_SECONDS] = set_seconds,   [TL_OPT_MSECS] = set_msecs,
	[TL_OPT_USECS] = set_usecs,       [TL_OPT_SIZE] = set_size,
	[TL_OPT_REGEX] = set_regex,       [TL_OPT_WORD] = set_word,
	[TL_OPT_SIGNALS] = set_signals,   [TL_OPT_NETWORK] = set_network,
	[TL_OPT_PORTS] = set_ports,       [TL_OPT_COUNT] = set_count,
	[TL_OPT_GLOB] = set_glob,         [TL_OPT_DURATION] = set_seconds,
	[TL_OPT_INTERVAL] = set_interval, [TL_OPT_CPUS] = set_cpus,
	[TL_OPT_PERCENT] = set_percent,
};

/* ---- tables ----------------------------------------------------------- */

static unsigned int kind_of(const struct tl_opt *o)
{
	const unsigned int more = TL_OPT_HERE | TL_OPT_RECORDED;

	return (unsigned int)o->kind & ~more;
}

int tl_opt_set(const struct tl_opt *o, const char *what, const char *value,
	       bool of_capture)
{
	bool guard = of_capture && kind_of(o) == TL_OPT_REGEX;
	int err = guard ? tl_regex_check(what, value) : 0;

	return err ? err : setters[kind_of(o)](o, what, value);
}

static bool is_flag(const struct tl_opt *o)
{
	return kind_of(o) == TL_OPT_FLAG;
}

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

/* ---- parsing ---------------------------------------------------------- */

struct parse {
	const struct tl_opt *own, *common;
	const struct tl_opt **given; /* those that are in a group */
	size_t count;
	int argc, next;
	char **argv;
	size_t earlier;   /* so many of them are of an earlier run */
	const void *only; /* of all options that with this target; NULL: all */
	bool sort;        /* arguments in front of options go behind them */
	int defaults;     /* so many arguments are those of an earlier run */
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

static void unset(const struct tl_opt *o)
{
	if (is_flag(o))
		*(bool *)o->target = false;
	else if (kind_of(o) == TL_OPT_PID)
		*(struct tl_pids *)o->target = (struct tl_pids){ 0 };
	else if (kind_of(o) == TL_OPT_STRING || kind_of(o) == TL_OPT_GLOB)
		*(const char **)o->target = NULL;
}

/* The one at @i is not of the earlier run any more: these are in front. */
static void give_now(struct parse *p, size_t i)
{
	const struct tl_opt *o = p->given[i];

	p->given[i] = p->given[--p->earlier];
	p->given[p->earlier] = o;
}

/* Of an earlier run an option gives way to one that is given now. */
static int check_group(struct parse *p, const struct tl_opt *o)
{
	bool now = p->next > p->defaults;
	size_t i;

	if (!o->group)
		return 0;
	for (i = 0; i < p->count; i++) {
		if (strcmp(p->given[i]->group, o->group) != 0)
			continue;
		if (p->given[i] != o && (!now || i >= p->earlier))
			return say_group(p, o->group);
		if (p->given[i] != o)
			unset(p->given[i]);
		p->given[i] = o;
		if (now && i < p->earlier)
			give_now(p, i);
		return 0;
	}
	p->earlier += !now;
	p->given[p->count++] = o;
	return 0;
}

static bool is_set(const struct tl_opt *flag)
{
	return *(const bool *)flag->target;
}

/* @value: what is in the same word, NULL: the next word has it. */
static int take(struct parse *p, const struct tl_opt *o, const char *what,
		const char *value)
{
	bool earlier = p->next <= p->defaults;
	bool skip = earlier && o->kind & TL_OPT_HERE;
	int err = p->only || skip ? 0 : check_group(p, o);

	if (err)
		return err;
	if (p->defaults && !earlier && o->kind & TL_OPT_RECORDED &&
	    !(is_flag(o) && is_set(o)))
		return tl_fail(EINVAL,
			       "%s: cannot be changed with -r: it was "
			       "set when the capture was written",
			       what);
	if (!value && !is_flag(o)) {
		/* nor is what is typed a value of an earlier run's */
		if (p->next >= p->argc || (earlier && p->next >= p->defaults))
			return tl_usage("%s: needs an argument, %s", what,
					o->arg);
		value = p->argv[p->next++];
	}
	if (skip || (p->only && o->target != p->only))
		return 0;
	return tl_opt_set(o, what, value, p->defaults);
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
	if (value && is_flag(o))
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
		if (!is_flag(o))
			return take(p, o, what,
				    letters[1] ? letters + 1 : NULL);
		err = take(p, o, what, NULL);
	}
	return err;
}

/* Options of a capture that come behind a word that is none would be lost. */
static int not_an_option(const char *arg)
{
	return tl_usage("-r: the capture is damaged: \"%s\" is no option", arg);
}

static bool is_argument(const char *word)
{
	return word[0] != '-' || !word[1];
}

static int take_option(struct parse *p, const char *word)
{
	if (word[1] == '-')
		return take_long(p, word + 2);
	return take_letters(p, word + 1);
}

/* Of @words the option's behind @args arguments go in front of these. */
static void move_forward(char **words, int args, int count)
{
	char *word;

	for (; args && count; count--, words++) {
		word = words[args];
		memmove(words + 1, words, (size_t)args * sizeof(*words));
		*words = word;
	}
}

static int parse_all(struct parse *p)
{
	int err = 0, args = 0, from;
	bool end = false;
	const char *word;

	while (!err && !end && p->next < p->argc) {
		from = p->next;
		word = p->argv[from];
		if (is_argument(word)) {
			if (from < p->defaults)
				return not_an_option(word);
			if (!p->sort)
				break;
			p->next++;
			args++;
			continue;
		}
		p->next++;
		/* what was the end of an earlier run's options is none here */
		if (!strcmp(word, "--"))
			end = p->next > p->defaults;
		else
			err = take_option(p, word);
		move_forward(p->argv + from - args, args, p->next - from);
	}
	return err ? err : p->next - args;
}

static size_t table_len(const struct tl_opt *o)
{
	size_t len = 0;

	for (; !is_end(o); o++)
		len++;
	return len;
}

static int parse(struct parse p)
{
	const struct tl_opt *own = p.own, *common = p.common;
	size_t count = table_len(own) + table_len(common);
	int ret;

	p.given = calloc(count + 1, sizeof(const struct tl_opt *));
	if (!p.given)
		return tl_fail(ENOMEM, "no memory for options");
	p.next = p.argc > 0;
	ret = parse_all(&p);
	free(p.given);
	return ret;
}

int tl_opt_parse(const struct tl_opt *own, const struct tl_opt *common,
		 int argc, char **argv)
{
	return tl_opt_parse_over(own, common, argc, argv, 0);
}

int tl_opt_parse_over(const struct tl_opt *own, const struct tl_opt *common,
		      int argc, char **argv, int defaults)
{
	return parse((struct parse){
		.own = own,
		.common = common,
		.argc = argc,
		.argv = argv,
		.defaults = defaults,
	});
}

int tl_opt_find(const struct tl_opt *own, const struct tl_opt *common, int argc,
		char **argv, const void *target)
{
	return parse((struct parse){
		.own = own,
		.common = common,
		.argc = argc,
		.argv = argv,
		.only = target,
	});
}

int tl_opt_sort(const struct tl_opt *own, const struct tl_opt *common, int argc,
		char **argv)
{
	static const char nothing;

	return parse((struct parse){
		.own = own,
		.common = common,
		.argc = argc,
		.argv = argv,
		.only = &nothing,
		.sort = true,
	});
}

/* ---- help ------------------------------------------------------------- */

/* The widest option text that others are aligned to, and the widest line. */
#define HELP_COLUMN 30
#define HELP_WIDTH  80

static int option_text(const struct tl_opt *o, char *to, size_t size)
{
	const char *arg = is_flag(o) ? "" : o->arg;
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

static bool is_shown(const struct tl_opt *o)
{
	return !is_end(o) && o->help;
}

static int widest(const struct tl_opt *o, const struct tl_opt *own, int width)
{
	for (; !is_end(o); o++) {
		struct tl_opt left = what_is_left(o, own);
		int len = option_text(&left, NULL, 0);

		if (is_shown(&left) && len <= HELP_COLUMN && len > width)
			width = len;
	}
	return width;
}

/* As many words of @text as fit into @room, one at least. */
static size_t line_len(const char *text, size_t room)
{
	size_t len = strcspn(text, " ");

	while (text[len]) {
		size_t next = len + 1 + strcspn(text + len + 1, " ");

		if (next > room)
			break;
		len = next;
	}
	return len;
}

/* Writes @text, whose first line is at column @indent already. */
static void help_lines(struct tl_buf *b, const char *text, int indent)
{
	size_t len = line_len(text, (size_t)(HELP_WIDTH - indent));

	tl_buf_printf(b, "%.*s\n", (int)len, text);
	for (text += len; *text; text += len) {
		text++; /* the blank */
		len = line_len(text, (size_t)(HELP_WIDTH - indent));
		tl_buf_printf(b, "%*s%.*s\n", indent, "", (int)len, text);
	}
}

/* Writes @what, and @help behind it, from column @width on. */
static void help_entry(struct tl_buf *b, const char *what, const char *help,
		       int width)
{
	if (strlen(what) > (size_t)width)
		tl_buf_printf(b, "%s\n%*s  ", what, width, "");
	else
		tl_buf_printf(b, "%-*s  ", width, what);
	help_lines(b, help, width + 2);
}

static void put_synopsis(struct tl_buf *b, const struct tl_tool *tool)
{
	if (tool->operands)
		tl_operands_text(tool->operands, b);
	else
		tl_buf_str(b, tool->synopsis ?: "");
}

static void help_usage(struct tl_buf *b, const struct tl_tool *tool)
{
	struct tl_buf text = { 0 };

	tl_buf_printf(&text, "%s [options]", tool->name);
	if (tool->operands || (tool->synopsis && *tool->synopsis))
		tl_buf_char(&text, ' ');
	put_synopsis(&text, tool);
	tl_buf_char(&text, '\0');
	tl_buf_str(b, "\nusage: ");
	b->failed |= text.failed || !text.data;
	if (!b->failed)
		help_lines(b, text.data, (int)strlen("usage: "));
	tl_buf_free(&text);
}

static void help_examples(struct tl_buf *b, const struct tl_tool *tool,
			  int width)
{
	char text[256];
	size_t i;

	if (tool->examples[0].command)
		tl_buf_str(b, "\nExamples:\n");
	for (i = 0; i < TL_EXAMPLES && tool->examples[i].command; i++) {
		snprintf(text, sizeof(text), "  %s", tool->examples[i].command);
		help_entry(b, text, tool->examples[i].about, width);
	}
}

static void help_table(struct tl_buf *b, const struct tl_opt *o,
		       const struct tl_opt *own, int width)
{
	char text[256];

	for (; !is_end(o); o++) {
		struct tl_opt left = what_is_left(o, own);

		if (!is_shown(&left))
			continue;
		option_text(&left, text, sizeof(text));
		help_entry(b, text, o->help, width);
	}
}

static int print_all(const struct tl_buf *b)
{
	if (b->failed)
		return -ENOMEM;
	/* who ends the program looks whether that went well */
	fwrite(b->data, 1, b->len, stdout);
	return 0;
}

int tl_opt_help(const struct tl_tool *tool, const struct tl_opt *common)
{
	const struct tl_opt *own = tool->options;
	int width = widest(common, own, widest(own, NULL, 0));
	struct tl_buf b = { 0 };
	int err;

	tl_buf_printf(&b, "%s - %s\n", tool->name, tool->summary);
	help_usage(&b, tool);
	help_examples(&b, tool, width);
	if (!is_end(own))
		tl_buf_str(&b, "\nOptions:\n");
	help_table(&b, own, NULL, width);
	if (!is_end(common))
		tl_buf_str(&b, "\nCommon options:\n");
	help_table(&b, common, own, width);
	err = print_all(&b);
	tl_buf_free(&b);
	return err;
}

/* ---- the tables as lines ---------------------------------------------- */

static const char *const kinds[] = {
	[TL_OPT_FLAG] = "flag",         [TL_OPT_STRING] = "string",
	[TL_OPT_UINT] = "uint",         [TL_OPT_PID] = "pid",
	[TL_OPT_SECONDS] = "seconds",   [TL_OPT_MSECS] = "msecs",
	[TL_OPT_USECS] = "usecs",       [TL_OPT_SIZE] = "size",
	[TL_OPT_REGEX] = "regex",       [TL_OPT_WORD] = "word",
	[TL_OPT_SIGNALS] = "signals",   [TL_OPT_NETWORK] = "network",
	[TL_OPT_PORTS] = "ports",       [TL_OPT_COUNT] = "count",
	[TL_OPT_GLOB] = "glob",         [TL_OPT_DURATION] = "duration",
	[TL_OPT_INTERVAL] = "interval", [TL_OPT_CPUS] = "cpus",
	[TL_OPT_PERCENT] = "percent",
};

static void list_table(struct tl_buf *b, const struct tl_opt *o,
		       const struct tl_opt *own)
{
	for (; !is_end(o); o++) {
		struct tl_opt left = what_is_left(o, own);
		const char letter[] = { left.letter, '\0' };

		if (is_shown(&left))
			tl_buf_printf(b, "option\t%s\t%s\t%s\t%s\t%s\t%s\n",
				      letter, left.name ?: "", o->arg ?: "",
				      kinds[kind_of(o)], o->group ?: "",
				      o->help);
	}
}

int tl_opt_list(const struct tl_tool *tool, const struct tl_opt *common)
{
	struct tl_buf b = { 0 };
	int err;

	tl_buf_printf(&b, "tool\t%s\t%s\t", tool->name, tool->summary);
	put_synopsis(&b, tool);
	tl_buf_char(&b, '\n');
	list_table(&b, tool->options, NULL);
	list_table(&b, common, tool->options);
	err = print_all(&b);
	tl_buf_free(&b);
	return err;
}
