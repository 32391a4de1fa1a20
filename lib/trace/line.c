// SPDX-License-Identifier: GPL-2.0-or-later
/* line.c - a record as the kernel's own trace file would show it */
#include "trace/line.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trace-seq.h>

#include "base/buf.h"
#include "base/num.h"
#include "base/part.h"
#include "call/entry.h"
#include "kernel/kallsyms.h"
#include "probe/args.h"
#include "record/event.h"
#include "trace/stack.h"
#include "tracefs/file.h"
#include "tracefs/instance.h"
#include "tracelet/message.h"
#include "tracelet/run.h"
#include "tracelet/symbol.h"
#include "tracelet/task.h"

/* bits of common_flags: include/linux/trace_events.h */
enum {
	IRQS_OFF = 0x01,
	RESCHED_LAZY = 0x02,
	RESCHED = 0x04,
	HARDIRQ = 0x08,
	SOFTIRQ = 0x10,
	PREEMPT_RESCHED = 0x20,
	NMI = 0x40,
	BH_OFF = 0x80,
};

/* of columns in the trace file */
#define COMM_WIDTH 16
#define PID_WIDTH  7

/* offsets and lengths of fields, and in __data_loc words, have 16 bits */
#define RECORD_MAX 65536UL
#define COPY_SIZE  (4 * RECORD_MAX)

/* A text that is the same for many records, and what it was made of. */
struct kept {
	char text[96];
	size_t len;
};

struct tl_lines {
	struct tl_part part;
	char *head;                   /* the header lines of the trace file */
	bool migrate_disable, bh_off; /* what its legend names */
	bool typed_syscalls;          /* 6.19: 0x where needed, and strings */
	struct tl_field flags, preempt;
	struct tl_buf buf, arena;
	struct trace_seq seq;
	struct tl_named *fields;
	size_t fields_size;
	char *copy; /* of a record, see padded() */
	size_t copied;
	struct kept thread; /* "            bash-1234    [001] ", of: */
	pid_t pid;
	unsigned int cpu;
	char comm[64];
	size_t comm_len;
	struct kept second; /* "   12." */
	uint64_t seconds;
};

static void free_lines(void *part)
{
	struct tl_lines *l = part;

	trace_seq_destroy(&l->seq);
	tl_buf_free(&l->buf);
	tl_buf_free(&l->arena);
	free(l->fields);
	free(l->copy);
	free(l->head);
	free(l);
}

static const struct tl_part_ops lines_ops = { .free = free_lines };

static struct tl_lines *lines(const struct tl_session *s)
{
	return tl_part_find(s, &lines_ops);
}

static char *resolve(void *priv, unsigned long long *addr, char **module)
{
	uint64_t offset;
	const char *name = tl_symbol(priv, *addr, &offset);

	*module = NULL;
	if (name)
		*addr -= offset;
	return (char *)name;
}

int tl_line_open(struct tl_session *s, bool head)
{
	struct tl_lines *l = tl_part_new(s, &lines_ops, sizeof(*l));

	if (!l)
		return -ENOMEM;
	trace_seq_init(&l->seq);
	l->copy = calloc(1, COPY_SIZE);
	if (!l->copy)
		return -ENOMEM;
	l->head = tl_fs_read(s->instance->dir, "trace", NULL);
	if (!l->head)
		return tl_fail(errno, "trace: %s", tl_fs_explain(errno));
	if (head)
		tl_head(s, l->head);
	l->migrate_disable = strstr(l->head, "migrate-disable");
	l->bh_off = strstr(l->head, "BH-disabled");
	l->typed_syscalls =
		tl_fs_exists(s->instance->dir, "syscall_user_buf_size");
	tep_set_function_resolver(s->events->tep, resolve, s);
	/* common fields are the same in all events */
	return tl_event_field(s, s->events->first, "common_flags",
			      &l->flags) ?:
	       tl_event_field(s, s->events->first, "common_preempt_count",
			      &l->preempt) ?:
	       tl_symbols_try(s);
}

/* ---- the columns before the event ------------------------------------- */

static char irqs_off(const struct tl_lines *l, unsigned int flags)
{
	if (flags & BH_OFF && l->bh_off)
		return flags & IRQS_OFF ? 'D' : 'b';
	return flags & IRQS_OFF ? 'd' : '.';
}

