// SPDX-License-Identifier: GPL-2.0-or-later
/* connects.c - attempts of programs to open TCP connections, from SYN or call to result */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>

#include "base/part.h"
#include "tracelet/connect.h"
#include "tracelet/event.h"
#include "tracelet/inet.h"
#include "tracelet/pairs.h"
#include "tracelet/source.h"
#include "tracelet/task.h"

#define ATTEMPTS_MAX 65536
#define CALLS_MAX    8192

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

/* Where the records of a call have what it was given. */
struct address_fields {
	struct tl_field family, port, addr, length;
};

struct connects {
	struct tl_part part;
	tl_connect_handler *handler;
	struct tl_ends_filter *wanted;
	struct tl_pairs *attempts; /* struct attempt, by socket */
	struct tl_pairs *calls;    /* struct call, by thread */
	struct tl_pairs *deferred; /* sockets that send SYN with data only */
	struct address_fields to4, to6;
	struct tl_field ret4, ret6, old_state, state, err;
};

static const struct tl_part_ops connects_ops = { .free = free };

static struct connects *connects(const struct tl_session *s)
{
	return tl_part_find(s, &connects_ops);
}

/* In the context of the thread that connects. */
static bool is_asked(struct tl_session *s, const struct tl_record *r)
{
	return tl_cpu_matches(s, r->cpu) &&
	       (!tl_tasks_filtered(s) || tl_task_matches(s, r->pid));
}

/* ---- calls ------------------------------------------------------------ */

static struct call *begin_call(struct tl_session *s, const struct tl_record *r)
{
	struct call *c = is_asked(s, r)
				 ? tl_pairs_put(connects(s)->calls, r->pid)
				 : NULL;

	if (c) {
		c->ends = tl_socket_ends(r);
		c->socket = tl_socket_id(r);
	}
	return c;
}

/* @length: a shorter address the kernel refuses */
static bool is_address(const struct tl_record *r,
		       const struct address_fields *f, int family, int length)
{
	return tl_field_num(r, &f->family) == family &&
	       tl_field_num(r, &f->length) >= length;
}

static uint16_t port_of(const struct tl_record *r, const struct tl_field *f)
{
	uint8_t bytes[2];

	tl_field_bytes(r, f, bytes, sizeof(bytes));
	return (uint16_t)(bytes[0] << 8 | bytes[1]);
}

static void on_call4(struct tl_session *s, const struct tl_record *r)
{
	const struct connects *t = connects(s);
	const struct address_fields *to = &t->to4;
	const struct call *outer = tl_pairs_get(t->calls, r->pid);
	struct call *c;
	uint8_t addr[4] = { 0 };

	/* tcp_v6_connect() calls it for an address of IPv4 */
	if (outer && outer->is_ipv6 && outer->socket == tl_socket_id(r))
		return;
	c = begin_call(s, r);
	if (!c)
		return;
	c->is_nowhere = !is_address(r, to, AF_INET, sizeof(struct sockaddr_in));
	c->ends.rport = 0;
	if (!c->is_nowhere) {
		tl_field_bytes(r, &to->addr, addr, sizeof(addr));
		c->ends.rport = port_of(r, &to->port);
	}
	tl_inet_map(c->ends.raddr, addr);
}

static void on_call6(struct tl_session *s, const struct tl_record *r)
{
	const struct address_fields *to = &connects(s)->to6;
	struct call *c = begin_call(s, r);

	if (!c)
		return;
	c->is_ipv6 = true;
	c->is_nowhere = !is_address(r, to, AF_INET6, SIN6_LEN_RFC2133);
	memset(c->ends.raddr, 0, sizeof(c->ends.raddr));
	c->ends.rport = 0;
	if (c->is_nowhere)
		return;
	tl_field_bytes(r, &to->addr, c->ends.raddr, sizeof(c->ends.raddr));
	c->ends.rport = port_of(r, &to->port);
}

