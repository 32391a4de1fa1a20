// SPDX-License-Identifier: GPL-2.0-or-later
/* stacksums.c - times, counts or bytes by stack: as lists, folded lines, or a flame graph */
#include "tracelet/stacksums.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/part.h"
#include "base/session.h"
#include "tracelet/message.h"
#include "tracelet/run.h"
#include "tracelet/table.h"

#define MAX_SUMS 100000 /* of an interval; what is more is "[others]" */
/* of a line of a flame graph: all stacks, what stands between, and the names */
#define MAX_FRAMES (TL_STACK_SUMS_THREADS * (2 * TL_CHAIN_MAX + 2))

/* A thread in the key of a sum; there is no byte in it that is not set. */
struct member {
	struct tl_who who;
	uint32_t soft; /* as of struct tl_stack_of */
	struct tl_stack stack;
};

struct sum {
	uint64_t amount; /* ns, or what config->amount says */
	uint64_t times;
};

/* The sum of threads that were seen lately: a processor switches very often. */
struct recent {
	uint64_t generation; /* that it is of */
	unsigned int count;
	struct tl_stack_of threads[TL_STACK_SUMS_THREADS];
	struct sum *sum;
};

#define RECENT 256

struct tl_stack_sums {
	struct tl_part part;
	struct tl_session *s;
	const struct tl_stack_sums_config *config;
	struct tl_table *table; /* struct sum by members, */
	struct tl_table *named; /* and of stacks with the same names */
	struct tl_flame *flame; /* of the whole run, or NULL */
	struct tl_flame *lines; /* of an interval, while they are written */
	uint64_t times;
	struct {
		uint64_t amount, times, stacks;
	} all, shown; /* of the interval that is being shown */
	bool no_memory;
	/* one more when a thread changes, or may have, and with each interval */
	uint64_t generation;
	struct recent recent[RECENT]; /* by a hash */
};

/* ---- columns ---------------------------------------------------------- */

enum {
	TIME,
	PID,
	TID,
	COMM,
	CPU,
	CGROUP,
	TOTAL,
	BYTES,
	COUNT,
	KERNEL,
	USER,
	WAKERS,
};
/* of each waker */
enum { WAKER, WAKER_ID, WAKER_KERNEL, WAKER_USER, WAKER_COLUMNS };

#define COLUMN(head, key, type)                   \
	{                                         \
		head, key, 0, type, TL_SHOW_NEVER \
	}
#define COLUMNS_OF(n)                                                   \
	COLUMN("WAKER" n, "waker" n, TL_STR),                           \
		COLUMN("WAKERID" n, "waker" n "_id", TL_INT),           \
		COLUMN("WAKERKERNEL" n, "waker" n "_kernel", TL_STACK), \
		COLUMN("WAKERUSER" n, "waker" n "_user", TL_STACK)

const struct tl_column tl_stack_sums_columns[] = {
	[TIME] = { "TIMEs", "time", 0, TL_TIME, TL_SHOW_DATA },
	TL_BY_COLUMNS,
	[TOTAL] = { "TOTALus", "total", 0, TL_USECS, TL_SHOW_DATA },
	[BYTES] = { "BYTES", "bytes", 0, TL_UINT, TL_SHOW_NEVER },
	[COUNT] = { "COUNT", "count", 0, TL_INT, TL_SHOW_DATA },
	[KERNEL] = { "KERNEL", "kernel", 0, TL_STACK, TL_SHOW_NEVER },
	[USER] = { "USER", "user", 0, TL_STACK, TL_SHOW_NEVER },
	[WAKERS] = COLUMNS_OF(""),
	COLUMNS_OF("2"),
	COLUMNS_OF("3"),
	COLUMNS_OF("4"),
	{ 0 }
};

static void show_stacks(struct tl_session *s, unsigned int kinds,
			unsigned int kernel, unsigned int user)
{
	if (kinds & TL_STACK_KERNEL)
		tl_column_show(s, kernel, TL_SHOW_DATA);
	if (kinds & TL_STACK_USER)
		tl_column_show(s, user, TL_SHOW_DATA);
}

