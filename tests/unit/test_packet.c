// SPDX-License-Identifier: GPL-2.0-or-later
/* test_packet.c - headers of packets, whole, cut and wrong */
#include <linux/if_ether.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tracelet/inet.h"
#include "tracelet/packet.h"

/* Bytes as "45 00", of which no reader may look behind the last. */
struct bytes {
	uint8_t *data;
	size_t size;
};

static struct bytes bytes(const char *hex)
{
	struct bytes b = { malloc(strlen(hex) / 2 + 1), 0 };
	char *end;

	assert_non_null(b.data);
	for (; *hex; hex = end + strspn(end, " "))
		b.data[b.size++] = (uint8_t)strtoul(hex, &end, 16);
	b.data = realloc(b.data, b.size ?: 1);
	assert_non_null(b.data);
	return b;
}

/* "PROTOCOL SOURCE DESTINATION FLAGS", "-" for what is not known. */
static const char *read_cut(uint16_t ethertype, const char *hex, size_t size)
{
	static char text[2 * TL_INET_TEXT + 64];
	char name[TL_PACKET_TEXT], flags[TL_PACKET_TEXT];
	char from[TL_INET_TEXT] = "-", to[TL_INET_TEXT] = "-";
	struct bytes b = bytes(hex);
	struct tl_packet p;

	if (size < b.size) {
		b.size = size;
		b.data = realloc(b.data, size ?: 1);
		assert_non_null(b.data);
	}
	tl_packet_read(&p, ethertype, b.data, b.size);
	free(b.data);
	if (p.has_ports) {
		tl_inet_end(p.ends.laddr, p.ends.lport, from);
		tl_inet_end(p.ends.raddr, p.ends.rport, to);
	} else if (p.has_addresses) {
		tl_inet_text(p.ends.laddr, from);
		tl_inet_text(p.ends.raddr, to);
	}
	snprintf(text, sizeof(text), "%s %s %s %s",
		 tl_packet_protocol(&p, name) ?: "-", from, to,
		 tl_packet_flags(&p, flags) ?: "-");
	return text;
}

static const char *packet(uint16_t ethertype, const char *hex)
{
	return read_cut(ethertype, hex, SIZE_MAX);
}

#define IPV4(protocol, fragment)                                \
	"45 00 00 28 00 01 " fragment " 40 " protocol " 00 00 " \
	"c0 00 02 01 c0 00 02 02 "
#define IPV6(next)                                         \
	"60 00 00 00 00 14 " next " 40 "                   \
	"20 01 0d b8 00 00 00 00 00 00 00 00 00 00 00 01 " \
	"20 01 0d b8 00 00 00 00 00 00 00 00 00 00 00 02 "
#define WHOLE "00 00"
#define PORTS "c3 50 01 bb "
#define SYN   PORTS "00 00 00 00 00 00 00 00 50 02 ff ff 00 00 00 00"

static void test_ipv4(void **state)
{
	(void)state;
	assert_string_equal(packet(ETH_P_IP, IPV4("06", WHOLE) SYN),
			    "TCP 192.0.2.1:50000 192.0.2.2:443 S");
	assert_string_equal(packet(ETH_P_IP, IPV4("11", WHOLE) PORTS),
			    "UDP 192.0.2.1:50000 192.0.2.2:443 -");
	assert_string_equal(packet(ETH_P_IP, IPV4("01", WHOLE) "08 00"),
			    "ICMP 192.0.2.1 192.0.2.2 -");
	assert_string_equal(packet(ETH_P_IP, IPV4("fd", WHOLE)),
			    "IP-253 192.0.2.1 192.0.2.2 -");
	/* with 4 bytes of options */
	assert_string_equal(
		packet(ETH_P_IP, "46 00 00 20 00 00 00 00 40 11 00 00 "
				 "c0 00 02 01 c0 00 02 02 01 01 01 00 " PORTS),
		"UDP 192.0.2.1:50000 192.0.2.2:443 -");
}

/* The first fragment has the ports, what looks like them in others is data. */
static void test_fragments(void **state)
{
	(void)state;
	assert_string_equal(packet(ETH_P_IP, IPV4("11", "20 00") PORTS),
			    "UDP 192.0.2.1:50000 192.0.2.2:443 -");
	assert_string_equal(packet(ETH_P_IP, IPV4("11", "20 b9") PORTS),
			    "UDP 192.0.2.1 192.0.2.2 -");
	assert_string_equal(
		packet(ETH_P_IPV6, IPV6("2c") "11 00 00 01 00 00 00 07 " PORTS),
		"UDP [2001:db8::1]:50000 [2001:db8::2]:443 -");
	assert_string_equal(
		packet(ETH_P_IPV6, IPV6("2c") "11 00 05 a9 00 00 00 07 " PORTS),
		"UDP 2001:db8::1 2001:db8::2 -");
}

