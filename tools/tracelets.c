// SPDX-License-Identifier: GPL-2.0-or-later
/* tracelets - the tools of this collection, whether they work here, and their captures */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracelet.h"
#include "tracelet/capture.h"
#include "tracelet/sibling.h"
#include "tracelet/system.h"
#include "tracelet/timeline.h"

#define SELF   "tracelets"
#define EXPORT "export-perfetto"
#define SERVE  "export"
#define SYNOPSIS                                        \
	"| " SELF " list [options] | " SELF             \
	" check [options] [tool...] | " SELF " " EXPORT \
	" [options] capture... | " SELF " " SERVE " [options] [file|tool...]"
/* clang-format off */
#define EXAMPLES { \
	{ SELF, "the tools" }, \
	{ SELF " check", "whether they work here, for a bug report too" }, \
	{ SELF " " EXPORT " -o all.pftrace opens.dat io.dat", \
	  "two captures in one trace, for ui.perfetto.dev" }, \
}
/* clang-format on */

/* A tool that may be asked. */
struct question {
	const char *name;
	bool asked; /* on the command line, or none was */
	struct tl_sibling tool;
};

/* What is exported. */
struct capture {
	const char *path;
	struct tl_capture_run run;
};

static struct {
	bool failed, cannot;
	struct capture *captures;
	int count;
	const struct capture *sched; /* whose records of the scheduler count */
	bool has_clocks; /* the output: an earlier time must not follow */
} env;

/* The others that were built, in the order of names. */
static struct question tools[] = { TL_TOOLS };
#define TOOLS (sizeof(tools) / sizeof(tools[0]))

static const struct tl_opt options[] = { { 0 } };

enum { TOOL, SUMMARY };

static const struct tl_column listed[] = {
	[TOOL] = { "TOOL", "tool", -16, TL_STR, TL_SHOW_ALL },
	[SUMMARY] = { "SUMMARY", "summary", 0, TL_STR, TL_SHOW_ALL },
	{ 0 }
};

enum { KIND, NAME, STATUS, OPTION, REASON, VALUE };

static const struct tl_column checked[] = {
	[KIND] = { "KIND", "kind", 0, TL_STR, TL_SHOW_DATA },
	[NAME] = { "TOOL", "name", -16, TL_STR, TL_SHOW_ALL },
	[STATUS] = { "STATUS", "status", -8, TL_STR, TL_SHOW_ALL },
	[OPTION] = { "OPTION", "option", -17, TL_STR, TL_SHOW_ALL },
	[REASON] = { "REASON", "reason", 0, TL_STR, TL_SHOW_ALL },
	[VALUE] = { "VALUE", "value", 0, TL_STR, TL_SHOW_DATA },
	{ 0 }
};

/* Asks at once all that are to be asked: their answers fit into the pipes. */
static int ask(struct tl_session *s, const char *how, const char *format)
{
	char *argv[] = { NULL, (char *)how, (char *)format, NULL };
	size_t i;
	int ret = 0;

	for (i = 0; i < TOOLS && !ret; i++)
		if (tools[i].asked)
			ret = tl_sibling_start(s, &tools[i].tool, tools[i].name,
					       argv);
	return ret;
}

/* ---- list ------------------------------------------------------------- */

/* "NAME - SUMMARY" is the first line of its help. */
static bool take_summary(char *line, const char **summary)
{
	char *dash = strstr(line, " - ");

	line[strcspn(line, "\n")] = '\0';
	*summary = dash ? dash + 3 : NULL;
	return dash;
}

static void list_one(struct tl_session *s, struct question *q)
{
	FILE *f = q->tool.output;
	const char *summary = NULL;
	char *line = NULL;
	size_t size = 0;
	bool good = f && getline(&line, &size, f) > 0 &&
		    take_summary(line, &summary);

	while (good && getc(f) != EOF)
		; /* else its pipe breaks */
	if (tl_sibling_end(&q->tool, good)) {
		tl_put_text(s, TOOL, q->name);
		tl_put_text(s, SUMMARY, summary);
		tl_row(s);
	} else {
		env.failed = true;
	}
	free(line);
}

