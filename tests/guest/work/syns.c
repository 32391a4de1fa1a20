/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * syns FROM ADDRESS PORT COUNT: sends COUNT packets with SYN there, each from another
 * port of FROM, an address that may be nobody's.  IPv4 only.
 */
#include <arpa/inet.h>
#include <err.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

struct syn {
	struct iphdr ip;
	struct tcphdr tcp;
};

/* What the checksum of TCP is of. */
struct summed {
	in_addr_t from, to;
	uint16_t protocol, length;
	struct tcphdr tcp;
};

static uint16_t checksum(const struct syn *syn)
{
	struct summed s = { .from = syn->ip.saddr,
			    .to = syn->ip.daddr,
			    .protocol = htons(IPPROTO_TCP),
			    .length = htons(sizeof(syn->tcp)),
			    .tcp = syn->tcp };
	uint16_t words[sizeof(s) / 2];
	uint32_t sum = 0;
	size_t i;

	memcpy(words, &s, sizeof(s));
	for (i = 0; i < sizeof(s) / 2; i++)
		sum += words[i];
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t) ~(sum + (sum >> 16));
}

/* The kernel fills in the rest of the header of IP. */
static struct syn syn_of(const char *from, const char *to, const char *port)
{
	struct syn syn = {
		.ip = { .version = 4,
			.ihl = 5,
			.ttl = 64,
			.protocol = IPPROTO_TCP },
		.tcp = { .doff = 5, .syn = 1, .window = htons(65535) }
	};

	if (inet_pton(AF_INET, from, &syn.ip.saddr) != 1 ||
	    inet_pton(AF_INET, to, &syn.ip.daddr) != 1)
		errx(2, "wrong address");
	syn.tcp.dest = htons((uint16_t)atoi(port));
	return syn;
}

int main(int argc, char **argv)
{
	struct sockaddr_in to = { .sin_family = AF_INET };
	int fd = socket(AF_INET, SOCK_RAW, IPPROTO_RAW), i;
	struct syn syn;

	if (argc != 5 || fd < 0)
		errx(2, "usage: syns FROM ADDRESS PORT COUNT");
	syn = syn_of(argv[1], argv[2], argv[3]);
	to.sin_addr.s_addr = syn.ip.daddr;
	for (i = 0; i < atoi(argv[4]); i++) {
		syn.tcp.source = htons((uint16_t)(1024 + i));
		syn.tcp.seq = htonl((uint32_t)i << 16);
		syn.tcp.check = 0;
		syn.tcp.check = checksum(&syn);
		if (sendto(fd, &syn, sizeof(syn), 0, (struct sockaddr *)&to,
			   sizeof(to)) != sizeof(syn))
			err(1, "sendto");
	}
	return 0;
}
