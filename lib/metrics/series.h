/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * series.h - rows, added up by their labels
 *
 * Values only grow: what the rows of an interval say is added to what those before said.
 */
#ifndef TL_METRICS_SERIES_H
#define TL_METRICS_SERIES_H

#include "base/buf.h"
#include "out/out.h"
#include "tracelet/output.h"

struct tl_series;

/**
 * tl_series_new - of the metrics that are among @columns, which live as long
 * @tool:   for their names
 * @max:    different labels; those that come later are "other"
 * @taken:  names of labels that all metrics have beside these, with commas between, which
 *          lives as long
 *
 * NULL without memory.
 */
struct tl_series *tl_series_new(const char *tool,
				const struct tl_column *columns,
				unsigned int max, const char *taken);
void tl_series_free(struct tl_series *all);
/** tl_series_metrics - so many of the columns are metrics */
unsigned int tl_series_metrics(const struct tl_series *all);

/** tl_series_add - a row */
void tl_series_add(struct tl_series *all, const struct tl_value *row);
/** tl_series_add_histogram - a histogram; all have the same points, which stay */
void tl_series_add_histogram(struct tl_series *all, const struct tl_value *row,
			     const struct tl_histogram *h);

/** tl_series_others - rows that became "other" as there were too many labels */
uint64_t tl_series_others(const struct tl_series *all);
/** tl_series_missed - rows that were not counted, for want of memory */
uint64_t tl_series_missed(const struct tl_series *all);
/**
 * tl_series_print - append all, as Prometheus reads it (text format 0.0.4)
 * @labels: for each, in front of its own: 'host="a"'; or ""
 */
void tl_series_print(struct tl_series *all, struct tl_buf *b,
		     const char *labels);

/** A label of a list NAME=VALUE,... */
struct tl_label {
	char name[64];
	struct tl_str value; /* as it is in the list */
	const char *next;    /* behind it, and its comma */
};

/**
 * tl_label_split - take the first one of @list, which is not empty
 *
 * Returns 0, -EINVAL where it has no "=", or -EILSEQ where that is no name.
 */
int tl_label_split(const char *list, struct tl_label *l);
/** tl_label_is_column - whether one of @columns is a label with that name */
bool tl_label_is_column(const struct tl_column *columns, const char *name);
/** tl_label_listed - whether @names, with commas between, or NULL, has that one */
bool tl_label_listed(const char *names, const char *name);
/** tl_label_add - append to @b, which has labels or none, one with that name, as it is */
void tl_label_add(struct tl_buf *b, const char *name, struct tl_str value);

#endif
