// SPDX-License-Identifier: GPL-2.0-or-later
/* dropsnoop - trace packets that the kernel drops, and why */
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "tracelet.h"
#include "tracelet/btf.h"
#include "tracelet/heatmap.h"
#include "tracelet/packet.h"
#include "tracelet/pairs.h"
#include "tracelet/source.h"
#include "tracelet/stack.h"
#include "tracelet/symbol.h"
#include "tracelet/symbolic.h"
#include "tracelet/table.h"

#define KEYS_MAX    65536
#define REASONS_MAX 32

/* Bytes around skb->data that are recorded: headers are before it, or behind. */
#define BEFORE "-72"
#define WINDOW "x64[18]"
enum { BYTES_BEFORE = 72, BYTES = 18 * 8 };

/* What is counted by: a bit for each. */
enum by {
	BY_REASON = 1 << 0,
	BY_PLACE = 1 << 1,
	BY_INTERFACE = 1 << 2,
	BY_PROTOCOL = 1 << 3,
	BY_SOURCE = 1 << 4,
	BY_DESTINATION = 1 << 5,
	BY_PORT = 1 << 6,
	BY_NETNS = 1 << 7,
};

/* A packet that was dropped. */
struct drop {
	uint64_t place;
	uint32_t reason;
	uint32_t netns;      /* 0: not known */
	int64_t length;      /* -1: not known */
	char name[IFNAMSIZ]; /* of the interface; "": not known */
	struct tl_packet packet;
};

/* What it is counted by; a key, so all zero else. */
struct key {
	uint64_t place;
	uint32_t reason, netns;
	struct tl_packet packet;
	char name[IFNAMSIZ];
};

/* Fields of the records that have packets. */
struct fields {
	struct tl_field sk, dev, head, data, network, length, truesize;
	struct tl_field protocol, window, name, netns;
	struct tl_field family, saddr, daddr, sport, dport; /* of its socket */
	struct tl_field saddr6, daddr6, sk_netns;
	struct tl_field place, reason, skb, rx_sk, rx_netns;
};

static struct {
	bool all, ipv4, ipv6, count, stacks, wide;
	const char *by_list, *reason_list;
	unsigned int by, top, times;
	uint64_t interval;
	struct tl_ends_filter wanted;
	bool has_ipv6, has_netns, has_reason, has_receiver;
	bool at_once; /* one record has all */
	const struct tl_symbolic *names;
	bool except; /* those reasons are not wanted */
	unsigned int reasons;
	int64_t reason[REASONS_MAX];
	struct fields f;
	struct tl_field dropped, place, ethertype; /* where it takes two */
	struct tl_pairs *packets; /* struct drop, by address, or held by CPU */
	struct tl_table *counts;
} env;

static const struct tl_opt options[] = {
	{ 'c', "count", NULL, "count by reason and place", TL_OPT_FLAG,
	  &env.count },
	{ 0, "by", "LIST",
	  "count by these: reason, place, interface, protocol, source, "
	  "destination, port, netns",
	  TL_OPT_STRING, &env.by_list },
	{ 0, "top", "N", "of what is counted only the N most frequent",
	  TL_OPT_UINT, &env.top, NULL, 1, 0 },
	{ 's', "stacks", NULL, "show kernel stacks", TL_OPT_FLAG, &env.stacks },
	{ 0, "reason", "LIST",
	  "only these reasons, as in \"NO_SOCKET,TCP_CSUM\"; all others: "
	  "\"!NO_SOCKET\"",
	  TL_OPT_STRING, &env.reason_list },
	{ '4', "ipv4", NULL, "only IPv4", TL_OPT_FLAG, &env.ipv4, "version" },
	{ '6', "ipv6", NULL, "only IPv6", TL_OPT_FLAG, &env.ipv6, "version" },
	{ 'a', "all", NULL, "also what is no packet of a network", TL_OPT_FLAG,
	  &env.all },
	{ 0, "wide", NULL, "show flags of TCP, length and network namespace",
	  TL_OPT_FLAG, &env.wide },
	{ 0, "port", "LIST", "only these ports, at either end: 80,8000-8080",
	  TL_OPT_PORTS, &env.wanted.port },
	{ 0, "sport", "LIST", "only these source ports", TL_OPT_PORTS,
	  &env.wanted.lport },
	{ 0, "dport", "LIST", "only these destination ports", TL_OPT_PORTS,
	  &env.wanted.rport },
	{ 0, "addr", "ADDRESS[/BITS]",
	  "only this address or network, at either end", TL_OPT_NETWORK,
	  &env.wanted.addr },
	{ 0, "saddr", "ADDRESS[/BITS]", "only these source addresses",
	  TL_OPT_NETWORK, &env.wanted.laddr },
	{ 0, "daddr", "ADDRESS[/BITS]", "only these destination addresses",
	  TL_OPT_NETWORK, &env.wanted.raddr },
	{ 0, "netns", "NETNS", "only this network namespace: PID or name",
	  TL_OPT_STRING, &env.wanted.netns.text },
	{ 0 }
};

