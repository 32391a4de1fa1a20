// SPDX-License-Identifier: GPL-2.0-or-later
/* graph.c - calls with all that they call, by the kernel's graph tracer */
#include "call/graph.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/part.h"
#include "base/recording.h"
#include "call/ftrace.h"
#include "call/graphtracer.h"
#include "kernel/btf.h"
#include "kernel/functions.h"
#include "record/event.h"
#include "run/run.h"
#include "tracefs/file.h"
#include "tracefs/instance.h"
#include "tracelet/machine.h"
#include "tracelet/message.h"
#include "tracelet/symbol.h"
#include "tracelet/task.h"
#include "tracelet/tool.h"
#include "tracelet/tracefs.h"
#include "tracelet/tracer.h"

#define ROOTS         "set_graph_function"
#define MAX_FUNCTIONS 1000
#define MAX_CALLS     (1 << 18)
#define MAX_ALL_CALLS (1 << 20)
/* to tell of more than these: each takes as long as a glob */
#define MANY_NAMES 100
/* a thread has its last records behind the event of its end */
#define LAST_RECORDS_NS 100000000

/* common_flags, the same on all kernels: in a hard, soft, or nonmaskable one */
#define IN_INTERRUPT (0x08 | 0x10 | 0x40)

/* ---- records ---------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
	const struct tl_graph_function *x = a, *y = b;

	return strcmp(x->name, y->name) ?: strcmp(x->module, y->module);
}

static bool is_root(struct tl_session *s, uint64_t function)
{
	const struct tl_graph_names *n = &tl_graphs(s)->roots;
	const char *name = tl_graph_function(s, function);
	const struct tl_graph_function f = {
		(char *)name, (char *)tl_symbol_module(s, function)
	};

	return name && bsearch(&f, n->list, n->count, sizeof(f), by_name);
}

/*
 * Behind a loss the first record of a thread can be that of any call, and while
 * one is passed any other record of it can be missing.
 */
static bool is_wanted(void *ctx, const struct tl_calltree_record *r)
{
	struct tl_session *s = ctx;

	return !tl_run_in_gap(s) && tl_cpu_matches(s, r->cpu) &&
	       is_root(s, r->function) &&
	       tl_task_matches(s, r->task > 0 ? (pid_t)r->task : 0);
}

/* What runs between an interrupt and the kernel's own count of it. */
static bool is_entry(struct tl_session *s, uint64_t function)
{
	const char *name = tl_graph_function(s, function);

	return name &&
	       (!strcmp(name, "irq_enter_rcu") || !strcmp(name, "irq_enter"));
}

static void finish_first(struct tl_graphs *g)
{
	pid_t pid = g->ended[g->first_ended].pid;

	g->first_ended = (g->first_ended + 1) % TL_GRAPH_ENDED;
	g->ended_count--;
	if (pid)
		tl_calltree_finish(g->calls, pid);
}

static void finish_ended(struct tl_graphs *g, uint64_t ns)
{
	while (g->ended_count &&
	       g->ended[g->first_ended].ns + LAST_RECORDS_NS < ns)
		finish_first(g);
}

static void on_pass(struct tl_session *s, void *part, uint64_t ns)
{
	struct tl_graphs *g = part;

	if (g->calls)
		finish_ended(g, ns);
}

/* Calls that have begun are void. */
static void on_lost(struct tl_session *s, void *part, unsigned int cpu)
{
	struct tl_graphs *g = part;

	if (!g->calls)
		return;
	tl_calltree_void(g->calls);
	g->ended_count = 0;
}

static void forget_end(struct tl_graphs *g, pid_t tid)
{
	unsigned int i, at;

	for (i = 0; i < g->ended_count; i++) {
		at = (g->first_ended + i) % TL_GRAPH_ENDED;
		if (g->ended[at].pid == tid)
			g->ended[at].pid = 0;
	}
}

static void on_task(struct tl_session *s, void *part, pid_t tid,
		    enum tl_task_change change, uint64_t ns)
{
	struct tl_graphs *g = part;
	unsigned int at;

	if (!g->calls || (change != TL_TASK_NEW && change != TL_TASK_ENDED))
		return;
	forget_end(g, tid);
	if (change == TL_TASK_NEW) {
		tl_calltree_finish(g->calls, tid);
		return;
	}
	if (g->ended_count == TL_GRAPH_ENDED)
		finish_first(g);
	at = (g->first_ended + g->ended_count++) % TL_GRAPH_ENDED;
	g->ended[at].pid = tid;
	g->ended[at].ns = ns;
}

