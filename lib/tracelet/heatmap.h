/* SPDX-License-Identifier: GPL-2.0-or-later */
/* heatmap.h - heat maps */
#ifndef TRACELET_HEATMAP_H
#define TRACELET_HEATMAP_H

#include <stdbool.h>
#include <stdint.h>

#include "tracelet/text.h"

#pragma GCC visibility push(default)

struct tl_session;

/** struct tl_heatmap - latency against time, how many as a colour */
struct tl_heatmap;

/**
 * tl_heatmap_check - in args: whether @path can be had with the options that are given;
 * 0, or -EINVAL after tl_usage()
 * @path:        as for tl_heatmap_open(), or NULL
 * @percentiles: the tool's option of this name is given
 */
int tl_heatmap_check(struct tl_session *s, const char *path, bool percentiles);
/**
 * tl_heatmap_open - in setup
 * @path: of an SVG file, which is created now and written at the end; "-" for
 *        a line of text per interval, coloured on a terminal
 * @by:   heading of a column with keys, for a line of each; NULL: there is none
 *
 * NULL after a message.
 */
struct tl_heatmap *tl_heatmap_open(struct tl_session *s, const char *path,
				   const char *by);
/**
 * tl_heatmap_add - something of @key ended at @ns (CLOCK_MONOTONIC) and took
 * @latency ns; without a heading keys are empty
 */
void tl_heatmap_add(struct tl_heatmap *m, struct tl_str key, uint64_t ns,
		    uint64_t latency);
/**
 * tl_heatmap_line - where lines are asked for, write those of the interval that
 * ended at @ns; returns whether they are
 */
bool tl_heatmap_line(struct tl_session *s, struct tl_heatmap *m, uint64_t ns);
/**
 * tl_heatmap_end - write the file, and free @m
 * @detail: what it was restricted to; "": nothing
 *
 * Above the picture stand @title and, smaller, how many I/O it is of, @detail,
 * host, kernel, date, losses and command, which are also its attributes data-*.
 */
int tl_heatmap_end(struct tl_session *s, struct tl_heatmap *m,
		   const char *title, const char *detail);

#pragma GCC visibility pop

#endif
