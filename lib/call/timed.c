// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * timed.c - calls of kernel functions, from entry to return
 *
 * Where only slow calls are wanted, and nobody uses it, the kernel's graph tracer
 * measures them.  Else there are two probes for each function, or where a glob
 * stands for several, and the kernel can, one at the entry of all of them.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/list.h"
#include "base/message.h"
#include "base/part.h"
#include "base/recording.h"
#include "call/callstack.h"
#include "call/graphtracer.h"
#include "call/inside.h"
#include "call/slow.h"
#include "kernel/feature.h"
#include "kernel/functions.h"
#include "kernel/kallsyms.h"
#include "probe/args.h"
#include "probe/definition.h"
#include "probe/kprobe.h"
#include "probe/probe.h"
#include "record/event.h"
#include "run/run.h"
#include "tracelet/event.h"
#include "tracelet/feature.h"
#include "tracelet/function.h"
#include "tracelet/kprobe.h"
#include "tracelet/message.h"
#include "tracelet/output.h"
#include "tracelet/probe.h"
#include "tracelet/symbol.h"
#include "tracelet/text.h"
#include "tracelet/timed.h"
#include "tracelet/tracer.h"

/* More would take seconds to begin and to end. */
#define FUNCTIONS_MAX 100
/* The kernel needs up to 80 ms to remove the probe of one function's return. */
#define EACH_MAX 10
#define PLACES   1024
/* For each name or glob the tracer takes the kernel 60 to 110 million instructions. */
#define TRACER_MAX 4

/* A function by its name, which the records of all its events point to. */
struct function {
	char *name;
	bool given;   /* not found by a glob */
	bool returns; /* there is a probe at its return */
};

/* An event of one function. */
struct timed {
	struct tl_event_part part;
	const char *function;
};

static const struct tl_event_part_ops timed_ops = { .free = free };

struct tl_timed_calls {
	struct tl_part part;
	struct tl_session *s;
	const struct tl_timed_calls_config *config;
	struct tl_place *patterns;
	size_t *hits;          /* of each pattern, if it is a glob */
	struct function *list; /* sorted by name */
	size_t count, room;
	bool by_tracer;            /* there are no probes; and these: */
	struct tl_functions words; /* its patterns */
	struct tl_slow_config slow;
	bool one_for_all; /* functions of globs have no events of their own */
	bool overlap;     /* a function matches several globs */
	const struct function *adding;
	bool with_values; /* the probe that is being added fetches some */
	size_t without_args, left_out;
	struct tl_buf why; /* the first one was */
	int err;
	struct tl_field ip, func; /* of an event for several functions */
	struct {
		uint64_t addr;
		const char *function;
	} places[PLACES];
	struct tl_field prev, next;
	struct tl_callstacks *frames;
	struct tl_buf text;
};

static void free_timings(void *part)
{
	struct tl_timed_calls *c = part;
	size_t i;

	for (i = 0; i < c->count; i++)
		free(c->list[i].name);
	free(c->list);
	free(c->patterns);
	free(c->hits);
	tl_functions_free(&c->words);
	tl_callstacks_free(c->frames);
	tl_buf_free(&c->why);
	tl_buf_free(&c->text);
	free(c);
}

/* Of calls that go on it is not known any more whether they do. */
static void on_lost(struct tl_session *s, void *part, unsigned int cpu)
{
	struct tl_timed_calls *c = part;

	tl_callstacks_clear(c->frames);
}

static void on_task(struct tl_session *s, void *part, pid_t tid,
		    enum tl_task_change change, uint64_t ns)
{
	struct tl_timed_calls *c = part;

	if (change == TL_TASK_ENDED)
		tl_callstacks_end(c->frames, tid);
	else if (change != TL_TASK_RENAMED)
		tl_callstacks_forget(c->frames, tid);
}

static uint64_t report(struct tl_session *s, void *part);

static const struct tl_part_ops timings_ops = {
	.lost = on_lost, .task = on_task, .report = report, .free = free_timings
};

static struct tl_timed_calls *timings(const struct tl_session *s)
{
	return tl_part_find(s, &timings_ops);
}

