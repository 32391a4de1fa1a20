// SPDX-License-Identifier: GPL-2.0-or-later
/* tcptop - top TCP connections, or processes, by bytes */
#include <errno.h>
#include <string.h>

#include "tracelet.h"
#include "tracelet/pairs.h"
#include "tracelet/socket.h"
#include "tracelet/source.h"
#include "tracelet/table.h"
#include "tracelet/who.h"

#define MAX_ROWS    10240  /* of an interval; what is more is "[others]" */
#define MAX_SENDERS 65536  /* threads that are sending */
#define MAX_SOCKETS 262144 /* whose bytes are followed */

enum by { BY_CONNECTION, BY_PROCESS, BY_NAME, BY_CGROUP };

static const enum tl_by who_by[] = {
	[BY_CONNECTION] = TL_BY_PID,
	[BY_PROCESS] = TL_BY_PID,
	[BY_NAME] = TL_BY_NAME,
	[BY_CGROUP] = TL_BY_CGROUP,
};

/* All zeroes but for what counts: it is a key. */
struct row {
	struct tl_who who;
	struct tl_ends ends;
};

struct sum {
	uint64_t both, rx, tx;
	struct tl_who
		who; /* with a name, which is no part of a process's key */
};

/* What a socket's program has taken from it. */
struct taken {
	uint32_t
		first; /* sequence number: tells it from one that was there before */
	uint64_t bytes; /* since the socket was connected */
};

static struct {
	bool no_clear;
	unsigned int top, count;
	uint64_t interval;
	unsigned int by; /* enum by */
	struct tl_ends_filter wanted;
	bool has_ends; /* the return of what sends has the socket */
	struct tl_field copied, copied_seq, rcv_nxt, received, sent, returned;
	struct tl_pairs *taken;   /* struct taken, by socket */
	struct tl_pairs *sending; /* struct tl_ends, by thread */
	struct tl_table *table;
} env = {
	.top = 20,
	.interval = 1000000000,
};

static const struct tl_opt options[] = {
	{ 'C', "no-clear", NULL, "do not clear the screen", TL_OPT_FLAG,
	  &env.no_clear },
	{ 't', "top", "N", "only the N with most bytes (20)", TL_OPT_COUNT,
	  &env.top },
	{ 0, "by", "connection|process|name|cgroup",
	  "a row for each (connection)", TL_OPT_WORD, &env.by },
	TL_ENDS_OPTIONS(env.wanted),
	{ 0 }
};

enum {
	TIME,
	PID,
	TID,
	COMM,
	CPU,
	CGROUP,
	LOCAL,
	LADDR,
	LPORT,
	REMOTE,
	RADDR,
	RPORT,
	NETNS,
	RX,
	TX
};

static const struct tl_column columns[] = {
	[TIME] = { "TIMEs", "time", -16, TL_TIME, TL_SHOW_DATA },
	TL_BY_COLUMNS,
	[LOCAL] = { "LADDR:LPORT", "local", -21, TL_STR, TL_SHOW_TEXT },
	[LADDR] = { "LADDR", "laddr", -20, TL_STR, TL_SHOW_DATA },
	[LPORT] = { "LPORT", "lport", -6, TL_INT, TL_SHOW_DATA },
	[REMOTE] = { "RADDR:RPORT", "remote", -21, TL_STR, TL_SHOW_TEXT },
	[RADDR] = { "RADDR", "raddr", -20, TL_STR, TL_SHOW_DATA },
	[RPORT] = { "RPORT", "rport", -6, TL_INT, TL_SHOW_DATA },
	[NETNS] = { "NETNS", "netns", -10, TL_INT, TL_SHOW_DATA },
	[RX] = { "RX_KB", "rx", 10, TL_KBYTES,
		 .metric = TL_COUNTER(
			 "received_bytes",
			 "Bytes that programs took from TCP sockets") },
	[TX] = { "TX_KB", "tx", 10, TL_KBYTES,
		 .metric = TL_COUNTER(
			 "sent_bytes",
			 "Bytes that programs gave to TCP sockets") },
	{ 0 }
};

/* ---- counting --------------------------------------------------------- */

/* One process is the same under another name. */
static struct row row_of(const struct tl_who *who, const struct tl_ends *ends)
{
	struct row row = { .who = *who };

