// SPDX-License-Identifier: GPL-2.0-or-later
/* tcplife - trace TCP connections from their begin to their end */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include "tracelet.h"
#include "tracelet/btf.h"
#include "tracelet/heatmap.h"
#include "tracelet/pairs.h"
#include "tracelet/socket.h"
#include "tracelet/source.h"
#include "tracelet/who.h"

#define OPEN_MAX   (1u << 18)
#define OTHERS_MAX 8192

/* A socket, from when it connects or is connected to. */
struct life {
	uint64_t began; /* ns; 0: before this run */
	bool is_active; /* it has sent a SYN */
	struct tl_owner opener, closer;
};

/* What it is at its end. */
struct ended {
	struct life life;
	uint64_t ns;
	struct tl_ends ends;
	uint64_t sent, received;
	uint32_t srtt, retransmits;
	int32_t state, error;
};

static struct {
	bool wide, times, clock;
	bool is_detailed; /* columns are shown, or can be, that are of @wide */
	struct tl_ends_filter wanted;
	uint64_t done; /* the flag of a socket that has received a FIN */
	struct tl_pairs *lives;  /* struct life, by socket */
	struct tl_pairs *others; /* the same of which the begin is not known */
	struct tl_field opened, connected, accepted, closed;
	struct tl_field sent, resent, acked, received, flags, protocol, state;
	struct tl_field next, unacked, written; /* sequence numbers */
	struct tl_field error, srtt, retransmits;
	uint64_t ownerless; /* and left out, as some are asked for */
} env;

static const struct tl_opt options[] = {
	TL_TIME_OPTIONS(env.times, env.clock),
	{ 'W', "wide", NULL, "show retransmits, round trip time, who closed",
	  TL_OPT_FLAG, &env.wide },
	TL_ENDS_OPTIONS(env.wanted),
	{ 0 }
};

enum {
	TIME,
	CLOCK,
	PID,
	COMM,
	TID,
	LADDR,
	LPORT,
	RADDR,
	RPORT,
	TX,
	RX,
	MS,
	RETRANSMITS,
	RTT,
	CLOSED,
	NETNS,
	OPENER_PID,
	OPENER_TID,
	OPENER_COMM
};

#define WIDE TL_SHOW_DATA, &env.wide

static const struct tl_column columns[] = {
	TL_TIME_COLUMNS(env.times, env.clock),
	[PID] = { "PID", "pid", -7, TL_INT,
		  .metric = TL_ROWS("connections", "Connections that ended") },
	[COMM] = { "COMM", "comm", -16, TL_STR },
	[TID] = { "TID", "tid", -7, TL_INT, TL_SHOW_DATA },
	[LADDR] = { "LADDR", "laddr", -15, TL_STR },
	[LPORT] = { "LPORT", "lport", -5, TL_INT },
	[RADDR] = { "RADDR", "raddr", -15, TL_STR },
	[RPORT] = { "RPORT", "rport", -5, TL_INT },
	[TX] = { "TX_KB", "tx", 9, TL_KBYTES,
		 .metric =
			 TL_COUNTER("sent_bytes",
				    "Bytes that ended connections had sent") },
	[RX] = { "RX_KB", "rx", 9, TL_KBYTES,
		 .metric = TL_COUNTER(
			 "received_bytes",
			 "Bytes that ended connections had received") },
	[MS] = { "MS", "duration", 10, TL_MSECS, .role = TL_ROLE_APART,
		 .metric = TL_HISTOGRAM("duration_seconds",
					"How long connections lasted") },
	[RETRANSMITS] = { "RETRANS", "retransmits", 7, TL_INT, WIDE },
	[RTT] = { "RTT(us)", "rtt", 8, TL_USECS, WIDE },
	[CLOSED] = { "CLOSED", "closed", -10, TL_STR, WIDE },
	[NETNS] = { "NETNS", "netns", -10, TL_INT, TL_SHOW_DATA },
	[OPENER_PID] = { "OPENER", "opener_pid", -7, TL_INT, TL_SHOW_DATA },
	[OPENER_TID] = { "OPENER TID", "opener_tid", -7, TL_INT, TL_SHOW_DATA },
	[OPENER_COMM] = { "OPENER COMM", "opener_comm", -16, TL_STR,
			  TL_SHOW_DATA },
	{ 0 }
};