static char need_resched(unsigned int flags)
{
	switch (flags & (RESCHED | RESCHED_LAZY | PREEMPT_RESCHED)) {
	case RESCHED | RESCHED_LAZY | PREEMPT_RESCHED:
		return 'B';
	case RESCHED | PREEMPT_RESCHED:
		return 'N';
	case RESCHED_LAZY | PREEMPT_RESCHED:
		return 'L';
	case RESCHED | RESCHED_LAZY:
		return 'b';
	case RESCHED:
		return 'n';
	case RESCHED_LAZY:
		return 'l';
	case PREEMPT_RESCHED:
		return 'p';
	}
	return '.';
}

static char interrupt(unsigned int flags)
{
	if (flags & NMI)
		return flags & HARDIRQ ? 'Z' : 'z';
	if (flags & HARDIRQ)
		return flags & SOFTIRQ ? 'H' : 'h';
	return flags & SOFTIRQ ? 's' : '.';
}

static char depth(unsigned int count)
{
	return count ? "0123456789abcdef"[count & 0xf] : '.';
}

static void pad(struct tl_buf *b, size_t from, size_t width)
{
	while (b->len - from < width && !b->failed)
		tl_buf_char(b, ' ');
}

/* What is behind @from becomes @k, if it has room for it. */
static bool keep(struct kept *k, const struct tl_buf *b, size_t from)
{
	k->len = b->failed ? 0 : b->len - from;
	if (k->len > sizeof(k->text))
		k->len = 0;
	if (k->len)
		memcpy(k->text, b->data + from, k->len);
	return k->len;
}

static void add_kept(struct tl_buf *b, const struct kept *k)
{
	tl_buf_add(b, k->text, k->len);
}

static bool is_kept_thread(const struct tl_lines *l, const struct tl_record *r,
			   struct tl_str comm)
{
	return l->thread.len && l->pid == r->pid && l->cpu == r->cpu &&
	       l->comm_len == comm.len && !memcmp(l->comm, comm.text, comm.len);
}

static void add_thread(struct tl_session *s, struct tl_lines *l,
		       const struct tl_record *r)
{
	struct tl_str comm = tl_task_comm(s, r->pid);
	struct tl_buf *b = &l->buf;
	size_t start = b->len, from;

	if (is_kept_thread(l, r, comm)) {
		add_kept(b, &l->thread);
		return;
	}
	if (comm.len < COMM_WIDTH)
		pad(b, start, COMM_WIDTH - comm.len);
	tl_buf_add(b, comm.text, comm.len);
	tl_buf_char(b, '-');
	from = b->len;
	tl_num_int(b, r->pid);
	pad(b, from, PID_WIDTH);
	tl_buf_add(b, " [", 2);
	tl_num_filled(b, r->cpu, 3, '0');
	tl_buf_add(b, "] ", 2);
	l->thread.len = 0;
	if (comm.len > sizeof(l->comm) || !keep(&l->thread, b, start))
		return;
	l->pid = r->pid;
	l->cpu = r->cpu;
	memcpy(l->comm, comm.text, comm.len);
	l->comm_len = comm.len;
}

static void add_time(struct tl_lines *l, uint64_t ns)
{
	uint64_t usecs = (ns + 500) / 1000;
	uint64_t seconds = usecs / 1000000;
	struct tl_buf *b = &l->buf;
	size_t from = b->len;

	if (l->second.len && l->seconds == seconds) {
		add_kept(b, &l->second);
	} else {
		tl_num_filled(b, seconds, 5, ' ');
		tl_buf_char(b, '.');
		if (keep(&l->second, b, from))
			l->seconds = seconds;
	}
	tl_num_filled(b, usecs - seconds * 1000000, 6, '0');
}

/*
 * "            bash-1234    [001] d..2.    12.345678: ": no printf(), for speed
 */
