/* SPDX-License-Identifier: GPL-2.0-or-later */
/* socket.h - ends of a connection */
#ifndef TRACELET_SOCKET_H
#define TRACELET_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracelet/event.h"
#include "tracelet/inet.h"
#include "tracelet/option.h"

#pragma GCC visibility push(default)

struct tl_event;
struct tl_filter;
struct tl_session;

/**
 * Both ends of a connection; as a key it is all of what tells one from others.
 */
struct tl_ends {
	uint8_t laddr[16], raddr[16]; /* as for tl_inet_text() */
	uint16_t lport, rport;
	uint32_t netns; /* number of its network namespace; 0: not known */
};

/**
 * tl_socket_ends - the connection of a record; this and the next two are for
 * sources that say they have a socket
 */
struct tl_ends tl_socket_ends(const struct tl_record *r);
/**
 * tl_socket_id - the address of its socket, which no other has at that time; 0:
 * the event does not tell
 */
uint64_t tl_socket_id(const struct tl_record *r);
/** tl_socket_state - as tl_tcp_state(); NULL: the event does not tell */
const char *tl_socket_state(const struct tl_record *r);

/**
 * A network namespace: "1234", a process that is in it; "4026531840", its number; a
 * name of ip-netns(8); a file, "/proc/1/ns/net".
 */
struct tl_netns {
	const char *text; /* NULL: all */
	uint32_t number;  /* of tl_netns_find() */
};

/**
 * tl_netns_find - in setup: find the number of the namespace, unless it is found or
 * all are wanted; 0, or -EINVAL or another -errno after a message
 */
int tl_netns_find(struct tl_session *s, struct tl_netns *ns);

/** Which connections a user wants; all zeroes: all of them. */
struct tl_ends_filter {
	struct tl_ports port, lport, rport;   /* @port is of either end */
	struct tl_network addr, laddr, raddr; /* and so is @addr */
	struct tl_netns netns;
	bool ipv4, ipv6; /* only those; not both */
};

/*
 * The options for it, in a tool's table of options: @l and @r are how names of options
 * for either end begin, and @local and @remote what they are called.
 */
#define TL_OPTIONS_OF_ENDS(wanted, l, r, local, remote)                       \
	TL_OPTION(0, "port", "LIST",                                          \
		  "only these ports, at either end: 80,8000-8080",            \
		  TL_OPT_PORTS, &(wanted).port),                              \
		TL_OPTION(0, l "port", "LIST", "only these " local " ports",  \
			  TL_OPT_PORTS, &(wanted).lport),                     \
		TL_OPTION(0, r "port", "LIST", "only these " remote " ports", \
			  TL_OPT_PORTS, &(wanted).rport),                     \
		TL_OPTION(0, "addr", "ADDRESS[/BITS]",                        \
			  "only this address or network, at either end",      \
			  TL_OPT_NETWORK, &(wanted).addr),                    \
		TL_OPTION(0, l "addr", "ADDRESS[/BITS]",                      \
			  "only these " local " addresses", TL_OPT_NETWORK,   \
			  &(wanted).laddr),                                   \
		TL_OPTION(0, r "addr", "ADDRESS[/BITS]",                      \
			  "only these " remote " addresses", TL_OPT_NETWORK,  \
			  &(wanted).raddr),                                   \
		TL_OPTION(0, "netns", "NETNS",                                \
			  "only this network namespace: PID or name",         \
			  TL_OPT_STRING, &(wanted).netns.text),               \
		TL_OPTION('4', "ipv4", NULL, "only IPv4", TL_OPT_FLAG,        \
			  &(wanted).ipv4, "family"),                          \
		TL_OPTION('6', "ipv6", NULL, "only IPv6", TL_OPT_FLAG,        \
			  &(wanted).ipv6, "family")
/** TL_ENDS_OPTIONS - of connections */
#define TL_ENDS_OPTIONS(wanted) \
	TL_OPTIONS_OF_ENDS(wanted, "l", "r", "local", "remote")
/** TL_PACKET_OPTIONS - of packets: local is the source */
#define TL_PACKET_OPTIONS(wanted) \
	TL_OPTIONS_OF_ENDS(wanted, "s", "d", "source", "destination")

/** tl_ends_match - whether connection @e is wanted */
bool tl_ends_match(const struct tl_ends_filter *wanted,
		   const struct tl_ends *e);
/**
 * tl_filter_ends - add the conditions of @wanted that the kernel can check: on
 * the fields sport and dport of a tracepoint
 */
void tl_filter_ends(struct tl_filter *f, const struct tl_ends_filter *wanted);
/**
 * tl_put_end - fill column @col with one end of the row's connection, and the
 * two columns behind it with its address and its port; for two ends of a row
 * @port: -1: it has none, or it is not known
 */
void tl_put_end(struct tl_session *s, unsigned int col, const uint8_t addr[16],
		int port);

/**
 * tl_put_address - fill column @col with an address, and the one behind it with its
 * port; for two ends of a row
 */
void tl_put_address(struct tl_session *s, unsigned int col,
		    const uint8_t addr[16], unsigned int port);
/** tl_put_netns - fill column @col with the network namespace of @e, if it is known */
void tl_put_netns(struct tl_session *s, unsigned int col,
		  const struct tl_ends *e);

/** tl_tcp_state - "ESTABLISHED"; NULL for what is none */
const char *tl_tcp_state(int64_t state);
/**
 * tl_tcp_error - why a segment was not sent: "ENOBUFS", or "NET_XMIT_DROP" of
 * the queue behind TCP, which is a positive @err; a number where it has no name;
 * valid until the next call
 */
const char *tl_tcp_error(int err);

#pragma GCC visibility pop

#endif
