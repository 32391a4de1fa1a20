// SPDX-License-Identifier: GPL-2.0-or-later
/* tcpretrans - trace TCP retransmits */
#include <errno.h>
#include <netinet/tcp.h>

#include "tracelet.h"
#include "tracelet/heatmap.h"
#include "tracelet/pairs.h"
#include "tracelet/socket.h"
#include "tracelet/source.h"
#include "tracelet/stack.h"
#include "tracelet/table.h"

#define CONNECTIONS_MAX 65536

enum kind { RETRANSMIT, PROBE, SYNACK, FAILED };

/*
 * A connection, of which each kind is counted apart; a key, so all zero else.
 */
struct connection {
	struct tl_ends ends;
	uint32_t kind;
};

/* A tail loss probe that is being sent. */
struct probe {
	uint64_t socket;
	bool resends; /* what was sent before, not new data */
};

static struct {
	bool probes, synack, stacks, failed, count;
	struct tl_ends_filter wanted;
	struct tl_event *start, *sent; /* of a tail loss probe */
	bool is_at_return;             /* where it is seen that it was sent */
	bool in_netns, synack_netns;   /* --netns, and with --synack */
	bool has_err;                  /* retransmits tell of failures */
	struct tl_field err, starting, outstanding, netns_of, netns;
	struct tl_pairs *sending;    /* struct probe, by processor */
	struct tl_pairs *namespaces; /* uint32_t, by socket; NULL: of all */
	struct tl_table *counts;
} env;

static const struct tl_opt options[] = {
	{ 'l', "tlp", NULL, "show tail loss probes, as L>", TL_OPT_FLAG,
	  &env.probes },
	{ 's', "stacks", NULL, "show kernel stacks", TL_OPT_FLAG, &env.stacks,
	  "how" },
	{ 'c', "count", NULL, "count by connection, show that at the end",
	  TL_OPT_FLAG, &env.count, "how" },
	{ 0, "synack", NULL, "show retransmits of SYN+ACK, as S>", TL_OPT_FLAG,
	  &env.synack },
	{ 0, "failed", NULL, "show those that could not be sent, as F>",
	  TL_OPT_FLAG, &env.failed },
	TL_ENDS_OPTIONS(env.wanted),
	{ 0 }
};

enum {
	CLOCK,
	TIME,
	COMM,
	PID,
	TID,
	LOCAL,
	LADDR,
	LPORT,
	MARK,
	TYPE,
	REMOTE,
	RADDR,
	RPORT,
	STATE,
	ERROR,
	NETNS,
	COUNT,
	STACK
};

#define ROWS &env.count, TL_SHOW_NEVER /* not of connections */

static const struct tl_column columns[] = {
	[CLOCK] = { "TIME", "clock", -8, TL_WALL_CLOCK, TL_SHOW_TEXT, ROWS },
	[TIME] = { "TIMEs", "time", -16, TL_TIME, TL_SHOW_DATA, ROWS },
	[COMM] = { "COMM", "comm", -16, TL_STR, TL_SHOW_DATA, ROWS },
	[PID] = { "PID", "pid", -6, TL_INT, TL_SHOW_ALL, ROWS },
	[TID] = { "TID", "tid", -6, TL_INT, TL_SHOW_DATA, ROWS },
	[LOCAL] = { "LADDR:LPORT", "local", -20, TL_STR, TL_SHOW_TEXT },
	[LADDR] = { "LADDR", "laddr", -20, TL_STR, TL_SHOW_DATA },
	[LPORT] = { "LPORT", "lport", -6, TL_INT, TL_SHOW_DATA },
	[MARK] = { "--", "mark", -2, TL_STR, TL_SHOW_TEXT },
	[TYPE] = { "TYPE", "type", -10, TL_STR, TL_SHOW_DATA,
		   .role = TL_ROLE_TITLE, .metric = TL_LABEL },
	[REMOTE] = { "RADDR:RPORT", "remote", -20, TL_STR, TL_SHOW_TEXT },
	[RADDR] = { "RADDR", "raddr", -20, TL_STR, TL_SHOW_DATA },
	[RPORT] = { "RPORT", "rport", -6, TL_INT, TL_SHOW_DATA },
	[STATE] = { "STATE", "state", -12, TL_STR, TL_SHOW_ALL, ROWS },
	[ERROR] = { "ERR", "error", -12, TL_STR, TL_SHOW_DATA, &env.failed },
	[NETNS] = { "NETNS", "netns", -10, TL_INT, TL_SHOW_DATA },
	[COUNT] = { "RETRANSMITS", "count", 11, TL_INT, TL_SHOW_NEVER,
		    &env.count,
		    .metric = TL_EVENTS("retransmits",
					"TCP segments that were sent again") },
	[STACK] = { "STACK", "stack", 0, TL_STACK, TL_SHOW_DATA, &env.stacks },
	{ 0 }
};