enum {
	CLOCK,
	TIME,
	REASON,
	NUMBER,
	INTERFACE,
	PROTOCOL,
	SOURCE,
	SADDR,
	SPORT,
	DESTINATION,
	DADDR,
	DPORT,
	FLAGS,
	LENGTH,
	NETNS,
	PLACE,
	COUNT,
	STACK
};

#define WIDE &env.wide, TL_SHOW_ALL

static const struct tl_column columns[] = {
	[CLOCK] = { "TIME", "clock", -8, TL_WALL_CLOCK, TL_SHOW_TEXT },
	[TIME] = { "TIME", "time", -16, TL_TIME, TL_SHOW_DATA },
	[REASON] = { "REASON", "reason", -18, TL_STR, TL_SHOW_ALL,
		     .role = TL_ROLE_TITLE },
	[NUMBER] = { "NUMBER", "reason_number", -6, TL_INT, TL_SHOW_DATA },
	[INTERFACE] = { "IFACE", "interface", -8, TL_STR, TL_SHOW_ALL },
	[PROTOCOL] = { "PROTO", "protocol", -6, TL_STR, TL_SHOW_ALL },
	[SOURCE] = { "SADDR:SPORT", "source", -21, TL_STR, TL_SHOW_TEXT },
	[SADDR] = { "SADDR", "saddr", -20, TL_STR, TL_SHOW_DATA },
	[SPORT] = { "SPORT", "sport", -6, TL_INT, TL_SHOW_DATA },
	[DESTINATION] = { "DADDR:DPORT", "destination", -21, TL_STR,
			  TL_SHOW_TEXT },
	[DADDR] = { "DADDR", "daddr", -20, TL_STR, TL_SHOW_DATA },
	[DPORT] = { "DPORT", "dport", -6, TL_INT, TL_SHOW_DATA },
	[FLAGS] = { "FLAGS", "flags", -5, TL_STR, TL_SHOW_DATA, WIDE },
	[LENGTH] = { "LENGTH", "length", 6, TL_INT, TL_SHOW_DATA, WIDE },
	[NETNS] = { "NETNS", "netns", -10, TL_INT, TL_SHOW_DATA, WIDE },
	[PLACE] = { "PLACE", "place", -28, TL_STR, TL_SHOW_ALL },
	[COUNT] = { "DROPS", "count", 9, TL_INT, TL_SHOW_NEVER },
	[STACK] = { "STACK", "stack", 0, TL_STACK, TL_SHOW_DATA, &env.stacks },
	{ 0 }
};

/* ---- a packet --------------------------------------------------------- */

/* Where @f is read through a pointer that leads nowhere, it is anything. */
static uint64_t number(const struct tl_record *r, const struct tl_field *f)
{
	return f->size ? (uint64_t)tl_field_num(r, f) : 0;
}

/*
 * UDP keeps what it knows of a packet that waits for its reader in place of the
 * device, with truesize first; TCP, of what came out of order, a pointer to
 * another packet.
 */
static bool is_device(const struct tl_record *r, const char name[IFNAMSIZ])
{
	const uint64_t dev = number(r, &env.f.dev);
	const uint64_t size = number(r, &env.f.truesize);
	size_t len = strnlen(name, IFNAMSIZ), i;

	if (!dev || (dev & INT32_MAX) == size || !len || len == IFNAMSIZ)
		return false;
	for (i = 0; i < len; i++)
		if (!isgraph((unsigned char)name[i]))
			return false;
	return true;
}

