// SPDX-License-Identifier: GPL-2.0-or-later
/* stack.c - the stack at an event, which is a record of its own */
#include "trace/stack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/part.h"
#include "kernel/feature.h"
#include "kernel/functions.h"
#include "kernel/kallsyms.h"
#include "probe/args.h"
#include "probe/probe.h"
#include "probe/uprobe.h"
#include "record/event.h"
#include "trace/userkept.h"
#include "trace/usersym.h"
#include "tracelet/event.h"
#include "tracelet/message.h"
#include "tracelet/output.h"
#include "tracelet/pairs.h"
#include "tracelet/stack.h"
#include "tracelet/symbol.h"
#include "tracelet/tracefs.h"

#define MAX_HELD   8192
#define MAX_FRAMES 128 /* that are kept of a stack */
/* of the tracer in a stack: what records an event, and what that calls */
#define MAX_TRACERS 8

/* a record whose stack has not come yet */
struct held {
	struct tl_session *s;
	struct tl_stacks *stacks;
	struct tl_record record;
	char *data;
	int tag;
};

struct tl_stacks {
	struct tl_part part;
	tl_stack_handler *handler;
	bool user; /* those of processes */
	struct tl_stack_fields fields;
	struct tl_pairs *held;          /* by processor, or thread */
	const struct tl_record *record; /* whose stack is being handled */
	struct tl_buf buf;
	size_t at[MAX_FRAMES]; /* where each text begins there */
	struct tl_named list[MAX_FRAMES];
};

static const struct tl_part_ops stacks_ops;

static struct tl_stacks *stacks(const struct tl_session *s)
{
	return tl_part_find(s, &stacks_ops);
}

static void give(struct held *h, const struct tl_record *stack)
{
	struct tl_stacks *t = h->stacks;

	t->record = &h->record;
	if (h->data && t->handler)
		t->handler(h->s, &h->record, stack, h->tag);
	free(h->data);
	h->data = NULL;
}

/* The record that waits goes without its stack. */
static void drop(void *data)
{
	give(data, NULL);
}

/*
 * On the same processor the kernel's stack comes right behind its event; before
 * that of a process is recorded its thread may be moved to another processor.
 */
static int64_t key(const struct tl_stacks *t, const struct tl_record *r)
{
	return t->user ? (int64_t)r->pid : (int64_t)r->cpu;
}

static void on_stack(struct tl_session *s, const struct tl_record *r)
{
	struct tl_stacks *t = stacks(s);
	struct held *h = tl_pairs_get(t->held, key(t, r));

	if (!h || h->record.pid != r->pid)
		return;
	give(h, r);
	tl_pairs_drop(t->held, key(t, r));
}

void tl_stacks_hold(struct tl_session *s, const struct tl_record *r, int tag)
{
	struct tl_stacks *t = stacks(s);
	/* one that waits there has no stack, and goes */
	struct held *h = tl_pairs_put(t->held, key(t, r));

	if (h)
		*h = (struct held){ .s = s,
				    .stacks = t,
				    .record = *r,
				    .data = malloc(r->size),
				    .tag = tag };
	if (h && h->data)
		h->record.data = memcpy(h->data, r->data, r->size);
	else
		t->handler(s, r, NULL, tag);
}

/* A stack may be among what was lost: the next one is not of this record. */
static void on_lost(struct tl_session *s, void *part, unsigned int cpu)
{
	struct tl_stacks *t = part;

	if (t->held && t->user)
		tl_pairs_clear(t->held);
	else if (t->held)
		tl_pairs_drop(t->held, cpu);
}

/* Records that wait for a stack go without. */
static void flush(struct tl_session *s, void *part)
{
	struct tl_stacks *t = part;

	if (t->held)
		tl_pairs_clear(t->held);
}

static void free_stacks(void *part)
{
	struct tl_stacks *t = part;

	/* what still waits goes unseen: all else may have gone */
	t->handler = NULL;
	tl_pairs_free(t->held);
	tl_buf_free(&t->buf);
	free(t);
}

