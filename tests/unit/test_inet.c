/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_inet.c - addresses, networks and ports */
#include <arpa/inet.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "option/parse.h"
#include "tracelet/filter.h"
#include "tracelet/inet.h"
#include "tracelet/socket.h"

/* As a tracepoint has it: 16 bytes, whatever the family. */
static const uint8_t *bytes(const char *text)
{
	static uint8_t addr[16];
	uint8_t ipv4[4];

	if (inet_pton(AF_INET, text, ipv4) == 1)
		tl_inet_map(addr, ipv4);
	else
		assert_int_equal(inet_pton(AF_INET6, text, addr), 1);
	return addr;
}

static void test_text(void **state)
{
	char text[TL_INET_TEXT];

	(void)state;
	tl_inet_end(bytes("192.0.2.1"), 80, text);
	assert_string_equal(text, "192.0.2.1:80");
	tl_inet_end(bytes("::ffff:192.0.2.1"), 80, text);
	assert_string_equal(text, "192.0.2.1:80");
	tl_inet_end(bytes("2001:db8::1"), 443, text);
	assert_string_equal(text, "[2001:db8::1]:443");
	tl_inet_text(bytes("2001:db8::1"), text);
	assert_string_equal(text, "2001:db8::1");
	/* the longest of all */
	tl_inet_end(bytes("1111:2222:3333:4444:5555:6666:7777:8888"), 65535,
		    text);
	assert_string_equal(text,
			    "[1111:2222:3333:4444:5555:6666:7777:8888]:65535");
	/* not mapped, though it looks like it */
	tl_inet_text(bytes("::192.0.2.1"), text);
	assert_string_equal(text, "::192.0.2.1");
}

static void test_networks(void **state)
{
	static const struct {
		const char *net, *addr;
		bool match;
	} cases[] = {
		{ "192.0.2.1", "192.0.2.1", true },
		{ "192.0.2.1", "192.0.2.2", false },
		{ "192.0.2.1", "::ffff:192.0.2.1", true },
		{ "::ffff:192.0.2.1", "192.0.2.1", true },
		{ "192.0.2.77/24", "192.0.2.1", true },
		{ "192.0.2.77/24", "192.0.3.1", false },
		{ "192.0.2.8/29", "192.0.2.15", true },
		{ "192.0.2.8/29", "192.0.2.16", false },
		{ "192.0.2.8/32", "192.0.2.9", false },
		{ "0.0.0.0/0", "255.1.2.3", true },
		{ "0.0.0.0/0", "2001:db8::1", false },
		{ "::/0", "2001:db8::1", true },
		{ "::/0", "192.0.2.1", false },
		{ "2001:db8::/33", "2001:db8:7fff::1", true },
		{ "2001:db8::/33", "2001:db8:8000::1", false },
		{ "2001:db8::1", "2001:db8::1", true },
		{ "2001:db8::1", "2001:db8::2", false },
	};
	struct tl_network net = { 0 };
	size_t i;

	(void)state;
	assert_true(tl_network_match(&net, bytes("192.0.2.1")));
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(tl_parse_network(cases[i].net, &net), 0);
		assert_int_equal(tl_network_match(&net, bytes(cases[i].addr)),
				 cases[i].match);
	}
}