/* Of a call that fails no handshake goes on. */
static void fail(struct tl_session *s, const struct tl_record *r,
		 const struct call *c, int64_t ret)
{
	const struct connects *t = connects(s);
	const struct tl_owner opener = tl_owner_of(s, r->pid);
	const struct tl_connect failed = { .opener = &opener,
					   .ends = &c->ends,
					   .ns = r->ns,
					   .error = tl_tcp_error((int)ret),
					   .is_nowhere = c->is_nowhere };

	tl_pairs_drop(t->attempts, (int64_t)c->socket);
	if (tl_ends_match(t->wanted, &c->ends))
		t->handler(s, &failed);
}

static void end_call(struct tl_session *s, const struct tl_record *r,
		     bool is_ipv6, int64_t ret)
{
	const struct connects *t = connects(s);
	const struct call *c = tl_pairs_get(t->calls, r->pid);

	if (!c || c->is_ipv6 != is_ipv6)
		return;
	if (ret)
		fail(s, r, c, ret);
	else if (!c->is_sent) /* TCP_FASTOPEN_CONNECT, and there is a cookie */
		tl_pairs_put(t->deferred, (int64_t)c->socket);
	tl_pairs_drop(t->calls, r->pid);
}

static void on_return4(struct tl_session *s, const struct tl_record *r)
{
	end_call(s, r, false, tl_field_num(r, &connects(s)->ret4));
}

static void on_return6(struct tl_session *s, const struct tl_record *r)
{
	end_call(s, r, true, tl_field_num(r, &connects(s)->ret6));
}

/* ---- handshakes ------------------------------------------------------- */

static void on_connect(struct tl_session *s, const struct tl_record *r)
{
	const struct connects *t = connects(s);
	struct call *c = tl_pairs_get(t->calls, r->pid);
	struct tl_ends ends = tl_socket_ends(r);
	struct attempt *a;

	if (c && c->socket == tl_socket_id(r))
		c->is_sent = true;
	tl_pairs_drop(t->deferred, (int64_t)tl_socket_id(r));
	if (!tl_ends_match(t->wanted, &ends))
		return;
	a = tl_pairs_put(t->attempts, (int64_t)tl_socket_id(r));
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
	const struct connects *t = connects(s);
	const struct tl_ends ends = tl_socket_ends(r);
	const struct tl_connect ended = { .ends = &ends,
					  .ns = r->ns,
					  .error = error };

	if (tl_cpu_matches(s, r->cpu) && tl_ends_match(t->wanted, &ends))
		t->handler(s, &ended);
}

static void end_attempt(struct tl_session *s, const struct tl_record *r,
			const char *error)
{
	const struct connects *t = connects(s);
	int64_t id = (int64_t)tl_socket_id(r);
	const struct attempt *a = tl_pairs_get(t->attempts, id);
	struct tl_connect ended = { .ns = r->ns, .error = error };

	if (!a) {
		end_unknown(s, r, error);
		return;
	}
	ended.opener = &a->opener;
	ended.ends = &a->ends;
	ended.latency = r->ns - a->ns;
	if (a->is_asked)
		t->handler(s, &ended);
	tl_pairs_drop(t->attempts, id);
}

static bool is_known(const struct connects *t, const struct tl_record *r)
{
	return tl_pairs_get(t->attempts, (int64_t)tl_socket_id(r));
}

/* Those whose SYNs have crossed come from another state, as accepted ones do. */
static void on_established(struct tl_session *s, const struct tl_record *r)
{
	const struct connects *t = connects(s);

	if (tl_field_num(r, &t->old_state) == TCP_SYN_SENT || is_known(t, r))
		end_attempt(s, r, NULL);
}

/* No SYN was sent, so this is the end of no handshake. */
static bool is_deferred(const struct connects *t, const struct tl_record *r)
{
	int64_t id = (int64_t)tl_socket_id(r);

	if (!tl_pairs_get(t->deferred, id))
		return false;
	tl_pairs_drop(t->deferred, id);
	return true;
}

/* Without an error it is the program that closes it, or the call that fails. */
static void on_unhash(struct tl_session *s, const struct tl_record *r)
{
	const struct connects *t = connects(s);
	int err = (int)tl_field_num(r, &t->err);
	const struct call *c;

	if (is_deferred(t, r) ||
	    (tl_field_num(r, &t->state) != TCP_SYN_SENT && !is_known(t, r)))
		return;
	if (err) {
		end_attempt(s, r, tl_tcp_error(-err));
		return;
	}
	c = tl_pairs_get(t->calls, r->pid);
	if (!c || c->socket != tl_socket_id(r))
		end_attempt(s, r, "closed");
}