static const struct tl_part_ops stacks_ops = { .lost = on_lost,
					       .flush = flush,
					       .free = free_stacks };

/* Made for the first that needs them; NULL without memory. */
static struct tl_stacks *get(struct tl_session *s)
{
	return tl_part_get(s, &stacks_ops, sizeof(struct tl_stacks));
}

/* ---- set-up ----------------------------------------------------------- */

static const char *event_name(enum tl_stack_kind kind)
{
	return kind == TL_STACK_USER ? "user_stack" : "kernel_stack";
}

static int no_stacks(enum tl_stack_kind kind)
{
	return tl_fail(ENOTSUP, "this kernel records no stacks (ftrace:%s)",
		       event_name(kind));
}

int tl_stack_check(struct tl_session *s, enum tl_stack_kind kind,
		   const char *instead)
{
	if (!tl_event_exists(s, "ftrace", event_name(kind)))
		return no_stacks(kind);
	if (kind == TL_STACK_KERNEL)
		return tl_symbols_check(s);
	return tl_walks_programs(s)
		       ? 0
		       : tl_fail(ENOTSUP,
				 "this kernel records no stacks of programs "
				 "(CONFIG_USER_STACKTRACE_SUPPORT)%s",
				 instead);
}

static int open_kernel(struct tl_session *s, struct tl_event *ev,
		       struct tl_stack_fields *f)
{
	int ret =
		tl_symbols_open(s) ?: tl_event_field(s, ev, "size", &f->depth);

	f->frames.size = 0; /* there can be none */
	tl_event_require(ev, &f->depth);
	return ret;
}

static int open_user(struct tl_session *s, struct tl_event *ev,
		     struct tl_stack_fields *f)
{
	int ret = tl_user_symbols_open(s) ?:
		  tl_event_field(s, ev, "tgid", &f->process) ?:
		  tl_write_file(s, "options/userstacktrace", "1");

	tl_event_require(ev, &f->process);
	return ret;
}

struct tl_event *tl_stack_event(struct tl_session *s, enum tl_stack_kind kind,
				tl_handler *handler, struct tl_stack_fields *f)
{
	const char *name = event_name(kind);
	struct tl_event *ev = tl_event_add(s, "ftrace", name, handler);
	int ret;

	if (!ev && errno == ENOENT)
		ret = no_stacks(kind);
	else if (!ev)
		ret = tl_fail(errno, "ftrace:%s: %s", name, strerror(errno));
	else
		ret = tl_event_field(s, ev, "caller", &f->frames)
			      ?: kind == TL_STACK_USER ? open_user(s, ev, f)
						       : open_kernel(s, ev, f);
	if (!ret)
		tl_event_require(ev, &f->frames);
	if (!ret && kind == TL_STACK_USER)
		tl_user_kept_see(s, ev, f);
	errno = -ret;
	return ret ? NULL : ev;
}

int tl_stacks_user(struct tl_session *s)
{
	struct tl_stacks *t = get(s);

	if (!t)
		return -ENOMEM;
	t->user = true;
	return tl_uprobe_callers(s);
}

bool tl_stacks_are_user(const struct tl_session *s)
{
	const struct tl_stacks *t = stacks(s);

	return t && t->user;
}

static enum tl_stack_kind kind(const struct tl_session *s)
{
	return tl_stacks_are_user(s) ? TL_STACK_USER : TL_STACK_KERNEL;
}

int tl_stacks_check(struct tl_session *s)
{
	return tl_stack_check(s, kind(s), "");
}

int tl_stacks_open(struct tl_session *s, tl_stack_handler *handler)
{
	struct tl_stacks *t = get(s);
	/* of the kernel's a capture need not tell */
	int ret = t && t->user ? tl_stack_check(s, TL_STACK_USER, "") : 0;

	if (!t || ret)
		return t ? ret : -ENOMEM;
	t->handler = handler;
	t->held = tl_pairs_new(sizeof(struct held), MAX_HELD, drop);
	if (!t->held)
		return -ENOMEM;
	if (!tl_stack_event(s, kind(s), on_stack, &t->fields))
		return -errno;
	return t->user ? 0 : tl_write_file(s, "options/stacktrace", "1");
}

