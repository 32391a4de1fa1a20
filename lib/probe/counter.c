// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * counter.c - places whose hits the kernel counts without a record
 *
 * A probe that is attached counts its hits, whether or not its event is recorded.
 * What attaches it without that is the trigger enable_event of another event,
 * whose condition is never true: the kernel prepares for the case.  What it costs
 * is in funccount(8).
 *
 * Each probe is an event of its own.  As several of one event, one trigger would do
 * for all; but the kernel frees those in programs while somebody else has enabled
 * them (unregister_trace_uprobe() does not look at probes with siblings).
 */
#include "probe/counter.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/lines.h"
#include "base/part.h"
#include "base/recording.h"
#include "base/session.h"
#include "probe/probe.h"
#include "tracefs/file.h"
#include "tracefs/instance.h"
#include "tracelet/message.h"
#include "tracelet/session.h"
#include "tracelet/tally.h"
#include "tracelet/task.h"

/*
 * An event that every kernel has (since 4.17), and that comes only when a module is
 * loaded.
 */
#define RARE  "events/initcall/initcall_start/trigger"
#define NEVER "common_pid < 0"

struct counter {
	struct tl_counter is;
	uint64_t hits, missed, missed_before;
	uint64_t given; /* so many of the hits */
	bool seen;      /* in the list of hits that is being read */
};

struct counters {
	struct tl_part part;
	const char *group; /* and the end of the events' names */
	bool user, attached, stopped;
	int error;   /* of the last look at the hits, once stopped */
	int profile; /* opened, as privileges may be dropped */
	unsigned int count;
	struct counter list[TL_COUNTERS_MAX];
};

/* Of event "h3_GROUP", as lists of hits know no groups. */
static void name_event(const struct counters *c, unsigned int i, char name[64])
{
	snprintf(name, 64, "h%u_%.48s", i, c->group);
}

/* ---- hits ------------------------------------------------------------- */

static struct counter *find(struct counters *c, const char *name)
{
	char own[64];
	unsigned int i;

	if (sscanf(name, "h%u_", &i) != 1 || i >= c->count)
		return NULL;
	name_event(c, i, own);
	return strcmp(name, own) ? NULL : &c->list[i];
}

static void take_line(struct counters *c, const char *line)
{
	struct counter *counter = NULL;
	uint64_t hits, missed;
	char name[128];

	if (tl_probe_profile_line(c->user, line, name, &hits, &missed))
		counter = find(c, name);
	if (!counter)
		return;
	counter->hits = hits;
	counter->missed = missed;
	counter->seen = true;
}

/* True when all of them were there. */
static bool take_lines(struct counters *c, char *text)
{
	unsigned int i, seen = 0;
	char *line;

	for (i = 0; i < c->count; i++)
		c->list[i].seen = false;
	while ((line = tl_text_line(&text)))
		take_line(c, line);
	for (i = 0; i < c->count; i++)
		seen += c->list[i].seen;
	return seen == c->count;
}

/*
 * The kernel goes by numbers of lines from one page of its list to the next: where
 * somebody removes a probe meanwhile, it leaves one out.
 */
static int read_profile(struct counters *c)
{
	unsigned int tries;
	bool whole = false;
	char *text;

	for (tries = 0; tries < 10 && !whole; tries++) {
		text = lseek(c->profile, 0, SEEK_SET)
			       ? NULL
			       : tl_fs_get(c->profile, NULL);
		if (!text)
			return tl_fail(errno, "counts of probes: %s",
				       tl_fs_explain(errno));
		whole = take_lines(c, text);
		free(text);
	}
	return whole ? 0
		     : tl_fail(EPROTO,
			       "somebody has removed probes of this run");
}

static int start(struct tl_session *s, void *part)
{
	struct counters *c = part;
	unsigned int i;
	int ret = c->attached ? read_profile(c) : 0;

	for (i = 0; i < c->count; i++) {
		c->list[i].given = c->list[i].hits;
		c->list[i].missed_before = c->list[i].missed;
	}
	return ret;
}

static void stop(struct tl_session *s, void *part)
{
	struct counters *c = part;

	c->stopped = true;
	if (c->attached)
		c->error = read_profile(c);
}

static void close_profile(struct tl_session *s, void *part)
{
	struct counters *c = part;

	if (c->profile >= 0)
		close(c->profile);
	c->profile = -1;
}

/* A probe is not hit while the same processor is busy with another one's hit. */
static uint64_t report(struct tl_session *s, void *part)
{
	const struct counters *c = part;
	uint64_t missed = 0;
	unsigned int i;

	for (i = 0; i < c->count; i++)
		missed += c->list[i].missed - c->list[i].missed_before;
	if (missed)
		tl_warn("%llu calls may not be counted: they came while the "
			"kernel was in another probe",
			(unsigned long long)missed);
	return missed;
}

static void free_counters(void *part)
{
	struct counters *c = part;

	while (c->count) {
		free(c->list[--c->count].is.name);
		free(c->list[c->count].is.module);
	}
	free(c);
}

static const char *uncaptured(void *part)
{
	const struct counters *c = part;

	return c->attached ? "hits that are only counted have no records"
			   : NULL;
}

static const struct tl_part_ops counters_ops = { .start = start,
						 .stop = stop,
						 .close = close_profile,
						 .report = report,
						 .uncaptured = uncaptured,
						 .free = free_counters };