/* ---- rows ------------------------------------------------------------- */

/* By its error, sk_err, and the state that it had before. */
static const char *how_ended(const struct ended *e)
{
	switch (e->error) {
	case 0:
		break;
	case ETIMEDOUT:
		return "timeout";
	case ECONNRESET:
	case EPIPE: /* it had been closed by the other end before */
		return "remote RST";
	case ECONNABORTED: /* ss -K */
		return "aborted";
	default: /* what ICMP told last, where no answer came */
		return tl_errno_name(e->error);
	}
	switch (e->state) {
	case TCP_FIN_WAIT1:
	case TCP_FIN_WAIT2:
	case TCP_CLOSING:
		return "local";
	case TCP_LAST_ACK:
		return "remote";
	default:
		return "local RST";
	}
}

static void put_ends(struct tl_session *s, const struct tl_ends *e)
{
	tl_put_address(s, LADDR, e->laddr, e->lport);
	tl_put_address(s, RADDR, e->raddr, e->rport);
	tl_put_netns(s, NETNS, e);
}

/* A socket is whose who closes it, which others may have opened. */
static const struct tl_owner *owner_of(const struct life *l)
{
	return l->closer.tid ? &l->closer : &l->opener;
}

static void print(struct tl_session *s, const struct ended *e)
{
	const struct life *l = &e->life;
	const struct tl_owner *owner = owner_of(l);

	if (tl_tasks_filtered(s) && !owner->is_asked) {
		env.ownerless += !owner->tid;
		return;
	}
	tl_put_time(s, TIME, e->ns);
	tl_put_owner(s, owner, COMM, PID, TID);
	tl_put_owner(s, &l->opener, OPENER_COMM, OPENER_PID, OPENER_TID);
	put_ends(s, &e->ends);
	tl_put_int(s, TX, (int64_t)e->sent);
	tl_put_int(s, RX, (int64_t)e->received);
	tl_put_int(s, RETRANSMITS, e->retransmits);
	if (e->srtt)
		tl_put_int(s, RTT, e->srtt * (int64_t)125); /* of 8 in a us */
	tl_put_text(s, CLOSED, how_ended(e));
	if (l->began) {
		tl_put_int(s, MS, (int64_t)(e->ns - l->began));
		tl_pictured(s, e->ns, e->ns - l->began);
	}
	tl_row(s);
}

/* ---- events ----------------------------------------------------------- */

static struct life *begin(const struct tl_record *r, int64_t socket)
{
	struct life *l = tl_pairs_put(env.lives, socket);

	tl_pairs_drop(env.others, socket);
	if (l)
		l->began = r->ns;
	return l;
}

/* NULL without memory. */
static struct life *life_of(int64_t socket)
{
	return tl_pairs_get(env.lives, socket)
		       ?: tl_pairs_get(env.others, socket)
			  ?: tl_pairs_put(env.others, socket);
}

static void on_connect(struct tl_session *s, const struct tl_record *r)
{
	struct life *l = begin(r, tl_field_num(r, &env.opened));

	if (!l)
		return;
	l->is_active = true;
	l->opener = tl_owner_of(s, r->pid);
}

/* In the interrupt that has brought the packet, so it is nobody's. */
static void on_connected(struct tl_session *s, const struct tl_record *r)
{
	begin(r, tl_field_num(r, &env.connected));
}

static void on_accept(struct tl_session *s, const struct tl_record *r)
{
	struct life *l = life_of(tl_field_num(r, &env.accepted));

	if (l)
		l->opener = tl_owner_of(s, r->pid);
}

static void on_close(struct tl_session *s, const struct tl_record *r)
{
	struct life *l = life_of(tl_field_num(r, &env.closed));

	if (l)
		l->closer = tl_owner_of(s, r->pid);
}

