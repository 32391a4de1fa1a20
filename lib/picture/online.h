/* SPDX-License-Identifier: GPL-2.0-or-later */
/* online.h - which processors are on line */
#ifndef TL_PICTURE_ONLINE_H
#define TL_PICTURE_ONLINE_H

struct tl_session;

/** tl_online_keep - note them for who reads the capture */
void tl_online_keep(struct tl_session *s);
/**
 * tl_online_each - call @fn with each that is on line and asked for by --cpu; in setup
 *
 * Of a capture those of its start; an old one does not have them.  Returns 0, or what
 * @fn returned other than that.
 */
int tl_online_each(struct tl_session *s, int (*fn)(void *ctx, unsigned int cpu),
		   void *ctx);

#endif
