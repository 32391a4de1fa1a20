// SPDX-License-Identifier: GPL-2.0-or-later
/* collectors.c - tools that count, and what each of them has counted last */
#include "export/collectors.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "export/exposition.h"
#include "export/families.h"
#include "tracelet/message.h"
#include "tracelet/sibling.h"
#include "tracelet/tool.h"

#define SECOND    1000000000ULL
#define PAUSE_MAX 60 /* seconds between two runs */
#define SILENCE   60 /* seconds without news that are too many... */
#define GAPS      3  /* ...beside so many times the longest that there was */

struct collector {
	const struct tl_export_command *command;
	struct tl_sibling tool; /* output NULL: it does not run */
	struct tl_exposition text;
	uint64_t began, last; /* ns; of this run, and of its last text or 0 */
	uint64_t gap;         /* ns, the longest between two texts */
	uint64_t next;        /* ns; when it is run again, 0: never */
	unsigned int pause;   /* seconds, before the next run */
	uint64_t runs;
	bool refused; /* as its options are wrong, or it cannot work here */
};

struct tl_collectors {
	const struct tl_session *s;
	const struct tl_export_config *config;
	struct collector *list;
	size_t count;
	bool changed; /* since it was asked for */
};

/* ---- running ---------------------------------------------------------- */

/* Of a file: "export.conf:5: iosnoop". */
static void say(const struct tl_collectors *c, const struct collector *one,
		const char *what)
{
	const char *tool = one->command->words[0];

	if (one->command->line)
		tl_warn("%s:%u: %s %s", c->config->path, one->command->line,
			tool, what);
	else
		tl_warn("%s %s", tool, what);
}

#define LABELS "--metric-labels="

/* What it is run with: our words first, as behind them may be a command of its own. */
struct run {
	char *labels, max_series[32];
	char **argv;
};

static bool is_labels(const char *word)
{
	return !strncmp(word, LABELS, strlen(LABELS));
}

static bool make_run(const struct tl_export_config *c,
		     const struct tl_export_command *cmd, const char *how,
		     struct run *run)
{
	const char *all = c->labels ?: "", *own = cmd->labels ?: "";
	unsigned int i, n = 1;

	run->argv = calloc(cmd->count + 5, sizeof(*run->argv));
	if (!run->argv || asprintf(&run->labels, LABELS "%s%s%s", all,
				   *all && *own ? "," : "", own) < 0)
		return false;
	run->argv[n++] = "--metrics=-";
	if (how)
		run->argv[n++] = (char *)how;
	if (*all || *own)
		run->argv[n++] = run->labels;
	if (c->max_series) {
		snprintf(run->max_series, sizeof(run->max_series),
			 "--max-series=%u", c->max_series);
		run->argv[n++] = run->max_series;
	}
	for (i = 1; i < cmd->count; i++)
		if (!is_labels(cmd->words[i]))
			run->argv[n++] = cmd->words[i];
	return true;
}

static void free_run(struct run *run)
{
	free(run->labels);
	free(run->argv);
}

static int run_one(const struct tl_collectors *c, struct collector *one,
		   const char *how)
{
	struct run run = { 0 };
	int ret = -ENOMEM;

	if (make_run(c->config, one->command, how, &run))
		ret = tl_sibling_start(c->s, &one->tool, one->command->words[0],
				       run.argv);
	free_run(&run);
	if (!ret && one->tool.err) {
		say(c, one, strerror(one->tool.err));
		free(one->tool.path);
		ret = -one->tool.err;
	}
	return ret;
}

static void pause_run(struct collector *one, uint64_t now)
{
	one->pause = one->pause ? one->pause * 2 : 1;
	if (one->pause > PAUSE_MAX)
		one->pause = PAUSE_MAX;
	one->next = now + one->pause * SECOND;
}

static void start(struct tl_collectors *c, struct collector *one)
{
	one->began = tl_now();
	one->next = one->last = one->gap = 0;
	one->runs++;
	c->changed = true;
	if (run_one(c, one, NULL)) {
		one->tool = (struct tl_sibling){ 0 };
		pause_run(one, one->began);
		return;
	}
	fcntl(fileno(one->tool.output), F_SETFL, O_NONBLOCK);
}

/* Its status, as waitpid() has it; it may still undo what it did. */
static int reap(struct collector *one)
{
	int status;

	fclose(one->tool.output);
	status = tl_child_wait(one->tool.pid);
	free(one->tool.path);
	one->tool = (struct tl_sibling){ 0 };
	one->text.read.len = one->text.whole.len = 0;
	return status;
}

/* A run that was long enough was none that fails at once. */
static void ended(struct tl_collectors *c, struct collector *one)
{
	const int status = reap(one);
	const uint64_t now = tl_now();
	char text[96];

	c->changed = true;
	one->refused = WIFEXITED(status) &&
		       (WEXITSTATUS(status) == TL_EXIT_USAGE ||
			WEXITSTATUS(status) == TL_EXIT_UNSUPPORTED);
	if (one->refused) {
		say(c, one, "cannot work, and is not run again");
		return;
	}
	if (now - one->began > PAUSE_MAX * SECOND)
		one->pause = 0;
	pause_run(one, now);
	snprintf(text, sizeof(text), "ended by %s %d: it is run again in %u s",
		 WIFSIGNALED(status) ? "signal" : "itself with status",
		 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
		 one->pause);
	say(c, one, text);
}

/* ---- reading ---------------------------------------------------------- */

static void take_text(struct tl_collectors *c, struct collector *one)
{
	const uint64_t now = tl_now();

	if (one->last && now - one->last > one->gap)
		one->gap = now - one->last;
	one->last = now;
	c->changed = true;
}