static const char *const marks[] = { "R>", "L>", "S>", "F>" };
static const char *const types[] = { "retransmit", "tlp", "synack", "failed" };

/* ---- rows ------------------------------------------------------------- */

static void put_connection(struct tl_session *s, const struct connection *c)
{
	tl_put_end(s, LOCAL, c->ends.laddr, c->ends.lport);
	tl_put_text(s, MARK, marks[c->kind]);
	tl_put_text(s, TYPE, types[c->kind]);
	tl_put_end(s, REMOTE, c->ends.raddr, c->ends.rport);
	tl_put_netns(s, NETNS, &c->ends);
}

/* A SYN+ACK has no socket yet, which would have a state. */
static void put_state(struct tl_session *s, const struct tl_record *r, int kind)
{
	tl_put_text(s, STATE,
		    kind == SYNACK ? tl_tcp_state(TCP_SYN_RECV)
				   : tl_socket_state(r));
	if (kind == FAILED)
		tl_put_text(s, ERROR,
			    tl_tcp_error((int)tl_field_num(r, &env.err)));
}

/*
 * Tracepoints do not tell of its namespace: where that is asked for a probe has, just
 * before.  Elsewhere none has one, so that all kinds are of one connection.
 */
static struct connection connection_of(const struct tl_record *r,
				       enum kind kind)
{
	struct connection c = { tl_socket_ends(r), kind };
	const uint32_t *netns;

	if (!env.namespaces) {
		c.ends.netns = 0;
		return c;
	}
	netns = c.ends.netns ? &c.ends.netns
			     : tl_pairs_get(env.namespaces,
					    (int64_t)tl_socket_id(r));
	c.ends.netns = netns ? *netns : 0;
	return c;
}

static void print(struct tl_session *s, const struct tl_record *r,
		  const struct tl_record *stack, int kind)
{
	struct connection c = connection_of(r, kind);

	tl_put_time(s, CLOCK, r->ns);
	tl_put_task(s, r->pid, COMM, PID, TID);
	put_connection(s, &c);
	put_state(s, r, kind);
	if (stack)
		tl_put_stack(s, STACK, stack);
	tl_row(s);
}

static void show(struct tl_session *s, const struct tl_record *r,
		 enum kind kind)
{
	struct connection c = connection_of(r, kind);
	uint64_t *count;

	/* timers and packets interrupt this program too */
	if ((tl_tasks_filtered(s) && !tl_task_matches(s, r->pid)) ||
	    !tl_ends_match(&env.wanted, &c.ends))
		return;
	tl_pictured(s, r->ns, 0);
	if (env.stacks) {
		tl_stacks_hold(s, r, kind);
	} else if (!env.count) {
		print(s, r, NULL, kind);
	} else {
		count = tl_table_at(env.counts, TL_KEY(c));
		if (count)
			++*count;
	}
}

/* ---- events ----------------------------------------------------------- */

static void on_namespace(struct tl_session *s, const struct tl_record *r)
{
	uint32_t *netns =
		tl_pairs_put(env.namespaces, tl_field_num(r, &env.netns_of));

	if (netns)
		*netns = (uint32_t)tl_field_num(r, &env.netns);
}

static void on_start(struct tl_session *s, const struct tl_record *r)
{
	struct probe *p = tl_pairs_put(env.sending, r->cpu);

	if (p)
		p->socket = (uint64_t)tl_field_num(r, &env.starting);
}