static void show_columns(struct tl_session *s,
			 const struct tl_stack_sums_config *c)
{
	const unsigned int kinds =
		tl_stack_sums_kinds(c) | (c->titled ? TL_STACK_KERNEL : 0);
	unsigned int i, at = WAKERS;

	tl_show_by(s, c->by, TL_SHOW_DATA);
	if (c->amount != TL_STACK_NS)
		tl_column_show(s, TOTAL, TL_SHOW_NEVER);
	if (c->amount == TL_STACK_BYTES)
		tl_column_show(s, BYTES, TL_SHOW_DATA);
	if (c->layout != TL_STACK_WAKER)
		show_stacks(s, kinds, KERNEL, USER);
	for (i = 0; i < c->others; i++, at += WAKER_COLUMNS) {
		tl_column_show(s, at + WAKER, TL_SHOW_DATA);
		if (c->by != TL_BY_NAME)
			tl_column_show(s, at + WAKER_ID, TL_SHOW_DATA);
		show_stacks(s, kinds, at + WAKER_KERNEL, at + WAKER_USER);
	}
}

/* ---- sums ------------------------------------------------------------- */

static const struct tl_who interrupt = { 0, "<interrupt>" };

/* The word that says why there is no stack stands where stacks are shown. */
static struct tl_stack shown_of(const struct tl_stack_sums_config *c,
				const struct tl_stack *stack)
{
	if (c->user_only && !c->titled && !stack->user)
		return (struct tl_stack){ .user = stack->kernel };
	return *stack;
}

static struct member member_of(struct tl_session *s,
			       const struct tl_stack_sums_config *c,
			       const struct tl_stack_of *thread)
{
	struct member m = { .soft = thread->soft,
			    .stack = shown_of(c, &thread->stack) };
	struct tl_who who = interrupt;

	if (thread->tid != TL_INTERRUPT)
		who = tl_who_of(s, thread->tid, c->by);
	memcpy(&m.who, &who, sizeof(who));
	return m;
}

static struct recent *recent_of(struct tl_stack_sums *sums,
				const struct tl_stack_of threads[],
				unsigned int count)
{
	uint64_t hash = count;
	unsigned int i;

	for (i = 0; i < count; i++)
		hash = (hash ^ (uint32_t)threads[i].tid ^
			(uintptr_t)threads[i].stack.kernel ^
			(uintptr_t)threads[i].stack.user >> 4) *
		       0x9e3779b97f4a7c15U;
	return &sums->recent[hash >> 56];
}

static bool is_same(const struct tl_stack_of *a, const struct tl_stack_of *b)
{
	return a->tid == b->tid && a->soft == b->soft &&
	       a->stack.kernel == b->stack.kernel &&
	       a->stack.user == b->stack.user;
}

static bool is_of(const struct recent *r, uint64_t generation,
		  const struct tl_stack_of threads[], unsigned int count)
{
	unsigned int i;

	if (r->generation != generation || r->count != count)
		return false;
	for (i = 0; i < count; i++)
		if (!is_same(&r->threads[i], &threads[i]))
			return false;
	return true;
}

__attribute__((noinline)) static void find(struct tl_session *s,
					   struct tl_stack_sums *sums,
					   const struct tl_stack_of threads[],
					   unsigned int count, struct recent *r)
{
	struct member key[TL_STACK_SUMS_THREADS];
	bool known = true; /* all names */
	unsigned int i;

	for (i = 0; i < count; i++) {
		key[i] = member_of(s, sums->config, &threads[i]);
		known &= strcmp(key[i].who.comm, "<...>") != 0;
		r->threads[i] = threads[i];
	}
	r->generation = known ? sums->generation : 0;
	r->count = count;
	r->sum = tl_table_at(
		sums->table,
		(struct tl_str){ (const char *)key, count * sizeof(*key) });
}

void tl_stack_sums_add(struct tl_session *s, struct tl_stack_sums *sums,
		       const struct tl_stack_of threads[], unsigned int count,
		       uint64_t amount, uint64_t times)
{
	struct recent *r = recent_of(sums, threads, count);
	struct sum *sum;

	if (!is_of(r, sums->generation, threads, count))
		find(s, sums, threads, count, r);
	sum = r->sum;
	sum->amount += amount;
	sum->times += times;
	sums->times += times;
}

/* ---- text ------------------------------------------------------------- */

static struct tl_stack_sums *sums_of(const struct tl_session *s);

