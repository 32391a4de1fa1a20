/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_packet.c - headers of packets, from any bytes
 *
 * What a packet that is cut short says, the whole one says, too.
 */
#include <linux/if_ether.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tracelet/packet.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* From a place of its own, whose end is known. */
static struct tl_packet read_first(uint16_t ethertype, const uint8_t *data,
				   size_t size)
{
	uint8_t *copy = malloc(size ?: 1);
	struct tl_packet p;

	must(copy);
	memcpy(copy, data, size);
	tl_packet_read(&p, ethertype, copy, size);
	free(copy);
	return p;
}

static void compare(const struct tl_packet *cut, const struct tl_packet *all)
{
	must(cut->has_addresses <= all->has_addresses);
	must(cut->has_transport <= all->has_transport);
	must(cut->has_ports <= all->has_ports);
	must(cut->has_flags <= all->has_flags);
	must(!cut->has_transport || cut->transport == all->transport);
	must(!cut->has_ports ||
	     !memcmp(&cut->ends, &all->ends, sizeof(cut->ends)));
	must(!all->has_ports || (all->has_addresses && all->has_transport));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint16_t types[] = { ETH_P_IP, ETH_P_IPV6, ETH_P_ARP, 0 };
	char text[TL_PACKET_TEXT];
	struct tl_packet all, cut;
	size_t i;

	if (!size)
		return 0;
	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		all = read_first(types[i], data + 1, size - 1);
		cut = read_first(types[i], data + 1, data[0] % size);
		compare(&cut, &all);
		tl_packet_protocol(&all, text);
		tl_packet_flags(&all, text);
	}
	return 0;
}