static void test_ipv6(void **state)
{
	(void)state;
	assert_string_equal(packet(ETH_P_IPV6, IPV6("06") SYN),
			    "TCP [2001:db8::1]:50000 [2001:db8::2]:443 S");
	assert_string_equal(packet(ETH_P_IPV6, IPV6("3a") "80 00"),
			    "ICMPv6 2001:db8::1 2001:db8::2 -");
	/* behind hop-by-hop options of 8 and destination options of 16 bytes */
	assert_string_equal(packet(ETH_P_IPV6,
				   IPV6("00") "3c 00 01 04 00 00 00 00 "
					      "11 01 01 0c 00 00 00 00 "
					      "00 00 00 00 00 00 00 00 " PORTS),
			    "UDP [2001:db8::1]:50000 [2001:db8::2]:443 -");
	/* that header itself is not there */
	assert_string_equal(packet(ETH_P_IPV6, IPV6("00")),
			    "IPv6 2001:db8::1 2001:db8::2 -");
}

static void test_others(void **state)
{
	(void)state;
	assert_string_equal(packet(ETH_P_ARP, "00 01 08 00 06 04 00 01 "
					      "02 00 00 00 00 01 0a 09 00 01 "
					      "00 00 00 00 00 00 0a 09 00 02"),
			    "ARP 10.9.0.1 10.9.0.2 -");
	assert_string_equal(packet(ETH_P_ARP, "00 01 86 dd"), "ARP - - -");
	assert_string_equal(packet(0x88f7, "00"), "0x88f7 - - -");
	assert_string_equal(packet(0, "45 00"), "- - - -");
	/* it is no IPv4, and no IPv6, though it is said to be */
	assert_string_equal(packet(ETH_P_IP, IPV6("06") SYN), "IPv4 - - -");
	assert_string_equal(packet(ETH_P_IPV6, IPV4("06", WHOLE) SYN),
			    "IPv6 - - -");
	/* a header of 16 bytes is too short for its own fields */
	assert_string_equal(packet(ETH_P_IP,
				   "44 00 00 14 00 00 00 00 40 11 00 00 "
				   "c0 00 02 01 c0 00 02 02 " PORTS),
			    "UDP 192.0.2.1 192.0.2.2 -");
}

/* What is missing is not known, and nothing behind the end is looked at. */
static void test_cut(void **state)
{
	static const char tcp[] = IPV4("06", WHOLE) SYN;
	size_t size;

	(void)state;
	for (size = 0; size <= 40; size++)
		assert_string_equal(
			read_cut(ETH_P_IP, tcp, size),
			size < 20   ? "IPv4 - - -"
			: size < 24 ? "TCP 192.0.2.1 192.0.2.2 -"
			: size < 34 ? "TCP 192.0.2.1:50000 192.0.2.2:443 -"
				    : "TCP 192.0.2.1:50000 192.0.2.2:443 S");
}

static void test_flags(void **state)
{
	struct tl_packet p = { .has_flags = true, .tcp_flags = 0x12 };
	char text[TL_PACKET_TEXT];

	(void)state;
	assert_string_equal(tl_packet_flags(&p, text), "SA");
	p.tcp_flags = 0xff;
	assert_string_equal(tl_packet_flags(&p, text), "FSRPAUEW");
	p.tcp_flags = 0;
	assert_string_equal(tl_packet_flags(&p, text), "");
}

static enum tl_packet_match match(const struct tl_ends_filter *wanted,
				  uint16_t ethertype, const char *hex)
{
	struct bytes b = bytes(hex);
	struct tl_packet p;

	tl_packet_read(&p, ethertype, b.data, b.size);
	free(b.data);
	return tl_packet_match(wanted, &p);
}

/* What is not known is told from what is not wanted, also by what else is known. */
static void test_match(void **state)
{
	static const uint8_t there[] = { 192, 0, 2, 9 };
	const struct tl_ends_filter any = { 0 }, ipv6 = { .ipv6 = true };
	struct tl_ends_filter port = { .rport = { 1, { { 443, 443 } } } };
	const char *whole = IPV4("06", WHOLE) SYN;
	const char *later = IPV4("06", "20 b9") SYN;

	(void)state;
	assert_int_equal(match(&any, ETH_P_LLDP, ""), TL_PACKET_WANTED);
	assert_int_equal(match(&any, ETH_P_IP, "45"), TL_PACKET_WANTED);
	assert_int_equal(match(&ipv6, ETH_P_IP, whole), TL_PACKET_OTHER);
	assert_int_equal(match(&ipv6, ETH_P_IPV6, "60"), TL_PACKET_WANTED);
	assert_int_equal(match(&port, ETH_P_IP, whole), TL_PACKET_WANTED);
	assert_int_equal(match(&port, ETH_P_IP, later), TL_PACKET_UNKNOWN);
	assert_int_equal(match(&port, ETH_P_IP, "45"), TL_PACKET_UNKNOWN);
	assert_int_equal(match(&port, ETH_P_LLDP, ""), TL_PACKET_OTHER);
	assert_int_equal(match(&port, ETH_P_IP, IPV4("01", WHOLE)),
			 TL_PACKET_OTHER);
	port.netns = (struct tl_netns){ "1", 1 };
	assert_int_equal(match(&port, ETH_P_IP, whole), TL_PACKET_UNKNOWN);
	port.raddr.given = true;
	port.raddr.bits = 128;
	tl_inet_map(port.raddr.addr, there);
	assert_int_equal(match(&port, ETH_P_IP, later), TL_PACKET_OTHER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ipv4),  cmocka_unit_test(test_fragments),
		cmocka_unit_test(test_ipv6),  cmocka_unit_test(test_others),
		cmocka_unit_test(test_cut),   cmocka_unit_test(test_flags),
		cmocka_unit_test(test_match),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
