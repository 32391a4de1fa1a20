// SPDX-License-Identifier: GPL-2.0-or-later
/* tcpconnect - trace TCP connections that programs open, with result */
#include <errno.h>
#include <string.h>

#include "tracelet.h"
#include "tracelet/connect.h"
#include "tracelet/heatmap.h"
#include "tracelet/socket.h"
#include "tracelet/table.h"
#include "tracelet/who.h"

#define REMOTES_MAX 65536

/* Where a remote end is counted; a key, so all zero else. */
struct remote {
	uint8_t addr[16];
	uint16_t port;
	uint16_t is_nowhere;
};

struct counts {
	uint64_t all, failed;
};

static struct {
	bool times, clock, lports, failed, count;
	uint64_t min; /* ns */
	struct tl_ends_filter wanted;
	struct tl_table *counts; /* struct counts, by struct remote */
	uint64_t ownerless;      /* and left out, as some are asked for */
} env;

static const struct tl_opt options[] = {
	TL_TIME_OPTIONS(env.times, env.clock),
	{ 'l', NULL, NULL, "show local ports", TL_OPT_FLAG, &env.lports },
	{ 'c', "count", NULL, "count by remote end, show that at the end",
	  TL_OPT_FLAG, &env.count },
	{ 0, "failed", NULL, "only those that failed", TL_OPT_FLAG,
	  &env.failed },
	{ 0, "min", "MS", "only handshakes of at least MS milliseconds",
	  TL_OPT_MSECS, &env.min },
	TL_ENDS_OPTIONS(env.wanted),
	{ 0 }
};

enum {
	TIME,
	CLOCK,
	PID,
	TID,
	COMM,
	IP,
	LADDR,
	LPORT,
	RADDR,
	RPORT,
	LATENCY,
	ERROR,
	NETNS,
	COUNT,
	FAILED
};

static const struct tl_column columns[] = {
	TL_TIME_COLUMNS(env.times, env.clock),
	[PID] = { "PID", "pid", -7, TL_INT,
		  .metric = TL_ROWS("attempts",
				    "Attempts to connect that are over") },
	[TID] = { "TID", "tid", -7, TL_INT, TL_SHOW_DATA },
	[COMM] = { "COMM", "comm", -12, TL_STR },
	[IP] = { "IP", "ip", -2, TL_INT },
	[LADDR] = { "LADDR", "laddr", -15, TL_STR },
	[LPORT] = { "LPORT", "lport", -5, TL_INT, TL_SHOW_DATA, &env.lports },
	[RADDR] = { "RADDR", "raddr", -15, TL_STR, .role = TL_ROLE_TITLE },
	[RPORT] = { "RPORT", "rport", -5, TL_INT },
	[LATENCY] = { "LAT(ms)", "latency", 9, TL_MSECS, .role = TL_ROLE_APART,
		      .metric = TL_HISTOGRAM(
			      "latency_seconds",
			      "How long attempts to connect took") },
	[ERROR] = { "ERR", "error", -12, TL_STR, .metric = TL_LABEL },
	[NETNS] = { "NETNS", "netns", -10, TL_INT, TL_SHOW_DATA },
	[COUNT] = { "CONNECTS", "count", 9, TL_INT, TL_SHOW_NEVER, &env.count },
	[FAILED] = { "FAILED", "failed", 9, TL_INT, TL_SHOW_NEVER, &env.count },
	{ 0 }
};

/* ---- rows ------------------------------------------------------------- */

/* Until the kernel has chosen an address and a port there is none. */
static void put_local(struct tl_session *s, const struct tl_ends *e)
{
	static const uint8_t none[16], none4[16] = { [10] = 0xff, 0xff };
	static char laddr[TL_INET_TEXT];

	if (memcmp(e->laddr, none, sizeof(none)) != 0 &&
	    memcmp(e->laddr, none4, sizeof(none4)) != 0) {
		tl_inet_text(e->laddr, laddr);
		tl_put_text(s, LADDR, laddr);
	}
	if (e->lport)
		tl_put_int(s, LPORT, e->lport);
	tl_put_netns(s, NETNS, e);
}

