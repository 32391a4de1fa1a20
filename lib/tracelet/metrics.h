/* SPDX-License-Identifier: GPL-2.0-or-later */
/* metrics.h - what metrics are of, where columns do not say it */
#ifndef TRACELET_METRICS_H
#define TRACELET_METRICS_H

#pragma GCC visibility push(default)

struct tl_session;

/**
 * tl_metric_label - in setup: all metrics of the run, if any are asked for, have a label
 * @name with @value, which is copied
 */
void tl_metric_label(struct tl_session *s, const char *name, const char *value);

#pragma GCC visibility pop

#endif
