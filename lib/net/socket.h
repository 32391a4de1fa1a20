/* SPDX-License-Identifier: GPL-2.0-or-later */
/* socket.h - where an event has its socket */
#ifndef TL_NET_SOCKET_H
#define TL_NET_SOCKET_H

#include <stddef.h>

struct tl_event;
struct tl_session;

/**
 * tl_socket_fetch - what a probe is to fetch of a socket
 * @sock: where its address is: "$arg1"
 *
 * The fields are named as those of tracepoints: skaddr, state and the ends.
 * Returns 0, or -errno after a message.
 */
int tl_socket_fetch(struct tl_session *s, const char *sock, char *args,
		    size_t size);
/** tl_socket_fields - the fields that a tracepoint needs for it; the last is NULL */
extern const char *const tl_socket_fields[];
/**
 * tl_socket_find - find the socket in @ev, a tracepoint of TCP, or a probe that
 * fetches what tl_socket_fetch() says
 *
 * In setup, once for an event.  Returns 0, or -errno after a message.
 */
int tl_socket_find(struct tl_session *s, struct tl_event *ev);

#endif
