// SPDX-License-Identifier: GPL-2.0-or-later
/* dropsnoop - trace packets that the kernel drops, and why */
#include <errno.h>
#include <linux/if_ether.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "tracelet.h"
#include "tracelet/heatmap.h"
#include "tracelet/pairs.h"
#include "tracelet/skb.h"
#include "tracelet/source.h"
#include "tracelet/stack.h"
#include "tracelet/symbol.h"
#include "tracelet/symbolic.h"
#include "tracelet/table.h"

#define KEYS_MAX    65536
#define REASONS_MAX 32

/* What is counted by: a bit for each. */
enum by {
	BY_REASON = 1 << 0,
	BY_PLACE = 1 << 1,
	BY_INTERFACE = 1 << 2,
	BY_PROTOCOL = 1 << 3,
	BY_SOURCE = 1 << 4,
	BY_DESTINATION = 1 << 5,
	BY_PORT = 1 << 6,
	BY_NETNS = 1 << 7,
};

/* A packet that was dropped. */
struct drop {
	uint64_t place;
	uint32_t reason;
	struct tl_skb skb;
	pid_t pid; /* whose call it was found in, where it takes two records */
};

/* What it is counted by; a key, so all zero else. */
struct key {
	uint64_t place;
	uint32_t reason;
	struct tl_skb skb;
};

static struct {
	bool all, ipv4, ipv6, count, stacks, wide;
	const char *by_list, *reason_list;
	unsigned int by, top, times;
	uint64_t interval;
	struct tl_ends_filter wanted;
	uint64_t unknown; /* drops of which it is not known whether they are */
	bool has_reason;
	bool at_once; /* one record has all */
	const struct tl_symbolic *names;
	bool except; /* those reasons are not wanted */
	unsigned int reasons;
	int64_t reason[REASONS_MAX];
	struct tl_skb_fields skb;
	struct tl_field place, why;
	struct tl_field address, dropped, ethertype; /* where it takes two */
	struct tl_pairs *packets; /* struct drop, by address */
	struct tl_table *counts;
} env;

static const struct tl_opt options[] = {
	{ 'c', "count", NULL, "count by reason and place", TL_OPT_FLAG,
	  &env.count },
	{ 0, "by", "LIST",
	  "count by these: reason, place, interface, protocol, source, "
	  "destination, port, netns",
	  TL_OPT_STRING, &env.by_list },
	{ 0, "top", "N", "of what is counted only the N most frequent",
	  TL_OPT_UINT, &env.top, NULL, 1, 0 },
	{ 's', "stacks", NULL, "show kernel stacks", TL_OPT_FLAG, &env.stacks },
	{ 0, "reason", "LIST",
	  "only these reasons, as in \"NO_SOCKET,TCP_CSUM\"; all others: "
	  "\"!NO_SOCKET\"",
	  TL_OPT_STRING, &env.reason_list },
	{ '4', "ipv4", NULL, "only IPv4", TL_OPT_FLAG, &env.ipv4, "version" },
	{ '6', "ipv6", NULL, "only IPv6", TL_OPT_FLAG, &env.ipv6, "version" },
	{ 'a', "all", NULL, "also what is no packet of a network", TL_OPT_FLAG,
	  &env.all },
	{ 0, "wide", NULL, "show flags of TCP, length and network namespace",
	  TL_OPT_FLAG, &env.wide },
	{ 0, "port", "LIST", "only these ports, at either end: 80,8000-8080",
	  TL_OPT_PORTS, &env.wanted.port },
	{ 0, "sport", "LIST", "only these source ports", TL_OPT_PORTS,
	  &env.wanted.lport },
	{ 0, "dport", "LIST", "only these destination ports", TL_OPT_PORTS,
	  &env.wanted.rport },
	{ 0, "addr", "ADDRESS[/BITS]",
	  "only this address or network, at either end", TL_OPT_NETWORK,
	  &env.wanted.addr },
	{ 0, "saddr", "ADDRESS[/BITS]", "only these source addresses",
	  TL_OPT_NETWORK, &env.wanted.laddr },
	{ 0, "daddr", "ADDRESS[/BITS]", "only these destination addresses",
	  TL_OPT_NETWORK, &env.wanted.raddr },
	{ 0, "netns", "NETNS", "only this network namespace: PID or name",
	  TL_OPT_STRING, &env.wanted.netns.text },
	{ 0 }
};