/* ---- which functions -------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct function *)a)->name,
		      ((const struct function *)b)->name);
}

static int add_function(struct tl_timed_calls *c, const char *name, bool given)
{
	struct function *list;

	list = tl_list_room(c->list, c->count, &c->room, sizeof(*list));
	if (!list)
		return -ENOMEM;
	c->list = list;
	c->list[c->count] =
		(struct function){ .name = strdup(name), .given = given };
	return c->list[c->count].name ? (c->count++, 0) : -ENOMEM;
}

static bool matches(const struct tl_place *pattern, const char *name,
		    const char *module)
{
	return pattern->is_glob && !fnmatch(pattern->symbol, name, 0) &&
	       (!*pattern->module || !strcmp(pattern->module, module));
}

static int take_function(void *ctx, const char *name, const char *module)
{
	struct tl_timed_calls *c = ctx;
	unsigned int i, n = 0;

	for (i = 0; i < c->config->count; i++)
		if (matches(&c->patterns[i], name, module)) {
			c->hits[i]++;
			n++;
		}
	c->overlap |= n > 1;
	if (n)
		tl_function_keep(c->s, name, module);
	return n ? add_function(c, name, false) : 0;
}

static const char *without_module(const char *name)
{
	const char *colon = strchr(name, ':');

	return colon ? colon + 1 : name;
}

/* Whether @has is @name, or what the compiler has made of that. */
static bool is_copy(struct tl_str has, const char *name)
{
	size_t len = strlen(name);

	return has.len >= len && !memcmp(has.text, name, len) &&
	       (has.len == len || has.text[len] == '.');
}

static bool is_called(const struct function *f, const char *name)
{
	const char *has = without_module(f->name);

	return is_copy((struct tl_str){ has, strlen(has) }, name);
}

/*
 * Neither a function that was given twice, nor one that a glob finds as well.
 */
static int add_given(struct tl_timed_calls *c, const char *name)
{
	size_t i;

	for (i = 0; i < c->count; i++)
		if (is_called(&c->list[i], without_module(name)))
			return 0;
	return add_function(c, name, true);
}

/* A name that is there twice is ambiguous for the kernel. */
static void drop_ambiguous(struct tl_timed_calls *c)
{
	struct function *to = c->list, *from = c->list, *next;
	struct function *end = c->list + c->count;

	for (; from < end; from = next) {
		for (next = from + 1; next < end && !by_name(from, next);)
			free(next++->name);
		if (next == from + 1) {
			*to++ = *from;
			continue;
		}
		free(from->name);
		c->left_out += (size_t)(next - from);
	}
	c->count = (size_t)(to - c->list);
}

/* Sorted by name. */
static int find_by_globs(struct tl_session *s, struct tl_timed_calls *c)
{
	bool glob = false;
	unsigned int i;
	int ret;

	for (i = 0; i < c->config->count; i++)
		glob |= c->patterns[i].is_glob;
	if (!glob)
		return 0;
	ret = tl_function_list(s, take_function, c);
	for (i = 0; i < c->config->count && !ret; i++)
		if (c->patterns[i].is_glob && !c->hits[i])
			ret = tl_fail(ENOENT, "no function matches %s",
				      c->config->patterns[i]);
	if (ret)
		return ret;
	qsort(c->list, c->count, sizeof(*c->list), by_name);
	drop_ambiguous(c);
	return 0;
}

static int find_functions(struct tl_session *s, struct tl_timed_calls *c)
{
	unsigned int i;
	int ret = find_by_globs(s, c);

	for (i = 0; i < c->config->count && !ret; i++)
		if (!c->patterns[i].is_glob)
			ret = add_given(c, c->config->patterns[i]);
	if (ret)
		return ret;
	if (!c->count)
		return tl_fail(ENOENT, "all functions that match are of the "
				       "same name as another");
	if (c->count > FUNCTIONS_MAX && !c->config->force)
		return tl_fail(E2BIG,
			       "%zu functions match, which is more than %d "
			       "(-F traces them all the same)",
			       c->count, FUNCTIONS_MAX);
	qsort(c->list, c->count, sizeof(*c->list), by_name);
	return 0;
}