static void read_device(struct drop *d, const struct tl_record *r)
{
	tl_field_bytes(r, &env.f.name, d->name, sizeof(d->name));
	if (is_device(r, d->name))
		d->netns = (uint32_t)number(r, &env.f.netns);
	else
		memset(d->name, 0, sizeof(d->name));
	if (!d->netns && number(r, &env.f.sk))
		d->netns = (uint32_t)number(r, &env.f.sk_netns);
	if (!d->netns && number(r, &env.f.rx_sk))
		d->netns = (uint32_t)number(r, &env.f.rx_netns);
	d->packet.ends.netns = d->netns;
}

/* From the network header on, as far as that is among the bytes recorded. */
static void read_headers(struct drop *d, const struct tl_record *r,
			 uint16_t ethertype)
{
	const uint64_t network = number(r, &env.f.network);
	const int64_t at = (int64_t)(number(r, &env.f.head) + network -
				     number(r, &env.f.data));
	uint8_t bytes[BYTES] = { 0 };
	int64_t from = at + BYTES_BEFORE;

	tl_field_bytes(r, &env.f.window, bytes, sizeof(bytes));
	d->length = (int64_t)number(r, &env.f.length);
	/* a packet that is being made has no such header yet */
	if (!network || from < 0 || from >= BYTES) {
		d->packet = (struct tl_packet){ .ethertype = ethertype };
		return;
	}
	d->length -= at;
	tl_packet_read(&d->packet, ethertype, bytes + from,
		       (size_t)(BYTES - from));
}

static void read_ipv6_ends(struct tl_ends *e, const struct tl_record *r)
{
	if (!env.has_ipv6)
		return;
	tl_field_bytes(r, &env.f.saddr6, e->laddr, sizeof(e->laddr));
	tl_field_bytes(r, &env.f.daddr6, e->raddr, sizeof(e->raddr));
}

/* What is sent by a socket, and has no header that tells from where. */
static void read_socket(struct drop *d, const struct tl_record *r)
{
	struct tl_ends *e = &d->packet.ends;
	const uint64_t family = number(r, &env.f.family);
	uint8_t ipv4[4];

	if (d->packet.has_addresses || !number(r, &env.f.sk) ||
	    (family != AF_INET && family != AF_INET6))
		return;
	if (family == AF_INET) {
		tl_field_bytes(r, &env.f.saddr, ipv4, sizeof(ipv4));
		tl_inet_map(e->laddr, ipv4);
		tl_field_bytes(r, &env.f.daddr, ipv4, sizeof(ipv4));
		tl_inet_map(e->raddr, ipv4);
	} else {
		read_ipv6_ends(e, r);
	}
	d->packet.has_addresses = true;
	e->lport = (uint16_t)number(r, &env.f.sport);
	e->rport = ntohs((uint16_t)number(r, &env.f.dport));
	d->packet.has_ports = e->lport || e->rport;
	if (!d->packet.ethertype)
		d->packet.ethertype = family == AF_INET ? ETH_P_IP : ETH_P_IPV6;
}

static void read_packet(struct drop *d, const struct tl_record *r)
{
	*d = (struct drop){ 0 };
	read_headers(d, r, ntohs((uint16_t)number(r, &env.f.protocol)));
	read_socket(d, r);
	read_device(d, r);
}

/* ---- which ------------------------------------------------------------ */

static bool asks_for_ends(void)
{
	const struct tl_ends_filter *w = &env.wanted;

	return w->port.count || w->lport.count || w->rport.count ||
	       w->addr.given || w->laddr.given || w->raddr.given;
}

static bool asks_for_ports(void)
{
	const struct tl_ends_filter *w = &env.wanted;

	return w->port.count || w->lport.count || w->rport.count;
}

static bool is_of_version(const struct tl_packet *p)
{
	if (env.ipv4)
		return p->ethertype == ETH_P_IP || p->ethertype == ETH_P_ARP;
	return !env.ipv6 || p->ethertype == ETH_P_IPV6;
}

