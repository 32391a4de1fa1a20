// SPDX-License-Identifier: GPL-2.0-or-later
/* tpoint - trace tracepoints */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracelet.h"

/* an event whose stack has not come yet */
struct held {
	struct tl_record record;
	char *data;
};

static struct {
	bool head, list, stacks, format;
	char **patterns;
	int count;
	const char *filter;
	struct tl_session *s;
	const struct tl_event *stack_event;
	struct tl_field depth, frames;
	struct tl_pairs *held; /* by processor */
} env;

static const struct tl_opt options[] = {
	{ 'H', NULL, NULL, "show the kernel's column headers", TL_OPT_FLAG,
	  &env.head, NULL, 0, 0 },
	{ 'l', NULL, NULL, "list tracepoints, those that match a pattern",
	  TL_OPT_FLAG, &env.list, "act", 0, 0 },
	{ 's', NULL, NULL, "show kernel stacks", TL_OPT_FLAG, &env.stacks, NULL,
	  0, 0 },
	{ 'v', NULL, NULL, "show the format of the tracepoints and end",
	  TL_OPT_FLAG, &env.format, "act", 0, 0 },
	{ 0 }
};

enum { TIME, COMM, PID, CPU, EVENT, FIELDS, LINE, STACK };

static const struct tl_column columns[] = {
	[TIME] = { "TIMEs", "time", 0, TL_TIME, TL_SHOW_DATA },
	[COMM] = { "COMM", "comm", 0, TL_STR, TL_SHOW_DATA },
	[PID] = { "TID", "tid", 0, TL_INT, TL_SHOW_DATA },
	[CPU] = { "CPU", "cpu", 0, TL_INT, TL_SHOW_DATA },
	[EVENT] = { "EVENT", "event", 0, TL_STR, TL_SHOW_DATA },
	[FIELDS] = { "FIELDS", "fields", 0, TL_FIELDS, TL_SHOW_DATA },
	[LINE] = { "LINE", "line", 0, TL_STR, TL_SHOW_TEXT },
	[STACK] = { "STACK", "stack", 0, TL_STACK, TL_SHOW_ALL },
	{ 0 }
};

#define MAX_FRAMES 128

/* ---- rows ------------------------------------------------------------- */

static size_t list_frames(struct tl_session *s, const struct tl_record *r,
			  struct tl_named *list)
{
	struct tl_field f = env.frames;
	uint64_t depth = tl_field_num(r, &env.depth), offset;
	size_t n = 0;

	/* the format shows eight; there are as many as the record holds */
	f.size = sizeof(long);
	while (n < MAX_FRAMES && n < depth && f.offset + f.size <= r->size) {
		const char *name = tl_symbol(s, tl_field_num(r, &f), &offset);

		list[n].value = (struct tl_value){
			.type = TL_STR,
			.known = name,
			.str = { name ?: "", name ? strlen(name) : 0 },
		};
		f.offset += f.size;
		n++;
	}
	return n;
}

/* As the kernel does: the stack is a row of its own. */
static void print_text(struct tl_session *s, const struct tl_record *r,
		       const struct tl_record *stack)
{
	struct tl_named frames[MAX_FRAMES];

	tl_put_str(s, LINE, tl_line(s, r));
	tl_row(s);
	if (!stack)
		return;
	tl_put_str(s, LINE, tl_line_stack(s, stack));
	tl_put_list(s, STACK, frames, list_frames(s, stack, frames), false);
	tl_row(s);
}

static void print_data(struct tl_session *s, const struct tl_record *r,
		       const struct tl_record *stack)
{
	struct tl_named frames[MAX_FRAMES];
	const struct tl_named *values;
	size_t count;
	char name[256];

	snprintf(name, sizeof(name), "%s:%s", tl_event_system(r->event),
		 tl_event_name(r->event));
	values = tl_event_values(s, r, &count);
	tl_put_int(s, TIME, r->ns);
	tl_put_str(s, COMM, tl_task_comm(s, r->pid));
	tl_put_int(s, PID, r->pid);
	tl_put_int(s, CPU, r->cpu);
	tl_put_text(s, EVENT, name);
	tl_put_list(s, FIELDS, values, count, false);
	if (stack)
		tl_put_list(s, STACK, frames, list_frames(s, stack, frames),
			    false);
	tl_row(s);
}

static void print(struct tl_session *s, const struct tl_record *r,
		  const struct tl_record *stack)
{
	const struct tl_settings *set = tl_settings(s);

	if (set->json || set->csv)
		print_data(s, r, stack);
	else
		print_text(s, r, stack);
}

/* ---- stacks: each comes right behind its event, on the same processor ---- */

static void print_held(void *data)
{
	struct held *h = data;

	if (h->data)
		print(env.s, &h->record, NULL);
	free(h->data);
}

static void on_event(struct tl_session *s, const struct tl_record *r)
{
	struct held *h;

	if (!env.stacks) {
		print(s, r, NULL);
		return;
	}
	/* one that waits there has no stack: it is printed as it goes */
	h = tl_pairs_put(env.held, r->cpu);
	if (!h)
		return;
	h->record = *r;
	h->data = malloc(r->size);
	if (h->data)
		h->record.data = memcpy(h->data, r->data, r->size);
}

static void on_stack(struct tl_session *s, const struct tl_record *r)
{
	struct held *h = tl_pairs_get(env.held, r->cpu);

	if (!h || !h->data || h->record.pid != r->pid)
		return;
	print(s, &h->record, r);
	free(h->data);
	h->data = NULL;
	tl_pairs_drop(env.held, r->cpu);
}

/* Its stack may be among what was lost: the next one is not its own. */
static void on_lost(struct tl_session *s, unsigned int cpu)
{
	(void)s;
	if (env.held)
		tl_pairs_drop(env.held, cpu);
}

