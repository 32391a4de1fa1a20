// SPDX-License-Identifier: GPL-2.0-or-later
/* biotop - top processes by block I/O */
#include <errno.h>
#include <string.h>

#include "tracelet.h"
#include "tracelet/block.h"
#include "tracelet/disk.h"
#include "tracelet/table.h"

#define MAX_ROWS 10240 /* of an interval; what is more is "[others]" */

static struct {
	bool no_clear;
	unsigned int top, count;
	uint64_t interval;
	struct tl_io_config io;
	struct tl_table *table;
} env = {
	.top = 20,
	.interval = 1000000000,
	/* who queues an I/O is who wants it */
	.io = { .queued = true, .comm = true },
};

static const struct tl_opt options[] = {
	{ 'C', "no-clear", NULL, "do not clear the screen", TL_OPT_FLAG,
	  &env.no_clear },
	TL_IO_OPTIONS(env.io, 'd', 'i'),
	{ 't', "top", "N", "only the N with most bytes (20)", TL_OPT_COUNT,
	  &env.top },
	{ 0 }
};

enum { TIME, PID, COMM, TYPE, MAJ, MIN, DISK, IO, KBYTES, BYTES, AVERAGE };

static const struct tl_column columns[] = {
	[TIME] = { "TIMEs", "time", -16, TL_TIME, TL_SHOW_DATA },
	[PID] = { "PID", "pid", -7, TL_INT, TL_SHOW_ALL },
	[COMM] = { "COMM", "comm", -16, TL_STR, TL_SHOW_ALL },
	[TYPE] = { "D", "type", -1, TL_STR, TL_SHOW_ALL, .metric = TL_LABEL },
	[MAJ] = { "MAJ", "major", -3, TL_INT, TL_SHOW_ALL },
	[MIN] = { "MIN", "minor", -3, TL_INT, TL_SHOW_ALL },
	[DISK] = { "DISK", "disk", -8, TL_STR, TL_SHOW_ALL,
		   .metric = TL_LABEL },
	[IO] = { "I/O", "count", 7, TL_INT, TL_SHOW_ALL,
		 .metric = TL_COUNTER("io", "Block I/O that was completed") },
	[KBYTES] = { "Kbytes", "kbytes", 9, TL_INT, TL_SHOW_TEXT },
	[BYTES] = { "BYTES", "bytes", 12, TL_INT, TL_SHOW_DATA,
		    .metric = TL_COUNTER("bytes", "Bytes of block I/O") },
	[AVERAGE] = { "AVGms", "latency_average", 8, TL_MSECS, TL_SHOW_ALL },
	{ 0 }
};

/* All zeroes but for what counts: it is a key. */
struct who {
	pid_t pid; /* process; 0: not known */
	uint32_t dev;
	char comm[16], type[4];
};

struct sum {
	uint64_t bytes, count, ns;
};

static void on_done(struct tl_session *s, const struct tl_io *io)
{
	/* a write that flushes before, as "FWS", is a write */
	const char *type =
		io->type + (io->type[0] == 'F' && io->type[1] == 'W');
	struct who who = { .pid = io->process, .dev = io->dev };
	struct sum *sum;

	memcpy(who.comm, io->comm, strlen(io->comm));
	who.type[0] = *type;
	sum = tl_table_at(env.table, TL_KEY(who));
	sum->count++;
	sum->bytes += io->bytes;
	sum->ns += io->end - io->start;
}

static int by_bytes(const struct tl_table_entry *a,
		    const struct tl_table_entry *b)
{
	const struct sum *x = a->value, *y = b->value;

	return tl_table_by_count(b, a)
		       ?: (x->count < y->count) - (x->count > y->count);
}

static void put(struct tl_session *s, const struct tl_table_entry *e,
		uint64_t ns)
{
	const struct who *who = (const struct who *)e->key.text;
	const struct sum *sum = e->value;

	tl_put_int(s, TIME, (int64_t)ns);
	if (who->pid)
		tl_put_int(s, PID, who->pid);
	tl_put_text(s, COMM, who->comm);
	if (*who->type) {
		tl_put_text(s, TYPE, who->type);
		tl_put_int(s, MAJ, TL_DEV_MAJOR(who->dev));
		tl_put_int(s, MIN, TL_DEV_MINOR(who->dev));
		tl_put_text(s, DISK, tl_disk_name(s, who->dev));
	}
	tl_put_int(s, IO, (int64_t)sum->count);
	tl_put_int(s, KBYTES, (int64_t)((sum->bytes + 512) / 1024));
	tl_put_int(s, BYTES, (int64_t)sum->bytes);
	tl_put_int(s, AVERAGE, (int64_t)(sum->ns / sum->count));
	tl_row(s);
}

static int on_interval(struct tl_session *s, uint64_t ns)
{
	const struct tl_table_view view = {
		.order = by_bytes,
		.top = env.top,
		.put = put,
	};

	tl_top_begin(s, ns, !env.no_clear);
	return tl_table_show(s, env.table, &view, ns);
}

static int setup(struct tl_session *s)
{
	struct who others = { .comm = "[others]" };

	env.table = tl_table_bounded(sizeof(struct sum), NULL, MAX_ROWS,
				     TL_KEY(others));
	if (!env.table)
		return -ENOMEM;
	tl_banner(s, "Tracing block I/O%s", tl_banner_who(s));
	tl_interval(s, env.interval, env.count, on_interval);
	env.io.done = on_done;
	return tl_io_open(s, &env.io);
}

static int check(struct tl_session *s)
{
	return tl_io_check(s, &env.io);
}

static const struct tl_tool biotop = {
	.name = "biotop",
	.summary = "top processes by block I/O",
	.examples = {
		{ "biotop", "who reads and writes most, again each second" },
		{ "biotop -C 10 6", "a minute, in six tables" },
		{ "biotop -i '*W*' -t 5", "the five that write most" },
	},
	.options = options,
	.operands = TL_OPERANDS_INTERVAL(env.interval, env.count),
	.columns = columns,
	.flags = TL_FILTERS_TASKS | TL_FILTERS_CPUS,
	.quiet = true,
	.check = check,
	.setup = setup,
};

TL_MAIN(biotop)