/* A probe without new data to send is a retransmit. */
static void on_retransmit(struct tl_session *s, const struct tl_record *r)
{
	enum kind kind = RETRANSMIT;
	struct probe *p =
		env.sending ? tl_pairs_get(env.sending, r->cpu) : NULL;

	if (p && !p->resends && p->socket == tl_socket_id(r)) {
		p->resends = true;
		kind = PROBE;
	}
	if (env.has_err && tl_field_num(r, &env.err))
		kind = FAILED;
	show(s, r, kind);
}

static void on_sent(struct tl_session *s, const struct tl_record *r)
{
	struct probe *p = tl_pairs_get(env.sending, r->cpu);

	if (p && !p->resends && tl_field_num(r, &env.outstanding) &&
	    p->socket == tl_socket_id(r))
		show(s, r, PROBE);
	tl_pairs_drop(env.sending, r->cpu);
}

static void on_returned(struct tl_session *s, const struct tl_record *r)
{
	tl_pairs_drop(env.sending, r->cpu);
}

static void on_synack(struct tl_session *s, const struct tl_record *r)
{
	show(s, r, SYNACK);
}

static void on_lost(struct tl_session *s, unsigned int cpu)
{
	if (env.sending)
		tl_pairs_drop(env.sending, cpu);
}

/* ---- counts ----------------------------------------------------------- */

static void print_count(struct tl_session *s, const struct tl_table_entry *e,
			uint64_t ns)
{
	put_connection(s, (const struct connection *)e->key.text);
	tl_put_int(s, COUNT, *(const int64_t *)e->value);
	tl_row(s);
}

static int on_end(struct tl_session *s)
{
	static const struct tl_table_view view = { .order = tl_table_by_count,
						   .put = print_count,
						   .counts = "retransmits",
						   .keys = "connections" };

	if (!env.count) {
		tl_print(s, "%s", "");
		tl_print(s, "Ending tracing...");
		return 0;
	}
	return tl_table_show(s, env.counts, &view, 0);
}

/* ---- sources ---------------------------------------------------------- */

static void filter_failed(struct tl_session *s, const struct tl_event *ev,
			  struct tl_filter *f)
{
	if (env.has_err && !env.failed)
		tl_filter_and(f, "err == 0");
}

static const struct tl_source_field of_retransmit[] = {
	/* where it has one (7.2) the event also tells of attempts that failed */
	{ "err", &env.err, .found = &env.has_err },
	{ 0 }
};

static const struct tl_source retransmits[] = {
	{ "tcp:tcp_retransmit_skb", on_retransmit, of_retransmit,
	  .socket = true, .wanted = &env.wanted, .add_filter = filter_failed },
	{ 0 }
};

/* OUTSTANDING is not 0 while a tail loss probe is. */
#define OUTSTANDING "tcp_sock.tlp_high_seq"
#define PENDING     "inet_connection_sock.icsk_pending"

static const struct tl_source_field of_start[] = {
	{ "skaddr", &env.starting, "$arg1", .type = "x64" },
	{ "outstanding", NULL, "$arg1", OUTSTANDING, "u32" },
	{ 0 }
};

static const struct tl_source_field of_sent[] = {
	{ "pending", NULL, "$arg1", PENDING, "u8" },
	{ "outstanding", &env.outstanding, "$arg1", OUTSTANDING, "u32" },
	{ 0 }
};

/* Before it returns it calls the other one below. */
#define SEND_PROBE "tcp_send_loss_probe"

/*
 * tcp_send_loss_probe() may find that it cannot or need not send.  What shows
 * that it has sent is the sequence number that it leaves, at its return; on
 * kernels without arguments there, at the last call before.
 */
static const struct tl_source others[] = {
	{ "tcp:tcp_retransmit_synack", on_synack, .socket = true,
	  .wanted = &env.wanted, .given = &env.synack, .limit = "--synack" },
	{ SEND_PROBE, on_start, of_start, .name = "start",
	  .filter = "outstanding == 0", .added = &env.start,
	  .flags = TL_SOURCE_READABLE, .given = &env.probes, .limit = "-l" },
	{ SEND_PROBE, on_sent, of_sent, .type = "r", .name = "sent",
	  .socket = true, .added = &env.sent, .found = &env.is_at_return,
	  .flags = TL_SOURCE_RETURN_ARGS },
	{ "tcp_rearm_rto", on_sent, of_sent, .name = "sent", .socket = true,
	  .added = &env.sent, .filter = "outstanding != 0 && pending == 0",
	  .flags = TL_SOURCE_ELSE, .given = &env.probes, .limit = "-l" },
	{ SEND_PROBE, on_returned, .type = "r", .name = "end",
	  .given = &env.probes, .unless = &env.is_at_return, .limit = "-l" },
	{ 0 }
};

