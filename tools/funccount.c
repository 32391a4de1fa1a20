// SPDX-License-Identifier: GPL-2.0-or-later
/* funccount - count calls of functions, of the kernel or of a program */
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tracelet.h"

/*
 * Calls are recorded and counted here.  Per read of one byte on 6.12, untraced
 * 666, in instructions: 1,223 with a record of its vfs_read(), which costs us
 * 60 to read, or 1,647 with a probe and a hist trigger.  What that has for it
 * is that no buffer can overflow: --in-kernel.
 */
#define BUFFER_KB 8192
/* from so many functions on, reading them makes many calls itself */
#define MANY 1000
/* more probes in a program take seconds to begin and to end */
#define USER_MAX 200
/* of a hist trigger */
#define MAX_ENTRIES 131072
/* any user can make processes and names: what are more go into one row */
#define MAX_GROUPS 4096

enum by { BY_NAME, BY_PID, BY_NOTHING };

/* Where calls come from, unless it is the kernel's functions, by address. */
struct source {
	const struct tl_event *event;
	char *name;
	uint64_t offset;
};

/* Whose calls are counted apart. */
struct who {
	pid_t pid;
	char comm[16];
	struct tl_tally *tally;
};

struct row {
	const struct who *who;
	const char *name;   /* NULL: the address is all that is known */
	const char *module; /* NULL: it is none of the kernel's functions */
	char address[24];
	uint64_t count;
};

static struct {
	const char *program, *exclude; /* NULL: none */
	bool events, in_kernel, date, force;
	unsigned int top, by; /* enum by */
	uint64_t interval;
	char **patterns;
	int count;
	struct tl_functions functions, except;

	struct tl_field ip;
	struct tl_object *object;
	struct source *sources;
	size_t source_count, beyond;  /* beyond: what more there would be */
	struct tl_trigger **triggers; /* one for each of functions */
	struct tl_tally *seen;        /* what they had by the last interval */

	struct tl_table *groups;
	struct who all;   /* when nothing is apart, or what has no place */
	struct who *last; /* of thread last_pid; records come in runs */
	pid_t last_pid;
	struct row *rows;
	size_t row_count, row_room;
	bool failed, unread, lost;
} env = { .by = BY_NOTHING };

static const struct tl_opt options[] = {
	{ 'i', "interval", "SECS", "print counts every SECS seconds",
	  TL_OPT_SECONDS, &env.interval },
	{ 't', "top", "N", "only the N most frequent", TL_OPT_UINT, &env.top,
	  NULL, 1, 0 },
	{ 'T', NULL, NULL, "print the date before counts", TL_OPT_FLAG,
	  &env.date },
	{ 'x', "exclude", "GLOB", "but not functions that match",
	  TL_OPT_STRING | TL_OPT_RECORDED, &env.exclude },
	{ 'u', "user", "FILE", "functions of this program or library",
	  TL_OPT_STRING | TL_OPT_RECORDED, &env.program, "what" },
	{ 'e', "events", NULL, "tracepoints", TL_OPT_FLAG, &env.events,
	  "what" },
	{ 0, "by", "name|pid", "apart for each", TL_OPT_WORD, &env.by },
	{ 0, "in-kernel", NULL, "count in the kernel, for floods", TL_OPT_FLAG,
	  &env.in_kernel, "what" },
	{ 'F', "force", NULL, "with -u: also very many functions", TL_OPT_FLAG,
	  &env.force },
	{ 0 }
};

enum { TIME, PID, COMM, FUNC, FUNCTION, MODULE, COUNT };

static const struct tl_column columns[] = {
	[TIME] = { "TIMEs", "time", 0, TL_TIME, TL_SHOW_DATA },
	[PID] = { "PID", "pid", -6, TL_INT, TL_SHOW_NEVER },
	[COMM] = { "COMM", "comm", -16, TL_STR, TL_SHOW_NEVER },
	[FUNC] = { "FUNC", "func", -30, TL_STR, TL_SHOW_TEXT },
	[FUNCTION] = { "FUNCTION", "function", -30, TL_STR, TL_SHOW_DATA },
	[MODULE] = { "MODULE", "module", -16, TL_STR, TL_SHOW_DATA },
	[COUNT] = { "COUNT", "count", 8, TL_UINT, TL_SHOW_ALL },
	{ 0 }
};

