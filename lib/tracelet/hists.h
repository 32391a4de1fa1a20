/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hists.h - histograms by a key */
#ifndef TRACELET_HISTS_H
#define TRACELET_HISTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "tracelet/output.h"
#include "tracelet/text.h"
#include "tracelet/who.h"

#pragma GCC visibility push(default)

struct tl_hist;
struct tl_session;

/** struct tl_hists - histograms of the same points, by a key */
struct tl_hists;

/**
 * How they are shown: in text a table for each, in JSON and CSV a row for each
 * bucket, with columns "from", "to", "count", and "time" if there is one.
 */
struct tl_hists_config {
	/* NULL: the unit, and its doubles */
	const int64_t *points;
	unsigned int count;    /* of them, at most 32 doubles; 0: 31 */
	int64_t unit;          /* that text counts in */
	const char *unit_name; /* "us" */
	const char *counted;   /* what is: "I/O", "calls" */
	const char *what;      /* in front of a key */
	const char *key; /* of a key's column; NULL: one histogram, of all */
	bool times; /* values are ns: in metrics they all have the same points */
	bool clock;     /* with a line "HH:MM:SS:" above them, in text */
	bool date;      /* or with that of tl_print_date() */
	bool inclusive; /* text has the last value of a bucket, not its end */
	int decimals;   /* of inclusive ones */
	bool positive;  /* no value is below 0 */
	bool used_only; /* up to the last bucket that is not empty */
	bool always;    /* an empty one, where there is none */
};

/**
 * tl_hists_open - @config is copied, and all that it points to lives as long as the
 * run, at whose end they go; NULL without memory
 */
struct tl_hists *tl_hists_open(struct tl_session *s,
			       const struct tl_hists_config *config);
/**
 * TL_HISTS_BY_COLUMNS - columns of histograms by who, of values of @type, which in
 * metrics have @name and @help; at file scope
 */
#define TL_HISTS_BY_COLUMNS(type, name, help)                  \
	((const struct tl_column[]){                           \
		{ "TIMEs", "time", 0, TL_TIME, TL_SHOW_DATA }, \
		TL_BY_COLUMNS,                                 \
		{ "COUNT", "count", 0, TL_INT, TL_SHOW_DATA }, \
		{ "FROM", "from", 0, type, TL_SHOW_DATA },     \
		{ "TO", "to", 0, type, TL_SHOW_DATA,           \
		  .metric = TL_HISTOGRAM(name, help) },        \
		{ 0 } })
/**
 * tl_hists_by - histograms by who, for tl_hists_add_who(): @config needs no what
 * and no key; for TL_BY_NOTHING there is one of all
 *
 * The tool has TL_HISTS_BY_COLUMNS().
 */
struct tl_hists *tl_hists_by(struct tl_session *s,
			     const struct tl_hists_config *config,
			     enum tl_by by);
/**
 * tl_hists_of - that of @key, made when it is new; NULL without memory
 *
 * It stays until the end, also when it is empty, so the tool can keep it.  The first
 * 4,096 keys of a run have one each; it is that of "[others]" for all that come later.
 * Where the config has no key, one is that of all.  Not for those of tl_hists_by().
 */
struct tl_hist *tl_hists_of(struct tl_hists *h, struct tl_str key);
/** tl_hists_add - @value was seen once more with @key */
void tl_hists_add(struct tl_hists *h, struct tl_str key, int64_t value);
/**
 * tl_hists_add_who - the same with who the record being handled belongs to, of
 * histograms by who
 * @id: as for tl_who_of()
 */
void tl_hists_add_who(struct tl_session *s, struct tl_hists *h, pid_t id,
		      int64_t value);
/**
 * tl_hists_show - all that are not empty, by key; they are empty then
 * @ns: the end of the interval
 *
 * Returns 0, or -ENOMEM after a message: not all values were counted.
 */
int tl_hists_show(struct tl_session *s, struct tl_hists *h, uint64_t ns);
/**
 * tl_hists_interval - tl_interval() with tl_hists_show(), for a tool that opens
 * histograms once
 */
void tl_hists_interval(struct tl_session *s, uint64_t interval,
		       unsigned int count);

#pragma GCC visibility pop

#endif
