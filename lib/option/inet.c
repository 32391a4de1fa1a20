/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inet.c - addresses and ports of the Internet: parsed, matched and shown */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "option/parse.h"
#include "tracelet/filter.h"
#include "tracelet/inet.h"

/* IPv4 has the last 32 bits of an address, and these before them. */
static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

bool tl_inet_is_ipv4(const uint8_t addr[16])
{
	return !memcmp(addr, mapped, sizeof(mapped));
}

void tl_inet_map(uint8_t addr[16], const uint8_t ipv4[4])
{
	memcpy(addr, mapped, sizeof(mapped));
	memcpy(addr + sizeof(mapped), ipv4, 4);
}

static char *put_byte(char *to, unsigned int n)
{
	if (n >= 100)
		*to++ = (char)('0' + n / 100);
	if (n >= 10)
		*to++ = (char)('0' + n / 10 % 10);
	*to++ = (char)('0' + n % 10);
	return to;
}

/* inet_ntop() of IPv4 takes longer than the rest of a row. */
static void ipv4_text(const uint8_t ipv4[4], char *to)
{
	unsigned int i;

	for (i = 0; i < 4; i++) {
		to = put_byte(to, ipv4[i]);
		*to++ = '.';
	}
	to[-1] = '\0';
}

static void address_text(const uint8_t addr[16], char text[INET6_ADDRSTRLEN])
{
	if (tl_inet_is_ipv4(addr))
		ipv4_text(addr + sizeof(mapped), text);
	else
		inet_ntop(AF_INET6, addr, text, INET6_ADDRSTRLEN);
}

void tl_inet_text(const uint8_t addr[16], char text[TL_INET_TEXT])
{
	address_text(addr, text);
}

void tl_inet_end(const uint8_t addr[16], unsigned int port,
		 char text[TL_INET_TEXT])
{
	char host[INET6_ADDRSTRLEN];

	address_text(addr, host);
	if (tl_inet_is_ipv4(addr))
		snprintf(text, TL_INET_TEXT, "%s:%u", host, port);
	else
		snprintf(text, TL_INET_TEXT, "[%s]:%u", host, port);
}

/* ---- networks --------------------------------------------------------- */

static int parse_address(const char *text, size_t len, uint8_t addr[16])
{
	char host[INET6_ADDRSTRLEN];
	uint8_t ipv4[4];

	if (len >= sizeof(host))
		return -EINVAL;
	memcpy(host, text, len);
	host[len] = '\0';
	if (inet_pton(AF_INET, host, ipv4) == 1)
		tl_inet_map(addr, ipv4);
	else if (inet_pton(AF_INET6, host, addr) != 1)
		return -EINVAL;
	return 0;
}

int tl_parse_network(const char *text, struct tl_network *net)
{
	size_t len = strcspn(text, "/");
	struct tl_network n = { .given = true };
	/* how it is written tells what the bits count from */
	bool dotted = !memchr(text, ':', len);
	uint64_t bits = dotted ? 32 : 128;

	if (parse_address(text, len, n.addr))
		return -EINVAL;
	if (text[len] && tl_parse_uint(text + len + 1, 0, bits, &bits))
		return -EINVAL;
	n.bits = (unsigned int)bits + (dotted ? 96 : 0);
	*net = n;
	return 0;
}

bool tl_network_match(const struct tl_network *net, const uint8_t addr[16])
{
	unsigned int bytes = net->bits / 8, rest = net->bits % 8;

	if (!net->given)
		return true;
	/* "::/0" is all of IPv6, and not IPv4 */
	if (tl_inet_is_ipv4(addr) != tl_inet_is_ipv4(net->addr))
		return false;
	if (memcmp(addr, net->addr, bytes) != 0)
		return false;
	return !rest || !((addr[bytes] ^ net->addr[bytes]) >> (8 - rest));
}

/* ---- ports ------------------------------------------------------------ */

/* "80" or "8000-8080"; @len is up to the comma. */
static int parse_range(const char *text, size_t len, struct tl_range *range)
{
	char copy[16], *dash;
	uint64_t first, last;

	if (len >= sizeof(copy))
		return -EINVAL;
	memcpy(copy, text, len);
	copy[len] = '\0';
	dash = strchr(copy, '-');
	if (dash)
		*dash = '\0';
	if (tl_parse_uint(copy, 0, UINT16_MAX, &first))
		return -EINVAL;
	last = first;
	if (dash && tl_parse_uint(dash + 1, first, UINT16_MAX, &last))
		return -EINVAL;
	range->first = (uint16_t)first;
	range->last = (uint16_t)last;
	return 0;
}

int tl_parse_ports(const char *text, struct tl_ports *ports)
{
	struct tl_ports p = { 0 };
	size_t len;

	for (;; text += len + 1) {
		len = strcspn(text, ",");
		if (p.count == TL_PORTS_MAX)
			return -E2BIG;
		if (parse_range(text, len, &p.range[p.count++]))
			return -EINVAL;
		if (!text[len])
			break;
	}
	*ports = p;
	return 0;
}

bool tl_ports_match(const struct tl_ports *ports, unsigned int port)
{
	unsigned int i;

	for (i = 0; i < ports->count; i++)
		if (port >= ports->range[i].first &&
		    port <= ports->range[i].last)
			return true;
	return !ports->count;
}

static size_t add_field(char *text, size_t size, size_t len, const char *field,
			const struct tl_ports *ports)
{
	const struct tl_range *r = ports->range;
	unsigned int i;

	for (i = 0; i < ports->count && len < size; i++, r++)
		len += (size_t)snprintf(
			text + len, size - len, "%s(%s >= %u && %s <= %u)",
			len ? " || " : "", field, r->first, field, r->last);
	return len;
}

void tl_filter_ports(struct tl_filter *f, const struct tl_ports *ports,
		     const char *field, const char *other)
{
	char text[sizeof(f->text) / 2];
	size_t len;

	if (!ports->count)
		return;
	len = add_field(text, sizeof(text), 0, field, ports);
	if (other)
		add_field(text, sizeof(text), len, other, ports);
	tl_filter_and(f, "(%s)", text);
}
