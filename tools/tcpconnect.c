// SPDX-License-Identifier: GPL-2.0-or-later
/* tcpconnect - trace TCP connections that programs open, with result */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>

#include "tracelet.h"
#include "tracelet/heatmap.h"
#include "tracelet/pairs.h"
#include "tracelet/socket.h"
#include "tracelet/source.h"
#include "tracelet/table.h"
#include "tracelet/who.h"

#define ATTEMPTS_MAX 65536
#define CALLS_MAX    8192
#define REMOTES_MAX  65536

#define SIN6_LEN_RFC2133 24 /* struct sockaddr_in6 without sin6_scope_id */

/* A handshake that is not over, from its SYN on. */
struct attempt {
	struct tl_owner opener;
	struct tl_ends ends;
	uint64_t ns;
	bool is_asked;
};

/* A call of tcp_v4_connect() or tcp_v6_connect(). */
struct call {
	struct tl_ends ends;
	uint64_t socket;
	bool is_ipv6;
	bool is_nowhere; /* what it was given is no such address */
	bool is_sent;    /* SYN is */
};

/* How an attempt ended. */
struct result {
	const struct tl_owner *opener; /* NULL: it began before this run */
	const struct tl_ends *ends;
	uint64_t ns;
	uint64_t latency; /* 0: there was no handshake, or it is not known */
	const char *error;
	bool is_nowhere; /* its remote end is none */
};

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
	struct tl_pairs *attempts; /* struct attempt, by socket */
	struct tl_pairs *calls;    /* struct call, by thread */
	struct tl_pairs *deferred; /* sockets that send SYN with data only */
	struct tl_table *counts;   /* struct counts, by struct remote */
	struct tl_field family4, port4, addr4, length4, ret4;
	struct tl_field family6, port6, addr6, length6, ret6;
	struct tl_field old_state, state, err;
	uint64_t ownerless; /* and left out, as some are asked for */
} env;