/* ---- sources ---------------------------------------------------------- */

/* Of struct sockaddr_in and sockaddr_in6, which are the kernel's promise. */
#define ADDRESS(to, at, kind)                                              \
	TL_SOURCE_FIELDS(                                                  \
		{ "to_family", &(to).family, "+0($arg2)", .type = "u16" }, \
		{ "to_length", &(to).length, "$arg3", .type = "s32" },     \
		{ "to_port", &(to).port, "+2($arg2)", .type = "u16" },     \
		{ "to_addr", &(to).addr, (at), .type = (kind) })

#define RESULT(field) \
	TL_SOURCE_FIELDS({ "ret", &(field), "$retval", .type = "s32" })

static int add_calls(struct tl_session *s, struct connects *t)
{
	const struct tl_source sources[] = {
		{ "tcp_v4_connect", on_call4,
		  ADDRESS(t->to4, "+4($arg2)", "u32"), .name = "call4",
		  .socket = true, .wanted = t->wanted },
		{ "tcp_v4_connect", on_return4, RESULT(t->ret4), .type = "r",
		  .name = "return4" },
		{ "tcp_v6_connect", on_call6,
		  ADDRESS(t->to6, "+8($arg2)", "u64[2]"), .name = "call6",
		  .socket = true, .wanted = t->wanted,
		  .flags = TL_SOURCE_OPTIONAL },
		{ "tcp_v6_connect", on_return6, RESULT(t->ret6), .type = "r",
		  .name = "return6", .flags = TL_SOURCE_OPTIONAL },
		{ 0 }
	};

	return tl_sources_add(s, sources);
}

/*
 * tcp_connect() sends SYN.  What ends in another way than with a connection is
 * unhashed before its state changes, when its error is there.
 */
static int add_handshakes(struct tl_session *s, struct connects *t)
{
	const struct tl_source_field of_state[] = { { "oldstate",
						      &t->old_state },
						    { "protocol", NULL },
						    { "newstate", NULL },
						    { 0 } };
	const struct tl_source_field of_unhash[] = { { "err", &t->err, "$arg1",
						       "sock.sk_err", "s32" },
						     { "state", &t->state },
						     { 0 } };
	const struct tl_source sources[] = {
		{ "tcp_connect", on_connect, .name = "connect", .socket = true,
		  .wanted = t->wanted },
		{ "sock:inet_sock_set_state", on_established, of_state,
		  .socket = true, .wanted = t->wanted,
		  .filter = "newstate == 1 && protocol == 6" },
		{ "inet_unhash", on_unhash, of_unhash, .name = "unhash",
		  .socket = true, .wanted = t->wanted,
		  .filter = "state == 2 || state == 3" },
		{ 0 }
	};

	return tl_sources_add(s, sources);
}

/* ---- set-up, and the end ---------------------------------------------- */

int tl_connects_open(struct tl_session *s, struct tl_ends_filter *wanted,
		     tl_connect_handler *handler)
{
	struct connects *t =
		tl_part_get(s, &connects_ops, sizeof(struct connects));

	if (!t)
		return -ENOMEM;
	t->handler = handler;
	t->wanted = wanted;
	t->attempts =
		tl_pairs_open(s, sizeof(struct attempt), ATTEMPTS_MAX, NULL);
	t->calls = tl_pairs_open(s, sizeof(struct call), CALLS_MAX, NULL);
	t->deferred = tl_pairs_open(s, 0, CALLS_MAX, NULL);
	if (!t->attempts || !t->calls || !t->deferred)
		return -ENOMEM;
	return add_calls(s, t) ?: add_handshakes(s, t);
}

unsigned int tl_connects_unfinished(const struct tl_session *s)
{
	struct attempt *a = tl_pairs_oldest(connects(s)->attempts);
	unsigned int n = 0;

	for (; a; a = tl_pairs_newer(a))
		n += a->is_asked;
	return n;
}
