// SPDX-License-Identifier: GPL-2.0-or-later
/* funccount - count calls of functions, of the kernel or of a program */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracelet.h"
#include "tracelet/capture.h"
#include "tracelet/counter.h"
#include "tracelet/feature.h"
#include "tracelet/function.h"
#include "tracelet/functioncount.h"
#include "tracelet/instead.h"
#include "tracelet/named.h"
#include "tracelet/symbol.h"
#include "tracelet/table.h"
#include "tracelet/tallies.h"
#include "tracelet/tally.h"
#include "tracelet/task.h"
#include "tracelet/tracer.h"
#include "tracelet/uprobe.h"
#include "tracelet/who.h"

/*
 * Calls of a few functions are counted by probes without records; of more, they
 * are recorded and counted here, or in the kernel by a probe and a hist trigger,
 * which costs more, but has no buffer that can overflow: --in-kernel.  The figures
 * are in funccount(8).
 */
#define BUFFER_KB 8192
/* any user can make processes and names: what are more go into one row */
#define MAX_GROUPS 4096

/* Which row it is: no bytes lie between these. */
struct row_key {
	const struct tl_who *who;
	uint64_t function; /* address in the kernel, or that of its event */
};

struct row {
	uint64_t count;
	const char *symbol; /* NULL: its name is text */
	const char *module; /* NULL: it is none of the kernel's functions */
	char *text;
};

static struct {
	const char *program, *exclude; /* NULL: none */
	bool events, in_kernel, date, force;
	unsigned int top, by; /* enum tl_by */
	uint64_t interval;
	char **patterns;
	unsigned int count;
	struct tl_functions functions, except;

	struct tl_function_counts_config counts;
	struct tl_field ip;
	unsigned int events_found;

	struct tl_tallies *calls; /* by address of function, or event */
	struct tl_table *rows;    /* struct row, of an interval */
	bool failed, lost;
} env = { .by = TL_BY_NOTHING };

static const struct tl_opt options[] = {
	{ 'i', "interval", "SECS", "print counts every SECS seconds",
	  TL_OPT_INTERVAL, &env.interval },
	{ 't', "top", "N", "only the N most frequent", TL_OPT_UINT, &env.top,
	  NULL, 1, 0 },
	{ 'T', NULL, NULL, "print the date before counts", TL_OPT_FLAG,
	  &env.date },
	{ 'x', "exclude", "GLOB", "do not count functions that match",
	  TL_OPT_STRING | TL_OPT_RECORDED, &env.exclude },
	{ 'u', "user", "FILE", "functions of this program or library",
	  TL_OPT_STRING | TL_OPT_RECORDED, &env.program, "what" },
	{ 'e', "events", NULL, "tracepoints", TL_OPT_FLAG, &env.events,
	  "what" },
	{ 0, "by", "name|pid", "count separately for each name or process",
	  TL_OPT_WORD, &env.by },
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
	[COMM] = { "COMM", "comm", -16, TL_STR, TL_SHOW_NEVER,
		   .metric = TL_LABEL },
	[FUNC] = { "FUNC", "func", -30, TL_STR, TL_SHOW_TEXT },
	[FUNCTION] = { "FUNCTION", "function", -30, TL_STR, TL_SHOW_DATA,
		       .metric = TL_LABEL },
	[MODULE] = { "MODULE", "module", -16, TL_STR, TL_SHOW_DATA,
		     .metric = TL_LABEL },
	[COUNT] = { "COUNT", "count", 8, TL_UINT, TL_SHOW_ALL,
		    .metric = TL_COUNTER("calls",
					 "Calls of functions, or events") },
	{ 0 }
};

/* ---- counting --------------------------------------------------------- */

/* What identifies a tracepoint, or a function of a program, is its event. */
static void on_event(struct tl_session *s, const struct tl_record *r)
{
	tl_tally_add(tl_tallies_of(s, env.calls, r->pid), (uintptr_t)r->event,
		     1);
}

static void on_function(struct tl_session *s, const struct tl_record *r)
{
	tl_tally_add(tl_tallies_of(s, env.calls, r->pid),
		     (uint64_t)tl_field_long(r, &env.ip), 1);
}

static void on_lost(struct tl_session *s, unsigned int cpu)
{
	env.lost |= !tl_is_paused(s);
}