static void print(struct tl_session *s, const struct tl_connect *c)
{
	tl_put_time(s, TIME, c->ns);
	if (c->opener)
		tl_put_owner(s, c->opener, COMM, PID, TID);
	tl_put_int(s, IP, tl_inet_is_ipv4(c->ends->raddr) ? 4 : 6);
	put_local(s, c->ends);
	if (!c->is_nowhere)
		tl_put_address(s, RADDR, c->ends->raddr, c->ends->rport);
	if (c->latency)
		tl_put_int(s, LATENCY, (int64_t)c->latency);
	tl_put_text(s, ERROR, c->error);
	tl_row(s);
}

static void count(const struct tl_connect *c)
{
	struct remote key = { .port = c->ends->rport,
			      .is_nowhere = c->is_nowhere };
	struct counts *counts;

	memcpy(key.addr, c->ends->raddr, sizeof(key.addr));
	counts = tl_table_at(env.counts, TL_KEY(key));
	if (!counts)
		return;
	counts->all++;
	counts->failed += !!c->error;
}

static void show(struct tl_session *s, const struct tl_connect *c)
{
	if ((env.failed && !c->error) || c->latency < env.min)
		return;
	if (!c->opener && tl_tasks_filtered(s)) {
		env.ownerless++;
		return;
	}
	if (c->latency)
		tl_pictured(s, c->ns, c->latency);
	if (env.count)
		count(c);
	else
		print(s, c);
}

/* ---- counts, and the end ---------------------------------------------- */

static void print_count(struct tl_session *s, const struct tl_table_entry *e,
			uint64_t ns)
{
	const struct remote *key = (const struct remote *)e->key.text;
	const struct counts *c = e->value;

	if (!key->is_nowhere)
		tl_put_address(s, RADDR, key->addr, key->port);
	tl_put_int(s, COUNT, (int64_t)c->all);
	tl_put_int(s, FAILED, (int64_t)c->failed);
	tl_row(s);
}

static void say_unfinished(struct tl_session *s)
{
	unsigned int n = tl_connects_unfinished(s);

	if (n)
		tl_warn("%u handshake%s not over at the end, and %s no row", n,
			n == 1 ? " was" : "s were", n == 1 ? "has" : "have");
}

static void say_ownerless(void)
{
	if (env.ownerless)
		tl_warn("%llu handshake%s left out: it is not known whose",
			(unsigned long long)env.ownerless,
			env.ownerless == 1 ? " is" : "s are");
}

static int on_end(struct tl_session *s)
{
	static const struct tl_table_view view = { .order = tl_table_by_count,
						   .put = print_count,
						   .counts = "connections",
						   .keys = "remote ends" };

	say_unfinished(s);
	say_ownerless();
	return env.count ? tl_table_show(s, env.counts, &view, 0) : 0;
}

/* ---- set-up ----------------------------------------------------------- */

static int set_up_counts(struct tl_session *s)
{
	unsigned int col;

	if (tl_settings(s)->trigger)
		return tl_fail(EINVAL, "--trigger: with -c there are no rows "
				       "before the end");
	for (col = TIME; col < COUNT; col++)
		if (col != RADDR && col != RPORT)
			tl_column_show(s, col, TL_SHOW_NEVER);
	env.counts = tl_table_new(sizeof(struct counts), NULL);
	if (!env.counts)
		return -ENOMEM;
	tl_table_limit(env.counts, REMOTES_MAX);
	return 0;
}

static int setup(struct tl_session *s)
{
	int ret = env.count ? set_up_counts(s) : 0;

	if (ret)
		return ret;
	tl_banner(s, "%s TCP connects%s", env.count ? "Counting" : "Tracing",
		  tl_banner_who(s));
	return tl_connects_open(s, &env.wanted, show);
}

static int check(struct tl_session *s)
{
	return tl_connects_open(s, &env.wanted, show);
}

static const struct tl_tool tcpconnect = {
	.name = "tcpconnect",
	.summary = "trace TCP connections that programs open, with result",
	.examples = {
		{ "tcpconnect", "who connects to what, and how long it takes" },
		{ "tcpconnect --failed", "only what fails, and why" },
		{ "tcpconnect -c -d 60 --min=100",
		  "which remote ends are slow to answer" },
	},
	.options = options,
	.columns = columns,
	.pictured = { .unit = "connections",
		      .latency = "TCP handshake time",
		      .told = true },
	.flags = TL_FILTERS_TASKS | TL_FILTERS_CPUS,
	.check = check,
	.setup = setup,
	.end = on_end,
};

TL_MAIN(tcpconnect)