static int parse_patterns(struct tl_timed_calls *c)
{
	unsigned int i;

	c->patterns = calloc(c->config->count, sizeof(*c->patterns));
	c->hits = calloc(c->config->count, sizeof(*c->hits));
	if (!c->patterns || !c->hits)
		return -ENOMEM;
	for (i = 0; i < c->config->count; i++)
		tl_place_parse(&c->patterns[i], c->config->patterns[i]);
	return 0;
}

int tl_timed_calls_pattern(const char *text)
{
	struct tl_place place;

	if (tl_place_parse(&place, text) || place.is_address ||
	    place.is_return || *place.offset)
		return tl_usage("\"%s\" is no function: NAME, MODULE:NAME or a "
				"glob",
				text);
	return 0;
}

/* ---- records ---------------------------------------------------------- */

static const char *name_at(struct tl_session *s, uint64_t addr)
{
	struct tl_timed_calls *c = timings(s);
	uint64_t offset;
	const char *name = tl_symbol(s, addr, &offset);
	const struct function key = { .name = (char *)name }, *found;

	if (!name || c->one_for_all || c->by_tracer)
		return name;
	found = bsearch(&key, c->list, c->count, sizeof(key), by_name);
	return found && !found->given && found->returns ? found->name : NULL;
}

/* NULL: one that is not asked for, or has no probe at its return. */
static const char *function_at(struct tl_session *s, uint64_t addr)
{
	struct tl_timed_calls *c = timings(s);
	size_t i = (addr >> 4) % PLACES;

	if (c->places[i].addr != addr) {
		c->places[i].addr = addr;
		c->places[i].function = name_at(s, addr);
	}
	return c->places[i].function;
}

/* The idle threads of all processors have the same id. */
static int64_t thread_of(const struct tl_record *r)
{
	return r->pid ? r->pid : -1 - (int64_t)r->cpu;
}

/* NULL: as function_at(). */
static const char *function_of(struct tl_session *s, const struct tl_record *r,
			       const struct tl_field *addr)
{
	const struct timed *t = tl_event_part_find(r->event, &timed_ops);

	return t ? t->function
		 : function_at(s, (uint64_t)tl_field_num(r, addr));
}

static void on_entry(struct tl_session *s, const struct tl_record *r)
{
	struct tl_timed_calls *c = timings(s);
	const char *function = function_of(s, r, &c->ip);
	struct tl_frame *frame;

	if (!function)
		return;
	frame = tl_callstacks_push(c->frames, thread_of(r), function, r->ns);
	if (frame && tl_args_of(r->event))
		tl_frame_keep(frame, r);
	if (r->pid && tl_task_is_dead(s, r->pid))
		tl_callstacks_end(c->frames, r->pid);
}

static void on_return(struct tl_session *s, const struct tl_record *r)
{
	struct tl_timed_calls *c = timings(s);
	struct tl_timed_call call = { .function = function_of(s, r, &c->func) };
	struct tl_frame *frame;

	if (!call.function)
		return;
	frame = tl_callstacks_pop(c->frames, thread_of(r), call.function,
				  &call.depth);
	if (!frame || !tl_cpu_matches(s, r->cpu))
		return;
	call.start = frame->start;
	call.end = r->ns;
	call.duration = r->ns - frame->start - frame->asleep;
	call.tid = r->pid;
	call.cpu = r->cpu;
	call.entry = frame->entry.data ? &frame->entry : NULL;
	call.exit = r;
	c->config->done(s, &call);
}

static void on_switch(struct tl_session *s, const struct tl_record *r)
{
	struct tl_timed_calls *c = timings(s);
	pid_t prev = (pid_t)tl_field_num(r, &c->prev);
	pid_t next = (pid_t)tl_field_num(r, &c->next);

	if (tl_tasks_is_snapshot(s))
		return;
	if (prev)
		tl_callstacks_off(c->frames, prev, r->ns);
	if (next)
		tl_callstacks_on(c->frames, next, r->ns);
}

/* ---- probes ----------------------------------------------------------- */

