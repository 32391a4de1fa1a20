/* SPDX-License-Identifier: GPL-2.0-or-later */
/* skb.h - packets as the kernel has them */
#ifndef TRACELET_SKB_H
#define TRACELET_SKB_H

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

#include "tracelet/event.h"
#include "tracelet/packet.h"

#pragma GCC visibility push(default)

struct tl_session;

/** Where records have a struct sk_buff, and its socket and device. */
struct tl_skb_fields {
	/* to be set before: all of them; else only those that tell a protocol from none,
	 * as each value costs the kernel time */
	bool all;
	struct tl_field sk, dev, head, data, network, length, paged, truesize;
	struct tl_field protocol, window, name, netns;
	struct tl_field family, saddr, daddr, sport, dport; /* of its socket */
	struct tl_field saddr6, daddr6, sk_netns;
	struct tl_field rx_sk,
		rx_netns; /* that it was for, of TL_SKB_RECEIVER() */
	bool has_ipv6, has_netns, has_receiver;
};

/* Bytes around skb->data that are recorded: headers are before it, or behind. */
#define TL_SKB_BEFORE   72
#define TL_SKB_WINDOW   144
#define TL_SKB_DATA     "sk_buff.data -72"
#define TL_SKB_ELEMENTS "x64[18]"

#define TL_SKB_NETNS "sock_common.skc_net.net net.ns.inum"

/**
 * TL_SKB_FIELDS - the fields of a source, in its table, for the struct sk_buff whose
 * address is @at: "$arg1"
 * @f: the struct tl_skb_fields that they become, of tl_skb_prepare()
 */
#define TL_SKB_FIELDS(f, at)                                                      \
	{ "sk", &(f).sk, at, "sk_buff.sk", "x64" },                               \
		{ "dev", &(f).dev, at, "sk_buff.dev", "x64", .given = &(f).all }, \
		{ "head",         &(f).head, at,                                  \
		  "sk_buff.head", "x64",     .given = &(f).all },                 \
		{ "data",         &(f).data, at,                                  \
		  "sk_buff.data", "x64",     .given = &(f).all },                 \
		{ "network", &(f).network,     at, "sk_buff.network_header",      \
		  "u16",     .given = &(f).all },                                 \
		{ "len",         &(f).length, at,                                 \
		  "sk_buff.len", "u32",       .given = &(f).all },                \
		{ "data_len",         &(f).paged, at,                             \
		  "sk_buff.data_len", "u32",      .given = &(f).all },            \
		{ "truesize",         &(f).truesize, at,                          \
		  "sk_buff.truesize", "u32",         .given = &(f).all },         \
		{ "protocol", &(f).protocol, at, "sk_buff.protocol", "u16" },     \
		{ "window",    &(f).window,     at,                               \
		  TL_SKB_DATA, TL_SKB_ELEMENTS, .given = &(f).all },              \
		{ "name",   &(f).name,        at, "sk_buff.dev net_device.name",  \
		  "x64[2]", .given = &(f).all },                                  \
		{ "netns", &(f).netns,                                            \
		  at,      "sk_buff.dev net_device.nd_net.net net.ns.inum",       \
		  "u32",   .given = &(f).has_netns },                             \
		{ "sk_netns", &(f).sk_netns,                                      \
		  at,         "sk_buff.sk " TL_SKB_NETNS,                         \
		  "u32",      .given = &(f).has_netns },                          \
		{ "family", &(f).family, at,                                      \
		  "sk_buff.sk sock_common.skc_family", "u16" },                   \
		{ "saddr", &(f).saddr,                                            \
		  at,      "sk_buff.sk sock_common.skc_rcv_saddr",                \
		  "u32",   .given = &(f).all },                                   \
		{ "daddr", &(f).daddr,                                            \
		  at,      "sk_buff.sk sock_common.skc_daddr",                    \
		  "u32",   .given = &(f).all },                                   \
		{ "sport", &(f).sport,                                            \
		  at,      "sk_buff.sk sock_common.skc_num",                      \
		  "u16",   .given = &(f).all },                                   \
		{ "dport", &(f).dport,                                            \
		  at,      "sk_buff.sk sock_common.skc_dport",                    \
		  "u16",   .given = &(f).all },                                   \
		{ "saddr6", &(f).saddr6,                                          \
		  at,       "sk_buff.sk sock_common.skc_v6_rcv_saddr",            \
		  "x64[2]", .given = &(f).has_ipv6 },                             \
	{                                                                         \
		"daddr6", &(f).daddr6, at,                                        \
			"sk_buff.sk sock_common.skc_v6_daddr", "x64[2]",          \
			.given = &(f).has_ipv6                                    \
	}

/**
 * TL_SKB_RECEIVER - the same for the socket that it was for, whose address is @at,
 * where the kernel has that
 */
#define TL_SKB_RECEIVER(f, at)                                              \
	{ "rx_sk",                                                          \
	  &(f).rx_sk,                                                       \
	  at,                                                               \
	  .type = "x64",                                                    \
	  .found = &(f).has_receiver,                                       \
	  .given = &(f).all },                                              \
	{                                                                   \
		"rx_netns", &(f).rx_netns, at, TL_SKB_NETNS, "u32",         \
			.found = &(f).has_receiver, .given = &(f).has_netns \
	}

/** A packet; its namespace is that of packet.ends. */
struct tl_skb {
	struct tl_packet packet;
	int64_t length; /* from its network header on; -1: not known */
	char interface[IFNAMSIZ]; /* "": not known */
};

/**
 * tl_skb_prepare - before the sources: find what the kernel's sockets have; in set-up,
 * or check
 */
void tl_skb_prepare(struct tl_session *s, struct tl_skb_fields *f);
/**
 * tl_skb_read - read the packet of a record: from its headers, or from its socket what
 * these do not say
 */
struct tl_skb tl_skb_read(const struct tl_skb_fields *f,
			  const struct tl_record *r);

#pragma GCC visibility pop

#endif
