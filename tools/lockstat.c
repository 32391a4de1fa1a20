// SPDX-License-Identifier: GPL-2.0-or-later
/* lockstat - sum up the time that threads wait for locks of the kernel */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "tracelet.h"
#include "tracelet/heatmap.h"
#include "tracelet/lock.h"
#include "tracelet/stacksums.h"
#include "tracelet/symbol.h"
#include "tracelet/table.h"

#define MAX_SUMS 65536 /* of an interval */

#define KINDS     "mutex|rwsem|semaphore|spinlock|rwlock|percpu-rwsem|rtmutex"
#define ALL_KINDS 7 /* so many words, in the order of enum tl_lock_kind */

static struct {
	bool stacks;
	unsigned int top, kind, count; /* @kind: place in KINDS */
	uint64_t interval, min;
	struct tl_stack_sums_config shown;
	struct tl_locks_config locks;
	struct tl_stack_sums *sums; /* NULL: a table */
	struct tl_table *seen;      /* struct sum by struct seen */
	struct tl_table *rows;      /* the same by struct row: by names */
} env = {
	.top = 20,
	.kind = ALL_KINDS,
	.shown = { .by = TL_STACK_SUMS_BY_DEFAULT,
		   .layout = TL_STACK_ONE,
		   .palette = TL_FLAME_SLEEPS,
		   .what = "waits for locks",
		   .how = "by stack",
		   .title = "Waits for locks",
		   .unit = "waits" },
};

static const struct tl_opt options[] = {
	{ 'k', "kind", KINDS, "only locks of this kind", TL_OPT_WORD,
	  &env.kind },
	{ 'm', "min", "USECS", "only waits that take as long", TL_OPT_USECS,
	  &env.min },
	{ 's', "stacks", NULL, "by stack, no table", TL_OPT_FLAG, &env.stacks },
	TL_STACK_SUMS_OPTIONS_BY(env.shown, TL_STACK_SUMS_BY,
				 "all together; by stack: thread"),
	{ 0, "top", "N",
	  "in text, only the N that are waited for longest (20); 0: all",
	  TL_OPT_UINT, &env.top },
	{ 0 }
};

enum {
	TIME,
	PID,
	TID,
	COMM,
	CPU,
	CGROUP,
	WAITS,
	TOTAL,
	AVERAGE,
	MAX,
	KIND,
	LOCK,
	CALLER
};

static const struct tl_column columns[] = {
	[TIME] = { "TIMEs", "time", -16, TL_TIME, TL_SHOW_DATA },
	TL_BY_COLUMNS,
	[WAITS] = { "WAITS", "waits", 8, TL_INT,
		    .metric = TL_COUNTER("waits",
					 "Waits for locks of the kernel") },
	[TOTAL] = { "TOTAL(us)", "total", 12, TL_NSECS,
		    .metric =
			    TL_COUNTER("wait_seconds", "How long these took") },
	[AVERAGE] = { "AVG(us)", "average", 10, TL_NSECS },
	[MAX] = { "MAX(us)", "max", 12, TL_NSECS },
	[KIND] = { "KIND", "kind", -18, TL_STR, .metric = TL_LABEL },
	[LOCK] = { "LOCK", "lock", -24, TL_STR, .metric = TL_LABEL },
	[CALLER] = { "CALLER", "caller", 0, TL_STR, .metric = TL_LABEL },
	{ 0 }
};

/* ---- sums ------------------------------------------------------------- */

/* Locks and stacks have no names yet: to read these takes long. */
struct seen {
	const struct tl_chain
		*stack; /* first: those of one stack follow each other */
	uint64_t lock;
	const char *kind;
	struct tl_who who;
};

#define NAME_SIZE 128

struct row {
	char kind[24];
	char lock[NAME_SIZE], caller[NAME_SIZE]; /* "": it has none */
	struct tl_who who;
};

struct sum {
	uint64_t total, count, max; /* ns, but for the count */
};

static void add(struct sum *to, const struct sum *sum)
{
	to->total += sum->total;
	to->count += sum->count;
	if (sum->max > to->max)
		to->max = sum->max;
}

static void count(struct tl_session *s, const struct tl_lock_wait *wait)
{
	const uint64_t ns = wait->to - wait->since;
	struct tl_who who = { .comm = "<interrupt>" };
	struct seen key;
	struct sum *sum;

	if (env.shown.by == TL_BY_NOTHING)
		memset(&who, 0, sizeof(who));
	else if (wait->thread.tid != TL_INTERRUPT)
		who = tl_who_of(s, wait->thread.tid, env.shown.by);
	memset(&key, 0, sizeof(key));
	key.lock = wait->lock;
	key.stack = wait->thread.stack.kernel;
	key.kind = wait->name;
	memcpy(&key.who, &who, sizeof(who));
	sum = tl_table_at(env.seen, TL_KEY(key));
	if (sum)
		add(sum, &(const struct sum){ ns, 1, ns });
}