static int added(struct tl_session *s, struct tl_event *ev, const char *name)
{
	struct timed *t = calloc(1, sizeof(*t));

	if (!t)
		return -ENOMEM;
	t->function = without_module(timings(s)->adding->name);
	tl_event_part_add(ev, &timed_ops, t);
	return timings(s)->with_values ? tl_args_find(s, ev) : 0;
}

/* @args: NULL: none.  What is said goes to @said. */
static int define(struct tl_session *s, char type, const char *args,
		  struct tl_buf *said)
{
	const struct tl_kprobe_config config = {
		.handler = type == 'r' ? on_return : on_entry,
		.added = added,
	};
	const char *name = timings(s)->adding->name;
	struct tl_buf *before;
	char *text;
	int ret;

	if (asprintf(&text, "%c:%s %s", type, name, args ?: "") < 0)
		return -ENOMEM;
	timings(s)->with_values = args;
	before = tl_message_keep(said);
	ret = tl_kprobe_add(s, text, &config);
	tl_message_keep(before);
	free(text);
	return ret;
}

/*
 * Without what cannot be had, if the function was not asked for by its name:
 * of some functions nothing is returned, and of some the types are not known.
 */
static int define_with(struct tl_session *s, char type, const char *args,
		       struct tl_buf *said)
{
	struct tl_buf again = { 0 };
	int ret = define(s, type, args, said);

	if (!ret || !args || timings(s)->adding->given ||
	    !tl_kprobe_is_its_own(ret))
		return ret;
	ret = define(s, type, NULL, &again);
	if (!ret) {
		said->len = 0;
		timings(s)->without_args += type == 'p';
	}
	tl_buf_free(&again);
	return ret;
}

static int add_probes(struct tl_session *s, struct function *f, bool with_entry)
{
	struct tl_timed_calls *c = timings(s);
	struct tl_buf said = { 0 }, again = { 0 };
	int ret;

	c->adding = f;
	ret = define_with(s, 'r', c->config->retval ? "$retval" : NULL, &said);
	f->returns = !ret;
	if (!ret && with_entry)
		ret = define_with(s, 'p', c->config->args ? "$arg*" : NULL,
				  &again);
	if (!ret || f->given || !tl_kprobe_is_its_own(ret)) {
		/* on success what both say is the same */
		tl_message_print(again.len ? &again : &said);
	} else {
		if (!c->left_out++) {
			tl_buf_add(&c->why, said.data, said.len);
			tl_buf_add(&c->why, again.data, again.len);
		}
		c->err = ret;
		ret = 0;
	}
	tl_buf_free(&said);
	tl_buf_free(&again);
	return ret;
}

static int add_each(struct tl_session *s, bool with_entries)
{
	struct tl_timed_calls *c = timings(s);
	size_t all, i;
	int ret = 0;

	/* one probe finds them all the same */
	if (c->one_for_all)
		c->left_out = 0;
	all = c->count + c->left_out;

	for (i = 0; i < c->count && !ret; i++)
		if (c->list[i].given || !c->one_for_all)
			ret = add_probes(s, &c->list[i],
					 with_entries || c->list[i].given);
	if (!ret && c->without_args)
		tl_kprobe_say_bare(c->without_args, all);
	if (ret || !c->left_out)
		return ret;
	if (c->left_out == all && c->why.len)
		tl_message_print(&c->why);
	else
		tl_warn("%zu of %zu functions are left out: of the same name "
			"as another, or not to be probed",
			c->left_out, all);
	return c->left_out == all ? c->err ?: -ENOENT : 0;
}

/* ---- one probe for many functions ------------------------------------- */

/*
 * Arguments differ.  Functions in modules are found by such a probe whatever
 * the module's name, and what several find would be recorded several times.
 */
static bool may_share(struct tl_session *s)
{
	const struct tl_timed_calls *c = timings(s);
	bool glob = false;
	unsigned int i;

	/* whose record it is only an address tells */
	if (c->config->args || c->overlap ||
	    !tl_feature(s, TL_FEATURE_FPROBE) || tl_symbols_find(s))
		return false;
	for (i = 0; i < c->config->count; i++) {
		if (c->patterns[i].is_glob && *c->patterns[i].module)
			return false;
		glob |= c->patterns[i].is_glob;
	}
	return glob;
}