/* ---- counting ---------------------------------------------------------- */

static void free_who(void *data)
{
	tl_tally_free(((struct who *)data)->tally);
}

static struct tl_table *new_groups(void)
{
	struct tl_table *g = tl_table_new(sizeof(struct who), free_who);

	if (g)
		tl_table_limit(g, MAX_GROUPS);
	return g;
}

static struct who *group_of(struct tl_session *s, pid_t pid)
{
	pid_t process = env.by == BY_PID ? tl_task_process(s, pid) : 0;
	struct tl_str comm = tl_task_comm(s, process ?: pid);
	struct who *who;
	char key[64];
	int len;

	if (process)
		len = snprintf(key, sizeof(key), "%d", process);
	else
		len = snprintf(key, sizeof(key), " %.*s", (int)comm.len,
			       comm.text);
	who = tl_table_at(env.groups, (struct tl_str){ key, len });
	if (who && !who->tally) {
		who->tally = tl_tally_new();
		who->pid = process;
	}
	if (!who || !who->tally)
		return &env.all;
	/* an exec gives a process another one */
	snprintf(who->comm, sizeof(who->comm), "%.*s", (int)comm.len,
		 comm.text);
	return who;
}

static struct tl_tally *tally_of(struct tl_session *s, pid_t pid)
{
	if (env.by == BY_NOTHING)
		return env.all.tally;
	if (!env.last || env.last_pid != pid) {
		env.last = group_of(s, pid);
		env.last_pid = pid;
	}
	return env.last->tally;
}

/* Of a source: what identifies it is its event. */
static void on_event(struct tl_session *s, const struct tl_record *r)
{
	tl_tally_add(tally_of(s, r->pid), (uintptr_t)r->event, 1);
}

static void on_function(struct tl_session *s, const struct tl_record *r)
{
	tl_tally_add(tally_of(s, r->pid), (uint64_t)tl_field_long(r, &env.ip),
		     1);
}

static void on_task(struct tl_session *s, pid_t pid)
{
	(void)s;
	(void)pid;
	env.last = NULL;
}

static void on_lost(struct tl_session *s, unsigned int cpu)
{
	(void)s;
	(void)cpu;
	env.last = NULL;
	env.lost = true;
}

/* ---- rows -------------------------------------------------------------- */

static const char *source_name(uint64_t key)
{
	size_t i;

	for (i = 0; i < env.source_count; i++)
		if ((uintptr_t)env.sources[i].event == key)
			return env.sources[i].name;
	return NULL;
}

static void name_row(struct tl_session *s, struct row *row, uint64_t key)
{
	uint64_t offset;

	row->name = source_name(key);
	if (row->name)
		return;
	row->name = tl_symbol(s, key, &offset);
	row->module = tl_symbol_module(s, key);
	snprintf(row->address, sizeof(row->address), "0x%" PRIx64, key);
}

/* Rows to add, and whose. */
struct adding {
	struct tl_session *s;
	const struct who *who;
};

static void add_row(void *ctx, uint64_t key, uint64_t count)
{
	const struct adding *adding = ctx;
	struct row *more;
	size_t room;

	if (env.row_count == env.row_room) {
		room = env.row_room * 2 + 64;
		more = realloc(env.rows, room * sizeof(*more));
		if (!more) {
			env.failed = true;
			return;
		}
		env.rows = more;
		env.row_room = room;
	}
	more = &env.rows[env.row_count++];
	*more = (struct row){ .who = adding->who, .count = count };
	name_row(adding->s, more, key);
	if (more->name)
		tl_instead_seen(adding->s, more->name);
}