static int list(struct tl_session *s)
{
	size_t i;

	if (ask(s, "-h", NULL))
		return TL_EXIT_FAILED;
	for (i = 0; i < TOOLS; i++)
		list_one(s, &tools[i]);
	return env.failed ? TL_EXIT_FAILED : TL_EXIT_OK;
}

/* ---- check ------------------------------------------------------------ */

/* The next value of a line of CSV, in place; NULL: it is empty. */
static char *take_value(char **rest)
{
	char *from = *rest, *to = from, *value = from;
	bool quoted = *from == '"';

	for (from += quoted; *from && *from != '\n'; from++) {
		if (quoted && *from == '"' && *++from != '"')
			quoted = false;
		if (!quoted && (*from == ',' || *from == '\n' || !*from))
			break;
		*to++ = *from;
	}
	*rest = *from == ',' ? from + 1 : from;
	*to = '\0';
	return *value ? value : NULL;
}

/* As --check --csv has it: tool, status, option, reason. */
static bool check_row(struct tl_session *s, struct question *q, char *line)
{
	const char *tool = take_value(&line), *status = take_value(&line);

	if (!tool || strcmp(tool, q->name) != 0 || !status)
		return false;
	env.cannot |= !strcmp(status, "cannot");
	tl_put_text(s, KIND, "tool");
	tl_put_text(s, NAME, q->name);
	tl_put_text(s, STATUS, status);
	tl_put_text(s, OPTION, take_value(&line));
	tl_put_text(s, REASON, take_value(&line));
	tl_row(s);
	return true;
}

static void check_one(struct tl_session *s, struct question *q)
{
	FILE *f = q->tool.output;
	char *line = NULL;
	size_t size = 0;
	unsigned int rows = 0;
	/* the names of the columns */
	bool good = f && getline(&line, &size, f) > 0;

	while (good && getline(&line, &size, f) > 0) {
		good = check_row(s, q, line);
		rows++;
	}
	if (!tl_sibling_end(&q->tool, good && rows))
		env.failed = true;
	free(line);
}

/* In text above the table, whose rows are tools. */
static void put_fact(struct tl_session *s, const char *name, const char *value)
{
	const struct tl_settings *set = tl_settings(s);

	if (!set->json && !set->csv) {
		tl_print(s, "%-22s %s", name, value ?: "-");
		return;
	}
	tl_put_text(s, KIND, "system");
	tl_put_text(s, NAME, name);
	tl_put_text(s, VALUE, value);
	tl_row(s);
}

static int check(struct tl_session *s)
{
	size_t i;

	if (ask(s, "--check", "--csv"))
		return TL_EXIT_FAILED;
	tl_system(s, put_fact);
	tl_print(s, "%s", "");
	tl_header(s);
	for (i = 0; i < TOOLS; i++)
		if (tools[i].asked)
			check_one(s, &tools[i]);
	if (env.failed)
		return TL_EXIT_FAILED;
	return env.cannot ? TL_EXIT_UNSUPPORTED : TL_EXIT_OK;
}

static bool is_tool(const char *name)
{
	size_t i = 0;

	while (i < TOOLS && strcmp(tools[i].name, name) != 0)
		i++;
	return i < TOOLS;
}

static int want(const char *name)
{
	size_t i;

	for (i = 0; i < TOOLS; i++)
		if (!name || !strcmp(tools[i].name, name)) {
			tools[i].asked = true;
			if (name)
				return 0;
		}
	return name ? tl_usage("there is no tool \"%s\"", name) : 0;
}

static int check_args(struct tl_session *s, int argc, char **argv)
{
	int i, ret = argc ? 0 : want(NULL);

	for (i = 0; i < argc && !ret; i++)
		ret = want(argv[i]);
	return ret;
}