static void on_wait(struct tl_session *s, const struct tl_lock_wait *wait)
{
	const uint64_t ns = wait->to - wait->since;

	if (ns < env.min)
		return;
	tl_pictured(s, wait->to, ns);
	if (env.sums)
		tl_stack_sums_add(s, env.sums, &wait->thread, 1, ns, 1);
	else
		count(s, wait);
}

/* ---- names ------------------------------------------------------------ */

/* Functions that make up the locks, and what traces them, stand above who called them. */
static bool is_of_lock(const char *name)
{
	static const char *const patterns[] = {
		"lock:contention_*",
		"*trace*contention_*",
		"*lock*_slowpath*",
		"rwsem_*",
		"mutex_*lock*",
		"__mutex_*",
		"ww_mutex_*",
		"__ww_mutex_*",
		"down",
		"down_*",
		"__down*",
		"_raw_*lock*",
		"__raw_*lock*",
		"do_raw_*lock*",
		"native_queued_spin_*",
		"queued_spin_*",
		"queued_read_*",
		"queued_write_*",
		"__pv_queued_spin_*",
		"osq_lock*",
		"percpu_down_*",
		"__percpu_down_*",
		"percpu_rwsem_wait*",
		"rt_mutex_*",
		"__rt_mutex_*",
		"rt_spin_*lock*",
		"rt_read_*lock*",
		"rt_write_*lock*",
		"rtlock_*",
		"rwbase_*",
	};
	size_t i;

	for (i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		if (!fnmatch(patterns[i], name, 0))
			return true;
	return false;
}

static void copy_name(char to[NAME_SIZE], const struct tl_str *name)
{
	snprintf(to, NAME_SIZE, "%.*s", (int)name->len, name->text);
}

static void find_caller(struct tl_session *s, const struct tl_chain *stack,
			char caller[NAME_SIZE])
{
	static struct tl_str names[TL_CHAIN_MAX];
	size_t i, count;

	stack = tl_chain_named(s, stack);
	count = stack ? tl_chain_names(stack, names) : 0;
	for (i = 0; i < count; i++) {
		copy_name(caller, &names[i]);
		if (!is_of_lock(caller))
			return;
	}
}

/* That of the last stack is kept: one stack can have very many locks. */
static const char *caller_of(struct tl_session *s, const struct tl_chain *stack)
{
	static const struct tl_chain *last;
	static char caller[NAME_SIZE];

	if (stack == last)
		return caller;
	last = stack;
	*caller = '\0';
	find_caller(s, stack, caller);
	return caller;
}

static void find_lock(struct tl_session *s, uint64_t lock, char to[NAME_SIZE])
{
	uint64_t offset = 0;
	const char *name = lock ? tl_symbol_data(s, lock, &offset) : NULL;

	if (name && offset)
		snprintf(to, NAME_SIZE, "%s+0x%llx", name,
			 (unsigned long long)offset);
	else if (name)
		snprintf(to, NAME_SIZE, "%s", name);
}

static void give_names(void *ctx, struct tl_str key, void *value)
{
	const struct seen *seen = (const struct seen *)key.text;
	struct sum *sum;
	struct row row;

	memset(&row, 0, sizeof(row));
	snprintf(row.kind, sizeof(row.kind), "%s", seen->kind);
	row.who = seen->who;
	find_lock(ctx, seen->lock, row.lock);
	snprintf(row.caller, sizeof(row.caller), "%s",
		 caller_of(ctx, seen->stack));
	sum = tl_table_at(env.rows, TL_KEY(row));
	if (sum)
		add(sum, value);
}

/* ---- output ----------------------------------------------------------- */

static int most_first(const struct tl_table_entry *a,
		      const struct tl_table_entry *b)
{
	return tl_table_by_count(b, a);
}

static void put_row(struct tl_session *s, const struct tl_table_entry *e,
		    uint64_t ns)
{
	const struct row *row = (const struct row *)e->key.text;
	const struct sum *sum = e->value;

	tl_put_int(s, TIME, (int64_t)ns);
	if (env.shown.by != TL_BY_NOTHING)
		tl_put_by(s, env.shown.by, &row->who);
	tl_put_int(s, WAITS, (int64_t)sum->count);
	tl_put_int(s, TOTAL, (int64_t)sum->total);
	tl_put_int(s, AVERAGE, (int64_t)(sum->total / sum->count));
	tl_put_int(s, MAX, (int64_t)sum->max);
	tl_put_text(s, KIND, row->kind);
	if (*row->lock)
		tl_put_text(s, LOCK, row->lock);
	if (*row->caller)
		tl_put_text(s, CALLER, row->caller);
	tl_row(s);
}

static int show_table(struct tl_session *s, uint64_t ns)
{
	const struct tl_table_view view = { .order = most_first,
					    .top = tl_data_format(s) ? 0
								     : env.top,
					    .put = put_row,
					    .counts = "waits",
					    .keys = "locks and callers" };

	tl_table_each(env.seen, give_names, s);
	tl_table_clear(env.seen);
	tl_print(s, "%s", "");
	tl_header(s);
	return tl_table_show(s, env.rows, &view, ns);
}

static int on_interval(struct tl_session *s, uint64_t ns)
{
	tl_locks_cut(s, ns);
	return env.sums ? tl_stack_sums_show(s, env.sums, ns)
			: show_table(s, ns);
}

static int on_end(struct tl_session *s)
{
	return env.sums ? tl_stack_sums_end(s, env.sums) : 0;
}

/* ---- set-up ----------------------------------------------------------- */

static bool is_table(void)
{
	return !env.stacks && !env.shown.folded && !env.shown.flame;
}

static int open_table(struct tl_session *s)
{
	struct seen others;

	memset(&others, 0, sizeof(others));
	others.kind = "[others]";
	env.seen = tl_table_bounded(sizeof(struct sum), NULL, MAX_SUMS,
				    TL_KEY(others));
	env.rows = tl_table_new(sizeof(struct sum), NULL);
	if (!env.seen || !env.rows)
		return -ENOMEM;
	tl_table_limit(env.rows, MAX_SUMS);
	if (env.shown.by != TL_BY_NOTHING)
		tl_show_by(s, env.shown.by, TL_SHOW_ALL);
	tl_banner(s, "Tracing waits for locks%s", tl_banner_for(s));
	return 0;
}

static int open_stacks(struct tl_session *s)
{
	if (tl_columns(s, TL_STACK_SUMS_COLUMNS))
		return -ENOMEM;
	env.sums = tl_stack_sums_open(s, &env.shown);
	return env.sums ? 0 : -errno;
}

static int setup(struct tl_session *s)
{
	/* a capture has names of locks, whatever was shown when it was made */
	int ret = tl_symbols_open_data(s)
			  ?: is_table() ? open_table(s)
					: open_stacks(s);

	tl_interval(s, env.interval, env.count, on_interval);
	return ret ?: tl_locks_open(s, &env.locks);
}

static int check(struct tl_session *s)
{
	return tl_locks_check(s, &env.locks);
}

static int args(struct tl_session *s, int argc, char **argv)
{
	if (is_table() && (env.shown.kernel_only || env.shown.user_only))
		return tl_usage("-K and -U are for stacks: with -s, -f or "
				"--flamegraph");
	env.locks = (struct tl_locks_config){
		.stacks = is_table() ? TL_STACK_KERNEL
				     : tl_stack_sums_kinds(&env.shown),
		.kinds = env.kind < ALL_KINDS ? 1U << env.kind
					      : (1U << ALL_KINDS) - 1,
		.waited = on_wait,
	};
	return is_table() ? 0 : tl_stack_sums_args(s, &env.shown);
}

static const struct tl_tool lockstat = {
	.name = "lockstat",
	.summary = "sum up the time that threads wait for locks of the kernel",
	.examples = {
		{ "lockstat", "which locks, and who wants them, at Ctrl-C" },
		{ "lockstat --by=process -k rwsem 5",
		  "each 5 seconds, read-write semaphores and which processes" },
		{ "lockstat --flamegraph=locks.svg -d 30",
		  "30 seconds as a picture of stacks" },
	},
	.options = options,
	.operands = TL_OPERANDS_INTERVAL(env.interval, env.count),
	.columns = columns,
	.pictured = { .unit = "waits",
		      .latency = "Waits for locks",
		      .told = true },
	.flags = TL_FILTERS_CPUS,
	.buffer_kb = 16384,
	.quiet = true,
	.args = args,
	.check = check,
	.setup = setup,
	.end = on_end,
};

TL_MAIN(lockstat)