static int add_shared(struct tl_session *s, const char *type, const char *name,
		      const char *place, const char *field, struct tl_field *at,
		      tl_handler *handler)
{
	struct tl_event *ev = tl_probe_add(s, type, name, place, "", handler);

	if (!ev && errno == ENOENT)
		return tl_fail(ENOENT, "%s cannot be probed", place);
	return ev ? tl_event_field(s, ev, field, at) : -errno;
}

/*
 * Up to 6.13 such a probe has as many instances as it is told to have; later
 * there is one for each call, and the number is refused.
 */
static int add_shared_return(struct tl_session *s, const char *glob)
{
	struct tl_buf said = { 0 }, *before;
	char place[160];
	int ret;

	snprintf(place, sizeof(place), "%s%%return", glob);
	before = tl_message_keep(&said);
	ret = add_shared(s, "f4096", "return", place, "__probe_func",
			 &timings(s)->func, on_return);
	tl_message_keep(before);
	tl_buf_free(&said);
	return ret ? add_shared(s, "f", "return", place, "__probe_func",
				&timings(s)->func, on_return)
		   : 0;
}

static int add_shared_probes(struct tl_session *s)
{
	struct tl_timed_calls *c = timings(s);
	unsigned int i;
	int ret = 0;

	for (i = 0; i < c->config->count && !ret; i++) {
		if (!c->patterns[i].is_glob)
			continue;
		ret = add_shared(s, "f", "entry", c->patterns[i].symbol,
				 "__probe_ip", &c->ip, on_entry);
		if (!ret && c->one_for_all)
			ret = add_shared_return(s, c->patterns[i].symbol);
	}
	return ret;
}

/* ---- the graph tracer ------------------------------------------------- */

static void on_slow(struct tl_session *s, uint64_t function,
		    struct tl_timed_call *call)
{
	struct tl_timed_calls *c = timings(s);

	/* a single name needs no list of all addresses */
	call->function = c->config->count == 1 && !c->patterns[0].is_glob
				 ? without_module(c->list[0].name)
				 : function_at(s, function);
	if (call->function)
		c->config->done(s, call);
}

/* 1: so it is; 0: probes have to do it; -errno after a message */
static int open_tracer(struct tl_session *s)
{
	struct tl_timed_calls *c = timings(s);
	const struct tl_timed_calls_config *config = c->config;
	bool more = config->args || config->retval || config->running;
	unsigned int i;
	int ret = 0;

	if (tl_slow_captured(s)) {
		if (more)
			return tl_fail(EINVAL, "this capture has no arguments, "
					       "results or times asleep of "
					       "calls");
	} else if (more || config->probes || config->count > TRACER_MAX ||
		   tl_tasks_foreign(s)) {
		return 0;
	}
	for (i = 0; i < config->count && !ret; i++)
		ret = tl_functions_add(&c->words, "function",
				       config->patterns[i]);
	if (ret)
		return ret;
	c->slow = (struct tl_slow_config){ .functions = &c->words,
					   .least = config->least,
					   .done = on_slow };
	ret = tl_slow_open(s, &c->slow);
	if (ret <= 0)
		return ret;
	c->by_tracer = true;
	if (!tl_recording_replays(s->recording))
		tl_inside_keep(s);
	return tl_symbols_try(s) ?: 1;
}

static bool is_traced(struct tl_session *s, struct tl_str name)
{
	const struct tl_timed_calls *c = timings(s);
	size_t i;

	for (i = 0; i < c->count; i++)
		if (is_copy(name, without_module(c->list[i].name)))
			return true;
	return false;
}

/* Of calls that go on the tracer tells nothing: one may be what users look for. */
static uint64_t report(struct tl_session *s, void *part)
{
	const struct tl_timed_calls *c = part;

	if (c->by_tracer && !tl_recording_replays(s->recording))
		tl_inside_warn(s, is_traced);
	return 0;
}

/* ---- set-up ----------------------------------------------------------- */

