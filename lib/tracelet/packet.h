/* SPDX-License-Identifier: GPL-2.0-or-later */
/* packet.h - what the headers of a packet say */
#ifndef TRACELET_PACKET_H
#define TRACELET_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracelet/socket.h"

#pragma GCC visibility push(default)

#define TL_PACKET_TEXT 12 /* bytes that the texts below need */

/** What a packet is, as far as that is known. */
struct tl_packet {
	uint16_t ethertype; /* ETH_P_IP ...; 0: not known */
	uint8_t transport;  /* IPPROTO_TCP ..., where @has_transport */
	uint8_t tcp_flags;  /* where @has_flags */
	bool has_transport, has_addresses, has_ports, has_flags;
	struct tl_ends ends; /* local is the source, remote the destination */
};

/**
 * tl_packet_read - read the headers of a packet of @ethertype, from that of its network
 * layer on
 * @bytes: the first @size of it, any number; what is behind them is not known
 */
void tl_packet_read(struct tl_packet *p, uint16_t ethertype,
		    const uint8_t *bytes, size_t size);
/**
 * tl_packet_read_transport - read the header of its transport layer, which is where
 * @bytes begin: @p has its transport
 */
void tl_packet_read_transport(struct tl_packet *p, const uint8_t *bytes,
			      size_t size);

/** Whether a packet is one that a user wants. */
enum tl_packet_match {
	TL_PACKET_OTHER,
	TL_PACKET_WANTED,
	TL_PACKET_UNKNOWN, /* it has ends, or a namespace, that are not known */
};

/**
 * tl_packet_match - compare a packet; of one of which not all is known what is known
 * @wanted: local is the source, remote the destination
 */
enum tl_packet_match tl_packet_match(const struct tl_ends_filter *wanted,
				     const struct tl_packet *p);

/**
 * tl_packet_protocol - "TCP", "ARP"; "IP-4" for one of IP without a name, "0x88cc" for
 * another; NULL: not known
 */
const char *tl_packet_protocol(const struct tl_packet *p,
			       char text[TL_PACKET_TEXT]);
/** tl_packet_flags - of TCP: "SA" of SYN and ACK, "" of none; NULL: not known */
const char *tl_packet_flags(const struct tl_packet *p,
			    char text[TL_PACKET_TEXT]);

#pragma GCC visibility pop

#endif