static void add_prefix(struct tl_session *s, struct tl_lines *l,
		       const struct tl_record *r)
{
	struct tl_buf *b = &l->buf;
	unsigned int flags = tl_field_num(r, &l->flags);
	unsigned int count = tl_field_num(r, &l->preempt);

	add_thread(s, l, r);
	tl_buf_char(b, irqs_off(l, flags));
	tl_buf_char(b, need_resched(flags));
	tl_buf_char(b, interrupt(flags));
	/* the upper half counts migrate_disable() where the legend has it */
	if (l->migrate_disable) {
		tl_buf_char(b, depth(count & 0xf));
		tl_buf_char(b, depth(count >> 4));
	} else {
		tl_buf_char(b, depth(count));
	}
	tl_buf_char(b, ' ');
	add_time(l, r->ns);
	tl_buf_add(b, ": ", 2);
}

/* ---- the event -------------------------------------------------------- */

static bool is_syscall(const struct tl_event *ev, const char *kind)
{
	return !strcmp(ev->system, "syscalls") &&
	       !strncmp(ev->name, kind, strlen(kind));
}

/* The text that goes with pointer argument @name is a field of its own. */
static void add_user_text(struct tl_buf *b, const struct tl_record *r,
			  const char *name)
{
	char val[128];
	struct tep_format_field *f;
	struct tl_field field;
	struct tl_str str;

	snprintf(val, sizeof(val), "__%s_val", name);
	f = tep_find_field(r->event->tep, val);
	if (!f)
		return;
	field = tl_field_of(f);
	str = tl_field_str(r, &field);
	tl_buf_str(b, " \"");
	tl_buf_add(b, str.text, str.len);
	tl_buf_char(b, '"');
}

/* The kernel prints these two by functions, not by their print fmt. */
static void add_syscall_enter(struct tl_lines *l, const struct tl_record *r)
{
	struct tep_format_field *f = r->event->tep->format.fields;
	struct tl_field field;
	unsigned long value;
	bool first = true;

	tl_buf_printf(&l->buf, "sys_%s(",
		      r->event->name + strlen("sys_enter_"));
	for (; f; f = f->next) {
		if (!strncmp(f->name, "__", 2))
			continue;
		field = tl_field_of(f);
		value = tl_field_num(r, &field);
		tl_buf_printf(&l->buf,
			      l->typed_syscalls && value > 9 ? "%s%s: 0x%lx"
							     : "%s%s: %lx",
			      first ? "" : ", ", f->name, value);
		if (l->typed_syscalls)
			add_user_text(&l->buf, r, f->name);
		first = false;
	}
	tl_buf_char(&l->buf, ')');
}

static void add_syscall_exit(struct tl_lines *l, const struct tl_record *r)
{
	struct tep_format_field *f = tep_find_field(r->event->tep, "ret");
	struct tl_field field = { 0 };

	if (f)
		field = tl_field_of(f);
	tl_buf_printf(&l->buf, "sys_%s -> 0x%lx",
		      r->event->name + strlen("sys_exit_"),
		      (unsigned long)tl_field_num(r, &field));
}

/*
 * libtraceevent believes what a record says about itself: a copy with zeroes
 * behind it, as far as a field can lead.
 */
static char *padded(struct tl_lines *l, const struct tl_record *r)
{
	size_t size = r->size < RECORD_MAX ? r->size : RECORD_MAX;

	memcpy(l->copy, r->data, size);
	if (size < l->copied)
		memset(l->copy + size, 0, l->copied - size);
	l->copied = size;
	return l->copy;
}

static void add_event(struct tl_session *s, struct tl_lines *l,
		      const struct tl_record *r)
{
	struct tep_record record = { .ts = r->ns,
				     .size = r->size,
				     .data = padded(l, r),
				     .cpu = r->cpu };

	tl_buf_printf(&l->buf, "%s: ", r->event->name);
	trace_seq_reset(&l->seq);
	if (r->event->by_fields)
		tep_print_fields(&l->seq, record.data, record.size,
				 r->event->tep);
	else
		tep_print_event(s->events->tep, &l->seq, &record, "%s",
				TEP_PRINT_INFO);
	tl_buf_add(&l->buf, l->seq.buffer, l->seq.len);
}

static void add_probe(struct tl_session *s, struct tl_lines *l,
		      const struct tl_record *r)
{
	tl_buf_str(&l->buf, r->event->title);
	tl_buf_add(&l->buf, ": ", 2);
	tl_args_line(s, r, &l->buf);
}

static struct tl_str finish(struct tl_lines *l)
{
	return (struct tl_str){ l->buf.data, l->buf.len };
}

