// SPDX-License-Identifier: GPL-2.0-or-later
/* drops.c - packets that the kernel drops, in one record each, or two */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/part.h"
#include "tracelet/drop.h"
#include "tracelet/filter.h"
#include "tracelet/message.h"
#include "tracelet/pairs.h"
#include "tracelet/session.h"
#include "tracelet/source.h"
#include "tracelet/symbolic.h"

#define REASONS_MAX 32
#define PACKETS_MAX 8192

struct drops {
	struct tl_part part;
	tl_drop_handler *handler;
	bool all;
	const struct tl_symbolic *names;
	bool except; /* those reasons are not wanted */
	unsigned int reasons;
	int64_t reason[REASONS_MAX];
	struct tl_skb_fields skb;
	struct tl_field place, why;
	bool at_once; /* one record has all */
	bool has_reason;
	struct tl_field address, dropped, ethertype; /* where it takes two */
	struct tl_pairs *packets;                    /* by address */
};

/* A packet whose drop is to be recorded next by the thread. */
struct dropping {
	struct tl_skb skb;
	pid_t pid;
};

static const struct tl_part_ops drops_ops = { .free = free };

static struct drops *drops(const struct tl_session *s)
{
	return tl_part_find(s, &drops_ops);
}

/* ---- one record ------------------------------------------------------- */

static void on_drop(struct tl_session *s, const struct tl_record *r)
{
	const struct drops *t = drops(s);
	const struct tl_drop d = {
		.place = (uint64_t)tl_field_num(r, &t->place),
		.reason =
			t->has_reason ? (uint32_t)tl_field_num(r, &t->why) : 0,
		.has_reason = t->has_reason,
		.skb = tl_skb_read(&t->skb, r),
	};

	t->handler(s, r, &d);
}

/* ---- two records ------------------------------------------------------ */

/* Its last owner lets it go: a record of the drop follows. */
static void on_packet(struct tl_session *s, const struct tl_record *r)
{
	const struct drops *t = drops(s);
	struct dropping *d =
		tl_pairs_put(t->packets, tl_field_num(r, &t->address));

	if (d)
		*d = (struct dropping){ tl_skb_read(&t->skb, r), r->pid };
}

/* What the call of @r was found to drop; another's is of an earlier packet there. */
static struct tl_skb take_packet(const struct drops *t,
				 const struct tl_record *r)
{
	struct dropping *d =
		tl_pairs_get(t->packets, tl_field_num(r, &t->dropped));
	struct tl_skb skb = { .length = -1 };

	if (d && d->pid == r->pid)
		skb = d->skb;
	else
		skb.packet.ethertype = (uint16_t)tl_field_num(r, &t->ethertype);
	if (d)
		tl_pairs_remove(t->packets, d);
	return skb;
}

/* Behind the record of its packet, if the kernel made that. */
static void on_dropped(struct tl_session *s, const struct tl_record *r)
{
	const struct drops *t = drops(s);
	const struct tl_drop d = {
		.place = (uint64_t)tl_field_num(r, &t->place),
		.skb = take_packet(t, r),
	};

	if (t->all || d.skb.packet.ethertype)
		t->handler(s, r, &d);
}

/* ---- sources ---------------------------------------------------------- */

/* Netlink and sockets of one machine have packets, too, but no protocol. */
static void filter_packets(struct tl_session *s, const struct tl_event *ev,
			   struct tl_filter *f)
{
	if (!drops(s)->all)
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
	const struct drops *t = drops(s);
	const char *is = t->except ? "!=" : "==";
	const char *next = t->except ? " && " : " || ";
	char text[REASONS_MAX * 40];
	size_t len = 0;
	unsigned int i;

	filter_packets(s, ev, f);
	for (i = 0; i < t->reasons; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len,
					"%sreason %s %lld", i ? next : "", is,
					(long long)t->reason[i]);
	if (len)
		tl_filter_and(f, "(%s)", text);
}