static const struct tl_opt options[] = {
	{ 't', NULL, NULL, "show the time", TL_OPT_FLAG, &env.times },
	{ 'T', NULL, NULL, "show the time of day", TL_OPT_FLAG, &env.clock },
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
	[TIME] = { "TIMEs", "time", -16, TL_TIME, TL_SHOW_DATA, &env.times },
	[CLOCK] = { "TIME", "clock", -8, TL_WALL_CLOCK, TL_SHOW_NEVER,
		    &env.clock, TL_SHOW_TEXT },
	[PID] = { "PID", "pid", -7, TL_INT },
	[TID] = { "TID", "tid", -7, TL_INT, TL_SHOW_DATA },
	[COMM] = { "COMM", "comm", -12, TL_STR },
	[IP] = { "IP", "ip", -2, TL_INT },
	[LADDR] = { "LADDR", "laddr", -15, TL_STR },
	[LPORT] = { "LPORT", "lport", -5, TL_INT, TL_SHOW_DATA, &env.lports },
	[RADDR] = { "RADDR", "raddr", -15, TL_STR, .role = TL_ROLE_TITLE },
	[RPORT] = { "RPORT", "rport", -5, TL_INT },
	[LATENCY] = { "LAT(ms)", "latency", 9, TL_MSECS,
		      .role = TL_ROLE_APART },
	[ERROR] = { "ERR", "error", -12, TL_STR },
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

static void print(struct tl_session *s, const struct result *r)
{
	tl_put_int(s, TIME, (int64_t)r->ns);
	tl_put_int(s, CLOCK, (int64_t)r->ns);
	if (r->opener)
		tl_put_owner(s, r->opener, COMM, PID, TID);
	tl_put_int(s, IP, tl_inet_is_ipv4(r->ends->raddr) ? 4 : 6);
	put_local(s, r->ends);
	if (!r->is_nowhere)
		tl_put_address(s, RADDR, r->ends->raddr, r->ends->rport);
	if (r->latency)
		tl_put_int(s, LATENCY, (int64_t)r->latency);
	tl_put_text(s, ERROR, r->error);
	tl_row(s);
}

static void count(const struct result *r)
{
	struct remote key = { .port = r->ends->rport,
			      .is_nowhere = r->is_nowhere };
	struct counts *c;

	memcpy(key.addr, r->ends->raddr, sizeof(key.addr));
	c = tl_table_at(env.counts, TL_KEY(key));
	if (!c)
		return;
	c->all++;
	c->failed += !!r->error;
}

static bool is_wanted(const struct result *r)
{
	return (!env.failed || r->error) && r->latency >= env.min;
}

static void show(struct tl_session *s, const struct result *r)
{
	if (!is_wanted(r))
		return;
	if (r->latency)
		tl_pictured(s, r->ns, r->latency);
	if (env.count)
		count(r);
	else
		print(s, r);
}

/* ---- who connects ----------------------------------------------------- */

/* In the context of the thread that connects. */
static bool is_asked(struct tl_session *s, const struct tl_record *r)
{
	return tl_cpu_matches(s, r->cpu) &&
	       (!tl_tasks_filtered(s) || tl_task_matches(s, r->pid));
}

/* ---- calls ------------------------------------------------------------ */

static struct call *begin_call(struct tl_session *s, const struct tl_record *r)
{
	struct call *c =
		is_asked(s, r) ? tl_pairs_put(env.calls, r->pid) : NULL;

	if (c) {
		c->ends = tl_socket_ends(r);
		c->socket = tl_socket_id(r);
	}
	return c;
}

/* Where the records of a call have what it was given. */
struct address_fields {
	const struct tl_field *family, *port, *addr, *length;
};

/* @length: a shorter address the kernel refuses */
static bool is_address(const struct tl_record *r,
		       const struct address_fields *f, int family, int length)
{
	return tl_field_num(r, f->family) == family &&
	       tl_field_num(r, f->length) >= length;
}

static uint16_t port_of(const struct tl_record *r, const struct tl_field *f)
{
	uint8_t bytes[2];

	tl_field_bytes(r, f, bytes, sizeof(bytes));
	return (uint16_t)(bytes[0] << 8 | bytes[1]);
}

static void on_call4(struct tl_session *s, const struct tl_record *r)
{
	static const struct address_fields at = { &env.family4, &env.port4,
						  &env.addr4, &env.length4 };
	const struct call *outer = tl_pairs_get(env.calls, r->pid);
	struct call *c;
	uint8_t addr[4] = { 0 };

	/* tcp_v6_connect() calls it for an address of IPv4 */
	if (outer && outer->is_ipv6 && outer->socket == tl_socket_id(r))
		return;
	c = begin_call(s, r);
	if (!c)
		return;
	c->is_nowhere =
		!is_address(r, &at, AF_INET, sizeof(struct sockaddr_in));
	c->ends.rport = 0;
	if (!c->is_nowhere) {
		tl_field_bytes(r, at.addr, addr, sizeof(addr));
		c->ends.rport = port_of(r, at.port);
	}
	tl_inet_map(c->ends.raddr, addr);
}

static void on_call6(struct tl_session *s, const struct tl_record *r)
{
	static const struct address_fields at = { &env.family6, &env.port6,
						  &env.addr6, &env.length6 };
	struct call *c = begin_call(s, r);

	if (!c)
		return;
	c->is_ipv6 = true;
	c->is_nowhere = !is_address(r, &at, AF_INET6, SIN6_LEN_RFC2133);
	memset(c->ends.raddr, 0, sizeof(c->ends.raddr));
	c->ends.rport = 0;
	if (c->is_nowhere)
		return;
	tl_field_bytes(r, at.addr, c->ends.raddr, sizeof(c->ends.raddr));
	c->ends.rport = port_of(r, at.port);
}

/* Of a call that fails no handshake goes on. */
static void fail(struct tl_session *s, const struct tl_record *r,
		 const struct call *c, int64_t ret)
{
	struct tl_owner opener = tl_owner_of(s, r->pid);
	struct result failed = { .opener = &opener,
				 .ends = &c->ends,
				 .ns = r->ns,
				 .error = tl_tcp_error((int)ret),
				 .is_nowhere = c->is_nowhere };

	tl_pairs_drop(env.attempts, (int64_t)c->socket);
	if (tl_ends_match(&env.wanted, &c->ends))
		show(s, &failed);
}

static void end_call(struct tl_session *s, const struct tl_record *r,
		     bool is_ipv6, int64_t ret)
{
	const struct call *c = tl_pairs_get(env.calls, r->pid);

	if (!c || c->is_ipv6 != is_ipv6)
		return;
	if (ret)
		fail(s, r, c, ret);
	else if (!c->is_sent) /* TCP_FASTOPEN_CONNECT, and there is a cookie */
		tl_pairs_put(env.deferred, (int64_t)c->socket);
	tl_pairs_drop(env.calls, r->pid);
}

static void on_return4(struct tl_session *s, const struct tl_record *r)
{
	end_call(s, r, false, tl_field_num(r, &env.ret4));
}

static void on_return6(struct tl_session *s, const struct tl_record *r)
{
	end_call(s, r, true, tl_field_num(r, &env.ret6));
}

/* ---- handshakes ------------------------------------------------------- */

static void on_connect(struct tl_session *s, const struct tl_record *r)
{
	struct call *c = tl_pairs_get(env.calls, r->pid);
	struct tl_ends ends = tl_socket_ends(r);
	struct attempt *a;

	if (c && c->socket == tl_socket_id(r))
		c->is_sent = true;
	tl_pairs_drop(env.deferred, (int64_t)tl_socket_id(r));
	if (!tl_ends_match(&env.wanted, &ends))
		return;
	a = tl_pairs_put(env.attempts, (int64_t)tl_socket_id(r));
	if (!a)
		return;
	a->opener = tl_owner_of(s, r->pid);
	a->ends = ends;
	a->ns = r->ns;
	a->is_asked = is_asked(s, r);
}

/* It began before this run, or its begin was lost. */
static void end_unknown(struct tl_session *s, const struct tl_record *r,
			const char *error)
{
	const struct tl_ends ends = tl_socket_ends(r);
	const struct result ended = { .ends = &ends,
				      .ns = r->ns,
				      .error = error };

	if (!tl_cpu_matches(s, r->cpu) || !tl_ends_match(&env.wanted, &ends))
		return;
	if (tl_tasks_filtered(s))
		env.ownerless += is_wanted(&ended);
	else
		show(s, &ended);
}

static void end_attempt(struct tl_session *s, const struct tl_record *r,
			const char *error)
{
	int64_t id = (int64_t)tl_socket_id(r);
	const struct attempt *a = tl_pairs_get(env.attempts, id);
	struct result ended = { .ns = r->ns, .error = error };

	if (!a) {
		end_unknown(s, r, error);
		return;
	}
	ended.opener = &a->opener;
	ended.ends = &a->ends;
	ended.latency = r->ns - a->ns;
	if (a->is_asked)
		show(s, &ended);
	tl_pairs_drop(env.attempts, id);
}

static bool is_known(const struct tl_record *r)
{
	return tl_pairs_get(env.attempts, (int64_t)tl_socket_id(r));
}

/* Those whose SYNs have crossed come from another state, as accepted ones do. */
static void on_established(struct tl_session *s, const struct tl_record *r)
{
	if (tl_field_num(r, &env.old_state) == TCP_SYN_SENT || is_known(r))
		end_attempt(s, r, NULL);
}

/* No SYN was sent, so this is the end of no handshake. */
static bool is_deferred(const struct tl_record *r)
{
	int64_t id = (int64_t)tl_socket_id(r);

	if (!tl_pairs_get(env.deferred, id))
		return false;
	tl_pairs_drop(env.deferred, id);
	return true;
}

/* Without an error it is the program that closes it, or the call that fails. */
static void on_unhash(struct tl_session *s, const struct tl_record *r)
{
	int err = (int)tl_field_num(r, &env.err);
	const struct call *c;

	if (is_deferred(r) ||
	    (tl_field_num(r, &env.state) != TCP_SYN_SENT && !is_known(r)))
		return;
	if (err) {
		end_attempt(s, r, tl_tcp_error(-err));
		return;
	}
	c = tl_pairs_get(env.calls, r->pid);
	if (!c || c->socket != tl_socket_id(r))
		end_attempt(s, r, "closed");
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

static void say_unfinished(void)
{
	struct attempt *a = tl_pairs_oldest(env.attempts);
	unsigned int n = 0;

	for (; a; a = tl_pairs_newer(a))
		n += a->is_asked;
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

	say_unfinished();
	say_ownerless();
	return env.count ? tl_table_show(s, env.counts, &view, 0) : 0;
}

/* ---- sources ---------------------------------------------------------- */

/* Of struct sockaddr_in and sockaddr_in6, which are the kernel's promise. */
static const struct tl_source_field of_call4[] = {
	{ "to_family", &env.family4, "+0($arg2)", .type = "u16" },
	{ "to_length", &env.length4, "$arg3", .type = "s32" },
	{ "to_port", &env.port4, "+2($arg2)", .type = "u16" },
	{ "to_addr", &env.addr4, "+4($arg2)", .type = "u32" },
	{ 0 }
};

static const struct tl_source_field of_call6[] = {
	{ "to_family", &env.family6, "+0($arg2)", .type = "u16" },
	{ "to_length", &env.length6, "$arg3", .type = "s32" },
	{ "to_port", &env.port6, "+2($arg2)", .type = "u16" },
	{ "to_addr", &env.addr6, "+8($arg2)", .type = "u64[2]" },
	{ 0 }
};

static const struct tl_source_field of_state[] = { { "oldstate",
						     &env.old_state },
						   { "protocol", NULL },
						   { "newstate", NULL },
						   { 0 } };

static const struct tl_source_field of_unhash[] = { { "err", &env.err, "$arg1",
						      "sock.sk_err", "s32" },
						    { "state", &env.state },
						    { 0 } };

/*
 * tcp_connect() sends SYN.  What ends in another way than with a connection is
 * unhashed before its state changes, when its error is there.
 */
static const struct tl_source sources[] = {
	{ "tcp_v4_connect", on_call4, of_call4, .name = "call4", .socket = true,
	  .wanted = &env.wanted },
	{ "tcp_v4_connect", on_return4,
	  TL_SOURCE_FIELDS({ "ret", &env.ret4, "$retval", .type = "s32" }),
	  .type = "r", .name = "return4" },
	{ "tcp_v6_connect", on_call6, of_call6, .name = "call6", .socket = true,
	  .wanted = &env.wanted, .flags = TL_SOURCE_OPTIONAL },
	{ "tcp_v6_connect", on_return6,
	  TL_SOURCE_FIELDS({ "ret", &env.ret6, "$retval", .type = "s32" }),
	  .type = "r", .name = "return6", .flags = TL_SOURCE_OPTIONAL },
	{ "tcp_connect", on_connect, .name = "connect", .socket = true,
	  .wanted = &env.wanted },
	{ "sock:inet_sock_set_state", on_established, of_state, .socket = true,
	  .wanted = &env.wanted, .filter = "newstate == 1 && protocol == 6" },
	{ "inet_unhash", on_unhash, of_unhash, .name = "unhash", .socket = true,
	  .wanted = &env.wanted, .filter = "state == 2 || state == 3" },
	{ 0 }
};

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
	env.attempts =
		tl_pairs_open(s, sizeof(struct attempt), ATTEMPTS_MAX, NULL);
	env.calls = tl_pairs_open(s, sizeof(struct call), CALLS_MAX, NULL);
	env.deferred = tl_pairs_open(s, 0, CALLS_MAX, NULL);
	return env.attempts && env.calls && env.deferred ? 0 : -ENOMEM;
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
	.sources = sources,
	.flags = TL_FILTERS_TASKS | TL_FILTERS_CPUS,
	.setup = setup,
	.end = on_end,
};

TL_MAIN(tcpconnect)
