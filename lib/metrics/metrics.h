/* SPDX-License-Identifier: GPL-2.0-or-later */
/* metrics.h - --metrics: what a run counts, for those who watch many machines */
#ifndef TL_METRICS_METRICS_H
#define TL_METRICS_METRICS_H

#include <stdbool.h>

struct tl_out_sink;
struct tl_session;
struct tl_tool;

/** tl_metrics_has - whether @tool has columns that become metrics */
bool tl_metrics_has(const struct tl_tool *tool);
/** tl_metrics_args - in args: 0, or -EINVAL after tl_usage() */
int tl_metrics_args(struct tl_session *s);
/** tl_metrics_add - what rows go to, before the tool's setup; NULL without memory */
const struct tl_out_sink *tl_metrics_add(struct tl_session *s);
/**
 * tl_metrics_open - behind the tool's setup; 0, or -errno after a message
 *
 * The file is written when recording begins, and again at the end of each interval, of
 * the tool or of 5 seconds.  It is removed at the end of the run, whatever ends that.
 */
int tl_metrics_open(struct tl_session *s);
/** tl_metrics_end - behind the last row: to standard output those that had come late */
void tl_metrics_end(struct tl_session *s);
#endif