enum {
	CLOCK,
	TIME,
	REASON,
	NUMBER,
	INTERFACE,
	PROTOCOL,
	SOURCE,
	SADDR,
	SPORT,
	DESTINATION,
	DADDR,
	DPORT,
	FLAGS,
	LENGTH,
	NETNS,
	PLACE,
	COUNT,
	STACK
};

#define WIDE &env.wide, TL_SHOW_ALL

static const struct tl_column columns[] = {
	[CLOCK] = { "TIME", "clock", -8, TL_WALL_CLOCK, TL_SHOW_TEXT },
	[TIME] = { "TIME", "time", -16, TL_TIME, TL_SHOW_DATA },
	[REASON] = { "REASON", "reason", -18, TL_STR, TL_SHOW_ALL,
		     .role = TL_ROLE_TITLE },
	[NUMBER] = { "NUMBER", "reason_number", -6, TL_INT, TL_SHOW_DATA },
	[INTERFACE] = { "IFACE", "interface", -8, TL_STR, TL_SHOW_ALL },
	[PROTOCOL] = { "PROTO", "protocol", -6, TL_STR, TL_SHOW_ALL },
	[SOURCE] = { "SADDR:SPORT", "source", -21, TL_STR, TL_SHOW_TEXT },
	[SADDR] = { "SADDR", "saddr", -20, TL_STR, TL_SHOW_DATA },
	[SPORT] = { "SPORT", "sport", -6, TL_INT, TL_SHOW_DATA },
	[DESTINATION] = { "DADDR:DPORT", "destination", -21, TL_STR,
			  TL_SHOW_TEXT },
	[DADDR] = { "DADDR", "daddr", -20, TL_STR, TL_SHOW_DATA },
	[DPORT] = { "DPORT", "dport", -6, TL_INT, TL_SHOW_DATA },
	[FLAGS] = { "FLAGS", "flags", -5, TL_STR, TL_SHOW_DATA, WIDE },
	[LENGTH] = { "LENGTH", "length", 6, TL_INT, TL_SHOW_DATA, WIDE },
	[NETNS] = { "NETNS", "netns", -10, TL_INT, TL_SHOW_DATA, WIDE },
	[PLACE] = { "PLACE", "place", -28, TL_STR, TL_SHOW_ALL },
	[COUNT] = { "DROPS", "count", 9, TL_INT, TL_SHOW_NEVER },
	[STACK] = { "STACK", "stack", 0, TL_STACK, TL_SHOW_DATA, &env.stacks },
	{ 0 }
};

/* ---- which ------------------------------------------------------------ */

static bool asks_for_ports(void)
{
	const struct tl_ends_filter *w = &env.wanted;

	return w->port.count || w->lport.count || w->rport.count;
}

static bool asks_for_ends(void)
{
	const struct tl_ends_filter *w = &env.wanted;

	return asks_for_ports() || w->addr.given || w->laddr.given ||
	       w->raddr.given;
}

static bool is_of_version(const struct tl_packet *p)
{
	if (env.ipv4)
		return p->ethertype == ETH_P_IP || p->ethertype == ETH_P_ARP;
	return !env.ipv6 || p->ethertype == ETH_P_IPV6;
}

