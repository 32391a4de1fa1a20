// SPDX-License-Identifier: GPL-2.0-or-later
/* dropsnoop - trace packets that the kernel drops, and why */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tracelet.h"
#include "tracelet/drop.h"
#include "tracelet/heatmap.h"
#include "tracelet/stack.h"
#include "tracelet/symbol.h"
#include "tracelet/table.h"

#define KEYS_MAX 65536

static struct {
	bool count, stacks, wide;
	const char *by_list;
	struct tl_drops_wanted drops;
	unsigned int by, top, times; /* @by: enum tl_drop_by */
	uint64_t interval;
	struct tl_ends_filter wanted;
	uint64_t unknown; /* drops of which it is not known whether they are */
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
	  TL_OPT_STRING, &env.drops.reasons },
	{ 'a', "all", NULL, "also what is no packet of a network", TL_OPT_FLAG,
	  &env.drops.all },
	{ 0, "wide", NULL, "show flags of TCP, length and network namespace",
	  TL_OPT_FLAG, &env.wide },
	TL_PACKET_OPTIONS(env.wanted),
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
	[TIME] = { "TIMEs", "time", -16, TL_TIME, TL_SHOW_DATA },
	[REASON] = { "REASON", "reason", -18, TL_STR, TL_SHOW_ALL,
		     .role = TL_ROLE_TITLE, .metric = TL_LABEL },
	[NUMBER] = { "NUMBER", "reason_number", -6, TL_INT, TL_SHOW_DATA },
	[INTERFACE] = { "IFACE", "interface", -8, TL_STR, TL_SHOW_ALL,
			.metric = TL_LABEL },
	[PROTOCOL] = { "PROTO", "protocol", -6, TL_STR, TL_SHOW_ALL,
		       .metric = TL_LABEL },
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
	[PLACE] = { "PLACE", "place", -28, TL_STR, TL_SHOW_ALL,
		    .metric = TL_LABEL },
	[COUNT] = { "DROPS", "count", 9, TL_INT, TL_SHOW_NEVER,
		    .metric = TL_EVENTS("drops",
					"Packets that the kernel dropped") },
	[STACK] = { "STACK", "stack", 0, TL_STACK, TL_SHOW_DATA, &env.stacks },
	{ 0 }
};

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

