// SPDX-License-Identifier: GPL-2.0-or-later
/* iosnoop - trace block I/O with its latency */
#include <errno.h>
#include <stdio.h>

#include "tracelet.h"
#include "tracelet/block.h"
#include "tracelet/disk.h"

static struct {
	struct tl_io_config io;
	bool start, end, names, error;
	bool data;    /* JSON or CSV, which have all columns */
	uint64_t min; /* ns */
} env;

static const struct tl_opt options[] = {
	TL_IO_OPTIONS(env.io, 'd', 'i'),
	TL_IO_QUEUED(env.io),
	{ 's', NULL, NULL, "show the time of the start", TL_OPT_FLAG,
	  &env.start },
	{ 't', NULL, NULL, "show the time of the end", TL_OPT_FLAG, &env.end },
	{ 0, "bio", NULL, "trace bios: dm, md and loop devices show up too",
	  TL_OPT_FLAG, &env.io.bio, "from" },
	{ 0, "disk", NULL, "show names of disks, not their numbers",
	  TL_OPT_FLAG, &env.names },
	{ 0, "error", NULL, "show the error", TL_OPT_FLAG, &env.error },
	{ 0, "min", "MS", "only I/O that took at least MS milliseconds",
	  TL_OPT_MSECS, &env.min },
	{ 0 }
};

enum {
	START,
	END,
	COMM,
	PID,
	TID,
	TYPE,
	DEV,
	DISK,
	BLOCK,
	BYTES,
	LATENCY,
	QUEUED,
	ERROR,
	REQUEUES
};

static const struct tl_column columns[] = {
	[START] = { "STARTs", "start", -15, TL_TIME, TL_SHOW_DATA, &env.start,
		    .role = TL_ROLE_BEGIN },
	[END] = { "ENDs", "end", -15, TL_TIME, TL_SHOW_DATA, &env.end },
	[COMM] = { "COMM", "comm", -12, TL_STR, TL_SHOW_ALL },
	[PID] = { "PID", "pid", -6, TL_INT, TL_SHOW_ALL },
	[TID] = { "TID", "tid", -6, TL_INT, TL_SHOW_DATA },
	[TYPE] = { "TYPE", "type", -4, TL_STR, TL_SHOW_ALL,
		   .role = TL_ROLE_TITLE, .metric = TL_LABEL },
	[DEV] = { "DEV", "dev", -8, TL_STR, TL_SHOW_ALL, &env.names,
		  TL_SHOW_DATA },
	[DISK] = { "DISK", "disk", -8, TL_STR, TL_SHOW_DATA, &env.names,
		   .metric = TL_LABEL },
	[BLOCK] = { "BLOCK", "block", -12, TL_INT, TL_SHOW_ALL },
	[BYTES] = { "BYTES", "bytes", -6, TL_INT, TL_SHOW_ALL,
		    .metric = TL_COUNTER("bytes", "Bytes of block I/O") },
	[LATENCY] = { "LATms", "latency", 8, TL_MSECS, TL_SHOW_ALL,
		      .role = TL_ROLE_APART,
		      .metric = TL_HISTOGRAM("latency_seconds",
					     "How long block I/O took") },
	[QUEUED] = { "QUEms", "queued", 8, TL_MSECS, TL_SHOW_DATA },
	[ERROR] = { "ERR", "error", -8, TL_STR, TL_SHOW_DATA, &env.error,
		    .metric = TL_LABEL },
	[REQUEUES] = { "REQUEUES", "requeues", 8, TL_INT, TL_SHOW_DATA },
	{ 0 }
};

/* Of the same device as the last one, mostly. */
static void put_device(struct tl_session *s, uint32_t dev)
{
	static char text[32];
	static struct tl_str number = { text, 0 };
	static uint32_t last;

	if (dev != last || !number.len)
		number.len =
			(size_t)snprintf(text, sizeof(text), "%u,%u",
					 TL_DEV_MAJOR(dev), TL_DEV_MINOR(dev));
	last = dev;
	tl_put_str(s, DEV, number);
	if (env.names || env.data)
		tl_put_text(s, DISK, tl_disk_name(s, dev));
}

static void put_task(struct tl_session *s, const struct tl_io *io)
{
	tl_put_text(s, COMM, io->comm);
	if (io->process)
		tl_put_int(s, PID, io->process);
}

/* What text does not have. */
static void put_data(struct tl_session *s, const struct tl_io *io)
{
	tl_put_int(s, TID, io->pid);
	if (env.io.queued && io->issued)
		tl_put_int(s, QUEUED, (int64_t)(io->issued - io->start));
	tl_put_int(s, REQUEUES, io->requeues);
}

static void on_done(struct tl_session *s, const struct tl_io *io)
{
	uint64_t latency = io->end - io->start;

	if (latency < env.min)
		return;
	if (env.start || env.data)
		tl_put_int(s, START, (int64_t)io->start);
	tl_put_int(s, END, (int64_t)io->end);
	put_task(s, io);
	tl_put_text(s, TYPE, io->type);
	put_device(s, io->dev);
	/* a flush has no place */
	if (io->bytes || io->type[0] != 'F')
		tl_put_int(s, BLOCK, (int64_t)io->sector);
	tl_put_int(s, BYTES, io->bytes);
	tl_put_int(s, LATENCY, (int64_t)latency);
	if (io->error)
		tl_put_text(s, ERROR, tl_errno_name(io->error) ?: "?");
	if (env.data)
		put_data(s, io);
	tl_row(s);
}

static int setup(struct tl_session *s)
{
	tl_banner(s, "Tracing block I/O%s", tl_banner_who(s));
	env.data = tl_data_format(s);
	env.io.comm = true;
	env.io.done = on_done;
	return tl_io_open(s, &env.io);
}

/* Who runs a queue is mostly not who wants something. */
static int end(struct tl_session *s)
{
	unsigned long long others = tl_io_others(s);

	if (!others)
		return 0;
	if (!env.io.queued && !env.io.bio)
		tl_warn("%llu I/O were seen, all issued by others: -Q selects "
			"by who queued them",
			others);
	else
		tl_warn("%llu I/O were seen, all queued by others: data that "
			"is written back later is queued by the kernel",
			others);
	return 0;
}

static int check(struct tl_session *s)
{
	return tl_io_check(s, &env.io);
}

static const struct tl_tool iosnoop = {
	.name = "iosnoop",
	.summary = "trace block I/O with its latency",
	.examples = {
		{ "iosnoop", "each I/O with its latency" },
		{ "iosnoop --min=10", "only what takes 10 ms and more" },
		{ "iosnoop -Qts --disk --min=10",
		  "with who asked for it, when, and the time in the queue" },
	},
	.options = options,
	.operands = TL_OPERANDS({ "duration", TL_OPT_DURATION }),
	.columns = columns,
	.pictured = { .unit = "I/O", .latency = "Block I/O latency" },
	.flags = TL_FILTERS_TASKS | TL_FILTERS_CPUS,
	.buffer_kb = 4096,
	.end = end,
	.check = check,
	.setup = setup,
};

TL_MAIN(iosnoop)