/* ---- rows ------------------------------------------------------------- */

static struct tl_value text_value(const char *text)
{
	return (struct tl_value){
		.type = TL_STR,
		.known = text,
		.str = { text ?: "", text ? strlen(text) : 0 },
	};
}

static bool is(const struct tl_value *frame, const char *name)
{
	return name && frame->known && !strcmp(frame->str.text, name);
}

static bool begins_with(struct tl_str name, const char *with)
{
	size_t len = strlen(with);

	return name.len >= len && !memcmp(name.text, with, len);
}

/* What records a tracepoint: the kernel makes one for each class of events. */
static bool is_recorder(struct tl_str name)
{
	return begins_with(name, "trace_event_raw_event_") ||
	       begins_with(name, "ftrace_syscall_enter") ||
	       begins_with(name, "ftrace_syscall_exit");
}

size_t tl_stack_tracers(const struct tl_str names[], size_t count)
{
	size_t i = 0;

	while (i < count && i < MAX_TRACERS && !is_recorder(names[i]))
		i++;
	/* it is not there where the compiler has put it into its caller */
	i = i < count && i < MAX_TRACERS ? i + 1 : 0;
	return i + (i < count && begins_with(names[i], "__traceiter_"));
}

/*
 * As below, of a probe: its stack begins where it is, but on arm64 that of type f
 * with what the function calls.  In that of its return the tracer's trampoline
 * stands for what it returns to.
 */
static size_t count_callees(struct tl_session *s, struct tl_stacks *t,
			    size_t count)
{
	const struct tl_record *r = t->record;
	const struct tl_args *args = tl_args_of(r->event);
	const struct tl_field *ip;
	const char *name;
	uint64_t offset;
	size_t i;

	if (!args || !tl_probe_of(r->event)->by_tracer)
		return 0;
	ip = args->ret_ip.size ? &args->ret_ip : &args->ip;
	name = tl_symbol(s, tl_field_num(r, ip), &offset);
	for (i = 0; name && i < count && i < MAX_TRACERS; i++) {
		if (is(&t->list[i].value, "return_to_handler"))
			t->list[i].value = text_value(name);
		if (is(&t->list[i].value, name))
			return i;
	}
	return 0;
}

/* How many of the innermost frames are the tracer's. */
static size_t count_tracers(struct tl_session *s, struct tl_stacks *t,
			    size_t count)
{
	const struct tl_probe *p = tl_probe_of(t->record->event);
	struct tl_str names[MAX_TRACERS + 1];
	size_t i;

	if (p && !p->on_event)
		return count_callees(s, t, count);
	for (i = 0; i < count && i < MAX_TRACERS + 1; i++)
		names[i] = t->list[i].value.known ? t->list[i].value.str
						  : (struct tl_str){ "", 0 };
	return tl_stack_tracers(names, i);
}

/* The format shows eight; there are as many as the record holds. */
static size_t read_kernel(const struct tl_stacks *t,
			  const struct tl_record *stack, uint64_t frames[])
{
	struct tl_field f = t->fields.frames;
	uint64_t depth = tl_field_num(stack, &t->fields.depth);
	size_t n = 0;

	f.size = sizeof(long);
	for (; n < MAX_FRAMES && n < depth && f.offset + f.size <= stack->size;
	     f.offset += f.size)
		frames[n++] = tl_field_num(stack, &f);
	return n;
}

/*
 * Behind the innermost frame the one that called it, which the kernel does not
 * find: a function's first instruction comes before its frame.
 */
static size_t add_caller(uint64_t frames[MAX_FRAMES], size_t n, uint64_t caller)
{
	if (!n || !caller)
		return n;
	n -= n == MAX_FRAMES;
	memmove(frames + 2, frames + 1, (n - 1) * sizeof(*frames));
	frames[1] = caller;
	return n + 1;
}