static void add_rows(void *ctx, struct tl_str key, void *data)
{
	const struct who *who = data;
	struct adding adding = { ctx, who };

	(void)key;
	if (!who->tally || tl_tally_refused(who->tally))
		env.failed = true;
	if (who->tally)
		tl_tally_each(who->tally, add_row, &adding);
}

static const char *name_of(const struct row *row)
{
	return row->name ?: row->address;
}

static int by_name(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return strcmp(name_of(x), name_of(y))
		       ?: strcmp(x->module ?: "", y->module ?: "");
}

static int by_count(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? -1 : 1;
	if (x->who->pid != y->who->pid)
		return x->who->pid < y->who->pid ? -1 : 1;
	return strcmp(x->who->comm, y->who->comm) ?: by_name(a, b);
}

static void print_row(struct tl_session *s, const struct row *row, uint64_t ns)
{
	const char *module = row->module ?: "";
	char full[512];

	/* the same name may be in several, and in the kernel itself */
	snprintf(full, sizeof(full), "%s%s%s", module, *module ? ":" : "",
		 name_of(row));
	tl_put_int(s, TIME, (int64_t)ns);
	if (row->who->pid)
		tl_put_int(s, PID, row->who->pid);
	tl_put_text(s, COMM, row->who->comm);
	tl_put_text(s, FUNC, full);
	tl_put_text(s, FUNCTION, name_of(row));
	if (row->module)
		tl_put_text(s, MODULE, row->module);
	tl_put_int(s, COUNT, (int64_t)row->count);
	tl_row(s);
}

/* As date(1) writes it. */
static void print_date(struct tl_session *s)
{
	time_t now = time(NULL);
	struct tm tm;
	char text[64];

	if (localtime_r(&now, &tm) &&
	    strftime(text, sizeof(text), "%a %b %e %H:%M:%S %Z %Y", &tm))
		tl_print(s, "%s", text);
}

static void print_rows(struct tl_session *s, uint64_t ns)
{
	size_t i = 0;

	if (env.row_count)
		qsort(env.rows, env.row_count, sizeof(*env.rows), by_count);
	if (env.top && env.row_count > env.top)
		i = env.row_count - env.top;
	tl_print(s, "%s", "");
	if (env.date)
		print_date(s);
	tl_header(s);
	for (; i < env.row_count; i++)
		print_row(s, &env.rows[i], ns);
	env.row_count = 0;
}

static void begin_again(void)
{
	tl_tally_clear(env.all.tally);
	env.last = NULL;
	if (env.by == BY_NOTHING)
		return;
	tl_table_free(env.groups);
	env.groups = new_groups();
	if (env.groups)
		return;
	env.failed = true;
	env.by = BY_NOTHING;
}

static int read_triggers(struct tl_session *s);

static void on_interval(struct tl_session *s, uint64_t ns)
{
	static const struct tl_str key;

	env.unread |= read_triggers(s) != 0;
	add_rows(s, key, &env.all);
	if (env.groups)
		tl_table_each(env.groups, add_rows, s);
	print_rows(s, ns);
	begin_again();
}

/* The first pattern that has a module; NULL: none. */
static const char *with_module(void)
{
	int i;

	for (i = 0; i < env.count; i++)
		if (strchr(env.patterns[i], ':'))
			return env.patterns[i];
	return NULL;
}

/* Whether --in-kernel could do the same. */
static bool is_simple(struct tl_session *s)
{
	return !env.program && !env.events && env.by == BY_NOTHING &&
	       !tl_tasks_filtered(s) && !with_module() &&
	       tl_feature(s, TL_FEATURE_FPROBE);
}

/* How much it was is told by the library. */
static void say_lost(struct tl_session *s)
{
	tl_warn("counts are too low by what was lost%s",
		is_simple(s) ? " (--in-kernel counts what no buffer holds)"
			     : "");
}