static const struct tl_source_field of_namespace[] = {
	{ "skaddr", &env.netns_of, "$arg1", .type = "x64" },
	{ "netns", &env.netns, "$arg1", "sock_common.skc_net.net net.ns.inum",
	  "u32" },
	{ 0 }
};

/* These have the tracepoints in them. */
static const struct tl_source namespaces[] = {
	{ "__tcp_retransmit_skb", on_namespace, of_namespace,
	  .given = &env.in_netns, .limit = "--netns" },
	{ "tcp_rtx_synack", on_namespace, of_namespace,
	  .given = &env.synack_netns, .limit = "--netns" },
	{ 0 }
};

static int need_errors(struct tl_session *s)
{
	if (env.has_err)
		return 0;
	return tl_fail(ENOTSUP, "this kernel does not tell of retransmits that "
				"could not be sent: tcp:tcp_retransmit_skb has "
				"no field err");
}

/* In set-up, and for --check. */
static int add_sources(struct tl_session *s)
{
	env.in_netns = env.wanted.netns.text;
	env.synack_netns = env.in_netns && env.synack;
	return tl_sources_add(s, namespaces) ?:
	       tl_sources_add(s, retransmits) ?:
	       tl_limit(s, "--failed", env.failed, need_errors) ?:
	       tl_sources_add(s, others);
}

/* ---- set-up ----------------------------------------------------------- */

static int set_up_counts(struct tl_session *s)
{
	if (tl_settings(s)->trigger)
		return tl_fail(EINVAL, "--trigger: with -c there are no rows "
				       "before the end");
	tl_column_show(s, ERROR, TL_SHOW_NEVER);
	tl_column_show(s, STACK, TL_SHOW_NEVER);
	tl_banner(s, "Counting TCP retransmits%s", tl_banner_who(s));
	env.counts = tl_table_new(sizeof(uint64_t), NULL);
	if (!env.counts)
		return -ENOMEM;
	tl_table_limit(env.counts, CONNECTIONS_MAX);
	return 0;
}

static int setup(struct tl_session *s)
{
	int ret = 0;

	/* each one counts at once in metrics */
	env.count = env.count && !tl_settings(s)->metrics;
	if (env.count)
		ret = set_up_counts(s);
	else
		tl_show_time(s, CLOCK, TIME);
	if (!ret && env.probes)
		env.sending = tl_pairs_new(sizeof(struct probe), 8192, NULL);
	if (!ret && env.probes && !env.sending)
		ret = -ENOMEM;
	if (!ret && env.wanted.netns.text) {
		env.namespaces = tl_pairs_open(s, sizeof(uint32_t), 8192, NULL);
		ret = env.namespaces ? 0 : -ENOMEM;
	}
	ret = ret ?: add_sources(s);
	/* each segment and acknowledgement comes along there */
	if (!ret && env.start && !env.is_at_return)
		ret = tl_event_on_demand(s, env.sent, env.start,
					 "outstanding == 0");
	return ret || !env.stacks ? ret : tl_stacks_open(s, print);
}

static int check(struct tl_session *s)
{
	return add_sources(s) ?: tl_limit(s, "-s", env.stacks, tl_stacks_check);
}

static const struct tl_tool tcpretrans = {
	.name = "tcpretrans",
	.summary = "trace TCP retransmits",
	.examples = {
		{ "tcpretrans", "segments that are sent again" },
		{ "tcpretrans -c -d 60", "which connections lose most" },
		{ "tcpretrans -ls --synack --port=443",
		  "all kinds, of a web server, and what caused them" },
	},
	.options = options,
	.columns = columns,
	.pictured = { .unit = "retransmits", .told = true },
	.flags = TL_FILTERS_TASKS,
	.check = check,
	.setup = setup,
	.lost = on_lost,
	.end = on_end,
};

TL_MAIN(tcpretrans)