static bool is_wanted(const struct drop *d)
{
	const struct tl_packet *p = &d->packet;
	const uint32_t netns = env.wanted.netns.number;

	if (!is_of_version(p) || (netns && netns != d->netns))
		return false;
	if (!asks_for_ends())
		return true;
	return p->has_addresses && (p->has_ports || !asks_for_ports()) &&
	       tl_ends_match(&env.wanted, &p->ends);
}

/* ---- rows ------------------------------------------------------------- */

static void put_end(struct tl_session *s, unsigned int col,
		    const struct tl_packet *p, const uint8_t addr[16],
		    unsigned int port)
{
	static char texts[2][TL_INET_TEXT];
	char *text = texts[col == SOURCE];

	if (!p->has_addresses)
		return;
	if (p->has_ports) {
		tl_put_end(s, col, addr, port);
		return;
	}
	tl_inet_text(addr, text);
	tl_put_text(s, col, text);
	tl_put_text(s, col + 1, text);
}

static void put_packet(struct tl_session *s, const struct tl_packet *p)
{
	static char protocol[TL_PACKET_TEXT], flags[TL_PACKET_TEXT];

	tl_put_text(s, PROTOCOL, tl_packet_protocol(p, protocol));
	tl_put_text(s, FLAGS, tl_packet_flags(p, flags));
	put_end(s, SOURCE, p, p->ends.laddr, p->ends.lport);
	put_end(s, DESTINATION, p, p->ends.raddr, p->ends.rport);
}

/* A reason of a module has no name here, but its number. */
static void put_reason(struct tl_session *s, uint32_t reason)
{
	static char text[16];
	const char *name = tl_symbolic_name(env.names, reason);

	if (!env.has_reason)
		return;
	snprintf(text, sizeof(text), "%u", reason);
	tl_put_text(s, REASON, name ?: text);
	tl_put_int(s, NUMBER, reason);
}

static void put_place(struct tl_session *s, uint64_t place)
{
	static char text[192];
	uint64_t offset;
	const char *name = tl_symbol(s, place, &offset);

	if (name)
		snprintf(text, sizeof(text), "%s+0x%llx", name,
			 (unsigned long long)offset);
	else
		snprintf(text, sizeof(text), "0x%llx",
			 (unsigned long long)place);
	tl_put_text(s, PLACE, text);
}

static void put_drop(struct tl_session *s, const struct drop *d)
{
	put_reason(s, d->reason);
	put_place(s, d->place);
	put_packet(s, &d->packet);
	if (*d->name)
		tl_put_text(s, INTERFACE, d->name);
	if (d->netns)
		tl_put_int(s, NETNS, d->netns);
	if (d->length >= 0)
		tl_put_int(s, LENGTH, d->length);
}

static void put_row(struct tl_session *s, const struct tl_record *r,
		    const struct tl_record *stack, const struct drop *d)
{
	tl_put_int(s, CLOCK, (int64_t)r->ns);
	tl_put_int(s, TIME, (int64_t)r->ns);
	put_drop(s, d);
	if (stack)
		tl_put_stack(s, STACK, stack);
	tl_row(s);
}

/* ---- counts ----------------------------------------------------------- */

/* Only what is counted by tells one key from another. */
static struct key key_of(const struct drop *d)
{
	const struct tl_packet *p = &d->packet;
	struct key k;

	memset(&k, 0, sizeof(k));
	if (env.by & BY_REASON)
		k.reason = d->reason;
	if (env.by & BY_PLACE)
		k.place = d->place;
	if (env.by & BY_NETNS)
		k.netns = d->netns;
	if (env.by & BY_INTERFACE)
		memcpy(k.name, d->name, sizeof(k.name));
	if (env.by & BY_PROTOCOL) {
		k.packet.has_transport = p->has_transport;
		if (p->has_transport)
			k.packet.transport = p->transport;
		else
			k.packet.ethertype = p->ethertype;
	}
	if (env.by & (BY_SOURCE | BY_DESTINATION))
		k.packet.has_addresses = p->has_addresses;
	if (env.by & BY_SOURCE)
		memcpy(k.packet.ends.laddr, p->ends.laddr, 16);
	if (env.by & BY_DESTINATION)
		memcpy(k.packet.ends.raddr, p->ends.raddr, 16);
	if (env.by & BY_PORT) {
		k.packet.has_ports = p->has_ports;
		k.packet.ends.rport = p->ends.rport;
	}
	return k;
}

