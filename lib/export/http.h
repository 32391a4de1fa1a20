/* SPDX-License-Identifier: GPL-2.0-or-later */
/* http.h - answers by HTTP, whatever clients do */
#ifndef TL_EXPORT_HTTP_H
#define TL_EXPORT_HTTP_H

#include "tracelet/text.h"

struct tl_http;

/** tl_http_load - load libmicrohttpd; 0, or -ELIBACC after a message */
int tl_http_load(void);
/**
 * tl_http_new - answer at the listening socket @fd until the end of the process; NULL
 * after a message
 */
struct tl_http *tl_http_new(int fd);
/** tl_http_fd - what becomes readable when tl_http_step() is to be called */
int tl_http_fd(const struct tl_http *h);
/** tl_http_set - the answer to /metrics from now on; 0 or -ENOMEM */
int tl_http_set(struct tl_http *h, struct tl_str text);
/** tl_http_step - answer; returns after how many ms it is to be called in any case, -1: never */
int tl_http_step(struct tl_http *h);

#endif
