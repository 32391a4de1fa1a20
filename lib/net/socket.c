// SPDX-License-Identifier: GPL-2.0-or-later
/* socket.c - the connection that an event is about */
#include "net/socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "record/event.h"
#include "tracelet/btf.h"
#include "tracelet/event.h"
#include "tracelet/filter.h"
#include "tracelet/inet.h"
#include "tracelet/message.h"
#include "tracelet/output.h"
#include "tracelet/socket.h"

const char *tl_tcp_state(int64_t state)
{
	static const char *const names[] = {
		[TCP_ESTABLISHED] = "ESTABLISHED",
		[TCP_SYN_SENT] = "SYN_SENT",
		[TCP_SYN_RECV] = "SYN_RECV",
		[TCP_FIN_WAIT1] = "FIN_WAIT1",
		[TCP_FIN_WAIT2] = "FIN_WAIT2",
		[TCP_TIME_WAIT] = "TIME_WAIT",
		[TCP_CLOSE] = "CLOSE",
		[TCP_CLOSE_WAIT] = "CLOSE_WAIT",
		[TCP_LAST_ACK] = "LAST_ACK",
		[TCP_LISTEN] = "LISTEN",
		[TCP_CLOSING] = "CLOSING",
	};

	return state > 0 && state <= TCP_CLOSING ? names[state] : NULL;
}

const char *tl_tcp_error(int err)
{
	/* include/linux/netdevice.h */
	static const char *const queue[] = { NULL, "NET_XMIT_DROP",
					     "NET_XMIT_CN" };
	static char number[16];
	const char *name = tl_errno_name(-err);

	if (err > 0 && err < (int)(sizeof(queue) / sizeof(queue[0])))
		name = queue[err];
	snprintf(number, sizeof(number), "%d", err);
	return name ?: number;
}

/* ---- where an event has it -------------------------------------------- */

/* The socket in the records of an event; a field of size 0 is not there. */
struct layout {
	struct tl_event_part part;
	struct tl_field id, state;
	struct tl_field lport, rport, laddr6, raddr6;
	struct tl_field family, addrs, ports; /* is_raw: as in the socket */
	struct tl_field netns;
	bool is_raw;
};

static const struct tl_event_part_ops layout_ops = { .free = free };

static const struct layout *layout_of(const struct tl_record *r)
{
	return tl_event_part_find(r->event, &layout_ops);
}

const char *const tl_socket_fields[] = { "sport", "dport", "saddr_v6",
					 "daddr_v6", NULL };

static int find_fields(struct tl_session *s, const struct tl_event *ev,
		       struct layout *l)
{
	const struct {
		const char *name;
		struct tl_field *field;
		bool is_needed;
	} fields[] = {
		{ "sport", &l->lport, !l->is_raw },
		{ "dport", &l->rport, !l->is_raw },
		{ "saddr_v6", &l->laddr6, !l->is_raw },
		{ "daddr_v6", &l->raddr6, !l->is_raw },
		{ "family", &l->family, l->is_raw },
		{ "addrs", &l->addrs, l->is_raw },
		{ "ports", &l->ports, l->is_raw },
		{ "skaddr", &l->id },
		{ "state", &l->state },
		{ "netns", &l->netns },
	};
	size_t i;
	int ret = 0;

	for (i = 0; i < sizeof(fields) / sizeof(fields[0]) && !ret; i++)
		if (fields[i].is_needed || tl_event_has(ev, fields[i].name))
			ret = tl_event_field(s, ev, fields[i].name,
					     fields[i].field);
	return ret;
}

int tl_socket_find(struct tl_session *s, struct tl_event *ev)
{
	struct layout *l = calloc(1, sizeof(*l));

	if (!l)
		return -ENOMEM;
	tl_event_part_add(ev, &layout_ops, l);
	l->is_raw = tl_event_has(ev, "__probe_ip") ||
		    tl_event_has(ev, "__probe_func");
	return find_fields(s, ev, l);
}

/* What a kernel may be built without. */
static bool is_absent(struct tl_session *s, const char *member)
{
	return tl_btf_offset(s, "sock_common", member) == -ENOENT;
}

int tl_socket_fetch(struct tl_session *s, const char *sock, char *args,
		    size_t size)
{
	/* each value, also each element of an array, costs the same */
	static const struct {
		const char *name, *type, *member, *optional;
	} m[] = {
		{ "family", "u16", "sock_common.skc_family" },
		{ "state", "u8", "sock_common.skc_state" },
		{ "ports", "u32", "sock_common.skc_portpair" },
		{ "addrs", "u64", "sock_common.skc_addrpair" },
		{ "saddr_v6", "u64[2]", "sock_common.skc_v6_rcv_saddr",
		  "skc_v6_daddr" },
		{ "daddr_v6", "u64[2]", "sock_common.skc_v6_daddr",
		  "skc_v6_daddr" },
		{ "netns", "u32", "sock_common.skc_net.net net.ns.inum",
		  "skc_net.net" },
	};
	size_t len = (size_t)snprintf(args, size, "skaddr=%s:x64", sock), i;
	char text[64];
	int ret;

	for (i = 0; i < sizeof(m) / sizeof(m[0]) && len < size; i++) {
		if (m[i].optional && is_absent(s, m[i].optional))
			continue;
		ret = tl_btf_fetch(s, sock, m[i].member, text, sizeof(text));
		if (ret)
			return ret;
		len += (size_t)snprintf(args + len, size - len, " %s=%s:%s",
					m[i].name, text, m[i].type);
	}
	return len < size ? 0 : tl_fail(ENAMETOOLONG, "too much to fetch");
}