static void count(const struct drop *d)
{
	struct key k = key_of(d);
	uint64_t *n = tl_table_at(env.counts, TL_KEY(k));

	if (n)
		++*n;
}

static void print_count(struct tl_session *s, const struct tl_table_entry *e,
			uint64_t ns)
{
	const struct key *k = (const struct key *)e->key.text;
	struct drop d = { .place = k->place,
			  .reason = k->reason,
			  .netns = k->netns,
			  .length = -1,
			  .packet = k->packet };

	memcpy(d.name, k->name, sizeof(d.name));
	tl_put_int(s, CLOCK, (int64_t)ns);
	tl_put_int(s, TIME, (int64_t)ns);
	put_drop(s, &d);
	if (k->packet.has_ports)
		tl_put_int(s, DPORT, k->packet.ends.rport);
	tl_put_int(s, COUNT, *(const int64_t *)e->value);
	tl_row(s);
}

static int on_interval(struct tl_session *s, uint64_t ns)
{
	const struct tl_table_view view = { .order = tl_table_by_count,
					    .last = env.top,
					    .put = print_count,
					    .counts = "drops",
					    .keys = "kinds of drops" };

	return tl_table_show(s, env.counts, &view, ns);
}

/* ---- events ----------------------------------------------------------- */

static void show(struct tl_session *s, const struct tl_record *r,
		 const struct drop *d)
{
	tl_pictured(s, r->ns, 0);
	if (env.by)
		count(d);
	else if (env.stacks)
		tl_stacks_hold(s, r, 0);
	else
		put_row(s, r, NULL, d);
}

static void read_drop(struct drop *d, const struct tl_record *r)
{
	read_packet(d, r);
	d->place = number(r, &env.f.place);
	d->reason = (uint32_t)number(r, &env.f.reason);
}

static void on_drop(struct tl_session *s, const struct tl_record *r)
{
	struct drop d;

	read_drop(&d, r);
	if (is_wanted(&d))
		show(s, r, &d);
}

/* ---- the same where it takes two records ------------------------------ */

static int64_t held_on(unsigned int cpu)
{
	return -1 - (int64_t)cpu;
}

/* Until the stack is there, which comes next on this processor. */
static void hold(const struct tl_record *r, const struct drop *d)
{
	struct drop *held = tl_pairs_put(env.packets, held_on(r->cpu));

	if (held)
		*held = *d;
}

/* May be dropped by this call, or only be let go by one of its owners. */
static void on_packet(struct tl_session *s, const struct tl_record *r)
{
	struct drop *d =
		tl_pairs_put(env.packets, (int64_t)number(r, &env.f.skb));

	if (d)
		read_packet(d, r);
}

/* Behind the record of its packet, if the kernel made that. */
static void on_dropped(struct tl_session *s, const struct tl_record *r)
{
	struct drop *kept =
		tl_pairs_get(env.packets, tl_field_num(r, &env.dropped));
	struct drop d = { .length = -1 };

	if (kept)
		d = *kept;
	else
		d.packet.ethertype = (uint16_t)number(r, &env.ethertype);
	d.place = number(r, &env.place);
	if (kept)
		tl_pairs_remove(env.packets, kept);
	if ((!env.all && !d.packet.ethertype) || !is_wanted(&d))
		return;
	show(s, r, &d);
	if (env.stacks)
		hold(r, &d);
}

static struct drop *take_held(const struct tl_record *r, struct drop *d)
{
	const struct drop *kept = tl_pairs_get(env.packets, held_on(r->cpu));

	*d = (struct drop){ .length = -1, .place = number(r, &env.place) };
	if (kept && kept->place == d->place)
		*d = *kept;
	tl_pairs_drop(env.packets, held_on(r->cpu));
	return d;
}

static void print(struct tl_session *s, const struct tl_record *r,
		  const struct tl_record *stack, int tag)
{
	struct drop d;

	if (env.at_once)
		read_drop(&d, r);
	else
		take_held(r, &d);
	put_row(s, r, stack, &d);
}