	if (who_by[env.by] == TL_BY_PID && who->pid)
		memset(row.who.comm, 0, sizeof(row.who.comm));
	if (env.by == BY_CONNECTION)
		row.ends = *ends;
	return row;
}

static struct sum *sum_of(struct tl_session *s, const struct tl_record *r,
			  const struct tl_ends *ends)
{
	struct tl_who who = tl_who_of(s, r->pid, who_by[env.by]);
	struct row row = row_of(&who, ends);
	struct sum *sum = tl_table_at(env.table, TL_KEY(row));

	sum->who = who;
	return sum;
}

static void add(struct tl_session *s, const struct tl_record *r,
		const struct tl_ends *ends, uint64_t rx, uint64_t tx)
{
	struct sum *sum;

	if (!(rx + tx) || !tl_ends_match(&env.wanted, ends))
		return;
	sum = sum_of(s, r, ends);
	sum->rx += rx;
	sum->tx += tx;
	sum->both += rx + tx;
}

/*
 * The kernel tells of bytes that it has copied more than once: while it waits for
 * more of them, and where they are only looked at (MSG_PEEK).  So those count that
 * are gone from the socket since then.
 */
static void on_received(struct tl_session *s, const struct tl_record *r)
{
	struct tl_ends ends = tl_socket_ends(r);
	uint32_t next = (uint32_t)tl_field_num(r, &env.rcv_nxt);
	uint64_t received = (uint64_t)tl_field_num(r, &env.received);
	uint64_t copied = (uint64_t)tl_field_num(r, &env.copied), bytes;
	uint32_t queued = next - (uint32_t)tl_field_num(r, &env.copied_seq);
	const struct taken now = { next - (uint32_t)received,
				   received - queued };
	int64_t socket = (int64_t)tl_socket_id(r);
	struct taken *before = tl_pairs_get(env.taken, socket);

	if (before && before->first != now.first)
		before->bytes = 0;
	bytes = now.bytes - (before ? before->bytes : 0);
	before = before ?: tl_pairs_put(env.taken, socket);
	if (before)
		*before = now;
	add(s, r, &ends, bytes < copied ? bytes : copied, 0);
}

static void count_sent(struct tl_session *s, const struct tl_record *r,
		       const struct tl_ends *ends, int64_t bytes)
{
	if (bytes > 0)
		add(s, r, ends, 0, (uint64_t)bytes);
}

static void on_sent(struct tl_session *s, const struct tl_record *r)
{
	struct tl_ends ends = tl_socket_ends(r);

	count_sent(s, r, &ends, tl_field_num(r, &env.sent));
}

static void on_send(struct tl_session *s, const struct tl_record *r)
{
	struct tl_ends *ends = tl_pairs_put(env.sending, r->pid);

	if (ends)
		*ends = tl_socket_ends(r);
}

/* What sends may connect first (MSG_FASTOPEN): before that it has no ends. */
static void on_connect(struct tl_session *s, const struct tl_record *r)
{
	struct tl_ends *ends = tl_pairs_get(env.sending, r->pid);

	if (ends)
		*ends = tl_socket_ends(r);
}

static void on_returned(struct tl_session *s, const struct tl_record *r)
{
	struct tl_ends *ends = tl_pairs_get(env.sending, r->pid);

	if (!ends)
		return;
	count_sent(s, r, ends, tl_field_num(r, &env.returned));
	tl_pairs_remove(env.sending, ends);
}

/* ---- rows ------------------------------------------------------------- */

static const struct row others = { .who.comm = "[others]" };

static int by_bytes(const struct tl_table_entry *a,
		    const struct tl_table_entry *b)
{
	return tl_table_by_count(b, a);
}

static void put_ends(struct tl_session *s, const struct tl_ends *e)
{
	tl_put_end(s, LOCAL, e->laddr, e->lport);
	tl_put_end(s, REMOTE, e->raddr, e->rport);
	tl_put_netns(s, NETNS, e);
}