static int on_end(struct tl_session *s)
{
	size_t i;

	tl_print(s, "%s", "");
	tl_print(s, "Ending tracing...");
	if (env.lost)
		say_lost(s);
	if (env.failed)
		tl_warn("counts are not complete: out of memory");
	tl_instead_report(s);
	for (i = 0; i < env.source_count; i++)
		free(env.sources[i].name);
	free(env.sources);
	free(env.triggers);
	free(env.rows);
	tl_table_free(env.groups);
	tl_tally_free(env.all.tally);
	tl_tally_free(env.seen);
	tl_object_close(env.object);
	tl_functions_free(&env.functions);
	tl_functions_free(&env.except);
	return env.failed ? -ENOMEM : env.unread ? -EIO : 0;
}

/* ---- functions of the kernel -------------------------------------------- */

static int excluded_all(void)
{
	return tl_fail(ENOENT, "-x %s excludes all of them", env.exclude);
}

/* How many there are; -errno, after a message, when there is none. */
static int count_matching(struct tl_session *s)
{
	int count = tl_functions_count(s, &env.except);

	return count ?: excluded_all();
}

static int count_functions(struct tl_session *s)
{
	struct tl_event *ev;
	int ret =
		tl_tracer_check(s, "function")
			?: tl_functions_filter(s, &env.functions, &env.except);
	int count = ret ?: count_matching(s);

	if (count < 0)
		return count;
	/* what reads the records of many functions makes many itself */
	if (count >= MANY)
		ret = tl_tracer_leave_out_self(s);
	/* between intervals that takes so long that a buffer can overflow */
	if (!ret && env.interval)
		ret = tl_symbols_load(s);
	if (ret)
		return ret;
	ev = tl_event_add(s, "ftrace", "function", on_function);
	if (!ev)
		return tl_fail(errno, "format of ftrace:function: %s",
			       strerror(errno));
	if (env.by == BY_NOTHING)
		ret = tl_event_tally(s, ev, "ip", env.all.tally);
	else
		ret = tl_event_long_field(s, ev, "ip", &env.ip);
	return ret ?: tl_tracer_set(s, "function");
}

/*
 * ---- the same, counted in the kernel --------------------------------------
 */

/* A probe knows no exclusions. */
static bool is_excepted(struct tl_session *s, uint64_t addr)
{
	uint64_t offset;
	const char *name;

	if (!env.except.count)
		return false;
	name = tl_symbol(s, addr, &offset);
	return name &&
	       tl_functions_match(&env.except, name, tl_symbol_module(s, addr));
}

static void on_count(void *ctx, uint64_t addr, uint64_t hits)
{
	if (!is_excepted(ctx, addr))
		tl_tally_add(env.all.tally, addr, hits);
}

/* A function that several patterns mean has the same number in each table. */
static int read_triggers(struct tl_session *s)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; env.triggers && i < env.functions.count && !ret; i++)
		ret = tl_trigger_since(env.triggers[i], env.seen, on_count, s);
	return ret;
}

static int add_trigger(struct tl_session *s, unsigned int i, unsigned int size)
{
	static const char advice[] = "which is a fault of this tool";
	const char *place = env.functions.list[i];
	struct tl_event *ev;

	ev = tl_probe_add(s, "f", "calls", place, "", NULL);
	if (!ev)
		return errno == ENOENT
			       ? tl_fail(ENOENT, "%s cannot be probed", place)
			       : -errno;
	env.triggers[i] =
		tl_trigger_hist(s, ev, "keys=__probe_ip", size, "", advice);
	return env.triggers[i] ? 0 : -errno;
}

static int check_in_kernel(struct tl_session *s)
{
	if (tl_feature(s, TL_FEATURE_FPROBE))
		return tl_trigger_check(s);
	return tl_fail(ENOTSUP, "this kernel has no probes of many functions "
				"(6.5 on, CONFIG_FPROBE_EVENTS): count without "
				"--in-kernel");
}