static int no_switch(void)
{
	return tl_fail(ENOTSUP,
		       "this kernel has no tracepoint sched:sched_switch");
}

static int add_switch(struct tl_session *s)
{
	struct tl_event *ev =
		tl_event_watch(s, "sched", "sched_switch", on_switch);

	if (!ev)
		return no_switch();
	return tl_event_field(s, ev, "prev_pid", &timings(s)->prev)
		       ?: tl_event_field(s, ev, "next_pid", &timings(s)->next);
}

int tl_timed_calls_check(struct tl_session *s)
{
	/* what is in a capture could be had, whatever was looked for then */
	if (tl_recording_replays(s->recording))
		return 0;
	/* probes at a function's entry are the function tracer's, too */
	return tl_kprobe_check(s) ?:
	       tl_tracer_enabled(s) ?:
	       (tl_event_exists(s, "sched", "sched_switch") ? 0 : no_switch());
}

int tl_timed_calls_check_tracer(struct tl_session *s)
{
	return tl_tracer_check(s, TL_GRAPH_TRACER);
}

static int open_probes(struct tl_session *s)
{
	struct tl_timed_calls *c = timings(s);
	const struct tl_timed_calls_config *config = c->config;
	bool share = may_share(s);
	int ret;

	c->one_for_all = share && !config->retval && c->count > EACH_MAX;
	ret = add_each(s, !share);
	if (!ret && share)
		ret = add_shared_probes(s);
	if (!ret && config->running)
		ret = add_switch(s);
	/* a text among the arguments can be too long for a record */
	if (!ret && !config->args)
		ret = tl_events_leave_out_self(s);
	if (ret)
		return ret;
	return tl_symbols_try(s);
}

int tl_timed_calls_open(struct tl_session *s,
			const struct tl_timed_calls_config *config)
{
	struct tl_timed_calls *c = calloc(1, sizeof(*c));
	int ret;

	if (!c)
		return -ENOMEM;
	c->s = s;
	c->config = config;
	c->frames = tl_callstacks_new();
	if (!c->frames) {
		free(c);
		return -ENOMEM;
	}
	tl_part_add(s, &timings_ops, c);
	ret = tl_timed_calls_check(s) ?:
	      parse_patterns(c) ?:
	      find_functions(s, c) ?:
	      open_tracer(s) ?:
	      open_probes(s);
	return ret < 0 ? ret : 0;
}

/* ---- results ---------------------------------------------------------- */

/* A return that a probe has missed looks like a call that goes on. */
uint64_t tl_timed_calls_unfinished(struct tl_session *s, uint64_t least)
{
	const struct tl_event *ev;

	if (timings(s)->one_for_all)
		return 0;
	for (ev = s->events->first; ev; ev = ev->next)
		if (tl_event_part_find(ev, &timed_ops) &&
		    tl_probe_of(ev)->missed)
			return 0;
	return tl_callstacks_count(timings(s)->frames, tl_run_end_ns(s), least);
}

static bool has_args(const struct tl_record *r)
{
	return r && tl_args_of(r->event);
}

/* A function without arguments has its entry all the same. */
static bool has_value(const struct tl_record *r)
{
	return has_args(r) && tl_args_of(r->event)->count;
}

struct tl_str tl_timed_call_text(struct tl_session *s,
				 const struct tl_timed_call *call)
{
	struct tl_buf *b = &timings(s)->text;

	b->len = 0;
	tl_buf_str(b, call->function);
	if (has_args(call->entry))
		tl_args_list(s, call->entry, b);
	if (has_value(call->exit)) {
		tl_buf_add(b, " = ", 3);
		tl_args_first(s, call->exit, b);
	}
	return (struct tl_str){ b->data, b->len };
}

void tl_put_timed_call(struct tl_session *s, unsigned int args,
		       unsigned int retval, const struct tl_timed_call *call)
{
	int64_t num;

	if (has_args(call->entry))
		tl_put_list(s, args, tl_args_values(s, call->entry),
			    tl_args_of(call->entry->event)->count, false);
	if (has_value(call->exit) && tl_args_number(call->exit, &num))
		tl_put_int(s, retval, num);
}