static bool has_sent_fin(const struct tl_record *r)
{
	switch (tl_field_num(r, &env.state)) {
	case TCP_FIN_WAIT1:
	case TCP_FIN_WAIT2:
	case TCP_CLOSING:
	case TCP_LAST_ACK:
		return tl_field_num(r, &env.next) ==
		       tl_field_num(r, &env.written);
	default:
		return false;
	}
}

/*
 * What was acknowledged, and is on its way: SYN and FIN count among it.  What the
 * kernel has sent less what it has sent again is no more than that, but where a
 * queue of this machine has refused data, which it then sends as if anew; only that
 * has no SYN where it is not known whether one was sent.
 */
static uint64_t sent(const struct tl_record *r, const struct life *l)
{
	uint32_t on_its_way = (uint32_t)(tl_field_num(r, &env.next) -
					 tl_field_num(r, &env.unacked));
	int64_t acked = tl_field_num(r, &env.acked) + on_its_way -
			l->is_active - has_sent_fin(r);
	int64_t once =
		tl_field_num(r, &env.sent) - tl_field_num(r, &env.resent);

	return (uint64_t)(acked < once || once < 0 ? acked : once);
}

/* A FIN counts as a byte that was received. */
static uint64_t received(const struct tl_record *r)
{
	bool done = (uint64_t)tl_field_num(r, &env.flags) & env.done;

	return (uint64_t)tl_field_num(r, &env.received) - done;
}

static struct ended ended(const struct tl_record *r, const struct life *l)
{
	return (struct ended){
		.life = *l,
		.ns = r->ns,
		.ends = tl_socket_ends(r),
		.sent = sent(r, l),
		.received = received(r),
		.srtt = (uint32_t)tl_field_num(r, &env.srtt),
		.retransmits = (uint32_t)tl_field_num(r, &env.retransmits),
		.state = (int32_t)tl_field_num(r, &env.state),
		.error = (int32_t)tl_field_num(r, &env.error),
	};
}

/* Not of a socket that listens, or whose handshake has failed; nor of DCCP. */
static bool was_connected(const struct tl_record *r)
{
	switch (tl_field_num(r, &env.state)) {
	case TCP_ESTABLISHED:
	case TCP_FIN_WAIT1:
	case TCP_FIN_WAIT2:
	case TCP_CLOSE_WAIT:
	case TCP_LAST_ACK:
	case TCP_CLOSING:
		return tl_field_num(r, &env.protocol) == IPPROTO_TCP;
	default:
		return false;
	}
}

static void on_end_of(struct tl_session *s, const struct tl_record *r)
{
	static const struct life unknown;
	int64_t socket = (int64_t)tl_socket_id(r);
	const struct life *l = tl_pairs_get(env.lives, socket)
				       ?: tl_pairs_get(env.others, socket)
					  ?: &unknown;
	struct ended e;

	if (was_connected(r)) {
		e = ended(r, l);
		if (tl_ends_match(&env.wanted, &e.ends))
			print(s, &e);
	}
	tl_pairs_drop(env.lives, socket);
	tl_pairs_drop(env.others, socket);
}

static int on_end(struct tl_session *s)
{
	uint64_t evicted = tl_pairs_evicted(env.lives);

	if (env.ownerless)
		tl_warn("%llu connections are left out: it is not known whose "
			"they were",
			(unsigned long long)env.ownerless);
	if (evicted)
		tl_warn("of %llu connections the begin was forgotten, as more "
			"than %u were open",
			(unsigned long long)evicted, OPEN_MAX);
	return 0;
}

/* ---- set-up ----------------------------------------------------------- */

#define SOCK "tcp_sock."