/* A kernel without event probes has no reasons either. */
static int add_sources(struct tl_session *s, struct drops *t)
{
	const struct tl_source_field of_drop[] = {
		/* first: where it is aligned it is found in captures, which need
		 * its name */
		{ "place", &t->place, "$location", .type = "x64" },
		TL_SKB_FIELDS(t->skb, "$skbaddr"),
		{ "reason", &t->why, "$reason", .type = "u32",
		  .found = &t->has_reason },
		/* since 6.12 */
		TL_SKB_RECEIVER(t->skb, "$rx_sk"),
		{ 0 }
	};
	const struct tl_source_field of_packet[] = {
		{ "skb", &t->address, "$arg1", .type = "x64" },
		{ "users", NULL, "$arg1", "sk_buff.users.refs.counter", "s32" },
		TL_SKB_FIELDS(t->skb, "$arg1"),
		{ 0 }
	};
	const struct tl_source_field of_dropped[] = {
		{ "skbaddr", &t->dropped },
		{ "location", &t->place },
		{ "protocol", &t->ethertype },
		{ 0 }
	};
	const struct tl_source sources[] = {
		{ "skb:kfree_skb", on_drop, of_drop, .type = "e",
		  .name = "drop", .add_filter = filter_drops,
		  .found = &t->at_once, .flags = TL_SOURCE_OPTIONAL },
		{ "kfree_skb", on_packet, of_packet, .name = "packet",
		  .add_filter = filter_owners, .unless = &t->at_once },
		{ "skb:kfree_skb", on_dropped, of_dropped,
		  .unless = &t->at_once },
		{ 0 }
	};

	tl_skb_prepare(s, &t->skb);
	return tl_sources_add(s, sources);
}

/* ---- reasons ---------------------------------------------------------- */

static bool has_names(struct tl_session *s, struct drops *t)
{
	t->names =
		t->names ?: tl_symbolic_read(s, "skb", "kfree_skb", "reason");
	return t->names;
}

static int need_names(struct tl_session *s, struct drops *t)
{
	return has_names(s, t)
		       ? 0
		       : tl_fail(ENOTSUP,
				 "this kernel does not say why it drops a "
				 "packet: skb:kfree_skb has no field reason");
}

static int add_reason(struct drops *t, const char *name)
{
	if (t->reasons == REASONS_MAX)
		return tl_fail(EINVAL, "--reason: more than %d reasons",
			       REASONS_MAX);
	if (tl_symbolic_value(t->names, name, &t->reason[t->reasons]))
		return tl_fail(EINVAL,
			       "--reason: this kernel has no reason \"%s\"; "
			       "events/skb/kfree_skb/format in tracefs has all",
			       name);
	t->reasons++;
	return 0;
}

static int add_reasons(struct drops *t, const char *list)
{
	char *copy, *name, *save;
	int ret = 0;

	t->except = *list == '!';
	copy = strdup(list + t->except);
	if (!copy)
		return -ENOMEM;
	for (name = strtok_r(copy, ",", &save); name && !ret;
	     name = strtok_r(NULL, ",", &save))
		ret = add_reason(t, name);
	free(copy);
	return ret;
}

static int find_reasons(struct tl_session *s, struct drops *t, const char *list)
{
	if (list)
		return need_names(s, t) ?: add_reasons(t, list);
	if (!has_names(s, t) && !tl_settings(s)->write)
		tl_warn("this kernel does not say why it drops a packet: only "
			"the place tells");
	return 0;
}

const char *tl_drop_reason(struct tl_session *s, const struct tl_drop *d,
			   char text[TL_DROP_TEXT])
{
	const char *name = tl_symbolic_name(drops(s)->names, d->reason);

	if (!d->has_reason)
		return NULL;
	snprintf(text, TL_DROP_TEXT, "%u", d->reason);
	return name ?: text;
}

/* ---- set-up ----------------------------------------------------------- */

static struct drops *get(struct tl_session *s)
{
	return tl_part_get(s, &drops_ops, sizeof(struct drops));
}

int tl_drops_open(struct tl_session *s, const struct tl_drops_wanted *wanted,
		  tl_drop_handler *handler)
{
	struct drops *t = get(s);
	int ret;

	if (!t)
		return -ENOMEM;
	t->handler = handler;
	t->all = wanted->all;
	t->skb.all = !wanted->bare;
	ret = find_reasons(s, t, wanted->reasons);
	if (ret)
		return ret;
	t->packets =
		tl_pairs_open(s, sizeof(struct dropping), PACKETS_MAX, NULL);
	return t->packets ? add_sources(s, t) : -ENOMEM;
}

int tl_drops_check(struct tl_session *s)
{
	struct drops *t = get(s);

	if (!t)
		return -ENOMEM;
	t->skb.all = true;
	return add_sources(s, t);
}

int tl_drops_check_reasons(struct tl_session *s)
{
	struct drops *t = get(s);

	return t ? need_names(s, t) : -ENOMEM;
}