static void print_names(struct tl_session *s, const struct tl_chain *chain,
			bool innermost_first)
{
	static struct tl_str names[TL_CHAIN_MAX];
	size_t i, at, count = tl_chain_names(chain, names);

	for (i = 0; i < count; i++) {
		at = innermost_first ? i : count - 1 - i;
		tl_print(s, "    %.*s", (int)names[at].len, names[at].text);
	}
}

static void print_stack(struct tl_session *s, const struct tl_stack *stack,
			bool innermost_first)
{
	const struct tl_chain *first =
		innermost_first ? stack->kernel : stack->user;
	const struct tl_chain *last =
		innermost_first ? stack->user : stack->kernel;

	print_names(s, first, innermost_first);
	if (first && last)
		tl_print(s, "    --");
	print_names(s, last, innermost_first);
}

/* A name of the kernel has 16 bytes; numbers and brackets come behind it. */
struct who_text {
	char text[sizeof(((struct tl_who *)0)->comm) + 16];
};

static struct who_text text_of(const struct tl_stack_sums_config *c,
			       const struct member *m)
{
	struct who_text t;

	if (c->by == TL_BY_CPU && !*m->who.comm)
		snprintf(t.text, sizeof(t.text), "cpu %d", m->who.pid);
	else if (m->who.pid)
		snprintf(t.text, sizeof(t.text), "%s (%d)", m->who.comm,
			 m->who.pid);
	else
		snprintf(t.text, sizeof(t.text), "%s", m->who.comm);
	return t;
}

static void print_who(struct tl_session *s, const char *what,
		      const struct member *m)
{
	const struct who_text who = text_of(sums_of(s)->config, m);

	tl_print(s, "    %-16s %s", what, who.text);
}

static void print_chain(struct tl_session *s, const struct member *m,
			size_t count)
{
	size_t i;

	for (i = count; --i > 0;) {
		print_who(s, "waker:", &m[i]);
		print_stack(s, &m[i].stack, false);
		tl_print(s, "    --               --");
	}
	print_stack(s, &m->stack, true);
	print_who(s, "target:", m);
}

/* What a share is of: bytes, or how often. */
static uint64_t of_share(const struct tl_stack_sums *sums, uint64_t amount,
			 uint64_t times)
{
	return sums->config->amount == TL_STACK_BYTES ? amount : times;
}

/* "      372  74.7%  ", and of bytes "     4096  74.7%  in 372 calls  " */
static void share_text(const struct tl_stack_sums *sums, uint64_t amount,
		       uint64_t times, char *text, size_t size)
{
	const char *unit = sums->config->unit;
	const uint64_t part = of_share(sums, amount, times);
	const uint64_t all = of_share(sums, sums->all.amount, sums->all.times);
	int n = snprintf(text, size, "%9llu %5.1f%%  ",
			 (unsigned long long)part,
			 all ? 100. * (double)part / (double)all : 0);

	if (sums->config->amount == TL_STACK_BYTES)
		/* "1 call" */
		snprintf(text + n, size - n, "in %llu %.*s  ",
			 (unsigned long long)times,
			 (int)strlen(unit) - (times == 1), unit);
}

static void print_share(struct tl_session *s, const struct member *m,
			const struct sum *sum)
{
	struct tl_stack_sums *sums = sums_of(s);
	const struct who_text who = text_of(sums->config, m);
	char share[96];

	sums->shown.amount += sum->amount;
	sums->shown.times += sum->times;
	sums->shown.stacks++;
	share_text(sums, sum->amount, sum->times, share, sizeof(share));
	tl_print(s, "%s%s", share, who.text);
	print_stack(s, &m->stack, true);
	tl_print(s, "%s", "");
}

/* What --top has left out. */
static void print_rest(struct tl_session *s)
{
	const struct tl_stack_sums *sums = sums_of(s);
	const uint64_t stacks = sums->all.stacks - sums->shown.stacks;
	char share[96];

	if (!stacks)
		return;
	share_text(sums, sums->all.amount - sums->shown.amount,
		   sums->all.times - sums->shown.times, share, sizeof(share));
	tl_print(s, "%s%s %llu other stack%s", share,
		 sums->config->amount == TL_STACK_BYTES ? "of" : "in",
		 (unsigned long long)stacks, stacks == 1 ? "" : "s");
}