const struct tl_counter *tl_counter_of(const struct tl_session *s, uint64_t key)
{
	const struct counters *c = tl_part_find(s, &counters_ops);

	return c && c->attached ? &c->list[key].is : NULL;
}

int tl_counters_read(struct tl_session *s, struct tl_tally *tally)
{
	struct counters *c = tl_part_find(s, &counters_ops);
	unsigned int i;
	int ret;

	if (!c || !c->attached)
		return 0;
	ret = c->stopped ? c->error : read_profile(c);
	for (i = 0; i < c->count && !ret; i++) {
		if (c->list[i].hits > c->list[i].given)
			tl_tally_add(tally, i,
				     c->list[i].hits - c->list[i].given);
		c->list[i].given = c->list[i].hits;
	}
	return ret;
}

/* ---- set-up ----------------------------------------------------------- */

bool tl_counters_may(struct tl_session *s, size_t count)
{
	return count <= TL_COUNTERS_MAX &&
	       !tl_recording_replays(s->recording) && !s->set.write &&
	       !tl_tasks_filtered(s) && !s->set.cpu.count;
}

static struct counters *counters_of(struct tl_session *s)
{
	struct counters *c = tl_part_find(s, &counters_ops);

	if (c)
		return c;
	c = tl_part_new(s, &counters_ops, sizeof(*c));
	if (!c)
		return NULL;
	c->profile = -1;
	c->group = s->instance->name;
	return c;
}

static int define(struct tl_session *s, const struct counters *c,
		  const char *place)
{
	char name[64], remove[160], *line = NULL;
	int fd, ret;

	ret = tl_fs_open(s->instance->root, "dynamic_events",
			 O_WRONLY | O_APPEND, &fd);
	if (fd < 0)
		return ret ?: -EIO;
	name_event(c, c->count, name);
	snprintf(remove, sizeof(remove), "-:%s/%s", c->group, name);
	ret = tl_undo_write_last(s->instance->undo, fd, remove);
	if (!ret && asprintf(&line, "p:%s/%s %s", c->group, name, place) < 0)
		ret = -ENOMEM;
	if (!ret)
		ret = tl_fs_put(fd, line);
	free(line);
	close(fd);
	return ret;
}

static int append(struct counters *c, const char *name, const char *module)
{
	struct counter *counter = &c->list[c->count++];

	counter->is.name = strdup(name);
	counter->is.module = module ? strdup(module) : NULL;
	return counter->is.name && (!module || counter->is.module) ? 0
								   : -ENOMEM;
}

/* Of several with one name the kernel takes one, or none. */
static bool is_counted(const struct counters *c, const char *name)
{
	unsigned int i = 0;

	while (i < c->count && strcmp(c->list[i].is.name, name))
		i++;
	return i < c->count;
}

int tl_counters_add(struct tl_session *s, const char *name, const char *module,
		    const char *place)
{
	struct counters *c = counters_of(s);
	int ret;

	if (!c)
		return -ENOMEM;
	if (c->count == TL_COUNTERS_MAX)
		return -E2BIG;
	if (module && is_counted(c, name))
		return -ENOTUNIQ;
	c->user = !module;
	ret = define(s, c, place);
	return ret ?: append(c, name, module);
}

/*
 * Elsewhere than with CONFIG_KPROBES_ON_FTRACE a probe is a breakpoint, which
 * costs more than a record of the function tracer.  "R": who is called there gets
 * the registers, as probes do.
 */
static bool is_called_by_tracer(const char *functions, const char *name)
{
	const size_t len = strlen(name);
	const char *line = functions;

	for (; *line; line += strspn(line, "\n")) {
		size_t end = strcspn(line, "\n");

		if (!strncmp(line, name, len) && line[len] == ' ')
			return memmem(line + len, end - len, ") R", 3);
		line += end;
	}
	return false;
}

static bool are_called_by_tracer(struct tl_session *s, const struct counters *c)
{
	char *functions =
		tl_fs_read_long(s->instance->root, "enabled_functions");
	unsigned int i = 0;

	while (functions && i < c->count &&
	       is_called_by_tracer(functions, c->list[i].is.name))
		i++;
	free(functions);
	return i == c->count;
}

/* To detach what is not attached any more does nothing. */
static int put_triggers(struct tl_session *s, const struct counters *c, int fd,
			bool attach)
{
	char name[64], text[256];
	unsigned int i;
	int ret = 0;

	for (i = 0; i < c->count && !ret; i++) {
		name_event(c, i, name);
		snprintf(text, sizeof(text), "!enable_event:%s:%s if " NEVER,
			 c->group, name);
		if (attach)
			ret = tl_undo_write(s->instance->undo, fd, text);
		if (!ret)
			ret = tl_fs_put(fd, text + attach);
	}
	return ret;
}

static int attach(struct tl_session *s, const struct counters *c)
{
	int ret, fd = openat(s->instance->dir.fd, RARE,
			     O_WRONLY | O_APPEND | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	ret = put_triggers(s, c, fd, true);
	if (!ret && !c->user && !are_called_by_tracer(s, c))
		ret = -ENOTSUP;
	if (ret)
		put_triggers(s, c, fd, false);
	close(fd);
	return ret;
}

int tl_counters_attach(struct tl_session *s)
{
	struct counters *c = counters_of(s);
	int ret;

	if (!c)
		return -ENOMEM;
	c->profile = tl_probe_profile(s, c->user);
	ret = c->profile < 0 ? -errno : attach(s, c);
	c->attached = !ret;
	return ret;
}
