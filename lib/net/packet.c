// SPDX-License-Identifier: GPL-2.0-or-later
/* packet.c - what the headers of a packet say */
#include <linux/if_ether.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "tracelet/inet.h"
#include "tracelet/packet.h"
#include "tracelet/socket.h"

/* netinet/in.h of the C library lacks some */
#define PROTO_ICMPV6 58
#define PROTO_OSPF   89
#define PROTO_VRRP   112

#define IPV4_HEADER 20
#define IPV6_HEADER 40
#define FRAGMENT    8 /* bytes of that extension header */

static uint16_t be16(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

/* ---- the transport layer ---------------------------------------------- */

static bool has_ports(unsigned int transport)
{
	switch (transport) {
	case IPPROTO_TCP:
	case IPPROTO_UDP:
	case IPPROTO_UDPLITE:
	case IPPROTO_SCTP:
	case IPPROTO_DCCP:
		return true;
	}
	return false;
}

void tl_packet_read_transport(struct tl_packet *p, const uint8_t *bytes,
			      size_t size)
{
	if (!has_ports(p->transport) || size < 4)
		return;
	p->has_ports = true;
	p->ends.lport = be16(bytes);
	p->ends.rport = be16(bytes + 2);
	if (p->transport != IPPROTO_TCP || size < 14)
		return;
	p->has_flags = true;
	p->tcp_flags = bytes[13];
}

static void set_transport(struct tl_packet *p, uint8_t transport)
{
	p->transport = transport;
	p->has_transport = true;
}

/* ---- IPv4 ------------------------------------------------------------- */

static void read_ipv4(struct tl_packet *p, const uint8_t *bytes, size_t size)
{
	size_t header;

	if (size < IPV4_HEADER || bytes[0] >> 4 != 4)
		return;
	header = (size_t)(bytes[0] & 15u) * 4;
	p->has_addresses = true;
	tl_inet_map(p->ends.laddr, bytes + 12);
	tl_inet_map(p->ends.raddr, bytes + 16);
	set_transport(p, bytes[9]);
	/* the other fragments have no header of the transport layer */
	if (header < IPV4_HEADER || header > size || be16(bytes + 6) & 0x1fff)
		return;
	tl_packet_read_transport(p, bytes + header, size - header);
}

/* ---- IPv6 ------------------------------------------------------------- */

/* Bytes of the extension header of type @next; 0: it is none. */
static size_t extension(unsigned int next, const uint8_t *bytes)
{
	switch (next) {
	case IPPROTO_HOPOPTS:
	case IPPROTO_ROUTING:
	case IPPROTO_DSTOPTS:
		return ((size_t)bytes[1] + 1) * 8;
	case IPPROTO_FRAGMENT:
		return FRAGMENT;
	case IPPROTO_AH:
		return ((size_t)bytes[1] + 2) * 4;
	}
	return 0;
}

static bool is_extension(unsigned int next)
{
	static const uint8_t none[2];

	return extension(next, none);
}

static bool is_later_fragment(unsigned int next, const uint8_t *bytes)
{
	return next == IPPROTO_FRAGMENT && be16(bytes + 2) & 0xfff8;
}

/* The transport is behind all extension headers, if these are known to their end. */
static void read_ipv6(struct tl_packet *p, const uint8_t *bytes, size_t size)
{
	size_t at = IPV6_HEADER;
	bool later = false;
	unsigned int next;

	if (size < IPV6_HEADER || bytes[0] >> 4 != 6)
		return;
	p->has_addresses = true;
	memcpy(p->ends.laddr, bytes + 8, sizeof(p->ends.laddr));
	memcpy(p->ends.raddr, bytes + 24, sizeof(p->ends.raddr));
	next = bytes[6];
	while (is_extension(next) && !later) {
		if (at > size || size - at < FRAGMENT)
			return;
		later = is_later_fragment(next, bytes + at);
		bytes += at;
		size -= at;
		at = extension(next, bytes);
		next = bytes[0];
	}
	/* of what is behind the header of a later fragment only the type is known */
	if (is_extension(next))
		return;
	set_transport(p, (uint8_t)next);
	if (!later && at < size)
		tl_packet_read_transport(p, bytes + at, size - at);
}

/* ---- ARP -------------------------------------------------------------- */

/* Of Ethernet and IPv4: who asks or answers, and whom. */
static void read_arp(struct tl_packet *p, const uint8_t *bytes, size_t size)
{
	if (size < 28 || be16(bytes + 2) != ETH_P_IP || bytes[4] != 6 ||
	    bytes[5] != 4)
		return;
	p->has_addresses = true;
	tl_inet_map(p->ends.laddr, bytes + 14);
	tl_inet_map(p->ends.raddr, bytes + 24);
}

void tl_packet_read(struct tl_packet *p, uint16_t ethertype,
		    const uint8_t *bytes, size_t size)
{
	*p = (struct tl_packet){ .ethertype = ethertype };
	switch (ethertype) {
	case ETH_P_IP:
		read_ipv4(p, bytes, size);
		break;
	case ETH_P_IPV6:
		read_ipv6(p, bytes, size);
		break;
	case ETH_P_ARP:
		read_arp(p, bytes, size);
		break;
	}
}

/* ---- which ------------------------------------------------------------ */

static bool is_ip(const struct tl_packet *p)
{
	return p->ethertype == ETH_P_IP || p->ethertype == ETH_P_IPV6;
}

static bool is_of_version(const struct tl_ends_filter *wanted,
			  const struct tl_packet *p)
{
	if (wanted->ipv4)
		return p->ethertype == ETH_P_IP || p->ethertype == ETH_P_ARP;
	return !wanted->ipv6 || p->ethertype == ETH_P_IPV6;
}

static bool asks_for_ports(const struct tl_ends_filter *w)
{
	return w->port.count || w->lport.count || w->rport.count;
}

static bool asks_for_ends(const struct tl_ends_filter *w)
{
	return asks_for_ports(w) || w->addr.given || w->laddr.given ||
	       w->raddr.given;
}

/* One of IP that is cut, or a fragment, but the first. */
static bool lacks_ports(const struct tl_packet *p)
{
	return is_ip(p) && !p->has_ports &&
	       (!p->has_transport || has_ports(p->transport));
}

enum tl_packet_match tl_packet_match(const struct tl_ends_filter *wanted,
				     const struct tl_packet *p)
{
	const bool no_netns = wanted->netns.text && !p->ends.netns;
	const bool no_addresses = asks_for_ends(wanted) && !p->has_addresses;
	const bool no_ports = asks_for_ports(wanted) && !p->has_ports;
	struct tl_ends_filter known = *wanted;

	/* what is no IP has none */
	if (!is_of_version(wanted, p) || (no_addresses && !is_ip(p)) ||
	    (no_ports && !lacks_ports(p)))
		return TL_PACKET_OTHER;
	known.ipv4 = known.ipv6 = false;
	if (no_addresses)
		known = (struct tl_ends_filter){ .netns = known.netns };
	if (no_ports)
		known.port = known.lport = known.rport = (struct tl_ports){ 0 };
	if (no_netns)
		known.netns.text = NULL;
	if (!tl_ends_match(&known, &p->ends))
		return TL_PACKET_OTHER;
	return no_addresses || no_ports || no_netns ? TL_PACKET_UNKNOWN
						    : TL_PACKET_WANTED;
}

/* ---- as text ---------------------------------------------------------- */

struct name {
	unsigned int number;
	const char *name;
};

static const struct name transports[] = {
	{ IPPROTO_TCP, "TCP" },         { IPPROTO_UDP, "UDP" },
	{ IPPROTO_ICMP, "ICMP" },       { PROTO_ICMPV6, "ICMPv6" },
	{ IPPROTO_SCTP, "SCTP" },       { IPPROTO_DCCP, "DCCP" },
	{ IPPROTO_UDPLITE, "UDPLite" }, { IPPROTO_IGMP, "IGMP" },
	{ IPPROTO_GRE, "GRE" },         { IPPROTO_ESP, "ESP" },
	{ IPPROTO_AH, "AH" },           { IPPROTO_IPIP, "IPIP" },
	{ IPPROTO_IPV6, "IPv6-in-IP" }, { PROTO_OSPF, "OSPF" },
	{ PROTO_VRRP, "VRRP" },         { 0 }
};

static const struct name ethertypes[] = { { ETH_P_IP, "IPv4" },
					  { ETH_P_IPV6, "IPv6" },
					  { ETH_P_ARP, "ARP" },
					  { ETH_P_8021Q, "VLAN" },
					  { ETH_P_LLDP, "LLDP" },
					  { ETH_P_802_2, "802.2" },
					  { ETH_P_PAE, "EAPOL" },
					  { ETH_P_MPLS_UC, "MPLS" },
					  { 0 } };

static const char *name_of(const struct name *list, unsigned int number)
{
	while (list->name && list->number != number)
		list++;
	return list->name;
}

const char *tl_packet_protocol(const struct tl_packet *p,
			       char text[TL_PACKET_TEXT])
{
	const char *name = p->has_transport ? name_of(transports, p->transport)
					    : name_of(ethertypes, p->ethertype);

	if (name || (!p->has_transport && !p->ethertype))
		return name;
	if (p->has_transport)
		snprintf(text, TL_PACKET_TEXT, "IP-%u", p->transport);
	else
		snprintf(text, TL_PACKET_TEXT, "0x%04x", p->ethertype);
	return text;
}

const char *tl_packet_flags(const struct tl_packet *p,
			    char text[TL_PACKET_TEXT])
{
	static const char letters[] = "FSRPAUEW";
	size_t len = 0, i;

	if (!p->has_flags)
		return NULL;
	for (i = 0; i < 8; i++)
		if (p->tcp_flags & 1u << i)
			text[len++] = letters[i];
	text[len] = '\0';
	return text;
}