/* Whether what is wanted of it is not known, and what is known is wanted. */
static bool is_unknown(const struct tl_packet *p)
{
	struct tl_ends_filter rest = env.wanted;
	const bool no_netns = rest.netns.text && !p->ends.netns;
	const bool no_ends =
		asks_for_ends() && !p->has_addresses &&
		(p->ethertype == ETH_P_IP || p->ethertype == ETH_P_IPV6);
	const bool no_ports = asks_for_ports() && tl_packet_lacks_ports(p);

	if (no_ends)
		rest = (struct tl_ends_filter){ .netns = rest.netns };
	if (no_ports)
		rest.port = rest.lport = rest.rport = (struct tl_ports){ 0 };
	if (no_netns)
		rest.netns.text = NULL;
	return (no_ends || no_ports || no_netns) &&
	       tl_ends_match(&rest, &p->ends);
}

static bool matches(const struct tl_packet *p)
{
	if (asks_for_ends() &&
	    (!p->has_addresses || (asks_for_ports() && !p->has_ports)))
		return false;
	return tl_ends_match(&env.wanted, &p->ends);
}

static bool is_wanted(const struct tl_packet *p)
{
	if (!is_of_version(p))
		return false;
	if (matches(p))
		return true;
	env.unknown += is_unknown(p);
	return false;
}

/* ---- rows ------------------------------------------------------------- */

static void put_packet(struct tl_session *s, const struct tl_packet *p)
{
	static char protocol[TL_PACKET_TEXT], flags[TL_PACKET_TEXT];

	tl_put_text(s, PROTOCOL, tl_packet_protocol(p, protocol));
	tl_put_text(s, FLAGS, tl_packet_flags(p, flags));
	if (!p->has_addresses)
		return;
	tl_put_end(s, SOURCE, p->ends.laddr, p->has_ports ? p->ends.lport : -1);
	tl_put_end(s, DESTINATION, p->ends.raddr,
		   p->has_ports ? p->ends.rport : -1);
}

/* A reason of a module has no name here, but its number. */
static void put_reason(struct tl_session *s, uint32_t reason)
{
	static char text[16];
	const char *name = tl_symbolic_name(env.names, reason);

	if (!env.has_reason)
		return;
	snprintf(text, sizeof(text), "%u", reason);
	tl_put_text(s, REASON, name ?: text);
	tl_put_int(s, NUMBER, reason);
}

static void put_place(struct tl_session *s, uint64_t place)
{
	static char text[192];
	uint64_t offset;
	const char *name = tl_symbol(s, place, &offset);

	if (name)
		snprintf(text, sizeof(text), "%s+0x%llx", name,
			 (unsigned long long)offset);
	else
		snprintf(text, sizeof(text), "0x%llx",
			 (unsigned long long)place);
	tl_put_text(s, PLACE, text);
}

static void put_drop(struct tl_session *s, const struct drop *d)
{
	put_reason(s, d->reason);
	put_place(s, d->place);
	put_packet(s, &d->skb.packet);
	if (*d->skb.interface)
		tl_put_text(s, INTERFACE, d->skb.interface);
	tl_put_netns(s, NETNS, &d->skb.packet.ends);
	if (d->skb.length >= 0)
		tl_put_int(s, LENGTH, d->skb.length);
}

static void put_row(struct tl_session *s, const struct tl_record *r,
		    const struct tl_record *stack, const struct drop *d)
{
	tl_put_int(s, CLOCK, (int64_t)r->ns);
	tl_put_int(s, TIME, (int64_t)r->ns);
	put_drop(s, d);
	if (stack)
		tl_put_stack(s, STACK, stack);
	tl_row(s);
}

/* ---- counts ----------------------------------------------------------- */

/* Only what is counted by tells one key from another. */
static struct key key_of(const struct drop *d)
{
	const struct tl_packet *p = &d->skb.packet;
	struct tl_packet *kept;
	struct key k;

