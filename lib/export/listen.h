/* SPDX-License-Identifier: GPL-2.0-or-later */
/* listen.h - the socket at which an exporter answers */
#ifndef TL_EXPORT_LISTEN_H
#define TL_EXPORT_LISTEN_H

/**
 * tl_listen_parse - check "127.0.0.1:9470", "[::1]:9470" or ":9470"
 *
 * Returns NULL, or what is wrong with it.
 */
const char *tl_listen_parse(const char *text);
/**
 * tl_listen - open it: without an address at all there are, of IPv6 and IPv4
 *
 * Returns a descriptor, or -errno after a message.
 */
int tl_listen(const char *text);
/**
 * tl_listen_given - that of systemd.socket(5), as sd_listen_fds(3) describes it
 *
 * Returns a descriptor, -ENOENT where there is none, or another -errno after a message.
 */
int tl_listen_given(void);

#endif
