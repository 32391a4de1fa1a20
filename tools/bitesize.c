// SPDX-License-Identifier: GPL-2.0-or-later
/* bitesize - histogram of block I/O sizes */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tracelet.h"

#define KB     1024
#define MAX_KB 4194304 /* what the 32 bits of a request's size can say */

enum by { BY_DISK, BY_NAME, BY_TYPE, BY_NOTHING };

static struct {
	struct tl_io_config io;
	const char *buckets;
	bool log2;
	unsigned int by; /* enum by */
	int64_t *points; /* bytes */
	unsigned int count;
	struct tl_groups *groups;
	struct tl_hist *only; /* when nothing is apart */
	bool printed;
} env = { .buckets = "1 8 64 128", .by = BY_NOTHING };

static const struct tl_opt options[] = {
	{ 'b', "buckets", "LIST", "bucket points in Kbytes (\"1 8 64 128\")",
	  TL_OPT_STRING, &env.buckets, "buckets", 0, 0 },
	{ 0, "log2", NULL, "powers of two as bucket points", TL_OPT_FLAG,
	  &env.log2, "buckets", 0, 0 },
	{ 0, "by", "disk|name|type", "apart for each", TL_OPT_WORD, &env.by,
	  NULL, 0, 0 },
	{ 0, "device", "DEVICE",
	  "only this one: maj,min, a name or a path; partitions too",
	  TL_OPT_STRING, &env.io.device, NULL, 0, 0 },
	{ 0, "type", "GLOB", "only types that match, as in '*R*'",
	  TL_OPT_STRING, &env.io.type, NULL, 0, 0 },
	{ 0 }
};

enum { DISK, COMM, TYPE, FROM, TO, COUNT };

/* For JSON and CSV; the text is not a table. */
static const struct tl_column columns[] = {
	[DISK] = { "DISK", "disk", -8, TL_STR, TL_SHOW_DATA },
	[COMM] = { "COMM", "comm", -16, TL_STR, TL_SHOW_DATA },
	[TYPE] = { "TYPE", "type", -4, TL_STR, TL_SHOW_DATA },
	[FROM] = { "FROM", "from", 10, TL_INT, TL_SHOW_DATA },
	[TO] = { "TO", "to", 10, TL_INT, TL_SHOW_DATA },
	[COUNT] = { "I/O", "count", 8, TL_INT, TL_SHOW_DATA },
	{ 0 }
};

/* In the order of enum by. */
static const char *const titles[] = { "disk", "name", "type" };

/* ---- counting ---------------------------------------------------------- */

static void free_group(void *data)
{
	tl_hist_free(*(struct tl_hist **)data);
}

static struct tl_hist *hist_of(struct tl_str key)
{
	struct tl_hist **h = tl_groups_get(env.groups, key);

	if (h && !*h)
		*h = tl_hist_new(env.points, env.count);
	return h ? *h : NULL;
}

static struct tl_str key_of(struct tl_session *s, const struct tl_io *io)
{
	const char *key = env.by == BY_DISK   ? tl_disk_name(s, io->dev)
			  : env.by == BY_NAME ? io->comm
					      : io->type;

	return (struct tl_str){ key, strlen(key) };
}

static void on_issue(struct tl_session *s, const struct tl_io *io)
{
	struct tl_hist *h = env.only ?: hist_of(key_of(s, io));

	if (h)
		tl_hist_add(h, io->bytes, 1);
}

/* ---- output ------------------------------------------------------------ */

/* The lower end of the first bucket and the upper one of the last are open. */
static void print_bucket(struct tl_session *s, const struct tl_hist *h,
			 unsigned int i)
{
	uint64_t count = tl_hist_count(h, i);
	char from[32] = "", to[32] = "";

	if (i)
		snprintf(from, sizeof(from), "%.1f",
			 (double)env.points[i - 1] / KB);
	if (i < env.count)
		snprintf(to, sizeof(to), "%.1f",
			 (double)env.points[i] / KB - 0.1);
	tl_print(s, "   %10s -> %-10s: %-8llu |%-38s|", from, to,
		 (unsigned long long)count, tl_hist_bar(h, i));
	if (i)
		tl_put_int(s, FROM, env.points[i - 1]);
	if (i < env.count)
		tl_put_int(s, TO, env.points[i]);
	tl_put_int(s, COUNT, (int64_t)count);
}