static int count_in_kernel(struct tl_session *s)
{
	unsigned int size = 2048, i;
	int ret = check_in_kernel(s), count;

	/* no tracer uses it: it says what there is */
	if (!ret)
		ret = tl_functions_filter(s, &env.functions, &env.except);
	count = ret ?: count_matching(s);
	if (count < 0)
		return count;
	/* with those that it cannot leave out */
	count = tl_functions_count(s, NULL);
	while (size < 2 * (unsigned int)count && size < MAX_ENTRIES)
		size *= 2;
	env.triggers = calloc(env.functions.count, sizeof(*env.triggers));
	env.seen = tl_tally_new();
	if (!env.triggers || !env.seen)
		return -ENOMEM;
	ret = tl_symbols_open(s);
	for (i = 0; i < env.functions.count && !ret; i++)
		ret = add_trigger(s, i, size);
	return ret;
}

/*
 * ---- tracepoints and functions of programs --------------------------------
 */

static struct source *add_source(const char *name)
{
	struct source *more;

	more = reallocarray(env.sources, env.source_count + 1, sizeof(*more));
	if (!more)
		return NULL;
	env.sources = more;
	more += env.source_count;
	*more = (struct source){ .name = strdup(name) };
	if (!more->name)
		return NULL;
	env.source_count++;
	return more;
}

/* What is looked for, and how much there was, with what is excluded. */
struct search {
	struct tl_session *s;
	const char *pattern;
	unsigned int matched;
};

static int take_event(void *ctx, const char *system, const char *name)
{
	struct search *search = ctx;
	struct source *source;
	struct tl_event *ev;
	char full[512];
	size_t i;

	snprintf(full, sizeof(full), "%s:%s", system, name);
	if (!tl_event_matches(search->pattern, system, name))
		return 0;
	search->matched++;
	if (env.exclude && (tl_event_matches(env.exclude, system, name) ||
			    !fnmatch(env.exclude, full, 0)))
		return 0;
	ev = tl_event_add(search->s, system, name, on_event);
	if (!ev)
		return tl_fail(errno, "format of %s: %s", full,
			       strerror(errno));
	for (i = 0; i < env.source_count; i++)
		if (env.sources[i].event == ev)
			return 0;
	source = add_source(full);
	if (!source)
		return -ENOMEM;
	source->event = ev;
	return 0;
}

static int count_events(struct tl_session *s)
{
	struct search search = { .s = s };
	int i, ret = 0;

	for (i = 0; i < env.count && !ret; i++) {
		search.pattern = env.patterns[i];
		search.matched = 0;
		ret = tl_event_list(s, take_event, &search);
		if (!ret && !search.matched)
			ret = tl_fail(ENOENT,
				      "tracepoint %s not found (try tpoint -l)",
				      env.patterns[i]);
	}
	return ret ?: env.source_count ? 0 : excluded_all();
}

/* Of several names for one function it is the one with fewest underscores. */
static int take_function(const char *name, uint64_t offset)
{
	struct source *source = NULL;
	size_t i;

	for (i = 0; i < env.source_count && !source; i++)
		if (env.sources[i].offset == offset)
			source = &env.sources[i];
	if (!source) {
		source = add_source(name);
		if (!source)
			return -ENOMEM;
		source->offset = offset;
	} else if (strspn(name, "_") < strspn(source->name, "_")) {
		free(source->name);
		source->name = strdup(name);
	}
	return source->name ? 0 : -ENOMEM;
}

/* As the file has it, or as C++ writes it; a pattern of NULL matches none. */
static bool matches(const char *pattern, const char *name)
{
	char *nice = pattern ? tl_demangle(name) : NULL;
	bool is = pattern && (!fnmatch(pattern, name, 0) ||
			      (nice && !fnmatch(pattern, nice, 0)));

	free(nice);
	return is;
}

