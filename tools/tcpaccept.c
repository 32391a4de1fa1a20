// SPDX-License-Identifier: GPL-2.0-or-later
/* tcpaccept - trace TCP connections that programs accept */
#include <errno.h>
#include <stdio.h>

#include "tracelet.h"
#include "tracelet/heatmap.h"
#include "tracelet/pairs.h"
#include "tracelet/socket.h"
#include "tracelet/source.h"

#define QUEUED_MAX (1u << 18)

/* The queue of a socket that listens. */
struct queue {
	uint32_t length; /* connections in it */
	uint32_t limit;  /* it is full with one more than these */
	int32_t drops;   /* of what came for that socket, so far */
};

/* A connection that waits to be accepted. */
struct queued {
	uint64_t ns;
	struct queue queue; /* with itself */
};

/* Where the records of an event have the queue. */
struct queue_fields {
	struct tl_field length, limit, drops;
};

static struct {
	bool times, clock, overflows;
	uint64_t min; /* ns */
	struct tl_ends_filter wanted;
	struct tl_pairs *queued; /* struct queued, by socket */
	struct tl_field completed, added;
	struct queue_fields at_completed, at_added, at_syn, at_ack4, at_ack6;
} env;

static const struct tl_opt options[] = {
	TL_TIME_OPTIONS(env.times, env.clock),
	{ 0, "overflows", NULL,
	  "show also what a full queue refuses, and what a row is of",
	  TL_OPT_FLAG, &env.overflows },
	{ 0, "min", "MS", "only those that waited at least MS milliseconds",
	  TL_OPT_MSECS, &env.min },
	TL_ENDS_OPTIONS(env.wanted),
	{ 0 }
};

enum {
	TIME,
	CLOCK,
	TYPE,
	PID,
	TID,
	COMM,
	IP,
	RADDR,
	RPORT,
	LADDR,
	LPORT,
	WAIT,
	LENGTH,
	LIMIT,
	DROPS,
	NETNS
};

static const struct tl_column columns[] = {
	TL_TIME_COLUMNS(env.times, env.clock),
	[TYPE] = { "TYPE", "type", -8, TL_STR, TL_SHOW_DATA, &env.overflows,
		   .role = TL_ROLE_TITLE, .metric = TL_LABEL },
	[PID] = { "PID", "pid", -7, TL_INT },
	[TID] = { "TID", "tid", -7, TL_INT, TL_SHOW_DATA },
	[COMM] = { "COMM", "comm", -12, TL_STR },
	[IP] = { "IP", "ip", -2, TL_INT },
	[RADDR] = { "RADDR", "raddr", -15, TL_STR },
	[RPORT] = { "RPORT", "rport", -5, TL_INT },
	[LADDR] = { "LADDR", "laddr", -15, TL_STR },
	[LPORT] = { "LPORT", "lport", -5, TL_INT },
	[WAIT] = { "WAIT(ms)", "wait", 9, TL_MSECS, .role = TL_ROLE_APART,
		   .metric = TL_HISTOGRAM("wait_seconds",
					  "How long connections waited until "
					  "they were accepted") },
	[LENGTH] = { "QLEN", "queue", 5, TL_INT },
	[LIMIT] = { "QMAX", "queue_max", 5, TL_INT,
		    .metric =
			    TL_ROWS("connections",
				    "Connections that were accepted, or with "
				    "--overflows did not fit into the queue") },
	[DROPS] = { "DROPS", "drops", 6, TL_INT },
	[NETNS] = { "NETNS", "netns", -10, TL_INT, TL_SHOW_DATA },
	{ 0 }
};

/* ---- rows ------------------------------------------------------------- */

static void put_local(struct tl_session *s, const struct tl_ends *e)
{
	tl_put_address(s, LADDR, e->laddr, e->lport);
	tl_put_netns(s, NETNS, e);
}

