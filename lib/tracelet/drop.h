/* SPDX-License-Identifier: GPL-2.0-or-later */
/* drop.h - packets that the kernel drops */
#ifndef TRACELET_DROP_H
#define TRACELET_DROP_H

#include <stdbool.h>
#include <stdint.h>

#include "tracelet/skb.h"

#pragma GCC visibility push(default)

struct tl_session;

#define TL_DROP_TEXT 16 /* bytes that a reason may need */

/** A packet that was dropped. */
struct tl_drop {
	uint64_t place; /* in the kernel, that dropped it */
	uint32_t reason;
	bool has_reason; /* the kernel has said it */
	struct tl_skb skb;
};

/** Called with each, at the record @r. */
typedef void tl_drop_handler(struct tl_session *s, const struct tl_record *r,
			     const struct tl_drop *d);

/** Which of them, and what of these. */
struct tl_drops_wanted {
	bool all;            /* also what is no packet of a network */
	bool bare;           /* no packets, but only why and where */
	const char *reasons; /* "A,B", and all others: "!A,B"; NULL: any */
};

/**
 * tl_drops_open - in setup: record what the kernel drops
 *
 * A kernel that does not say why is told of.  Returns 0, or -errno after a message.
 */
int tl_drops_open(struct tl_session *s, const struct tl_drops_wanted *wanted,
		  tl_drop_handler *handler);
/** tl_drops_check - in check: 0, or -errno after a message */
int tl_drops_check(struct tl_session *s);
/** tl_drops_check_reasons - the same where reasons are needed */
int tl_drops_check_reasons(struct tl_session *s);
/**
 * tl_drop_reason - what the kernel calls the reason of @d; a number where it has no
 * name here, as those of modules; NULL: it did not say
 */
const char *tl_drop_reason(struct tl_session *s, const struct tl_drop *d,
			   char text[TL_DROP_TEXT]);

/** What drops may be counted by. */
enum tl_drop_by {
	TL_DROP_BY_REASON = 1 << 0,
	TL_DROP_BY_PLACE = 1 << 1,
	/* these are of the packet */
	TL_DROP_BY_INTERFACE = 1 << 2,
	TL_DROP_BY_PROTOCOL = 1 << 3,
	TL_DROP_BY_SOURCE = 1 << 4,
	TL_DROP_BY_DESTINATION = 1 << 5,
	TL_DROP_BY_PORT = 1 << 6,
	TL_DROP_BY_NETNS = 1 << 7,
};

/**
 * tl_drop_by_list - in args: add to @by, enum tl_drop_by, what @list, the argument of
 * --by, names: "reason,port"; 0, or -errno after a message
 */
int tl_drop_by_list(const char *list, unsigned int *by);
/**
 * tl_drop_key - make a key of a drop: @key has of @d only what is in @by, and is all zero
 * else, also between members
 */
void tl_drop_key(struct tl_drop *key, const struct tl_drop *d, unsigned int by);

#pragma GCC visibility pop

#endif
