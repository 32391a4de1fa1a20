// SPDX-License-Identifier: GPL-2.0-or-later
/* setting.c - the top level's settings, and what they are at boot */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "leftover/find.h"
#include "tracefs/file.h"
#include "tracefs/instance.h"
#include "tracelet/leftover.h"

/* A file whose text at boot is known; NULL: a list that is empty then. */
struct setting {
	const char *file, *boot;
	bool original; /* that perf-tools reset too */
	enum tl_leftover_act act;
};

static const struct setting first[] = {
	{ "current_tracer", "nop", true, TL_ACT_WRITE },
	{ "set_ftrace_filter", NULL, true, TL_ACT_FUNCTIONS },
	{ "set_ftrace_notrace", NULL, false, TL_ACT_WIDEN },
	{ "set_graph_function", NULL, true, TL_ACT_WIDEN },
	{ "set_graph_notrace", NULL, false, TL_ACT_WIDEN },
	{ "set_ftrace_pid", NULL, true, TL_ACT_WIDEN },
	{ "set_ftrace_notrace_pid", NULL, false, TL_ACT_WIDEN },
};

static const struct setting pids[] = {
	{ "set_event_pid", NULL, false, TL_ACT_WRITE },
	{ "set_event_notrace_pid", NULL, false, TL_ACT_WRITE },
	{ "tracing_thresh", "0", true, TL_ACT_WRITE },
};

static const struct setting last[] = {
	{ "tracing_on", "1", true, TL_ACT_WRITE },
	{ "max_graph_depth", "0", false, TL_ACT_WRITE },
	{ "function_profile_enabled", "0", false, TL_ACT_WRITE },
	{ "tracing_max_latency", "0", false, TL_ACT_WRITE },
	{ "stack_trace_filter", NULL, false, TL_ACT_WRITE },
	{ "buffer_percent", "50", false, TL_ACT_WRITE },
};

/*
 * Nothing tells what an option is at boot, so one that is in neither list is
 * left alone.
 */
static const char *const on[] = {
	"annotate",           "context-info",       "copy_trace_marker",
	"funcgraph-cpu",      "funcgraph-duration", "funcgraph-irqs",
	"funcgraph-overhead", "function-trace",     "graph-time",
	"hash-ptr",           "irq-info",           "markers",
	"overwrite",          "print-parent",       "record-cmd",
	"sleep-time",         "trace_printk",       "trace_printk_dest",
};

