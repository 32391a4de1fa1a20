/* SPDX-License-Identifier: GPL-2.0-or-later */
/* filter.h - event filters under construction */
#ifndef TRACELET_FILTER_H
#define TRACELET_FILTER_H

#pragma GCC visibility push(default)

/** An event filter under construction: conditions joined by "&&". */
#define TL_FILTER_MAX 4095
struct tl_filter {
	char text[TL_FILTER_MAX + 1];
};

/**
 * tl_filter_and - add a condition; tl_event_filter() says when it was too much
 */
void tl_filter_and(struct tl_filter *f, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#pragma GCC visibility pop

#endif
