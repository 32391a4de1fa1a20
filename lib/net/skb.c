// SPDX-License-Identifier: GPL-2.0-or-later
/* skb.c - packets as the kernel has them */
#include <arpa/inet.h>
#include <ctype.h>
#include <linux/if_ether.h>
#include <string.h>
#include <sys/param.h>
#include <sys/socket.h>

#include "tracelet/btf.h"
#include "tracelet/inet.h"
#include "tracelet/skb.h"

void tl_skb_prepare(struct tl_session *s, struct tl_skb_fields *f)
{
	f->has_ipv6 =
		f->all && tl_btf_offset(s, "sock_common", "skc_v6_daddr") >= 0;
	f->has_netns =
		f->all && tl_btf_offset(s, "sock_common", "skc_net.net") >= 0;
}

/* Where @f is read through a pointer that leads nowhere, it is anything. */
static uint64_t number(const struct tl_record *r, const struct tl_field *f)
{
	return f->size ? (uint64_t)tl_field_num(r, f) : 0;
}

/* ---- its device, and the namespace ------------------------------------ */

/*
 * UDP keeps what it knows of a packet that waits for its reader in place of the
 * device, with truesize first; TCP, of what came out of order, a pointer to
 * another packet.
 */
static bool is_device(const struct tl_skb_fields *f, const struct tl_record *r,
		      const char name[IFNAMSIZ])
{
	const uint64_t dev = number(r, &f->dev);
	const uint64_t size = number(r, &f->truesize);
	size_t len = strnlen(name, IFNAMSIZ), i;

	if (!dev || (dev & INT32_MAX) == size || !len || len == IFNAMSIZ)
		return false;
	for (i = 0; i < len; i++)
		if (!isgraph((unsigned char)name[i]))
			return false;
	return true;
}

static void read_device(struct tl_skb *skb, const struct tl_skb_fields *f,
			const struct tl_record *r)
{
	uint32_t netns = 0;

	tl_field_bytes(r, &f->name, skb->interface, sizeof(skb->interface));
	if (is_device(f, r, skb->interface))
		netns = (uint32_t)number(r, &f->netns);
	else
		memset(skb->interface, 0, sizeof(skb->interface));
	if (!netns && number(r, &f->sk))
		netns = (uint32_t)number(r, &f->sk_netns);
	if (!netns && number(r, &f->rx_sk))
		netns = (uint32_t)number(r, &f->rx_netns);
	skb->packet.ends.netns = netns;
}

/* ---- its ends --------------------------------------------------------- */

/*
 * Bytes of the packet that are at skb->data; others are in pages, or belong to nobody.
 */
static int64_t linear(const struct tl_skb_fields *f, const struct tl_record *r)
{
	return (int64_t)number(r, &f->length) - (int64_t)number(r, &f->paged);
}

/* From the network header on, as far as that is among the bytes recorded. */
static void read_headers(struct tl_skb *skb, const struct tl_skb_fields *f,
			 const struct tl_record *r)
{
	const uint16_t ethertype = ntohs((uint16_t)number(r, &f->protocol));
	const uint64_t network = number(r, &f->network);
	const int64_t at =
		(int64_t)(number(r, &f->head) + network - number(r, &f->data));
	const int64_t from = TL_SKB_BEFORE + at;
	const int64_t end = MIN(TL_SKB_BEFORE + linear(f, r), TL_SKB_WINDOW);
	uint8_t bytes[TL_SKB_WINDOW] = { 0 };

	tl_field_bytes(r, &f->window, bytes, sizeof(bytes));
	skb->length = (int64_t)number(r, &f->length);
	/* a packet that is being made has no such header yet */
	if (!network || from < 0 || from >= end) {
		skb->packet = (struct tl_packet){ .ethertype = ethertype };
		return;
	}
	skb->length -= at;
	tl_packet_read(&skb->packet, ethertype, bytes + from,
		       (size_t)(end - from));
}

static void read_ipv4_ends(struct tl_ends *e, const struct tl_skb_fields *f,
			   const struct tl_record *r)
{
	uint8_t ipv4[4] = { 0 };

	tl_field_bytes(r, &f->saddr, ipv4, sizeof(ipv4));
	tl_inet_map(e->laddr, ipv4);
	tl_field_bytes(r, &f->daddr, ipv4, sizeof(ipv4));
	tl_inet_map(e->raddr, ipv4);
}

static void read_ipv6_ends(struct tl_ends *e, const struct tl_skb_fields *f,
			   const struct tl_record *r)
{
	if (!f->has_ipv6)
		return;
	tl_field_bytes(r, &f->saddr6, e->laddr, sizeof(e->laddr));
	tl_field_bytes(r, &f->daddr6, e->raddr, sizeof(e->raddr));
}

/* What is sent by a socket, and has no header that tells from where. */
static void read_socket(struct tl_packet *p, const struct tl_skb_fields *f,
			const struct tl_record *r)
{
	struct tl_ends *e = &p->ends;
	const uint64_t family = number(r, &f->family);

	if (p->has_addresses || !number(r, &f->sk) ||
	    (family != AF_INET && family != AF_INET6))
		return;
	if (family == AF_INET)
		read_ipv4_ends(e, f, r);
	else
		read_ipv6_ends(e, f, r);
	p->has_addresses = true;
	e->lport = (uint16_t)number(r, &f->sport);
	e->rport = ntohs((uint16_t)number(r, &f->dport));
	p->has_ports = e->lport || e->rport;
	/* a socket of IPv6 has connections of IPv4, too */
	if (!p->ethertype)
		p->ethertype =
			tl_inet_is_ipv4(e->raddr) ? ETH_P_IP : ETH_P_IPV6;
}

struct tl_skb tl_skb_read(const struct tl_skb_fields *f,
			  const struct tl_record *r)
{
	struct tl_skb skb = { 0 };

	read_headers(&skb, f, r);
	read_socket(&skb.packet, f, r);
	read_device(&skb, f, r);
	return skb;
}