static int on_end(struct tl_session *s)
{
	(void)s;
	if (env.held)
		tl_pairs_clear(env.held);
	return 0;
}

static int add_stacks(struct tl_session *s)
{
	struct tl_event *ev =
		tl_event_add(s, "ftrace", "kernel_stack", on_stack);

	if (!ev)
		return tl_fail(ENOTSUP, "this kernel records no stacks");
	env.held = tl_pairs_new(sizeof(struct held), 8192, print_held);
	if (!env.held)
		return -ENOMEM;
	return tl_event_field(s, ev, "size", &env.depth) ?:
	       tl_event_field(s, ev, "caller", &env.frames) ?:
	       tl_write_file(s, "options/stacktrace", "1");
}

/* ---- which tracepoints ------------------------------------------------- */

/* A bare system stands for all its events. */
static bool matches(const char *pattern, const char *system, const char *name)
{
	char full[512];

	snprintf(full, sizeof(full), "%s:%s", system, name);
	if (!strchr(pattern, ':'))
		return !fnmatch(pattern, system, 0);
	return !fnmatch(pattern, full, 0);
}

struct search {
	const char *pattern;
	int found;
	int (*act)(const char *system, const char *name);
};

static int search_one(void *ctx, const char *system, const char *name)
{
	struct search *search = ctx;

	if (!matches(search->pattern, system, name))
		return 0;
	search->found++;
	return search->act(system, name);
}

static int for_each_match(struct tl_session *s,
			  int (*act)(const char *system, const char *name))
{
	struct search search = { .act = act };
	int i, ret = 0;

	for (i = 0; i < env.count && !ret; i++) {
		search.pattern = env.patterns[i];
		search.found = 0;
		ret = tl_event_list(s, search_one, &search);
		if (!ret && !search.found)
			ret = tl_fail(ENOENT,
				      "tracepoint %s not found (try tpoint -l)",
				      env.patterns[i]);
	}
	return ret;
}

static int add(const char *system, const char *name)
{
	struct tl_session *s = env.s;
	const struct tl_regex *re = &tl_settings(s)->name;
	struct tl_event *ev = tl_event_add(s, system, name, on_event);
	struct tl_filter f = { "" };

	if (!ev)
		return tl_fail(errno, "format of %s:%s: %s", system, name,
			       strerror(errno));
	if (env.filter)
		tl_filter_and(&f, re->text ? "(%s)" : "%s", env.filter);
	tl_filter_match(&f, "COMM", re);
	return tl_event_filter(s, ev, f.text);
}

/* ---- -l and -v --------------------------------------------------------- */

struct listing {
	const char *pattern; /* or NULL */
	int shown;
};

/* A pattern without a wildcard is searched for, one without a colon may match
 * either part of the name. */
static bool is_listed(const char *pattern, const char *system, const char *name)
{
	char full[512];

	snprintf(full, sizeof(full), "%s:%s", system, name);
	if (!pattern)
		return true;
	if (!strpbrk(pattern, "*?["))
		return strstr(full, pattern);
	return matches(pattern, system, name) || !fnmatch(pattern, name, 0);
}

static int print_name(void *ctx, const char *system, const char *name)
{
	struct listing *l = ctx;

	if (is_listed(l->pattern, system, name)) {
		printf("%s:%s\n", system, name);
		l->shown++;
	}
	return 0;
}

static int list(struct tl_session *s)
{
	struct listing l = { .pattern = env.count ? env.patterns[0] : NULL };
	int ret = tl_event_list(s, print_name, &l);

	if (!ret && !l.shown)
		ret = tl_fail(ENOENT, "no tracepoint matches %s",
			      l.pattern ?: "");
	return ret;
}

static int print_format(const char *system, const char *name)
{
	char *text = tl_event_format(env.s, system, name);

	if (!text)
		return tl_fail(errno, "format of %s:%s: %s", system, name,
			       strerror(errno));
	fputs(text, stdout);
	free(text);
	return 0;
}

static int query(struct tl_session *s)
{
	int ret;

	env.s = s;
	if (env.list)
		ret = list(s);
	else if (env.format)
		ret = for_each_match(s, print_format);
	else
		return -1;
	return ret ? TL_EXIT_FAILED : TL_EXIT_OK;
}

/* ---- set-up ------------------------------------------------------------ */

static int setup(struct tl_session *s)
{
	char who[256];
	int ret;

	tl_banner_who(s, who, sizeof(who));
	tl_banner(s, "Tracing %s%s%s", env.patterns[0],
		  env.count > 1 ? " and others" : "", who);
	ret = for_each_match(s, add);
	if (!ret && env.stacks)
		ret = add_stacks(s);
	if (!ret)
		ret = tl_line_open(s, env.head);
	return ret;
}

/* A filter has an operator, which no tracepoint has; it comes last. */
static int args(struct tl_session *s, int argc, char **argv)
{
	(void)s;
	env.patterns = argv;
	env.count = argc;
	if (env.list && argc > 1)
		return tl_usage("-l takes one pattern");
	if (!env.list && !argc)
		return tl_usage("which tracepoint?");
	if (argc > 1 && strpbrk(argv[argc - 1], "=<>&~")) {
		env.filter = argv[argc - 1];
		env.count--;
	}
	return 0;
}

static const struct tl_tool tpoint = {
	.name = "tpoint",
	.summary = "trace tracepoints",
	.synopsis = "tracepoint... [filter]",
	.options = options,
	.columns = columns,
	.quiet = true,
	.args = args,
	.query = query,
	.setup = setup,
	.lost = on_lost,
	.end = on_end,
};

TL_MAIN(tpoint)