static void print_hist(void *ctx, struct tl_str key, void *data)
{
	const struct tl_hist *h = *(struct tl_hist **)data;
	/* nothing is smaller than 0 */
	unsigned int i = env.points[0] == 0;
	unsigned int rows = env.log2 ? tl_hist_used(h) : env.count + 1;
	struct tl_session *s = ctx;

	tl_print(s, "%s", "");
	if (env.by != BY_NOTHING)
		tl_print(s, "%s: %.*s", titles[env.by], (int)key.len, key.text);
	tl_print(s, "%12s%-15s: %-8s %s", "", "Kbytes", "I/O", "Distribution");
	for (; i < rows; i++) {
		if (env.by != BY_NOTHING)
			tl_put_str(s, env.by, key);
		print_bucket(s, h, i);
		tl_row(s);
	}
	env.printed = true;
}

static int on_end(struct tl_session *s)
{
	tl_groups_each(env.groups, print_hist, s);
	if (!env.printed) {
		/* nothing happened, which is to be seen too */
		env.by = BY_NOTHING;
		hist_of((struct tl_str){ "", 0 });
		tl_groups_each(env.groups, print_hist, s);
	}
	tl_groups_free(env.groups);
	return 0;
}

/* ---- set-up ------------------------------------------------------------ */

static int setup(struct tl_session *s)
{
	uint64_t duration = tl_settings(s)->duration;

	env.groups = tl_groups_new(sizeof(struct tl_hist *), free_group);
	if (!env.groups)
		return -ENOMEM;
	if (env.by == BY_NOTHING)
		env.only = hist_of((struct tl_str){ "", 0 });
	if (duration)
		tl_print(
			s,
			"Tracing block I/O size (Kbytes), for %.10g seconds...",
			(double)duration / 1e9);
	else
		tl_print(s, "Tracing block I/O size (Kbytes), until Ctrl-C...");
	env.io.issued = on_issue;
	env.io.comm = env.by == BY_NAME;
	return tl_io_open(s, &env.io);
}

/* Points in bytes; powers of two up to what a request's 32 bits can say. */
static int make_points(void)
{
	static int64_t powers[22];
	unsigned int i;

	if (env.log2) {
		for (i = 0; i < sizeof(powers) / sizeof(powers[0]); i++)
			powers[i] = (int64_t)KB << i;
		env.points = powers;
		env.count = i;
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
	env.io.issued = on_issue;
	return tl_io_check(s, &env.io);
}

static int args(struct tl_session *s, int argc, char **argv)
{
	if (tl_arg_glob("--type", env.io.type))
		return -EINVAL;
	if (argc > 1)
		return tl_usage("unexpected argument \"%s\"", argv[1]);
	if (argc && tl_set_duration(s, "seconds", argv[0]))
		return -EINVAL;
	return make_points();
}

static const struct tl_tool bitesize = {
	.name = "bitesize",
	.summary = "histogram of block I/O sizes",
	.synopsis = "[seconds]",
	.examples = {
		{ "bitesize 10", "sizes of disk I/O for 10 seconds" },
		{ "bitesize --by=disk 10", "of each disk" },
		{ "bitesize --log2 --by=name --type='*W*' 10",
		  "who writes how much at once, in powers of two" },
	},
	.options = options,
	.columns = columns,
	.without = TL_FILTERS_TASKS | TL_ROWS_AT_END,
	.args = args,
	.check = check,
	.setup = setup,
	.end = on_end,
};

TL_MAIN(bitesize)