static void print_sum(struct tl_session *s,
		      const struct tl_stack_sums_config *c,
		      const struct member *m, size_t count,
		      const struct sum *sum)
{
	switch (c->layout) {
	case TL_STACK_ONE:
		print_stack(s, &m->stack, true);
		print_who(s, "-", m);
		break;
	case TL_STACK_WAKER:
		print_who(s, "target:", m);
		if (count < 2)
			break;
		print_stack(s, &m[1].stack, true);
		print_who(s, "waker:", &m[1]);
		break;
	case TL_STACK_CHAIN:
		print_chain(s, m, count);
		break;
	case TL_STACK_TABLE:
		print_share(s, m, sum);
		return;
	}
	tl_print(s, "        %lld",
		 (long long)tl_usec_of((int64_t)sum->amount));
	tl_print(s, "%s", "");
}

/* ---- JSON and CSV ----------------------------------------------------- */

static void put_names(struct tl_session *s, unsigned int col,
		      const struct tl_chain *chain, struct tl_named list[])
{
	static struct tl_str names[TL_CHAIN_MAX];
	size_t i, count = tl_chain_names(chain, names);

	for (i = 0; i < count; i++)
		list[i].value = (struct tl_value){ .type = TL_STR,
						   .known = true,
						   .str = names[i] };
	if (chain)
		tl_put_list(s, col, list, count, false);
}

/* The lists live until the row is written. */
static void put_row(struct tl_session *s, const struct tl_stack_sums_config *c,
		    const struct member *m, size_t count, const struct sum *sum,
		    uint64_t ns)
{
	static struct tl_named lists[2 * TL_STACK_SUMS_THREADS][TL_CHAIN_MAX];
	unsigned int at = WAKERS;
	size_t i;

	tl_put_int(s, TIME, (int64_t)ns);
	tl_put_by(s, c->by, &m->who);
	tl_put_int(s, TOTAL, (int64_t)sum->amount);
	tl_put_int(s, BYTES, (int64_t)sum->amount);
	tl_put_int(s, COUNT, (int64_t)sum->times);
	put_names(s, KERNEL, m->stack.kernel, lists[0]);
	put_names(s, USER, m->stack.user, lists[1]);
	for (i = 1; i < count; i++, at += WAKER_COLUMNS) {
		tl_put_text(s, at + WAKER, m[i].who.comm);
		if (m[i].who.pid)
			tl_put_int(s, at + WAKER_ID, m[i].who.pid);
		put_names(s, at + WAKER_KERNEL, m[i].stack.kernel,
			  lists[2 * i]);
		put_names(s, at + WAKER_USER, m[i].stack.user,
			  lists[2 * i + 1]);
	}
	tl_row(s);
}

/* ---- flame graphs ----------------------------------------------------- */

struct frames {
	struct tl_str list[MAX_FRAMES];
	unsigned int count;
	struct who_text text[TL_STACK_SUMS_THREADS];
	unsigned int names;
};

static void add_frame(struct frames *f, struct tl_str name)
{
	f->list[f->count++] = name;
}

static void add_who(const struct tl_stack_sums_config *c, struct frames *f,
		    const struct member *m)
{
	struct who_text *who = &f->text[f->names++];

	*who = text_of(c, m);
	add_frame(f, (struct tl_str){ who->text, strlen(who->text) });
}

static void add_names(struct frames *f, const struct tl_chain *chain,
		      bool innermost_first)
{
	static struct tl_str names[TL_CHAIN_MAX];
	size_t i, count = tl_chain_names(chain, names);

	for (i = 0; i < count; i++)
		add_frame(f, names[innermost_first ? i : count - 1 - i]);
}

/* From the thread to where it sleeps, and on, the other way round, to who woke it. */
static void add_members(const struct tl_stack_sums_config *c, struct frames *f,
			const struct member *m, size_t count)
{
	size_t i;

	add_who(c, f, m);
	add_names(f, m->stack.user, false);
	add_names(f, m->stack.kernel, false);
	for (i = 1; i < count; i++) {
		add_frame(f, (struct tl_str){ TL_FLAME_WOKEN,
					      strlen(TL_FLAME_WOKEN) });
		add_names(f, m[i].stack.kernel, true);
		add_names(f, m[i].stack.user, true);
		add_who(c, f, &m[i]);
	}
}