	memset(&k, 0, sizeof(k));
	kept = &k.skb.packet;
	if (env.by & BY_REASON)
		k.reason = d->reason;
	if (env.by & BY_PLACE)
		k.place = d->place;
	if (env.by & BY_NETNS)
		kept->ends.netns = p->ends.netns;
	if (env.by & BY_INTERFACE)
		memcpy(k.skb.interface, d->skb.interface,
		       sizeof(k.skb.interface));
	if (env.by & BY_PROTOCOL) {
		kept->has_transport = p->has_transport;
		if (p->has_transport)
			kept->transport = p->transport;
		else
			kept->ethertype = p->ethertype;
	}
	if (env.by & (BY_SOURCE | BY_DESTINATION))
		kept->has_addresses = p->has_addresses;
	if (env.by & BY_SOURCE)
		memcpy(kept->ends.laddr, p->ends.laddr, 16);
	if (env.by & BY_DESTINATION)
		memcpy(kept->ends.raddr, p->ends.raddr, 16);
	if (env.by & BY_PORT) {
		kept->has_ports = p->has_ports;
		kept->ends.rport = p->ends.rport;
	}
	return k;
}

static void count(const struct drop *d)
{
	struct key k = key_of(d);
	uint64_t *n = tl_table_at(env.counts, TL_KEY(k));

	if (n)
		++*n;
}

static void print_count(struct tl_session *s, const struct tl_table_entry *e,
			uint64_t ns)
{
	const struct key *k = (const struct key *)e->key.text;
	struct drop d = { .place = k->place,
			  .reason = k->reason,
			  .skb = k->skb };

	d.skb.length = -1;
	tl_put_int(s, CLOCK, (int64_t)ns);
	tl_put_int(s, TIME, (int64_t)ns);
	put_drop(s, &d);
	if (k->skb.packet.has_ports)
		tl_put_int(s, DPORT, k->skb.packet.ends.rport);
	tl_put_int(s, COUNT, *(const int64_t *)e->value);
	tl_row(s);
}

static int on_interval(struct tl_session *s, uint64_t ns)
{
	const struct tl_table_view view = { .order = tl_table_by_count,
					    .last = env.top,
					    .put = print_count,
					    .counts = "drops",
					    .keys = "kinds of drops" };

	return tl_table_show(s, env.counts, &view, ns);
}

static int on_end(struct tl_session *s)
{
	if (env.unknown)
		tl_warn("%llu drops are not shown: whether they are wanted is "
			"not known, as their addresses, ports or namespace are "
			"not",
			(unsigned long long)env.unknown);
	return 0;
}

/* ---- events ----------------------------------------------------------- */

/* Until its stack is there, what was read of @r is the data of that record. */
static void hold(struct tl_session *s, const struct tl_record *r,
		 const struct drop *d)
{
	struct tl_record held = *r;

	held.data = (const char *)d;
	held.size = sizeof(*d);
	tl_stacks_hold(s, &held, 0);
}

static void print(struct tl_session *s, const struct tl_record *r,
		  const struct tl_record *stack, int tag)
{
	struct drop d;

	memcpy(&d, r->data, sizeof(d));
	put_row(s, r, stack, &d);
}

static void show(struct tl_session *s, const struct tl_record *r,
		 const struct drop *d)
{
	tl_pictured(s, r->ns, 0);
	if (env.by)
		count(d);
	else if (env.stacks)
		hold(s, r, d);
	else
		put_row(s, r, NULL, d);
}

static struct drop read_drop(const struct tl_record *r)
{
	return (struct drop){
		.place = (uint64_t)tl_field_num(r, &env.place),
		.reason = env.has_reason ? (uint32_t)tl_field_num(r, &env.why)
					 : 0,
		.skb = tl_skb_read(&env.skb, r),
	};
}

static void on_drop(struct tl_session *s, const struct tl_record *r)
{
	const struct drop d = read_drop(r);

	if (is_wanted(&d.skb.packet))
		show(s, r, &d);
}

/* ---- the same where it takes two records ------------------------------ */

