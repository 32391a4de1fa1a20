// SPDX-License-Identifier: GPL-2.0-or-later
/* entry.c - calls of functions, by the function tracer or by probes */
#include "call/entry.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "kernel/functions.h"
#include "kernel/kallsyms.h"
#include "probe/args.h"
#include "probe/caller.h"
#include "probe/kprobe.h"
#include "probe/probe.h"
#include "record/event.h"
#include "tracelet/entry.h"
#include "tracelet/function.h"
#include "tracelet/kprobe.h"
#include "tracelet/message.h"
#include "tracelet/output.h"
#include "tracelet/symbol.h"
#include "tracelet/tracer.h"

/* An event that is a call. */
struct entry {
	struct tl_event_part part;
	struct tl_field function, caller; /* of size 0: not there */
};

static const struct tl_event_part_ops entry_ops = { .free = free };

/* The field @caller may be missing. */
static int find_fields(struct tl_session *s, struct tl_event *ev,
		       const char *function, const char *caller)
{
	struct entry *e = calloc(1, sizeof(*e));
	int ret;

	if (!e)
		return -ENOMEM;
	tl_event_part_add(ev, &entry_ops, e);
	ret = tl_event_long_field(s, ev, function, &e->function);
	if (!ret && tl_event_has(ev, caller))
		ret = tl_event_long_field(s, ev, caller, &e->caller);
	return ret;
}

/*
 * To read the names of all functions takes the kernel 400 million instructions, so
 * they are read when the first one is shown; but for functions that will surely
 * need them all: modules', whose names come last and can go before, or so many that
 * a buffer could overflow meanwhile.
 */
#define MANY 1000

static int needs_all(void *ctx, const char *name, const char *module)
{
	unsigned int *count = ctx;

	return *module || ++*count > MANY;
}

static int open_symbols(struct tl_session *s)
{
	unsigned int count = 0;
	int ret = tl_functions_each(s, NULL, needs_all, &count);

	if (ret < 0)
		return ret;
	return ret ? tl_symbols_load(s) : tl_symbols_open(s);
}

/* ---- by the function tracer ------------------------------------------- */

int tl_entries_trace(struct tl_session *s, tl_handler *handler)
{
	struct tl_event *ev;
	int ret = open_symbols(s) ?:
		  tl_tracer_set(s, "function") ?:
		  tl_tracer_leave_out_self(s);

	if (ret)
		return ret;
	ev = tl_event_add(s, "ftrace", "function", handler);
	if (!ev)
		return tl_fail(errno, "format of ftrace:function: %s",
			       strerror(errno));
	return find_fields(s, ev, "ip", "parent_ip");
}

/* ---- by probes -------------------------------------------------------- */

static int added(struct tl_session *s, struct tl_event *ev, const char *name)
{
	/* they are there where some have values with names */
	return tl_args_find(s, ev) ?:
	       find_fields(s, ev, "__probe_ip", TL_CALLER) ?:
	       tl_event_filter_asked(s, ev, NULL);
}

int tl_entries_probe(struct tl_session *s, const struct tl_functions *except,
		     bool args, tl_handler *handler)
{
	const struct tl_kprobe_config config = { .handler = handler,
						 .added = added };

	int ret = open_symbols(s), count = 0;

	if (!ret)
		ret = count = tl_kprobe_entries(s, except, args, &config);
	/* a text among the arguments can be too long for a record */
	if (count > 0 && !args)
		ret = tl_events_leave_out_self(s);
	return ret < 0 ? ret : count;
}

/* ---- records ---------------------------------------------------------- */

struct tl_entry tl_entry_of(const struct tl_record *r)
{
	const struct entry *f = tl_event_part_find(r->event, &entry_ops);
	struct tl_entry e = { .function = tl_field_long(r, &f->function) };

	if (f->caller.size)
		e.caller = tl_field_long(r, &f->caller);
	return e;
}

bool tl_entry_is(const struct tl_event *ev)
{
	return tl_event_part_find(ev, &entry_ops);
}

static bool has_args(const struct tl_record *r)
{
	const struct tl_probe *p = tl_probe_of(r->event);

	return p && p->with_args;
}

void tl_put_entry_args(struct tl_session *s, unsigned int col,
		       const struct tl_record *r)
{
	if (has_args(r))
		tl_put_list(s, col, tl_args_values(s, r),
			    tl_args_of(r->event)->count, false);
}

void tl_entry_line(struct tl_session *s, const struct tl_record *r,
		   struct tl_buf *b)
{
	const struct tl_entry e = tl_entry_of(r);

	tl_symbol_text(s, e.function, TL_SYMBOL_NAME, b);
	if (has_args(r))
		tl_args_list(s, r, b);
	if (!e.caller)
		return;
	tl_buf_add(b, " <-", 3);
	tl_symbol_text(s, e.caller, TL_SYMBOL_NAME, b);
}