static void read_one(struct tl_collectors *c, struct collector *one)
{
	const int ret =
		tl_exposition_read(&one->text, fileno(one->tool.output));

	if (ret > 0)
		take_text(c, one);
	if (ret >= 0)
		return;
	if (ret != -EPIPE) {
		say(c, one, strerror(-ret));
		kill(one->tool.pid, SIGTERM);
	}
	ended(c, one);
}

/* Until when there has to be a text; the first gap is known once there were two. */
static uint64_t deadline(const struct collector *one)
{
	return one->gap ? one->last + GAPS * one->gap + SILENCE * SECOND
			: UINT64_MAX;
}

/* Its guard undoes what it did. */
static void watch(const struct tl_collectors *c, struct collector *one,
		  uint64_t now)
{
	if (now < deadline(one))
		return;
	say(c, one, "has counted nothing for long: it is killed");
	one->gap = 0;
	kill(one->tool.pid, SIGKILL);
}

int tl_collectors_poll(const struct tl_collectors *c, struct pollfd *fds)
{
	uint64_t now = tl_now(), next = UINT64_MAX;
	const struct collector *one;
	size_t i;

	for (i = 0; i < c->count; i++) {
		one = &c->list[i];
		fds[i] = (struct pollfd){
			.fd = one->tool.output ? fileno(one->tool.output) : -1,
			.events = POLLIN
		};
		if (one->tool.output && deadline(one) < next)
			next = deadline(one);
		if (one->next && one->next < next)
			next = one->next;
	}
	if (next == UINT64_MAX)
		return -1;
	return next <= now ? 0 : (int)((next - now) / 1000000) + 1;
}

bool tl_collectors_step(struct tl_collectors *c)
{
	const uint64_t now = tl_now();
	struct collector *one;
	bool changed;

	for (one = c->list; one < c->list + c->count; one++) {
		if (one->tool.output) {
			watch(c, one, now);
			read_one(c, one);
		} else if (one->next && one->next <= now) {
			start(c, one);
		}
	}
	changed = c->changed;
	c->changed = false;
	return changed;
}

/* ---- the answer ------------------------------------------------------- */

static bool is_up(const struct collector *one)
{
	return one->text.whole.len > 0;
}

static uint64_t value_up(const struct collector *one)
{
	return is_up(one);
}

static uint64_t value_runs(const struct collector *one)
{
	return one->runs;
}

static const struct {
	const char *name, *help, *type;
	uint64_t (*value)(const struct collector *one);
} own[] = {
	{ "tracelets_export_up", "1 where the tool runs, and has counted.",
	  "gauge", value_up },
	{ "tracelets_export_runs_total", "Times that the tool was run.",
	  "counter", value_runs },
};

static void print_own(const struct tl_collectors *c, struct tl_buf *b)
{
	size_t i, k;

	for (i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		tl_buf_printf(b, "# HELP %s %s\n# TYPE %s %s\n", own[i].name,
			      own[i].help, own[i].name, own[i].type);
		for (k = 0; k < c->count; k++)
			tl_buf_printf(b,
				      "%s{command=\"%zu\",tool=\"%s\"} %" PRIu64
				      "\n",
				      own[i].name, k + 1,
				      c->list[k].command->words[0],
				      own[i].value(&c->list[k]));
	}
}

int tl_collectors_print(const struct tl_collectors *c, struct tl_buf *b)
{
	struct tl_families *f = tl_families_new();
	size_t i;
	int ret = f ? 0 : -ENOMEM;

	for (i = 0; i < c->count && !ret; i++)
		if (is_up(&c->list[i]))
			ret = tl_families_add(
				f, tl_buf_text(&c->list[i].text.whole));
	if (!ret) {
		tl_families_print(f, b);
		print_own(c, b);
	}
	tl_families_free(f);
	return ret ?: b->failed ? -ENOMEM : 0;
}

/* ---- begin and end ---------------------------------------------------- */

struct tl_collectors *tl_collectors_new(const struct tl_session *s,
					const struct tl_export_config *config)
{
	struct tl_collectors *c = calloc(1, sizeof(*c));
	size_t i;

	if (!c)
		return NULL;
	c->s = s;
	c->config = config;
	c->list = calloc(config->count, sizeof(*c->list));
	c->count = c->list ? config->count : 0;
	for (i = 0; i < c->count; i++)
		c->list[i].command = &config->commands[i];
	if (c->list)
		return c;
	free(c);
	return NULL;
}

void tl_collectors_start(struct tl_collectors *c)
{
	size_t i;

	for (i = 0; i < c->count; i++)
		start(c, &c->list[i]);
}

/* All at once, as each of them takes a while. */
void tl_collectors_free(struct tl_collectors *c)
{
	size_t i;

	if (!c)
		return;
	for (i = 0; i < c->count; i++)
		if (c->list[i].tool.output)
			kill(c->list[i].tool.pid, SIGTERM);
	for (i = 0; i < c->count; i++) {
		if (c->list[i].tool.output)
			reap(&c->list[i]);
		tl_exposition_free(&c->list[i].text);
	}
	free(c->list);
	free(c);
}

/* What works only in part is for the tool's own --check. */
static bool is_good(struct collector *one)
{
	char line[4096];
	int status;

	while (fgets(line, sizeof(line), one->tool.output))
		;
	status = reap(one);
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

bool tl_collectors_check(struct tl_collectors *c)
{
	struct collector *one;
	bool good = true;

	for (one = c->list; one < c->list + c->count; one++)
		if (run_one(c, one, "--check"))
			good = false;
	for (one = c->list; one < c->list + c->count; one++) {
		if (!one->tool.output || is_good(one))
			continue;
		say(c, one, "cannot work as it is written here");
		good = false;
	}
	return good;
}