/*
 * The same of its own stacks, in which the kernel may find it.  What calls itself from one
 * place only then has one frame less than it could.
 */
static size_t add_missing(uint64_t frames[MAX_FRAMES], size_t n,
			  uint64_t caller)
{
	return n > 1 && frames[1] == caller ? n : add_caller(frames, n, caller);
}

/* As many as the format shows; behind the outermost there are zeroes. */
static size_t read_user(struct tl_session *s, const struct tl_stacks *t,
			const struct tl_record *stack, uint64_t frames[])
{
	struct tl_field f = t->fields.frames;
	size_t n = 0;

	f.size = sizeof(long);
	for (; n < MAX_FRAMES && f.offset + f.size <= stack->size;
	     f.offset += f.size) {
		frames[n] = tl_field_num(stack, &f);
		if (!frames[n])
			break;
		n++;
	}
	if (n > 1 &&
	    !tl_user_is_walked(s, tl_field_num(stack, &t->fields.process),
			       stack->ns))
		n = 1;
	return add_caller(frames, n, tl_probe_caller(t->record));
}

/*
 * Who called the probed function, if that is not in the stack yet: at its first
 * instruction, on machines where a call leaves the address in a register.
 */
static uint64_t caller_of(struct tl_session *s, const struct tl_stacks *t,
			  uint64_t innermost)
{
	const struct tl_probe *p = tl_probe_of(t->record->event);
	uint64_t offset;

	return p && p->caller_in_register && tl_symbol(s, innermost, &offset) &&
			       !offset
		       ? tl_probe_caller(t->record)
		       : 0;
}

/*
 * The frames without those of the tracer, which their names tell.
 *
 * A call that never returns, at the end of a function, returns to the next one by its
 * address.  Names are not those of the byte before for that: of what an interrupt or a fault
 * came into the address may be a function's first one, as it is of return_to_handler and
 * other trampolines.  In thousands of stacks on 6.12, 5.10 and arm64 there were such only.
 */
static size_t list_kernel(struct tl_session *s, struct tl_stacks *t,
			  const struct tl_record *stack)
{
	uint64_t frames[MAX_FRAMES], offset;
	size_t n = read_kernel(t, stack, frames), skip, i;

	if (n)
		n = add_missing(frames, n, caller_of(s, t, *frames));
	for (i = 0; i < n; i++)
		t->list[i].value = text_value(tl_symbol(s, frames[i], &offset));
	skip = count_tracers(s, t, n);
	memmove(t->list, t->list + skip, (n - skip) * sizeof(*t->list));
	return n - skip;
}

static size_t list_user(struct tl_session *s, struct tl_stacks *t,
			const struct tl_record *stack)
{
	struct tl_user_place at = tl_uprobe_place(t->record);
	struct tl_user_address a = { .process = tl_field_num(
					     stack, &t->fields.process),
				     .ns = stack->ns };
	uint64_t frames[MAX_FRAMES];
	struct tl_user_symbol sym;
	size_t n = read_user(s, t, stack, frames), i;

	t->buf.len = 0;
	for (i = 0; i < n; i++) {
		t->at[i] = t->buf.len;
		a.addr = frames[i];
		a.is_return = i > 0;
		tl_user_symbol(s, &at, &a, &sym);
		tl_user_symbol_text(&t->buf, &sym);
		tl_buf_char(&t->buf, '\0');
	}
	/* the buffer stands still only now */
	for (i = 0; i < n; i++)
		t->list[i].value = text_value(t->buf.data + t->at[i]);
	return n;
}

void tl_put_stack(struct tl_session *s, unsigned int col,
		  const struct tl_record *stack)
{
	struct tl_stacks *t = stacks(s);
	size_t n = t->user ? list_user(s, t, stack) : list_kernel(s, t, stack);

	tl_put_list(s, col, t->list, n, false);
}