static uint64_t report(struct tl_session *s, void *part)
{
	const struct tl_graphs *g = part;
	uint64_t count = g->calls ? tl_calltree_forgotten(g->calls) : 0;

	if (count)
		tl_warn("%llu calls were not followed: too many at once",
			(unsigned long long)count);
	if (g->missing)
		tl_warn("%llu calls are missing in graphs: there was no room "
			"for them (-m, --only and --exclude make graphs "
			"smaller)",
			(unsigned long long)g->missing);
	return count + g->missing;
}

static void fill(struct tl_calltree_record *c, const struct tl_record *r)
{
	c->ns = r->ns;
	c->cpu = (uint16_t)r->cpu;
	c->task = r->pid ?: -(int64_t)r->cpu - 1;
}

static void on_entry(struct tl_session *s, const struct tl_record *r)
{
	struct tl_graphs *g = tl_graphs(s);
	struct tl_calltree_record c = { 0 };

	finish_ended(g, r->ns);
	fill(&c, r);
	c.function = (uint64_t)tl_field_long(r, &g->function);
	c.irq = tl_field_num(r, &g->flags) & IN_INTERRUPT ||
		(g->config->no_irqs && is_entry(s, c.function));
	if (g->config->args && r->size > g->args.offset) {
		c.args = r->data + g->args.offset;
		c.arg_count = (r->size - g->args.offset) / sizeof(uint64_t);
	}
	tl_calltree_begin(g->calls, &c);
}

static void on_exit_(struct tl_session *s, const struct tl_record *r)
{
	struct tl_graphs *g = tl_graphs(s);
	struct tl_calltree_record c = { 0 };

	finish_ended(g, r->ns);
	fill(&c, r);
	c.function = (uint64_t)tl_field_long(r, &g->end_function);
	/* of another clock than ns is */
	c.duration = (uint64_t)(tl_field_num(r, &g->rettime) -
				tl_field_num(r, &g->calltime));
	c.has_ret = g->config->ret;
	if (c.has_ret)
		c.ret = (uint64_t)tl_field_num(r, &g->retval);
	tl_calltree_end(g->calls, &c);
}

static void on_switch(struct tl_session *s, const struct tl_record *r)
{
	struct tl_graphs *g = tl_graphs(s);

	tl_calltree_off(g->calls, tl_field_num(r, &g->prev_pid), r->ns);
	tl_calltree_on(g->calls, tl_field_num(r, &g->next_pid), r->ns);
}

static void on_done(void *ctx, int64_t task, const struct tl_graph *graph)
{
	struct tl_session *s = ctx;

	tl_graphs(s)->missing += graph->missing;
	tl_graphs(s)->config->done(s, graph);
	tl_graph_rows_done(tl_graphs(s));
}

void tl_graph_end(struct tl_session *s)
{
	if (tl_graphs(s) && tl_graphs(s)->calls)
		tl_calltree_finish_all(tl_graphs(s)->calls);
}

/* ---- which functions -------------------------------------------------- */

static void free_names(struct tl_graph_names *n)
{
	size_t i;

	for (i = 0; i < n->count; i++) {
		free(n->list[i].name);
		free(n->list[i].module);
	}
	free(n->list);
	*n = (struct tl_graph_names){ 0 };
}

static int add_name(void *ctx, const char *name, const char *module)
{
	struct tl_graph_names *n = ctx;
	struct tl_graph_function *f, *more;

	if (n->count == n->size) {
		n->size = n->size * 2 ?: 64;
		more = reallocarray(n->list, n->size, sizeof(*more));
		if (!more)
			return -ENOMEM;
		n->list = more;
	}
	f = &n->list[n->count++];
	f->name = strdup(name);
	f->module = strdup(module);
	return f->name && f->module ? 0 : -ENOMEM;
}

static void sort(struct tl_graph_names *n)
{
	if (n->count)
		qsort(n->list, n->count, sizeof(*n->list), by_name);
}

/* Our own instance tells what the kernel makes of the words. */
static int find_names(struct tl_session *s, const struct tl_functions *words,
		      struct tl_graph_names *names)
{
	int ret = tl_functions_filter(s, words, NULL)
			  ?: tl_functions_each(s, NULL, add_name, names);

	sort(names);
	return ret;
}