static const char *const off[] = {
	"bin",
	"bitmask-list",
	"blk_cgname",
	"blk_cgroup",
	"blk_classic",
	"block",
	"disable_on_free",
	"display-graph",
	"event-fork",
	"fields",
	"func-args",
	"func-no-repeats",
	"func_stack_trace",
	"funcgraph-abstime",
	"funcgraph-args",
	"funcgraph-overrun",
	"funcgraph-proc",
	"funcgraph-retaddr",
	"funcgraph-retval",
	"funcgraph-retval-hex",
	"funcgraph-tail",
	"function-fork",
	"hex",
	"latency-format",
	"pause-on-trace",
	"printk-msg-only",
	"raw",
	"record-tgid",
	"stacktrace",
	"sym-addr",
	"sym-offset",
	"sym-userobj",
	"userstacktrace",
	"verbose",
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Takes @state, which is NULL when it is as at boot. */
static struct tl_leftover *add(struct tl_search *f, const char *file,
			       char *state, const char *boot)
{
	struct tl_leftover *l =
		tl_search_add(f, "setting", file, file, TL_ACT_WRITE, boot);

	l->changed = state;
	l->state = state;
	return l;
}

static void find_one(struct tl_search *f, const struct setting *c)
{
	char *text = tl_search_read(f, c->file), *state = NULL;
	struct tl_leftover *l;

	if (!text)
		return;
	if (!c->boot) {
		state = tl_text_list(text);
	} else {
		text[strcspn(text, "\n")] = '\0';
		if (strcmp(text, c->boot))
			state = tl_search_copy(f, text);
	}
	if (state || c->original) {
		l = add(f, c->file, state, c->boot ?: "");
		l->original = c->original;
		l->act = c->act;
	}
	free(text);
}

static void find_all(struct tl_search *f, const struct setting *c, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		find_one(f, &c[i]);
}

/* A recording may be on for one event, or for all of them. */
static void find_events(struct tl_search *f)
{
	char *enabled = tl_search_line(f, "events/enable");
	char *names = tl_search_read(f, "set_event");
	char *state = names ? tl_text_list(names) : NULL;
	struct tl_leftover *l;

	if (enabled && !state && strcmp(enabled, "0"))
		state = tl_search_copy(f, enabled);
	if (enabled) {
		l = add(f, "events/enable", state, "0");
		l->original = true;
	} else {
		free(state);
	}
	free(enabled);
	free(names);
}

static void find_options(struct tl_search *f, const char *const *names,
			 size_t count, const char *boot)
{
	char file[64], *text;
	size_t i;

	for (i = 0; i < count; i++) {
		snprintf(file, sizeof(file), "options/%s", names[i]);
		text = tl_search_line(f, file);
		if (text && strcmp(text, boot))
			add(f, file, tl_search_copy(f, text), boot);
		free(text);
	}
}

/* Where x86's clock is not the same on all processors it is "global". */
static const char *boot_clock(const struct tl_session *s, const char *clocks)
{
	char *source = tl_fs_read(tl_fs_machine(s),
				  "/sys/devices/system/clocksource/"
				  "clocksource0/current_clocksource",
				  NULL);
	bool stable = !strstr(clocks, "x86-tsc") || !source ||
		      strstr(source, "tsc") || strstr(source, "kvm-clock");

	free(source);
	return stable ? "local" : "global";
}

/* All clocks, the one that is used in brackets. */
static void find_clock(struct tl_search *f)
{
	char *text = tl_search_line(f, "trace_clock"), *name;
	const char *boot = text ? boot_clock(f->s, text) : NULL;

	name = text ? strchr(text, '[') : NULL;
	if (name) {
		name[strcspn(name, "]")] = '\0';
		/* one that cannot be told from the kernel's own choice */
		if (strcmp(++name, boot) && strcmp(name, "local"))
			add(f, "trace_clock", tl_search_copy(f, name), boot);
	}
	free(text);
}

/* The highest number of a list like "0-3,5", plus one. */
static unsigned int count_cpus(const struct tl_session *s)
{
	char *text = tl_fs_read(tl_fs_machine(s),
				"/sys/devices/system/cpu/possible", NULL);
	char *p = text ? text + strlen(text) : NULL;
	unsigned int count;

	while (p && p > text && !strchr(",-", p[-1]))
		p--;
	count = p ? (unsigned int)strtoul(p, NULL, 10) + 1 : 0;
	free(text);
	return count;
}

static void find_cpumask(struct tl_search *f)
{
	char *text = tl_search_line(f, "tracing_cpumask");
	char *all = tl_text_cpumask(count_cpus(f->s));

	if (text && all && strcmp(text, all))
		add(f, "tracing_cpumask", tl_search_copy(f, text), all);
	free(all);
	free(text);
}

/*
 * At boot there is a page or two; on first use it becomes 1408 KB, which the
 * kernel may round up to full pages, and that cannot be taken back.
 */
#define BUFFER_KB 1408

static void find_buffer(struct tl_search *f)
{
	char *text = tl_search_line(f, "buffer_size_kb");
	long page = sysconf(_SC_PAGESIZE) / 1024, kb;
	char boot[32];

	kb = text ? strtol(text, NULL, 10) : 0;
	if (text && !strstr(text, "expanded") &&
	    (kb < BUFFER_KB || kb > BUFFER_KB + page)) {
		snprintf(boot, sizeof(boot), "%d", BUFFER_KB);
		add(f, "buffer_size_kb", tl_search_copy(f, text), boot);
	}
	free(text);
}

static void find_subbuf(struct tl_search *f)
{
	char boot[32];

	snprintf(boot, sizeof(boot), "%ld", sysconf(_SC_PAGESIZE) / 1024);
	find_one(f, &(struct setting){ "buffer_subbuf_size_kb", boot, false,
				       TL_ACT_WRITE });
}

/*
 * A snapshot that was taken is as long as the buffer: its beginning is
 * enough.
 */
static void find_snapshot(struct tl_search *f)
{
	int fd = openat(f->s->instance->root.fd, "snapshot",
			O_RDONLY | O_CLOEXEC);
	char text[256];
	ssize_t len;

	if (fd < 0) {
		tl_search_failed(f, "snapshot", errno);
		return;
	}
	len = read(fd, text, sizeof(text) - 1);
	if (len < 0)
		tl_search_failed(f, "snapshot", errno);
	close(fd);
	if (len <= 0)
		return;
	text[len] = '\0';
	if (!strstr(text, "Snapshot is freed"))
		add(f, "snapshot", tl_search_copy(f, "allocated"), "0");
}

/* Records are not looked for in "trace": reading that can stop tracing. */
static void find_records(struct tl_search *f)
{
	unsigned int cpu, cpus = count_cpus(f->s);
	unsigned long long count = 0;
	char file[64], *text;
	struct tl_leftover *l;

	for (cpu = 0; cpu < cpus; cpu++) {
		snprintf(file, sizeof(file), "per_cpu/cpu%u/stats", cpu);
		text = tl_search_read(f, file);
		if (text && !strncmp(text, "entries: ", strlen("entries: ")))
			count += strtoull(text + strlen("entries: "), NULL, 10);
		free(text);
	}
	if (!count)
		return;
	l = add(f, "trace", NULL, "");
	l->changed = true;
	tl_text_set(&l->state, "%llu events kept", count);
}

void tl_settings_first(struct tl_search *f)
{
	find_all(f, first, COUNT(first));
	find_events(f);
}

void tl_settings_pids(struct tl_search *f)
{
	find_all(f, pids, COUNT(pids));
}

void tl_settings_last(struct tl_search *f)
{
	find_all(f, last, COUNT(last));
	find_options(f, on, COUNT(on), "1");
	find_options(f, off, COUNT(off), "0");
	find_clock(f);
	find_cpumask(f);
	find_subbuf(f);
	find_buffer(f);
	find_snapshot(f);
	find_records(f);
}