/* As wakeuptime of bcc: from the waker to what it woke. */
static void add_waker_first(const struct tl_stack_sums_config *c,
			    struct frames *f, const struct member *m,
			    size_t count)
{
	if (count > 1) {
		add_who(c, f, &m[1]);
		add_names(f, m[1].stack.user, false);
		add_names(f, m[1].stack.kernel, false);
	}
	add_who(c, f, m);
}

static void add_flame(struct tl_stack_sums *sums, struct tl_flame *flame,
		      const struct member *m, size_t count, uint64_t amount)
{
	const struct tl_stack_sums_config *c = sums->config;
	static struct frames f;

	f.count = f.names = 0;
	if (c->layout == TL_STACK_WAKER)
		add_waker_first(c, &f, m, count);
	else
		add_members(c, &f, m, count);
	if (tl_flame_add(flame, f.list, f.count, amount))
		sums->no_memory = true;
}

/* ---- output ----------------------------------------------------------- */

static void put(struct tl_session *s, const struct tl_table_entry *e,
		uint64_t ns)
{
	struct tl_stack_sums *sums = sums_of(s);
	const struct member *m = (const struct member *)e->key.text;
	const size_t count = e->key.len / sizeof(*m);
	const struct sum *sum = e->value;

	if (sums->flame)
		add_flame(sums, sums->flame, m, count, sum->amount);
	if (sums->lines)
		add_flame(sums, sums->lines, m, count, sum->amount);
	else if (tl_data_format(s))
		put_row(s, sums->config, m, count, sum, ns);
	else if (!sums->flame)
		print_sum(s, sums->config, m, count, sum);
}

/* Returns whether it is what a thread did: nobody is behind an interrupt. */
static bool name_member(struct tl_session *s, struct member *m)
{
	m->stack.kernel = tl_chain_named(s, m->stack.kernel);
	m->stack.user = tl_chain_named(s, m->stack.user);
	if (!m->soft)
		return true;
	m->soft = false;
	if (!tl_chain_is_interrupt(m->stack.kernel))
		return true;
	m->who = interrupt;
	m->stack.user = NULL;
	return false;
}

/* Two stacks that differ in addresses only are one here. */
static void add_named(void *ctx, struct tl_str key, void *value)
{
	const size_t all = key.len / sizeof(struct member);
	struct member m[TL_STACK_SUMS_THREADS];
	struct tl_stack_sums *sums = ctx;
	const struct sum *sum = value;
	struct sum *to;
	size_t i = 0;

	memcpy(m, key.text, key.len);
	while (i < all && name_member(sums->s, &m[i]))
		i++;
	i += i < all;
	to = tl_table_at(sums->named,
			 (struct tl_str){ (const char *)m, i * sizeof(*m) });
	sums->all.stacks += !to->times;
	sums->all.times += sum->times;
	sums->all.amount += sum->amount;
	to->amount += sum->amount;
	to->times += sum->times;
}

static int show_folded(struct tl_session *s, struct tl_stack_sums *sums)
{
	const struct tl_stack_sums_config *c = sums->config;
	int ret = tl_flame_folded(s, sums->lines,
				  c->amount != TL_STACK_NS
					  ? 1
					  : c->folded_ns ?: 1000);

	tl_flame_end(s, sums->lines, "", 0, "");
	sums->lines = NULL;
	return ret;
}

static int most_first(const struct tl_table_entry *a,
		      const struct tl_table_entry *b)
{
	return tl_table_by_count(b, a);
}

static bool is_text(const struct tl_session *s,
		    const struct tl_stack_sums *sums)
{
	return !sums->lines && !sums->flame && !s->set.json && !s->set.csv;
}

int tl_stack_sums_show(struct tl_session *s, struct tl_stack_sums *sums,
		       uint64_t ns)
{
	const struct tl_stack_sums_config *c = sums->config;
	struct tl_table_view view = { .order = tl_table_by_count, .put = put };
	int ret, err = 0;

	sums->generation++;
	memset(&sums->all, 0, sizeof(sums->all));
	memset(&sums->shown, 0, sizeof(sums->shown));
	if (c->folded) {
		sums->lines = tl_flame_open(s, NULL);
		if (!sums->lines)
			return -ENOMEM;
	}
	if (c->layout == TL_STACK_TABLE && is_text(s, sums)) {
		view.order = most_first;
		view.top = (unsigned int)c->top;
	}
	tl_table_each(sums->table, add_named, sums);
	tl_table_clear(sums->table);
	ret = tl_table_show(s, sums->named, &view, ns);
	if (c->layout == TL_STACK_TABLE && is_text(s, sums))
		print_rest(s);
	if (sums->lines)
		err = show_folded(s, sums);
	return err ?: ret;
}