static int take_match(void *ctx, const char *name, uint64_t offset)
{
	struct search *search = ctx;

	if (!matches(search->pattern, name))
		return 0;
	search->matched++;
	if (matches(env.exclude, name))
		return 0;
	/* to count them is enough then */
	if (env.source_count > USER_MAX && !env.force) {
		env.beyond++;
		return 0;
	}
	return take_function(name, offset);
}

static int find_indirect(void *ctx, const char *name, uint64_t offset)
{
	struct search *search = ctx;

	(void)offset;
	if (!matches(search->pattern, name) || matches(env.exclude, name))
		return 0;
	if (!search->matched++)
		tl_warn("%s is an indirect function: its code, which programs "
			"choose when they start, has another name",
			name);
	return 0;
}

/* Not when too many match: then it is not what they would be told. */
static int note_indirect(const char *pattern)
{
	struct search search = { .pattern = pattern };
	int ret = env.beyond ? 0
			     : tl_object_indirect(env.object, find_indirect,
						  &search);

	if (search.matched > 1)
		tl_warn("so are %u more that match", search.matched - 1);
	return ret;
}

static int take_pattern(struct tl_session *s, const char *pattern)
{
	struct search search = { .s = s, .pattern = pattern };
	uint64_t offset;
	int ret;

	if (!strpbrk(pattern, "*?[")) {
		ret = tl_object_symbol(env.object, pattern, &offset);
		return ret || matches(env.exclude, pattern)
			       ? ret
			       : take_function(pattern, offset);
	}
	ret = tl_object_functions(env.object, take_match, &search);
	if (!ret)
		ret = note_indirect(pattern);
	if (!ret && !search.matched)
		return tl_fail(ENOENT, "no function of %s matches %s",
			       tl_object_path(env.object), pattern);
	return ret;
}

static int check_user_count(void)
{
	if (!env.source_count)
		return excluded_all();
	if (env.source_count <= USER_MAX || env.force)
		return 0;
	return tl_fail(E2BIG,
		       "%zu functions of %s match: probes in more than %d take "
		       "long to begin and to end (-F)",
		       env.source_count + env.beyond,
		       tl_object_path(env.object), USER_MAX);
}

static int add_probe(struct tl_session *s, struct source *source)
{
	char *nice = tl_demangle(source->name);

	source->event = tl_uprobe_add(s, "p", source->name, env.object,
				      source->offset, 0, "", on_event);
	if (nice) {
		free(source->name);
		source->name = nice;
	}
	return source->event ? 0 : -errno;
}

/* What a capture has: the file is that of another machine. */
static int count_again(struct tl_session *s, struct tl_event *ev,
		       const char *name)
{
	char *nice = tl_demangle(name);
	struct source *source = add_source(nice ?: name);

	(void)s;
	free(nice);
	if (!source)
		return -ENOMEM;
	source->event = ev;
	return 0;
}

static int count_user(struct tl_session *s)
{
	const struct tl_kprobe_config again = { .handler = on_event,
						.added = count_again };
	const struct tl_settings *set = tl_settings(s);
	int ret, i;
	char *path;
	size_t n;

	if (set->read)
		return tl_uprobe_again(s, &again);
	ret = tl_uprobe_check(s);
	if (ret)
		return ret;
	path = tl_locate_asked(s, env.program);
	env.object = path ? tl_object_open(path) : NULL;
	ret = env.object ? 0 : -errno;
	free(path);
	for (i = 0; i < env.count && !ret; i++)
		ret = take_pattern(s, env.patterns[i]);
	if (!ret)
		ret = check_user_count();
	for (n = 0; n < env.source_count && !ret; n++)
		ret = add_probe(s, &env.sources[n]);
	return ret;
}

/* ---- set-up ------------------------------------------------------------ */