static int list_args(struct tl_session *s, int argc, char **argv)
{
	return argc ? tl_usage("\"%s\" is none of list, check, " SERVE
			       " and " EXPORT,
			       argv[0])
		    : want(NULL);
}

/* ---- export-perfetto -------------------------------------------------- */

static bool has_sched(const struct capture *c)
{
	return !env.sched || c == env.sched;
}

static unsigned int number_of(const struct capture *c)
{
	return (unsigned int)(c - env.captures) + 1;
}

static int read_again(struct tl_session *s, const struct capture *c)
{
	char *argv[] = { NULL, NULL, "--perfetto", NULL };
	char words[64];
	int ret;

	snprintf(words, sizeof(words), "%s%scapture=%u",
		 has_sched(c) ? "" : "rows,",
		 env.has_clocks ? "no-clocks," : "", number_of(c));
	setenv("TRACELETS_PERFETTO", words, 1);
	env.has_clocks = true;
	/* -r is another option of some */
	if (asprintf(&argv[1], "--read=%s", c->path) < 0) {
		tl_fail(ENOMEM, "%s", strerror(ENOMEM));
		return TL_EXIT_FAILED;
	}
	ret = tl_sibling_run(s, c->run.tool, argv);
	free(argv[1]);
	return ret;
}

/* Who wrote a capture can read it. */
static int export_one(struct tl_session *s, const struct capture *c)
{
	const struct tl_timeline_capture theirs = {
		.path = c->path,
		.number = number_of(c),
		.alone = env.count == 1,
		.switches = has_sched(c),
	};

	if (!*c->run.tool)
		return tl_timeline_export(s, &theirs) ? TL_EXIT_FAILED
						      : TL_EXIT_OK;
	return read_again(s, c);
}

/*
 * Traces can be put one behind the other.  Who wrote that of a capture has seen when its
 * reader has gone, but ends as if all was well.
 */
static int export(struct tl_session *s)
{
	int i, ret = TL_EXIT_OK;

	for (i = 0; i < env.count && tl_output_has_reader(); i++) {
		ret = export_one(s, &env.captures[i]);
		if (ret != TL_EXIT_OK)
			break;
	}
	free(env.captures);
	return ret;
}

/* Which would have it lose what it has. */
static bool is_output(const struct tl_session *s, const struct stat *st)
{
	const char *path = tl_settings(s)->output;
	struct stat out;

	if (path && strcmp(path, "-") != 0 ? stat(path, &out)
					   : fstat(STDOUT_FILENO, &out))
		return false;
	return st->st_dev == out.st_dev && st->st_ino == out.st_ino;
}

static int look_at(const struct tl_session *s, struct capture *c)
{
	struct stat st;
	int ret;

	if (stat(c->path, &st) || access(c->path, R_OK))
		return tl_fail(errno, "%s: %s", c->path, strerror(errno));
	if (is_output(s, &st))
		return tl_fail(EIO, "%s: the output would replace this capture",
			       c->path);
	ret = tl_capture_look(c->path, "sched/sched_switch", &c->run);
	if (!ret && *c->run.tool && !is_tool(c->run.tool))
		ret = tl_fail(EBADMSG, "%s: there is no tool \"%s\"", c->path,
			      c->run.tool);
	else if (!ret && !*c->run.tool && env.count > 1)
		ret = tl_timeline_look(c->path, &c->run.has);
	return ret;
}

/* Of trace-cmd's nobody knows whether all threads were recorded. */
static int rank(const struct capture *c)
{
	if (!c->run.has)
		return 0;
	return c->run.partial ? 1 : *c->run.tool ? 3 : 2;
}

/* A switch is shown once: from the first capture that has the most of them. */
static void choose_sched(void)
{
	int i, best = 0;

	for (i = 0; i < env.count; i++)
		if (rank(&env.captures[i]) > best) {
			env.sched = &env.captures[i];
			best = rank(env.sched);
		}
}

