// SPDX-License-Identifier: GPL-2.0-or-later
/* socket.c - the connection that an event is about */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/socket.h>

#include "tracelet/btf.h"
#include "tracelet/event.h"
#include "tracelet/filter.h"
#include "tracelet/inet.h"
#include "tracelet/message.h"
#include "tracelet/output.h"
#include "tracelet/socket.h"

#define IPV6_ADDRESSES 2

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

/* ---- where an event has it ----------------------------------------------- */

static int find_ports(struct tl_session *s, const struct tl_event *ev,
		      struct tl_socket_fields *f)
{
	return tl_event_field(s, ev, "sport", &f->lport)
		       ?: tl_event_field(s, ev, "dport", &f->rport);
}

static int find_ipv6(struct tl_session *s, const struct tl_event *ev,
		     struct tl_socket_fields *f)
{
	return tl_event_field(s, ev, "saddr_v6", &f->laddr6)
		       ?: tl_event_field(s, ev, "daddr_v6", &f->raddr6);
}

int tl_socket_of_event(struct tl_session *s, const struct tl_event *ev,
		       struct tl_socket_fields *f)
{
	f->is_raw = false;
	return find_ports(s, ev, f) ?: find_ipv6(s, ev, f);
}

int tl_socket_of_probe(struct tl_session *s, const struct tl_event *ev,
		       struct tl_socket_fields *f)
{
	f->is_raw = true;
	return tl_event_field(s, ev, "family", &f->family) ?:
	       tl_event_field(s, ev, "saddr", &f->laddr) ?:
	       tl_event_field(s, ev, "daddr", &f->raddr) ?:
	       find_ports(s, ev, f) ?:
	       (tl_event_has(ev, "saddr_v6") ? find_ipv6(s, ev, f) : 0);
}

int tl_socket_fetch(const char *sock, char *args, size_t size)
{
	/* by the names that tracepoints have for them */
	static const struct {
		const char *name, *type, *member;
	} m[] = {
		{ "family", "u16", "sock_common.skc_family" },
		{ "state", "u8", "sock_common.skc_state" },
		{ "sport", "u16", "sock_common.skc_num" },
		{ "dport", "u16", "sock_common.skc_dport" },
		{ "saddr", "u8[4]", "sock_common.skc_rcv_saddr" },
		{ "daddr", "u8[4]", "sock_common.skc_daddr" },
		/* the last */
		{ "saddr_v6", "u8[16]", "sock_common.skc_v6_rcv_saddr" },
		{ "daddr_v6", "u8[16]", "sock_common.skc_v6_daddr" },
	};
	size_t count = sizeof(m) / sizeof(m[0]), len = 0, i;
	char text[64];
	int ret;

	/* a kernel without IPv6 has no addresses of it */
	if (tl_btf_offset("sock_common", "skc_v6_daddr") == -ENOENT)
		count -= IPV6_ADDRESSES;
	len += (size_t)snprintf(args, size, "skaddr=%s:x64", sock);
	for (i = 0; i < count && len < size; i++) {
		ret = tl_btf_fetch(sock, m[i].member, text, sizeof(text));
		if (ret)
			return ret;
		len += (size_t)snprintf(args + len, size - len, " %s=%s:%s",
					m[i].name, text, m[i].type);
	}
	return len < size ? 0 : tl_fail(ENAMETOOLONG, "too much to fetch");
}

/* ---- records ------------------------------------------------------------- */

/*
 * A socket of IPv4 has nothing, or anything, where one of IPv6 has addresses.
 */
static void map_ipv4(struct tl_ends *e, const struct tl_record *r,
		     const struct tl_socket_fields *f)
{
	uint8_t ipv4[4];

	if (tl_field_num(r, &f->family) != AF_INET)
		return;
	tl_field_bytes(r, &f->laddr, ipv4, sizeof(ipv4));
	tl_inet_map(e->laddr, ipv4);
	tl_field_bytes(r, &f->raddr, ipv4, sizeof(ipv4));
	tl_inet_map(e->raddr, ipv4);
}

struct tl_ends tl_socket_ends(const struct tl_record *r,
			      const struct tl_socket_fields *f)
{
	struct tl_ends e = { .lport = (uint16_t)tl_field_num(r, &f->lport),
			     .rport = (uint16_t)tl_field_num(r, &f->rport) };

	tl_field_bytes(r, &f->laddr6, e.laddr, sizeof(e.laddr));
	tl_field_bytes(r, &f->raddr6, e.raddr, sizeof(e.raddr));
	if (f->is_raw) {
		e.rport = ntohs(e.rport);
		map_ipv4(&e, r, f);
	}
	return e;
}

/* ---- which, and how they are shown --------------------------------------- */

bool tl_ends_match(const struct tl_ends_filter *wanted, const struct tl_ends *e)
{
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
		unsigned int port)
{
	static char texts[2][2][TL_INET_TEXT];
	static unsigned int last;
	char(*text)[TL_INET_TEXT] = texts[last ^= 1];

	tl_inet_end(addr, port, text[0]);
	tl_inet_text(addr, text[1]);
	tl_put_text(s, col, text[0]);
	tl_put_text(s, col + 1, text[1]);
	tl_put_int(s, col + 2, port);
}