/* Its last owner lets it go: a record of the drop follows. */
static void on_packet(struct tl_session *s, const struct tl_record *r)
{
	struct drop *d =
		tl_pairs_put(env.packets, tl_field_num(r, &env.address));

	if (d)
		*d = (struct drop){ .skb = tl_skb_read(&env.skb, r),
				    .pid = r->pid };
}

/* What the call of @r was found to drop; another's is of an earlier packet there. */
static struct drop take_packet(const struct tl_record *r)
{
	struct drop *kept =
		tl_pairs_get(env.packets, tl_field_num(r, &env.dropped));
	struct drop d = { .skb.length = -1 };

	if (kept && kept->pid == r->pid)
		d = *kept;
	else
		d.skb.packet.ethertype =
			(uint16_t)tl_field_num(r, &env.ethertype);
	if (kept)
		tl_pairs_remove(env.packets, kept);
	d.place = (uint64_t)tl_field_num(r, &env.place);
	return d;
}

/* Behind the record of its packet, if the kernel made that. */
static void on_dropped(struct tl_session *s, const struct tl_record *r)
{
	const struct drop d = take_packet(r);
	const struct tl_packet *p = &d.skb.packet;

	if ((env.all || p->ethertype) && is_wanted(p))
		show(s, r, &d);
}

/* ---- sources ---------------------------------------------------------- */

/* Netlink and sockets of one machine have packets, too, but no protocol. */
static void filter_packets(struct tl_session *s, const struct tl_event *ev,
			   struct tl_filter *f)
{
	if (!env.all)
		tl_filter_and(f,
			      "(protocol != 0 || (sk != 0 && (family == %d || "
			      "family == %d)))",
			      AF_INET, AF_INET6);
}

/* This call drops only what nobody else still uses. */
static void filter_owners(struct tl_session *s, const struct tl_event *ev,
			  struct tl_filter *f)
{
	filter_packets(s, ev, f);
	tl_filter_and(f, "users == 1");
}

static void filter_drops(struct tl_session *s, const struct tl_event *ev,
			 struct tl_filter *f)
{
	char text[REASONS_MAX * 32];
	size_t len = 0;
	unsigned int i;

	filter_packets(s, ev, f);
	for (i = 0; i < env.reasons; i++)
		len += (size_t)snprintf(
			text + len, sizeof(text) - len, "%sreason %s %lld",
			!i           ? ""
			: env.except ? " && "
				     : " || ",
			env.except ? "!=" : "==", (long long)env.reason[i]);
	if (len)
		tl_filter_and(f, "(%s)", text);
}

static const struct tl_source_field of_drop[] = {
	/* first: where it is aligned it is found in captures, which need its name */
	{ "place", &env.place, "$location", .type = "x64" },
	TL_SKB_FIELDS(env.skb, "$skbaddr"),
	{ "reason", &env.why, "$reason", .type = "u32",
	  .found = &env.has_reason },
	/* since 6.12 */
	TL_SKB_RECEIVER(env.skb, "$rx_sk"),
	{ 0 }
};

static const struct tl_source_field of_packet[] = {
	{ "skb", &env.address, "$arg1", .type = "x64" },
	{ "users", NULL, "$arg1", "sk_buff.users.refs.counter", "s32" },
	TL_SKB_FIELDS(env.skb, "$arg1"),
	{ 0 }
};

static const struct tl_source_field of_dropped[] = {
	{ "skbaddr", &env.dropped },
	{ "location", &env.place },
	{ "protocol", &env.ethertype },
	{ 0 }
};

/* A kernel without event probes has no reasons either. */
static const struct tl_source sources[] = {
	{ "skb:kfree_skb", on_drop, of_drop, .type = "e", .name = "drop",
	  .add_filter = filter_drops, .found = &env.at_once,
	  .flags = TL_SOURCE_OPTIONAL },
	{ "kfree_skb", on_packet, of_packet, .name = "packet",
	  .add_filter = filter_owners, .unless = &env.at_once },
	{ "skb:kfree_skb", on_dropped, of_dropped, .unless = &env.at_once },
	{ 0 }
};