/* ---- records ---------------------------------------------------------- */

/* As struct sock_common has them. */
struct raw_ports {
	uint16_t remote; /* as the network has it */
	uint16_t local;
};

struct raw_addrs {
	uint8_t remote[4], local[4];
};

static void take_ports(struct tl_ends *e, const struct tl_record *r,
		       const struct layout *l)
{
	struct raw_ports ports;

	tl_field_bytes(r, &l->ports, &ports, sizeof(ports));
	e->lport = ports.local;
	e->rport = ntohs(ports.remote);
}

/*
 * A socket of IPv4 has nothing, or anything, where one of IPv6 has addresses.
 */
static void map_ipv4(struct tl_ends *e, const struct tl_record *r,
		     const struct layout *l)
{
	struct raw_addrs addrs;

	if (tl_field_num(r, &l->family) != AF_INET)
		return;
	tl_field_bytes(r, &l->addrs, &addrs, sizeof(addrs));
	tl_inet_map(e->laddr, addrs.local);
	tl_inet_map(e->raddr, addrs.remote);
}

struct tl_ends tl_socket_ends(const struct tl_record *r)
{
	const struct layout *l = layout_of(r);
	struct tl_ends e = { .netns = (uint32_t)tl_field_num(r, &l->netns) };

	tl_field_bytes(r, &l->laddr6, e.laddr, sizeof(e.laddr));
	tl_field_bytes(r, &l->raddr6, e.raddr, sizeof(e.raddr));
	if (l->is_raw) {
		take_ports(&e, r, l);
		map_ipv4(&e, r, l);
	} else {
		e.lport = (uint16_t)tl_field_num(r, &l->lport);
		e.rport = (uint16_t)tl_field_num(r, &l->rport);
	}
	return e;
}

uint64_t tl_socket_id(const struct tl_record *r)
{
	const struct layout *l = layout_of(r);

	return l->id.size ? (uint64_t)tl_field_num(r, &l->id) : 0;
}

const char *tl_socket_state(const struct tl_record *r)
{
	const struct layout *l = layout_of(r);

	return l->state.size ? tl_tcp_state(tl_field_num(r, &l->state)) : NULL;
}

/* ---- which, and how they are shown ------------------------------------ */

bool tl_ends_match(const struct tl_ends_filter *wanted, const struct tl_ends *e)
{
	if (wanted->netns.text && wanted->netns.number != e->netns)
		return false;
	if (tl_inet_is_ipv4(e->raddr) ? wanted->ipv6 : wanted->ipv4)
		return false;
	if (!tl_ports_match(&wanted->lport, e->lport) ||
	    !tl_ports_match(&wanted->rport, e->rport) ||
	    !tl_network_match(&wanted->laddr, e->laddr) ||
	    !tl_network_match(&wanted->raddr, e->raddr))
		return false;
	if (!tl_ports_match(&wanted->port, e->lport) &&
	    !tl_ports_match(&wanted->port, e->rport))
		return false;
	return tl_network_match(&wanted->addr, e->laddr) ||
	       tl_network_match(&wanted->addr, e->raddr);
}

void tl_filter_ends(struct tl_filter *f, const struct tl_ends_filter *wanted)
{
	tl_filter_ports(f, &wanted->port, "sport", "dport");
	tl_filter_ports(f, &wanted->lport, "sport", NULL);
	tl_filter_ports(f, &wanted->rport, "dport", NULL);
}

/* Texts live until the row is written, which has two ends. */
void tl_put_end(struct tl_session *s, unsigned int col, const uint8_t addr[16],
		int port)
{
	static char texts[2][2][TL_INET_TEXT];
	static unsigned int last;
	char(*text)[TL_INET_TEXT] = texts[last ^= 1];

	tl_inet_text(addr, text[1]);
	tl_put_text(s, col + 1, text[1]);
	if (port < 0) {
		tl_put_text(s, col, text[1]);
		return;
	}
	tl_inet_end(addr, (unsigned int)port, text[0]);
	tl_put_text(s, col, text[0]);
	tl_put_int(s, col + 2, port);
}

void tl_put_address(struct tl_session *s, unsigned int col,
		    const uint8_t addr[16], unsigned int port)
{
	static char texts[2][TL_INET_TEXT];
	static unsigned int last;
	char *text = texts[last ^= 1];

	tl_inet_text(addr, text);
	tl_put_text(s, col, text);
	tl_put_int(s, col + 1, port);
}

void tl_put_netns(struct tl_session *s, unsigned int col,
		  const struct tl_ends *e)
{
	if (e->netns)
		tl_put_int(s, col, e->netns);
}