/* Takes @word. */
static int add_word(struct tl_functions *to, char *word)
{
	char **more =
		word ? reallocarray(to->list, to->count + 1, sizeof(*more))
		     : NULL;

	if (!more) {
		free(word);
		return -ENOMEM;
	}
	to->list = more;
	more[to->count++] = word;
	return 0;
}

/*
 * Whether @glob, which may become another, stands for no more than @count
 * functions.
 */
static bool is_enough(struct tl_session *s, char **glob, size_t count)
{
	const struct tl_functions f = { 1, glob };
	struct tl_graph_names all = { 0 };
	bool same = !find_names(s, &f, &all) && all.count == count;

	free_names(&all);
	return same;
}

static int add_names(struct tl_functions *to, const struct tl_graph_names *n)
{
	int ret = 0;
	size_t i;

	if (n->count > MANY_NAMES)
		tl_warn("%zu functions are given to the kernel one by one: "
			"that takes a while",
			n->count);
	for (i = 0; i < n->count && !ret; i++)
		if (!i || strcmp(n->list[i].name, n->list[i - 1].name))
			ret = add_word(to, strdup(n->list[i].name));
	return ret;
}

/*
 * The graph tracer's files know no modules: a glob will do where that matches
 * no others, or where no others are hooked, else there are only the names.
 */
static int add_of_module(struct tl_session *s, struct tl_functions *to,
			 const char *word, size_t before,
			 const struct tl_graph_names *n)
{
	bool alone = to == &tl_graphs(s)->root_words &&
		     tl_graphs(s)->config->max_depth == 1;
	char *glob = before ? strndup(word, before) : strdup("*");
	int ret;

	if (!glob)
		return -ENOMEM;
	if (alone || (before && is_enough(s, &glob, n->count)))
		return add_word(to, glob);
	ret = add_names(to, n);
	free(glob);
	return ret;
}

/* The functions' names as the files of the graph tracer take them. */
static int graph_words(struct tl_session *s, const struct tl_functions *f,
		       struct tl_functions *to)
{
	struct tl_graph_names n = { 0 };
	struct tl_functions one = { 1, NULL };
	const char *module;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < f->count && !ret; i++) {
		module = strstr(f->list[i], ":mod:");
		if (!module) {
			ret = add_word(to, strdup(f->list[i]));
			continue;
		}
		one.list = &f->list[i];
		ret = find_names(s, &one, &n)
			      ?: add_of_module(s, to, f->list[i],
					       (size_t)(module - f->list[i]),
					       &n);
		free_names(&n);
	}
	return ret;
}

static int add_hooks(struct tl_graphs *g, const struct tl_functions *f)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < f->count && !ret; i++)
		ret = add_word(&g->hooks, strdup(f->list[i]));
	return ret;
}

/*
 * The list that is needed tells it as well, but knows no modules: to look for names
 * takes the kernel 110 million instructions for each list.
 */
static int list_roots(struct tl_session *s)
{
	struct tl_graphs *g = tl_graphs(s);
	const struct tl_functions *words = g->config->functions;
	int ret = 0;

	if (!tl_functions_of_modules(words))
		ret = tl_graph_tracer_list(s, ROOTS, words)
			      ?: tl_functions_read(s->instance->root, ROOTS,
						   NULL, add_name, &g->roots);
	/* captures of before have only what our own instance told */
	if (!ret && !g->roots.count)
		ret = find_names(s, words, &g->roots) ?:
		      graph_words(s, words, &g->root_words) ?:
		      tl_graph_tracer_list(s, ROOTS, &g->root_words);
	sort(&g->roots);
	return ret;
}

static int find_roots(struct tl_session *s)
{
	struct tl_graphs *g = tl_graphs(s);
	int ret = list_roots(s);

	if (ret)
		return ret;
	if (g->roots.count > MAX_FUNCTIONS && !g->config->force)
		return tl_fail(E2BIG,
			       "%zu functions match, which is more than %d "
			       "(-F traces them all the same)",
			       g->roots.count, MAX_FUNCTIONS);
	return add_hooks(g, g->config->functions);
}

static int find_others(struct tl_session *s)
{
	struct tl_graphs *g = tl_graphs(s);
	const struct tl_functions *exclude = g->config->exclude;
	const struct tl_functions *only = g->config->only;
	int ret = 0;

	/* checked by tl_functions_filter(): there is no other use of it */
	if (exclude && exclude->count)
		ret = tl_functions_filter(s, exclude, NULL)
			      ?: graph_words(s, exclude, &g->exclude_words);
	if (!ret && only && only->count)
		ret = tl_functions_filter(s, only, NULL);
	if (!ret && only && g->config->max_depth != 1)
		ret = add_hooks(g, only);
	return ret;
}