static void put_reason(struct tl_session *s, const struct tl_drop *d)
{
	static char text[TL_DROP_TEXT];

	tl_put_text(s, REASON, tl_drop_reason(s, d, text));
	if (d->has_reason)
		tl_put_int(s, NUMBER, d->reason);
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

static void put_drop(struct tl_session *s, const struct tl_drop *d)
{
	put_reason(s, d);
	put_place(s, d->place);
	put_packet(s, &d->skb.packet);
	if (*d->skb.interface)
		tl_put_text(s, INTERFACE, d->skb.interface);
	tl_put_netns(s, NETNS, &d->skb.packet.ends);
	if (d->skb.length >= 0)
		tl_put_int(s, LENGTH, d->skb.length);
}

static void put_row(struct tl_session *s, const struct tl_record *r,
		    const struct tl_record *stack, const struct tl_drop *d)
{
	tl_put_time(s, CLOCK, r->ns);
	put_drop(s, d);
	if (stack)
		tl_put_stack(s, STACK, stack);
	tl_row(s);
}

/* ---- counts ----------------------------------------------------------- */

static void count(const struct tl_drop *d)
{
	struct tl_drop k;
	uint64_t *n;

	tl_drop_key(&k, d, env.by);
	n = tl_table_at(env.counts, TL_KEY(k));
	if (n)
		++*n;
}

static void print_count(struct tl_session *s, const struct tl_table_entry *e,
			uint64_t ns)
{
	struct tl_drop d = *(const struct tl_drop *)e->key.text;

	d.skb.length = -1;
	tl_put_time(s, CLOCK, ns);
	put_drop(s, &d);
	if (d.skb.packet.has_ports)
		tl_put_int(s, DPORT, d.skb.packet.ends.rport);
	tl_put_int(s, COUNT, *(const int64_t *)e->value);
	tl_row(s);
}

static int on_interval(struct tl_session *s, uint64_t ns)
{
	const struct tl_table_view view = { .order = tl_table_by_count,
					    .top = env.top,
					    .most_last = true,
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
		 const struct tl_drop *d)
{
	struct tl_record held = *r;

	held.data = (const char *)d;
	held.size = sizeof(*d);
	tl_stacks_hold(s, &held, 0);
}

static void print(struct tl_session *s, const struct tl_record *r,
		  const struct tl_record *stack, int tag)
{
	struct tl_drop d;

	memcpy(&d, r->data, sizeof(d));
	put_row(s, r, stack, &d);
}

static void show(struct tl_session *s, const struct tl_record *r,
		 const struct tl_drop *d)
{
	tl_pictured(s, r->ns, 0);
	if (env.by)
		count(d);
	else if (env.stacks)
		hold(s, r, d);
	else
		put_row(s, r, NULL, d);
}

static void on_drop(struct tl_session *s, const struct tl_record *r,
		    const struct tl_drop *d)
{
	switch (tl_packet_match(&env.wanted, &d->skb.packet)) {
	case TL_PACKET_WANTED:
		show(s, r, d);
		break;
	case TL_PACKET_UNKNOWN:
		env.unknown++;
		break;
	case TL_PACKET_OTHER:
		break;
	}
}

/* ---- set-up ----------------------------------------------------------- */

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
	int ret = check_list("--reason", env.drops.reasons)
			  ?: check_list("--by", env.by_list);

	if (!ret && env.by_list)
		ret = tl_drop_by_list(env.by_list, &env.by);
	if (ret)
		return ret;
	if (!env.by && tl_settings(s)->metrics && !env.count)
		env.by = TL_DROP_BY_REASON;
	if (!env.by && (env.count || env.interval || env.top))
		env.by = TL_DROP_BY_REASON | TL_DROP_BY_PLACE;
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
	static const struct {
		unsigned int part, column;
	} of[] = {
		{ TL_DROP_BY_REASON, REASON },
		{ TL_DROP_BY_PLACE, PLACE },
		{ TL_DROP_BY_INTERFACE, INTERFACE },
		{ TL_DROP_BY_PROTOCOL, PROTOCOL },
		{ TL_DROP_BY_SOURCE, SADDR },
		{ TL_DROP_BY_DESTINATION, DADDR },
		{ TL_DROP_BY_PORT, DPORT },
		{ TL_DROP_BY_NETNS, NETNS },
	};
	unsigned int col;
	size_t i;

	for (col = CLOCK; col <= STACK; col++)
		tl_column_show(s, col, TL_SHOW_NEVER);
	tl_column_show(s, TIME, TL_SHOW_DATA);
	tl_column_show(s, COUNT, TL_SHOW_ALL);
	if (env.interval)
		tl_column_show(s, CLOCK, TL_SHOW_TEXT);
	for (i = 0; i < sizeof(of) / sizeof(of[0]); i++)
		if (env.by & of[i].part)
			tl_column_show(s, of[i].column, TL_SHOW_ALL);
	if (env.by & TL_DROP_BY_REASON)
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
	tl_show_time(s, CLOCK, TIME);
	tl_banner(s, "Tracing dropped packets");
	return env.stacks ? tl_stacks_open(s, print) : 0;
}

/* Of a packet of which nothing is known, it is not known whether it is wanted. */
static bool needs_packet(struct tl_session *s)
{
	const struct tl_packet unknown = { 0 };

	return !env.by || env.by & ~(TL_DROP_BY_REASON | TL_DROP_BY_PLACE) ||
	       tl_settings(s)->write ||
	       tl_packet_match(&env.wanted, &unknown) != TL_PACKET_WANTED;
}

static int setup(struct tl_session *s)
{
	int ret = tl_netns_find(s, &env.wanted.netns) ?: tl_symbols_open(s);

	if (!ret)
		ret = env.by ? set_up_counts(s) : set_up_rows(s);
	env.drops.bare = !needs_packet(s);
	return ret ?: tl_drops_open(s, &env.drops, on_drop);
}

static int check(struct tl_session *s)
{
	return tl_drops_check(s) ?: tl_limit(s, "--reason", env.drops.reasons,
					     tl_drops_check_reasons) ?:
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