int tl_stack_sums_end(struct tl_session *s, struct tl_stack_sums *sums)
{
	const struct tl_stack_sums_config *c = sums->config;
	int ret = 0;

	if (sums->flame)
		ret = tl_flame_end(s, sums->flame, c->title, sums->times,
				   c->unit);
	sums->flame = NULL;
	if (!ret && sums->no_memory)
		ret = tl_fail(ENOMEM, "out of memory: some stacks are missing");
	return ret;
}

/* ---- set-up ----------------------------------------------------------- */

static void free_sums(void *part)
{
	struct tl_stack_sums *sums = part;

	tl_flame_free(sums->flame);
	tl_flame_free(sums->lines);
	tl_table_free(sums->table);
	tl_table_free(sums->named);
	free(sums);
}

/* Who a thread is, for the sums, may be another now. */
static void on_task(struct tl_session *s, void *part, pid_t tid,
		    enum tl_task_change change, uint64_t ns)
{
	struct tl_stack_sums *sums = part;

	sums->generation++;
}

/* So it may be when records were lost: nothing tells of changes in the gap. */
static void on_lost(struct tl_session *s, void *part, unsigned int cpu)
{
	struct tl_stack_sums *sums = part;

	sums->generation++;
}

static const struct tl_part_ops sums_ops = { .lost = on_lost,
					     .task = on_task,
					     .free = free_sums };

static struct tl_stack_sums *sums_of(const struct tl_session *s)
{
	return tl_part_find(s, &sums_ops);
}

unsigned int tl_stack_sums_kinds(const struct tl_stack_sums_config *c)
{
	return (c->user_only ? 0 : TL_STACK_KERNEL) |
	       (c->kernel_only ? 0 : TL_STACK_USER);
}

int tl_stack_sums_args(struct tl_session *s, struct tl_stack_sums_config *c)
{
	if (c->by == TL_STACK_SUMS_BY_DEFAULT)
		c->by = c->folded || c->flame ? TL_BY_NAME : TL_BY_TID;
	if (c->folded && tl_data_format(s))
		return tl_usage("-f is for text: not with %s",
				tl_data_format(s));
	if (c->flame && s->set.write)
		return tl_usage("--flamegraph is not for -w, which shows "
				"nothing: draw it with -r");
	return c->flame ? tl_flame_check(s, c->flame) : 0;
}

/* What its frames are wide by. */
static const char *flame_unit(const struct tl_stack_sums_config *c)
{
	static const char *const units[] = {
		[TL_STACK_NS] = NULL, [TL_STACK_BYTES] = "bytes"
	};

	return c->amount == TL_STACK_TIMES ? c->unit : units[c->amount];
}

struct tl_stack_sums *tl_stack_sums_open(struct tl_session *s,
					 const struct tl_stack_sums_config *c)
{
	const struct member others = { .who = { 0, "[others]" } };
	const struct tl_flame_look look = { .palette = c->palette,
					    .unit = flame_unit(c) };
	struct tl_stack_sums *sums = tl_part_new(s, &sums_ops, sizeof(*sums));

	errno = ENOMEM;
	if (!sums)
		return NULL;
	sums->s = s;
	sums->config = c;
	sums->generation = 1;
	sums->table = tl_table_bounded(sizeof(struct sum), NULL, MAX_SUMS,
				       TL_KEY(others));
	sums->named = tl_table_bounded(sizeof(struct sum), NULL, MAX_SUMS,
				       TL_KEY(others));
	if (!sums->table || !sums->named)
		return NULL;
	show_columns(s, c);
	if (c->folded)
		tl_banner_none(s);
	else if (c->what)
		tl_banner(s, "Tracing %s%s %s", c->what, tl_banner_for(s),
			  c->how);
	if (!c->flame)
		return sums;
	sums->flame = tl_flame_open(s, c->flame);
	errno = EIO;
	if (!sums->flame)
		return NULL;
	tl_flame_look(sums->flame, &look);
	return sums;
}
