// SPDX-License-Identifier: GPL-2.0-or-later
/* key.c - what dropped packets are counted by */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "tracelet/drop.h"
#include "tracelet/message.h"

#define OF(member)                        \
	offsetof(struct tl_drop, member), \
		sizeof(((struct tl_drop *)NULL)->member)
#define KNOWN(member) offsetof(struct tl_drop, member)

static const struct kind {
	enum tl_drop_by by;
	const char *name;
	size_t at, size;
	size_t known; /* where the drop has whether it is known; 0: it always is */
} kinds[] = {
	{ TL_DROP_BY_REASON, "reason", OF(reason), KNOWN(has_reason) },
	{ TL_DROP_BY_PLACE, "place", OF(place) },
	{ TL_DROP_BY_INTERFACE, "interface", OF(skb.interface) },
	{ TL_DROP_BY_PROTOCOL, "protocol", OF(skb.packet.ethertype) },
	{ TL_DROP_BY_SOURCE, "source", OF(skb.packet.ends.laddr),
	  KNOWN(skb.packet.has_addresses) },
	{ TL_DROP_BY_DESTINATION, "destination", OF(skb.packet.ends.raddr),
	  KNOWN(skb.packet.has_addresses) },
	{ TL_DROP_BY_PORT, "port", OF(skb.packet.ends.rport),
	  KNOWN(skb.packet.has_ports) },
	{ TL_DROP_BY_NETNS, "netns", OF(skb.packet.ends.netns) },
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static int add_kind(const char *name, unsigned int *by)
{
	size_t i;

	for (i = 0; i < KINDS; i++)
		if (!strcmp(kinds[i].name, name)) {
			*by |= kinds[i].by;
			return 0;
		}
	return tl_usage("--by=%s: reason, place, interface, protocol, source, "
			"destination, port or netns",
			name);
}

int tl_drop_by_list(const char *list, unsigned int *by)
{
	char *copy = strdup(list), *name, *save;
	int ret = 0;

	if (!copy)
		return -ENOMEM;
	for (name = strtok_r(copy, ",", &save); name && !ret;
	     name = strtok_r(NULL, ",", &save))
		ret = add_kind(name, by);
	free(copy);
	return ret;
}

/* Of IP it is the transport, whatever the version. */
static void copy_protocol(struct tl_packet *to, const struct tl_packet *p)
{
	to->has_transport = p->has_transport;
	to->transport = p->transport;
	if (p->has_transport)
		to->ethertype = 0;
}

void tl_drop_key(struct tl_drop *key, const struct tl_drop *d, unsigned int by)
{
	const struct kind *k;

	memset(key, 0, sizeof(*key));
	for (k = kinds; k < kinds + KINDS; k++) {
		if (!(by & k->by))
			continue;
		memcpy((char *)key + k->at, (const char *)d + k->at, k->size);
		if (k->known)
			memcpy((char *)key + k->known,
			       (const char *)d + k->known, sizeof(bool));
	}
	if (by & TL_DROP_BY_PROTOCOL)
		copy_protocol(&key->skb.packet, &d->skb.packet);
}