static void put_queue(struct tl_session *s, const struct queue *q)
{
	tl_put_int(s, LENGTH, q->length);
	tl_put_int(s, LIMIT, q->limit);
	tl_put_int(s, DROPS, q->drops);
}

static void print(struct tl_session *s, const struct tl_record *r,
		  const struct tl_ends *e, const struct queued *q)
{
	tl_put_time(s, TIME, r->ns);
	tl_put_text(s, TYPE, "accept");
	tl_put_task(s, r->pid, COMM, PID, TID);
	tl_put_int(s, IP, tl_inet_is_ipv4(e->raddr) ? 4 : 6);
	tl_put_address(s, RADDR, e->raddr, e->rport);
	put_local(s, e);
	if (q) {
		tl_put_int(s, WAIT, (int64_t)(r->ns - q->ns));
		put_queue(s, &q->queue);
	}
	tl_row(s);
}

/* ---- the queue -------------------------------------------------------- */

static struct queue queue_of(const struct tl_record *r,
			     const struct queue_fields *f)
{
	return (struct queue){
		.length = (uint32_t)tl_field_num(r, &f->length),
		.limit = (uint32_t)tl_field_num(r, &f->limit),
		.drops = (int32_t)tl_field_num(r, &f->drops),
	};
}

static void enqueue(const struct tl_record *r, const struct tl_field *child,
		    const struct queue_fields *f)
{
	struct queued *q = tl_pairs_put(env.queued, tl_field_num(r, child));

	if (!q)
		return;
	q->ns = r->ns;
	q->queue = queue_of(r, f);
	q->queue.length++;
}

static void on_completed(struct tl_session *s, const struct tl_record *r)
{
	enqueue(r, &env.completed, &env.at_completed);
}

/* SYN cookies, and TCP Fast Open; where it is a function of its own others, too */
static void on_added(struct tl_session *s, const struct tl_record *r)
{
	enqueue(r, &env.added, &env.at_added);
}

static void on_accept(struct tl_session *s, const struct tl_record *r)
{
	int64_t id = (int64_t)tl_socket_id(r);
	const struct queued *q = tl_pairs_get(env.queued, id);
	uint64_t wait = q ? r->ns - q->ns : 0;
	struct tl_ends e = tl_socket_ends(r);

	if (tl_cpu_matches(s, r->cpu) &&
	    (!tl_tasks_filtered(s) || tl_task_matches(s, r->pid)) &&
	    tl_ends_match(&env.wanted, &e) && wait >= env.min) {
		if (q)
			tl_pictured(s, r->ns, wait);
		print(s, r, &e, q);
	}
	tl_pairs_drop(env.queued, id);
}

/* ---- overflows -------------------------------------------------------- */

/* What the socket that listens has no place for. */
static void refuse(struct tl_session *s, const struct tl_record *r,
		   const struct queue_fields *f)
{
	struct queue q = queue_of(r, f);
	struct tl_ends e = tl_socket_ends(r);

	if (q.length <= q.limit || !tl_cpu_matches(s, r->cpu) ||
	    !tl_ends_match(&env.wanted, &e))
		return;
	tl_put_time(s, TIME, r->ns);
	tl_put_text(s, TYPE, "overflow");
	put_local(s, &e);
	put_queue(s, &q);
	tl_row(s);
}

static void on_syn(struct tl_session *s, const struct tl_record *r)
{
	refuse(s, r, &env.at_syn);
}

static void on_ack4(struct tl_session *s, const struct tl_record *r)
{
	refuse(s, r, &env.at_ack4);
}

static void on_ack6(struct tl_session *s, const struct tl_record *r)
{
	refuse(s, r, &env.at_ack6);
}

/* ---- sources ---------------------------------------------------------- */

/* Of the socket that listens. */
#define QUEUE(fields, from)                                                \
	{ "queue", &(fields).length, from, "sock.sk_ack_backlog", "u32" }, \
		{ "queue_max", &(fields).limit, from,                      \
		  "sock.sk_max_ack_backlog", "u32" },                      \
	{                                                                  \
		"drops", &(fields).drops, from, "sock.sk_drops", "s32"     \
	}