size_t tl_graph_functions(const struct tl_session *s)
{
	return tl_graphs(s) ? tl_graphs(s)->roots.count : 0;
}

/* Whether only some functions are hooked. */
static bool is_filtered(const struct tl_session *s)
{
	const struct tl_graph_config *c = tl_graphs(s)->config;

	return c->max_depth == 1 || (c->only && c->only->count);
}

/* Of what is not traced, nothing is hooked either: that is what costs. */
static int filter(struct tl_session *s)
{
	if (is_filtered(s))
		return tl_functions_put(s, tl_instance_tracer_dir(s),
					"set_ftrace_filter",
					&tl_graphs(s)->hooks);
	return s->instance->top ? 0 : tl_write_file(s, "set_ftrace_filter", "");
}

/* ---- settings --------------------------------------------------------- */

static int set_graph(struct tl_session *s)
{
	const struct tl_graph_config *c = tl_graphs(s)->config;
	char depth[16];
	int ret = tl_graph_tracer_list(s, "set_graph_notrace",
				       &tl_graphs(s)->exclude_words);

	snprintf(depth, sizeof(depth), "%u", c->max_depth);
	if (!ret && c->max_depth)
		ret = tl_graph_tracer_set(s, "max_graph_depth", depth, "0");
	return ret;
}

/*
 * Up to Linux 6.15 this tracer counts itself in an atomic_t of each processor, and
 * records nothing of what it calls.  What replaced it is of another type, since
 * it is heeded no longer.
 */
static bool records_itself(void)
{
	struct tl_btf_member disabled, counter;
	struct tl_btf_type cpu;

	return tl_btf_find("struct trace_array_cpu", &cpu) ||
	       tl_btf_find_member(cpu, "disabled", &disabled) ||
	       tl_btf_find_member(disabled.type, "counter", &counter);
}

/* What runs at the top level only is older. */
static int leave_out_clock(struct tl_session *s)
{
	if (s->instance->top || tl_recording_replays(s->recording) ||
	    !tl_tracer_reads_clock() || !records_itself())
		return 0;
	return tl_tracer_leave_out_clock(s, &tl_graphs(s)->hooks,
					 tl_graphs(s)->config->exclude,
					 !is_filtered(s));
}

static int set_options(struct tl_session *s)
{
	const struct tl_graph_config *c = tl_graphs(s)->config;

	return (c->args ? tl_graph_tracer_option(s, "options/funcgraph-args")
			: 0)
		       ?: (c->ret ? tl_graph_tracer_option(
					    s, "options/funcgraph-retval")
				  : 0);
}

/* ---- records' formats ------------------------------------------------- */

static int no_args(void)
{
	return tl_fail(ENOTSUP, "this kernel's graph tracer records no "
				"arguments: kprobe(8) and functrace(8) --args "
				"can show those of a function");
}

static int no_ret(void)
{
	return tl_fail(ENOTSUP, "this kernel's graph tracer records no return "
				"values: kprobe(8) and funcslower(8) --ret can "
				"show those of a function");
}

static int check_options(struct tl_session *s, const struct tl_graph_config *c)
{
	if (c->args &&
	    !tl_fs_exists(s->instance->root, "options/funcgraph-args"))
		return no_args();
	if (c->ret &&
	    !tl_fs_exists(s->instance->root, "options/funcgraph-retval"))
		return no_ret();
	return 0;
}

static int check_args(struct tl_session *s)
{
	return check_options(s, &(struct tl_graph_config){ .args = true });
}

static int check_ret(struct tl_session *s)
{
	return check_options(s, &(struct tl_graph_config){ .ret = true });
}

static int find_args(struct tl_session *s, struct tl_event *entry,
		     struct tl_event *end)
{
	struct tl_graphs *g = tl_graphs(s);
	const struct tl_graph_config *c = g->config;
	int ret = check_options(s, c);

	if (ret)
		return ret;
	if (c->args && !tl_event_has(entry, "args"))
		return no_args();
	if (c->ret && !tl_event_has(end, "retval"))
		return no_ret();
	g->has_types = c->args && tl_btf_is_theirs(s);
	return (c->args ? tl_event_field(s, entry, "args", &g->args) : 0)
		       ?: (c->ret ? tl_event_field(s, end, "retval", &g->retval)
				  : 0);
}