struct tl_str tl_line(struct tl_session *s, const struct tl_record *r)
{
	struct tl_lines *l = lines(s);

	l->buf.len = 0;
	add_prefix(s, l, r);
	if (tl_entry_is(r->event))
		tl_entry_line(s, r, &l->buf);
	else if (tl_args_of(r->event))
		add_probe(s, l, r);
	else if (is_syscall(r->event, "sys_enter_"))
		add_syscall_enter(l, r);
	else if (is_syscall(r->event, "sys_exit_"))
		add_syscall_exit(l, r);
	else
		add_event(s, l, r);
	return finish(l);
}

struct tl_str tl_line_stack(struct tl_session *s, const struct tl_record *r)
{
	struct tl_lines *l = lines(s);

	l->buf.len = 0;
	add_prefix(s, l, r);
	tl_buf_str(&l->buf, tl_stacks_are_user(s) ? "<user stack trace>"
						  : "<stack trace>");
	return finish(l);
}

/* ---- fields ----------------------------------------------------------- */

static const char *skip_flags(const char *at)
{
	return at + strspn(at, "-+ #0123456789.hlLqjzt");
}

/* The next one behind its flags: "x" of "%#08lx"; "" at the end. */
static const char *conversion(const char *at)
{
	while (*at && (at[0] != '%' || at[1] == '%'))
		at += *at == '%' ? 2 : 1;
	return *at ? skip_flags(at + 1) : at;
}

/* The kinds of an event's fields. */
struct kinds {
	struct tl_event_part part;
	uint8_t of[]; /* enum tl_kind, in the order of the format */
};

static const struct tl_event_part_ops kinds_ops = { .free = free };

static void set_address(const struct tl_event *ev, struct kinds *kinds,
			const struct tep_print_arg *a)
{
	const struct tep_format_field *f = ev->tep->format.fields;
	int i;

	while (a->type == TEP_PRINT_TYPE)
		a = a->typecast.item;
	for (i = 0; a->type == TEP_PRINT_FIELD && f; f = f->next, i++)
		if (f->size == sizeof(uint64_t) &&
		    !strcmp(f->name, a->field.name))
			kinds->of[i] = TL_KIND_ADDRESS;
}

/* The kernel has many addresses in an unsigned long: the print fmt tells. */
static void find_addresses(const struct tl_event *ev, struct kinds *kinds)
{
	const struct tep_print_arg *arg = ev->tep->print_fmt.args;
	const char *at = conversion(ev->tep->print_fmt.format ?: "");

	for (; arg && *at; arg = arg->next) {
		if (strchr("pxX", *at))
			set_address(ev, kinds, arg);
		at = *at == '*' ? skip_flags(at + 1) : conversion(at);
	}
}

/*
 * The arguments of a system call are registers, whose formats say that none has a
 * sign, and their print fmt shows all of them in hexadecimal: only their types
 * tell.  Of an int the upper half of the register can be anything.
 */
static enum tl_kind sign_of(const char *type)
{
	static const char *const longs[] = { "long", "off_t", "loff_t" };
	static const char *const ints[] = { "int",   "pid_t",       "clockid_t",
					    "key_t", "mqd_t",       "timer_t",
					    "rwf_t", "key_serial_t" };
	unsigned int i;

	for (i = 0; i < sizeof(longs) / sizeof(longs[0]); i++)
		if (!strcmp(type, longs[i]))
			return TL_KIND_SIGNED;
	for (i = 0; i < sizeof(ints) / sizeof(ints[0]); i++)
		if (!strcmp(type, ints[i]))
			return TL_KIND_SIGNED_32;
	return TL_KIND_PLAIN;
}

static void find_signs(const struct tl_event *ev, struct kinds *kinds)
{
	const struct tep_format_field *f = ev->tep->format.fields;
	int i;

	for (i = 0; f; f = f->next, i++)
		kinds->of[i] = sign_of(f->type);
}

static void apply(enum tl_kind kind, struct tl_field *field)
{
	field->is_signed |= kind == TL_KIND_SIGNED || kind == TL_KIND_SIGNED_32;
	if (kind != TL_KIND_SIGNED_32 || field->size <= sizeof(int32_t))
		return;
	if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
		field->offset += field->size - sizeof(int32_t);
	field->size = sizeof(int32_t);
}