/* In set-up, and for --check. */
static int add_sources(struct tl_session *s)
{
	tl_skb_prepare(s, &env.skb);
	return tl_sources_add(s, sources);
}

/* ---- reasons ---------------------------------------------------------- */

/* Of "A,B", until @add fails. */
static int each_name(const char *list, int (*add)(const char *name))
{
	char *copy = strdup(list), *name, *save;
	int ret = 0;

	if (!copy)
		return -ENOMEM;
	for (name = strtok_r(copy, ",", &save); name && !ret;
	     name = strtok_r(NULL, ",", &save))
		ret = add(name);
	free(copy);
	return ret;
}

/* In set-up, and for --check. */
static bool has_names(struct tl_session *s)
{
	env.names =
		env.names ?: tl_symbolic_read(s, "skb", "kfree_skb", "reason");
	return env.names;
}

static int need_reasons(struct tl_session *s)
{
	return has_names(s)
		       ? 0
		       : tl_fail(ENOTSUP,
				 "this kernel does not say why it drops a "
				 "packet: skb:kfree_skb has no field reason");
}

static int add_reason(const char *name)
{
	if (env.reasons == REASONS_MAX)
		return tl_fail(EINVAL, "--reason: more than %d reasons",
			       REASONS_MAX);
	if (tl_symbolic_value(env.names, name, &env.reason[env.reasons]))
		return tl_fail(EINVAL,
			       "--reason: this kernel has no reason \"%s\"; "
			       "events/skb/kfree_skb/format in tracefs has all",
			       name);
	env.reasons++;
	return 0;
}

static int find_reasons(void)
{
	env.reasons = 0;
	env.except = *env.reason_list == '!';
	return each_name(env.reason_list + env.except, add_reason);
}

static int set_up_reasons(struct tl_session *s)
{
	if (env.reason_list)
		return need_reasons(s) ?: find_reasons();
	if (!has_names(s) && !tl_settings(s)->write)
		tl_warn("this kernel does not say why it drops a packet: only "
			"the place tells");
	return 0;
}

/* ---- set-up ----------------------------------------------------------- */

static const struct {
	const char *name;
	enum by by;
	unsigned int column;
} keys[] = {
	{ "reason", BY_REASON, REASON },
	{ "place", BY_PLACE, PLACE },
	{ "interface", BY_INTERFACE, INTERFACE },
	{ "protocol", BY_PROTOCOL, PROTOCOL },
	{ "source", BY_SOURCE, SADDR },
	{ "destination", BY_DESTINATION, DADDR },
	{ "port", BY_PORT, DPORT },
	{ "netns", BY_NETNS, NETNS },
};

#define KEYS (sizeof(keys) / sizeof(keys[0]))

static int add_key(const char *name)
{
	size_t i;

	for (i = 0; i < KEYS; i++)
		if (!strcmp(keys[i].name, name)) {
			env.by |= keys[i].by;
			return 0;
		}
	return tl_usage("--by=%s: reason, place, interface, protocol, source, "
			"destination, port or netns",
			name);
}

/* Without a name in it, a list would be as good as none. */
static int check_list(const char *option, const char *list)
{
	const char *names = list ? list + (*list == '!') : "all";

	if (names[strspn(names, ",")])
		return 0;
	return tl_usage("%s: \"%s\" names nothing", option, list);
}

static int args(struct tl_session *s, int argc, char **argv)
{
	int ret = check_list("--reason", env.reason_list)
			  ?: check_list("--by", env.by_list);

	if (!ret && env.by_list)
		ret = each_name(env.by_list, add_key);
	if (ret)
		return ret;
	if (!env.by && (env.count || env.interval || env.top))
		env.by = BY_REASON | BY_PLACE;
	/* a capture may have them, and be counted */
	if (env.by && env.stacks && !tl_settings(s)->read)
		return tl_usage("-s: what is counted has no stacks");
	env.stacks = env.stacks && !env.by;
	if (tl_settings_who(tl_settings(s)))
		return tl_usage("a packet is dropped by whatever ran then: -p, "
				"-L, -n and --cgroup do not say whose it is");
	return 0;
}