/* ---- rows ------------------------------------------------------------- */

static void free_row(void *value)
{
	free(((struct row *)value)->text);
}

static void name_row(struct tl_session *s, struct row *row, uint64_t key)
{
	union {
		uintptr_t key;
		const struct tl_event *event;
	} of = { (uintptr_t)key };
	const struct tl_counter *counter = tl_counter_of(s, key);
	uint64_t offset;

	if (counter) {
		row->symbol = counter->name;
		row->module = counter->module;
		return;
	}
	if (env.events || env.program) {
		row->text = tl_event_title(of.event);
		env.failed |= !row->text;
		return;
	}
	row->symbol = tl_symbol(s, key, &offset);
	row->module = tl_symbol_module(s, key);
	if (!row->symbol && asprintf(&row->text, "0x%" PRIx64, key) < 0) {
		row->text = NULL;
		env.failed = true;
	}
}

static const char *name_of(const struct row *row)
{
	return row->symbol ?: row->text ?: "";
}

static void add_row(void *ctx, const struct tl_who *who, uint64_t key,
		    uint64_t count)
{
	const struct row_key row_key = { who, key };
	struct row *row = tl_table_at(env.rows, TL_KEY(row_key));

	if (!row) {
		env.failed = true;
		return;
	}
	row->count = count;
	name_row(ctx, row, key);
	tl_instead_seen(ctx, name_of(row));
}

static const struct tl_who *who_of(const struct tl_table_entry *e)
{
	return ((const struct row_key *)e->key.text)->who;
}

static int by_count(const struct tl_table_entry *a,
		    const struct tl_table_entry *b)
{
	const struct row *x = a->value, *y = b->value;

	return tl_table_by_count(a, b)
		       ?: tl_who_compare(who_of(a), who_of(b))
		       ?: strcmp(name_of(x), name_of(y))
		       ?: strcmp(x->module ?: "", y->module ?: "");
}

static void print_row(struct tl_session *s, const struct tl_table_entry *e,
		      uint64_t ns)
{
	const struct row *row = e->value;
	const char *module = row->module ?: "";
	char full[512];

	/* the same name may be in several, and in the kernel itself */
	snprintf(full, sizeof(full), "%s%s%s", module, *module ? ":" : "",
		 name_of(row));
	tl_put_int(s, TIME, (int64_t)ns);
	tl_put_who(s, who_of(e), PID, COMM);
	tl_put_text(s, FUNC, full);
	tl_put_text(s, FUNCTION, name_of(row));
	tl_put_text(s, MODULE, row->module);
	tl_put_int(s, COUNT, (int64_t)row->count);
	tl_row(s);
}

static int read_counters(struct tl_session *s)
{
	return tl_counters_read(s, tl_tallies_of(s, env.calls, 0));
}

static int on_interval(struct tl_session *s, uint64_t ns)
{
	const struct tl_table_view view = { .order = by_count,
					    .top = env.top,
					    .most_last = true,
					    .put = print_row };
	int unread = tl_function_counts_read(s) ?: read_counters(s), ret;

	env.failed |= !tl_tallies_each(env.calls, add_row, s);
	tl_print(s, "%s", "");
	if (env.date)
		tl_print_date(s, ns);
	tl_header(s);
	ret = tl_table_show(s, env.rows, &view, ns);
	tl_tallies_clear(env.calls);
	return ret ?: unread;
}

/* The first pattern that has a module; NULL: none. */
static const char *with_module(void)
{
	unsigned int i;

	for (i = 0; i < env.count; i++)
		if (strchr(env.patterns[i], ':'))
			return env.patterns[i];
	return NULL;
}

/* Whether --in-kernel could do the same. */
static bool is_simple(struct tl_session *s)
{
	return !env.program && !env.events && env.by == TL_BY_NOTHING &&
	       !tl_tasks_filtered(s) && !with_module() &&
	       tl_feature(s, TL_FEATURE_FPROBE);
}

/* How much it was is told by the library. */
static void say_lost(struct tl_session *s)
{
	tl_warn("lost events are not in the counts%s",
		is_simple(s) ? " (--in-kernel loses none)" : "");
}

