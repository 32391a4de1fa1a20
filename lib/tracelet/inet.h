/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inet.h - addresses and ports */
#ifndef TRACELET_INET_H
#define TRACELET_INET_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(default)

struct tl_filter;

/* An address has 16 bytes, as the network has them; IPv4 is ::ffff:a.b.c.d. */

#define TL_INET_TEXT 56 /* bytes that the text of one needs, with a port */

/** tl_inet_map - the 16 bytes of an IPv4 address */
void tl_inet_map(uint8_t addr[16], const uint8_t ipv4[4]);
/** tl_inet_is_ipv4 - whether it is one of IPv4, also where a socket of IPv6 has it */
bool tl_inet_is_ipv4(const uint8_t addr[16]);
/** tl_inet_text - "192.0.2.1", "2001:db8::1" */
void tl_inet_text(const uint8_t addr[16], char text[TL_INET_TEXT]);
/** tl_inet_end - of a connection: "192.0.2.1:80", "[2001:db8::1]:80" */
void tl_inet_end(const uint8_t addr[16], unsigned int port,
		 char text[TL_INET_TEXT]);

/** Addresses with the same first bits. */
struct tl_network {
	bool given; /* else every address matches */
	uint8_t addr[16];
	unsigned int bits; /* of all 128 */
};

bool tl_network_match(const struct tl_network *net, const uint8_t addr[16]);

#define TL_PORTS_MAX 16

/** Ports, with all between the first and the last of a range. */
struct tl_ports {
	unsigned int count; /* 0: every port matches */
	struct tl_range {
		uint16_t first, last;
	} range[TL_PORTS_MAX];
};

bool tl_ports_match(const struct tl_ports *ports, unsigned int port);
/**
 * tl_filter_ports - add that number @field, or @other unless that is NULL, is
 * one of @ports, if these were given
 */
void tl_filter_ports(struct tl_filter *f, const struct tl_ports *ports,
		     const char *field, const char *other);

#pragma GCC visibility pop

#endif