/* Before anything is written. */
static int look_at_all(const struct tl_session *s, int count, char **paths)
{
	int i, ret = 0;

	env.captures = calloc((size_t)count, sizeof(*env.captures));
	if (!env.captures)
		return -ENOMEM;
	env.count = count;
	for (i = 0; i < count && !ret; i++) {
		env.captures[i].path = paths[i];
		ret = look_at(s, &env.captures[i]);
	}
	choose_sched();
	return ret;
}

/* Options for text: a line of it would make the trace unreadable. */
static const char *wrong_format(const struct tl_settings *set)
{
	return set->json  ? "--json"
	       : set->csv ? "--csv"
	       : set->raw ? "--raw"
			  : NULL;
}

static int export_args(struct tl_session *s, int argc, char **argv)
{
	const char *wrong = wrong_format(tl_settings(s));

	if (wrong)
		return tl_usage("%s: a trace is no text", wrong);
	if (!argc)
		return tl_usage("of which capture?");
	if (!tl_settings(s)->output && isatty(STDOUT_FILENO))
		return tl_usage("a trace is no text for a terminal: -o FILE");
	return look_at_all(s, argc, argv);
}

/* ------------------------------------------------------------------------- */

static const struct tl_tool export_tool = {
	.name = SELF,
	.summary = "make a trace for Perfetto's UI of captures",
	.synopsis = SYNOPSIS,
	.examples = EXAMPLES,
	.options = options,
	.flags = TL_NO_EVENTS | TL_NO_TRACEFS | TL_OUTPUT_WHOLE,
	.quiet = true,
	.args = export_args,
	.query = export,
};

static const struct tl_tool list_tool = {
	.name = SELF,
	.summary =
		"list the tools, check whether they work here, export captures",
	.synopsis = SYNOPSIS,
	.examples = EXAMPLES,
	.options = options,
	.columns = listed,
	.flags = TL_NO_EVENTS | TL_NO_TRACEFS,
	.args = list_args,
	.query = list,
};

static const struct tl_tool check_tool = {
	.name = SELF,
	.summary = "check whether the tools work here, and what does not",
	.synopsis = SYNOPSIS,
	.examples = EXAMPLES,
	.options = options,
	.columns = checked,
	.flags = TL_NO_EVENTS | TL_NO_TRACEFS,
	.quiet = true,
	.args = check_args,
	.query = check,
};

/*
 * Whether the next word is the value of option @word; of -o only, also in
 * "-Vo".
 */
static bool needs_value(const char *word)
{
	const char *letter = strchr(word, 'o');

	if (word[1] == '-')
		return !strcmp(word, "--output");
	return letter && !letter[1];
}

/* The first word that is neither an option nor the value of one; or argc. */
static int find_word(int argc, char **argv)
{
	int i = 1;

	while (i < argc && argv[i][0] == '-' && strcmp(argv[i], "--") != 0)
		i += 1 + needs_value(argv[i]);
	return i < argc ? i : argc;
}

/* What to do is a tool of its own to the library; NULL: @word does not say. */
static const struct tl_tool *find_tool(const char *word)
{
	if (!strcmp(word, "check"))
		return &check_tool;
	if (!strcmp(word, EXPORT))
		return &export_tool;
	return strcmp(word, "list") != 0 ? NULL : &list_tool;
}

int main(int argc, char **argv)
{
	const int at = find_word(argc, argv);
	const char *word = at < argc ? argv[at] : "";
	const struct tl_tool *tool = find_tool(word);
	const bool serve = !strcmp(word, SERVE);
	const int skip = tool || serve;

	memmove(argv + skip, argv, (size_t)(skip ? at : 0) * sizeof(*argv));
	if (serve)
		return tl_sibling_become(SELF, SELF "-" SERVE, argv + skip);
	return tl_main(tool ?: &list_tool, argc - skip, argv + skip);
}
