/* SPDX-License-Identifier: GPL-2.0-or-later */
/* connect.h - TCP connections that programs open */
#ifndef TRACELET_CONNECT_H
#define TRACELET_CONNECT_H

#include <stdbool.h>
#include <stdint.h>

#include "tracelet/socket.h"
#include "tracelet/who.h"

#pragma GCC visibility push(default)

struct tl_session;

/** An attempt to open a connection, which is over. */
struct tl_connect {
	const struct tl_owner *opener; /* NULL: it began before this run */
	const struct tl_ends *ends;
	uint64_t ns;       /* its end */
	uint64_t latency;  /* 0: there was no handshake, or it is not known */
	const char *error; /* NULL: it is a connection now */
	bool is_nowhere;   /* its remote end is none */
};

/**
 * Called with each that -p and the like, and --cpu, ask for.  Whether they ask for one
 * without an opener is not known where tl_tasks_filtered().
 */
typedef void tl_connect_handler(struct tl_session *s,
				const struct tl_connect *c);

/**
 * tl_connects_open - in setup or check: record the attempts of connections that are @wanted
 *
 * The tool has TL_FILTERS_TASKS and TL_FILTERS_CPUS.  Returns 0, or -errno after a
 * message.
 */
int tl_connects_open(struct tl_session *s, struct tl_ends_filter *wanted,
		     tl_connect_handler *handler);
/** tl_connects_unfinished - how many handshakes are not over, of those asked for */
unsigned int tl_connects_unfinished(const struct tl_session *s);

#pragma GCC visibility pop

#endif