/*
 * A child is there before it can be accepted.  What accepts gives it to the security
 * module, which waits for nothing: probes of returns have to wait as long as
 * accept() does, and are used up then.
 */
static const struct tl_source sources[] = {
	{ "inet_csk_complete_hashdance", on_completed,
	  TL_SOURCE_FIELDS({ "child", &env.completed, "$arg2", .type = "x64" },
			   { "own", NULL, "$arg4", .type = "u8" },
			   QUEUE(env.at_completed, "$arg1")),
	  .name = "completed", .filter = "own != 0",
	  .flags = TL_SOURCE_READABLE },
	{ "inet_csk_reqsk_queue_add", on_added,
	  TL_SOURCE_FIELDS({ "child", &env.added, "$arg3", .type = "x64" },
			   QUEUE(env.at_added, "$arg1")),
	  .name = "added", .flags = TL_SOURCE_READABLE },
	{ "security_sock_graft", on_accept,
	  TL_SOURCE_FIELDS(
		  { "protocol", NULL, "$arg1", "sock.sk_protocol", "u16" }),
	  .name = "accept", .socket = true, .wanted = &env.wanted,
	  .filter = "protocol == 6 && (family == 2 || family == 10)" },
	{ "inet_csk_accept", on_accept, .type = "r4096", .name = "accept",
	  .socket = true, .wanted = &env.wanted, .sock = "$retval",
	  .filter = "skaddr != 0", .flags = TL_SOURCE_ELSE },
	{ "tcp_conn_request", on_syn,
	  TL_SOURCE_FIELDS(QUEUE(env.at_syn, "$arg3")), .name = "syn",
	  .socket = true, .wanted = &env.wanted, .sock = "$arg3",
	  .given = &env.overflows, .limit = "--overflows" },
	/* that of IPv6 calls that of IPv4 */
	{ "tcp_v4_syn_recv_sock", on_ack4,
	  TL_SOURCE_FIELDS(QUEUE(env.at_ack4, "$arg1")), .name = "ack4",
	  .socket = true, .wanted = &env.wanted, .filter = "family == 2",
	  .given = &env.overflows, .limit = "--overflows" },
	{ "tcp_v6_syn_recv_sock", on_ack6,
	  TL_SOURCE_FIELDS(QUEUE(env.at_ack6, "$arg1")), .name = "ack6",
	  .socket = true, .wanted = &env.wanted, .given = &env.overflows,
	  .flags = TL_SOURCE_OPTIONAL },
	{ 0 }
};

/* ---- set-up ----------------------------------------------------------- */

static int setup(struct tl_session *s)
{
	if (env.overflows && tl_tasks_filtered(s))
		return tl_fail(EINVAL, "--overflows: what is refused belongs "
				       "to no process yet: leave out -p, -L, "
				       "-n and --cgroup");
	tl_banner(s, "Tracing TCP accepts%s", tl_banner_who(s));
	env.queued = tl_pairs_open(s, sizeof(struct queued), QUEUED_MAX, NULL);
	return env.queued ? 0 : -ENOMEM;
}

static const struct tl_tool tcpaccept = {
	.name = "tcpaccept",
	.summary = "trace TCP connections that programs accept",
	.examples = {
		{ "tcpaccept", "who accepts what, and how long that waited" },
		{ "tcpaccept --min=100", "only what waited 100 ms and more" },
		{ "tcpaccept --overflows --lport=443",
		  "with what a full queue refuses" },
	},
	.options = options,
	.columns = columns,
	.pictured = { .unit = "connections",
		      .latency = "Wait to be accepted",
		      .told = true },
	.sources = sources,
	.flags = TL_FILTERS_TASKS | TL_FILTERS_CPUS,
	.setup = setup,
};

TL_MAIN(tcpaccept)