static int add_events(struct tl_session *s)
{
	struct tl_graphs *g = tl_graphs(s);
	struct tl_event *entry, *end;

	entry = tl_event_add(s, "ftrace", "funcgraph_entry", on_entry);
	end = tl_event_add(s, "ftrace", "funcgraph_exit", on_exit_);
	if (!entry || !end)
		return tl_fail(errno == ENOENT ? ENOTSUP : errno,
			       "this kernel's graph tracer does not say what "
			       "its records are");
	return tl_event_long_field(s, entry, "func", &g->function) ?:
	       tl_event_field(s, entry, "common_flags", &g->flags) ?:
	       tl_event_long_field(s, end, "func", &g->end_function) ?:
	       tl_event_field(s, end, "calltime", &g->calltime) ?:
	       tl_event_field(s, end, "rettime", &g->rettime) ?:
	       find_args(s, entry, end);
}

static int add_switches(struct tl_session *s)
{
	struct tl_graphs *g = tl_graphs(s);
	struct tl_event *ev;

	if (!g->config->on_cpu)
		return 0;
	ev = tl_event_add(s, "sched", "sched_switch", on_switch);
	if (!ev)
		return tl_fail(errno == ENOENT ? ENOTSUP : errno,
			       "this kernel has no tracepoint "
			       "sched:sched_switch, which tells who sleeps");
	return tl_event_field(s, ev, "prev_pid", &g->prev_pid)
		       ?: tl_event_field(s, ev, "next_pid", &g->next_pid);
}

/* ---- opening ---------------------------------------------------------- */

static void free_graphs(void *part)
{
	struct tl_graphs *g = part;

	tl_graph_text_free(g);
	tl_calltree_free(g->calls);
	free_names(&g->roots);
	tl_functions_free(&g->hooks);
	tl_functions_free(&g->root_words);
	tl_functions_free(&g->exclude_words);
	free(g);
}

const struct tl_part_ops tl_graphs_ops = { .lost = on_lost,
					   .task = on_task,
					   .pass = on_pass,
					   .report = report,
					   .free = free_graphs };

static int make(struct tl_session *s, const struct tl_graph_config *config)
{
	struct tl_graphs *g = tl_part_new(s, &tl_graphs_ops, sizeof(*g));

	if (!g)
		return -ENOMEM;
	tl_run_no_wakeups(s);
	g->config = config;
	g->cpu_width = tl_cpu_width(s);
	g->calls_config = (struct tl_calltree_config){
		.ctx = s,
		.max = MAX_CALLS,
		.total = MAX_ALL_CALLS,
		.min = config->min,
		.no_irqs = config->no_irqs,
		.is_wanted = is_wanted,
		.done = on_done,
	};
	g->calls = tl_calltree_new(&g->calls_config);
	if (!g->calls)
		return -ENOMEM;
	return tl_symbols_open(s);
}

int tl_graph_open(struct tl_session *s, const struct tl_graph_config *config)
{
	return tl_graph_tracer_lock(s, false) ?:
	       make(s, config) ?:
	       find_roots(s) ?:
	       find_others(s) ?:
	       add_events(s) ?:
	       add_switches(s) ?:
	       tl_graph_tracer_take(s) ?:
	       set_options(s) ?:
	       filter(s) ?:
	       leave_out_clock(s) ?:
	       set_graph(s) ?:
	       tl_graph_tracer_start(s);
}

static int not_private(struct tl_session *s)
{
	return tl_tracer_private(s, TL_GRAPH_TRACER)
		       ? 0
		       : tl_fail(ENOTSUP,
				 "this kernel's graph tracer runs at the top "
				 "level of tracefs only (6.11 on: anywhere), "
				 "which nobody may use meanwhile");
}

/* What an instance can do only an instance tells. */
static int check_private(struct tl_session *s)
{
	int ret = tl_instance_open(s);

	if (!ret)
		ret = tl_limit(s, "other tracers", false, not_private);
	return tl_instance_close(s) ?: ret;
}

int tl_graph_check(struct tl_session *s, const struct tl_graph_config *config)
{
	return tl_tracer_check(s, TL_GRAPH_TRACER) ?:
	       tl_limit(s, "--args", config->args, check_args) ?:
	       tl_limit(s, "--ret", config->ret, check_ret) ?:
	       check_private(s);
}