static void test_bad_networks(void **state)
{
	static const char *const bad[] = {
		"",
		"/",
		"/8",
		"localhost",
		"192.0.2",
		"192.0.2.1/",
		"192.0.2.1/33",
		"192.0.2.1/-1",
		"192.0.2.1/8x",
		"192.0.2.1 ",
		"::1/129",
		"[::1]",
		"::1%eth0",
		":::1",
		"1111:2222:3333:4444:5555:6666:7777:8888:9999:aaaa:bbbb"
	};
	struct tl_network net = { .bits = 7 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(tl_parse_network(bad[i], &net), -EINVAL);
	assert_int_equal(net.bits, 7); /* as it was */
}

static void test_ports(void **state)
{
	static const char *const bad[] = { "",
					   ",",
					   "80,",
					   ",80",
					   "x",
					   "80-",
					   "-80",
					   "90-80",
					   "1-2-3",
					   "65536",
					   "80, 81",
					   "0x50",
					   "00000000000000000080" };
	struct tl_ports ports = { 0 };
	size_t i;

	(void)state;
	assert_true(tl_ports_match(&ports, 80));
	assert_int_equal(tl_parse_ports("80,8000-8002,65535", &ports), 0);
	assert_true(tl_ports_match(&ports, 80));
	assert_true(tl_ports_match(&ports, 8000));
	assert_true(tl_ports_match(&ports, 8002));
	assert_true(tl_ports_match(&ports, 65535));
	assert_false(tl_ports_match(&ports, 81));
	assert_false(tl_ports_match(&ports, 7999));
	assert_false(tl_ports_match(&ports, 8003));
	assert_int_equal(
		tl_parse_ports("1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17",
			       &ports),
		-E2BIG);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(tl_parse_ports(bad[i], &ports), -EINVAL);
	assert_true(tl_ports_match(&ports, 8001)); /* as it was */
}

static void test_filter(void **state)
{
	struct tl_filter f = { "" };
	struct tl_ports ports = { 0 };
	size_t len;

	(void)state;
	tl_filter_ports(&f, &ports, "sport", "dport");
	assert_string_equal(f.text, "");
	assert_int_equal(tl_parse_ports("80", &ports), 0);
	tl_filter_and(&f, "err == 0");
	tl_filter_ports(&f, &ports, "sport", "dport");
	assert_string_equal(f.text,
			    "err == 0 && ((sport >= 80 && sport <= 80) || "
			    "(dport >= 80 && dport <= 80))");

	/* the longest there is fits, with two more beside it */
	f.text[0] = '\0';
	assert_int_equal(
		tl_parse_ports("10001,10002,10003,10004,10005,10006,10007,"
			       "10008,10009,10010,10011,10012,10013,10014,"
			       "10015,10016-65535",
			       &ports),
		0);
	tl_filter_ports(&f, &ports, "sport", "dport");
	tl_filter_ports(&f, &ports, "sport", NULL);
	tl_filter_ports(&f, &ports, "dport", NULL);
	len = strlen(f.text);
	assert_string_equal(f.text + len - 35,
			    "(dport >= 10016 && dport <= 65535))");
}

#define AT(member) offsetof(struct tl_ends_filter, member)

static void test_ends(void **state)
{
	static const struct {
		size_t ports, network;
		const char *text;
		bool match;
	} cases[] = {
		{ AT(port), 0, "80", true },
		{ AT(port), 0, "5000", true },
		{ AT(port), 0, "81", false },
		{ AT(lport), 0, "80", true },
		{ AT(lport), 0, "5000", false },
		{ AT(rport), 0, "5000", true },
		{ AT(rport), 0, "80", false },
		{ 0, AT(addr), "192.0.2.0/24", true },
		{ 0, AT(addr), "198.51.100.7", true },
		{ 0, AT(addr), "198.51.100.8", false },
		{ 0, AT(laddr), "192.0.2.1", true },
		{ 0, AT(laddr), "198.51.100.7", false },
		{ 0, AT(raddr), "198.51.100.7", true },
		{ 0, AT(raddr), "192.0.2.1", false },
	};
	struct tl_ends e = { .lport = 80, .rport = 5000 };
	struct tl_ends_filter wanted = { 0 };
	size_t i;

	(void)state;
	memcpy(e.laddr, bytes("192.0.2.1"), sizeof(e.laddr));
	memcpy(e.raddr, bytes("198.51.100.7"), sizeof(e.raddr));
	assert_true(tl_ends_match(&wanted, &e));
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		memset(&wanted, 0, sizeof(wanted));
		if (cases[i].network)
			tl_parse_network(
				cases[i].text,
				(struct tl_network *)((char *)&wanted +
						      cases[i].network));
		else
			tl_parse_ports(cases[i].text,
				       (struct tl_ports *)((char *)&wanted +
							   cases[i].ports));
		assert_int_equal(tl_ends_match(&wanted, &e), cases[i].match);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_networks),
		cmocka_unit_test(test_bad_networks),
		cmocka_unit_test(test_ports),
		cmocka_unit_test(test_filter),
		cmocka_unit_test(test_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