/* ---- sources ---------------------------------------------------------- */

/* Netlink and sockets of one machine have packets, too, but no protocol. */
static void filter_packets(struct tl_session *s, const struct tl_event *ev,
			   struct tl_filter *f)
{
	if (!env.all)
		tl_filter_and(f,
			      "(protocol != 0 || (sk != 0 && (family == %d || "
			      "family == %d)))",
			      AF_INET, AF_INET6);
}

static void filter_drops(struct tl_session *s, const struct tl_event *ev,
			 struct tl_filter *f)
{
	char text[REASONS_MAX * 32];
	size_t len = 0;
	unsigned int i;

	filter_packets(s, ev, f);
	for (i = 0; i < env.reasons; i++)
		len += (size_t)snprintf(
			text + len, sizeof(text) - len, "%sreason %s %lld",
			!i           ? ""
			: env.except ? " && "
				     : " || ",
			env.except ? "!=" : "==", (long long)env.reason[i]);
	if (len)
		tl_filter_and(f, "(%s)", text);
}

#define SOCKET          "sk_buff.sk "
#define NETNS_OF_SOCKET "sock_common.skc_net.net net.ns.inum"

/* Of the struct sk_buff whose address is @at. */
#define PACKET(at)                                                           \
	{ "skb", &env.f.skb, at, .type = "x64" },                            \
		{ "sk", &env.f.sk, at, "sk_buff.sk", "x64" },                \
		{ "dev", &env.f.dev, at, "sk_buff.dev", "x64" },             \
		{ "head", &env.f.head, at, "sk_buff.head", "x64" },          \
		{ "data", &env.f.data, at, "sk_buff.data", "x64" },          \
		{ "network", &env.f.network, at, "sk_buff.network_header",   \
		  "u16" },                                                   \
		{ "len", &env.f.length, at, "sk_buff.len", "u32" },          \
		{ "truesize", &env.f.truesize, at, "sk_buff.truesize",       \
		  "u32" },                                                   \
		{ "protocol", &env.f.protocol, at, "sk_buff.protocol",       \
		  "u16" },                                                   \
		{ "window", &env.f.window, at, "sk_buff.data " BEFORE,       \
		  WINDOW },                                                  \
		{ "name", &env.f.name, at, "sk_buff.dev net_device.name",    \
		  "x64[2]" },                                                \
		{ "netns", &env.f.netns,                                     \
		  at,      "sk_buff.dev net_device.nd_net.net net.ns.inum",  \
		  "u32",   .given = &env.has_netns },                        \
		{ "sk_netns", &env.f.sk_netns,                               \
		  at,         SOCKET NETNS_OF_SOCKET,                        \
		  "u32",      .given = &env.has_netns },                     \
		{ "family", &env.f.family, at,                               \
		  SOCKET "sock_common.skc_family", "u16" },                  \
		{ "saddr", &env.f.saddr, at,                                 \
		  SOCKET "sock_common.skc_rcv_saddr", "u32" },               \
		{ "daddr", &env.f.daddr, at, SOCKET "sock_common.skc_daddr", \
		  "u32" },                                                   \
		{ "sport", &env.f.sport, at, SOCKET "sock_common.skc_num",   \
		  "u16" },                                                   \
		{ "dport", &env.f.dport, at, SOCKET "sock_common.skc_dport", \
		  "u16" },                                                   \
		{ "saddr6", &env.f.saddr6,                                   \
		  at,       SOCKET "sock_common.skc_v6_rcv_saddr",           \
		  "x64[2]", .given = &env.has_ipv6 },                        \
	{                                                                    \
		"daddr6", &env.f.daddr6, at,                                 \
			SOCKET "sock_common.skc_v6_daddr", "x64[2]",         \
			.given = &env.has_ipv6                               \
	}

