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
#include "metrics/series.h"
#include "tracelet/message.h"
#include "tracelet/sibling.h"
#include "tracelet/tool.h"

#define SECOND    1000000000ULL
#define PAUSE_MAX 60 /* seconds between two runs */
#define SILENCE   60 /* seconds without news that are too many... */
#define GAPS      3  /* ...beside so many times the longest that there was */
#define ENDING    10 /* seconds that one has to undo what it did */
#define TEXT_MAX  (4U << 20)    /* bytes of what one counts */
#define AGAIN     (SECOND / 20) /* until one that ends is looked at again */

struct collector {
	const struct tl_export_command *command;
	struct tl_sibling tool; /* pid 0: there is none; output NULL: it ends */
	struct tl_exposition text;
	uint64_t began;     /* ns, of this run */
	uint64_t last;      /* ns, of its last text; 0: there was none */
	uint64_t heard;     /* ns, when something came of it */
	uint64_t gap;       /* ns, the longest between two texts */
	uint64_t kill;      /* ns, when one that ends has had its time */
	uint64_t next;      /* ns, when it is run again; 0: never */
	unsigned int pause; /* seconds, before the next run */
	uint64_t runs;
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
	char *labels, *max_cpu, max_series[32];
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

	run->argv = calloc(cmd->count + 6, sizeof(*run->argv));
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
	if (c->max_cpu &&
	    asprintf(&run->max_cpu, "--max-cpu=%s", c->max_cpu) < 0)
		return false;
	if (run->max_cpu)
		run->argv[n++] = run->max_cpu;
	for (i = 1; i < cmd->count; i++)
		if (!is_labels(cmd->words[i]))
			run->argv[n++] = cmd->words[i];
	return true;
}

static void free_run(struct run *run)
{
	free(run->labels);
	free(run->max_cpu);
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

/* What it has counted is not so any more, from now on. */
static void forget(struct tl_collectors *c, struct collector *one)
{
	if (one->text.whole.len)
		c->changed = true;
	tl_exposition_free(&one->text);
	if (one->tool.output)
		fclose(one->tool.output);
	one->tool.output = NULL;
}

/* It may still undo what it did: so nobody waits for it here. */
static void end(struct tl_collectors *c, struct collector *one, int sig)
{
	forget(c, one);
	if (sig)
		kill(one->tool.pid, sig);
	one->kill = tl_now() + ENDING * SECOND;
}

/* A run that was long enough was none that fails at once. */
static void ended(struct tl_collectors *c, struct collector *one, int status)
{
	const uint64_t now = tl_now();
	char text[96];

	free(one->tool.path);
	one->tool = (struct tl_sibling){ 0 };
	c->changed = true;
	if (WIFEXITED(status) && (WEXITSTATUS(status) == TL_EXIT_USAGE ||
				  WEXITSTATUS(status) == TL_EXIT_UNSUPPORTED)) {
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

/* Whether it has gone; its guard goes on to undo what it did. */
static bool has_gone(struct collector *one, int *status)
{
	if (tl_now() > one->kill)
		kill(one->tool.pid, SIGKILL);
	return waitpid(one->tool.pid, status, WNOHANG) == one->tool.pid;
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
	const size_t before = one->text.read.len;
	const int ret = tl_exposition_read(&one->text, fileno(one->tool.output),
					   TEXT_MAX);

	if (ret > 0)
		take_text(c, one);
	if (one->text.read.len != before || ret > 0)
		one->heard = tl_now();
	if (ret >= 0)
		return;
	if (ret != -EPIPE)
		say(c, one, strerror(-ret));
	end(c, one, ret == -EPIPE ? 0 : SIGTERM);
}

/* Until when there has to be a text; the first gap is known once there were two. */
static uint64_t deadline(const struct collector *one)
{
	return one->gap ? one->heard + GAPS * one->gap + SILENCE * SECOND
			: UINT64_MAX;
}

/* Behind reading: this process may have been stopped itself. */
static void watch(struct tl_collectors *c, struct collector *one)
{
	if (!one->tool.output || tl_now() < deadline(one))
		return;
	say(c, one, "has counted nothing for long: it is killed");
	end(c, one, SIGKILL);
}

/* When it has to be looked at, whatever comes. */
static uint64_t time_of(const struct collector *one)
{
	if (one->tool.output)
		return deadline(one);
	if (one->tool.pid)
		return tl_now() + AGAIN;
	return one->next ?: UINT64_MAX;
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
		if (time_of(one) < next)
			next = time_of(one);
	}
	if (next == UINT64_MAX)
		return -1;
	return next <= now ? 0 : (int)((next - now) / 1000000) + 1;
}

bool tl_collectors_step(struct tl_collectors *c)
{
	struct collector *one;
	bool changed;
	int status;

	for (one = c->list; one < c->list + c->count; one++) {
		if (one->tool.output) {
			read_one(c, one);
			watch(c, one);
		} else if (one->tool.pid) {
			if (has_gone(one, &status))
				ended(c, one, status);
		} else if (one->next && one->next <= tl_now()) {
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

/* Those of the file, of the command, and the tool: no two commands have the same. */
static void add_labels(struct tl_buf *b, const char *list)
{
	struct tl_label l;

	for (; list && *list && !tl_label_split(list, &l); list = l.next)
		tl_label_add(b, l.name, l.value);
}

static void print_value(const struct tl_collectors *c, struct tl_buf *b,
			const char *name, const struct collector *one,
			uint64_t value)
{
	const char *tool = one->command->words[0];
	struct tl_buf labels = { 0 };

	add_labels(&labels, c->config->labels);
	add_labels(&labels, one->command->labels);
	tl_label_add(&labels, "tool", (struct tl_str){ tool, strlen(tool) });
	tl_buf_printf(b, "%s{%.*s} %" PRIu64 "\n", name, (int)labels.len,
		      labels.data, value);
	b->failed |= labels.failed;
	tl_buf_free(&labels);
}

static void print_own(const struct tl_collectors *c, struct tl_buf *b)
{
	size_t i, k;

	for (i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		tl_buf_printf(b, "# HELP %s %s\n# TYPE %s %s\n", own[i].name,
			      own[i].help, own[i].name, own[i].type);
		for (k = 0; k < c->count; k++)
			print_value(c, b, own[i].name, &c->list[k],
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

/* All at once, as each of them takes a while, and one may be stopped. */
void tl_collectors_free(struct tl_collectors *c)
{
	struct collector *one;
	int status;

	if (!c)
		return;
	for (one = c->list; one < c->list + c->count; one++)
		if (one->tool.pid)
			end(c, one, SIGTERM);
	for (one = c->list; one < c->list + c->count; one++) {
		while (one->tool.pid && !has_gone(one, &status))
			tl_pause(AGAIN);
		free(one->tool.path);
		tl_exposition_free(&one->text);
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
	fclose(one->tool.output);
	status = tl_child_wait(one->tool.pid);
	free(one->tool.path);
	one->tool = (struct tl_sibling){ 0 };
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