static void put(struct tl_session *s, const struct tl_table_entry *e,
		uint64_t ns)
{
	const struct row *row = (const struct row *)e->key.text;
	const struct sum *sum = e->value;
	const bool is_others = !memcmp(row, &others, sizeof(others));

	tl_put_int(s, TIME, (int64_t)ns);
	tl_put_by(s, who_by[env.by], is_others ? &others.who : &sum->who);
	if (env.by == BY_CONNECTION && !is_others)
		put_ends(s, &row->ends);
	tl_put_int(s, RX, (int64_t)sum->rx);
	tl_put_int(s, TX, (int64_t)sum->tx);
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

/* ---- set-up ----------------------------------------------------------- */

#define SOCK "tcp_sock."

static const struct tl_source_field of_received[] = {
	{ "copied", &env.copied, "$arg2", .type = "s32" },
	{ "copied_seq", &env.copied_seq, "$arg1", SOCK "copied_seq", "u32" },
	{ "rcv_nxt", &env.rcv_nxt, "$arg1", SOCK "rcv_nxt", "u32" },
	{ "received", &env.received, "$arg1", SOCK "bytes_received", "u64" },
	{ 0 }
};

#define OF_RETURN(field) \
	TL_SOURCE_FIELDS({ "result", field, "$retval", .type = "s32" })

/*
 * tcp_sendmsg_locked() is what TLS and other code of the kernel calls, too.  A
 * program may wait in it, hence so many instances: more are counted as missed.
 */
#define SEND   "tcp_sendmsg_locked"
#define RETURN "r512"

/* Up to 6.4 the bytes of sendfile() go another way. */
#define SEND_PAGES "do_tcp_sendpages"

static const struct tl_source sources[] = {
	{ "tcp_cleanup_rbuf", on_received, of_received, .name = "received",
	  .socket = true, .wanted = &env.wanted, .filter = "copied > 0" },
	/* 6.9 on: a return probe has the entry arguments */
	{ SEND, on_sent, OF_RETURN(&env.sent), .type = RETURN, .name = "sent",
	  .socket = true, .wanted = &env.wanted, .filter = "result > 0",
	  .found = &env.has_ends,
	  .flags = TL_SOURCE_OPTIONAL | TL_SOURCE_RETURN_ARGS },
	/* else two events, without a filter on the second: it is an end of the first */
	{ SEND, on_send, .name = "send", .socket = true, .wanted = &env.wanted,
	  .unless = &env.has_ends },
	{ "tcp_connect", on_connect, .name = "connect", .socket = true,
	  .wanted = &env.wanted, .unless = &env.has_ends },
	{ SEND, on_returned, OF_RETURN(&env.returned), .type = RETURN,
	  .name = "sent", .unless = &env.has_ends },
	{ SEND_PAGES, on_send, .name = "send_pages", .socket = true,
	  .wanted = &env.wanted, .unless = &env.has_ends,
	  .flags = TL_SOURCE_OPTIONAL },
	{ SEND_PAGES, on_returned, OF_RETURN(&env.returned), .type = RETURN,
	  .name = "sent_pages", .unless = &env.has_ends,
	  .flags = TL_SOURCE_OPTIONAL },
	{ 0 }
};

static void show_columns(struct tl_session *s)
{
	unsigned int i;

	tl_show_by(s, who_by[env.by], TL_SHOW_ALL);
	for (i = LOCAL; i <= NETNS && env.by != BY_CONNECTION; i++)
		tl_column_show(s, i, TL_SHOW_NEVER);
}

static int setup(struct tl_session *s)
{
	env.table = tl_table_bounded(sizeof(struct sum), NULL, MAX_ROWS,
				     TL_KEY(others));
	env.taken = tl_pairs_new(sizeof(struct taken), MAX_SOCKETS, NULL);
	env.sending =
		tl_pairs_open(s, sizeof(struct tl_ends), MAX_SENDERS, NULL);
	if (!env.table || !env.taken || !env.sending)
		return -ENOMEM;
	show_columns(s);
	tl_banner(s, "Tracing bytes of TCP%s", tl_banner_for(s));
	tl_interval(s, env.interval, env.count, on_interval);
	return 0;
}

static int args(struct tl_session *s, int argc, char **argv)
{
	return tl_by_check(s, who_by[env.by]);
}

static const struct tl_tool tcptop = {
	.name = "tcptop",
	.summary = "top TCP connections, or processes, by bytes",
	.examples = {
		{ "tcptop", "connections that move most, again each second" },
		{ "tcptop -C --by=process 10 6",
		  "a minute of each process, in six tables" },
		{ "tcptop --lport=443 -t 5", "the five busiest of a web server" },
	},
	.options = options,
	.operands = TL_OPERANDS_INTERVAL(env.interval, env.count),
	.columns = columns,
	.sources = sources,
	.quiet = true,
	.args = args,
	.setup = setup,
};

TL_MAIN(tcptop)