static void show_keys(struct tl_session *s)
{
	unsigned int col;
	size_t i;

	for (col = CLOCK; col <= STACK; col++)
		tl_column_show(s, col, TL_SHOW_NEVER);
	tl_column_show(s, TIME, TL_SHOW_DATA);
	tl_column_show(s, COUNT, TL_SHOW_ALL);
	if (env.interval)
		tl_column_show(s, CLOCK, TL_SHOW_TEXT);
	for (i = 0; i < KEYS; i++)
		if (env.by & keys[i].by)
			tl_column_show(s, keys[i].column, TL_SHOW_ALL);
	if (env.by & BY_REASON)
		tl_column_show(s, NUMBER, TL_SHOW_DATA);
}

static int set_up_counts(struct tl_session *s)
{
	if (tl_settings(s)->trigger)
		return tl_fail(EINVAL, "--trigger: counts are no rows of "
				       "single events");
	show_keys(s);
	env.counts = tl_table_new(sizeof(uint64_t), NULL);
	if (!env.counts)
		return -ENOMEM;
	tl_table_limit(env.counts, KEYS_MAX);
	tl_banner(s, "Counting dropped packets");
	tl_interval(s, env.interval, env.times, on_interval);
	return 0;
}

static int set_up_rows(struct tl_session *s)
{
	if (tl_settings(s)->time_given) {
		tl_column_show(s, CLOCK, TL_SHOW_NEVER);
		tl_column_show(s, TIME, TL_SHOW_ALL);
	}
	tl_banner(s, "Tracing dropped packets");
	return env.stacks ? tl_stacks_open(s, print) : 0;
}

/* Reason and place are of the drop, and not of the packet. */
static bool needs_packet(struct tl_session *s)
{
	return !env.by || env.by & ~(unsigned int)(BY_REASON | BY_PLACE) ||
	       asks_for_ends() || env.wanted.netns.text || env.ipv4 ||
	       env.ipv6 || tl_settings(s)->write;
}

static int setup(struct tl_session *s)
{
	int ret = set_up_reasons(s) ?: tl_netns_find(s, &env.wanted.netns);

	ret = ret ?: tl_symbols_open(s);
	if (!ret)
		ret = env.by ? set_up_counts(s) : set_up_rows(s);
	env.packets = tl_pairs_open(s, sizeof(struct drop), 8192, NULL);
	if (!env.packets)
		return -ENOMEM;
	env.skb.all = needs_packet(s);
	return ret ?: add_sources(s);
}

static int check(struct tl_session *s)
{
	env.skb.all = true;
	return add_sources(s) ?: tl_limit(s, "--reason", env.reason_list,
					  need_reasons) ?:
	       tl_limit(s, "-s", env.stacks, tl_stacks_check);
}

static const struct tl_tool dropsnoop = {
	.name = "dropsnoop",
	.summary = "trace packets that the kernel drops, and why",
	.operands = TL_OPERANDS_INTERVAL(env.interval, env.times),
	.examples = {
		{ "dropsnoop", "each packet, with the reason and the place" },
		{ "dropsnoop 5", "how many by reason and place, every 5 s" },
		{ "dropsnoop -s --reason=NETFILTER_DROP --dport=443",
		  "which rules drop packets for a web server" },
	},
	.options = options,
	.columns = columns,
	.pictured = { .unit = "drops", .told = true },
	.flags = TL_FILTERS_TASKS,
	.buffer_kb = 8192,
	.args = args,
	.check = check,
	.setup = setup,
	.end = on_end,
};

TL_MAIN(dropsnoop)