static void print_banner(struct tl_session *s)
{
	uint64_t duration = tl_settings(s)->duration;
	char who[256], length[40] = "", top[40] = "", *what = strdup("");
	char *longer;
	int i;

	tl_banner_who(s, who, sizeof(who));
	for (i = 0; i < env.count && what; i++) {
		if (asprintf(&longer, "%s%s%s", what, i ? " " : "",
			     env.patterns[i]) < 0)
			longer = NULL;
		free(what);
		what = longer;
	}
	if (duration)
		snprintf(length, sizeof(length), " for %.10g seconds",
			 (double)duration / 1e9);
	if (env.top)
		snprintf(top, sizeof(top), ". Top %u only", env.top);
	tl_print(s, "Tracing \"%s\"%s%s%s...%s", what ?: "", who, length, top,
		 duration ? "" : " Ctrl-C to end.");
	free(what);
}

static int setup(struct tl_session *s)
{
	int i, ret;

	env.all.tally = tl_tally_new();
	if (env.by != BY_NOTHING) {
		env.groups = new_groups();
		snprintf(env.all.comm, sizeof(env.all.comm), "[others]");
		tl_column_show(s, COMM, TL_SHOW_ALL);
	}
	if (env.by == BY_PID)
		tl_column_show(s, PID, TL_SHOW_ALL);
	if (!env.all.tally || (env.by != BY_NOTHING && !env.groups))
		return -ENOMEM;
	ret = env.program     ? count_user(s)
	      : env.events    ? count_events(s)
	      : env.in_kernel ? count_in_kernel(s)
			      : count_functions(s);
	if (ret)
		return ret;
	print_banner(s);
	for (i = 0; i < env.count && env.events; i++)
		tl_instead_expect(s, env.patterns[i]);
	tl_instead_expect_all(s, &env.functions);
	/* at the end, if not before */
	tl_interval(s, env.interval ?: INT64_MAX, 0, on_interval);
	return 0;
}

static int check(struct tl_session *s)
{
	if (env.program)
		return tl_uprobe_check(s);
	if (env.events)
		return 0;
	return tl_tracer_check(s, "function") ?:
	       tl_limit(s, "--in-kernel", env.in_kernel, check_in_kernel) ?:
	       tl_limit(s, "--user", false, tl_uprobe_check);
}

static int take_functions(void)
{
	int i, ret = 0;

	for (i = 0; i < env.count && !ret; i++)
		ret = tl_functions_add(&env.functions, "function",
				       env.patterns[i]);
	if (!ret && env.exclude)
		ret = tl_functions_add(&env.except, "-x", env.exclude);
	if (!ret && env.in_kernel && with_module())
		ret = tl_usage("--in-kernel knows no modules: \"%s\"",
			       with_module());
	return ret;
}

static int args(struct tl_session *s, int argc, char **argv)
{
	const struct tl_settings *set = tl_settings(s);

	env.patterns = argv;
	env.count = argc;
	if (!argc)
		return tl_usage("which %s?",
				env.events ? "tracepoint" : "function");
	if (!env.events && tl_args_recorded(argc, argv, NULL))
		return -EINVAL;
	if (env.force && !env.program)
		return tl_usage("-F is for -u");
	if (env.in_kernel && (env.by != BY_NOTHING || set->pid.count ||
			      set->tid.count || set->cgroup || set->name.text))
		return tl_usage("--in-kernel counts for all processes "
				"together: without -p, -L, -n, --cgroup and "
				"--by");
	return env.program || env.events ? 0 : take_functions();
}

static const struct tl_tool funccount = {
	.name = "funccount",
	.summary = "count calls of functions, of the kernel or of a program",
	.synopsis = "function...",
	.examples = {
		{ "funccount 'vfs_*'",
		  "functions of the virtual file system, until Ctrl-C" },
		{ "funccount -e -d 5 'syscalls:sys_enter_*'",
		  "events instead" },
		{ "funccount -i 1 -t 10 --by=name 'vfs_*'",
		  "every second the ten that are called most, and who calls" },
	},
	.options = options,
	.columns = columns,
	.buffer_kb = BUFFER_KB,
	.quiet = true,
	.args = args,
	.check = check,
	.setup = setup,
	.lost = on_lost,
	.task = on_task,
	.end = on_end,
};

TL_MAIN(funccount)
