// SPDX-License-Identifier: GPL-2.0-or-later
/* bitesize - histogram of block I/O sizes */
#include <errno.h>
#include <string.h>

#include "tracelet.h"
#include "tracelet/block.h"
#include "tracelet/hist.h"
#include "tracelet/hists.h"
#include "tracelet/tally.h"
#include "tracelet/task.h"

#define KB     1024
#define MAX_KB 4194304 /* what the 32 bits of a request's size can say */
#define POWERS 22      /* of two, up to half of that */

static struct {
	struct tl_io_config io;
	const char *buckets;
	bool log2;
	unsigned int by; /* enum tl_io_by */
	int64_t *points; /* bytes */
	unsigned int count;
	struct tl_hists *hists;
	struct tl_tally *shown; /* of io.sizes */
} env = { .buckets = "1 8 64 128", .by = TL_IO_BY_NOTHING };

static const struct tl_opt options[] = {
	{ 'b', "buckets", "LIST", "bucket points in Kbytes (\"1 8 64 128\")",
	  TL_OPT_STRING, &env.buckets, "buckets" },
	{ 0, "log2", NULL, "powers of two as bucket points", TL_OPT_FLAG,
	  &env.log2, "buckets" },
	{ 0, "by", "disk|type|name",
	  "count separately for each disk, type or name", TL_OPT_WORD,
	  &env.by },
	TL_IO_OPTIONS(env.io, 0, 0),
	{ 0 }
};

enum { DISK, COMM, TYPE, FROM, TO, COUNT };

/* For JSON and CSV; the text is not a table. */
static const struct tl_column columns[] = {
	[DISK] = { "DISK", "disk", -8, TL_STR, TL_SHOW_DATA,
		   .metric = TL_LABEL },
	[COMM] = { "COMM", "comm", -16, TL_STR, TL_SHOW_DATA,
		   .metric = TL_LABEL },
	[TYPE] = { "TYPE", "type", -4, TL_STR, TL_SHOW_DATA,
		   .metric = TL_LABEL },
	[FROM] = { "FROM", "from", 10, TL_INT, TL_SHOW_DATA },
	[TO] = { "TO", "to", 10, TL_INT, TL_SHOW_DATA,
		 .metric = TL_HISTOGRAM("io_bytes", "Sizes of block I/O") },
	[COUNT] = { "I/O", "count", 8, TL_INT, TL_SHOW_DATA },
	{ 0 }
};

/* ---- counting --------------------------------------------------------- */

static void on_issue(struct tl_session *s, const struct tl_io *io)
{
	tl_hists_add(env.hists, tl_io_by_key(s, io, env.by), io->bytes);
}

/* More can have been given back than were issued: what was before the run. */
static void on_size(void *ctx, uint64_t bytes, uint64_t count)
{
	uint64_t again = tl_tally_count(env.io.again, bytes);

	again += tl_tally_count(env.shown, bytes);
	if (count <= again)
		return;
	tl_hist_add(ctx, (int64_t)bytes, count - again);
	tl_tally_add(env.shown, bytes, count - again);
}

static int on_interval(struct tl_session *s, uint64_t ns)
{
	if (env.io.sizes)
		tl_tally_each(env.io.sizes, on_size,
			      tl_hists_of(env.hists, (struct tl_str){ "", 0 }));
	return tl_hists_show(s, env.hists, ns);
}

static int on_end(struct tl_session *s)
{
	tl_tally_free(env.io.sizes);
	tl_tally_free(env.io.again);
	tl_tally_free(env.shown);
	return 0;
}

/* ---- set-up ----------------------------------------------------------- */

static int make_sizes(void)
{
	if (env.by != TL_IO_BY_NOTHING)
		return 0;
	env.io.sizes = tl_tally_new();
	env.io.again = tl_tally_new();
	env.shown = tl_tally_new();
	return env.io.sizes && env.io.again && env.shown ? 0 : -ENOMEM;
}

static int ignore_threads(struct tl_session *s)
{
	if (env.by != TL_IO_BY_NAME)
		tl_tasks_ignore(s);
	return 0;
}

static int setup(struct tl_session *s)
{
	const bool by_name = env.by == TL_IO_BY_NAME;
	const struct tl_hists_config shown = {
		.points = env.points,
		.count = env.count,
		.unit = KB,
		.unit_name = "Kbytes",
		.counted = "I/O",
		.what = tl_io_by_word(env.by),
		.key = by_name ? "comm" : tl_io_by_word(env.by),
		.inclusive = true,
		.decimals = 1,
		.positive = true,
		.used_only = env.log2,
		.always = true,
	};
	char until[40];

	env.hists = tl_hists_open(s, &shown);
	if (!env.hists)
		return -ENOMEM;
	tl_duration_text(s, until);
	tl_banner_as(s, "Tracing block I/O size",
		     "Tracing block I/O size (Kbytes), %s...", until);
	tl_interval(s, 0, 0, on_interval);
	env.io.issued = on_issue;
	env.io.comm = by_name;
	return make_sizes() ?: tl_io_open(s, &env.io) ?: ignore_threads(s);
}

/* Points in bytes; NULL: powers of two. */
static int make_points(void)
{
	unsigned int i;

	if (env.log2) {
		env.count = POWERS;
		return 0;
	}
	if (tl_hist_points("-b", env.buckets, &env.points, &env.count))
		return -EINVAL;
	if (env.points[0] < 0 || env.points[env.count - 1] > MAX_KB)
		return tl_usage("-b: \"%s\": not from 0 to %d Kbytes",
				env.buckets, MAX_KB);
	for (i = 0; i < env.count; i++)
		env.points[i] *= KB;
	return 0;
}

static int check(struct tl_session *s)
{
	return tl_io_check(s, &env.io);
}

static int args(struct tl_session *s, int argc, char **argv)
{
	return make_points();
}

static const struct tl_tool bitesize = {
	.name = "bitesize",
	.summary = "histogram of block I/O sizes",
	.examples = {
		{ "bitesize 10", "sizes of disk I/O for 10 seconds" },
		{ "bitesize --by=disk 10", "of each disk" },
		{ "bitesize --log2 --by=name --type='*W*' 10",
		  "who writes how much at once, in powers of two" },
	},
	.options = options,
	.operands = TL_OPERANDS({ "seconds", TL_OPT_DURATION }),
	.columns = columns,
	.flags = TL_FILTERS_TASKS | TL_FILTERS_CPUS,
	.args = args,
	.check = check,
	.setup = setup,
	.end = on_end,
};

TL_MAIN(bitesize)