struct tl_field tl_event_number(const struct tl_event *ev,
				const struct tep_format_field *f)
{
	struct tl_field field = tl_field_of(f);

	if (is_syscall(ev, "sys_enter_"))
		apply(sign_of(f->type), &field);
	return field;
}

int tl_event_kinds(struct tl_event *ev)
{
	struct kinds *kinds =
		calloc(1, sizeof(*kinds) + ev->tep->format.nr_fields);

	if (!kinds)
		return -ENOMEM;
	tl_event_part_add(ev, &kinds_ops, kinds);
	if (is_syscall(ev, "sys_enter_"))
		find_signs(ev, kinds);
	else
		find_addresses(ev, kinds);
	return 0;
}

static enum tl_type number_type(const struct tep_format_field *f,
				bool is_signed, enum tl_kind kind)
{
	if (f->flags & TEP_FIELD_IS_POINTER)
		return TL_ADDRESS;
	if (is_signed)
		return TL_INT;
	return kind == TL_KIND_ADDRESS ? TL_ADDRESS : TL_UINT;
}

bool tl_event_is_written(const struct tep_format_field *f)
{
	return f->flags & (TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_DYNAMIC) &&
	       !(f->flags & TEP_FIELD_IS_STRING);
}

/* @arena keeps a field that is written out; @l may be NULL where @f is not. */
static struct tl_value value_of(struct tl_lines *l, const struct tl_record *r,
				struct tep_format_field *f, enum tl_kind kind)
{
	struct tl_field field = tl_field_of(f);
	struct tl_value v = { .known = true, .type = TL_STR };

	apply(kind, &field);
	if (f->flags & TEP_FIELD_IS_STRING) {
		v.str = tl_field_str(r, &field);
	} else if (tl_event_is_written(f)) {
		trace_seq_reset(&l->seq);
		tep_print_field(&l->seq, padded(l, r), f);
		v.num = l->arena.len;
		v.str.len = l->seq.len;
		tl_buf_add(&l->arena, l->seq.buffer, l->seq.len);
	} else {
		v.num = tl_field_num(r, &field);
		v.type = number_type(f, field.is_signed, kind);
	}
	return v;
}

enum tl_kind tl_event_kind(const struct tl_event *ev,
			   const struct tep_format_field *f)
{
	const struct kinds *kinds = tl_event_part_find(ev, &kinds_ops);
	const struct tep_format_field *at = ev->tep->format.fields;
	int i;

	for (i = 0; at; at = at->next, i++)
		if (at == f)
			return kinds->of[i];
	return TL_KIND_PLAIN;
}

struct tl_value tl_event_value(struct tl_session *s, const struct tl_record *r,
			       struct tep_format_field *f, enum tl_kind kind)
{
	struct tl_lines *l = NULL;
	struct tl_value v;

	if (!tl_event_is_written(f))
		return value_of(NULL, r, f, kind);
	l = lines(s);
	l->arena.len = 0;
	v = value_of(l, r, f, kind);
	v.str.text = l->arena.data;
	return v;
}

const struct tl_named *tl_event_values(struct tl_session *s,
				       const struct tl_record *r, size_t *count)
{
	struct tl_lines *l = lines(s);
	const struct tl_args *args = tl_args_of(r->event);
	const struct kinds *kinds = tl_event_part_find(r->event, &kinds_ops);
	struct tep_format_field *f = r->event->tep->format.fields;
	struct tl_named *list = l->fields;
	size_t i, n = r->event->tep->format.nr_fields;

	*count = 0;
	if (args) {
		*count = args->count;
		return tl_args_values(s, r);
	}
	if (n > l->fields_size) {
		list = realloc(l->fields, n * sizeof(*list));
		if (!list)
			return NULL;
		l->fields = list;
		l->fields_size = n;
	}
	l->arena.len = 0;
	for (; f && *count < n; f = f->next, ++*count) {
		list[*count].name = f->name;
		list[*count].value = value_of(
			l, r, f, kinds ? kinds->of[*count] : TL_KIND_PLAIN);
	}
	/* the arena stands still only now */
	for (i = 0; i < *count; i++)
		if (list[i].value.type == TL_STR && !list[i].value.str.text)
			list[i].value.str.text =
				l->arena.data + list[i].value.num;
	return list;
}