static const struct tl_source_field of_end[] = {
	{ "sent", &env.sent, "$arg1", SOCK "bytes_sent", "u64" },
	{ "resent", &env.resent, "$arg1", SOCK "bytes_retrans", "u64" },
	{ "acked", &env.acked, "$arg1", SOCK "bytes_acked", "u64" },
	{ "next", &env.next, "$arg1", SOCK "snd_nxt", "u32" },
	{ "unacked", &env.unacked, "$arg1", SOCK "snd_una", "u32" },
	{ "written", &env.written, "$arg1", SOCK "write_seq", "u32" },
	{ "received", &env.received, "$arg1", SOCK "bytes_received", "u64" },
	{ "flags", &env.flags, "$arg1", "sock_common.skc_flags" },
	{ "protocol", &env.protocol, "$arg1", "sock.sk_protocol", "u16" },
	{ "state", &env.state },
	{ "error", &env.error, "$arg1", "sock.sk_err", "s32",
	  .given = &env.is_detailed },
	{ "srtt", &env.srtt, "$arg1", SOCK "srtt_us", "u32",
	  .given = &env.is_detailed },
	{ "retransmits", &env.retransmits, "$arg1", SOCK "total_retrans", "u32",
	  .given = &env.is_detailed },
	{ 0 }
};

/*
 * inet_unhash() is called, through a pointer, where a socket becomes TCP_CLOSE, with
 * its last state; tracepoint sock:inet_sock_set_state has no bytes, and costs more.
 * Each thread that waits in accept() takes one of the probes on its return, so better
 * is what it calls then, where the kernel is built with security modules.
 */
static const struct tl_source sources[] = {
	{ "tcp_connect", on_connect,
	  TL_SOURCE_FIELDS({ "skaddr", &env.opened, "$arg1", .type = "x64" }) },
	{ "tcp_ca_openreq_child", on_connected,
	  TL_SOURCE_FIELDS(
		  { "skaddr", &env.connected, "$arg1", .type = "x64" }) },
	{ "security_sock_graft", on_accept,
	  TL_SOURCE_FIELDS({ "skaddr", &env.accepted, "$arg1", .type = "x64" }),
	  .name = "accept" },
	{ "inet_csk_accept", on_accept,
	  TL_SOURCE_FIELDS(
		  { "skaddr", &env.accepted, "$retval", .type = "x64" }),
	  .type = "r4096", .name = "accept", .filter = "skaddr != 0",
	  .flags = TL_SOURCE_ELSE },
	{ "tcp_close", on_close,
	  TL_SOURCE_FIELDS({ "skaddr", &env.closed, "$arg1", .type = "x64" }) },
	{ "inet_unhash", on_end_of, of_end, .socket = true },
	{ 0 }
};

static int find_flag(struct tl_session *s)
{
	int bit = tl_btf_enumerator(s, "sock_flags", "SOCK_DONE");

	if (bit < 0)
		return tl_fail(ENOTSUP, "this kernel's BTF has no SOCK_DONE");
	env.done = 1ull << bit;
	return 0;
}

static int setup(struct tl_session *s)
{
	env.lives = tl_pairs_open(s, sizeof(struct life), OPEN_MAX, NULL);
	env.others = tl_pairs_open(s, sizeof(struct life), OTHERS_MAX, NULL);
	if (!env.lives || !env.others)
		return -ENOMEM;
	env.is_detailed =
		env.wide || tl_data_format(s) || tl_settings(s)->write;
	tl_banner(s, "Tracing TCP connections%s", tl_banner_who(s));
	return tl_netns_find(s, &env.wanted.netns) ?: find_flag(s);
}

static const struct tl_tool tcplife = {
	.name = "tcplife",
	.summary = "trace TCP connections that end: bytes, time, process",
	.examples = {
		{ "tcplife", "each connection when it ends" },
		{ "tcplife -W --rport=443",
		  "those to web servers, with round trip times and who closed" },
		{ "tcplife -tp 181", "of one process, with the time" },
	},
	.options = options,
	.columns = columns,
	.pictured = { .unit = "connections",
		      .latency = "Time of connections",
		      .told = true },
	.sources = sources,
	.flags = TL_FILTERS_TASKS,
	.check = find_flag,
	.setup = setup,
	.end = on_end,
};

TL_MAIN(tcplife)