static const struct tl_source_field of_drop[] = {
	/* first: where it is aligned it is found in captures, which need its name */
	{ "place", &env.f.place, "$location", .type = "x64" },
	PACKET("$skbaddr"),
	{ "reason", &env.f.reason, "$reason", .type = "u32",
	  .found = &env.has_reason },
	/* the socket that it was for, where that is known (6.12) */
	{ "rx_sk", &env.f.rx_sk, "$rx_sk", .type = "x64",
	  .found = &env.has_receiver },
	{ "rx_netns", &env.f.rx_netns, "$rx_sk", NETNS_OF_SOCKET, "u32",
	  .found = &env.has_receiver, .given = &env.has_netns },
	{ 0 }
};

static const struct tl_source_field of_packet[] = { PACKET("$arg1"), { 0 } };

static const struct tl_source_field of_dropped[] = {
	{ "skbaddr", &env.dropped },
	{ "location", &env.place },
	{ "protocol", &env.ethertype },
	{ 0 }
};

/* A kernel without event probes has no reasons either. */
static const struct tl_source sources[] = {
	{ "skb:kfree_skb", on_drop, of_drop, .type = "e", .name = "drop",
	  .add_filter = filter_drops, .found = &env.at_once,
	  .flags = TL_SOURCE_OPTIONAL },
	{ "kfree_skb", on_packet, of_packet, .name = "packet",
	  .add_filter = filter_packets, .unless = &env.at_once },
	{ "skb:kfree_skb", on_dropped, of_dropped, .unless = &env.at_once },
	{ 0 }
};

/* In set-up, and for --check. */
static int add_sources(struct tl_session *s)
{
	env.has_ipv6 = tl_btf_offset(s, "sock_common", "skc_v6_daddr") >= 0;
	env.has_netns = tl_btf_offset(s, "sock_common", "skc_net.net") >= 0;
	return tl_sources_add(s, sources);
}

/* ---- reasons ---------------------------------------------------------- */

static int need_reasons(struct tl_session *s)
{
	env.names = tl_symbolic_read(s, "skb", "kfree_skb", "reason");
	if (env.names)
		return 0;
	return tl_fail(ENOTSUP, "this kernel does not say why it drops a "
				"packet: skb:kfree_skb has no field reason");
}

static int add_reason(const char *name)
{
	if (env.reasons == REASONS_MAX)
		return tl_fail(EINVAL, "--reason: more than %d reasons",
			       REASONS_MAX);
	if (tl_symbolic_value(env.names, name, &env.reason[env.reasons]))
		return tl_fail(EINVAL,
			       "--reason: this kernel has no reason \"%s\"; "
			       "events/skb/kfree_skb/format in tracefs has all",
			       name);
	env.reasons++;
	return 0;
}

static int find_reasons(void)
{
	char *list, *name, *save;
	int ret = 0;

	env.reasons = 0;
	env.except = *env.reason_list == '!';
	list = strdup(env.reason_list + env.except);
	if (!list)
		return -ENOMEM;
	for (name = strtok_r(list, ",", &save); name && !ret;
	     name = strtok_r(NULL, ",", &save))
		ret = add_reason(name);
	free(list);
	return ret;
}

static int set_up_reasons(struct tl_session *s)
{
	env.names = tl_symbolic_read(s, "skb", "kfree_skb", "reason");
	if (env.reason_list)
		return need_reasons(s) ?: find_reasons();
	if (!env.names && !tl_settings(s)->write)
		tl_warn("this kernel does not say why it drops a packet: only "
			"the place tells");
	return 0;
}

/* ---- set-up ----------------------------------------------------------- */

static const struct {
	const char *name;
	enum by by;
	unsigned int column;
} keys[] = {
	{ "reason", BY_REASON, REASON },
	{ "place", BY_PLACE, PLACE },
	{ "interface", BY_INTERFACE, INTERFACE },
	{ "protocol", BY_PROTOCOL, PROTOCOL },
	{ "source", BY_SOURCE, SADDR },
	{ "destination", BY_DESTINATION, DADDR },
	{ "port", BY_PORT, DPORT },
	{ "netns", BY_NETNS, NETNS },
};

#define KEYS (sizeof(keys) / sizeof(keys[0]))

static int add_key(const char *name)
{
	size_t i;

	for (i = 0; i < KEYS; i++)
		if (!strcmp(keys[i].name, name)) {
			env.by |= keys[i].by;
			return 0;
		}
	return tl_usage("--by=%s: reason, place, interface, protocol, source, "
			"destination, port or netns",
			name);
}