static int on_end(struct tl_session *s)
{
	tl_print(s, "%s", "");
	tl_print(s, "Ending tracing...");
	if (env.lost)
		say_lost(s);
	if (env.failed)
		tl_warn("counts are not complete: out of memory");
	tl_instead_report(s);
	tl_table_free(env.rows);
	tl_functions_free(&env.functions);
	tl_functions_free(&env.except);
	return env.failed ? -ENOMEM : 0;
}

/* ---- what is counted -------------------------------------------------- */

static int count_functions(struct tl_session *s)
{
	env.counts = (struct tl_function_counts_config){
		.functions = &env.functions,
		.except = &env.except,
		.in_kernel = env.in_kernel,
		.often = env.interval || tl_settings(s)->metrics,
		.tally = tl_tallies_of(s, env.calls, 0),

		.handler = env.by == TL_BY_NOTHING ? NULL : on_function,
		.ip = &env.ip,
	};
	return tl_function_counts_open(s, &env.counts);
}

static int add_event(void *ctx, const char *system, const char *name)
{
	if (!tl_event_add(ctx, system, name, on_event))
		return tl_fail(errno, "format of %s:%s: %s", system, name,
			       strerror(errno));
	env.events_found++;
	return 0;
}

static int count_events(struct tl_session *s)
{
	const struct tl_event_patterns asked = { .list = env.patterns,
						 .count = env.count,
						 .exclude = env.exclude };

	return tl_event_each(s, &asked, add_event, s) ?: (int)env.events_found;
}

static int count_user_functions(struct tl_session *s)
{
	const struct tl_user_functions asked = { .program = env.program,
						 .patterns = env.patterns,
						 .count = env.count,
						 .exclude = env.exclude,
						 .force = env.force,
						 .counters = env.by ==
							     TL_BY_NOTHING };

	return tl_uprobe_functions(s, &asked, on_event);
}

/* ---- set-up ----------------------------------------------------------- */

static void print_banner(struct tl_session *s)
{
	tl_banner_top(s, env.top, " \"%s\"%s",
		      tl_banner_words(s, env.patterns, env.count),
		      tl_banner_who(s));
}

static int make_tables(struct tl_session *s)
{
	env.rows = tl_table_new(sizeof(struct row), free_row);
	env.calls = tl_tallies_open(s, env.by, MAX_GROUPS);
	tl_show_who(s, env.by, PID, COMM);
	return env.rows && env.calls ? 0 : -ENOMEM;
}

static int setup(struct tl_session *s)
{
	unsigned int i;
	int count = make_tables(s);

	if (!count)
		count = env.program  ? count_user_functions(s)
			: env.events ? count_events(s)
				     : count_functions(s);
	if (!count)
		return tl_fail(ENOENT, "-x %s excludes all of them",
			       env.exclude ?: "");
	if (count < 0)
		return count;
	if (env.by == TL_BY_NOTHING)
		tl_tasks_ignore(s);
	print_banner(s);
	for (i = 0; i < env.count && env.events; i++)
		tl_instead_expect(s, env.patterns[i]);
	tl_instead_expect_all(s, &env.functions);
	tl_interval(s, env.interval, 0, on_interval);
	return 0;
}

static int check(struct tl_session *s)
{
	if (env.program)
		return tl_uprobe_check(s);
	if (env.events)
		return 0;
	return tl_tracer_check(s, "function") ?:
	       tl_limit(s, "--in-kernel", env.in_kernel,
			tl_function_counts_check) ?:
	       tl_limit(s, "--user", false, tl_uprobe_check);
}

static int take_functions(void)
{
	int ret =
		tl_functions_args(&env.functions, (int)env.count, env.patterns);

	ret = ret ?: tl_functions_add(&env.except, "-x", env.exclude);
	if (!ret && env.in_kernel && with_module())
		ret = tl_usage("--in-kernel knows no modules: \"%s\"",
			       with_module());
	return ret;
}

static int args(struct tl_session *s, int argc, char **argv)
{
	env.patterns = argv;
	env.count = argc;
	if (!argc)
		return tl_usage("which %s?",
				env.events ? "tracepoint" : "function");
	if (!env.events && tl_args_recorded(s, argc, argv, NULL))
		return -EINVAL;
	if (env.force && !env.program)
		return tl_usage("-F is for -u");
	if (env.in_kernel &&
	    (env.by != TL_BY_NOTHING || tl_settings_who(tl_settings(s))))
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
	.end = on_end,
};

TL_MAIN(funccount)