static int find_keys(void)
{
	char *list = strdup(env.by_list), *name, *save;
	int ret = 0;

	if (!list)
		return -ENOMEM;
	for (name = strtok_r(list, ",", &save); name && !ret;
	     name = strtok_r(NULL, ",", &save))
		ret = add_key(name);
	free(list);
	return ret;
}

static int args(struct tl_session *s, int argc, char **argv)
{
	int ret = env.by_list ? find_keys() : 0;

	if (ret)
		return ret;
	if (!env.by && (env.count || env.interval || env.top))
		env.by = BY_REASON | BY_PLACE;
	/* a capture may have them, and be counted */
	if (env.by && env.stacks && !tl_settings(s)->read)
		return tl_usage("-s: what is counted has no stacks");
	env.stacks = env.stacks && !env.by;
	if (tl_settings_who(tl_settings(s)))
		return tl_usage("a packet is dropped by whatever ran then: -p, "
				"-L, -n and --cgroup do not say whose it is");
	return 0;
}

static void show_keys(struct tl_session *s)
{
	unsigned int col;
	size_t i;

	for (col = CLOCK; col <= STACK; col++)
		tl_column_show(s, col, TL_SHOW_NEVER);
	tl_column_show(s, TIME, TL_SHOW_DATA);
	tl_column_show(s, COUNT, TL_SHOW_ALL);
	if (env.interval)
		tl_column_show(s, CLOCK, TL_SHOW_TEXT);
	for (i = 0; i < KEYS; i++)
		if (env.by & keys[i].by)
			tl_column_show(s, keys[i].column, TL_SHOW_ALL);
	if (env.by & BY_REASON)
		tl_column_show(s, NUMBER, TL_SHOW_DATA);
}

static int set_up_counts(struct tl_session *s)
{
	if (tl_settings(s)->trigger)
		return tl_fail(EINVAL, "--trigger: counts are no rows of "
				       "single events");
	show_keys(s);
	env.counts = tl_table_new(sizeof(uint64_t), NULL);
	if (!env.counts)
		return -ENOMEM;
	tl_table_limit(env.counts, KEYS_MAX);
	tl_banner(s, "Counting dropped packets");
	tl_interval(s, env.interval, env.times, on_interval);
	return 0;
}

static int set_up_rows(struct tl_session *s)
{
	if (tl_settings(s)->time_given) {
		tl_column_show(s, CLOCK, TL_SHOW_NEVER);
		tl_column_show(s, TIME, TL_SHOW_ALL);
	}
	tl_banner(s, "Tracing dropped packets");
	return env.stacks ? tl_stacks_open(s, print) : 0;
}

static int setup(struct tl_session *s)
{
	int ret = set_up_reasons(s) ?: tl_netns_find(s, &env.wanted.netns);

	ret = ret ?: tl_symbols_open(s);
	if (!ret)
		ret = env.by ? set_up_counts(s) : set_up_rows(s);
	env.packets = tl_pairs_open(s, sizeof(struct drop), 8192, NULL);
	if (!env.packets)
		return -ENOMEM;
	return ret ?: add_sources(s);
}

static int check(struct tl_session *s)
{
	return add_sources(s) ?: tl_limit(s, "--reason", env.reason_list,
					  need_reasons) ?:
	       tl_limit(s, "-s", env.stacks, tl_stacks_check);
}

static const struct tl_tool dropsnoop = {
	.name = "dropsnoop",
	.summary = "trace packets that the kernel drops, and why",
	.operands = TL_OPERANDS_INTERVAL(env.interval, env.times),
	.examples = {
		{ "dropsnoop", "each packet, with the reason and the place" },
		{ "dropsnoop 5", "how many by reason and place, every 5 s" },
		{ "dropsnoop -s --reason=NETFILTER_DROP --dport=443",
		  "which rules drop packets for a web server" },
	},
	.options = options,
	.columns = columns,
	.pictured = { .unit = "drops", .told = true },
	.flags = TL_FILTERS_TASKS,
	.buffer_kb = 8192,
	.args = args,
	.check = check,
	.setup = setup,
};

TL_MAIN(dropsnoop)
